"""Squad, Objective, Member, Order, Assignment, trace records."""

import math
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias

from telos.agents.memory import Fact, WorkingMemory
from telos.core.errors import TelosError, name_hint
from telos.core.values import FrozenMap, Value

# --- member -----------------------------------------------------------------------------------------------------------
# What the squad layer knows of a member: who it is, where it stands, and what it remembers. Never the world.


LOST_AFTER = 3.0  # seconds without a sign of it, and an enemy is lost


class Member(Protocol):
    """Somebody who can be in a squad. Positions are in metres; a higher rank leads."""

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


def feels(member: Member, attribute: str, now: float, default: Value = None) -> Value:
    """Return what a member last felt of itself: where it is ``at``, whether its ``cover_valid``, its ``health``…"""
    fact = member.memory.recall("self", member.name, now)
    return default if fact is None else fact.get(attribute, default)


def in_valid_cover(member: Member, now: float) -> bool:
    """Whether a member stands where it is safe from the threat it knows."""
    return bool(feels(member, "cover_valid", now, False))


def enemies(members: Iterable[Member], now: float) -> list[Fact]:
    """Return all that any of the members remembers about enemies that are still on their feet."""
    facts = (fact for member in members for fact in member.memory.all_of("enemy", now))
    return [fact for fact in facts if fact.get("alive", True)]


def seen(facts: Iterable[Fact], now: float) -> str | None:
    """Return the name of an enemy that is in sight; a sighting that nobody confirmed for long is none."""
    return next((fact.subject for fact in facts if fact.get("seen") and now - fact.time <= LOST_AFTER), None)


def number(value: Value, default: float = math.inf) -> float:
    """Return a number that somebody remembers, or ``default`` where there is none to compare with."""
    return float(value) if isinstance(value, int | float) and not math.isnan(value) else default


def distance(member: Member, x: Value, y: Value) -> float:
    """Return the straight way from a member to a place; infinity if the place is not known."""
    return math.dist(member.position, (number(x), number(y)))


def walk(member: Member, fact: Fact) -> float:
    """Return how far a member has to walk to a node, as it remembers it: the straight way if it does not say."""
    return number(fact.get("distance"), distance(member, fact.get("x"), fact.get("y")))


def place_of(node: str, members: Iterable[Member], now: float) -> tuple[float, float] | None:
    """Return where a node is, if any of the members knows."""
    for member in members:
        for kind in ("cover", "node"):
            fact = member.memory.recall(kind, node, now)
            if fact is not None and fact.get("x") is not None and fact.get("y") is not None:
                return float(fact["x"]), float(fact["y"])
    return None


# --- orders -----------------------------------------------------------------------------------------------------------
# Orders: facts that the squad layer puts into a member's memory, and the answers that it finds there.


Task: TypeAlias = Literal["suppress", "cover", "advance", "follow", "lead", "guard_rear", "search", "watch"]

FOR_ONE = frozenset({"cover", "advance"})  # tasks whose node has room for one
REPEATED_AFTER = 1.0  # seconds; an order that nobody repeats fades with the memory
_WORDS = {
    "suppress": "suppress {target}",
    "cover": "take cover at {node}",
    "advance": "advance to {node}",
    "follow": "follow {target}",
    "lead": "lead to {node}",
    "guard_rear": "guard the rear behind {target}",
    "search": "search {room} at {node}",
    "watch": "watch {room} from {node}",
}


@dataclass(frozen=True, slots=True)
class Order:
    """What one member is to do. ``serial`` tells it from all other orders of its side; 0 until it is given.

    >>> print(Order("cover", node="c3"))
    take cover at c3
    """

    task: Task
    node: str | None = None
    place: tuple[float, float] | None = None  # of the node
    target: str | None = None  # the enemy to suppress, or the comrade to follow
    room: str | None = None  # to search
    serial: int = 0

    def __str__(self) -> str:
        """Say the order the way it would be called out."""
        return _WORDS[self.task].format(target=self.target, node=self.node, room=self.room)

    def same_as(self, other: "Order | None") -> bool:
        """Whether two orders ask for the same, whenever they were given."""
        return other is not None and replace(self, serial=0) == replace(other, serial=0)

    def save(self) -> dict[str, Any]:
        """Return the order as plain data."""
        return {**asdict(self), "place": None if self.place is None else list(self.place)}

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> "Order":
        """Return the order that was saved."""
        return cls(**{**saved, "place": None if saved["place"] is None else tuple(saved["place"])})


