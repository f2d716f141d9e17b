"""Errors and faults: `TelosError` for misuse, `DefinitionError` for a definition with faults, and name suggestions."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate
from typing import Self

KeyPath = tuple[str | int, ...]

MAX_COMPARED = 500  # names that are compared to suggest one, because comparing is slow
MAX_LISTED = 240  # characters of the known names in a remedy
MIN_BEGINNING = 4  # letters of a word that is taken for the beginning of a name
MAX_LINE = 500  # characters of a line of a message, which may quote a hostile name of megabytes


class TelosError(ValueError):
    """Misuse of Telos: ``message`` says what is wrong, ``remedy`` what to do; the text of the error has both.

    >>> error = TelosError("the folder 'x' does not exist", "create it")
    >>> error.message, error.remedy, str(error)
    ("the folder 'x' does not exist", 'create it', "the folder 'x' does not exist; create it")
    """

    def __init__(self, message: str = "", remedy: str = "") -> None:
        message, remedy = printable(message), printable(remedy)
        self.message, self.remedy = message, remedy
        super().__init__(f"{message}; {remedy}" if remedy else message)

    def at(self, where: str) -> "TelosError":
        """Return the error with the place where it happened, such as a file and line, in front of the message."""
        return TelosError(f"{where}: {self.message}", self.remedy)


class FaultCode(StrEnum):
    """The kind of a fault. Code and tests compare codes, because messages may be reworded."""

    INVALID = "invalid"  # none of the others
    BAD_NAME = "bad-name"  # cannot be used as a name
    BAD_SYNTAX = "bad-syntax"  # an expression, formula or drawing that cannot be parsed
    BAD_YAML = "bad-yaml"
    CIRCULAR = "circular"
    CONFLICT = "conflict"  # two entries that exclude each other
    DUPLICATE = "duplicate"
    EMPTY = "empty"
    INCOMPLETE = "incomplete"  # another entry needs one that is missing
    MISSING_KEY = "missing-key"
    NOT_A_PROBABILITY = "not-a-probability"
    OUT_OF_RANGE = "out-of-range"
    TOO_LARGE = "too-large"  # more than is read or computed
    UNKNOWN_KEY = "unknown-key"
    UNKNOWN_NAME = "unknown-name"
    UNREACHABLE = "unreachable"  # an entry that can never take effect, or never ends
    UNREADABLE = "unreadable"  # a file that is missing or not a text
    UNSUPPORTED = "unsupported"
    WRONG_FILE = "wrong-file"  # a file of another kind
    WRONG_COUNT = "wrong-count"  # too few or too many arguments, parts or columns
    WRONG_TYPE = "wrong-type"


class NoteCode(StrEnum):
    """The kind of a note: something that is allowed, and probably not what its author meant."""

    ALWAYS_TRUE = "always-true"  # a condition that decides nothing
    ASSUMED_UNIT = "assumed-unit"  # a bare number where a unit is meant
    NEVER_TRUE = "never-true"  # a condition that cannot hold
    NO_CATCH_ALL = "no-catch-all"  # a list of conditions of which none may hold
    NOT_CHECKED = "not-checked"  # a file that Telos does not read here
    UNREACHABLE_GOAL = "unreachable-goal"  # no action can bring it about
    UNUSED_ACTION = "unused-action"  # no goal can use it
    UNUSED_VARIABLE = "unused-variable"  # nothing reads it
    ZERO_PRIOR = "zero-prior"  # a goal that starts with no chance


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a definition: where, what, and what to do about it.

    ``path`` leads to the faulty entry (``("actions", "reload", "effects", 1)``) and ``offset`` is the character inside
    its text. A fault in a file has ``file``, ``line`` and ``column`` (counted from 1) too. ``code`` is not part of the
    text.
    """

    message: str
    text: str = ""
    suggestion: str = ""
    path: KeyPath = ()
    offset: int = 0
    file: str = ""
    line: int = 0
    column: int = 0
    code: FaultCode | NoteCode = FaultCode.INVALID

    def at(self, *path: str | int) -> Self:
        """Return the fault with ``path`` in front of its own path."""
        return replace(self, path=(*path, *self.path))

    def __str__(self) -> str:
        """Return the fault in one line, in the format of compilers."""
        if self.line:
            where = f"{self.file}:{self.line}:{self.column}: "
        else:
            where = f"{self.file}: " if self.file else ""
            where += f"{' › '.join(str(part) for part in self.path)}: " if self.path else ""
        shown = self.text if len(self.text) <= 80 else f"{self.text[:77]}..."
        quoted = f" in `{shown}`" if shown and shown not in self.message else ""
        return printable(f"{where}{self.message}{quoted}{f'; {self.suggestion}' if self.suggestion else ''}")


