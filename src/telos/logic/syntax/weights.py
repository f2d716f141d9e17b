"""Weights before formulas: numbers, and the small sums that authors write, such as ``log(0.15/0.85)``."""

import math
from collections.abc import Sequence

from telos.core.errors import FaultCode
from telos.logic.syntax.lexer import Wrong

LEAST_LOG = -100.0  # what ``logx(0)`` stands for in pracmln, which has no weights without end
_NAMES = {"inf": math.inf, "infinity": math.inf, "nan": math.nan}
_FUNCTIONS = ("log", "logx", "exp")


def is_weight_name(token: str) -> bool:
    """Return whether a word is a weight by itself, such as ``inf``."""
    return token.lower() in _NAMES


def starts_weight(tokens: Sequence[str]) -> bool:
    """Return whether a statement begins with a weight.

    >>> starts_weight(["-", "1.5", "Smokes", "(", "x", ")"]), starts_weight(["Smokes", "(", "x", ")"])
    (True, False)
    """
    first = tokens[0]
    if first[0].isdigit() or first[0] in "-+" or (first[0] == "." and first[1:2].isdigit()):
        return True
    return is_weight_name(first) or (first in _FUNCTIONS and tokens[1:2] == ["("])


def weight(tokens: Sequence[str], at: int = 0) -> tuple[float, int]:
    """Return the weight that begins at a token, and the token after it. It may be infinite, never NaN.

    >>> weight(["log", "(", "0.5", "/", "0.5", ")", "Heads"])
    (0.0, 6)
    """
    value, after = _sum(tokens, at)
    if math.isnan(value):
        raise Wrong(
            at,
            "the weight is not a number (NaN)",
            "give a number, or leave it out and learn it",
            code=FaultCode.OUT_OF_RANGE,
        )
    return value, after


def _sum(tokens: Sequence[str], at: int) -> tuple[float, int]:
    value, at = _product(tokens, at)
    while at < len(tokens) and tokens[at] in ("+", "-"):
        operand, after = _product(tokens, at + 1)
        value, at = (value + operand if tokens[at] == "+" else value - operand), after
    return value, at


def _product(tokens: Sequence[str], at: int) -> tuple[float, int]:
    value, at = _factor(tokens, at)
    while at < len(tokens) and tokens[at] in ("*", "/"):
        operand, after = _factor(tokens, at + 1)
        if tokens[at] == "/" and operand == 0:
            raise Wrong(
                at,
                "the weight divides by zero",
                "write inf, or end the formula with a full stop",
                code=FaultCode.OUT_OF_RANGE,
            )
        value, at = (value * operand if tokens[at] == "*" else value / operand), after
    return value, at


def _factor(tokens: Sequence[str], at: int) -> tuple[float, int]:
    token = tokens[at] if at < len(tokens) else ""
    if token in ("-", "+"):
        value, after = _factor(tokens, at + 1)
        return (-value if token == "-" else value), after
    if is_weight_name(token):
        return _NAMES[token.lower()], at + 1
    if token == "(" or token in _FUNCTIONS:
        return _bracket(tokens, at)
    try:
        return float(token), at + 1
    except ValueError:
        said = f"found {token!r}" if token else "the line ends"
        raise Wrong(
            at, f"a weight is a number, but {said}", "write for example 0.5 or log(0.3/0.7)", code=FaultCode.WRONG_TYPE
        ) from None


def _bracket(tokens: Sequence[str], at: int) -> tuple[float, int]:
    name = "" if tokens[at] == "(" else tokens[at]
    start = at + 1 if name else at
    if tokens[start : start + 1] != ["("]:
        raise Wrong(
            at, f"{name} in a weight needs a number in parentheses", f"write {name}(0.5)", code=FaultCode.BAD_SYNTAX
        )
    value, end = _sum(tokens, start + 1)
    if tokens[end : end + 1] != [")"]:
        raise Wrong(end, "the weight does not close its parenthesis", code=FaultCode.BAD_SYNTAX)
    return (_applied(name, value, at) if name else value), end + 1


def _applied(name: str, value: float, at: int) -> float:
    if name == "exp":
        return math.exp(min(value, 700.0))
    if value < 0:
        raise Wrong(
            at,
            f"{name}({value:g}) is the logarithm of a negative number",
            "write the weight itself, such as -1",
            code=FaultCode.OUT_OF_RANGE,
        )
    if value == 0:
        return -math.inf if name == "log" else LEAST_LOG
    return math.log(value)
