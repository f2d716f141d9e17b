"""Squads and their members, objectives, orders and assignments, and the trace records of squads.

The squad layer knows members and their memories only, never the world. Orders are facts in a member's memory.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar

from telos.agents.memory import Fact, WorkingMemory
from telos.core.errors import TelosError, name_hint
from telos.core.values import FrozenMap, Value
from telos.files import Count, Finite, Items, SnapshotPart
from telos.files.restoring import Point, SnapshotCheck

OrderTask: TypeAlias = Literal[
    "suppress", "cover", "advance", "abreast", "follow", "lead", "guard_rear", "search", "watch"
]

SEARCH_METRES, LEAST_LIKELY = 6.0, 0.01  # what searching a room costs, as a way; the least chance of a room
LOST_SECONDS = 3.0  # after which an enemy that nobody noticed counts as lost
EXCLUSIVE_TASKS = frozenset({"cover", "advance"})  # tasks that occupy their node
REPEAT_SECONDS = 1.0  # orders fade from memory unless repeated
_ORDER_TEXTS = {
    "suppress": "suppress {target}",
    "cover": "take cover at {node}",
    "advance": "advance to {node}",
    "abreast": "advance to {node} abreast of {target}",
    "follow": "follow {target}",
    "lead": "lead to {node}",
    "guard_rear": "guard the rear behind {target}",
    "search": "search {room} at {node}",
    "watch": "watch {room} from {node}",
}


# --- members ---


class Member(Protocol):
    """A fighter that can be in a squad. Positions are in metres; a higher rank leads."""

    @property
    def name(self) -> str: ...
    @property
    def side(self) -> str: ...
    @property
    def rank(self) -> int: ...
    @property
    def alive(self) -> bool: ...
    @property
    def position(self) -> tuple[float, float]: ...
    @property
    def room(self) -> str: ...
    @property
    def memory(self) -> WorkingMemory: ...


def self_report(member: Member, attribute: str, now: float, default: Value = None) -> Value:
    """Return what a member's memory holds about itself: ``at``, ``cover_valid``, ``health``…"""
    fact = member.memory.recall("self", member.name, now)
    return default if fact is None else fact.get(attribute, default)


def in_valid_cover(member: Member, now: float) -> bool:
    """Whether a member is in cover from the threats that it knows."""
    return bool(self_report(member, "cover_valid", now, False))


def known_enemies(members: Iterable[Member], now: float) -> list[Fact]:
    """Return all facts of the members about enemies that are not known to be dead."""
    facts = (fact for member in members for fact in member.memory.all_of("enemy", now))
    return [fact for fact in facts if fact.get("alive", True)]


def visible_enemy(facts: Iterable[Fact], now: float) -> str | None:
    """Return the name of an enemy in sight; unconfirmed sightings expire."""
    return next((fact.subject for fact in facts if fact.get("seen") and now - fact.time <= LOST_SECONDS), None)


def as_number(value: Value, default: float = math.inf) -> float:
    """Return a remembered value as a number, or ``default`` if it is none."""
    return float(value) if isinstance(value, int | float) and not math.isnan(value) else default


def distance_to(member: Member, x: Value, y: Value) -> float:
    """Return the straight distance from a member to a point; infinity if the point is unknown."""
    return math.dist(member.position, (as_number(x), as_number(y)))


def search_rank(way: float, node: Fact) -> float:
    """Return how late to search from a node: by its distance, or by what a chance of finding somebody costs there.

    A member that infers where enemies hide remembers with the node how ``likely`` one is in its room.

    >>> search_rank(8.0, Fact("node", "p1", 0.0)), search_rank(8.0, Fact("node", "p1", 0.0, attributes={"likely": 0.5}))
    (8.0, 28.0)
    """
    likely = node.get("likely")
    return way if likely is None else (way + SEARCH_METRES) / max(float(likely), LEAST_LIKELY)


def walking_distance(member: Member, fact: Fact) -> float:
    """Return the remembered walking distance to a node, or the straight distance."""
    return as_number(fact.get("distance"), distance_to(member, fact.get("x"), fact.get("y")))


