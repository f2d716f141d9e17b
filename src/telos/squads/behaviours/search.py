"""Search: pairs search rooms, one member of each covers the other."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from telos.agents.memory import Fact
from telos.squads.behaviours.protocol import RUNNING, NotNow, Verdict, continued, failed_verdict, fulfilled_verdict
from telos.squads.squad import (
    LOST_SECONDS,
    Assignment,
    Member,
    Order,
    Squad,
    distance_to,
    is_order_done,
    known_enemies,
    node_position,
    refusal_reason,
    search_rank,
    visible_enemy,
    walking_distance,
)


@dataclass(frozen=True, slots=True)
class SearchRooms:
    """Pairs search rooms one by one, the nearest or likeliest first: one member searches while the other watches.

    Needs two or more members, known rooms, and a reason: a lost enemy or an objective. The time limit applies to each
    room.
    """

    name: str = "search"
    limit: float = 20.0
    cooldown: float = 5.0
    serves: str = "search"

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Send each pair to a room of its own."""
        known = known_enemies(squad.members, now)
        last_sign = max((fact.time for fact in known), default=-float("inf"))
        reason = _reason_not_to_search(squad, known, last_sign, now)
        if reason is not None:
            return reason
        rooms = _rooms_to_search(squad, now)
        if not rooms:
            return NotNow("nobody knows a room to search")
        # A room searched before the enemy was last noticed has to be searched again.
        since = -float("inf") if squad.objective.search else last_sign
        left = tuple(room for room in rooms if not _is_searched(room, squad.members, since, now))
        if not left:
            return NotNow("every room is searched")
        why = "the rooms are to be searched" if squad.objective.search else f"{known[0].subject} is lost"
        return Assignment.create(self.name, _assign_rooms(_form_pairs(squad.members), left, squad, now), why, now, left)

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Send pairs on to the next room; form new pairs after a death; stop when an enemy is seen."""
        if squad.objective.search not in ((), assignment.places):
            return failed_verdict("there is another objective")
        enemy = visible_enemy(known_enemies(squad.members, now), now)
        if enemy is not None:
            return failed_verdict(f"contact: {enemy}")
        done = [room for room in assignment.places if _is_room_done(room, assignment, squad, now)]
        left = tuple(room for room in assignment.places if room not in done)
        if not left:
            return fulfilled_verdict("every room is searched")
        fallen = [name for name in assignment.orders if squad.member(name) is None]
        if fallen and len(squad.members) < 2:
            return failed_verdict(f"{fallen[0]} is dead, and nobody is left to watch over {squad.leader.name}")
        if done or fallen:
            return _reassign(
                assignment, squad, left, f"{fallen[0]} is dead" if fallen else f"{done[0]} is searched", now
            )
        return _find_refusal(assignment, squad, now) or RUNNING


def _reason_not_to_search(squad: Squad, known: list[Fact], last_sign: float, now: float) -> NotNow | None:
    enemy = visible_enemy(known, now)
    if enemy is not None:
        return NotNow(f"{enemy} is in sight")
    if not squad.objective.search:
        if not known:
            return NotNow("no enemy was lost, and no rooms are to be searched")
        if now - last_sign <= LOST_SECONDS:
            return NotNow("the enemy was noticed just now")
    return NotNow("it takes two") if len(squad.members) < 2 else None


def _rooms_to_search(squad: Squad, now: float) -> tuple[str, ...]:
    """Return the rooms to search: those of the objective, or all with a known search node."""
    nodes = _search_nodes(squad.members, now)
    known = dict.fromkeys(fact.get("room") for _, fact in nodes)
    return tuple(room for room in squad.objective.search or known if room in known)


def _search_nodes(members: Iterable[Member], now: float) -> list[tuple[Member, Fact]]:
    known = ((member, fact) for member in members for fact in member.memory.all_of("node", now))
    return [(member, fact) for member, fact in known if fact.get("kind") == "search" and fact.get("room") is not None]


def _is_searched(room: str, members: Iterable[Member], since: float, now: float) -> bool:
    facts = (member.memory.recall("searched", room, now) for member in members)
    return any(fact is not None and fact.time >= since for fact in facts)


def _is_room_done(room: str, assignment: Assignment, squad: Squad, now: float) -> bool:
    """Whether a room is searched: remembered since the search began, or reported as an order done."""
    if _is_searched(room, squad.members, assignment.began, now):
        return True
    given = ((squad.member(name), order) for name, order in assignment.orders.items() if order.task == "search")
    mine = (
        (member, replace(order, node=None)) for member, order in given if order.room == room
    )  # arriving is not searching
    return any(member is not None and is_order_done(member, order, now) for member, order in mine)


def _form_pairs(members: Iterable[Member]) -> list[tuple[Member, ...]]:
    """Split members into pairs by proximity, in order of rank; an odd one joins the last pair."""
    left, pairs = list(members), list[tuple[Member, ...]]()
    while len(left) >= 2:
        first = left.pop(0)
        partner = min(left, key=lambda member: (distance_to(member, *first.position), member.name))
        left.remove(partner)
        pairs.append((first, partner))
    return [*pairs[:-1], (*pairs[-1], *left)] if pairs else []


def _assign_rooms(
    pairs: Iterable[tuple[Member, ...]], rooms: Iterable[str], squad: Squad, now: float
) -> dict[str, Order]:
    """Give each pair the nearest room that is left; there may be more pairs than rooms."""
    orders: dict[str, Order] = {}
    left = set(rooms)
    known = _node_distances(squad.members, now)
    for pair in pairs:
        ways = {**known, **_node_distances(pair, now)}
        known_nodes = ((search_rank(way, fact), node, fact["room"]) for node, (way, fact) in ways.items())
        near = sorted(each for each in known_nodes if each[2] in left)
        if near:
            room = near[0][2]
            left.remove(room)
            orders |= _room_orders(pair, room, [node for _, node, of in near if of == room], squad, now)
    return orders


def _node_distances(members: Iterable[Member], now: float) -> dict[str, tuple[float, Fact]]:
    """Return the distance of each node from the first of the members who knows it."""
    ways: dict[str, tuple[float, Fact]] = {}
    for member, fact in _search_nodes(members, now):
        ways.setdefault(fact.subject, (walking_distance(member, fact), fact))
    return ways


def _room_orders(pair: tuple[Member, ...], room: str, nodes: list[str], squad: Squad, now: float) -> dict[str, Order]:
    """Let the first member search, and the others watch from nodes of their own, or follow where there are none."""
    first, *others = pair
    orders = {first.name: Order("search", node=nodes[0], place=node_position(nodes[0], squad.members, now), room=room)}
    for place, member in enumerate(others, start=1):
        if place < len(nodes):
            where = node_position(nodes[place], squad.members, now)
            orders[member.name] = Order("watch", node=nodes[place], place=where, target=first.name, room=room)
        else:
            orders[member.name] = Order("follow", target=first.name, room=room)
    return orders


def _reassign(assignment: Assignment, squad: Squad, left: tuple[str, ...], why: str, now: float) -> Verdict:
    """Keep the pairs that are still searching, and find rooms for all others."""
    given = assignment.orders.items()
    busy = {name: order for name, order in given if order.room in left and _is_complete(order.room, assignment, squad)}
    free = [member for member in squad.members if member.name not in busy]
    rooms = [room for room in left if all(order.room != room for order in busy.values())]
    orders = {**busy, **_assign_rooms(_form_pairs(free), rooms, squad, now)}
    if len(free) == 1 and busy:  # no member searches alone
        lead = next(name for name, order in busy.items() if order.task == "search")
        orders[free[0].name] = Order("follow", target=lead, room=busy[lead].room)
    if not orders:
        return failed_verdict(f"{why}, and nobody is left to search {left[0]}")
    return continued(replace(assignment.reordered(orders, why), places=left, since=now))


def _is_complete(room: str | None, assignment: Assignment, squad: Squad) -> bool:
    return all(squad.member(name) for name, order in assignment.orders.items() if order.room == room)


def _find_refusal(assignment: Assignment, squad: Squad, now: float) -> Verdict | None:
    for name, order in assignment.orders.items():
        member = squad.member(name)
        why = None if member is None else refusal_reason(member, order, now)
        if why is not None:
            return failed_verdict(why)
    return None