def give(member: Member, order: Order, behaviour: str, now: float) -> None:
    """Put an order into a member's memory, in place of any other. Whether to follow it is up to the member."""
    x, y = order.place or (None, None)
    attributes: dict[str, Value] = {"behaviour": behaviour, "task": order.task, "node": order.node}
    attributes |= {"place_x": x, "place_y": y, "target": order.target, "room": order.room, "serial": order.serial}
    member.memory.note(Fact("order", "current", time=now, attributes=FrozenMap(attributes)))


def holds(member: Member, order: Order, now: float = -math.inf) -> bool:
    """Whether a member still has this very order in mind; without ``now``, faint memories count."""
    fact = member.memory.recall("order", "current", now)
    return fact is not None and fact.get("serial") == order.serial


def repeat(member: Member, order: Order, now: float) -> None:
    """Keep an order from fading that still stands."""
    fact = member.memory.recall("order", "current", now)
    if fact is not None and fact.get("serial") == order.serial and now - fact.time >= REPEATED_AFTER:
        member.memory.note(replace(fact, time=now))


def withdraw(member: Member, order: Order) -> bool:
    """Take an order back, unless the member has a later one; return whether there was anything to take back."""
    return holds(member, order) and member.memory.forget("order", "current")


def is_done(member: Member, order: Order, now: float) -> bool:
    """Whether a member reports an order as fulfilled, or stands where it was to go."""
    answer = member.memory.recall("order_done", "current", now)
    if answer is not None and answer.get("serial") == order.serial:
        return True
    return order.node is not None and feels(member, "at", now) == order.node


def refusal(member: Member, order: Order, now: float) -> str | None:
    """Say why a member will not follow an order, or None if it may: its own goals won, or it forgot the order."""
    answer = member.memory.recall("order_refused", "current", now)
    if answer is not None and answer.get("serial") == order.serial:
        return f"{member.name} refuses: {answer.get('why') or 'no reason given'}"
    if not holds(member, order, now) and not is_done(member, order, now):
        return f"{member.name} has dropped the order"
    return None


