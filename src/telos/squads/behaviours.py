"""Squad behaviours: the protocol, and the four behaviours in order of priority (`ALL_BEHAVIOURS`).

A new behaviour is a class with ``propose`` and ``watch``, added to `ALL_BEHAVIOURS`. Flanking, pincers and retreats
emerge without a behaviour of their own (docs/scenes).
"""

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol, TypeAlias

from telos.agents.memory import Fact
from telos.squads.squad import (
    LOST_SECONDS,
    Assignment,
    Member,
    Order,
    OrderTask,
    Squad,
    as_number,
    distance_to,
    in_valid_cover,
    is_order_done,
    known_enemies,
    node_position,
    refusal_reason,
    select_by_name,
    self_report,
    visible_enemy,
    walking_distance,
)

Distances: TypeAlias = Mapping[str, Mapping[str, float]]  # distance to each node, by member
Arrived: TypeAlias = Callable[[Member, Order, float], bool]

MIN_ADVANCE = 2.0  # metres nearer to the threat that justify leaving good cover


@dataclass(frozen=True, slots=True)
class NotNow:
    """A behaviour cannot begin; ``why`` says whether slots are unfilled or it is not needed."""

    why: str


class BehaviourStatus(Enum):
    RUNNING = "running"
    FULFILLED = "fulfilled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The status of a behaviour and the reason for its end. A running one may have new orders: ``assignment``."""

    status: BehaviourStatus
    why: str = ""
    assignment: Assignment | None = None


RUNNING = Verdict(BehaviourStatus.RUNNING)


def fulfilled_verdict(why: str) -> Verdict:
    return Verdict(BehaviourStatus.FULFILLED, why)


def failed_verdict(why: str) -> Verdict:
    return Verdict(BehaviourStatus.FAILED, why)


def continued(assignment: Assignment) -> Verdict:
    """Return the verdict that the behaviour goes on with new orders or with progress."""
    return Verdict(BehaviourStatus.RUNNING, assignment=assignment)


class Behaviour(Protocol):
    """Something that a squad can do together. It keeps no state between calls: the assignment holds everything.

    It fails after ``limit`` seconds without progress, and cannot begin again for ``cooldown`` seconds after its end.
    ``serves`` is the part of the squad's objective that it works on, if any.
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
        """Fill the slots with members of the squad, or return why that is not possible."""

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Judge the progress. Members with an order who are no longer in the squad are dead."""


# --- filling slots ---


def find_suppressors(members: Iterable[Member], now: float) -> list[Member]:
    """Return members who can lay suppressive fire, best first: in valid cover, then without cover to go to."""

    def preference(member: Member) -> tuple[bool, bool, float, str]:
        could_hide = bool(find_free_cover(member, frozenset(), now))
        return (
            not in_valid_cover(member, now),
            could_hide,
            -as_number(self_report(member, "health", now), 0.0),
            member.name,
        )

    able = (member for member in members if self_report(member, "loaded", now) and known_enemies([member], now))
    return sorted(able, key=preference)


def choose_target(member: Member, now: float) -> str:
    """Return the enemy that a member would fire at: in sight first, then the nearest."""

    def preference(fact: Fact) -> tuple[bool, float, str]:
        return not fact.get("seen"), distance_to(member, fact.get("x"), fact.get("y")), fact.subject

    return min(known_enemies([member], now), key=preference).subject


def find_free_cover(member: Member, taken: AbstractSet[str], now: float) -> list[Fact]:
    """Return the valid cover that a member knows and that is not in ``taken`` (which includes its own node)."""
    return [
        fact
        for fact in member.memory.all_of("cover", now)
        if fact.get("valid") and fact.subject not in taken and walking_distance(member, fact) < math.inf
    ]


