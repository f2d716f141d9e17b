"""`Watchpoint`: a condition over the values of a game that pauses it when it becomes true.

It has its own evaluator, because a watchpoint differs from a condition of a domain: names may be missing at times, a
name may have several values at once (the events of one step), and words such as ``kill-enemy`` contain hyphens.
"""

import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, TypeAlias

from telos.core.errors import TelosError, name_hint
from telos.core.expressions import (
    BUILT_IN,
    And,
    Arithmetic,
    Call,
    Compare,
    Expression,
    Handle,
    Literal,
    Name,
    Not,
    Or,
    parse_expression,
    rename,
    substitute,
)
from telos.core.values import FrozenMap, Value

Words: TypeAlias = Mapping[str, Collection[str]]

_ANY_WORDS: Words = FrozenMap()

_ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_MISSING = object()  # the value of a name that has none at the moment


class Watchpoint:
    """A condition that reports when it becomes true. Unknown words are texts, as in model files.

    ``known`` are the names that it may use. If it maps them to their current values, a condition that holds already
    must become false before it can trigger. ``words`` are all texts that a name may have, where they are known. If a
    name has several values (the events of one step), each is compared.

    >>> watch = Watchpoint("monsters >= 2 and ffbm.top == explore", ["monsters", "ffbm.top"])
    >>> [watch.holds({"monsters": count, "ffbm.top": "explore"}) for count in (1, 2, 3, 1, 2)]
    [False, True, False, False, True]
    >>> Watchpoint("monster > 2", ["monsters"])
    Traceback (most recent call last):
    ...
    telos.core.errors.TelosError: there is no value 'monster'; did you mean 'monsters'?
    """

    def __init__(self, text: str, known: Iterable[str], words: Words = _ANY_WORDS) -> None:
        self.text = text.strip()
        values = known if isinstance(known, Mapping) else {}
        names = frozenset(known)
        texts = frozenset(name for name, value in values.items() if isinstance(value, str))
        parsed = _parse(self.text, names, texts)
        self._expression = _resolve(_join_hyphens(parsed, names), names, texts)
        _check_words(self._expression, words)
        self._held = self.is_true(known) if isinstance(known, Mapping) else False

    @property
    def holds_already(self) -> bool:
        """Whether the condition was true when it was looked at last: it must become false before it can trigger."""
        return self._held

    def holds(self, values: Mapping[str, Value]) -> bool:
        """Return whether the condition has just become true: it holds now and did not at the last call."""
        held, self._held = self._held, self.is_true(values)
        return self._held and not held

    def is_true(self, values: Mapping[str, Value]) -> bool:
        """Return whether the condition is true now; a comparison with a missing value is false."""
        return _is_true(_evaluate(self._expression, values))


# --- parsing ----------------------------------------------------------------------------------------------------------


_COMPARED = re.compile(
    r"(?<![\w.-])(?P<name>[A-Za-z_][\w.]*)(?P<sign>\s*[!=]=\s*)(?P<word>[A-Za-z_][\w.]*[-.][\w.-]*\w)"
)
_SIMILAR = 0.8  # of two words, from which on one is a misspelling of the other


def _parse(text: str, known: frozenset[str], texts: frozenset[str]) -> Expression:
    """Parse a condition with names such as ``player-0.action``, and with words such as ``light-fire`` beside texts."""
    original, names, words = text, dict[str, str](), dict[str, Value]()
    for name in sorted((each for each in known if "-" in each), key=len, reverse=True):
        found = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", f"zzname{len(names)}", text)
        if found != text:
            names[f"zzname{len(names)}"], text = name, found

    def shield(match: re.Match[str]) -> str:
        name, word = match["name"], match["word"]
        if names.get(name, name) not in texts or word in known or _is_misspelt(word, known):
            return match[0]
        words[f"zzword{len(words)}"] = word
        return f"{name}{match['sign']}zzword{len(words) - 1}"

    shielded = _COMPARED.sub(shield, text)
    try:
        expression = parse_expression(shielded)
    except TelosError:
        parse_expression(original)  # its message quotes what was written
        raise
    return rename(substitute(expression, words), lambda name: names.get(name, name))


def _is_misspelt(word: str, known: frozenset[str]) -> bool:
    return "." in word and bool(get_close_matches(word, known, 1, _SIMILAR))


def _join_hyphens(expression: Expression, known: frozenset[str]) -> Expression:
    """Return the expression with ``kill-enemy`` read as one word rather than a subtraction."""
    match expression:
        case Arithmetic("-", left, right):
            first, second = _join_hyphens(left, known), _join_hyphens(right, known)
            word = f"{_word(first)}-{_word(second)}"
            parts = {_word(first), _word(second)}
            if isinstance(first, Name) and None not in parts and (word in known or not parts & known):
                return Name(word, first.column)
            return replace(expression, left=first, right=second)
        case Compare(_, left, right) | Arithmetic(_, left, right):
            return replace(expression, left=_join_hyphens(left, known), right=_join_hyphens(right, known))
        case Not(operand):
            return replace(expression, operand=_join_hyphens(operand, known))
        case And(parts) | Or(parts):
            return replace(expression, parts=tuple(_join_hyphens(part, known) for part in parts))
        case Call(_, arguments):
            return replace(expression, arguments=tuple(_join_hyphens(each, known) for each in arguments))
        case _:
            return expression


