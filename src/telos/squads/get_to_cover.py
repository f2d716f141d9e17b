"""Get to cover: all who are not in valid cover run to some, while one suppresses."""

from dataclasses import dataclass

from telos.squads.assignment import Assignment
from telos.squads.behaviour import NotNow, Verdict
from telos.squads.covering import fire_and_move, in_words, no_call, watch_runs
from telos.squads.member import Member, in_valid_cover, walk
from telos.squads.orders import Order
from telos.squads.slots import free_cover
from telos.squads.squad import Squad


@dataclass(frozen=True, slots=True)
class GetToCover:
    """Needs an enemy, somebody to suppress it, and another in the open who knows free cover."""

    name: str = "get-to-cover"
    limit: float = 15.0
    cooldown: float = 2.0
    serves: None = None

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Send those in the open to cover, each to a node of its own."""
        reason = no_call(squad, now)
        if reason is not None:
            return reason
        exposed = [member for member in squad.members if not in_valid_cover(member, now)]
        if not exposed:
            return NotNow("everyone is in valid cover")
        covers = {each.name: {f.subject: walk(each, f) for f in free_cover(each, squad.taken, now)} for each in exposed}
        if not any(covers.values()):
            return NotNow(f"{_listed(exposed)} in the open, with nowhere to go")
        orders = fire_and_move(squad, covers, "cover", now, most=len(exposed))
        if isinstance(orders, NotNow):
            return orders
        return Assignment.begun(self.name, orders, f"{_listed(exposed)} in the open; {in_words(orders)}", now)

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Wait until all who run are in valid cover, wherever they found it."""
        return watch_runs(assignment, squad, now, _safe)


def _safe(member: Member, order: Order, now: float) -> bool:
    return in_valid_cover(member, now)


def _listed(members: list[Member]) -> str:
    names = [member.name for member in members]
    return f"{names[0]} is" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} are"
