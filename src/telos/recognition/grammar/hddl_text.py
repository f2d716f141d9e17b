"""HDDL texts to nested lists: words and brackets, with the line of each bracket."""

import re
from dataclasses import dataclass, field

from telos.core.errors import DefinitionError, Fault, FaultCode

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")
DEEPEST = 100


@dataclass(slots=True)
class Form:
    """What stands between two brackets, and the line where it begins."""

    line: int
    parts: list["Form | str"] = field(default_factory=list)

    @property
    def head(self) -> str:
        """The first word, or nothing."""
        return self.parts[0] if self.parts and isinstance(self.parts[0], str) else ""

    @property
    def words(self) -> list[str]:
        """All words that stand directly in it."""
        return [part for part in self.parts if isinstance(part, str)]

    @property
    def forms(self) -> list["Form"]:
        """All brackets that stand directly in it."""
        return [part for part in self.parts if isinstance(part, Form)]

    def section(self, key: str) -> "Form | None":
        """Return the bracket after a keyword such as ``:parameters``; None if there is none."""
        for place, part in enumerate(self.parts[:-1]):
            following = self.parts[place + 1]
            if part == key and isinstance(following, Form):
                return following
        return None


def read_forms(text: str, file: str = "<text>") -> Form:
    """Return the one form of a text, in lower case, as HDDL makes no difference.

    >>> read_forms("(define (domain Toy)) ; a comment").parts[1].words
    ['domain', 'toy']
    """
    top, line, last = Form(0), 1, 0
    around = [top]
    for token in _TOKEN.finditer(text):
        line, last = line + text.count("\n", last, token.start()), token.start()
        word = token[0]
        if word == "(":
            if len(around) > DEEPEST:
                _refuse(file, line, "too deeply nested", f"at most {DEEPEST} brackets")
            inner = Form(line)
            around[-1].parts.append(inner)
            around.append(inner)
        elif word == ")":
            if len(around) == 1:
                _refuse(file, line, "a ')' that closes nothing", "delete it")
            around.pop()
        elif not word.startswith(";"):
            around[-1].parts.append(word.lower())
    if len(around) > 1:
        _refuse(file, around[-1].line, "a '(' that is never closed", "close it")
    if len(top.parts) != 1 or not top.forms or top.forms[0].head != "define":
        _refuse(file, 1, "this is not HDDL", "start with `(define (domain …)`")
    return top.forms[0]


def _refuse(file: str, line: int, message: str, remedy: str) -> None:
    raise DefinitionError(
        [Fault(message, suggestion=remedy, file=file, line=line, column=1, code=FaultCode.BAD_SYNTAX)]
    )
