"""Type-check expressions against a layout, and compile them to functions of a state's array."""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.expressions.tree import (
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
    to_text,
)
from telos.core.state import Layout
from telos.core.values import ANY, BOOL, INT, NONE, NUMBER, Type, Value, ValueKind

Slots: TypeAlias = tuple[Value, ...]
Bound: TypeAlias = Callable[[Slots], Value]

BUILT_IN: dict[str, Callable[..., Any]] = {"min": min, "max": max, "abs": abs}
# What other languages call the literals of this one.
_LITERALS_MEANT = dict.fromkeys(("yes", "on", "true"), "true") | dict.fromkeys(("no", "off", "false"), "false")
_LITERALS_MEANT |= dict.fromkeys(("none", "null", "nil"), "none")
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


class Scope:
    """The names that an expression may use: variables and handles of a layout, and parameters of an action."""

    def __init__(self, layout: Layout, parameters: Mapping[str, Type] | None = None) -> None:
        self.layout = layout
        self.parameters = dict(parameters or {})

    def type_of(self, name: str) -> Type | None:
        """Return the type of a name; None if it can only be a label."""
        if name in self.parameters:
            return self.parameters[name]
        if name in self.layout.slots:
            return self.layout.variable(name).type
        return self.layout.handles.get(name)

    def __iter__(self) -> Iterator[str]:
        return iter({**self.parameters, **self.layout.slots, **self.layout.handles})


def check_expression(expression: Expression, scope: Scope, wanted: Type) -> list[Fault]:
    """Return the faults of ``expression`` as a value of type ``wanted`` in this scope."""
    checker = _Checker(scope)
    found = checker.type_of(expression, wanted)
    if not checker.faults and not wanted.takes(found):
        what = "a condition (true or false)" if wanted == BOOL else str(wanted)
        checker.fault(
            expression,
            f"{to_text(expression)!r} is {_describe(found)}, where {what} is wanted",
            code=FaultCode.WRONG_TYPE,
        )
    return checker.faults


class _Checker:
    """Infers the type of every part and collects faults."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.faults: list[Fault] = []

    def fault(
        self, part: Expression, message: str, suggestion: str = "", *, code: FaultCode = FaultCode.INVALID
    ) -> Type:
        self.faults.append(Fault(message, suggestion=suggestion, offset=part.column, code=code))
        return ANY  # so that one mistake is reported once

    def type_of(self, expression: Expression, hint: Type = ANY) -> Type:
        match expression:
            case Literal(value):
                return _type_of_literal(value)
            case Handle():
                return ANY  # it was checked against its parameter when it was bound
            case Name(name):
                return self.name(expression, name, hint)
            case Not(operand):
                self.want(operand, BOOL)
                return BOOL
            case And(parts) | Or(parts):
                for part in parts:
                    self.want(part, BOOL)
                return BOOL
            case Compare():
                return self.comparison(expression)
            case Arithmetic(symbol, left, right):
                kinds = [self.want(left, NUMBER), self.want(right, NUMBER)]
                return INT if symbol != "/" and kinds == [INT, INT] else NUMBER
            case Call():
                return self.call(expression)

    def name(self, node: Expression, name: str, hint: Type) -> Type:
        known = self.scope.type_of(name)
        if known is not None:
            return known
        if hint.kind is ValueKind.ENUM:
            if name in hint.labels:
                return hint
            return self.fault(
                node, f"{name!r} is not one of {hint}", name_hint(name, hint.labels), code=FaultCode.UNKNOWN_NAME
            )
        meant = _LITERALS_MEANT.get(name.lower())
        remedy = f"write `{meant}`" if meant else name_hint(name, self.scope)
        return self.fault(node, f"unknown variable {name!r}", remedy, code=FaultCode.UNKNOWN_NAME)

    def want(self, part: Expression, wanted: Type) -> Type:
        found = self.type_of(part, wanted)
        if not wanted.takes(found):
            return self.fault(
                part,
                f"{to_text(part)!r} is {_describe(found)}, where {_describe(wanted)} is wanted",
                code=FaultCode.WRONG_TYPE,
            )
        return found

    def comparison(self, node: Compare) -> Type:
        sides = [node.left, node.right]
        unknown = [isinstance(side, Name) and self.scope.type_of(side.name) is None for side in sides]
        if all(unknown):
            self.type_of(node.left)  # `taget == alive`: with the variable corrected, the label may be right
            return BOOL
        if unknown[0]:
            sides.reverse()  # `alive == target`: the label takes its type from the variable
        first = self.type_of(sides[0])
        second = self.type_of(sides[1], first)
        if not (first.takes(second) or second.takes(first)):
            message = f"cannot compare {_describe(first)} with {_describe(second)}"
            self.fault(node, message, _comparison_remedy(node, (first, second)), code=FaultCode.WRONG_TYPE)
        elif node.operator not in ("==", "!=") and not (first.is_numeric and second.is_numeric):
            other = second if first.is_numeric else first
            self.fault(
                node,
                f"{_describe(other)} has no order, so {node.operator!r} says nothing",
                "use == or !=",
                code=FaultCode.WRONG_TYPE,
            )
        return BOOL

    def call(self, node: Call) -> Type:
        if node.function not in BUILT_IN:
            for argument in node.arguments:
                self.type_of(argument)
            return ANY
        fewest, most = (1, 1) if node.function == "abs" else (2, 99)
        if not fewest <= len(node.arguments) <= most:
            count = "one value" if fewest == 1 else "at least two values"
            return self.fault(
                node, f"{node.function} takes {count}, not {len(node.arguments)}", code=FaultCode.WRONG_COUNT
            )
        kinds = [self.want(argument, NUMBER) for argument in node.arguments]
        return INT if all(kind == INT for kind in kinds) else NUMBER


def _comparison_remedy(node: Compare, kinds: tuple[Type, Type]) -> str:
    """Return what to write in place of a comparison of a flag with a number, as in ``fed == 1``."""
    flag, number = (node.left, node.right) if isinstance(node.right, Literal) else (node.right, node.left)
    if BOOL not in kinds or not (isinstance(flag, Name) and isinstance(number, Literal)):
        return ""
    if number.value in (0, 1) and node.operator in ("==", "!="):
        return f"write `{flag.name}`" if (node.operator == "==") == bool(number.value) else f"write `not {flag.name}`"
    return f"write `{flag.name}` or `not {flag.name}`"


def _type_of_literal(value: Value) -> Type:
    if value is None:
        return NONE
    return {bool: BOOL, int: INT, float: NUMBER}[type(value)]


def _describe(found: Type) -> str:
    if found == NONE:
        return "none"
    return {ValueKind.BOOL: "true or false", ValueKind.INT: "an integer", ValueKind.NUMBER: "a number"}.get(
        found.kind, f"{found}"
    )


def bind(expression: Expression, layout: Layout, wanted: Type) -> Bound:
    """Return the function from a state's array to the value of ``expression``; compiled once for each layout."""
    known = layout.bound.get(id(expression))
    if known is None:
        faults = check_expression(expression, Scope(layout), wanted)
        if faults:
            raise DefinitionError(faults)
        known = (expression, _compile(expression, layout))  # holding the expression keeps its id from being reused
        layout.bound[id(expression)] = known
    function: Bound = known[1]
    return function


