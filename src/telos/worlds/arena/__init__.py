"""Arena: squad combat on a drawn map.

    scene file + map ──▶ Scene ──▶ Battle ──▶ views and trace ──▶ terminal, text log, recording
                         scene.py   battle.py                      terminal.py, replay.py
    sim/  the simulation: fighters on a map; it decides nothing and never imports ai/
    ai/   what gives a fighter a mind: sensors, beliefs, body, characters; control by a person

Start with `load_scene` and `Battle`. Comparing behaviours over many fights: tournament.py, squad_tournament.py.
What single orders change: counterfactuals.py. When a fight is decided: fight_course.py. How steady goals are:
goal_changes.py.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.worlds.arena.ai.characters import characters_with, load_arena_characters, load_character_texts
    from telos.worlds.arena.ai.player_control import PlayerControl, default_player, with_player
    from telos.worlds.arena.battle import Battle
    from telos.worlds.arena.counterfactuals import (
        OrderEffect,
        OrderSummary,
        summarize_orders,
        summarize_situations,
        weigh_orders,
    )
    from telos.worlds.arena.fight_course import measure_fight_course, summarize_fight_course
    from telos.worlds.arena.goal_changes import measure_goal_changes, summarize_goal_changes
    from telos.worlds.arena.replay import FightLog, IntentionTracker, LogLine, Replay, replay_fight
    from telos.worlds.arena.scene import CastMember, Cue, Scene, load_scene, read_scene, scene_names
    from telos.worlds.arena.sim.arena import Arena
    from telos.worlds.arena.sim.fighter import FighterPlacement, ThingPlacement
    from telos.worlds.arena.sim.map import ArenaMap, load_map, map_names
    from telos.worlds.arena.sim.views import ArenaView, FighterView
    from telos.worlds.arena.squad_tournament import SquadScore, run_squad_tournament
    from telos.worlds.arena.tournament import Contest, ContestScore, FightOutcome, Team, contests, run_tournament

__all__ = [
    "Arena",
    "ArenaMap",
    "ArenaView",
    "Battle",
    "CastMember",
    "Contest",
    "ContestScore",
    "Cue",
    "FightLog",
    "FightOutcome",
    "FighterPlacement",
    "FighterView",
    "IntentionTracker",
    "LogLine",
    "OrderEffect",
    "OrderSummary",
    "PlayerControl",
    "Replay",
    "Scene",
    "SquadScore",
    "Team",
    "ThingPlacement",
    "characters_with",
    "contests",
    "default_player",
    "load_arena_characters",
    "load_character_texts",
    "load_map",
    "load_scene",
    "map_names",
    "measure_fight_course",
    "measure_goal_changes",
    "read_scene",
    "replay_fight",
    "run_squad_tournament",
    "run_tournament",
    "scene_names",
    "summarize_fight_course",
    "summarize_goal_changes",
    "summarize_orders",
    "summarize_situations",
    "weigh_orders",
    "with_player",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "characters_with": "ai.characters",
        "load_arena_characters": "ai.characters",
        "load_character_texts": "ai.characters",
        "PlayerControl": "ai.player_control",
        "default_player": "ai.player_control",
        "with_player": "ai.player_control",
        "Battle": "battle",
        "OrderEffect": "counterfactuals",
        "OrderSummary": "counterfactuals",
        "summarize_orders": "counterfactuals",
        "summarize_situations": "counterfactuals",
        "weigh_orders": "counterfactuals",
        "measure_fight_course": "fight_course",
        "summarize_fight_course": "fight_course",
        "measure_goal_changes": "goal_changes",
        "summarize_goal_changes": "goal_changes",
        "FightLog": "replay",
        "IntentionTracker": "replay",
        "LogLine": "replay",
        "Replay": "replay",
        "replay_fight": "replay",
        "CastMember": "scene",
        "Cue": "scene",
        "Scene": "scene",
        "load_scene": "scene",
        "read_scene": "scene",
        "scene_names": "scene",
        "Arena": "sim.arena",
        "FighterPlacement": "sim.fighter",
        "ThingPlacement": "sim.fighter",
        "ArenaMap": "sim.map",
        "load_map": "sim.map",
        "map_names": "sim.map",
        "ArenaView": "sim.views",
        "FighterView": "sim.views",
        "SquadScore": "squad_tournament",
        "run_squad_tournament": "squad_tournament",
        "Contest": "tournament",
        "ContestScore": "tournament",
        "FightOutcome": "tournament",
        "Team": "tournament",
        "contests": "tournament",
        "run_tournament": "tournament",
    },
)
