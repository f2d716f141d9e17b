"""What the squad layer knows of a member: who it is, where it stands, and what it remembers. Never the world."""

import math
from collections.abc import Iterable
from typing import Protocol

from telos.agents.memory import Fact, WorkingMemory
from telos.core.values import Value

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
