"""What goes wrong, said so that its author can mend it."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace

Path = tuple[str | int, ...]


class TelosError(ValueError):
    """Misuse of Telos: the message names the value and the remedy."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a definition: where, what, and what to do about it.

    ``path`` is the way to the offending entry (``("actions", "reload", "effects", 1)``) and ``offset`` the character
    inside its text; a definition that came from a file has ``file``, ``line`` and ``column`` (counted from 1) as well.
    """

    message: str
    text: str = ""
    suggestion: str = ""
    path: Path = ()
    offset: int = 0
    file: str = ""
    line: int = 0
    column: int = 0

    def at(self, *path: str | int) -> "Fault":
        """Return the fault seen from outside: ``path`` leads to the definition that it was found in."""
        return replace(self, path=(*path, *self.path))

    def __str__(self) -> str:
        """Say the fault in one line, the way compilers do."""
        if self.line:
            where = f"{self.file}:{self.line}:{self.column}: "
        else:
            where = f"{self.file}: " if self.file else ""
            where += f"{' › '.join(str(part) for part in self.path)}: " if self.path else ""
        shown = self.text if len(self.text) <= 80 else f"{self.text[:77]}..."
        quoted = f" in `{shown}`" if shown and shown not in self.message else ""
        return f"{where}{self.message}{quoted}{f'; {self.suggestion}' if self.suggestion else ''}"


class DefinitionError(TelosError):
    """A domain, action or expression with one or more faults, all of them listed in ``faults``."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


def nearest(word: str, known: Iterable[str]) -> str:
    """Suggest the known name that ``word`` was probably meant to be, or say which names there are.

    >>> nearest("amo", ["ammo", "health"])
    "did you mean 'ammo'?"
    >>> nearest("xyz", ["ammo", "health"])
    'known: ammo, health'
    """
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    return f"known: {shown}" if names else ""
