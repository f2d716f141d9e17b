"""Fighting one monster: face it, get it in line, let it come or go for it, swing in time."""

from typing import NamedTuple

from telos.studies.players.hands import Wish
from telos.studies.players.perception import Foe
from telos.studies.players.steering import eighth, quarter
from telos.worlds.adventure.directions import STOP, VECTORS

STRIKE = 68.0  # pixels ahead: a swing that starts now meets whoever is that near
_ON_THE_RUN = 105.0  # the same for who walks on: both close in while the sword is out
_HALT = 140.0  # pixels; who means to stand had better stop here, and let it come
_LANE = 20.0  # pixels beside the line of the sword, a little less than it is wide
_EARLY = 105.0  # pixels; so far ahead there is time to turn first and swing later


class Stance(NamedTuple):
    """How one fights just now."""

    stands: bool  # stops to swing
    waits: bool  # lets the monster come
    four_ways: bool  # the sword does not go along diagonals


def fence(foe: Foe, sword: str, stance: Stance) -> Wish | None:
    """Return what the hands should do about a monster; None if it cannot be met here, and one had better give way.

    >>> stance = Stance(stands=True, waits=True, four_ways=True)
    >>> fence(Foe(60, 60, 5), "right", stance)
    Wish(direction='stop', swing=True, tap=True)
    >>> fence(Foe(150, 150, 5), "up", stance)
    Wish(direction='right', swing=False, tap=True)
    """
    way = quarter(foe.across, foe.down) if stance.four_ways else eighth(foe.across, foe.down)
    right, below = VECTORS[way]
    along, beside = foe.across * right + foe.down * below, foe.across * below - foe.down * right
    # It comes straight here, so it is the nearer to the line the nearer it is.
    if abs(beside) * min(1.0, STRIKE / max(along, 1.0)) > _LANE:
        return _line_up(foe, way) if along > _EARLY else None
    if along <= (STRIKE if stance.stands else _ON_THE_RUN):
        return Wish(STOP if stance.stands and sword == way else way, swing=True, tap=stance.stands)
    if not stance.stands or (along > _HALT and not stance.waits):
        return Wish(way)
    return Wish(way, tap=True) if sword != way and along > _EARLY else Wish()


def _line_up(foe: Foe, way: str) -> Wish:
    """Step sideways, until the monster is in line with the sword."""
    if way in ("left", "right"):
        return Wish("down" if foe.down > 0 else "up")
    return Wish("right" if foe.across > 0 else "left")
