"""What conditions can be: the values that variables may have, narrowed by conditions (interval arithmetic).

``narrow`` returns the values with which a condition may hold, or None if it cannot hold. The answer None is a proof;
any other answer may include values with which the condition does not hold.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from telos.core.expressions.tree import And, Arithmetic, Call, Compare, Expression, Handle, Literal, Name, Not, Or
from telos.core.state import Layout
from telos.core.values import Value, ValueKind, Variable

EXACT = 2.0**53  # floats hold integers up to this one exactly
_NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from ``lowest`` to ``highest``; only integers if ``is_whole``."""

    lowest: float = -math.inf
    highest: float = math.inf
    is_whole: bool = False

    def meet(self, other: "Range") -> "Range | None":
        """Return the numbers of both; None if there are none."""
        whole = self.is_whole or other.is_whole
        lowest, highest = max(self.lowest, other.lowest), min(self.highest, other.highest)
        if whole:
            lowest, highest = _rounded(lowest, up=True), _rounded(highest, up=False)
        return Range(lowest, highest, whole) if lowest <= highest else None

    def join(self, other: "Range") -> "Range":
        """Return a range that has the numbers of either."""
        whole = self.is_whole and other.is_whole
        return Range(min(self.lowest, other.lowest), max(self.highest, other.highest), whole)

    def without(self, value: float) -> "Range | None":
        """Return the range without a number, as far as it is an end of the range."""
        if self.lowest == self.highest == value:
            return None
        lowest = _next(self.lowest, self.is_whole) if self.lowest == value else self.lowest
        highest = -_next(-self.highest, self.is_whole) if self.highest == value else self.highest
        return Range(lowest, highest, self.is_whole) if lowest <= highest else None

    @property
    def only(self) -> float | None:
        """Return the number if there is only one."""
        return self.lowest if self.lowest == self.highest else None


@dataclass(frozen=True, slots=True)
class ValueSet:
    """Some values of a flag, an enum, a handle or a text; with ``is_open``, all values but these."""

    values: frozenset[Value] = frozenset()
    is_open: bool = False

    def meet(self, other: "ValueSet") -> "ValueSet | None":
        """Return the values of both; None if there are none."""
        if self.is_open and other.is_open:
            return ValueSet(self.values | other.values, is_open=True)
        if self.is_open or other.is_open:
            closed, opened = (other, self) if self.is_open else (self, other)
            left = closed.values - opened.values
        else:
            left = self.values & other.values
        return ValueSet(left) if left else None

    def join(self, other: "ValueSet") -> "ValueSet":
        """Return the values of either."""
        if self.is_open and other.is_open:
            return ValueSet(self.values & other.values, is_open=True)
        if self.is_open or other.is_open:
            closed, opened = (other, self) if self.is_open else (self, other)
            return ValueSet(opened.values - closed.values, is_open=True)
        return ValueSet(self.values | other.values)

    def without(self, value: Value) -> "ValueSet | None":
        """Return the values apart from one."""
        return self.meet(ValueSet(frozenset({value}), is_open=True))


Values: TypeAlias = Range | ValueSet
Ranges: TypeAlias = Mapping[str, Values]  # by the name of a variable

ANYTHING = ValueSet(is_open=True)
FLAGS = ValueSet(frozenset({True, False}))


def values_of(variable: Variable) -> Values:
    """Return the values that a variable may have by its type."""
    match variable.type.kind:
        case ValueKind.BOOL:
            return FLAGS
        case ValueKind.INT:
            return Range(is_whole=True)
        case ValueKind.NUMBER:
            return Range()
        case ValueKind.ENUM:
            return ValueSet(frozenset({*variable.type.labels, variable.start}))
        case _:
            return ANYTHING


def ranges_of(layout: Layout) -> dict[str, Values]:
    """Return the values that the variables of a layout may have by their types."""
    return {variable.name: values_of(variable) for variable in layout.variables}


def join(one: Values, other: Values) -> Values:
    """Return the values of either."""
    if isinstance(one, Range) and isinstance(other, Range):
        return one.join(other)
    return one.join(other) if isinstance(one, ValueSet) and isinstance(other, ValueSet) else ANYTHING


