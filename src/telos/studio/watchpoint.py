"""Pausing on a condition: an expression over what can be seen of a game, asked after every step."""

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from telos.core.binding import BUILT_IN
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import And, Arithmetic, Call, Compare, Expression, Handle, Literal, Name, Not, Or
from telos.core.parser import parse_expression
from telos.core.values import Value

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SUMS: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_MISSING = object()  # the value of what is not there at the moment


class Watchpoint:
    """A condition that says when it comes true. Words that are no names are texts, as in model files.

    ``known`` are the names that it may ask about; given with their values now, a condition that holds already waits
    until it comes true again. Several values at once (of the events of one step) are compared each by itself.

    >>> watch = Watchpoint("monsters >= 2 and ffbm.top == explore", ["monsters", "ffbm.top"])
    >>> [watch.holds({"monsters": count, "ffbm.top": "explore"}) for count in (1, 2, 3, 1, 2)]
    [False, True, False, False, True]
    >>> Watchpoint("monster > 2", ["monsters"])
    Traceback (most recent call last):
    ...
    telos.core.errors.TelosError: there is no 'monster' to ask about; did you mean 'monsters'?
    """

    def __init__(self, text: str, known: Iterable[str]) -> None:
        self.text = text.strip()
        names = frozenset(known)
        self._expression = _settled(_hyphenated(parse_expression(self.text), names), names)
        self._held = self.is_true(known) if isinstance(known, Mapping) else False

    def holds(self, values: Mapping[str, Value]) -> bool:
        """Whether the condition has just come true: it holds now, and did not when it was last asked."""
        held, self._held = self._held, self.is_true(values)
        return self._held and not held

    def is_true(self, values: Mapping[str, Value]) -> bool:
        """Whether the condition is true now; what is not there makes a comparison false."""
        return _is_so(_value(self._expression, values))


# --- reading ----------------------------------------------------------------------------------------------------------


def _hyphenated(expression: Expression, known: frozenset[str]) -> Expression:
    """Return the expression in which ``kill-enemy`` is one word: goals and actions are called so, and it is no sum."""
    match expression:
        case Arithmetic("-", left, right):
            first, second = _hyphenated(left, known), _hyphenated(right, known)
            word = f"{_word(first)}-{_word(second)}"
            parts = {_word(first), _word(second)}
            if isinstance(first, Name) and None not in parts and (word in known or not parts & known):
                return Name(word, first.column)
            return replace(expression, left=first, right=second)
        case Compare(_, left, right) | Arithmetic(_, left, right):
            return replace(expression, left=_hyphenated(left, known), right=_hyphenated(right, known))
        case Not(operand):
            return replace(expression, operand=_hyphenated(operand, known))
        case And(parts) | Or(parts):
            return replace(expression, parts=tuple(_hyphenated(part, known) for part in parts))
        case Call(_, arguments):
            return replace(expression, arguments=tuple(_hyphenated(each, known) for each in arguments))
        case _:
            return expression


def _word(expression: Expression) -> str | None:
    """Return a name, or a whole number, as the part of a word with hyphens in it."""
    if isinstance(expression, Name):
        return expression.name
    is_count = isinstance(expression, Literal) and type(expression.value) is int
    return str(expression.value) if is_count and isinstance(expression, Literal) else None


def _settled(expression: Expression, known: frozenset[str]) -> Expression:
    """Return the expression with texts as handles; a name that nobody knows is refused."""
    match expression:
        case Name(name):
            if name not in known:
                raise TelosError(f"there is no {name!r} to ask about", name_hint(name, known))
            return expression
        case Compare(symbol, left, right):
            if symbol in ("==", "!="):
                left, right = _text_beside(left, right, known), _text_beside(right, left, known)
            return replace(expression, left=_settled(left, known), right=_settled(right, known))
        case Arithmetic(_, left, right):
            return replace(expression, left=_settled(left, known), right=_settled(right, known))
        case Not(operand):
            return replace(expression, operand=_settled(operand, known))
        case And(parts) | Or(parts):
            return replace(expression, parts=tuple(_settled(part, known) for part in parts))
        case Call(function, arguments):
            if function not in BUILT_IN:
                raise TelosError(f"there is no function {function!r}", name_hint(function, BUILT_IN))
            if not arguments or (function == "abs" and len(arguments) > 1):
                raise TelosError(f"{function} takes {'one value' if function == 'abs' else 'some values'}")
            return replace(expression, arguments=tuple(_settled(each, known) for each in arguments))
        case _:
            return expression


def _text_beside(side: Expression, other: Expression, known: frozenset[str]) -> Expression:
    """Return an unknown word as a text where a known name is compared with it; one with a dot was meant as a name."""
    is_word = isinstance(side, Name) and side.name not in known and "." not in side.name
    if is_word and isinstance(side, Name) and isinstance(other, Name) and other.name in known:
        return Handle(side.name, side.column)
    return side


# --- asking -----------------------------------------------------------------------------------------------------------


def _value(expression: Expression, values: Mapping[str, Value]) -> Value:
    match expression:
        case Literal(value) | Handle(value):
            return value
        case Name(name):
            return values.get(name, _MISSING)
        case Not(operand):
            return not _is_so(_value(operand, values))
        case And(parts):
            return all(_is_so(_value(part, values)) for part in parts)
        case Or(parts):
            return any(_is_so(_value(part, values)) for part in parts)
        case Compare():
            return _compared(expression, values)
        case Arithmetic(symbol, left, right):
            return _sum(symbol, _value(left, values), _value(right, values))
        case Call(function, arguments):
            numbers = [_value(each, values) for each in arguments]
            if not all(map(_is_number, numbers)):
                return _MISSING
            return abs(numbers[0]) if function == "abs" else BUILT_IN[function](numbers)


def _is_so(value: Value) -> bool:
    return _is_number(value) and bool(value)  # yes and no are numbers here; a text is neither


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float)


def _sum(symbol: str, left: Value, right: Value) -> Value:
    if not (_is_number(left) and _is_number(right)):
        return _MISSING
    try:
        return left / right if symbol == "/" else _SUMS[symbol](left, right)
    except (ZeroDivisionError, OverflowError):
        return _MISSING


def _compared(node: Compare, values: Mapping[str, Value]) -> bool:
    left, right = _value(node.left, values), _value(node.right, values)
    if left is _MISSING or right is _MISSING:
        return False
    pairs = [(one, other) for one in _each(left) for other in _each(right)]
    if node.operator in _ORDERS:
        order = _ORDERS[node.operator]
        return any(order(one, other) for one, other in pairs if _is_number(one) and _is_number(other))
    are_equal = any(_same(node, one, other) for one, other in pairs)
    return are_equal == (node.operator == "==")


def _each(value: Value) -> tuple[Value, ...]:
    return value if isinstance(value, tuple) else (value,)


def _same(node: Compare, left: Value, right: Value) -> bool:
    """Whether two values are the same. A text beside the name of a number means the word: a goal may be called so."""
    if isinstance(left, str) and isinstance(node.right, Name) and not isinstance(right, str):
        return left == node.right.name
    if isinstance(right, str) and isinstance(node.left, Name) and not isinstance(left, str):
        return right == node.left.name
    return bool(left == right)
