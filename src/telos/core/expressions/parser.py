"""Text to expressions: a recursive-descent parser; nothing is evaluated as Python.

It is written by hand because designers read its faults: it suggests what was probably meant (``=`` for ``==``, ``&&``
for ``and``). It is also ten times as fast as the parser generators that we compared.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from telos.core.errors import DefinitionError, Fault, FaultCode
from telos.core.expressions.tree import And, Arithmetic, Call, Compare, Expression, Literal, Name, Not, Or

# Limits far above what people write, which keep a hostile text from exhausting Python's stack.
MAX_TOKENS = 500
MAX_DEPTH = 50
MAX_DIGITS = 18  # of a whole number, so that it fits 64 bits

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)"
    r"|(?P<symbol>==|!=|<=|>=|\+=|-=|\*=|/=|=>|=<|<>|&&|\|\||\*\*|//|[-+*/%<>=(),!;]))",
    re.ASCII,
)
_MEANT = {"&&": "and", "||": "or", "!": "not", "<>": "!=", "=>": ">=", "=<": "<="}
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=")
_LITERALS = {"true": True, "false": False, "none": None}


@dataclass(frozen=True, slots=True)
class Assignment:
    """``variable = value``; ``ammo -= 1`` is parsed as ``ammo = ammo - 1``."""

    variable: str
    value: Expression
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int
    end: int


def parse_expression(text: str) -> Expression:
    """Parse a condition or a value, such as ``weapon_loaded and ammo >= 1``.

    >>> parse_expression("ammo >= 1")
    Compare(operator='>=', left=Name(name='ammo', column=0), right=Literal(value=1, column=8), column=5)
    >>> parse_expression("ammo = 1")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: '=' sets a value in `ammo = 1`; use '==' to compare
    """
    parser = _Parser(text)
    expression = parser.disjunction()
    parser.expect_end()
    return expression


def parse_assignments(text: str) -> tuple[Assignment, ...]:
    """Parse one effect, or several with commas between them: ``weapon_loaded = true, ammo -= 1``."""
    parser = _Parser(text)
    found = [parser.assignment()]
    while parser.take(",", ";"):
        found.append(parser.assignment())
    parser.expect_end()
    return tuple(found)


class _Parser:
    """A cursor over tokens; each method parses one level of precedence, from the loosest to the tightest."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._depth = 0
        self._tokens = list(self._scan())
        self._next = 0

    def disjunction(self) -> Expression:
        return self._chain("or", self.conjunction, Or)

    def conjunction(self) -> Expression:
        return self._chain("and", self.negation, And)

    def _chain(self, word: str, part: Callable[[], Expression], join: type[And] | type[Or]) -> Expression:
        parts = [part()]
        column = self._peek.column
        while self.take(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else join(tuple(parts), column)

    def negation(self) -> Expression:
        column = self._peek.column
        if not self.take("not"):
            return self.comparison()
        with self._deeper():
            return Not(self.negation(), column)

    def comparison(self) -> Expression:
        left = self.sum()
        links: list[Expression] = []
        while self._peek.text in _COMPARISONS:
            operator = self._advance()
            right = self.sum()
            links.append(Compare(operator.text, left, right, operator.column))
            left = right  # so that 0 < ammo < 5 reads as in mathematics
        if not links:
            return left
        return links[0] if len(links) == 1 else And(tuple(links), links[0].column)

    def sum(self) -> Expression:
        left = self.product()
        while self._peek.text in ("+", "-"):
            operator = self._advance()
            left = Arithmetic(operator.text, left, self.product(), operator.column)
        return left

    def product(self) -> Expression:
        left = self.factor()
        while self._peek.text in ("*", "/"):
            operator = self._advance()
            left = Arithmetic(operator.text, left, self.factor(), operator.column)
        return left

    def factor(self) -> Expression:
        token = self._peek
        if self.take("-"):
            with self._deeper():
                return Arithmetic("-", Literal(0, token.column), self.factor(), token.column)
        if token.kind == "number":
            self._advance()
            return Literal(self._number(token), token.column)
        if token.kind == "name" and token.text not in ("and", "or", "not"):
            self._advance()
            if token.text in _LITERALS:
                return Literal(_LITERALS[token.text], token.column)
            return self._call(token) if self._peek.text == "(" else Name(token.text, token.column)
        if self.take("("):
            with self._deeper():
                inside = self.disjunction()
            self._close(token)
            return inside
        self._unexpected(token, "a value")

    def assignment(self) -> Assignment:
        target = self._peek
        if target.kind != "name" or target.text in ("and", "or", "not", *_LITERALS):
            self._unexpected(target, "the name of a variable")
        self._advance()
        operator = self._peek
        if operator.text == "==":
            self._fail("'==' compares", operator.column, "use '=' to set a value")
        if operator.text in ("+", "-") and self._tokens[self._next + 1].text == operator.text:
            symbol = operator.text
            remedy = f"write `{target.text} {symbol}= 1`"
            self._fail(f"{symbol * 2!r} is not an operator here", operator.column, remedy)
        if operator.text not in _ASSIGNMENTS:
            self._unexpected(operator, "'=' and a value, as in `ammo = 3` or `ammo -= 1`,")
        self._advance()
        value = self.disjunction()
        written = self._text[target.column : self._tokens[self._next - 1].end]
        if operator.text != "=":
            value = Arithmetic(operator.text[0], Name(target.text, target.column), value, operator.column)
        return Assignment(target.text, value, target.column, written)

    def take(self, *texts: str) -> bool:
        """Consume the next token if it is one of ``texts``."""
        if self._peek.text in texts:
            self._advance()
            return True
        return False

    def expect_end(self) -> None:
        token = self._peek
        if token.kind == "end":
            return
        if token.text == "=":
            self._fail("'=' sets a value", token.column, "use '==' to compare")
        self._unexpected(token, "'and', 'or' or the end")

    def _call(self, function: _Token) -> Expression:
        opening = self._advance()
        arguments: list[Expression] = []
        with self._deeper():
            if self._peek.text != ")":
                arguments.append(self.disjunction())
                while self.take(","):
                    arguments.append(self.disjunction())
        self._close(opening)
        return Call(function.text, tuple(arguments), function.column)

    def _close(self, opening: _Token) -> None:
        if self._peek.kind == "end":
            self._fail(
                "'(' is never closed",
                opening.column,
                "close it; if this stands in a [list], YAML cuts it at the comma: put it in quotes or on a `-` line",
            )
        if not self.take(")"):
            self._unexpected(self._peek, "')'")

    def _number(self, token: _Token) -> int | float:
        digits = token.text.isdigit()
        value = float(token.text)
        if value == float("inf") or (digits and len(token.text) > MAX_DIGITS):
            shown = token.text if len(token.text) <= 24 else f"{token.text[:21]}..."
            self._fail(f"{shown} is too large a number", token.column)
        return int(token.text) if digits else value

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail("too deeply nested", self._peek.column, f"at most {MAX_DEPTH} levels")
        yield
        self._depth -= 1

    @property
    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _advance(self) -> _Token:
        token = self._tokens[self._next]
        self._next += 1
        return token

    def _scan(self) -> Iterator[_Token]:
        place, end, count = 0, len(self._text.rstrip()), 0
        while place < end:
            found = _TOKEN.match(self._text, place)
            if not found:
                column = place + len(self._text[place:]) - len(self._text[place:].lstrip())
                self._bad_character(column)
            kind = str(found.lastgroup)
            token = _Token(kind, found[kind], found.start(kind), found.end(kind))
            if token.text in _MEANT:
                meant = _MEANT[token.text]
                self._fail(f"{token.text!r} is not an operator here", token.column, f"write {meant!r}")
            if kind == "name" and any(part.startswith("_") for part in token.text.split(".")):
                self._fail(f"{token.text!r} is not a name", token.column, "names start with a letter")
            count += 1
            if count > MAX_TOKENS:
                self._fail(f"more than {MAX_TOKENS} words in one expression", token.column, "split it up")
            yield token
            place = found.end()
        yield _Token("end", "", len(self._text), len(self._text))

    def _bad_character(self, column: int) -> NoReturn:
        character = self._text[column]
        if character in "'\"":
            self._fail("quotes have no place in an expression", column, "labels and handles are written bare")
        self._fail(f"unexpected character {character!r}", column, "use names, numbers and + - * / < > = ( )")

    def _unexpected(self, token: _Token, wanted: str) -> NoReturn:
        found = repr(token.text) if token.text else "nothing more"
        self._fail(f"expected {wanted} but found {found}", token.column)

    def _fail(self, message: str, column: int, suggestion: str = "") -> NoReturn:
        raise DefinitionError(
            [Fault(message, text=self._text, suggestion=suggestion, offset=column, code=FaultCode.BAD_SYNTAX)]
        )
