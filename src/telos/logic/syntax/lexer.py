"""Text to statements: comments removed, lines joined where a formula goes on, each statement a list of tokens.

Reader and lexer of this folder are written by hand, as that of ``telos.core.parser`` is: their faults are read by
people, and learned models have tens of thousands of lines.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from telos.core.errors import DefinitionError, Fault, FaultCode

TOKEN = re.compile(
    r"\"[^\"]*\"|'[^']*'|\?[^\W\d]\w*"
    r"|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?!\w)|\w+(?:'\w+)*"
    r"|\.\.\.|<=>|=>|:-|::|=/=|!=|\+\+|--|[^\s]"
)
_COMMENT = re.compile(r"\"[^\"\n]*\"|(?<!\w)'[^'\n]*'|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_OPEN = frozenset(("^", "v", "|", "=>", "<=>", ":-", ",", "!", "=", "!=", "=/="))
_JOINS = frozenset(("^", "v", "|", "=>", "<=>", ":-", ")"))


class Wrong(Exception):
    """Something wrong at one token of a statement."""

    def __init__(self, token: int, message: str, suggestion: str = "", *, code: FaultCode = FaultCode.INVALID) -> None:
        super().__init__(message)
        self.token, self.message, self.suggestion, self.code = token, message, suggestion, code
        self.also: tuple[Wrong, ...] = ()

    def moved(self, by: int) -> "Wrong":
        """Return the same for a statement that has ``by`` more tokens before it."""
        moved = Wrong(self.token + by, self.message, self.suggestion, code=self.code)
        moved.also = tuple([each.moved(by) for each in self.also])
        return moved


class Statement(NamedTuple):
    """One declaration, formula or fact: its tokens, and the lines it stands on (counted from 0, the last included)."""

    tokens: list[str]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a text, as it was written and with its comments blanked out."""

    name: str
    lines: tuple[str, ...]
    bare: tuple[str, ...]

    def place(self, statement: Statement, token: int) -> tuple[int, int]:
        """Return line and column of a token, counted from 1; one past the last is the end of the statement."""
        seen = 0
        for number in range(statement.first, statement.last + 1):
            for found in TOKEN.finditer(self.bare[number]):
                if seen == token:
                    return number + 1, found.start() + 1
                seen += 1
        return statement.last + 1, len(self.bare[statement.last].rstrip()) + 1

    def text(self, statement: Statement, token: int = 0) -> str:
        """Return a statement as it was written, without comments, from a token on."""
        line, column = self.place(statement, token)
        parts = [self.bare[line - 1][column - 1 :], *self.bare[line : statement.last + 1]]
        return " ".join(" ".join(parts).split())

    def fault(self, statement: Statement, wrong: Wrong) -> Fault:
        """Return what is wrong, with its place in the file."""
        line, column = self.place(statement, wrong.token)
        text = self.lines[line - 1].strip()
        return Fault(wrong.message, text, wrong.suggestion, file=self.name, line=line, column=column, code=wrong.code)


def source_of(text: str, name: str = "") -> Source:
    """Return a text with its comments blanked out, so that lines and columns stay what they were."""
    text, name = text.replace("\r\n", "\n").replace("\r", "\n"), name or "<text>"
    lines = tuple(text.split("\n"))
    if "/" not in text:
        return Source(name, lines, lines)
    for found in _COMMENT.finditer(text):
        said = found.group()
        if said.startswith("/*") and (len(said) < 4 or not said.endswith("*/")):
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
    return Source(name, lines, tuple(_COMMENT.sub(_blank, text).split("\n")))


def _blank(found: re.Match[str]) -> str:
    said = found.group()
    return said if said[0] in "\"'" else re.sub(r"[^\n]", " ", said)


def statements(source: Source) -> Iterator[Statement]:
    """Give the statements of a text.

    A statement goes on over a line's end while a parenthesis or a connective is open, or if the next line begins with
    a connective; an empty line ends it, so that one forgotten parenthesis does not swallow the rest of a file.
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
        if tokens and (depth > 0 or _goes_on(tokens, found)):
            tokens.extend(found)
        else:
            if tokens:
                yield Statement(tokens, first, last)
            tokens, first, depth = found, number, 0
        depth += found.count("(") + found.count("{") - found.count(")") - found.count("}")
        last = number
    if tokens:
        yield Statement(tokens, first, last)


def _goes_on(tokens: list[str], found: list[str]) -> bool:
    if tokens[0] == "#" or found[0] == "#":
        return False
    return tokens[-1] in _OPEN or (found[0] in _JOINS and found[1:2] != ["="])
