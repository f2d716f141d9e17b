"""Choosing: which one action now, by how insistent the goals are.

    actions + goals ──▶ choose ──▶ Choice          choose.py
    WorldModel ──▶ look_ahead ──▶ Outlook           look_ahead.py
    readings of insistence ──▶ LearnedRates          rates.py

Start with `choose`. `look_ahead` considers sequences of actions; for goals with conditions use `telos.planning`.
"""

from telos.choosing.choose import Choice, Rating, choose, discontentment, levels_after, straight_line
from telos.choosing.look_ahead import Outlook, WorldModel, look_ahead
from telos.choosing.rates import LearnedRate, LearnedRates

__all__ = [
    "Choice",
    "LearnedRate",
    "LearnedRates",
    "Outlook",
    "Rating",
    "WorldModel",
    "choose",
    "discontentment",
    "levels_after",
    "look_ahead",
    "straight_line",
]