def node_position(node: str, members: Iterable[Member], now: float) -> tuple[float, float] | None:
    """Return the position of a node, if any of the members knows it."""
    for member in members:
        for kind in ("cover", "node"):
            fact = member.memory.recall(kind, node, now)
            if fact is not None and fact.get("x") is not None and fact.get("y") is not None:
                return float(fact["x"]), float(fact["y"])
    return None


# --- orders ---


@dataclass(frozen=True, slots=True)
class Order:
    """The order for one member. ``serial`` identifies it on its side; 0 until it is given.

    >>> print(Order("cover", node="c3"), Order("watch", node="p1", target="Ann", room="hall"), sep=", ")
    take cover at c3, watch hall from p1
    """

    task: OrderTask
    node: str | None = None
    place: tuple[float, float] | None = None  # position of the node
    target: str | None = None  # the enemy to suppress, or the comrade to follow
    room: str | None = None  # room to search, if it is known
    serial: int = 0

    def __str__(self) -> str:
        """Return the order as it would be called out."""
        return _ORDER_TEXTS[self.task].format(target=self.target, node=self.node, room=self.room or "the room")

    def same_as(self, other: "Order | None") -> bool:
        """Whether two orders ask for the same, apart from their serials."""
        return other is not None and replace(self, serial=0) == replace(other, serial=0)

    def save(self) -> dict[str, Any]:
        """Return the order as plain data."""
        return {**asdict(self), "place": None if self.place is None else list(self.place)}

    @classmethod
    def from_saved(cls, saved: "OrderSnapshot") -> "Order":
        return cls(saved.task, saved.node, saved.place, saved.target, saved.room, saved.serial)


class OrderSnapshot(SnapshotPart):
    """A saved order."""

    task: OrderTask
    node: str | None
    place: Point | None
    target: str | None
    room: str | None
    serial: Count


def give_order(member: Member, order: Order, behaviour: str, now: float) -> None:
    """Put an order into a member's memory, replacing any other. The member decides whether to follow it."""
    x, y = order.place or (None, None)
    attributes: dict[str, Value] = {"behaviour": behaviour, "task": order.task, "node": order.node}
    attributes |= {"place_x": x, "place_y": y, "target": order.target, "room": order.room, "serial": order.serial}
    member.memory.note(Fact("order", "current", time=now, attributes=FrozenMap(attributes)))
    if order.task in EXCLUSIVE_TASKS and order.node is not None:
        member.memory.note(Fact("sent", order.node, time=now))


def hold_position(member: Member, order: Order, now: float) -> None:
    """Let a member who has run to a node know that it is to stay there for a while."""
    if order.task in EXCLUSIVE_TASKS and order.node is not None and self_report(member, "at", now) == order.node:
        member.memory.note(Fact("hold", "current", time=now, attributes=FrozenMap({"node": order.node})))


def has_order(member: Member, order: Order, now: float = -math.inf) -> bool:
    """Whether a member remembers this order; without ``now``, faint memories count."""
    fact = member.memory.recall("order", "current", now)
    return fact is not None and fact.get("serial") == order.serial


def repeat_order(member: Member, order: Order, now: float) -> None:
    """Refresh a current order in a member's memory before it fades."""
    fact = member.memory.recall("order", "current", now)
    if fact is not None and fact.get("serial") == order.serial and now - fact.time >= REPEAT_SECONDS:
        member.memory.note(replace(fact, time=now))


def withdraw_order(member: Member, order: Order) -> bool:
    """Remove an order from a member's memory, unless it has a later one; return whether it was removed."""
    return has_order(member, order) and member.memory.forget("order", "current")


def is_order_done(member: Member, order: Order, now: float) -> bool:
    """Whether a member reports an order as fulfilled, or stands at its node."""
    if is_reported_done(member, order, now):
        return True
    return order.node is not None and self_report(member, "at", now) == order.node


def is_reported_done(member: Member, order: Order, now: float) -> bool:
    """Whether a member reports an order as fulfilled."""
    answer = member.memory.recall("order_done", "current", now)
    return answer is not None and answer.get("serial") == order.serial


def refusal_reason(member: Member, order: Order, now: float) -> str | None:
    """Return why a member does not follow an order (its own goals, or it forgot), or None."""
    answer = member.memory.recall("order_refused", "current", now)
    if answer is not None and answer.get("serial") == order.serial:
        return f"{member.name} refuses: {answer.get('why') or 'no reason given'}"
    if not has_order(member, order, now) and not is_order_done(member, order, now):
        return f"{member.name} has dropped the order"
    return None


