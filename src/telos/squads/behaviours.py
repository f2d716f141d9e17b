"""The squad behaviours there are, the most pressing first. Flanking, pincers and retreats come about without any."""

from collections.abc import Iterable

from telos.core.errors import TelosError, name_hint
from telos.squads.advance_cover import AdvanceCover
from telos.squads.behaviour import Behaviour
from telos.squads.get_to_cover import GetToCover
from telos.squads.orderly_advance import OrderlyAdvance
from telos.squads.search_rooms import SearchRooms

ALL: tuple[Behaviour, ...] = (GetToCover(), AdvanceCover(), OrderlyAdvance(), SearchRooms())


def behaviours(names: Iterable[str]) -> tuple[Behaviour, ...]:
    """Return behaviours by name, the most pressing first.

    >>> [each.name for each in behaviours(["search", "get-to-cover"])]
    ['get-to-cover', 'search']
    """
    wanted = list(names)
    known = {each.name: each for each in ALL}
    for name in wanted:
        if name not in known:
            raise TelosError(f"unknown squad behaviour {name!r}", name_hint(name, known))
    return tuple(each for each in ALL if each.name in wanted)
