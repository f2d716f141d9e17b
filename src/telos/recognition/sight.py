"""What a model looks at in an event. The same look is judged once, and the judgement remembered."""

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, Generic, TypeAlias, TypeVar

from telos.core.binding import Bound, bind
from telos.core.conditions import Condition
from telos.core.errors import DefinitionError, TelosError, name_hint
from telos.core.event import Event
from telos.core.expressions import names
from telos.core.state import Layout
from telos.core.values import BOOL, Value
from telos.recognition.vocabulary import Vocabulary
from telos.recognition.wording import condition_faults, labelled

MOST_REMEMBERED = 8192  # judgements: some megabytes at most, and more than a session of play needs
T = TypeVar("T")
Seen: TypeAlias = tuple[Value, ...]  # the action, the goal achieved, and the context entries that the model reads


class Sight(Generic[T]):
    """Picks out of an event what a model's conditions read, and judges it: first time by ``judge``, then by memory.

    Entries that no condition reads are not looked at, except that their names must be known.
    """

    def __init__(
        self, vocabulary: Vocabulary, goals: Iterable[str], conditions: Iterable[Condition], also: Iterable[str] = ()
    ) -> None:
        goals, conditions = tuple(goals), tuple(conditions)
        faults = [fault for condition in conditions for fault in condition_faults(condition, vocabulary, goals)]
        if faults:
            raise DefinitionError(faults)
        everything = Layout(vocabulary.variables(goals))
        said = [names(labelled(condition.expression, everything)) for condition in conditions]
        read = {"action", "goal", *also}.union(*said)
        self._known = frozenset(vocabulary.context)
        self._actions = vocabulary.actions
        self._reads_goal = any("goal" in each for each in said)
        self._everything = everything
        self.layout = Layout([variable for variable in everything.variables if variable.name in read])
        self.entries = tuple(name for name in self.layout.slots if name not in ("action", "goal"))
        self._pick = _picker(self.entries)
        self._judge: Callable[[Seen], T] | None = None
        self._remembered: dict[Seen, T] = {}

    def judged_by(self, judge: Callable[[Seen], T]) -> "Sight[T]":
        """Say how a look is judged; a judge is named after its model has bound its conditions."""
        self._judge = judge
        return self

    def bound(self, condition: Condition) -> Bound:
        """Return the function from a look to whether ``condition`` holds."""
        return bind(labelled(condition.expression, self._everything), self.layout, BOOL)

    def slot(self, name: str) -> int:
        """Return where in a look an entry stands."""
        return self.layout.slot(name)

    def look(self, event: Event) -> Seen:
        """Return what the model sees in an event, checked."""
        context = entries_of(event)
        if not context.keys() <= self._known:
            self._complain(context)
        return self._checked(event, context)

    def __call__(self, event: Event) -> T:
        """Return the judgement of an event."""
        context = entries_of(event)
        if not context.keys() <= self._known:
            self._complain(context)
        try:
            # the usual case: all there, judged before
            seen = (event.action, event.goal if self._reads_goal else None, *self._pick(context))
            return self._remembered[seen]
        except (KeyError, TypeError):
            return self._judged(event, context)

    def _judged(self, event: Event, context: Mapping[str, Value]) -> T:
        assert self._judge is not None
        seen = self._checked(event, context)
        if seen in self._remembered:
            return self._remembered[seen]
        judgement = self._judge(seen)
        if len(self._remembered) >= MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[seen] = judgement
        return judgement

    def _checked(self, event: Event, context: Mapping[str, Value]) -> Seen:
        if self._actions and event.action not in self._actions:
            raise TelosError(f"unknown action {event.action!r}", name_hint(event.action, self._actions))
        goal = event.goal if self._reads_goal else None
        if goal is not None and not self.layout.variable("goal").type.accepts(goal):
            labels = self.layout.variable("goal").type.labels
            raise TelosError(f"unknown goal {goal!r} was achieved", name_hint(str(goal), labels))
        values = [self._value(name, context) for name in self.entries]
        return (event.action, goal, *values)

    def _value(self, name: str, context: Mapping[str, Value]) -> Value:
        variable = self.layout.variable(name)
        if name not in context:
            return variable.start
        value = context[name]
        return variable.checked(tuple(value) if isinstance(value, list) else value)  # JSON knows no tuples

    def _complain(self, context: Mapping[str, Value]) -> None:
        name = next(name for name in context if name not in self._known)
        raise TelosError(f"unknown context {name!r}", name_hint(str(name), self._known))


def entries_of(event: Event) -> Mapping[str, Value]:
    """Return an event's context as Python's own mapping, which C code picks from at a tenth of the price."""
    return event.context.keys().mapping  # type: ignore[attr-defined,no-any-return]


def _picker(entries: tuple[str, ...]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    if not entries:
        return lambda context: ()
    if len(entries) == 1:
        only = entries[0]
        return lambda context: (context[only],)
    return itemgetter(*entries)