# --- assignments ---


@dataclass(frozen=True, slots=True)
class Assignment:
    """The orders of a squad behaviour, and the reason for it.

    ``since`` is the time of the last progress, from which the time limit counts; ``places`` are the remaining nodes or
    rooms.
    """

    behaviour: str
    orders: FrozenMap[str, Order]
    why: str
    began: float
    since: float
    places: tuple[str, ...] = ()

    @classmethod
    def create(
        cls, behaviour: str, orders: Mapping[str, Order], why: str, now: float, places: tuple[str, ...] = ()
    ) -> "Assignment":
        """Return an assignment that begins now."""
        return cls(behaviour, FrozenMap(orders), why, now, now, places)

    def reordered(self, orders: Mapping[str, Order], why: str) -> "Assignment":
        """Return the assignment with other orders; unchanged orders keep their serial."""
        kept = {
            name: self.orders[name] if order.same_as(self.orders.get(name)) else replace(order, serial=0)
            for name, order in orders.items()
        }
        return replace(self, orders=FrozenMap(kept), why=why)

    def describe_orders(self) -> FrozenMap[str, str]:
        """Return each order as text."""
        return FrozenMap({name: str(order) for name, order in self.orders.items()})

    def save(self) -> dict[str, Any]:
        """Return the assignment as plain data."""
        orders = {name: order.save() for name, order in self.orders.items()}
        saved = {"behaviour": self.behaviour, "why": self.why, "began": self.began, "since": self.since}
        return {**saved, "orders": orders, "places": list(self.places)}

    @classmethod
    def from_saved(cls, saved: "AssignmentSnapshot") -> "Assignment":
        orders = FrozenMap({name: Order.from_saved(each) for name, each in saved.orders.items()})
        return cls(saved.behaviour, orders, saved.why, saved.began, saved.since, tuple(saved.places))


class AssignmentSnapshot(SnapshotPart):
    """A saved assignment."""

    behaviour: str
    why: str
    began: Finite
    since: Finite
    orders: dict[str, OrderSnapshot]
    places: Items[str]


# --- squads ---


@dataclass(frozen=True, slots=True)
class Objective:
    """An objective from outside the squad: to advance along nodes, or to search rooms."""

    advance: tuple[str, ...] = ()
    search: tuple[str, ...] = ()

    @classmethod
    def parse(cls, value: "Objective | Mapping[str, Iterable[str]]") -> "Objective":
        """Return an objective from a mapping, as scenes write it.

        >>> Objective.parse({"advance": ["p1", "p2"]})
        Objective(advance=('p1', 'p2'), search=())
        """
        if isinstance(value, Objective):
            return value
        for key, names in value.items():
            if key not in ("advance", "search"):
                raise TelosError(f"unknown objective {key!r}", name_hint(key, ("advance", "search")))
            if isinstance(names, str) or not isinstance(names, Iterable):
                what = f"the text {names!r}" if isinstance(names, str) else repr(names)
                raise TelosError(f"objective {key!r} is {what}", "give a list of names")
        return cls(**{key: tuple(names) for key, names in value.items()})

    def save(self) -> dict[str, list[str]]:
        """Return the objective as plain data."""
        return {"advance": list(self.advance), "search": list(self.search)}

    @classmethod
    def from_saved(cls, saved: "ObjectiveSnapshot") -> "Objective":
        return cls(tuple(saved.advance), tuple(saved.search))


class ObjectiveSnapshot(SnapshotPart):
    """A saved objective."""

    advance: Items[str]
    search: Items[str]


