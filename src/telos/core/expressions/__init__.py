"""Expressions: the conditions, values and costs of authored files, from text to functions of a state.

    text ──▶ parser.py ──▶ tree.py ──▶ binding.py       types, functions of a state's array
                                  └──▶ ranges.py        what a condition can be at all

Start with `parse_expression` (parser.py), `check_expression` and `bind` (binding.py). What conditions rule out:
`narrow` (ranges.py, which is imported as a module of its own).
"""

from telos.core.expressions.binding import BUILT_IN, Bound, Scope, Slots, bind, check_expression
from telos.core.expressions.parser import Assignment, parse_assignments, parse_expression
from telos.core.expressions.tree import (
    TRUE,
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
    children,
    functions_in,
    names_in,
    rename,
    substitute,
    to_text,
    walk,
)

__all__ = [
    "BUILT_IN",
    "TRUE",
    "And",
    "Arithmetic",
    "Assignment",
    "Bound",
    "Call",
    "Compare",
    "Expression",
    "Handle",
    "Literal",
    "Name",
    "Not",
    "Or",
    "Scope",
    "Slots",
    "bind",
    "check_expression",
    "children",
    "functions_in",
    "names_in",
    "parse_assignments",
    "parse_expression",
    "rename",
    "substitute",
    "to_text",
    "walk",
]