def _compile(expression: Expression, layout: Layout) -> Bound:
    match expression:
        case Literal(value) | Handle(value):
            return lambda _: value
        case Name(name):
            if name not in layout.slots:
                return lambda _: name  # the value of a label or a handle is its name
            return operator.itemgetter(layout.slots[name])
        case Not(operand):
            inner = _compile(operand, layout)
            return lambda slots: not inner(slots)
        case And(parts):
            return _all([_compile(part, layout) for part in parts])
        case Or(parts):
            none_of = _all([_compile(Not(part), layout) for part in parts])
            return lambda slots: not none_of(slots)
        case Compare(symbol, left, right) | Arithmetic(symbol, left, right):
            return _operation(symbol, left, right, layout)
        case Call(name, arguments):
            return _call(name, [_compile(argument, layout) for argument in arguments], layout)


def _all(parts: Sequence[Bound]) -> Bound:
    def all_hold(slots: Slots) -> bool:
        for part in parts:  # a loop is faster than all(...) over a generator
            if not part(slots):
                return False
        return True

    return all_hold


def _operation(symbol: str, left: Expression, right: Expression, layout: Layout) -> Bound:
    apply = _OPERATORS[symbol]
    first, second = _compile(left, layout), _compile(right, layout)
    if isinstance(left, Name) and left.name in layout.slots and isinstance(right, Literal):
        slot, value = layout.slots[left.name], right.value  # `ammo >= 1`: the form of most conditions
        if symbol != "/":
            return lambda slots: apply(slots[slot], value)
    if symbol != "/":
        return lambda slots: apply(first(slots), second(slots))

    def divide(slots: Slots) -> Value:
        divisor = second(slots)
        if divisor == 0:
            raise TelosError(f"division by zero in `{to_text(Arithmetic('/', left, right))}`")
        return apply(first(slots), divisor)

    return divide


def _call(name: str, arguments: Sequence[Bound], layout: Layout) -> Bound:
    function = layout.functions.get(name, BUILT_IN.get(name))
    if function is None:
        raise TelosError(
            f"function {name!r} is not built in and the game has not registered it",
            f"pass functions={{{name!r}: ...}} when the domain is made ({name_hint(name, BUILT_IN)})",
        )
    return lambda slots: function(*(argument(slots) for argument in arguments))