def assign_nodes(ways: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """Give a node of their own to as many members as possible; ``ways`` holds the distances to the nodes each knows.

    Short distances are assigned first, and changed only to give another member a node as well. The total distance is
    short, but not always minimal.

    >>> assign_nodes({"Ann": {"c1": 1, "c2": 2}, "Bob": {"c1": 5}})
    {'Bob': 'c1', 'Ann': 'c2'}
    """
    node_of: dict[str, str] = {}
    owner: dict[str, str] = {}
    for _, name, node in sorted((way, name, node) for name, each in ways.items() for node, way in each.items()):
        if name not in node_of and node not in owner:
            node_of[name], owner[node] = node, name
    for name in sorted(ways):
        if name not in node_of:
            _augment(name, ways, node_of, owner)
    return {owner[node]: node for node in sorted(owner)}


def _augment(
    name: str, ways: Mapping[str, Mapping[str, float]], node_of: dict[str, str], owner: dict[str, str]
) -> None:
    """Find a node for ``name`` by moving others to other nodes that they know (an augmenting path)."""
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
            while True:  # back along the path: each takes the node that it asked for and frees its own
                asker = asked_by[node]
                left = node_of.get(asker)
                node_of[asker], owner[node] = node, asker
                if left is None:
                    return
                node = left


# --- fire and movement ---


def reason_not_to_run(squad: Squad, now: float) -> NotNow | None:
    """Return why no run under fire is possible, whatever the cover."""
    if len(squad.members) < 2:
        return NotNow("there is nobody to suppress meanwhile")
    return None if known_enemies(squad.members, now) else NotNow("no enemy is known")


def fire_and_move(
    squad: Squad, ways: Distances, task: OrderTask, now: float, *, most: int
) -> dict[str, Order] | NotNow:
    """Choose one member to suppress and up to ``most`` others to run, those with the shortest distances."""
    able = find_suppressors(squad.members, now)
    if not able:
        return NotNow("nobody who knows the enemy has a loaded weapon")
    # The best one suppresses, unless nobody is left to run.
    for suppressor in able:
        others = {name: each for name, each in ways.items() if name != suppressor.name}
        nodes = assign_nodes(others)
        runners = sorted(nodes, key=lambda name: (others[name][nodes[name]], name))[:most]
        if runners:
            orders = {suppressor.name: Order("suppress", target=choose_target(suppressor, now))}
            for name in runners:
                runner = [member for member in squad.members if member.name == name]
                orders[name] = Order(task, node=nodes[name], place=node_position(nodes[name], runner, now))
            return orders
    return NotNow(f"only {able[0].name} could suppress, and only {able[0].name} has cover to go to")


def describe_runs(orders: Mapping[str, Order]) -> str:
    """Return as text who runs where while who suppresses."""
    (suppressor, _), *runs = orders.items()
    return f"{', '.join(f'{name} can run to {order.node}' for name, order in runs)} while {suppressor} suppresses"


def watch_runs(assignment: Assignment, squad: Squad, now: float, arrived: Arrived) -> Verdict:
    """Judge the runs: all must arrive. Death, refusal, or a node that no longer protects means failure."""
    running = False
    for name, order in assignment.orders.items():
        if order.task == "suppress":
            continue
        member = squad.member(name)
        if member is None:
            return failed_verdict(f"{name} is dead")
        if arrived(member, order, now):
            continue
        if not _protects(member, order, now):
            return failed_verdict(f"{order.node} no longer protects {name}")
        why = refusal_reason(member, order, now)
        if why is not None:
            return failed_verdict(why)
        running = True
    return (
        _watch_suppression(assignment, squad, now) if running else fulfilled_verdict("everyone who was to run is there")
    )


def _protects(member: Member, order: Order, now: float) -> bool:
    fact = member.memory.recall("cover", order.node or "", now)
    if fact is not None and not fact.get("valid"):
        return False
    return self_report(member, "at", now) != order.node or in_valid_cover(member, now)


def _watch_suppression(assignment: Assignment, squad: Squad, now: float) -> Verdict:
    """Go on while a member suppresses; otherwise find another one for the slot."""
    name, order = next(each for each in assignment.orders.items() if each[1].task == "suppress")
    member = squad.member(name)
    why = f"{name} is dead" if member is None else refusal_reason(member, order, now)
    if member is not None and why is None:
        return _update_target(assignment, member, order, now)
    able = (each for each in find_suppressors(squad.members, now) if each.name not in assignment.orders)
    spare = next((each for each in able if not _refused_since(each, assignment.since, now)), None)
    if spare is None:
        return failed_verdict(f"{why}, and nobody else can suppress")
    runs = {each: order for each, order in assignment.orders.items() if each != name}
    orders = {spare.name: Order("suppress", target=choose_target(spare, now)), **runs}
    return continued(assignment.reordered(orders, f"{why}; {spare.name} suppresses instead"))


def _update_target(assignment: Assignment, member: Member, order: Order, now: float) -> Verdict:
    """Go on; choose another target if the first one is no longer known."""
    known = {fact.subject for fact in known_enemies([member], now)}
    if not known or order.target in known:
        return RUNNING
    aimed = replace(order, target=choose_target(member, now))
    orders = {**assignment.orders, member.name: aimed}
    return continued(assignment.reordered(orders, f"{order.target} is gone; {member.name} suppresses {aimed.target}"))


def _refused_since(member: Member, time: float, now: float) -> bool:
    """Whether a member has refused an order since ``time``; without this, two could pass one back and forth forever."""
    answer = member.memory.recall("order_refused", "current", now)
    return answer is not None and answer.time >= time


# --- get to cover ---


@dataclass(frozen=True, slots=True)
class GetToCover:
    """All members in the open run to cover while one suppresses.

    Needs an enemy, a member to suppress it, and another in the open who knows free cover.
    """

    name: str = "get-to-cover"
    limit: float = 15.0
    cooldown: float = 2.0
    serves: None = None

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Send members in the open to cover, each to a node of its own."""
        reason = reason_not_to_run(squad, now)
        if reason is not None:
            return reason
        exposed = [member for member in squad.members if not in_valid_cover(member, now)]
        if not exposed:
            return NotNow("everyone is in valid cover")
        covers = {
            each.name: {f.subject: walking_distance(each, f) for f in find_free_cover(each, squad.taken, now)}
            for each in exposed
        }
        if not any(covers.values()):
            return NotNow(f"{_format_names(exposed)} in the open, with nowhere to go")
        orders = fire_and_move(squad, covers, "cover", now, most=len(exposed))
        if isinstance(orders, NotNow):
            return orders
        return Assignment.create(
            self.name, orders, f"{_format_names(exposed)} in the open; {describe_runs(orders)}", now
        )

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Wait until all runners are in valid cover, at any node."""
        return watch_runs(assignment, squad, now, _has_cover)


def _has_cover(member: Member, order: Order, now: float) -> bool:
    return in_valid_cover(member, now)


def _format_names(members: list[Member]) -> str:
    names = [member.name for member in members]
    return f"{names[0]} is" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} are"


