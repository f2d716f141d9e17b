"""The sensors that characters of the arena may have. All that they tell ends as facts in memory."""

from collections.abc import Mapping

from telos.agents.sensors import Sensor
from telos.worlds.arena.arena import Arena
from telos.worlds.arena.eyes import Eyes
from telos.worlds.arena.limbs import Limbs
from telos.worlds.arena.surroundings import Surroundings
from telos.worlds.arena.touch import Touch

SENSORS = ("touch", "sight", "surroundings")


def sensors_of(arena: Arena, limbs: Mapping[str, Limbs]) -> dict[str, Sensor]:
    """Return the sensors by name."""
    return {"touch": Touch(arena, limbs), "sight": Eyes(arena), "surroundings": Surroundings(arena)}
