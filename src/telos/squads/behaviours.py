"""The behaviour protocol and the four behaviours."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol, TypeAlias

from telos.agents.memory import Fact
from telos.core.errors import TelosError, name_hint
from telos.squads.squad import (
    LOST_AFTER,
    Assignment,
    Member,
    Order,
    Squad,
    Task,
    distance,
    enemies,
    feels,
    in_valid_cover,
    is_done,
    number,
    place_of,
    refusal,
    seen,
    walk,
)

# --- behaviour --------------------------------------------------------------------------------------------------------
# What every squad behaviour can do: find participants for its slots, and watch how they fare.


@dataclass(frozen=True, slots=True)
class NotNow:
    """The slots of a behaviour cannot be filled, or there is no call for it; ``why`` says which."""

    why: str


class Status(Enum):
    """How a behaviour is going."""

    RUNNING = "running"
    FULFILLED = "fulfilled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a behaviour is going, and why it ended. One that runs on may do so with other orders: ``assignment``."""

    status: Status
    why: str = ""
    assignment: Assignment | None = None


RUNNING = Verdict(Status.RUNNING)


def fulfilled(why: str) -> Verdict:
    """Return the verdict that all is done."""
    return Verdict(Status.FULFILLED, why)


def failed(why: str) -> Verdict:
    """Return the verdict that it cannot go on."""
    return Verdict(Status.FAILED, why)


def goes_on(assignment: Assignment) -> Verdict:
    """Return the verdict that it goes on with other orders, or has made headway."""
    return Verdict(Status.RUNNING, assignment=assignment)


class Behaviour(Protocol):
    """One thing that a squad can do together. It keeps nothing between calls: the assignment is all there is.

    It fails after ``limit`` seconds without headway, and is not considered again for ``cooldown`` seconds after its
    end. ``serves`` names the part of the squad's objective that it works off, if any.
    """

    @property
    def name(self) -> str: ...
    @property
    def limit(self) -> float: ...
    @property
    def cooldown(self) -> float: ...
    @property
    def serves(self) -> str | None: ...

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Fill the slots with members of the squad, or say why that cannot be."""

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Judge the progress. Members that have an order and are not in the squad any more are dead."""


# --- slots ------------------------------------------------------------------------------------------------------------
# Filling slots: who suppresses, and who goes to which node. Two never get the same node.


def suppressors(members: Iterable[Member], now: float) -> list[Member]:
    """Return who can lay suppression fire, the best first: from valid cover, then who has nowhere better to be."""

    def preference(member: Member) -> tuple[bool, bool, float, str]:
        could_hide = bool(free_cover(member, frozenset(), now))
        return not in_valid_cover(member, now), could_hide, -number(feels(member, "health", now), 0.0), member.name

    able = (member for member in members if feels(member, "loaded", now) and enemies([member], now))
    return sorted(able, key=preference)


def target_of(member: Member, now: float) -> str:
    """Return the enemy that a member would fire at: one in sight rather than not, then the nearest."""

    def preference(fact: Fact) -> tuple[bool, float, str]:
        return not fact.get("seen"), distance(member, fact.get("x"), fact.get("y")), fact.subject

    return min(enemies([member], now), key=preference).subject


def free_cover(member: Member, taken: AbstractSet[str], now: float) -> list[Fact]:
    """Return the valid cover that a member knows and that is nobody's: not in ``taken``, which has its own node too."""
    return [
        fact
        for fact in member.memory.all_of("cover", now)
        if fact.get("valid") and fact.subject not in taken and walk(member, fact) < math.inf
    ]


