"""The text of a PDDL file: cut into sections, parsed by the grammar of the ``pddl`` library, every fault located.

Start with ``PddlSource`` (a file and its text), ``split_sections`` and ``parse_section``. Only the library's grammar is
used: its data model is case-sensitive, refuses two actions with one name and undeclared requirements, all of which real
benchmarks have, and it drops lines and columns.
"""

import bisect
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint, nearest
from telos.files.reading import normalize_line_ends, read_bytes

if TYPE_CHECKING:
    from lark import Lark


# --- sections ---

MAX_BYTES = 4_000_000  # the largest benchmark of the planning competitions has a tenth of that
MAX_DEPTH = 60  # of nested brackets; people write eight

_LOWER = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_BRACKETS = re.compile(r";[^\n]*|[()]")
_HEAD = re.compile(r"\(\s*([^\s();]*)")
_BLANK = re.compile(r"(?:\s|;[^\n]*)*")


@dataclass(frozen=True)
class PddlSource:
    """A file's name and its text in lower case, because PDDL is not case-sensitive."""

    file: str
    text: str
    line_starts: tuple[int, ...] = field(repr=False)

    @classmethod
    def of(cls, file: str, text: str) -> "PddlSource":
        # Only ASCII letters are lowered: others may change their length, and with it every position after them.
        starts = (0, *(match.end() for match in re.finditer("\n", text)))
        return cls(file, text.translate(_LOWER), starts)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "PddlSource":
        """Read the file at ``path``."""
        name, data = os.fspath(path), read_bytes(path, limit=MAX_BYTES)
        # Old benchmarks have authors' names in Latin-1 in comments; elsewhere the replacement character is a fault.
        return cls.of(name, normalize_line_ends(data.decode("utf-8-sig", errors="replace")))

    def fault(self, offset: int, message: str, suggestion: str = "", *, code: FaultCode = FaultCode.INVALID) -> Fault:
        """Return a fault at ``offset``."""
        line = bisect.bisect_right(self.line_starts, offset)
        column = offset - self.line_starts[line - 1] + 1
        return Fault(message, suggestion=suggestion, file=self.file, line=line, column=column, code=code)


@dataclass(frozen=True, slots=True)
class PddlSection:
    """One bracket of the file, such as ``(:init …)``: its first word, its offset, and its text."""

    word: str
    start: int
    text: str