# --- assignment -------------------------------------------------------------------------------------------------------
# An assignment: one squad behaviour at work, with an order for each slot that is filled.


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who does what for a squad behaviour, and why this one.

    ``since`` is when it last made headway, which is what its time limit counts from; ``places`` is what it still has
    before it: nodes of a route, or rooms.
    """

    behaviour: str
    orders: FrozenMap[str, Order]
    why: str
    began: float
    since: float
    places: tuple[str, ...] = ()

    @classmethod
    def begun(
        cls, behaviour: str, orders: Mapping[str, Order], why: str, now: float, places: tuple[str, ...] = ()
    ) -> "Assignment":
        """Return an assignment that begins now."""
        return cls(behaviour, FrozenMap(orders), why, now, now, places)

    def reordered(self, orders: Mapping[str, Order], why: str) -> "Assignment":
        """Return the assignment with other orders; whoever is to go on with the same keeps the order as it is."""
        kept = {
            name: self.orders[name] if order.same_as(self.orders.get(name)) else replace(order, serial=0)
            for name, order in orders.items()
        }
        return replace(self, orders=FrozenMap(kept), why=why)

    def said(self) -> FrozenMap[str, str]:
        """Return each order in words."""
        return FrozenMap({name: str(order) for name, order in self.orders.items()})

    def save(self) -> dict[str, Any]:
        """Return the assignment as plain data."""
        orders = {name: order.save() for name, order in self.orders.items()}
        told = {"behaviour": self.behaviour, "why": self.why, "began": self.began, "since": self.since}
        return {**told, "orders": orders, "places": list(self.places)}

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> "Assignment":
        """Return the assignment that was saved."""
        orders = FrozenMap({name: Order.restored(each) for name, each in saved["orders"].items()})
        return cls(**{**saved, "orders": orders, "places": tuple(saved["places"])})


# --- squad ------------------------------------------------------------------------------------------------------------
# A squad: who stands together, who leads, and what they are about.


@dataclass(frozen=True, slots=True)
class Objective:
    """What somebody outside wants of a squad: to advance along nodes, or to search rooms."""

    advance: tuple[str, ...] = ()
    search: tuple[str, ...] = ()

    @classmethod
    def of(cls, said: "Objective | Mapping[str, Iterable[str]]") -> "Objective":
        """Read an objective as scenes write it.

        >>> Objective.of({"advance": ["p1", "p2"]})
        Objective(advance=('p1', 'p2'), search=())
        """
        if isinstance(said, Objective):
            return said
        for key, names in said.items():
            if key not in ("advance", "search"):
                raise TelosError(f"unknown objective {key!r}", name_hint(key, ("advance", "search")))
            if isinstance(names, str):
                raise TelosError(f"objective {key!r} is the text {names!r}", "give a list of names")
        return cls(**{key: tuple(names) for key, names in said.items()})

    def save(self) -> dict[str, list[str]]:
        """Return the objective as plain data."""
        return {"advance": list(self.advance), "search": list(self.search)}


@dataclass(slots=True, eq=False)
class Squad:
    """Members, the leader first, with at most one behaviour between them."""

    name: str
    members: tuple[Member, ...]
    objective: Objective = field(default_factory=Objective)
    assignment: Assignment | None = None
    taken: AbstractSet[str] = field(default=frozenset(), repr=False)  # nodes that are somebody's, on the whole side
    passed_over: dict[str, str] = field(default_factory=dict)  # why it is not each of the other behaviours

    @property
    def leader(self) -> Member:
        """Return who leads."""
        return self.members[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the members, the leader first."""
        return tuple(member.name for member in self.members)

    @property
    def behaviour(self) -> str | None:
        """Return the name of the behaviour under way."""
        return None if self.assignment is None else self.assignment.behaviour

    @property
    def engaged(self) -> bool:
        """Whether the squad is busy with a behaviour, and stays together for it."""
        return self.assignment is not None

    def member(self, name: str) -> Member | None:
        """Return a member by name; None if it is not among the living any more."""
        return next((member for member in self.members if member.name == name), None)

    def why(self) -> str:
        """Say what the squad is doing, who does what, and why it is none of the other behaviours."""
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
    def restored(cls, saved: Mapping[str, Any], members: Mapping[str, Member]) -> "Squad":
        """Return the squad that was saved, with those of its members that are given."""
        return cls(
            saved["name"],
            tuple(members[name] for name in saved["members"] if name in members),
            Objective.of(saved["objective"]),
            None if saved["assignment"] is None else Assignment.restored(saved["assignment"]),
            passed_over=dict(saved["passed_over"]),
        )


def by_rank(members: Iterable[Member]) -> tuple[Member, ...]:
    """Return members in the order of command: the highest rank first, then by name."""
    return tuple(sorted(members, key=lambda member: (-member.rank, member.name)))


# --- records ----------------------------------------------------------------------------------------------------------
# The trace of squads: who stands together, what they were ordered, how it went, and what was said.


@dataclass(frozen=True, slots=True)
class Grouped:
    """Squads were made anew by who is near whom; each is named, with its members, the leader first."""

    time: float
    side: str
    squads: FrozenMap[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Ordered:
    """A squad behaviour began: who fills which slot, in words, and why this one now."""

    time: float
    squad: str
    behaviour: str
    orders: FrozenMap[str, str]
    why: str


@dataclass(frozen=True, slots=True)
class Concluded:
    """A squad behaviour came to its end."""

    time: float
    squad: str
    behaviour: str
    fulfilled: bool
    why: str


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody spoke. ``exchange`` names the conversation that the line belongs to, ``why`` what brought it about."""

    time: float
    who: str
    to: str | None
    text: str
    exchange: str
    why: str
