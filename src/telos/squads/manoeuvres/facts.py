"""What a squad knows, as the functions that conditions of manoeuvres may call.

``SquadFacts`` reads the memories of the members, and never the world. ``FUNCTIONS`` lists the functions with the kinds
of their arguments.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from telos.agents.memory import Fact
from telos.core.values import Value
from telos.squads.squad import (
    LOST_SECONDS,
    Member,
    Squad,
    as_number,
    distance_to,
    in_valid_cover,
    known_enemies,
    self_report,
    walking_distance,
)

FAR = 1e6  # metres: a distance that is not known


class SquadFacts:
    """The facts of a squad at one time; ``busy`` are members who get no orders now."""

    def __init__(self, squad: Squad, now: float, busy: Iterable[str] = ()) -> None:
        self.squad, self.now, self.busy = squad, now, frozenset(busy)
        self._members = {member.name: member for member in squad.members}
        self._taken = squad.taken - _own_nodes(squad, now)
        self._answers: dict[tuple[str, ...], Any] = {}  # of functions, which a search asks again and again
        known = known_enemies(squad.members, now)
        self._seen = {fact.subject for fact in known if fact.get("seen") and now - fact.time <= LOST_SECONDS}
        self.handles = {
            "member": squad.names,
            "enemy": tuple(sorted({fact.subject for fact in known})),
            "node": tuple(sorted({fact.subject for member in squad.members for fact in _places(member, now)})),
        }

    @property
    def counts(self) -> dict[str, int]:
        """Return the variables that count: members, enemies, enemies in sight, and members in the open."""
        return {
            "members": len(self._members),
            "enemies": len(self.handles["enemy"]),
            "seen": len(self._seen),
            "exposed": sum(not in_valid_cover(member, self.now) for member in self.squad.members),
        }

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Let the functions of the squad domain answer from these facts, in this thread."""
        token = _IN_USE.set(self)
        try:
            yield
        finally:
            _IN_USE.reset(token)

    def answer(self, function: str, *arguments: str) -> Any:
        """Return the answer of one of the functions below."""
        asked = (function, *arguments)
        if asked not in self._answers:
            self._answers[asked] = getattr(self, function)(*arguments)
        return self._answers[asked]

    # --- one member ---

    def leads(self, who: str) -> bool:
        return self._members[who] is self.squad.leader

    def in_cover(self, who: str) -> bool:
        return in_valid_cover(self._members[who], self.now)

    def loaded(self, who: str) -> bool:
        return bool(self_report(self._members[who], "loaded", self.now))

    def health(self, who: str) -> float:
        return as_number(self_report(self._members[who], "health", self.now), 0.0)

    # --- a member and an enemy ---

    def knows(self, who: str, foe: str) -> bool:
        return self._enemy(who, foe) is not None

    def sees(self, who: str, foe: str) -> bool:
        fact = self._enemy(who, foe)
        return fact is not None and bool(fact.get("seen")) and self.now - fact.time <= LOST_SECONDS

    def range(self, who: str, foe: str) -> float:
        fact = self._enemy(who, foe)
        return FAR if fact is None else min(FAR, distance_to(self._members[who], fact.get("x"), fact.get("y")))

    # --- a member and a node ---

    def can_take(self, who: str, place: str) -> bool:
        """Whether a node is valid cover that the member can reach, and that nobody of its side has taken."""
        fact = self._cover(who, place)
        is_free = fact is not None and bool(fact.get("valid")) and place not in self._taken
        return is_free and self.walk(who, place) < FAR

    def can_search(self, who: str, place: str) -> bool:
        """Whether a room can be searched from a node, as far as the member knows."""
        fact = self._members[who].memory.recall("node", place, self.now)
        return fact is not None and fact.get("kind") == "search" and fact.get("room") is not None

    def walk(self, who: str, place: str) -> float:
        fact = self._cover(who, place) or self._members[who].memory.recall("node", place, self.now)
        return FAR if fact is None else min(FAR, walking_distance(self._members[who], fact))

    def in_view(self, who: str, place: str) -> float:
        """Return how many metres of the way to a node the enemy has in view: all of them if nobody can tell."""
        fact = self._cover(who, place)
        return FAR if fact is None else min(FAR, as_number(fact.get("in_view"), self.walk(who, place)))

    def has_view(self, who: str, place: str) -> bool:
        fact = self._cover(who, place)
        return fact is not None and bool(fact.get("sees"))

    def exposes(self, who: str, place: str) -> bool:
        """Whether the nearest enemy's cover, if any, does not protect it from a node."""
        fact = self._cover(who, place)
        return fact is not None and bool(fact.get("exposes"))

    def gain(self, who: str, place: str) -> float:
        """Return how many metres nearer to the threat a node is than the member."""
        fact = self._cover(who, place)
        nearest = min((self.range(who, foe) for foe in self.handles["enemy"]), default=FAR)
        there = FAR if fact is None else as_number(fact.get("threat_distance"), FAR)
        return nearest - there if nearest < FAR and there < FAR else -FAR

    def turn(self, who: str, place: str, foe: str) -> float:
        """Return by how many degrees an enemy who faces the member must turn to face the node; 0 if not known."""
        node, enemy = self._cover(who, place), self._enemy(who, foe)
        if node is None or enemy is None:
            return 0.0
        ahead, aside = self._bearing(enemy, *self._members[who].position), self._bearing(enemy, node["x"], node["y"])
        away = abs(ahead - aside) % 360.0
        return min(away, 360.0 - away)

    # --- memories ---

    def room(self, who: str, place: str) -> str | None:
        """Return the room that a node belongs to, if the member knows."""
        fact = self._members[who].memory.recall("node", place, self.now)
        return None if fact is None or fact.get("room") is None else str(fact["room"])

    def _enemy(self, who: str, foe: str) -> Fact | None:
        fact = self._members[who].memory.recall("enemy", foe, self.now)
        return fact if fact is not None and fact.get("alive", True) else None

    def _cover(self, who: str, place: str) -> Fact | None:
        return self._members[who].memory.recall("cover", place, self.now)

    @staticmethod
    def _bearing(enemy: Fact, x: Value, y: Value) -> float:
        return math.degrees(math.atan2(as_number(y, 0.0) - enemy["y"], as_number(x, 0.0) - enemy["x"]))


