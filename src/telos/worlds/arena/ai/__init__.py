"""What gives a fighter of the arena a mind.

    arena ──▶ sensors ──▶ facts in memory ──▶ beliefs ──▶ plan ──▶ FighterBody ──▶ command
              sensors.py  facts.py           beliefs.py           fighter_body.py

Start with `make_sensors` and `FighterBeliefs`. Characters and the domain: characters.py. Hidden enemies:
whereabouts.py. Death: dying.py. Control by a person: player_control.py.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.worlds.arena.ai.beliefs import FighterBeliefs, make_attention
    from telos.worlds.arena.ai.characters import (
        Comrade,
        characters_with,
        create_default_arena,
        find_character_faults,
        load_arena_characters,
        load_arena_domain,
        load_character_texts,
        load_procedures,
        make_arena,
    )
    from telos.worlds.arena.ai.dying import DeathPlanner
    from telos.worlds.arena.ai.facts import make_fact
    from telos.worlds.arena.ai.fighter_body import FighterBody, PlanningFunctions
    from telos.worlds.arena.ai.player_control import PlayerControl, default_player, with_player
    from telos.worlds.arena.ai.sensors import (
        SENSORS,
        BodySensor,
        SightSensor,
        StimulusDelivery,
        TerrainSensor,
        make_sensors,
    )
    from telos.worlds.arena.ai.whereabouts import HidingPlaces, WhereaboutsSensor, explain_whereabouts

__all__ = [
    "SENSORS",
    "BodySensor",
    "Comrade",
    "DeathPlanner",
    "FighterBeliefs",
    "FighterBody",
    "HidingPlaces",
    "PlanningFunctions",
    "PlayerControl",
    "SightSensor",
    "StimulusDelivery",
    "TerrainSensor",
    "WhereaboutsSensor",
    "characters_with",
    "create_default_arena",
    "default_player",
    "explain_whereabouts",
    "find_character_faults",
    "load_arena_characters",
    "load_arena_domain",
    "load_character_texts",
    "load_procedures",
    "make_arena",
    "make_attention",
    "make_fact",
    "make_sensors",
    "with_player",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "FighterBeliefs": "beliefs",
        "make_attention": "beliefs",
        "Comrade": "characters",
        "characters_with": "characters",
        "create_default_arena": "characters",
        "find_character_faults": "characters",
        "load_arena_characters": "characters",
        "load_arena_domain": "characters",
        "load_character_texts": "characters",
        "load_procedures": "characters",
        "make_arena": "characters",
        "DeathPlanner": "dying",
        "make_fact": "facts",
        "FighterBody": "fighter_body",
        "PlanningFunctions": "fighter_body",
        "PlayerControl": "player_control",
        "default_player": "player_control",
        "with_player": "player_control",
        "BodySensor": "sensors",
        "SENSORS": "sensors",
        "SightSensor": "sensors",
        "StimulusDelivery": "sensors",
        "TerrainSensor": "sensors",
        "make_sensors": "sensors",
        "HidingPlaces": "whereabouts",
        "WhereaboutsSensor": "whereabouts",
        "explain_whereabouts": "whereabouts",
    },
)
