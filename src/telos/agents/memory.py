"""``WorkingMemory`` and its ``Fact``s, which fade; ``Attention``, which selects the fact of each kind to plan with."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from telos.agents.snapshots import FactCheck, FactRow, accept_fact, check_attributes
from telos.core.errors import TelosError
from telos.core.values import FrozenMap, Value
from telos.files import Count, Finite, Items, SnapshotModel, read_snapshot
from telos.files.restoring import SnapshotCheck

MIN_CONFIDENCE = 0.05  # below this a fact is forgotten
_NOTHING: FrozenMap[str, Value] = FrozenMap()


@dataclass(frozen=True, slots=True)
class Fact:
    """One belief: its kind, subject, attributes, and confidence at a time.

    >>> seen = Fact("enemy", "bert", time=3.0, attributes=FrozenMap({"x": 4.0, "y": 9.0}))
    >>> seen["x"], seen.get("armed", True)
    (4.0, True)
    """

    kind: str
    subject: str
    time: float
    confidence: float = 1.0
    attributes: Mapping[str, Value] = field(default=_NOTHING)

    def __getitem__(self, name: str) -> Value:
        return self.attributes[name]

    def get(self, name: str, default: Value = None) -> Value:
        """Return an attribute, or ``default`` if the fact does not have it."""
        return self.attributes.get(name, default)


class WorkingMemory:
    """The newest fact of each kind and subject. Confidence falls linearly, and facts below a threshold are forgotten.

    ``fades`` is the number of seconds in which each kind of fact fades; kinds without an entry do not fade.

    >>> memory = WorkingMemory(fades={"noise": 10.0})
    >>> memory.note(Fact("noise", "shot", time=0.0))
    True
    >>> memory.confidence(memory.recall("noise", "shot", now=4.0), now=4.0)
    0.6
    >>> memory.recall("noise", "shot", now=9.9) is None
    True
    """

    def __init__(self, fades: Mapping[str, float] | None = None) -> None:
        self.fades = dict(fades or {})
        for kind, seconds in self.fades.items():
            if not (isinstance(seconds, int | float) and seconds > 0):
                raise TelosError(f"facts of the kind {kind!r} fade in {seconds!r}", "give a number of seconds above 0")
        self.version = 0  # incremented whenever a fact is learned or forgotten
        self.focus: dict[str, str | None] = {}  # subjects that attention selected, by focus name
        self._facts: dict[str, dict[str, tuple[Fact, float]]] = {}  # with the time at which each is forgotten
        self._next_fade = math.inf

    def note(self, fact: Fact) -> bool:
        """Remember a fact in place of an older one with the same subject; return whether it says anything new."""
        known = self._facts.get(fact.kind)
        if known is None:
            known = self._facts[fact.kind] = {}
        held, gone = known.get(fact.subject), self.gone_at(fact)
        known[fact.subject] = fact, gone
        if gone < self._next_fade:
            self._next_fade = gone
        if held is not None and fact.time < held[1]:  # a forgotten fact is new again
            old = held[0]
            if old.attributes == fact.attributes and old.confidence == fact.confidence:
                return False
        self.version += 1
        return True

    def recall(self, kind: str, subject: str, now: float) -> Fact | None:
        """Return the fact about ``subject``, unless it has been forgotten."""
        known = self._facts.get(kind)
        held = known.get(subject) if known else None
        return held[0] if held is not None and now < held[1] else None

    def all_of(self, kind: str, now: float) -> list[Fact]:
        """Return all facts of a kind that are not forgotten, in the order in which their subjects were first noted."""
        known = self._facts.get(kind)
        if not known:
            return []
        return [fact for fact, gone in known.values() if now < gone]

    def confidence(self, fact: Fact, now: float) -> float:
        """Return the present confidence in a fact."""
        fades = self.fades.get(fact.kind)
        return fact.confidence if fades is None else max(0.0, fact.confidence * (1 - (now - fact.time) / fades))

    def gone_at(self, fact: Fact) -> float:
        """Return when a fact will be forgotten."""
        fades = self.fades.get(fact.kind)
        if fades is None:
            return math.inf if fact.confidence >= MIN_CONFIDENCE else fact.time
        return (
            fact.time + fades * (1 - MIN_CONFIDENCE / fact.confidence)
            if fact.confidence > MIN_CONFIDENCE
            else fact.time
        )

    def forget(self, kind: str, subject: str) -> bool:
        """Remove a fact; return whether there was one."""
        dropped = self._facts.get(kind, {}).pop(subject, None) is not None
        self.version += dropped
        return dropped

    @property
    def next_fade(self) -> float:
        """A time before which no fact fades."""
        return self._next_fade

    def fade(self, now: float) -> list[Fact]:
        """Remove and return the facts whose confidence has become too low."""
        if now < self._next_fade:
            return []
        gone = [fact for known in self._facts.values() for fact, end in known.values() if now >= end]
        for fact in gone:
            del self._facts[fact.kind][fact.subject]
        self.version += bool(gone)
        self._next_fade = min((end for known in self._facts.values() for _, end in known.values()), default=math.inf)
        return gone

    def __iter__(self) -> Iterator[Fact]:
        """Iterate over all facts, including faded ones that are not removed yet."""
        return (fact for known in self._facts.values() for fact, _ in known.values())

    def save(self) -> dict[str, Any]:
        """Return the memory as plain data."""
        facts = [[f.kind, f.subject, f.time, f.confidence, dict(f.attributes)] for f in self]
        next_fade = None if self._next_fade == math.inf else self._next_fade
        about = {"facts": facts, "focus": dict(self.focus), "version": self.version, "next_fade": next_fade}
        return {"kinds": [*self._facts], **about}  # kinds without facts too, since facts fade in this order

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Restore a saved memory exactly; a faulty one raises a ``TelosError`` and changes nothing."""
        check = SnapshotCheck("memory")
        read_memory(check, read_snapshot(MemorySnapshot, saved, of="memory"), self, "memory")()


