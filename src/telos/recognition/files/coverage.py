"""Which events are none of the outcomes that a model can observe, so that observing one would fail."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

from telos.core.conditions import Condition
from telos.core.errors import TelosError
from telos.core.expressions import Expression, Handle, Literal, Name, bind, names_in, walk
from telos.core.expressions.ranges import ANYTHING, Range, Ranges, ValueSet, is_possible, narrow, ranges_of
from telos.core.state import Layout
from telos.core.values import BOOL, Value
from telos.recognition.vocabulary import Vocabulary, resolve_labels

MAX_TRIED = 4_000  # combinations of values that are tried to find an event
OTHER = "another one"  # stands for any action or text that no condition names


def resolved(conditions: Iterable[Condition], layout: Layout) -> list[Expression]:
    """Return the expressions of conditions over events, with labels resolved."""
    return [resolve_labels(condition.expression, layout) for condition in conditions]


def event_layout(vocabulary: Vocabulary, goals: Sequence[str]) -> Layout:
    """Return the variables of conditions over events."""
    return Layout(vocabulary.variables(goals))


def event_ranges(vocabulary: Vocabulary, goals: Sequence[str]) -> dict[str, Range | ValueSet]:
    """Return the values that an event may have: its action, the goal just achieved, and its context."""
    found = ranges_of(event_layout(vocabulary, goals))
    found["action"] = ValueSet(frozenset(vocabulary.actions)) if vocabulary.actions else ANYTHING
    return found


def uncovered_actions(conditions: Sequence[Condition], vocabulary: Vocabulary, goals: Sequence[str]) -> tuple[str, ...]:
    """Return the actions of a closed vocabulary with which no condition can hold, whatever the context."""
    expressions = resolved(conditions, event_layout(vocabulary, goals))
    ranges = event_ranges(vocabulary, goals)

    def may_be_covered(action: str) -> bool:
        known = {**ranges, "action": ValueSet(frozenset({action}))}
        return any(is_possible(each, known) for each in expressions)

    return tuple(action for action in vocabulary.actions if not may_be_covered(action))


def find_uncovered_event(
    conditions: Sequence[Condition], vocabulary: Vocabulary, goals: Sequence[str]
) -> dict[str, Value] | None:
    """Return values of an event with which no condition holds; None if there is none, or none was found."""
    layout = event_layout(vocabulary, goals)
    expressions = resolved(conditions, layout)
    left: Ranges | None = event_ranges(vocabulary, goals)
    for each in expressions:
        left = None if left is None else narrow(each, left, wanted=False)
    if left is None:
        return None
    read = [name for name in layout.slots if any(name in names_in(each) for each in expressions)]
    tests = [bind(each, layout, BOOL) for each in expressions]
    tried = product(*(list(_candidates(name, left, expressions)) for name in read))
    for values in islice(tried, MAX_TRIED):
        chosen = dict(zip(read, values, strict=True))
        array = tuple(chosen.get(name, layout.variable(name).start) for name in layout.slots)
        try:
            if not any(test(array) for test in tests):
                return chosen
        except TelosError:  # a division by zero: observing such an event fails for another reason
            continue
    return None


def _candidates(name: str, ranges: Ranges, expressions: Iterable[Expression]) -> Iterator[Value]:
    """Yield values of a variable that make a difference to some conditions."""
    constants = [part for each in expressions for part in walk(each) if isinstance(part, Literal | Handle | Name)]
    values = ranges[name]
    if isinstance(values, Range):
        numbers = [part.value for part in constants if isinstance(part, Literal) and _is_number(part.value)]
        near = sorted({0, *(value + step for value in numbers for step in (-1, 0, 1))})
        least = min([0, *numbers])  # most numbers of games are counts, which are never below zero
        yield from (value for value in near if least <= value and values.lowest <= value <= values.highest)
    elif values.is_open:
        named = {part.value for part in constants if isinstance(part, Handle)}
        yield from (value for value in (OTHER, *sorted(map(str, named))) if value not in values.values)
    else:
        yield from sorted(values.values, key=str)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