def widen(before: Values, after: Values) -> Values:
    """Return ``after`` with every end that has moved put at infinity, so that growing comes to an end."""
    if not (isinstance(before, Range) and isinstance(after, Range)):
        return after
    lowest = after.lowest if after.lowest == before.lowest else -math.inf
    highest = after.highest if after.highest == before.highest else math.inf
    return Range(lowest, highest, after.is_whole)


def evaluate(expression: Expression, ranges: Ranges) -> Values:
    """Return the values that an expression may have. A name that is no variable is a label or a handle.

    >>> from telos.core.expressions import parse_expression
    >>> evaluate(parse_expression("2 * ammo + 1"), {"ammo": Range(0, 3, is_whole=True)})
    Range(lowest=1.0, highest=7.0, is_whole=True)
    """
    match expression:
        case Literal(value) | Handle(value):
            if isinstance(value, int | float) and not isinstance(value, bool):
                return _from_ends([float(value)] * 2, isinstance(value, int), is_exact=True)
            return ValueSet(frozenset({value}))
        case Name(name):
            return ranges.get(name, ValueSet(frozenset({name})))
        case Arithmetic(symbol, left, right):
            one, other = evaluate(left, ranges), evaluate(right, ranges)
            return _calculate(symbol, one, other) if isinstance(one, Range) and isinstance(other, Range) else Range()
        case Call(function, arguments):
            return _call(function, [evaluate(argument, ranges) for argument in arguments])
        case _:
            return ValueSet(
                frozenset(value for value in (True, False) if narrow(expression, ranges, value) is not None)
            )


def narrow(expression: Expression, ranges: Ranges, wanted: bool = True) -> Ranges | None:
    """Return the values with which a condition may be ``wanted``; None if it cannot be.

    >>> from telos.core.expressions import parse_expression
    >>> narrow(parse_expression("fish >= 0.2 and fish <= 0.8"), {"fish": Range(0, 1)})
    {'fish': Range(lowest=0.2, highest=0.8, is_whole=False)}
    >>> narrow(parse_expression("fish > 80"), {"fish": Range(0, 1)}) is None
    True
    """
    match expression:
        case Not(operand):
            return narrow(operand, ranges, not wanted)
        case And(parts) | Or(parts):
            if isinstance(expression, And) == wanted:
                return _narrow_all(parts, ranges, wanted)
            return _join_all(narrow(part, ranges, wanted) for part in parts)
        case Compare(operator, left, right):
            return _narrow_comparison(operator if wanted else _NEGATED[operator], left, right, ranges)
        case Literal(bool() as value):
            return ranges if value == wanted else None
        case Name(name) if name in ranges:
            return _narrow_name(expression, ranges[name], ValueSet(frozenset({wanted})), ranges)
        case _:
            return ranges  # a function of the game


def is_possible(expression: Expression, ranges: Ranges) -> bool:
    """Whether a condition may hold; if not, that is certain."""
    return narrow(expression, ranges) is not None


def is_certain(expression: Expression, ranges: Ranges) -> bool:
    """Whether a condition holds with all values; false if that is not known."""
    return narrow(expression, ranges, wanted=False) is None


def _narrow_all(parts: Iterable[Expression], ranges: Ranges, wanted: bool) -> Ranges | None:
    found = ranges
    for part in [*parts] * 2:  # a later part may narrow what an earlier one compares with
        narrowed = narrow(part, found, wanted)
        if narrowed is None:
            return None
        found = narrowed
    return found


def _join_all(branches: Iterable[Ranges | None]) -> Ranges | None:
    possible = [branch for branch in branches if branch is not None]
    if not possible:
        return None
    joined = dict(possible[0])
    for branch in possible[1:]:
        for name, values in branch.items():
            joined[name] = join(joined[name], values)
    return joined


def _narrow_comparison(operator: str, left: Expression, right: Expression, ranges: Ranges) -> Ranges | None:
    found: Ranges | None = ranges
    for relation, side, against in ((operator, left, right), (_MIRRORED[operator], right, left)):
        if found is None:
            return None
        own, other = evaluate(side, found), evaluate(against, found)
        if isinstance(own, Range) and isinstance(other, Range):
            found = _narrow_number(relation, side, own, other, found)
        elif isinstance(own, ValueSet) and isinstance(other, ValueSet):
            found = _narrow_choice(relation, side, own, other, found)
    return found


