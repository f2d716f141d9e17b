"""A small action-adventure whose player's goal is recognised: areas with monsters, a town, treasure; three rule sets.

    rules_file ──▶ rules, map ──▶ engine (one frame, on state) ──▶ events ──▶ recognizer ──▶ companion, director
                                         adventure: the world, saving, replay; recording: games as files

Start with ``Adventure``. ``monsters`` and ``companion`` give characters minds; ``AdventureEnv`` is the Gymnasium
environment (``pip install telos[gym]``), registered when it is first imported.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.worlds.adventure.adventure import Adventure, replay, replay_frames
    from telos.worlds.adventure.companion import Companion
    from telos.worlds.adventure.gym_env import AdventureEnv
    from telos.worlds.adventure.map import AreaMap
    from telos.worlds.adventure.recognizer import GameRecognizer, reader_names
    from telos.worlds.adventure.recording import (
        Recording,
        loads_recording,
        read_recording,
        recording_text,
        write_recording,
    )
    from telos.worlds.adventure.rules import FRAMES_A_SECOND, Rules
    from telos.worlds.adventure.rules_file import load_rules, parse_rules, rules_names
    from telos.worlds.adventure.views import AdventureView

__all__ = [
    "FRAMES_A_SECOND",
    "Adventure",
    "AdventureEnv",
    "AdventureView",
    "AreaMap",
    "Companion",
    "GameRecognizer",
    "Recording",
    "Rules",
    "load_rules",
    "loads_recording",
    "parse_rules",
    "read_recording",
    "reader_names",
    "recording_text",
    "replay",
    "replay_frames",
    "rules_names",
    "write_recording",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "FRAMES_A_SECOND": "rules",
        "Adventure": "adventure",
        "AdventureEnv": "gym_env",
        "AdventureView": "views",
        "AreaMap": "map",
        "Companion": "companion",
        "GameRecognizer": "recognizer",
        "Recording": "recording",
        "Rules": "rules",
        "load_rules": "rules_file",
        "loads_recording": "recording",
        "parse_rules": "rules_file",
        "read_recording": "recording",
        "reader_names": "recognizer",
        "recording_text": "recording",
        "replay": "adventure",
        "replay_frames": "adventure",
        "rules_names": "rules_file",
        "write_recording": "recording",
    },
)
