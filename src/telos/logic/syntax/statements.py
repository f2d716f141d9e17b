"""The statements of ``.mln`` and ``.db`` text: comments, tokens, lines that belong together, and weights.

Written by hand, like the parser of ``telos.core.expressions``: people read its faults, and learned models have tens of
thousands of lines.
Start with ``split_statements``; ``StatementError`` is how a parser of statements reports a fault at a token.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from telos.core.errors import DefinitionError, Fault, FaultCode

TOKEN = re.compile(
    r"\"[^\"]*\"|'[^']*'|\?[^\W\d]\w*"
    r"|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?!\w)|\w+(?:'\w+)*"
    r"|\.\.\.|<=>|=>|:-|::|=/=|!=|\+\+|--|[^\s]"
)
_COMMENT = re.compile(r"\"[^\"\n]*\"|(?<!\w)'[^'\n]*'|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_OPEN_ENDS = frozenset(("^", "v", "|", "=>", "<=>", ":-", ",", "!", "=", "!=", "=/="))
_OPEN_STARTS = frozenset(("^", "v", "|", "=>", "<=>", ":-", ")"))
MIN_LOG = -100.0  # the value of ``logx(0)`` in pracmln, which has no infinite weights
_NAMES = {"inf": math.inf, "infinity": math.inf, "nan": math.nan}
_FUNCTIONS = ("log", "logx", "exp")
MAX_WEIGHT = 1e15  # sums of these still tell weights of 1 apart; solvers take 1e20 for infinite
MAX_NAME = 4_000  # characters of a name or number; Python converts numbers of up to 4300 digits
MAX_DEPTH = 100  # of nested parentheses and negations; a hostile text must not exhaust Python's stack


# --- source text and statements ---------------------------------------------------------------------------------------


class StatementError(Exception):
    """A fault at one token of a statement."""

    def __init__(
        self, token: int, message: str, suggestion: str = "", *, code: FaultCode = FaultCode.BAD_SYNTAX
    ) -> None:
        super().__init__(message)
        self.token, self.message, self.suggestion, self.code = token, message, suggestion, code
        self.others: tuple[StatementError, ...] = ()

    def shifted(self, by: int) -> "StatementError":
        """Return the same error for a statement with ``by`` more tokens before it."""
        moved = StatementError(self.token + by, self.message, self.suggestion, code=self.code)
        moved.others = tuple([each.shifted(by) for each in self.others])
        return moved


class Statement(NamedTuple):
    """One declaration, formula or fact: its tokens, and its first and last line (from 0)."""

    tokens: list[str]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file or text, as written and with its comments blanked out."""

    name: str
    lines: tuple[str, ...]
    bare: tuple[str, ...]

    def place(self, statement: Statement, token: int) -> tuple[int, int]:
        """Return line and column of a token, from 1; for one past the last, the end of the statement."""
        seen = 0
        for number in range(statement.first, statement.last + 1):
            for found in TOKEN.finditer(self.bare[number]):
                if seen == token:
                    return number + 1, found.start() + 1
                seen += 1
        return statement.last + 1, len(self.bare[statement.last].rstrip()) + 1

    def text(self, statement: Statement, token: int = 0) -> str:
        """Return a statement from a token on, as written but without comments."""
        line, column = self.place(statement, token)
        parts = [self.bare[line - 1][column - 1 :], *self.bare[line : statement.last + 1]]
        return " ".join(" ".join(parts).split())

    def fault(self, statement: Statement, error: StatementError) -> Fault:
        """Return the fault for an error, with its place in the file."""
        line, column = self.place(statement, error.token)
        text = self.lines[line - 1].strip()
        return Fault(error.message, text, error.suggestion, file=self.name, line=line, column=column, code=error.code)


def strip_comments(text: str, name: str = "") -> SourceText:
    """Return a text with its comments blanked out; lines and columns do not change."""
    text, name = text.replace("\r\n", "\n").replace("\r", "\n"), name or "<text>"
    lines = tuple(text.split("\n"))
    if "/" not in text:
        return SourceText(name, lines, lines)
    for found in _COMMENT.finditer(text):
        comment = found.group()
        if comment.startswith("/*") and (len(comment) < 4 or not comment.endswith("*/")):
            line, column = text.count("\n", 0, found.start()), found.start() - text.rfind("\n", 0, found.start())
            fault = Fault(
                "a comment is not closed",
                lines[line],
                "end it with */",
                file=name,
                line=line + 1,
                column=column,
                code=FaultCode.BAD_SYNTAX,
            )
            raise DefinitionError([fault])
    return SourceText(name, lines, tuple(_COMMENT.sub(_blank, text).split("\n")))


def _blank(found: re.Match[str]) -> str:
    comment = found.group()
    return comment if comment[0] in "\"'" else re.sub(r"[^\n]", " ", comment)


def find_long_token(tokens: Sequence[str]) -> int | None:
    """Return the index of the first token that is too long for a name or number."""
    if max(map(len, tokens)) <= MAX_NAME:
        return None
    return next(at for at, token in enumerate(tokens) if len(token) > MAX_NAME)


def check_tokens(tokens: Sequence[str]) -> None:
    """Raise ``StatementError`` if a statement has a name or number that is too long, or a character 0."""
    at = find_long_token(tokens)
    if at is not None:
        raise StatementError(
            at, f"a name or number has more than {MAX_NAME:,} characters", "shorten it", code=FaultCode.TOO_LARGE
        )
    at = next((at for at, token in enumerate(tokens) if "\0" in token), None)
    if at is not None:
        raise StatementError(at, "the text contains a zero character", "remove it")


