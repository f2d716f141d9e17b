"""A mystery on a research island: one player, nineteen actions, seven goals, and simulated players of three styles.

    story (map, people, solution) ──▶ island (the world, on state) ◀── player (styles, player_mind)
                                               │
                        playthrough: one game, live games, corpora ──▶ trace, terminal

``Island`` is the world, ``Playthrough`` a game of a simulated player, ``record_players`` a corpus of such games.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.worlds.island.island import Island
    from telos.worlds.island.player import Islander
    from telos.worlds.island.playthrough import (
        IslandRecording,
        LivePlaythrough,
        Playthrough,
        find_pursued,
        record_player,
        record_players,
    )
    from telos.worlds.island.state import IslandView
    from telos.worlds.island.story import GOALS, IslandStory, load_story, parse_story
    from telos.worlds.island.styles import PlayerStyle, load_styles, parse_styles
    from telos.worlds.island.terminal import IslandScreen
    from telos.worlds.island.trace import describe
    from telos.worlds.island.tutor import IslandTutor

__all__ = [
    "GOALS",
    "Island",
    "IslandRecording",
    "IslandScreen",
    "IslandStory",
    "IslandTutor",
    "IslandView",
    "Islander",
    "LivePlaythrough",
    "PlayerStyle",
    "Playthrough",
    "describe",
    "find_pursued",
    "load_story",
    "load_styles",
    "parse_story",
    "parse_styles",
    "record_player",
    "record_players",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "GOALS": "story",
        "Island": "island",
        "IslandRecording": "playthrough",
        "IslandScreen": "terminal",
        "IslandStory": "story",
        "IslandTutor": "tutor",
        "IslandView": "state",
        "Islander": "player",
        "LivePlaythrough": "playthrough",
        "PlayerStyle": "styles",
        "Playthrough": "playthrough",
        "describe": "trace",
        "find_pursued": "playthrough",
        "load_story": "story",
        "load_styles": "styles",
        "parse_story": "story",
        "parse_styles": "styles",
        "record_player": "playthrough",
        "record_players": "playthrough",
    },
)
