"""The cast of a fight: for each fighter of a scene a body in the arena, and for those without a script a mind."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from telos.agents.character import Character
from telos.agents.character_files import characters_in
from telos.agents.performance_files import load_performances
from telos.agents.procedure import Performed, Procedure
from telos.core.domain import Domain
from telos.core.files.load import load
from telos.worlds.arena.arena import Arena
from telos.worlds.arena.fighter import BODY_KEYS, Placed
from telos.worlds.arena.scene import Scene
from telos.worlds.arena.senses import SENSORS
from telos.worlds.arena.speech import SPEECH
from telos.worlds.arena.things import ThingPlaced

DATA = Path(__file__).parent / "data"


@lru_cache(maxsize=1)
def arena_domain() -> Domain:
    """Return what fighters can know, do and want, without the answers that a particular fight gives."""
    return load(DATA / "arena.yaml")


@lru_cache(maxsize=1)
def characters() -> Mapping[str, Character]:
    """Return the kinds of character that come with the arena, by name."""
    return characters_in(DATA / "characters", arena_domain(), sensors=SENSORS, body=BODY_KEYS)


def procedures() -> dict[str, Procedure]:
    """Return how bodies carry out each action: as the performance file says, and words wait for their effect."""
    performed = load_performances(DATA / "performances.yaml", arena_domain())
    return {name: SPEECH.get(name, Performed)(each) for name, each in performed.items()}


def arena_of(scene: Scene, kinds: Mapping[str, Character] | None = None, *, seed: int = 0) -> Arena:
    """Return the arena of a scene: everybody in their places, and nobody to tell them what to do.

    A body is what its character says, changed by what the scene says. ``kinds`` are the characters to choose from.
    """
    kinds = characters() if kinds is None else kinds
    bodies = [
        Placed(
            member.name,
            member.side,
            member.character,
            member.x,
            member.y,
            {**kinds[member.character].body, "rank": member.rank, **member.body},
        )
        for member in scene.cast
    ]
    things = [ThingPlaced(each.name, each.kind, each.x, each.y) for each in scene.things]
    return Arena(scene.map, bodies, things, seed=seed)