def _word(expression: Expression) -> str | None:
    """Return a name or a whole number as a part of a hyphenated word."""
    if isinstance(expression, Name):
        return expression.name
    is_count = isinstance(expression, Literal) and type(expression.value) is int
    return str(expression.value) if is_count and isinstance(expression, Literal) else None


def _resolve(expression: Expression, known: frozenset[str], texts: frozenset[str]) -> Expression:
    """Return the expression with words as handles; raise for an unknown name. ``texts`` are the names of texts."""
    match expression:
        case Name(name):
            if name not in known:
                raise TelosError(f"there is no value {name!r}", name_hint(name, known))
            return expression
        case Compare(symbol, left, right):
            if symbol in ("==", "!="):
                left, right = _as_text(left, right, known, texts), _as_text(right, left, known, texts)
            return replace(expression, left=_resolve(left, known, texts), right=_resolve(right, known, texts))
        case Arithmetic(_, left, right):
            return replace(expression, left=_resolve(left, known, texts), right=_resolve(right, known, texts))
        case Not(operand):
            return replace(expression, operand=_resolve(operand, known, texts))
        case And(parts) | Or(parts):
            return replace(expression, parts=tuple(_resolve(part, known, texts) for part in parts))
        case Call(function, arguments):
            if function not in BUILT_IN:
                raise TelosError(f"there is no function {function!r}", name_hint(function, BUILT_IN))
            if not arguments or (function == "abs" and len(arguments) > 1):
                raise TelosError(f"{function} takes {'one value' if function == 'abs' else 'some values'}")
            return replace(expression, arguments=tuple(_resolve(each, known, texts) for each in arguments))
        case _:
            return expression


def _as_text(side: Expression, other: Expression, known: frozenset[str], texts: frozenset[str]) -> Expression:
    """Return an unknown word that is compared with a known name as a text.

    A word with a dot (``fridge.get-snack``) is a text only beside a name whose value is a text now, and if it resembles
    no name: otherwise it is more likely a misspelt name.
    """
    if not isinstance(side, Name) or side.name in known or not isinstance(other, Name) or other.name not in known:
        return side
    is_text = "." not in side.name or (other.name in texts and not _is_misspelt(side.name, known))
    return Handle(side.name, side.column) if is_text else side


def _check_words(expression: Expression, words: Words) -> None:
    """Raise for a comparison of a name with a text that it never has."""
    match expression:
        case Compare("==" | "!=", Name(name), Handle(text)) | Compare("==" | "!=", Handle(text), Name(name)):
            if name in words and text not in words[name]:
                raise TelosError(f"{name} is never {text!r}", name_hint(text, words[name]))
        case Not(operand):
            _check_words(operand, words)
        case And(parts) | Or(parts):
            for part in parts:
                _check_words(part, words)


# --- evaluation -------------------------------------------------------------------------------------------------------


def _evaluate(expression: Expression, values: Mapping[str, Value]) -> Value:
    match expression:
        case Literal(value) | Handle(value):
            return value
        case Name(name):
            return values.get(name, _MISSING)
        case Not(operand):
            return not _is_true(_evaluate(operand, values))
        case And(parts):
            return all(_is_true(_evaluate(part, values)) for part in parts)
        case Or(parts):
            return any(_is_true(_evaluate(part, values)) for part in parts)
        case Compare():
            return _compare(expression, values)
        case Arithmetic(symbol, left, right):
            return _calculate(symbol, _evaluate(left, values), _evaluate(right, values))
        case Call(function, arguments):
            numbers = [_evaluate(each, values) for each in arguments]
            if not all(map(_is_number, numbers)):
                return _MISSING
            return abs(numbers[0]) if function == "abs" else BUILT_IN[function](numbers)


def _is_true(value: Value) -> bool:
    return _is_number(value) and bool(value)  # true and false are numbers; a text is neither


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float)


def _calculate(symbol: str, left: Value, right: Value) -> Value:
    if not (_is_number(left) and _is_number(right)):
        return _MISSING
    try:
        return left / right if symbol == "/" else _OPERATIONS[symbol](left, right)
    except (ZeroDivisionError, OverflowError):
        return _MISSING


def _compare(node: Compare, values: Mapping[str, Value]) -> bool:
    left, right = _evaluate(node.left, values), _evaluate(node.right, values)
    if left is _MISSING or right is _MISSING:
        return False
    pairs = [(one, other) for one in _as_tuple(left) for other in _as_tuple(right)]
    if node.operator in _ORDERINGS:
        order = _ORDERINGS[node.operator]
        return any(order(one, other) for one, other in pairs if _is_number(one) and _is_number(other))
    are_equal = any(_is_equal(node, one, other) for one, other in pairs)
    return are_equal == (node.operator == "==")


def _as_tuple(value: Value) -> tuple[Value, ...]:
    return value if isinstance(value, tuple) else (value,)


def _is_equal(node: Compare, left: Value, right: Value) -> bool:
    """Return whether two values are equal. A text compared with the name of a number means the word itself."""
    if isinstance(left, str) and isinstance(node.right, Name) and not isinstance(right, str):
        return left == node.right.name
    if isinstance(right, str) and isinstance(node.left, Name) and not isinstance(left, str):
        return right == node.left.name
    return bool(left == right)