def split_statements(source: SourceText) -> Iterator[Statement]:
    """Yield the statements of a text.

    A statement continues on the next line while a parenthesis or a connective is open, or if that line begins with a
    connective. An empty line ends it, so that a missing parenthesis does not consume the rest of the file.
    """
    tokens: list[str] = []
    first = last = depth = 0
    for number, line in enumerate(source.bare):
        found = TOKEN.findall(line)
        if not found:
            if tokens and not source.lines[number].strip():
                yield Statement(tokens, first, last)
                tokens = []
            continue
        if tokens and (depth > 0 or _continues(tokens, found)):
            tokens.extend(found)
        else:
            if tokens:
                yield Statement(tokens, first, last)
            tokens, first, depth = found, number, 0
        depth += found.count("(") + found.count("{") - found.count(")") - found.count("}")
        last = number
    if tokens:
        yield Statement(tokens, first, last)


def _continues(tokens: list[str], found: list[str]) -> bool:
    if tokens[0] == "#" or found[0] == "#":
        return False
    return tokens[-1] in _OPEN_ENDS or (found[0] in _OPEN_STARTS and found[1:2] != ["="])


# --- weights ----------------------------------------------------------------------------------------------------------


def is_weight_name(token: str) -> bool:
    """Return whether a word is a weight, such as ``inf``."""
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


def parse_weight(tokens: Sequence[str], at: int = 0) -> tuple[float, int]:
    """Return the weight at a token, and the index of the token after it. It may be infinite, never NaN.

    >>> parse_weight(["log", "(", "0.5", "/", "0.5", ")", "Heads"])
    (0.0, 6)
    """
    value, after = _parse_sum(tokens, at, 0)
    if math.isnan(value):
        raise StatementError(
            at,
            "the weight is not a number (NaN)",
            "give a number, or leave it out and learn it",
            code=FaultCode.OUT_OF_RANGE,
        )
    if math.isfinite(value) and abs(value) > MAX_WEIGHT:
        raise StatementError(
            at,
            f"the weight {value:g} is beyond {MAX_WEIGHT:g}",
            "end the formula with a full stop if it must hold",
            code=FaultCode.OUT_OF_RANGE,
        )
    return value, after


def _parse_sum(tokens: Sequence[str], at: int, depth: int) -> tuple[float, int]:
    value, at = _parse_product(tokens, at, depth)
    while at < len(tokens) and tokens[at] in ("+", "-"):
        operand, after = _parse_product(tokens, at + 1, depth)
        value, at = (value + operand if tokens[at] == "+" else value - operand), after
    return value, at


def _parse_product(tokens: Sequence[str], at: int, depth: int) -> tuple[float, int]:
    value, at = _parse_factor(tokens, at, depth)
    while at < len(tokens) and tokens[at] in ("*", "/"):
        operand, after = _parse_factor(tokens, at + 1, depth)
        if tokens[at] == "/" and operand == 0:
            raise StatementError(
                at,
                "the weight divides by zero",
                "write inf, or end the formula with a full stop",
                code=FaultCode.OUT_OF_RANGE,
            )
        value, at = (value * operand if tokens[at] == "*" else value / operand), after
    return value, at


def _parse_factor(tokens: Sequence[str], at: int, depth: int) -> tuple[float, int]:
    token = tokens[at] if at < len(tokens) else ""
    if token in ("-", "+"):
        check_depth(at, depth + 1, "weight")
        value, after = _parse_factor(tokens, at + 1, depth + 1)
        return (-value if token == "-" else value), after
    if is_weight_name(token):
        return _NAMES[token.lower()], at + 1
    if token == "(" or token in _FUNCTIONS:
        return _parse_bracket(tokens, at, depth)
    try:
        return float(token), at + 1
    except ValueError:
        found = f"found {token!r}" if token else "the line ends"
        raise StatementError(
            at, f"a weight is a number, but {found}", "write for example 0.5 or log(0.3/0.7)", code=FaultCode.WRONG_TYPE
        ) from None


def _parse_bracket(tokens: Sequence[str], at: int, depth: int) -> tuple[float, int]:
    name = "" if tokens[at] == "(" else tokens[at]
    start = at + 1 if name else at
    if tokens[start : start + 1] != ["("]:
        raise StatementError(at, f"{name} in a weight needs a number in parentheses", f"write {name}(0.5)")
    check_depth(at, depth + 1, "weight")
    value, end = _parse_sum(tokens, start + 1, depth + 1)
    if tokens[end : end + 1] != [")"]:
        raise StatementError(end, "the weight does not close its parenthesis")
    return (_apply(name, value, at) if name else value), end + 1


def check_depth(at: int, depth: int, what: str) -> None:
    if depth > MAX_DEPTH:
        raise StatementError(
            at, f"the {what} is nested more than {MAX_DEPTH} deep", "split it into several", code=FaultCode.TOO_LARGE
        )


def _apply(name: str, value: float, at: int) -> float:
    if name == "exp":
        return math.exp(min(value, 700.0))
    if value < 0:
        raise StatementError(
            at,
            f"{name}({value:g}) is the logarithm of a negative number",
            "write the weight itself, such as -1",
            code=FaultCode.OUT_OF_RANGE,
        )
    if value == 0:
        return -math.inf if name == "log" else MIN_LOG
    return math.log(value)
