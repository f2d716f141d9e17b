"""Fields of tables: columns, entries of nested columns, and expressions over them, as polars expressions.

``Fields`` looks names up in a table: a column, or ``params.x``, the entry ``x`` of a struct column or of a text column
that holds JSON objects. ``as_expression`` compiles conditions, ``as_number`` arithmetic; nothing is ever evaluated as
code.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping

from telos.core.conditions import Condition
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import (
    And,
    Arithmetic,
    Call,
    Compare,
    Expression,
    Literal,
    Name,
    Not,
    Or,
    names_in,
    to_text,
)
from telos.telemetry.tables import pl

Schema = Mapping[str, pl.DataType]

_MAX_LEVELS = 32  # of entries in entries
_TRUE = ("true", "1", "yes")


class Fields(Mapping[str, pl.DataType]):
    """The types of the fields of a table by name; columns with nested entries included.

    >>> Fields({"hp": pl.Int64(), "params": pl.String()})["params.x"]
    String
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def __getitem__(self, name: str) -> pl.DataType:
        found = self._find(name)
        if found is None:
            raise KeyError(name)
        return found[1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._schema)

    def __len__(self) -> int:
        return len(self._schema)

    def expression(self, name: str) -> pl.Expr:
        """Return the expression of a field; an unknown one raises a ``TelosError``."""
        found = self._find(name)
        if found is None:
            raise TelosError(f"there is no column {name!r}", name_hint(name, self._schema))
        return found[0]

    def _find(self, name: str) -> tuple[pl.Expr, pl.DataType] | None:
        root = self.root(name)
        if root is None:
            return None
        expression, kind = pl.col(root), self._schema[root]
        rest = name[len(root) + 1 :]
        if rest.count(".") >= _MAX_LEVELS:
            return None
        while rest and isinstance(kind, pl.Struct):
            known = {field.name: field.dtype for field in kind.fields}
            entry = _longest_start(rest, known)
            if entry is None:
                return None
            rest = rest[len(entry) + 1 :]
            expression, kind = expression.struct.field(entry), _instance(known[entry])
        if rest and kind == pl.String:
            path = "$" + "".join(f"[{json.dumps(part, ensure_ascii=False)}]" for part in rest.split("."))
            return expression.str.json_path_match(path), pl.String()
        return None if rest else (expression, kind)

    def root(self, name: str) -> str | None:
        """Return the column that a field is in: the longest name of a column that the name starts with."""
        return _longest_start(name, self._schema)


def _longest_start(name: str, known: Collection[str]) -> str | None:
    """Return the longest known name that a dotted name is or starts with: known names may have dots, too."""
    if name in known or "." not in name:
        return name if name in known else None
    return max((each for each in known if name.startswith(f"{each}.")), key=len, default=None)


def _instance(kind: object) -> pl.DataType:
    found = kind() if isinstance(kind, type) else kind
    assert isinstance(found, pl.DataType)
    return found


