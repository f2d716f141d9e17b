"""The squad behaviours in order of priority, and the check of saved assignments."""

from collections.abc import Collection, Iterable, Sequence

from telos.squads.behaviours.advance import OrderlyAdvance
from telos.squads.behaviours.cover import AdvanceCover, GetToCover
from telos.squads.behaviours.protocol import Behaviour, PlannedBehaviour
from telos.squads.behaviours.search import SearchRooms
from telos.squads.squad import Assignment, select_by_name


def assignment_flaw(behaviour: Behaviour, assignment: Assignment, members: Collection[str]) -> str | None:
    """Return why a behaviour could not go on with an assignment that it did not make itself, or None if it can."""
    orders = assignment.orders.values()
    match behaviour:
        case PlannedBehaviour():
            return behaviour.find_assignment_flaw(assignment)
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


def order_behaviours(names: Sequence[str], planned: Sequence[Behaviour] = ()) -> tuple[Behaviour, ...]:
    """Return the behaviours that are named, in the order in which a squad tries them.

    That is the order of `ALL_BEHAVIOURS`; each of the ``planned`` ones comes right before the first of those that
    ``names`` lists after it. Names of practices are left out.

    >>> [each.name for each in order_behaviours(["share-targets", "search", "get-to-cover"])]
    ['get-to-cover', 'search']
    """
    found: list[Behaviour] = [each for each in ALL_BEHAVIOURS if each.name in names]
    for each in planned:
        if each.name in names:
            later = names[names.index(each.name) :]
            place = next((place for place, other in enumerate(found) if other.name in later), len(found))
            found.insert(place, each)
    return tuple(found)