def _own_nodes(squad: Squad, now: float) -> set[str]:
    """Return the nodes that members are on the way to: a plan that is made anew may give them to others."""
    orders = {} if squad.assignment is None else squad.assignment.orders
    return {str(order.node) for order in orders.values()} - {
        str(self_report(member, "at", now)) for member in squad.members
    }


def _places(member: Member, now: float) -> Iterator[Fact]:
    yield from member.memory.all_of("cover", now)
    yield from (fact for fact in member.memory.all_of("node", now) if fact.get("kind") == "search")


# --- functions ---


_IN_USE: ContextVar[SquadFacts] = ContextVar("squad facts in use")


@dataclass(frozen=True, slots=True)
class SquadFunction:
    """A function of conditions: the kinds of its arguments, whether it says yes or no, and what it tells."""

    name: str
    kinds: tuple[str, ...]
    is_flag: bool
    about: str

    @property
    def form(self) -> str:
        """Return the function as a condition writes it.

        >>> FUNCTIONS["can_take"].form
        'can_take(member, node)'
        """
        return f"{self.name}({', '.join(self.kinds)})"

    @property
    def call(self) -> Callable[..., Any]:
        """The function, which answers from the facts in use."""
        name = self.name
        return lambda *arguments: _IN_USE.get().answer(name, *arguments)


FUNCTIONS: dict[str, SquadFunction] = {
    each.name: each
    for each in (
        SquadFunction("leads", ("member",), True, "the member is the leader"),
        SquadFunction("in_cover", ("member",), True, "the member is in cover from the threats that it knows"),
        SquadFunction("loaded", ("member",), True, "there are rounds in the magazine"),
        SquadFunction("health", ("member",), False, "the member's health"),
        SquadFunction("knows", ("member", "enemy"), True, "the member remembers the enemy"),
        SquadFunction("sees", ("member", "enemy"), True, "the member has the enemy in sight"),
        SquadFunction("range", ("member", "enemy"), False, "metres to where the member believes the enemy"),
        SquadFunction(
            "can_take", ("member", "node"), True, "the node is free and valid cover that the member can reach"
        ),
        SquadFunction("can_search", ("member", "node"), True, "a room can be searched from the node"),
        SquadFunction("walk", ("member", "node"), False, "metres of the way to the node"),
        SquadFunction("in_view", ("member", "node"), False, "metres of that way which the enemy has in view"),
        SquadFunction("has_view", ("member", "node"), True, "the nearest enemy can be seen from the node"),
        SquadFunction("exposes", ("member", "node"), True, "the enemy's cover does not protect it from the node"),
        SquadFunction("gain", ("member", "node"), False, "metres that the node is nearer to the threat"),
        SquadFunction(
            "turn", ("member", "node", "enemy"), False, "degrees from the member to the node, as the enemy sees them"
        ),
    )
}
