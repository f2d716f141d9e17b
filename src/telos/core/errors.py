"""What goes wrong, said so that its author can mend it."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

Path = tuple[str | int, ...]

MOST_COMPARED = 500  # names, when looking for the one that was meant: comparing is slow


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

    MOST_SHOWN = 50  # in the message: nobody reads on after that

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        said = [str(fault) for fault in self.faults[: self.MOST_SHOWN]]
        if len(self.faults) > self.MOST_SHOWN:
            said.append(f"… and {len(self.faults) - self.MOST_SHOWN} more")
        super().__init__("\n".join(said))


def nearest(word: str, known: Iterable[str]) -> str:
    """Suggest the known name that ``word`` was probably meant to be, or say which names there are.

    >>> nearest("amo", ["ammo", "health"])
    "did you mean 'ammo'?"
    >>> nearest("xyz", ["ammo", "health"])
    'known: ammo, health'
    """
    return _nearest(word, tuple(sorted(known)))


@lru_cache(maxsize=256)  # a name that is misspelt once is often misspelt a thousand times
def _nearest(word: str, names: tuple[str, ...]) -> str:
    likely = names if len(names) <= MOST_COMPARED else [name for name in names if name[:1] == word[:1]]
    close = difflib.get_close_matches(word, likely[:MOST_COMPARED], n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    return f"known: {shown}" if names else ""
