"""Simulated players of the adventure: characters with goals and plans, behind human hands and habits."""

from telos.studies.players.player import Player
from telos.studies.players.presets import EXPERIENCED, EXPERIMENTER, NOVICE, PRESETS, Limits, Preset, Style, limits_at
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
    "limits_at",
    "play",
    "read_sessions",
    "session_of",
    "write_sessions",
]
