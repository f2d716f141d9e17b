"""The simulation of the arena: fighters on a map that carry out commands. It decides nothing.

    command text ──▶ Command ──▶ begin / every tick / end ──▶ ArenaState ──▶ events and views
                     commands.py  movement, animations, interactions, combat   state.py, views.py

Start with `Arena` (arena.py). Maps and lines of sight: map.py. Paths: navigation.py, mesh.py. Numbers: constants.py.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.worlds.arena.sim.animations import ANIMATIONS
    from telos.worlds.arena.sim.arena import NEUTRAL, Arena
    from telos.worlds.arena.sim.commands import Command, CommandParser
    from telos.worlds.arena.sim.constants import TICK, TICKS_A_SECOND, WEAPONS, Weapon
    from telos.worlds.arena.sim.fighter import BODY_KEYS, Fighter, FighterPlacement, ThingPlacement
    from telos.worlds.arena.sim.interactions import USES
    from telos.worlds.arena.sim.map import ArenaMap, LineOfSight, MapNode, load_map, map_names
    from telos.worlds.arena.sim.mesh import Area, Link, MeshPath, NavigationMesh
    from telos.worlds.arena.sim.navigation import Navigator, Walker
    from telos.worlds.arena.sim.outcomes import ActOutcome, OutcomeKind
    from telos.worlds.arena.sim.state import ArenaState
    from telos.worlds.arena.sim.views import ArenaView, DoorView, FighterView, GrenadeView, ShotView

__all__ = [
    "ANIMATIONS",
    "BODY_KEYS",
    "NEUTRAL",
    "TICK",
    "TICKS_A_SECOND",
    "USES",
    "WEAPONS",
    "ActOutcome",
    "Area",
    "Arena",
    "ArenaMap",
    "ArenaState",
    "ArenaView",
    "Command",
    "CommandParser",
    "DoorView",
    "Fighter",
    "FighterPlacement",
    "FighterView",
    "GrenadeView",
    "LineOfSight",
    "Link",
    "MapNode",
    "MeshPath",
    "NavigationMesh",
    "Navigator",
    "OutcomeKind",
    "ShotView",
    "ThingPlacement",
    "Walker",
    "Weapon",
    "load_map",
    "map_names",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "ANIMATIONS": "animations",
        "Arena": "arena",
        "NEUTRAL": "arena",
        "Command": "commands",
        "CommandParser": "commands",
        "TICK": "constants",
        "TICKS_A_SECOND": "constants",
        "WEAPONS": "constants",
        "Weapon": "constants",
        "BODY_KEYS": "fighter",
        "Fighter": "fighter",
        "FighterPlacement": "fighter",
        "ThingPlacement": "fighter",
        "USES": "interactions",
        "ArenaMap": "map",
        "LineOfSight": "map",
        "MapNode": "map",
        "load_map": "map",
        "map_names": "map",
        "Area": "mesh",
        "Link": "mesh",
        "MeshPath": "mesh",
        "NavigationMesh": "mesh",
        "Navigator": "navigation",
        "Walker": "navigation",
        "ActOutcome": "outcomes",
        "OutcomeKind": "outcomes",
        "ArenaState": "state",
        "ArenaView": "views",
        "DoorView": "views",
        "FighterView": "views",
        "GrenadeView": "views",
        "ShotView": "views",
    },
)
