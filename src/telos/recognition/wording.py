"""Conditions over events: which words are labels, which are entries of the context, and what is wrong with them."""

from collections.abc import Iterable
from dataclasses import replace

from telos.core.binding import Scope, check
from telos.core.conditions import Condition
from telos.core.errors import Fault
from telos.core.expressions import And, Compare, Expression, Handle, Literal, Name, Not, Or
from telos.core.state import Layout
from telos.core.values import BOOL, Kind, Type
from telos.recognition.vocabulary import Vocabulary


def condition_faults(condition: Condition, vocabulary: Vocabulary, goals: Iterable[str]) -> list[Fault]:
    """Return everything that keeps a condition from being asked of events.

    >>> from telos.recognition.vocabulary import ADVENTURE
    >>> print(*condition_faults(Condition.of("monster > 0"), ADVENTURE, ["level"]))
    unknown variable 'monster' in `monster > 0`; did you mean 'monsters'?
    """
    layout = Layout(vocabulary.variables(goals))
    found = check(labelled(condition.expression, layout), Scope(layout), BOOL)
    return [replace(fault, text=str(condition)) for fault in found]


def labelled(expression: Expression, layout: Layout) -> Expression:
    """Return the expression in which the texts that variables are compared with stand for themselves.

    In ``cause == area`` the second word is what the cause may be, although there is an entry ``area`` as well.
    """
    match expression:
        case Not(operand):
            return replace(expression, operand=labelled(operand, layout))
        case And(parts) | Or(parts):
            return replace(expression, parts=tuple(labelled(part, layout) for part in parts))
        case Compare(_, left, right):
            return replace(expression, left=_label(left, right, layout), right=_label(right, left, layout))
        case _:
            return expression


def _label(side: Expression, other: Expression, layout: Layout) -> Expression:
    kind = _text_type(other, layout)
    if kind is None:
        return side
    match side:
        case Name(name, column) if name in kind.labels or (kind.handle and name not in layout.slots):
            return Handle(name, column)
        case Literal(None, column):
            return Handle(None, column)
        case _:
            return side


def _text_type(side: Expression, layout: Layout) -> Type | None:
    if not isinstance(side, Name) or side.name not in layout.slots:
        return None
    kind = layout.variable(side.name).type
    return kind if kind.kind in (Kind.ENUM, Kind.HANDLE) else None
