"""Looking at somebody: what of a body, and of what it is at, can be seen."""

from telos.core.frozen import FrozenMap
from telos.worlds.home.body import NAMES_OF_MOTIVES, Body
from telos.worlds.home.views import PersonView


def seen(body: Body, room: str, *, night: bool) -> PersonView:
    """Return somebody in a room; motives drift otherwise by night."""
    drift = body.by_night if night else body.by_day
    rates = FrozenMap(dict(zip(NAMES_OF_MOTIVES, drift, strict=True)))
    here = (body.name, body.cell, room, body.felt, rates, body.own[1])
    if (errand := body.errand) is None:
        return PersonView(*here)
    deed = errand.deed
    return PersonView(
        *here,
        doing=deed.action.name,
        words=deed.words,
        kind=deed.kind,
        walking=errand.walk > 0,
        left=errand.left,
        interruptible=deed.interruptible,
    )
