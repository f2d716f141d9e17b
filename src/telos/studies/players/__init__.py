"""Simulated players of the adventure: goals and plans, with human limits and habits.

Start with ``Player`` and ``play``.
"""

from telos.studies.players.player import Player
from telos.studies.players.presets import (
    EXPERIENCED,
    EXPERIMENTER,
    NOVICE,
    PRESETS,
    Limits,
    Preset,
    Style,
    Traits,
    limits_at,
)
from telos.studies.players.sessions import Phase, Session, play, read_sessions, session_of, write_sessions

__all__ = [
    "EXPERIENCED",
    "EXPERIMENTER",
    "NOVICE",
    "PRESETS",
    "Limits",
    "Phase",
    "Player",
    "Preset",
    "Session",
    "Style",
    "Traits",
    "limits_at",
    "play",
    "read_sessions",
    "session_of",
    "write_sessions",
]