def _narrow_number(operator: str, side: Expression, own: Range, other: Range, ranges: Ranges) -> Ranges | None:
    allowed: Range | None
    are_whole = own.is_whole and other.is_whole
    match operator:
        case "==":
            allowed = other
        case "!=":
            allowed = own if other.only is None else own.without(other.only)
        case "<=":
            allowed = Range(highest=other.highest)
        case "<":
            allowed = Range(highest=-_next(-other.highest, are_whole))
        case ">=":
            allowed = Range(other.lowest)
        case _:
            allowed = Range(_next(other.lowest, are_whole))
    return None if allowed is None else _narrow_name(side, own, allowed, ranges)


def _narrow_choice(operator: str, side: Expression, own: ValueSet, other: ValueSet, ranges: Ranges) -> Ranges | None:
    if operator == "==":
        return _narrow_name(side, own, other, ranges)
    is_single = len(other.values) == 1 and not other.is_open
    return _narrow_name(side, own, ValueSet(other.values, is_open=True), ranges) if is_single else ranges


def _narrow_name(side: Expression, own: Values, allowed: Values, ranges: Ranges) -> Ranges | None:
    """Return the ranges with one side of a comparison narrowed, if it is a variable; None if it has no value left."""
    if isinstance(own, Range) and isinstance(allowed, Range):
        left: Values | None = own.meet(allowed)
    elif isinstance(own, ValueSet) and isinstance(allowed, ValueSet):
        left = own.meet(allowed)
    else:
        return ranges
    if left is None:
        return None
    return {**ranges, side.name: left} if isinstance(side, Name) and side.name in ranges else ranges


# --- arithmetic -------------------------------------------------------------------------------------------------------


def _next(value: float, is_whole: bool) -> float:
    """Return the next larger number."""
    if math.isinf(value):
        return value
    return math.floor(value) + 1 if is_whole else math.nextafter(value, math.inf)


def _rounded(value: float, *, up: bool) -> float:
    if math.isinf(value):
        return value
    return math.ceil(value) if up else math.floor(value)


def _calculate(symbol: str, one: Range, other: Range) -> Range:
    whole = one.is_whole and other.is_whole and symbol != "/"
    match symbol:
        case "+":
            ends = [one.lowest + other.lowest, one.highest + other.highest]
        case "-":
            ends = [one.lowest - other.highest, one.highest - other.lowest]
        case "*":
            ends = [_times(a, b) for a in (one.lowest, one.highest) for b in (other.lowest, other.highest)]
        case _:
            return _divide(one, other)
    return _from_ends(ends, whole)


def _divide(one: Range, other: Range) -> Range:
    if other.lowest <= 0 <= other.highest:
        return Range()
    return _from_ends([_over(a, b) for a in (one.lowest, one.highest) for b in (other.lowest, other.highest)], False)


def _times(one: float, other: float) -> float:
    return 0.0 if 0 in (one, other) else one * other  # an end that is infinite stands for large numbers


def _over(one: float, other: float) -> float:
    return 0.0 if math.isinf(other) else one / other


def _call(function: str, arguments: list[Values]) -> Values:
    numbers = [each for each in arguments if isinstance(each, Range)]
    if function not in ("min", "max", "abs") or len(numbers) != len(arguments) or not numbers:
        return Range() if function in ("min", "max", "abs") else ANYTHING
    whole = all(each.is_whole for each in numbers)
    if function == "abs":
        (one,) = numbers[:1]
        ends = [abs(one.lowest), abs(one.highest)]
        return Range(0.0 if one.lowest <= 0 <= one.highest else min(ends), max(ends), whole)
    pick = min if function == "min" else max
    return Range(pick(each.lowest for each in numbers), pick(each.highest for each in numbers), whole)


def _from_ends(ends: list[float], whole: bool, *, is_exact: bool = False) -> Range:
    if any(math.isnan(each) for each in ends):
        return Range(is_whole=whole)
    lowest, highest = min(ends), max(ends)
    if whole:  # floats hold larger integers only roughly
        lowest = -math.inf if lowest < -EXACT else min(lowest, EXACT)
        highest = math.inf if highest > EXACT else max(highest, -EXACT)
    elif not is_exact:  # sums and products of floats are rounded
        lowest, highest = math.nextafter(lowest, -math.inf), math.nextafter(highest, math.inf)
    return Range(lowest, highest, whole)