def distinct_nodes(ways: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """Give a node of its own to as many as possible; ``ways`` tells how far each has to go to the nodes it knows.

    Short ways are handed out first, and changed only so that somebody who would go without gets a node as well. The
    sum of the ways is therefore short, and not always the shortest.

    >>> distinct_nodes({"Ann": {"c1": 1, "c2": 2}, "Bob": {"c1": 5}})
    {'Bob': 'c1', 'Ann': 'c2'}
    """
    node_of: dict[str, str] = {}
    owner: dict[str, str] = {}
    for _, name, node in sorted((way, name, node) for name, each in ways.items() for node, way in each.items()):
        if name not in node_of and node not in owner:
            node_of[name], owner[node] = node, name
    for name in sorted(ways):
        if name not in node_of:
            _make_room(name, ways, node_of, owner)
    return {owner[node]: node for node in sorted(owner)}


def _make_room(
    name: str, ways: Mapping[str, Mapping[str, float]], node_of: dict[str, str], owner: dict[str, str]
) -> None:
    """Find a node for ``name`` by moving others on to other nodes that they know (an augmenting path)."""
    asked_by: dict[str, str] = {}
    queue = deque([name])
    while queue:
        asker = queue.popleft()
        for node in sorted(ways[asker], key=lambda node: (ways[asker][node], node)):
            if node in asked_by:
                continue
            asked_by[node] = asker
            if node in owner:
                queue.append(owner[node])
                continue
            while True:  # back along the path: each takes the node that it asked for, and leaves its own to the asker
                asker = asked_by[node]
                left = node_of.get(asker)
                node_of[asker], owner[node] = node, asker
                if left is None:
                    return
                node = left


# --- covering ---------------------------------------------------------------------------------------------------------
# Fire and movement, which both ways of going to cover share: some run, each to its own node, while one suppresses.


Ways: TypeAlias = Mapping[str, Mapping[str, float]]  # of each member that may run, how far each node is
Arrived: TypeAlias = Callable[[Member, Order, float], bool]


def no_call(squad: Squad, now: float) -> NotNow | None:
    """Say why nobody would run under fire, whatever the cover."""
    if len(squad.members) < 2:
        return NotNow("there is nobody to suppress meanwhile")
    return None if enemies(squad.members, now) else NotNow("no enemy is known")


def fire_and_move(squad: Squad, ways: Ways, task: Task, now: float, *, most: int) -> dict[str, Order] | NotNow:
    """Choose one to suppress and up to ``most`` others to run, those with the shortest ways."""
    able = suppressors(squad.members, now)
    if not able:
        return NotNow("nobody who knows the enemy has a loaded weapon")
    # The best one suppresses, unless that leaves nobody to run.
    for suppressor in able:
        others = {name: each for name, each in ways.items() if name != suppressor.name}
        nodes = distinct_nodes(others)
        runners = sorted(nodes, key=lambda name: (others[name][nodes[name]], name))[:most]
        if runners:
            orders = {suppressor.name: Order("suppress", target=target_of(suppressor, now))}
            for name in runners:
                knower = [member for member in squad.members if member.name == name]
                orders[name] = Order(task, node=nodes[name], place=place_of(nodes[name], knower, now))
            return orders
    return NotNow(f"only {able[0].name} could suppress, and only {able[0].name} has cover to go to")


def in_words(orders: Mapping[str, Order]) -> str:
    """Say who runs where while who suppresses."""
    (suppressor, _), *runs = orders.items()
    return f"{', '.join(f'{name} can run to {order.node}' for name, order in runs)} while {suppressor} suppresses"


def watch_runs(assignment: Assignment, squad: Squad, now: float, arrived: Arrived) -> Verdict:
    """Judge the runs: all must arrive; nobody waits for the dead or the unwilling, nor for cover that is none."""
    running = False
    for name, order in assignment.orders.items():
        if order.task == "suppress":
            continue
        member = squad.member(name)
        if member is None:
            return failed(f"{name} is dead")
        if arrived(member, order, now):
            continue
        if not _protects(member, order, now):
            return failed(f"{order.node} no longer protects {name}")
        why = refusal(member, order, now)
        if why is not None:
            return failed(why)
        running = True
    return _suppressed(assignment, squad, now) if running else fulfilled("everyone who was to run is there")


def _protects(member: Member, order: Order, now: float) -> bool:
    fact = member.memory.recall("cover", order.node or "", now)
    if fact is not None and not fact.get("valid"):
        return False
    return feels(member, "at", now) != order.node or in_valid_cover(member, now)


def _suppressed(assignment: Assignment, squad: Squad, now: float) -> Verdict:
    """Go on if somebody lays suppression fire; if not, find somebody else for that slot."""
    name, order = next(each for each in assignment.orders.items() if each[1].task == "suppress")
    member = squad.member(name)
    why = f"{name} is dead" if member is None else refusal(member, order, now)
    if member is not None and why is None:
        return _aimed(assignment, member, order, now)
    able = (each for each in suppressors(squad.members, now) if each.name not in assignment.orders)
    spare = next((each for each in able if not _refused_since(each, assignment.since, now)), None)
    if spare is None:
        return failed(f"{why}, and nobody else can suppress")
    runs = {each: order for each, order in assignment.orders.items() if each != name}
    orders = {spare.name: Order("suppress", target=target_of(spare, now)), **runs}
    return goes_on(assignment.reordered(orders, f"{why}; {spare.name} suppresses instead"))


def _aimed(assignment: Assignment, member: Member, order: Order, now: float) -> Verdict:
    """Go on, at another target if there is nothing to be known of the first any more."""
    known = {fact.subject for fact in enemies([member], now)}
    if not known or order.target in known:
        return RUNNING
    aimed = replace(order, target=target_of(member, now))
    orders = {**assignment.orders, member.name: aimed}
    return goes_on(assignment.reordered(orders, f"{order.target} is gone; {member.name} suppresses {aimed.target}"))


def _refused_since(member: Member, time: float, now: float) -> bool:
    """Whether a member has refused an order of late; two of that mind would hand one back and forth for ever."""
    answer = member.memory.recall("order_refused", "current", now)
    return answer is not None and answer.time >= time


# --- get to cover -----------------------------------------------------------------------------------------------------
# Get to cover: all who are not in valid cover run to some, while one suppresses.


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


# --- advance cover ----------------------------------------------------------------------------------------------------
# Advance cover: half of a squad in cover moves up to cover nearer to the threat, while one suppresses.


NEARER = 2.0  # metres towards the threat that make it worth leaving good cover


@dataclass(frozen=True, slots=True)
class AdvanceCover:
    """Needs everyone in valid cover, somebody to suppress, and another who knows free cover nearer to the threat."""

    name: str = "advance-cover"
    limit: float = 15.0
    cooldown: float = 6.0
    serves: None = None

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Send up to half of the squad forward, as far as those who stay outnumber the enemy's guns."""
        reason = no_call(squad, now)
        if reason is not None:
            return reason
        exposed = next((member for member in squad.members if not in_valid_cover(member, now)), None)
        if exposed is not None:
            return NotNow(f"{exposed.name} is not in valid cover")
        nearer = {member.name: _nearer(member, squad, now) for member in squad.members}
        if not any(nearer.values()):
            return NotNow(f"nobody knows free cover {NEARER:g} m nearer to the threat")
        # Who moves is exposed and does not shoot: there have to be as many left to keep heads down as there are heads.
        known = {fact.subject for fact in enemies(squad.members, now)}
        spare = len(squad.members) - len(known)
        if spare < 1:
            return NotNow(f"against {len(known)}, all {len(squad.members)} are needed where they are")
        orders = fire_and_move(squad, nearer, "advance", now, most=min(spare, max(1, len(squad.members) // 2)))
        if isinstance(orders, NotNow):
            return orders
        return Assignment.begun(self.name, orders, f"there is cover nearer to the threat; {in_words(orders)}", now)

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Wait until all who run have arrived."""
        return watch_runs(assignment, squad, now, is_done)


def _nearer(member: Member, squad: Squad, now: float) -> dict[str, float]:
    here = _threat_distance(member, now)
    found = free_cover(member, squad.taken, now)
    return {each.subject: walk(member, each) for each in found if number(each.get("threat_distance")) <= here - NEARER}


def _threat_distance(member: Member, now: float) -> float:
    """Return how far a member's own cover is from the threat: as its sensors say, else from the nearest enemy known."""
    own = member.memory.recall("cover", feels(member, "at", now) or "", now)
    known = (distance(member, fact.get("x"), fact.get("y")) for fact in enemies([member], now))
    nearest = min(known, default=-float("inf"))  # who knows of no threat has nothing to come nearer to
    return nearest if own is None else number(own.get("threat_distance"), nearest)


# --- orderly advance --------------------------------------------------------------------------------------------------
# Orderly advance: in single file along a route, each covering the one in front, and the last facing back.


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


# --- search rooms -----------------------------------------------------------------------------------------------------
# Search: pairs go through the rooms one by one, the nearest first, one searching while the other watches.


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


# --- behaviours -------------------------------------------------------------------------------------------------------
# The squad behaviours there are, the most pressing first. Flanking, pincers and retreats come about without any.


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
