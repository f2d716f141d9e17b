"""Conditions over the columns of a table, such as ``action == noop``, as expressions of the data-frame engine."""

from collections.abc import Mapping

from telos.core.conditions import Condition
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import And, Arithmetic, Compare, Expression, Literal, Name, Not, Or, names, text
from telos.telemetry.frames import pl

Schema = Mapping[str, pl.DataType]

_TRUE = ("true", "1", "yes")


def as_expression(condition: Condition, schema: Schema) -> pl.Expr:
    """Return the expression that is true in the rows for which ``condition`` holds, and false in all others.

    A name that is no column is a label; a number is compared with numbers, also with those written as text.
    """
    return _truth(condition.expression, schema).fill_null(False)


def _truth(expression: Expression, schema: Schema) -> pl.Expr:
    match expression:
        case Literal(bool(value)):
            return pl.lit(value)
        case Not(operand):
            return ~_truth(operand, schema).fill_null(False)
        case And(parts):
            return pl.all_horizontal(*(_truth(part, schema).fill_null(False) for part in parts))
        case Or(parts):
            return pl.any_horizontal(*(_truth(part, schema).fill_null(False) for part in parts))
        case Compare(operator, left, right):
            return _compared(operator, left, right, schema)
        case Name(name):
            return _flag(_known(name, schema), schema)
    raise TelosError(f"`{text(expression)}` is not true or false", f"compare it, as in `{text(expression)} == 1`")


def _known(name: str, schema: Schema) -> str:
    if name not in schema:
        raise TelosError(f"there is no column {name!r}", name_hint(name, schema))
    if schema[name].is_nested():
        raise TelosError(f"column {name!r} holds {schema[name]}, which no condition can compare", "name another")
    return name


def _flag(name: str, schema: Schema) -> pl.Expr:
    """Return whether a column says yes, in whichever of the usual ways."""
    column = pl.col(name)
    if schema[name] == pl.Boolean:
        return column
    if schema[name].is_numeric():
        return column != 0
    return column.cast(pl.String).str.to_lowercase().is_in(_TRUE)


def _compared(operator: str, left: Expression, right: Expression, schema: Schema) -> pl.Expr:
    spoken = names(left) | names(right)
    if not any(name in schema for name in spoken):
        word = min(spoken, default=text(left))
        raise TelosError(f"`{text(left)} {operator} {text(right)}` names no column", name_hint(word, schema))
    match left, right:
        case Name(name), Literal(None):
            return _is_empty(name, schema) if operator == "==" else ~_is_empty(name, schema)
        case Name(name), Literal(bool(value)):
            said = _flag(_known(name, schema), schema).fill_null(False)
            return said if value == (operator == "==") else ~said
        case Name(one_name), Name(other_name) if not _are_numbers(one_name, other_name, schema):
            if operator not in ("==", "!="):
                raise TelosError(f"`{one_name} {operator} {other_name}`: labels have no order", "use == or !=")
            one, other = _text(one_name, schema), _text(other_name, schema)
        case _:
            one, other = (_number(side, schema) for side in (left, right))
    return {
        "==": one.eq_missing(other),
        "!=": one.ne_missing(other),
        "<": one < other,
        "<=": one <= other,
        ">": one > other,
        ">=": one >= other,
    }[operator]


def _is_empty(name: str, schema: Schema) -> pl.Expr:
    column = pl.col(_known(name, schema))
    return column.is_null() | (column == "") if schema[name] == pl.String else column.is_null()


def _are_numbers(one: str, other: str, schema: Schema) -> bool:
    return all(name in schema and schema[name].is_numeric() for name in (one, other))


def _text(name: str, schema: Schema) -> pl.Expr:
    return pl.col(_known(name, schema)).cast(pl.String) if name in schema else pl.lit(name)


def _number(expression: Expression, schema: Schema) -> pl.Expr:
    match expression:
        case Literal(value) if isinstance(value, int | float):
            return pl.lit(float(value))
        case Name(name):
            if schema[_known(name, schema)].is_temporal():
                raise TelosError(f"column {name!r} holds {schema[name]}", "conditions compare numbers and labels")
            return pl.col(name).cast(pl.Float64, strict=False)
        case Arithmetic(operator, left, right):
            one, other = _number(left, schema), _number(right, schema)
            return {"+": one + other, "-": one - other, "*": one * other, "/": one / other}[operator]
    raise TelosError(f"`{text(expression)}` is no number", "compare columns with numbers, or with labels")