# --- advance cover ---


@dataclass(frozen=True, slots=True)
class AdvanceCover:
    """Up to half of a squad in cover moves to cover nearer to the threat while one suppresses.

    Needs all members in valid cover, one to suppress, and another who knows free cover nearer to the threat.
    """

    name: str = "advance-cover"
    limit: float = 15.0
    cooldown: float = 6.0
    serves: None = None

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Send up to half of the squad forward, as long as those who stay outnumber the enemy."""
        reason = reason_not_to_run(squad, now)
        if reason is not None:
            return reason
        exposed = next((member for member in squad.members if not in_valid_cover(member, now)), None)
        if exposed is not None:
            return NotNow(f"{exposed.name} is not in valid cover")
        nearer = {member.name: _nearer_cover(member, squad, now) for member in squad.members}
        if not any(nearer.values()):
            return NotNow(f"nobody knows free cover {MIN_ADVANCE:g} m nearer to the threat")
        # Runners are exposed and do not shoot: as many members as known enemies must stay to suppress them.
        known = {fact.subject for fact in known_enemies(squad.members, now)}
        spare = len(squad.members) - len(known)
        if spare < 1:
            return NotNow(f"against {len(known)}, all {len(squad.members)} are needed where they are")
        orders = fire_and_move(squad, nearer, "advance", now, most=min(spare, max(1, len(squad.members) // 2)))
        if isinstance(orders, NotNow):
            return orders
        return Assignment.create(
            self.name, orders, f"there is cover nearer to the threat; {describe_runs(orders)}", now
        )

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Wait until all runners have arrived."""
        return watch_runs(assignment, squad, now, is_order_done)


def _nearer_cover(member: Member, squad: Squad, now: float) -> dict[str, float]:
    here = _threat_distance(member, now)
    found = find_free_cover(member, squad.taken, now)
    return {
        each.subject: walking_distance(member, each)
        for each in found
        if as_number(each.get("threat_distance")) <= here - MIN_ADVANCE
    }


def _threat_distance(member: Member, now: float) -> float:
    """Return the distance from a member's cover to the threat: as sensed, or to the nearest known enemy."""
    own = member.memory.recall("cover", self_report(member, "at", now) or "", now)
    known = (distance_to(member, fact.get("x"), fact.get("y")) for fact in known_enemies([member], now))
    nearest = min(known, default=-float("inf"))  # without a known threat, no cover is nearer to it
    return nearest if own is None else as_number(own.get("threat_distance"), nearest)


# --- orderly advance ---


CLOSED_UP = 6.0  # metres to the leader within which a member has closed up


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
        if is_order_done(squad.leader, lead, now) and _has_closed_up(squad):
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


def _has_closed_up(squad: Squad) -> bool:
    """Whether all members are with the leader; one that never comes makes the leg run out of time."""
    return all(distance_to(member, *squad.leader.position) <= CLOSED_UP for member in squad.members[1:])


def _next_leg(assignment: Assignment, squad: Squad, now: float) -> Verdict:
    reached, *ahead = assignment.places
    if not ahead:
        return fulfilled_verdict(f"{squad.leader.name} is at {reached}")
    orders = form_up(squad, ahead[0], now)
    if _is_file(orders) and _is_file(assignment.orders):  # nobody changes places on the way
        orders = {**assignment.orders, squad.leader.name: orders[squad.leader.name]}
    onward = assignment.reordered(orders, f"{reached} is reached, on to {ahead[0]}")
    return continued(replace(onward, since=now, places=tuple(ahead)))


# --- search ---


@dataclass(frozen=True, slots=True)
class SearchRooms:
    """Pairs search rooms one by one, the nearest first: one member searches while the other watches.

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
        near = sorted((way, node, fact["room"]) for node, (way, fact) in ways.items() if fact["room"] in left)
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


# --- assignments from outside ---


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