def as_text(expression: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """Return a field as text: 12.0 is 12, since tables with gaps hold whole numbers as floats; nothing is null."""
    if kind.is_float():
        is_whole = expression.is_finite() & (expression == expression.round(0)) & (expression.abs() < 1e15)
        whole = pl.when(is_whole).then(expression).cast(pl.Int64, strict=False).cast(pl.String)
        text = pl.coalesce(whole, pl.when(expression.is_not_nan()).then(expression).cast(pl.String))
    else:
        text = expression if kind == pl.String else expression.cast(pl.String)
    return pl.when(text != "").then(text)


# --- conditions -------------------------------------------------------------------------------------------------------


def as_expression(condition: Condition, schema: Schema) -> pl.Expr:
    """Return the expression that is true in the rows for which ``condition`` holds, and false in all others.

    A name that is not a field is a label; a number is compared with numbers, also with those written as text.
    """
    return _truth(condition.expression, _fields(schema)).fill_null(False)


def as_value(expression: Expression, schema: Schema) -> tuple[pl.Expr, pl.DataType]:
    """Return an expression over fields and its type: true or false for a condition, else a number."""
    is_literal = isinstance(expression, Literal) and isinstance(expression.value, bool)
    if is_literal or isinstance(expression, Not | And | Or | Compare):
        return _truth(expression, _fields(schema)), pl.Boolean()
    return _number(expression, _fields(schema)), pl.Float64()


def _fields(schema: Schema) -> Fields:
    return schema if isinstance(schema, Fields) else Fields(schema)


def _truth(expression: Expression, fields: Fields) -> pl.Expr:
    match expression:
        case Literal(bool(value)):
            return pl.lit(value)
        case Not(operand):
            return ~_truth(operand, fields).fill_null(False)
        case And(parts):
            return pl.all_horizontal(*(_truth(part, fields).fill_null(False) for part in parts))
        case Or(parts):
            return pl.any_horizontal(*(_truth(part, fields).fill_null(False) for part in parts))
        case Compare(operator, left, right):
            return _compared(operator, left, right, fields)
        case Name(name):
            return as_flag(_known(name, fields), fields[name])
    raise TelosError(f"`{to_text(expression)}` is not true or false", f"compare it, as in `{to_text(expression)} == 1`")


def _known(name: str, fields: Fields) -> pl.Expr:
    if name in fields and fields[name].is_nested():
        raise TelosError(f"column {name!r} holds {fields[name]}, which no condition can compare", "name another")
    return fields.expression(name)


def as_flag(column: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """Return whether a field is true: a boolean, a number other than 0, or a text such as ``yes``."""
    if kind == pl.Boolean:
        return column
    if kind.is_numeric():
        return column != 0
    return column.cast(pl.String).str.to_lowercase().is_in(_TRUE)


def _compared(operator: str, left: Expression, right: Expression, fields: Fields) -> pl.Expr:
    spoken = names_in(left) | names_in(right)
    if not any(name in fields for name in spoken):
        word = min(spoken, default=to_text(left))
        raise TelosError(f"`{to_text(left)} {operator} {to_text(right)}` names no column", name_hint(word, fields))
    match left, right:
        case Name(name), Literal(None):
            return _is_empty(name, fields) if operator == "==" else ~_is_empty(name, fields)
        case Name(name), Literal(bool(value)):
            said = as_flag(_known(name, fields), fields[name]).fill_null(False)
            return said if value == (operator == "==") else ~said
        case Name(one_name), Name(other_name) if not _are_numbers(one_name, other_name, fields):
            are_fields = one_name in fields and other_name in fields
            if operator not in ("==", "!=") and are_fields:  # of text files, where numbers are text, too
                return _COMPARED[operator](_number(left, fields), _number(right, fields))
            if operator not in ("==", "!="):
                raise TelosError(f"`{one_name} {operator} {other_name}`: labels have no order", "use == or !=")
            one, other = _text(one_name, fields), _text(other_name, fields)
        case _:
            one, other = (_number(side, fields) for side in (left, right))
    return _COMPARED[operator](one, other)


_COMPARED: dict[str, Callable[[pl.Expr, pl.Expr], pl.Expr]] = {
    "==": lambda one, other: one.eq_missing(other),
    "!=": lambda one, other: one.ne_missing(other),
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}


def _is_empty(name: str, fields: Fields) -> pl.Expr:
    column = _known(name, fields)
    return column.is_null() | (column == "") if fields[name] == pl.String else column.is_null()


def _are_numbers(one: str, other: str, fields: Fields) -> bool:
    return all(name in fields and fields[name].is_numeric() for name in (one, other))


def _text(name: str, fields: Fields) -> pl.Expr:
    return _known(name, fields).cast(pl.String) if name in fields else pl.lit(name)


def _number(expression: Expression, fields: Fields) -> pl.Expr:
    match expression:
        case Literal(value) if isinstance(value, int | float):
            return pl.lit(float(value))
        case Name(name):
            column = _known(name, fields)
            if fields[name].is_temporal():
                raise TelosError(f"column {name!r} holds {fields[name]}", "conditions compare numbers and labels")
            return column.cast(pl.Float64, strict=False)
        case Arithmetic(operator, left, right):
            one, other = _number(left, fields), _number(right, fields)
            return {"+": one + other, "-": one - other, "*": one * other, "/": one / other}[operator]
        case Call(("min" | "max" | "abs") as function, arguments) if arguments:
            parts = [_number(each, fields) for each in arguments]
            if function == "abs":
                return parts[0].abs()
            return pl.min_horizontal(*parts) if function == "min" else pl.max_horizontal(*parts)
    raise TelosError(f"`{to_text(expression)}` is no number", "compare columns with numbers, or with labels")
