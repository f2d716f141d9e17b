"""The expression tree: conditions, values and costs after parsing.

A tree has no types or slots: ``binding`` adds them from a layout, so that one action can be used with many domains.
Every node has the column at which it was written, for faults.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from telos.core.values import Value


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, ``true``, ``false`` or ``none``."""

    value: Value
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Handle:
    """A handle that was bound to a parameter."""

    value: Value
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, a parameter, a label of an enum or a handle; the layout decides which."""

    name: str
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    operand: "Expression"
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple["Expression", ...]
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple["Expression", ...]
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """``left operator right`` with one of ``== != < <= > >=``."""

    operator: str
    left: "Expression"
    right: "Expression"
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``left operator right`` with one of ``+ - * /``; a minus sign before a value is ``0 - value``."""

    operator: str
    left: "Expression"
    right: "Expression"
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A built-in function (``min``, ``max``, ``abs``) or one that the game registers."""

    function: str
    arguments: tuple["Expression", ...]
    column: int = field(default=0, compare=False)


Expression: TypeAlias = Literal | Handle | Name | Not | And | Or | Compare | Arithmetic | Call

TRUE = Literal(True)


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct parts of an expression."""
    match expression:
        case Not(operand):
            return (operand,)
        case And(parts) | Or(parts):
            return parts
        case Compare(_, left, right) | Arithmetic(_, left, right):
            return (left, right)
        case Call(_, arguments):
            return arguments
        case _:
            return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and all expressions inside it."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def names_in(expression: Expression) -> frozenset[str]:
    """Return every name used in an expression.

    >>> from telos.core.expressions import parse_expression
    >>> sorted(names_in(parse_expression("ammo >= 1 and not hidden")))
    ['ammo', 'hidden']
    """
    return frozenset(node.name for node in walk(expression) if isinstance(node, Name))


def functions_in(expression: Expression) -> frozenset[str]:
    """Return every function called in an expression."""
    return frozenset(node.function for node in walk(expression) if isinstance(node, Call))


def rename(expression: Expression, new_name: Callable[[str], str]) -> Expression:
    """Return the expression with ``new_name`` applied to every name."""
    return _map_names(expression, lambda node: replace(node, name=new_name(node.name)))


def substitute(expression: Expression, arguments: Mapping[str, Value]) -> Expression:
    """Return the expression with every parameter in ``arguments`` replaced by the handle it is bound to."""
    if not arguments:
        return expression
    return _map_names(
        expression, lambda node: Handle(arguments[node.name], node.column) if node.name in arguments else node
    )


def _map_names(expression: Expression, of_name: Callable[[Name], Expression]) -> Expression:
    match expression:
        case Name():
            return of_name(expression)
        case Literal() | Handle():
            return expression
        case Not(operand):
            return replace(expression, operand=_map_names(operand, of_name))
        case And(parts) | Or(parts):
            return replace(expression, parts=tuple(_map_names(part, of_name) for part in parts))
        case Compare(_, left, right) | Arithmetic(_, left, right):
            return replace(expression, left=_map_names(left, of_name), right=_map_names(right, of_name))
        case Call(_, arguments):
            return replace(expression, arguments=tuple(_map_names(each, of_name) for each in arguments))


def to_text(expression: Expression) -> str:
    """Return the text of an expression; parsing it gives an equal expression.

    >>> from telos.core.expressions import parse_expression
    >>> to_text(parse_expression("(not hidden) and (ammo - 1) >= 2"))
    'not hidden and ammo - 1 >= 2'
    """
    return _format(expression, 0)


_PRECEDENCE = {Or: 1, And: 2, Not: 3, Compare: 4}
_ADDITIVE, _MULTIPLICATIVE, _NEGATIVE = 5, 6, 7


def _format(expression: Expression, around: int) -> str:
    own = _PRECEDENCE.get(type(expression), 9)
    match expression:
        case Literal(value):
            text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
            text = "none" if value is None else text
        case Handle(value):
            text = str(value)
        case Name(name):
            text = name
        case Not(operand):
            text = f"not {_format(operand, own)}"
        case And(parts) | Or(parts):
            text = f" {type(expression).__name__.lower()} ".join(_format(part, own + 1) for part in parts)
        case Compare(operator, left, right):
            text = f"{_format(left, own + 1)} {operator} {_format(right, own + 1)}"
        case Arithmetic("-", Literal(0), right):
            own = _NEGATIVE
            text = f"-{_format(right, own)}"
        case Arithmetic(operator, left, right):
            own = _ADDITIVE if operator in "+-" else _MULTIPLICATIVE
            text = f"{_format(left, own)} {operator} {_format(right, own + 1)}"
        case Call(function, arguments):
            text = f"{function}({', '.join(_format(each, 0) for each in arguments)})"
    return f"({text})" if own < around else text
