"""The perceiving part of a mind: sensors into memory, attention over it, and what plans are told of it."""

from collections.abc import Callable, Mapping, Sequence

from telos.agents.attention import Attends
from telos.agents.memory import Fact, WorkingMemory
from telos.agents.records import Failed, Forgot, Noticed
from telos.agents.sensors import Sensor
from telos.core.domain import Domain
from telos.core.frozen import FrozenMap
from telos.core.state import State
from telos.core.trace import Trace, silent
from telos.core.values import Value
from telos.planning.reading import as_state

Believe = Callable[[WorkingMemory, float], Mapping[str, Value]]


class Perceiving:
    """Keeps a memory, and the state that follows from it. What a change of state means is for others to say."""

    def __init__(
        self,
        name: str,
        domain: Domain,
        *,
        fades: Mapping[str, float],
        believe: Believe,
        attention: Sequence[Attends],
        reflexes: Mapping[str, Sensor] | None,
        trace: Trace,
    ) -> None:
        self.name, self.domain, self.trace = name, domain, trace
        self.memory = WorkingMemory(fades)
        self.state: State = domain.layout.state()
        self._believe, self._attention = believe, tuple(attention)
        self._reflexes = dict(reflexes or {})  # sensors that are read whenever the mind thinks
        self._starts = dict(self.state)
        self._order = tuple(self._starts)
        self._attended = -1  # the version of memory that attention was last turned over

    def sense(self, name: str, sensor: Sensor, now: float) -> bool:
        """Read a sensor into memory; return whether anything is new. A sensor that breaks is a thing to report."""
        is_news, note = False, self.memory.note if self.trace is silent else self.note
        try:
            for fact in sensor.read(self.name, self.memory, now):
                is_news |= note(fact)
        except Exception as error:
            is_news |= self._note_failure(f"sensor {name}", raised(error), now)
        return is_news

    def note(self, fact: Fact) -> bool:
        """Take a fact in, from a sensor or as a stimulus; return whether it is news."""
        if self.trace is silent:
            return self.memory.note(fact)
        before = self.memory.recall(fact.kind, fact.subject, fact.time)
        is_new = self.memory.note(fact)
        if is_new and (before is None or _differ(before, fact)):
            attributes = FrozenMap(fact.attributes)
            self.trace(Noticed(fact.time, self.name, fact.kind, fact.subject, fact.confidence, attributes))
        return is_new

    def _note_failure(self, what: str, reason: str, now: float) -> bool:
        """Remember what went wrong, and tell of it once for as long as it is remembered; return whether it is news."""
        known = self.memory.recall("failure", what, now)
        if known is None or known["reason"] != reason:
            self.trace(Failed(now, self.name, what, reason))
        return self.note(Fact("failure", what, now, attributes=FrozenMap({"reason": reason})))

    def _feel(self, now: float) -> None:
        for name, sensor in self._reflexes.items():
            self.sense(name, sensor, now)

    def _perceive(self, now: float) -> None:
        for fact in self.memory.fade(now):
            self.trace(Forgot(now, self.name, fact.kind, fact.subject))
        if self.memory.version == self._attended:
            return
        for attention in self._attention:
            attention.choose(self.memory, now)
        self._attended = self.memory.version
        self._believe_memory(now)

    def _believe_memory(self, now: float) -> None:
        """Put what memory holds into the variables that goals and plans speak of."""
        values = {**self._starts, **self._believe(self.memory, now)}  # in the layout's order, which is read fastest
        believed = as_state(values, self.domain.layout, self._order)
        if believed.array != self.state.array:
            self._take_in(believed)
            self.state = believed

    def _take_in(self, believed: State) -> None:
        """Hear that the state is about to become ``believed``."""


def raised(error: Exception) -> str:
    """Say what an error was."""
    return f"raised {type(error).__name__}: {error}"


def _differ(before: Fact, after: Fact) -> bool:
    """Whether more than a number has changed: not every step of an enemy is worth a word."""
    return any(before.get(name) != value for name, value in after.attributes.items() if not isinstance(value, float))
