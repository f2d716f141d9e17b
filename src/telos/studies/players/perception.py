"""What a player sees of a screen, thought ahead to the moment when the hands will have reacted."""

import math
from typing import NamedTuple

from telos.worlds.adventure.views import AdventureView

OWN_SPEED, THEIR_SPEED = 8.0, 4.0  # pixels a frame; players have a feeling for both within seconds
NOTICE = 145.0  # pixels; who is nearer is seen by monsters of every kind, and a little before that players expect it

_TOGETHER = 50.0  # pixels; who is no farther behind than this comes at the same time
_ASIDE = 0.5  # the cosine of 60 degrees


class Foe(NamedTuple):
    """A monster, as it will stand to the player."""

    away: float
    across: float
    down: float


class Scene(NamedTuple):
    """Where one will be, and where the monsters will be then, the nearest first."""

    x: float
    y: float
    foes: tuple[Foe, ...]

    @property
    def nearest(self) -> float:
        """Return how far the nearest monster is."""
        return self.foes[0].away if self.foes else math.inf

    @property
    def is_crowded(self) -> bool:
        """Whether a second monster comes at the same time, from another side."""
        first = self.foes[0]
        return any(
            foe.away < min(NOTICE, first.away + _TOGETHER)
            and foe.across * first.across + foe.down * first.down < _ASIDE * foe.away * first.away
            for foe in self.foes[1:4]
        )


def look_ahead(view: AdventureView, path: tuple[float, float], lead: float, *, roamers: bool) -> Scene:
    """Return the screen as it will be in ``lead`` frames, when one has gone so many steps across and down.

    ``roamers`` come from anywhere; other monsters only move when one is near.
    """
    x = min(view.width - 10.0, max(10.0, view.x + path[0] * OWN_SPEED))
    y = min(view.height - 10.0, max(10.0, view.y + path[1] * OWN_SPEED))
    foes = []
    for mx, my in view.monsters:
        across, below = mx - x, my - y
        away = math.sqrt(across * across + below * below)
        if away > 0 and (roamers or away < NOTICE):
            share = max(0.0, 1.0 - THEIR_SPEED * lead / away)
            away, across, below = away * share, across * share, below * share
        foes.append(Foe(away, across, below))
    foes.sort()
    return Scene(x, y, tuple(foes))
