"""Simulated players of the adventure: characters with goals and plans, behind human hands and habits."""

from telos.studies.players.player import Player
from telos.studies.players.presets import EXPERIENCED, EXPERIMENTER, NOVICE, PRESETS, Limits, Preset, limits_at
from telos.studies.players.sessions import Phase, Session, play
from telos.studies.players.style import Style

experimenter = EXPERIMENTER

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
    "experimenter",
    "limits_at",
    "play",
]