@dataclass(slots=True, eq=False)
class Squad:
    """Members, the leader first, with at most one behaviour."""

    name: str
    members: tuple[Member, ...]
    objective: Objective = field(default_factory=Objective)
    assignment: Assignment | None = None
    taken: AbstractSet[str] = field(default=frozenset(), repr=False)  # nodes taken by any member of the side
    passed_over: dict[str, str] = field(default_factory=dict)  # why each other behaviour was not chosen

    @property
    def leader(self) -> Member:
        return self.members[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the members, the leader first."""
        return tuple(member.name for member in self.members)

    @property
    def behaviour(self) -> str | None:
        """Return the name of the current behaviour."""
        return None if self.assignment is None else self.assignment.behaviour

    @property
    def engaged(self) -> bool:
        """Whether the squad carries out a behaviour, and is therefore not regrouped."""
        return self.assignment is not None

    def member(self, name: str) -> Member | None:
        """Return a living member by name, or None."""
        return next((member for member in self.members if member.name == name), None)

    def why(self) -> str:
        """Explain the current behaviour and its orders, and why no other behaviour was chosen."""
        doing = "no behaviour" if self.assignment is None else f"{self.behaviour}: {self.assignment.why}"
        lines = [f"{self.name} ({', '.join(self.names)}): {doing}"]
        if self.assignment is not None:
            lines += [f"  {name}: {order}" for name, order in self.assignment.orders.items()]
        return "\n".join([*lines, *(f"  not {name}: {reason}" for name, reason in self.passed_over.items())])

    def save(self) -> dict[str, Any]:
        """Return the squad as plain data, its members by name."""
        return {
            "name": self.name,
            "members": list(self.names),
            "objective": self.objective.save(),
            "assignment": None if self.assignment is None else self.assignment.save(),
            "passed_over": dict(self.passed_over),
        }

    @classmethod
    def from_saved(cls, check: SnapshotCheck, saved: "SquadSnapshot", members: Mapping[str, Member]) -> "Squad":
        """Return the saved squad; in a lenient restore, with those of its members that are given."""
        found = []
        for place, name in enumerate(saved.members):
            with check.part(saved.name, f"the member {name!r}"):
                check.known(("members", place), name, members, "member")
                found.append(members[name])
        check.require(len(set(saved.members)) == len(saved.members), ("members",), "lists a member twice")
        check.require(bool(found), ("members",), "is empty")
        assignment = None if saved.assignment is None else Assignment.from_saved(saved.assignment)
        objective = Objective.from_saved(saved.objective)
        return cls(saved.name, tuple(found), objective, assignment, passed_over=dict(saved.passed_over))


class SquadSnapshot(SnapshotPart):
    """A saved squad."""

    name: str
    members: Items[str]
    objective: ObjectiveSnapshot
    assignment: AssignmentSnapshot | None
    passed_over: dict[str, str]


class Named(Protocol):
    """Anything that is selected by its name."""

    @property
    def name(self) -> str: ...


Activity = TypeVar("Activity", bound=Named)


def select_by_name(names: Iterable[str], known: Sequence[Activity], what: str) -> tuple[Activity, ...]:
    """Return those of the known activities that are named, in the order of ``known``."""
    wanted, by_name = list(names), {each.name: each for each in known}
    for name in wanted:
        if name not in by_name:
            raise TelosError(f"unknown {what} {name!r}", name_hint(name, by_name))
    return tuple(each for each in known if each.name in wanted)


def sort_by_rank(members: Iterable[Member]) -> tuple[Member, ...]:
    """Return members by rank, the highest first, then by name."""
    return tuple(sorted(members, key=lambda member: (-member.rank, member.name)))


# --- trace records ---


@dataclass(frozen=True, slots=True)
class SquadsFormed:
    """Squads were formed by proximity: their names and members, the leader first."""

    KIND: ClassVar[str] = "grouped"
    time: float
    side: str
    squads: FrozenMap[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class OrdersGiven:
    """A squad behaviour began or changed: its orders as text, and the reason."""

    KIND: ClassVar[str] = "ordered"
    time: float
    squad: str
    behaviour: str
    orders: FrozenMap[str, str]
    why: str


@dataclass(frozen=True, slots=True)
class BehaviourEnded:
    """A squad behaviour ended."""

    KIND: ClassVar[str] = "concluded"
    time: float
    squad: str
    behaviour: str
    fulfilled: bool
    why: str


@dataclass(frozen=True, slots=True)
class LineSpoken:
    """A member spoke. ``exchange`` is the name of the conversation, ``why`` the occasion for it."""

    KIND: ClassVar[str] = "said"
    time: float
    who: str
    to: str | None
    text: str
    exchange: str
    why: str