class MemorySnapshot(SnapshotModel):
    """What a memory saves."""

    kinds: Items[str]
    facts: Items[FactRow]
    focus: dict[str, str | None]
    version: Count
    next_fade: Finite | None


def read_memory(
    check: SnapshotCheck, saved: MemorySnapshot, memory: WorkingMemory, who: str, check_fact: FactCheck = accept_fact
) -> Callable[[], None]:
    """Check a saved memory, and return what puts it into ``memory``; nothing has changed before that is called.

    ``check_fact`` raises the faults that only the world knows. If the check is lenient, faulty facts are left out.
    """
    facts: dict[str, dict[str, tuple[Fact, float]]] = {kind: {} for kind in saved.kinds}
    check.require(len(facts) == len(saved.kinds), ("kinds",), "lists a kind twice")
    for place, row in enumerate(saved.facts):
        kind, subject, time, confidence, attributes = row
        check.known(("facts", place, 0), kind, facts, "kind")
        check.require(subject not in facts[kind], ("facts", place), f"is a second fact about {subject!r}")
        with check.part(who, f"the fact {kind!r} about {subject!r}"):
            if confidence > MIN_CONFIDENCE:  # others are forgotten already
                check_attributes(check.at("facts", place), row)
            check_fact(check.at("facts", place), row)
            fact = Fact(kind, subject, time, confidence, FrozenMap(attributes))
            facts[kind][subject] = fact, memory.gone_at(fact)
    first = min((end for known in facts.values() for _, end in known.values()), default=math.inf)
    next_fade = first if saved.next_fade is None else min(saved.next_fade, first)

    def put() -> None:
        memory._facts, memory.focus = facts, dict(saved.focus)
        memory.version, memory._next_fade = saved.version, next_fade

    return put


class Attends(Protocol):
    """Selects a subject and writes it into the memory's ``focus``."""

    def choose(self, memory: WorkingMemory, now: float) -> str | None:
        """Select the best subject now, and return it."""


@dataclass(frozen=True, slots=True)
class Attention:
    """Selects the best fact of one kind, and changes only to one that is better by more than ``margin``.

    ``score`` rates a fact, higher being better; None excludes it. A domain has one variable for a target and one for a
    node; attention decides which of the known ones they are.

    >>> nearest = Attention("target", "enemy", lambda fact, memory, now: -fact["distance"], margin=2.0)
    >>> memory = WorkingMemory()
    >>> def see(who, distance):
    ...     memory.note(Fact("enemy", who, time=0.0, attributes={"distance": distance}))
    ...     return nearest.choose(memory, now=0.0)
    >>> see("bert", 9.0), see("carl", 8.0), see("carl", 5.0)
    ('bert', 'bert', 'carl')
    """

    focus: str
    kind: str
    score: Callable[[Fact, WorkingMemory, float], float | None]
    margin: float = 0.0

    def choose(self, memory: WorkingMemory, now: float) -> str | None:
        """Select the subject of the best fact now, and return it."""
        facts = memory.all_of(self.kind, now)
        if not facts:
            memory.focus[self.focus] = None
            return None
        current, best, most, kept = memory.focus.get(self.focus), None, 0.0, None
        for fact in facts:
            score = self.score(fact, memory, now)
            if score is None:
                continue
            if best is None or score > most:
                best, most = fact.subject, score
            if fact.subject == current:
                kept = score
        if kept is not None and most - kept <= self.margin:
            best = current
        memory.focus[self.focus] = best
        return best
