"""Orderly-advance: along a route, abreast or in single file."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from telos.squads.behaviours.protocol import RUNNING, NotNow, Verdict, continued, failed_verdict, fulfilled_verdict
from telos.squads.squad import (
    Assignment,
    Order,
    Squad,
    distance_to,
    is_reported_done,
    known_enemies,
    node_position,
    refusal_reason,
)

CLOSED_UP = 6.0  # metres to the leader, or to the one in front, within which a member has closed up


@dataclass(frozen=True, slots=True)
class OrderlyAdvance:
    """An advance along a route: abreast, or in single file where the way is narrow.

    Abreast, all guns come to the first contact together. In single file each member covers the one in front, and the
    last one looks back. The leader waits at every node of the route until the others have closed up.

    Needs an objective to advance to, and no known enemy. The time limit applies to each leg of the route.
    """

    name: str = "orderly-advance"
    limit: float = 20.0
    cooldown: float = 3.0
    serves: str = "advance"

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Form up around the leader."""
        route = squad.objective.advance
        if not route:
            return NotNow("there is no objective to advance to")
        known = known_enemies(squad.members, now)
        if known:
            return NotNow(f"{known[0].subject} is about")
        how = "in single file, as the way is narrow" if is_narrow(squad, route[0], now) else "abreast"
        why = f"{squad.leader.name} leads the way to {route[-1]}, {how}, and no enemy is known"
        return Assignment.create(self.name, form_up(squad, route[0], now), why, now, route)

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Lead from node to node; after a death, form up again, behind a new leader if the leader died."""
        if squad.objective.advance != assignment.places:
            return failed_verdict("there is another objective")
        known = known_enemies(squad.members, now)
        if known:
            return failed_verdict(f"contact: {known[0].subject}")
        fallen = [name for name in assignment.orders if squad.member(name) is None]
        if fallen:
            orders = form_up(squad, assignment.places[0], now)
            return continued(assignment.reordered(orders, f"{fallen[0]} is dead; {squad.leader.name} leads on"))
        answers = (refusal_reason(member, assignment.orders[member.name], now) for member in squad.members)
        why = next((answer for answer in answers if answer is not None), None)
        if why is not None:
            return failed_verdict(why)
        lead = assignment.orders[squad.leader.name]
        if is_reported_done(squad.leader, lead, now) and _has_closed_up(squad, assignment.orders):
            return _next_leg(assignment, squad, now)
        orders = form_up(squad, assignment.places[0], now)
        if _is_file(orders) != _is_file(assignment.orders):  # somebody has come to know the way
            return continued(assignment.reordered(orders, f"the way to {assignment.places[0]} is narrow"))
        return RUNNING


def is_narrow(squad: Squad, node: str, now: float) -> bool:
    """Whether the way to a node leaves no choice but to go in single file, as far as the squad knows."""
    facts = (member.memory.recall("post", node, now) for member in squad.members)
    return any(fact is not None and bool(fact.get("narrow")) for fact in facts)


def form_up(squad: Squad, node: str, now: float) -> dict[str, Order]:
    """Return the orders for a leg of the route: abreast, or in single file where the way is narrow."""
    return form_single_file(squad, node, now) if is_narrow(squad, node, now) else form_line(squad, node, now)


def form_line(squad: Squad, node: str, now: float) -> dict[str, Order]:
    """Return the orders of an advance abreast: everybody goes to the node that the leader goes to."""
    leader, place = squad.leader, node_position(node, squad.members, now)
    others = {each.name: Order("abreast", node=node, place=place, target=leader.name) for each in squad.members[1:]}
    return {leader.name: Order("lead", node=node, place=place), **others}


def form_single_file(squad: Squad, node: str, now: float) -> dict[str, Order]:
    """Return the orders of a single file: sorted by distance from the leader, the last one guards the rear."""
    leader = squad.leader
    rest = sorted(squad.members[1:], key=lambda member: (distance_to(member, *leader.position), member.name))
    orders = {leader.name: Order("lead", node=node, place=node_position(node, squad.members, now))}
    for front, member in zip([leader, *rest], rest, strict=False):
        orders[member.name] = Order("guard_rear" if member is rest[-1] else "follow", target=front.name)
    return orders


def _is_file(orders: Mapping[str, Order]) -> bool:
    return any(order.task == "guard_rear" for order in orders.values())


def _has_closed_up(squad: Squad, orders: Mapping[str, Order]) -> bool:
    """Whether all are with the leader, or in single file with the one in front.

    One that never comes makes the leg run out of time.
    """
    ahead = ((member, squad.member(orders[member.name].target or "") or squad.leader) for member in squad.members[1:])
    return all(distance_to(member, *front.position) <= CLOSED_UP for member, front in ahead)


def _next_leg(assignment: Assignment, squad: Squad, now: float) -> Verdict:
    reached, *ahead = assignment.places
    if not ahead:
        return fulfilled_verdict(f"{squad.leader.name} is at {reached}")
    orders = form_up(squad, ahead[0], now)
    if _is_file(orders) and _is_file(assignment.orders):  # nobody changes places on the way
        orders = {**assignment.orders, squad.leader.name: orders[squad.leader.name]}
    onward = assignment.reordered(orders, f"{reached} is reached, on to {ahead[0]}")
    return continued(replace(onward, since=now, places=tuple(ahead)))
