"""The squad behaviours in order of priority, and the check of saved assignments."""

from collections.abc import Collection, Iterable

from telos.squads.behaviours.advance import OrderlyAdvance
from telos.squads.behaviours.cover import AdvanceCover, GetToCover
from telos.squads.behaviours.protocol import Behaviour
from telos.squads.behaviours.search import SearchRooms
from telos.squads.squad import Assignment, select_by_name


def assignment_flaw(behaviour: Behaviour, assignment: Assignment, members: Collection[str]) -> str | None:
    """Return why a behaviour could not go on with an assignment that it did not make itself, or None if it can."""
    orders = assignment.orders.values()
    match behaviour:
        case GetToCover() | AdvanceCover():
            if not any(order.task == "suppress" for order in orders):
                return "nobody is ordered to suppress"
        case OrderlyAdvance():
            if not assignment.places:
                return "there is no place to advance to"
            if missing := [name for name in members if name not in assignment.orders]:
                return f"{missing[0]} has no order"
        case SearchRooms():
            searched = {order.room for order in orders if order.task == "search"}
            if any(order.room not in searched for order in orders):
                return "nobody is ordered to search a room that others are sent to"
    return None


# --- registry ---


ALL_BEHAVIOURS: tuple[Behaviour, ...] = (GetToCover(), AdvanceCover(), OrderlyAdvance(), SearchRooms())


def select_behaviours(names: Iterable[str]) -> tuple[Behaviour, ...]:
    """Return behaviours by name, in order of priority.

    >>> [each.name for each in select_behaviours(["search", "get-to-cover"])]
    ['get-to-cover', 'search']
    """
    return select_by_name(names, ALL_BEHAVIOURS, "squad behaviour")
