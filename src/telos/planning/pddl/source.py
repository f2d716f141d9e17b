"""The text of a PDDL file: read, cut into its sections, and able to say where anything in it stands."""

import bisect
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from telos.core.errors import DefinitionError, Fault, FaultCode

LARGEST = 4_000_000  # bytes; the largest benchmark of the planning competitions has a tenth of that
DEEPEST = 60  # brackets inside brackets; people write eight

_LOWER = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_BRACKETS = re.compile(r";[^\n]*|[()]")
_HEAD = re.compile(r"\(\s*([^\s();]*)")
_BLANK = re.compile(r"(?:\s|;[^\n]*)*")


@dataclass(frozen=True)
class Source:
    """A file's name and its text, in lower case: PDDL does not tell ``HANDEMPTY`` from ``handempty``."""

    file: str
    text: str
    line_starts: tuple[int, ...] = field(repr=False)

    @classmethod
    def of(cls, file: str, text: str) -> "Source":
        # Only ASCII letters are lowered: others may change their length, and every position after them with it.
        starts = (0, *(match.end() for match in re.finditer("\n", text)))
        return cls(file, text.translate(_LOWER), starts)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "Source":
        """Read the file at ``path``."""
        name = os.fspath(path)
        try:
            size = Path(path).stat().st_size
            data = Path(path).read_bytes() if size <= LARGEST else b""
        except FileNotFoundError:
            raise DefinitionError(
                [Fault("no such file", file=name, suggestion="check the path", code=FaultCode.UNREADABLE)]
            ) from None
        except (OSError, ValueError) as problem:
            why = (problem.strerror if isinstance(problem, OSError) else "") or "cannot be read"
            raise DefinitionError([Fault(why[0].lower() + why[1:], file=name, code=FaultCode.UNREADABLE)]) from None
        if size > LARGEST:
            raise DefinitionError([_too_large(name, size)])
        # Old benchmarks have authors' names in Latin-1 in their comments; elsewhere the replacement is a fault.
        return cls.of(name, data.decode("utf-8-sig", errors="replace"))

    def fault(self, offset: int, message: str, suggestion: str = "", *, code: FaultCode = FaultCode.INVALID) -> Fault:
        """Return a fault that stands at ``offset``."""
        line = bisect.bisect_right(self.line_starts, offset)
        column = offset - self.line_starts[line - 1] + 1
        return Fault(message, suggestion=suggestion, file=self.file, line=line, column=column, code=code)


@dataclass(frozen=True, slots=True)
class Section:
    """One bracket of the file, such as ``(:init …)``: the word it begins with, where it begins, and its text."""

    word: str
    start: int
    text: str


def sections(source: Source, kind: str) -> tuple[Section, ...]:
    """Cut ``(define (kind name) (:…) (:…))`` into the brackets inside its outer one."""
    if len(source.text) > LARGEST:
        raise DefinitionError([_too_large(source.file, len(source.text))])
    spans = list(_spans(source))
    _check_gaps(source, spans)
    found = tuple(
        Section(head.group(1), start, source.text[start:end])
        for start, end in spans
        if (head := _HEAD.match(source.text, start, end))
    )
    if not found or found[0].word != kind:
        is_other = found and found[0].word in ("domain", "problem")
        hint = "are the two files swapped?" if is_other else f"a PDDL {kind} begins with (define ({kind} name)"
        raise DefinitionError(
            [
                source.fault(
                    found[0].start if found else 0, f"this is not a PDDL {kind}", hint, code=FaultCode.BAD_SYNTAX
                )
            ]
        )
    return found


def _spans(source: Source) -> Iterator[tuple[int, int]]:
    """Yield where the brackets inside the outer one begin and end; refuse brackets that do not match."""
    open_at: list[int] = []
    for match in _BRACKETS.finditer(source.text):
        at = match.start()
        if source.text[at] == "(":
            _check_opening(source, at, open_at)
            open_at.append(at)
        elif source.text[at] == ")":
            if not open_at:
                raise DefinitionError(
                    [
                        source.fault(
                            at, "this ) closes nothing", "remove it, or add the missing (", code=FaultCode.BAD_SYNTAX
                        )
                    ]
                )
            start = open_at.pop()
            if len(open_at) == 1:
                yield start, at + 1
            if not open_at:
                _check_end(source, at + 1)
                return
    if not open_at:
        raise DefinitionError(
            [source.fault(0, "there is no PDDL in this file", "it begins with (define", code=FaultCode.BAD_SYNTAX)]
        )
    raise DefinitionError([_unclosed(source, open_at[-1])])


def _check_opening(source: Source, at: int, open_at: list[int]) -> None:
    head = _HEAD.match(source.text, at)
    word = head.group(1) if head else ""
    if not open_at and (word != "define" or _first(source, 0) < at):
        raise DefinitionError(
            [source.fault(at, "PDDL begins with (define", "is this a PDDL file?", code=FaultCode.BAD_SYNTAX)]
        )
    if len(open_at) >= DEEPEST:
        raise DefinitionError(
            [source.fault(at, f"brackets are nested more than {DEEPEST} deep", code=FaultCode.TOO_LARGE)]
        )
    if len(open_at) > 1 and word.startswith(":"):
        # Sections stand only directly inside (define …), so the one before lacks its end.
        raise DefinitionError([_unclosed(source, open_at[-1])])


def _check_gaps(source: Source, spans: Sequence[tuple[int, int]]) -> None:
    """Refuse words between the sections, which would be left unread."""
    for (_, end), (start, _) in pairwise(spans):
        if (at := _first(source, end)) < start:
            raise DefinitionError(
                [source.fault(at, "text between two sections", "is there a ) too many?", code=FaultCode.BAD_SYNTAX)]
            )


def _unclosed(source: Source, at: int) -> Fault:
    return source.fault(at, "this ( is never closed", "add the missing )", code=FaultCode.BAD_SYNTAX)


def _check_end(source: Source, end: int) -> None:
    if (at := _first(source, end)) < len(source.text):
        raise DefinitionError(
            [
                source.fault(
                    at, "text after the end of the definition", "is there a ) too many?", code=FaultCode.BAD_SYNTAX
                )
            ]
        )


def _first(source: Source, start: int) -> int:
    """Return where the first thing after ``start`` stands that is neither blank nor comment."""
    blank = _BLANK.match(source.text, start)
    return blank.end() if blank else start


def _too_large(name: str, size: int) -> Fault:
    return Fault(
        f"the file has {size / 1e6:.1f} MB, more than the {LARGEST / 1e6:g} MB that are read",
        file=name,
        suggestion="split it, or ground it with another tool",
        code=FaultCode.TOO_LARGE,
    )
