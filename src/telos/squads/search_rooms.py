"""Search: pairs go through the rooms one by one, the nearest first, one searching while the other watches."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from telos.agents.memory import Fact
from telos.squads.assignment import Assignment
from telos.squads.behaviour import RUNNING, NotNow, Verdict, failed, fulfilled, goes_on
from telos.squads.member import LOST_AFTER, Member, distance, enemies, place_of, seen, walk
from telos.squads.orders import Order, is_done, refusal
from telos.squads.squad import Squad


@dataclass(frozen=True, slots=True)
class SearchRooms:
    """Needs two or more, rooms, and a reason: an enemy that was lost, or an objective. The limit is for each room."""

    name: str = "search"
    limit: float = 20.0
    cooldown: float = 5.0
    serves: str = "search"

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Send each pair to a room of its own."""
        known = enemies(squad.members, now)
        last_sign = max((fact.time for fact in known), default=-float("inf"))
        reason = _no_call(squad, known, last_sign, now)
        if reason is not None:
            return reason
        rooms = _rooms(squad, now)
        if not rooms:
            return NotNow("nobody knows a room to search")
        # What was searched before the enemy was last noticed says nothing about where it is now.
        since = -float("inf") if squad.objective.search else last_sign
        left = tuple(room for room in rooms if not _searched(room, squad.members, since, now))
        if not left:
            return NotNow("every room is searched")
        why = "the rooms are to be searched" if squad.objective.search else f"{known[0].subject} is lost"
        return Assignment.begun(self.name, _orders(_pairs(squad.members), left, squad, now), why, now, left)

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Send pairs on to the next room; pair up anew if somebody falls; stop at once when an enemy is seen."""
        if squad.objective.search not in ((), assignment.places):
            return failed("there is another objective")
        enemy = seen(enemies(squad.members, now), now)
        if enemy is not None:
            return failed(f"contact: {enemy}")
        done = [room for room in assignment.places if _is_done(room, assignment, squad, now)]
        left = tuple(room for room in assignment.places if room not in done)
        if not left:
            return fulfilled("every room is searched")
        fallen = [name for name in assignment.orders if squad.member(name) is None]
        if fallen and len(squad.members) < 2:
            return failed(f"{fallen[0]} is dead, and nobody is left to watch over {squad.leader.name}")
        if done or fallen:
            return _go_on(assignment, squad, left, f"{fallen[0]} is dead" if fallen else f"{done[0]} is searched", now)
        return _unwilling(assignment, squad, now) or RUNNING


def _no_call(squad: Squad, known: list[Fact], last_sign: float, now: float) -> NotNow | None:
    enemy = seen(known, now)
    if enemy is not None:
        return NotNow(f"{enemy} is in sight")
    if not squad.objective.search:
        if not known:
            return NotNow("no enemy was lost, and no rooms are to be searched")
        if now - last_sign <= LOST_AFTER:
            return NotNow("the enemy was noticed just now")
    return NotNow("it takes two") if len(squad.members) < 2 else None


def _rooms(squad: Squad, now: float) -> tuple[str, ...]:
    """Return the rooms to search: those of the objective, or all that somebody knows where to search in."""
    nodes = _search_nodes(squad.members, now)
    known = dict.fromkeys(fact.get("room") for _, fact in nodes)
    return tuple(room for room in squad.objective.search or known if room in known)


def _search_nodes(members: Iterable[Member], now: float) -> list[tuple[Member, Fact]]:
    known = ((member, fact) for member in members for fact in member.memory.all_of("node", now))
    return [(member, fact) for member, fact in known if fact.get("kind") == "search" and fact.get("room") is not None]


def _searched(room: str, members: Iterable[Member], since: float, now: float) -> bool:
    facts = (member.memory.recall("searched", room, now) for member in members)
    return any(fact is not None and fact.time >= since for fact in facts)


def _is_done(room: str, assignment: Assignment, squad: Squad, now: float) -> bool:
    """Whether a room is searched: somebody remembers so since this search began, or reports the order as done."""
    if _searched(room, squad.members, assignment.began, now):
        return True
    given = ((squad.member(name), order) for name, order in assignment.orders.items() if order.task == "search")
    mine = ((member, replace(order, node=None)) for member, order in given if order.room == room)  # there is not done
    return any(member is not None and is_done(member, order, now) for member, order in mine)


def _pairs(members: Iterable[Member]) -> list[tuple[Member, ...]]:
    """Split into pairs of who is near to whom, in the order of command; an odd one joins the last pair."""
    left, pairs = list(members), list[tuple[Member, ...]]()
    while len(left) >= 2:
        first = left.pop(0)
        partner = min(left, key=lambda member: (distance(member, *first.position), member.name))
        left.remove(partner)
        pairs.append((first, partner))
    return [*pairs[:-1], (*pairs[-1], *left)] if pairs else []


def _orders(pairs: Iterable[tuple[Member, ...]], rooms: Iterable[str], squad: Squad, now: float) -> dict[str, Order]:
    """Give each pair the room that is nearest to it among those left; there may be more pairs than rooms."""
    orders: dict[str, Order] = {}
    left = set(rooms)
    known = _ways(squad.members, now)
    for pair in pairs:
        ways = {**known, **_ways(pair, now)}
        near = sorted((way, node, fact["room"]) for node, (way, fact) in ways.items() if fact["room"] in left)
        if near:
            room = near[0][2]
            left.remove(room)
            orders |= _in_room(pair, room, [node for _, node, of in near if of == room], squad, now)
    return orders


def _ways(members: Iterable[Member], now: float) -> dict[str, tuple[float, Fact]]:
    """Return how far each node is for the first of the members who knows it."""
    ways: dict[str, tuple[float, Fact]] = {}
    for member, fact in _search_nodes(members, now):
        ways.setdefault(fact.subject, (walk(member, fact), fact))
    return ways


def _in_room(pair: tuple[Member, ...], room: str, nodes: list[str], squad: Squad, now: float) -> dict[str, Order]:
    """Let the first search, and the others watch from nodes of their own, or stay close where there are none."""
    first, *others = pair
    orders = {first.name: Order("search", node=nodes[0], place=place_of(nodes[0], squad.members, now), room=room)}
    for place, member in enumerate(others, start=1):
        if place < len(nodes):
            where = place_of(nodes[place], squad.members, now)
            orders[member.name] = Order("watch", node=nodes[place], place=where, target=first.name, room=room)
        else:
            orders[member.name] = Order("follow", target=first.name, room=room)
    return orders


def _go_on(assignment: Assignment, squad: Squad, left: tuple[str, ...], why: str, now: float) -> Verdict:
    """Keep the pairs that are still at it, and find rooms for all others."""
    given = assignment.orders.items()
    busy = {name: order for name, order in given if order.room in left and _is_whole(order.room, assignment, squad)}
    free = [member for member in squad.members if member.name not in busy]
    rooms = [room for room in left if all(order.room != room for order in busy.values())]
    orders = {**busy, **_orders(_pairs(free), rooms, squad, now)}
    if len(free) == 1 and busy:  # nobody searches alone
        lead = next(name for name, order in busy.items() if order.task == "search")
        orders[free[0].name] = Order("follow", target=lead, room=busy[lead].room)
    if not orders:
        return failed(f"{why}, and nobody is left to search {left[0]}")
    return goes_on(replace(assignment.reordered(orders, why), places=left, since=now))


def _is_whole(room: str | None, assignment: Assignment, squad: Squad) -> bool:
    return all(squad.member(name) for name, order in assignment.orders.items() if order.room == room)


def _unwilling(assignment: Assignment, squad: Squad, now: float) -> Verdict | None:
    for name, order in assignment.orders.items():
        member = squad.member(name)
        why = None if member is None else refusal(member, order, now)
        if why is not None:
            return failed(why)
    return None