def split_sections(source: PddlSource, kind: str) -> tuple[PddlSection, ...]:
    """Return the brackets inside the outer one of ``(define (kind name) (:…) (:…))``."""
    if len(source.text) > MAX_BYTES:
        raise DefinitionError([_too_large(source.file, len(source.text))])
    spans = list(_spans(source))
    _check_gaps(source, spans)
    found = tuple(
        PddlSection(head.group(1), start, source.text[start:end])
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


def _spans(source: PddlSource) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the brackets inside the outer one; raise if brackets do not match."""
    open_at: list[int] = []
    for match in _BRACKETS.finditer(source.text):
        at = match.start()
        if source.text[at] == "(":
            _check_opening(source, at, open_at)
            open_at.append(at)
        elif source.text[at] == ")":
            if not open_at:
                raise DefinitionError(
                    [source.fault(at, "unmatched )", "remove it, or add the missing (", code=FaultCode.BAD_SYNTAX)]
                )
            start = open_at.pop()
            if len(open_at) == 1:
                yield start, at + 1
            if not open_at:
                _check_end(source, at + 1)
                return
    if not open_at:
        raise DefinitionError(
            [source.fault(0, "the file has no PDDL", "begin with (define", code=FaultCode.BAD_SYNTAX)]
        )
    raise DefinitionError([_unclosed(source, open_at[-1])])


def _check_opening(source: PddlSource, at: int, open_at: list[int]) -> None:
    head = _HEAD.match(source.text, at)
    word = head.group(1) if head else ""
    if not open_at and (word != "define" or _skip_blank(source, 0) < at):
        raise DefinitionError(
            [source.fault(at, "PDDL begins with (define", "is this a PDDL file?", code=FaultCode.BAD_SYNTAX)]
        )
    if len(open_at) >= MAX_DEPTH:
        raise DefinitionError(
            [source.fault(at, f"brackets are nested more than {MAX_DEPTH} deep", code=FaultCode.TOO_LARGE)]
        )
    if len(open_at) > 1 and word.startswith(":"):
        # Sections are only directly inside (define …), so the one before is not closed.
        raise DefinitionError([_unclosed(source, open_at[-1])])


def _check_gaps(source: PddlSource, spans: Sequence[tuple[int, int]]) -> None:
    """Raise if there are words between the sections, which would not be read."""
    for (_, end), (start, _) in pairwise(spans):
        if (at := _skip_blank(source, end)) < start:
            raise DefinitionError(
                [source.fault(at, "text between two sections", "is there a ) too many?", code=FaultCode.BAD_SYNTAX)]
            )


def _unclosed(source: PddlSource, at: int) -> Fault:
    return source.fault(at, "unclosed (", "add the missing )", code=FaultCode.BAD_SYNTAX)


def _check_end(source: PddlSource, end: int) -> None:
    if (at := _skip_blank(source, end)) < len(source.text):
        raise DefinitionError(
            [
                source.fault(
                    at, "text after the end of the definition", "is there a ) too many?", code=FaultCode.BAD_SYNTAX
                )
            ]
        )


def _skip_blank(source: PddlSource, start: int) -> int:
    """Return the offset of the first text after ``start`` that is neither blank nor comment."""
    blank = _BLANK.match(source.text, start)
    return blank.end() if blank else start


def _too_large(name: str, size: int) -> Fault:
    return Fault(
        f"the file has {size / 1e6:.1f} MB; the limit is {MAX_BYTES / 1e6:g} MB",
        file=name,
        suggestion="split it, or ground it with another tool",
        code=FaultCode.TOO_LARGE,
    )


# --- grammar ---

RULES = {
    "domain": "domain_def",
    ":requirements": "requirements",
    ":types": "types",
    ":constants": "constants",
    ":predicates": "predicates",
    ":functions": "functions",
    ":action": "action_def",
    "problem": "problem_def",
    ":domain": "problem_domain",
    ":objects": "objects",
    ":init": "init",
    ":goal": "goal",
    ":metric": "metric_spec",
}
UNSUPPORTED = {
    ":durative-action": "durative actions are",
    ":durative-actions": "durative actions are",
    ":duration-inequalities": "durative actions are",
    ":continuous-effects": "continuous change is",
    ":derived": "derived predicates are",
    ":derived-predicates": "derived predicates are",
    ":constraints": "constraints on the whole plan are",
    ":preferences": "preferences are",
    ":timed-initial-literals": "timed initial literals are",
    ":object-fluents": "object fluents are",
    ":goal-utilities": "goal utilities are",
    ":time": "continuous change is",
    ":process": "processes are",
    ":event": "events are",
    ":task": "task networks are",
    ":method": "task networks are",
    ":htn": "task networks are",
    ":hierarchy": "task networks are",
    ":non-deterministic": "effects by chance are",
    ":probabilistic-effects": "effects by chance are",
}
SUPPORTED = "supported: STRIPS with types, constants, equality, negative preconditions and action costs"


def parse_section(section: PddlSection, source: PddlSource) -> Any:
    """Return the syntax tree of a section: a ``lark.Tree`` whose tokens count positions from the section's start."""
    parser = _parser()
    from lark.exceptions import UnexpectedInput

    try:
        return parser.parse(section.text, start=RULES[section.word])
    except UnexpectedInput as problem:
        raise DefinitionError([_syntax_fault(problem, section, source, parser)]) from None


@cache  # building the parser takes longer than parsing most files
def _parser() -> "Lark":
    try:
        from lark import Lark

        grammar = resources.files("pddl.parser").joinpath("grammar.lark").read_text(encoding="utf-8")
    except ImportError:
        raise TelosError(
            "reading PDDL needs the pddl library, which is not installed", 'run: pip install "telos[planning]"'
        ) from None
    return Lark(grammar, parser="lalr", start=list(RULES.values()))


def _syntax_fault(problem: Any, section: PddlSection, source: PddlSource, parser: "Lark") -> Fault:
    at = min(problem.pos_in_stream if problem.pos_in_stream is not None else len(section.text), len(section.text) - 1)
    word = word_at(section.text, at)
    if word in UNSUPPORTED:
        return unsupported_fault(source, section.start + at, UNSUPPORTED[word])
    # `allowed` is set by the lexer and `expected` by the parser; each error has one of them.
    wanted = getattr(problem, "allowed", None) or getattr(problem, "expected", None) or ()
    shown = {each.name: f"{each.pattern.value}" for each in parser.terminals if each.pattern.type == "str"}
    shown |= {"NAME": "a name", "NUMBER": "a number", "RPAR": ")", "LPAR": "("}
    words = sorted({shown.get(each, each.lower()) for each in wanted}, key=lambda each: (each.startswith(":"), each))
    likely = ", ".join(words[:8]) + (", …" if len(words) > 8 else "")
    is_meant = nearest(word, words) is not None
    suggestion = name_hint(word, words) if is_meant else f"expected one of: {likely}" if likely else ""
    return source.fault(section.start + at, f"unexpected {word!r}", suggestion, code=FaultCode.BAD_SYNTAX)


def word_at(text: str, at: int) -> str:
    """Return the bracket or the whole word at ``at``."""
    if text[at] in "()":
        return text[at]
    end = at
    while end < len(text) and end < at + 40 and not text[end].isspace() and text[end] not in "();":
        end += 1
    return text[at:end] or text[at]


def unsupported_fault(source: PddlSource, offset: int, what: str) -> Fault:
    """Return the fault for an unsupported part of PDDL; ``what`` is as in "derived predicates are"."""
    return source.fault(offset, f"{what} not supported", SUPPORTED, code=FaultCode.UNSUPPORTED)
