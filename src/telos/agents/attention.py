"""Attention: of the many targets, nodes and weapons that a mind knows, the one of each that it plans with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from telos.agents.memory import Fact, WorkingMemory


class Attends(Protocol):
    """Anything that turns attention to something: it writes what to into the memory's ``focus``."""

    def choose(self, memory: WorkingMemory, now: float) -> str | None:
        """Turn to what deserves it most now, and return what that is."""


@dataclass(frozen=True, slots=True)
class Attention:
    """Rests on the best fact of one kind, and wanders only to one that is better by a ``margin``.

    ``score`` rates a fact, higher being better, or returns None for one that deserves no attention at all. A planner
    has one slot for a target and one for a node; this is what fills them.

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
        """Turn to what deserves it most now, and return what that is about."""
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