@dataclass(frozen=True, slots=True)
class Note(Fault):
    """One thing in a definition that its author should know: the definition is valid, and used as it is."""

    code: FaultCode | NoteCode = NoteCode.NOT_CHECKED


class DefinitionError(TelosError):
    """A definition with one or more faults, all of them in ``faults``."""

    MAX_SHOWN = 50  # faults in the message; ``faults`` has all
    MAX_CHARACTERS = 5000  # of the message, at the end of a fault

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        lines = [str(fault) for fault in self.faults[: self.MAX_SHOWN]]
        sizes = accumulate(len(line) for line in lines)
        shown = max(1, sum(size <= self.MAX_CHARACTERS for size in sizes))
        lines = lines[:shown]
        if len(self.faults) > shown:
            lines.append(f"… and {len(self.faults) - shown} more")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> "tuple[type[DefinitionError], tuple[tuple[Fault, ...]]]":
        return type(self), (self.faults,)  # workers send errors to their parent process


def printable(message: str) -> str:
    r"""Return a message for a terminal: control characters escaped, the middle of an over-long line left out.

    >>> printable("a\x1b[31m name"), len(printable("long" * 1000)) <= MAX_LINE
    ('a\\x1b[31m name', True)
    """
    if len(message) <= MAX_LINE and message.isprintable():
        return message
    return "\n".join(_printable_line(line) for line in message.split("\n"))


def _printable_line(line: str) -> str:
    line = _shortened(line)
    if not line.isprintable():
        escaped = "".join(each if each.isprintable() or each == "\t" else ascii(each)[1:-1] for each in line)
        line = _shortened(escaped)  # an escape takes up to ten characters
    return line


def _shortened(line: str) -> str:
    """Leave out the middle of an over-long line: the remedy stands at the end."""
    tail = MAX_LINE // 3
    return f"{line[: MAX_LINE - tail - 3]} … {line[-tail:]}" if len(line) > MAX_LINE else line


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known name that ``word`` was probably meant to be, if one is similar or begins with it.

    >>> nearest("amo", ["ammo", "health"]), nearest("xyz", ["ammo", "health"])
    ('ammo', None)
    >>> nearest("friend_sees", ["friend_enemies", "friend_sees_enemy"])
    'friend_sees_enemy'
    """
    return _nearest(word, tuple(sorted(known)))


def name_hint(word: str, known: Iterable[str]) -> str:
    """Return the remedy for an unknown name: the nearest known name, or else the known names.

    >>> name_hint("amo", ["ammo", "health"])
    "did you mean 'ammo'?"
    >>> name_hint("xyz", ["ammo", "health"])
    'known: ammo, health'
    """
    names = tuple(sorted(known))
    meant = _nearest(word, names)
    return f"did you mean {meant!r}?" if meant is not None else _list_names(word, names)


def word_hint(word: str, words: Iterable[str]) -> str:
    """Return the remedy for an unknown word out of a few: the one that was misspelt, or else all, as they are ordered.

    >>> word_hint("comrad", ["who", "comrade", "target"]), word_hint("nearest", ["who", "comrade", "target"])
    ("did you mean 'comrade'?", 'one of who, comrade, target')
    """
    words = tuple(words)
    meant = difflib.get_close_matches(word, words, n=1, cutoff=0.75)
    return f"did you mean {meant[0]!r}?" if meant else f"one of {', '.join(words)}"


def _list_names(word: str, names: tuple[str, ...]) -> str:
    """List all names if they fit a line, and otherwise those that resemble the word most."""
    if not names or len(", ".join(names)) <= MAX_LISTED:
        return f"known: {', '.join(names)}" if names else ""
    alike = difflib.SequenceMatcher(b=word, autojunk=False)
    order = {name: -_likeness(alike, name) for name in names[:MAX_COMPARED]}
    ranked = [*sorted(order, key=order.__getitem__), *names[MAX_COMPARED:]]
    lengths = accumulate(len(name) + 2 for name in ranked)
    shown = sorted(ranked[: max(1, sum(length <= MAX_LISTED for length in lengths))])
    return f"known: {', '.join(shown)} and {len(names) - len(shown)} more"


def _likeness(matcher: "difflib.SequenceMatcher[str]", name: str) -> float:
    matcher.set_seq1(name)
    return matcher.ratio()


@lru_cache(maxsize=256)  # the same misspelt name is often used many times
def _nearest(word: str, names: tuple[str, ...]) -> str | None:
    if len(word) >= MIN_BEGINNING:
        longer = min((name for name in names if name.startswith(word)), key=len, default=None)
        if longer is not None:
            return longer
    likely = names if len(names) <= MAX_COMPARED else [name for name in names if name[:1] == word[:1]]
    close = difflib.get_close_matches(word, likely[:MAX_COMPARED], n=1)
    return close[0] if close else None
