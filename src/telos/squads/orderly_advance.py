"""Orderly advance: in single file along a route, each covering the one in front, and the last facing back."""

from dataclasses import dataclass, replace

from telos.squads.assignment import Assignment
from telos.squads.behaviour import RUNNING, NotNow, Verdict, failed, fulfilled, goes_on
from telos.squads.member import distance, enemies, place_of
from telos.squads.orders import Order, is_done, refusal
from telos.squads.squad import Squad


@dataclass(frozen=True, slots=True)
class OrderlyAdvance:
    """Needs an objective to advance to, and no enemy about. Its time limit is for each leg of the route."""

    name: str = "orderly-advance"
    limit: float = 20.0
    cooldown: float = 3.0
    serves: str = "advance"

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Form a single file behind the leader."""
        route = squad.objective.advance
        if not route:
            return NotNow("there is no objective to advance to")
        known = enemies(squad.members, now)
        if known:
            return NotNow(f"{known[0].subject} is about")
        why = f"{squad.leader.name} leads the way to {route[-1]}, and no enemy is known"
        return Assignment.begun(self.name, single_file(squad, route[0], now), why, now, route)

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Lead on from node to node; close the gap if somebody falls, and form anew behind a new leader."""
        if squad.objective.advance != assignment.places:
            return failed("there is another objective")
        known = enemies(squad.members, now)
        if known:
            return failed(f"contact: {known[0].subject}")
        fallen = [name for name in assignment.orders if squad.member(name) is None]
        if fallen:
            orders = single_file(squad, assignment.places[0], now)
            return goes_on(assignment.reordered(orders, f"{fallen[0]} is dead; {squad.leader.name} leads on"))
        lead = assignment.orders[squad.leader.name]
        if is_done(squad.leader, lead, now):
            return _next_leg(assignment, squad, now)
        answers = (refusal(member, assignment.orders[member.name], now) for member in squad.members)
        why = next((answer for answer in answers if answer is not None), None)
        return RUNNING if why is None else failed(why)


def single_file(squad: Squad, node: str, now: float) -> dict[str, Order]:
    """Return the orders of a single file: who is nearest to the leader is next, and the last guards the rear."""
    leader = squad.leader
    rest = sorted(squad.members[1:], key=lambda member: (distance(member, *leader.position), member.name))
    orders = {leader.name: Order("lead", node=node, place=place_of(node, squad.members, now))}
    for front, member in zip([leader, *rest], rest, strict=False):
        orders[member.name] = Order("guard_rear" if member is rest[-1] else "follow", target=front.name)
    return orders


def _next_leg(assignment: Assignment, squad: Squad, now: float) -> Verdict:
    reached, *ahead = assignment.places
    if not ahead:
        return fulfilled(f"{squad.leader.name} is at {reached}")
    lead = Order("lead", node=ahead[0], place=place_of(ahead[0], squad.members, now))
    orders = {**assignment.orders, squad.leader.name: lead}
    onward = assignment.reordered(orders, f"{reached} is reached, on to {ahead[0]}")
    return goes_on(replace(onward, since=now, places=tuple(ahead)))
