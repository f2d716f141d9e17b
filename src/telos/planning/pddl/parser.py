"""PDDL text to a lifted task, every fault located."""

import bisect
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint, nearest

if TYPE_CHECKING:
    from lark import Lark


# --- source -----------------------------------------------------------------------------------------------------------
# The text of a PDDL file: read, cut into its sections, and able to say where anything in it stands.


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


# --- grammar ----------------------------------------------------------------------------------------------------------
# Sections of PDDL text, parsed by the grammar of the ``pddl`` library.
#
# The library's grammar is used, and not its data model: the model is case-sensitive, refuses two actions with one name
# and requirements that were forgotten, all of which real benchmarks have, and it forgets lines and columns.


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
READ = "STRIPS with types, constants, equality, negative preconditions and action costs is read"


def parse(section: Section, source: Source) -> Any:
    """Return the syntax tree of a section: a ``lark.Tree`` whose tokens count positions from the section's start."""
    parser = _parser()
    from lark.exceptions import UnexpectedInput

    try:
        return parser.parse(section.text, start=RULES[section.word])
    except UnexpectedInput as problem:
        raise DefinitionError([_fault(problem, section, source, parser)]) from None


@cache  # building the tables takes longer than parsing most files
def _parser() -> "Lark":
    try:
        from lark import Lark

        grammar = resources.files("pddl.parser").joinpath("grammar.lark").read_text(encoding="utf-8")
    except ImportError:
        raise TelosError(
            "reading PDDL needs the pddl library, which is not installed", 'run: pip install "telos[planning]"'
        ) from None
    return Lark(grammar, parser="lalr", start=list(RULES.values()))


def _fault(problem: Any, section: Section, source: Source, parser: "Lark") -> Fault:
    at = min(problem.pos_in_stream if problem.pos_in_stream is not None else len(section.text), len(section.text) - 1)
    word = word_at(section.text, at)
    if word in UNSUPPORTED:
        return unsupported(source, section.start + at, UNSUPPORTED[word])
    # `allowed` is what the lexer tried and `expected` what the parser would take; each error has one of them.
    wanted = getattr(problem, "allowed", None) or getattr(problem, "expected", None) or ()
    shown = {each.name: f"{each.pattern.value}" for each in parser.terminals if each.pattern.type == "str"}
    shown |= {"NAME": "a name", "NUMBER": "a number", "RPAR": ")", "LPAR": "("}
    words = sorted({shown.get(each, each.lower()) for each in wanted}, key=lambda each: (each.startswith(":"), each))
    likely = ", ".join(words[:8]) + (", …" if len(words) > 8 else "")
    is_meant = nearest(word, words) is not None
    suggestion = name_hint(word, words) if is_meant else f"here may stand: {likely}" if likely else ""
    return source.fault(section.start + at, f"unexpected {word!r}", suggestion, code=FaultCode.BAD_SYNTAX)


def word_at(text: str, at: int) -> str:
    """Return the bracket or the whole word that begins at ``at``."""
    if text[at] in "()":
        return text[at]
    end = at
    while end < len(text) and end < at + 40 and not text[end].isspace() and text[end] not in "();":
        end += 1
    return text[at:end] or text[at]


def unsupported(source: Source, offset: int, what: str) -> Fault:
    """Return the fault of a file that uses more of PDDL than is read; ``what`` is as in "derived predicates are"."""
    return source.fault(offset, f"{what} not supported", READ, code=FaultCode.UNSUPPORTED)


# --- model ------------------------------------------------------------------------------------------------------------
# A PDDL task as its files say it, before grounding: *lifted*, in the words of the field.


# A predicate or function and its terms: `("at", "?truck", "paris")`. With no `?`, it is ground: a fact.
Atom: TypeAlias = tuple[str, ...]
Fact: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Literals:
    """Atoms that must all hold or all not hold, and terms that must be the same or must differ."""

    positive: tuple[Atom, ...] = ()
    negative: tuple[Atom, ...] = ()
    same: tuple[tuple[str, str], ...] = ()
    different: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """An action with parameters; ``costs`` are numbers and functions of its arguments, added up."""

    name: str
    parameters: tuple[str, ...]
    types: tuple[frozenset[str], ...]  # one a parameter; an argument has one of these types
    preconditions: Literals
    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]
    costs: tuple[float | Atom, ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a domain declares: every type with all its subtypes, predicates, functions, constants."""

    subtypes: Mapping[str, frozenset[str]]
    predicates: Mapping[str, int]
    functions: Mapping[str, int]
    constants: Mapping[str, frozenset[str]]  # to their types


@dataclass(frozen=True, slots=True)
class LiftedDomain:
    name: str
    words: Vocabulary
    schemas: tuple[Schema, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """A domain and a problem together."""

    name: str
    domain: LiftedDomain
    objects: Mapping[str, frozenset[str]]  # to their types; the domain's constants among them
    init: frozenset[Fact]
    values: Mapping[Fact, float]  # of functions
    goal: Literals
    counts_costs: bool  # without a metric, every action costs 1

    def objects_of(self, types: frozenset[str]) -> tuple[str, ...]:
        """Return the objects that have one of ``types`` or of their subtypes."""
        wanted = frozenset[str]().union(*(self.domain.words.subtypes[each] for each in types))
        return tuple(name for name, own in self.objects.items() if own & wanted)


def written(atom: Atom) -> str:
    """Write an atom or a ground action the way PDDL does."""
    return f"({' '.join(atom)})"


# --- formulas ---------------------------------------------------------------------------------------------------------
# Syntax trees to literals: preconditions, goals and effects.


MOST_FAULTS = 200  # in one section: nobody reads on, and looking for the names that were meant is slow
_BEYOND = {
    "or": "disjunctions (or) are",
    "imply": "implications (imply) are",
    "exists": "quantifiers (exists) are",
    "forall": "quantifiers (forall) are",
    "when": "conditional effects (when) are",
    "oneof": "effects by chance (oneof) are",
}


class Formulas:
    """Reads the formulas of one section, and keeps everything that is wrong with them."""

    def __init__(self, source: Source, start: int, predicates: Mapping[str, int], functions: Mapping[str, int]) -> None:
        self.source, self.start = source, start
        self.predicates, self.functions = predicates, functions
        self.objects: Collection[str] = ()
        self.variables: Collection[str] = ()
        self.faults: list[Fault] = []

    def fault(self, token: Any, message: str, suggestion: str = "", *, code: FaultCode = FaultCode.INVALID) -> None:
        self.note(self.source.fault(self.start + token.start_pos, message, suggestion, code=code))

    def beyond(self, token: Any, what: str) -> None:
        self.note(unsupported(self.source, self.start + token.start_pos, what))

    def note(self, fault: Fault) -> None:
        self.faults.append(fault)
        if len(self.faults) >= MOST_FAULTS:
            raise DefinitionError(self.faults)

    def condition(self, tree: Any) -> Literals:
        """Read a conjunction of atoms, negated atoms and equalities."""
        found: dict[str, list[Any]] = {"positive": [], "negative": [], "same": [], "different": []}
        self._condition(tree, found, negated=False)
        return Literals(**{key: tuple(dict.fromkeys(each)) for key, each in found.items()})

    def _condition(self, tree: Any, found: dict[str, list[Any]], *, negated: bool) -> None:
        parts = inner(tree)
        if not parts:
            return  # `()` and `(and)` ask for nothing
        first = parts[0]
        if not is_token(first):
            if first.data == "atomic_formula_term":
                self._literal(first, found, negated=negated)
            else:
                self._condition(first, found, negated=negated)
        elif first == "not":
            self._condition(parts[1], found, negated=not negated)
        elif first == "and" and (not negated or len(parts) == 2):
            for part in parts[1:]:
                self._condition(part, found, negated=negated)
        elif first in _BEYOND or first == "and":
            self.beyond(first, _BEYOND.get(str(first), "negations of a whole (and …) are"))
        else:
            self.beyond(first, "numeric conditions are")

    def _literal(self, tree: Any, found: dict[str, list[Any]], *, negated: bool) -> None:
        parts = inner(tree)
        if parts[0] == "=":
            pair = tuple(self._term(part) for part in parts[1:])
            found["different" if negated else "same"].append(pair)
        elif (atom := self.atom(parts)) is not None:
            found["negative" if negated else "positive"].append(atom)

    def effects(self, tree: Any) -> tuple[list[Atom], list[Atom], list[float | Atom]]:
        """Read a conjunction of effects: what is added, what is deleted, and what it adds to the total cost."""
        adds: list[Atom] = []
        deletes: list[Atom] = []
        costs: list[float | Atom] = []
        for effect in self._simple_effects(tree):
            parts = inner(effect)
            if effect.data == "num_effect":
                costs += self._cost(parts)
            elif parts[0] == "=":
                self.fault(parts[0], "an effect cannot make things equal", code=FaultCode.UNSUPPORTED)
            else:
                is_delete = parts[0] == "not"
                atom = self.atom(inner(parts[1]) if is_delete else parts)
                if atom is not None:
                    (deletes if is_delete else adds).append(atom)
        return adds, deletes, costs

    def _simple_effects(self, tree: Any) -> Iterator[Any]:
        """Yield the negated atoms, atoms and numeric effects inside ``tree``."""
        if tree.data in ("atomic_formula_term", "num_effect"):
            yield tree
            return
        parts = inner(tree)
        if parts and is_token(parts[0]) and str(parts[0]) in _BEYOND:
            self.beyond(parts[0], _BEYOND[str(parts[0])])
        elif parts and is_token(parts[0]) and parts[0] == "not":
            yield tree
        else:
            for part in parts:
                if not is_token(part):
                    yield from self._simple_effects(part)

    def _cost(self, parts: list[Any]) -> list[float | Atom]:
        operator, head, amount = parts
        if operator != "increase" or inner(head)[0] != "total-cost":
            self.beyond(operator, "numeric effects other than (increase (total-cost) …) are")
            return []
        value = amount.children[0]
        if is_token(value) or value.data not in ("num_literal", "f_head"):
            self.beyond(operator, "calculated costs are")
            return []
        if value.data == "num_literal":
            number = self.number(value.children[0])
            return [] if number is None else [number]
        function = self.atom(inner(value), self.functions, "function")
        return [] if function is None else [function]

    def number(self, token: Any) -> float | None:
        """Read a number."""
        try:
            return float(token)
        except ValueError:  # the grammar takes 1.2.3 for a number
            self.fault(token, f"{str(token)!r} is not a number", code=FaultCode.WRONG_TYPE)
            return None

    def atom(self, parts: list[Any], known: Mapping[str, int] | None = None, what: str = "predicate") -> Atom | None:
        """Read a predicate or function and its terms; None if it is not declared so."""
        known = self.predicates if known is None else known
        name, terms = str(parts[0]), tuple(self._term(part) for part in parts[1:])
        if name not in known:
            self.fault(parts[0], f"unknown {what} {name!r}", name_hint(name, known), code=FaultCode.UNKNOWN_NAME)
            return None
        if len(terms) != known[name]:
            self.fault(
                parts[0],
                f"{what} {name!r} takes {counted(known[name], 'argument')}, not {len(terms)}",
                code=FaultCode.WRONG_COUNT,
            )
            return None
        return (name, *terms)

    def _term(self, part: Any) -> str:
        # In formulas a bare token is a variable, without its ?, and a tree holds a constant; in facts all are tokens.
        before = self.start + part.start_pos - 1 if is_token(part) else 0
        if self.source.text[before] == "?":
            name = f"?{part}"
            if name not in self.variables:
                suggestion = name_hint(name, self.variables)
                self.note(
                    self.source.fault(before, f"{name} is not a parameter", suggestion, code=FaultCode.UNKNOWN_NAME)
                )
            return name
        token = part if is_token(part) else part.children[0]
        if str(token) not in self.objects:
            self.fault(
                token,
                f"unknown object {str(token)!r}",
                name_hint(str(token), self.objects),
                code=FaultCode.UNKNOWN_NAME,
            )
        return str(token)


def is_token(part: Any) -> bool:
    """Whether a part of a syntax tree is a word, rather than a tree."""
    return isinstance(part, str)


def inner(tree: Any) -> list[Any]:
    """Return the parts of a tree without its brackets."""
    return [part for part in tree.children if part is not None and not (is_token(part) and part in ("(", ")"))]


def counted(number: int, word: str) -> str:
    """Write ``2 arguments`` or ``1 argument``."""
    return f"{number} {word}{'' if number == 1 else 's'}"


# --- declarations -----------------------------------------------------------------------------------------------------
# PDDL domains: sections to a vocabulary and action schemas, with every fault found on the way.


OBJECT = "object"
_IN_DOMAIN = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")


class Trees:
    """The parsed sections of one file; those that cannot be parsed become faults, and the others are still read."""

    def __init__(self, source: Source, kind: str, known: Iterable[str]) -> None:
        self.source = source
        self.faults: list[Fault] = []
        self.parsed: list[tuple[Section, Any]] = []
        known = (kind, *known)
        for section in sections(source, kind):
            if section.word in UNSUPPORTED:
                self.faults.append(unsupported(source, section.start, UNSUPPORTED[section.word]))
            elif section.word not in known:
                message = f"({section.word} …) is no part of a PDDL {kind}"
                self.faults.append(
                    source.fault(section.start, message, name_hint(section.word, known), code=FaultCode.UNKNOWN_NAME)
                )
            elif (
                section.text[1:-1].strip() not in RULES
            ):  # the grammar does not know `(:predicates)` with nothing in it
                self._parse(section)

    def _parse(self, section: Section) -> None:
        try:
            self.parsed.append((section, parse(section, self.source)))
        except DefinitionError as problem:
            self.faults += problem.faults

    def named(self, word: str) -> Iterator[tuple[Section, Any]]:
        """Yield the sections that begin with ``word``."""
        return (each for each in self.parsed if each[0].word == word)

    def fault(
        self, section: Section, token: Any, message: str, suggestion: str = "", *, code: FaultCode = FaultCode.INVALID
    ) -> None:
        self.faults.append(self.source.fault(section.start + token.start_pos, message, suggestion, code=code))
        if len(self.faults) >= MOST_FAULTS:
            raise DefinitionError(self.faults)

    def typed(
        self, section: Section, tree: Any, known: Iterable[str] | None = None
    ) -> Iterator[tuple[Any, frozenset[str]]]:
        """Yield the names of a typed list (``a b - truck c - (either x y)``) with their types."""
        waiting: list[Any] = []
        parts = iter(tree.children)
        for part in parts:
            if part.type != "TYPE_SEP":
                waiting.append(part)
                continue
            declared = next(parts)
            tokens = [declared] if is_token(declared) else [each for each in inner(declared) if each != "either"]
            for token in tokens:
                if known is not None and str(token) not in known:
                    self.fault(
                        section,
                        token,
                        f"unknown type {str(token)!r}",
                        name_hint(str(token), known),
                        code=FaultCode.UNKNOWN_NAME,
                    )
            types = frozenset(str(token) for token in tokens if known is None or str(token) in known)
            yield from ((name, types) for name in waiting)
            waiting = []
        yield from ((name, frozenset({OBJECT})) for name in waiting)

    def objects(self, word: str, subtypes: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
        """Read ``(:constants …)`` or ``(:objects …)``; a name that is declared twice has both types."""
        found: dict[str, frozenset[str]] = {}
        for section, tree in self.named(word):
            for name, types in self.typed(section, inner(tree)[1], subtypes):
                found[str(name)] = found.get(str(name), frozenset()) | types
        return found


def read_domain(source: Source) -> LiftedDomain:
    """Read a domain; a ``DefinitionError`` lists everything that is wrong with it."""
    trees = Trees(source, "domain", _IN_DOMAIN)
    subtypes = _subtypes(trees)
    words = Vocabulary(
        subtypes=subtypes,
        predicates=_skeletons(trees, ":predicates", subtypes),
        functions=_skeletons(trees, ":functions", subtypes),
        constants=trees.objects(":constants", subtypes),
    )
    schemas = tuple(_schema(trees, section, tree, words) for section, tree in trees.named(":action"))
    if trees.faults:
        raise DefinitionError(sorted(trees.faults, key=lambda fault: (fault.line, fault.column)))
    name = next((str(inner(tree)[1]) for _, tree in trees.named("domain")), "domain")
    return LiftedDomain(name, words, schemas)


def _subtypes(trees: Trees) -> dict[str, frozenset[str]]:
    """Return every type with all the types below it and itself."""
    parents: dict[str, set[str]] = {OBJECT: set()}
    places: dict[str, tuple[Section, Any]] = {}
    for section, tree in trees.named(":types"):
        for name, above in trees.typed(section, inner(tree)[1]):
            parents.setdefault(str(name), set()).update(above - {str(name)})
            places.setdefault(str(name), (section, name))
            for each in above:
                parents.setdefault(each, set())  # a type may be named first, or only, as what another is a kind of
    parents[OBJECT] = set()
    below: dict[str, set[str]] = {each: {each} for each in parents}
    for each in parents:
        above_it = _above(each, parents)
        if each in above_it:
            section, token = places[each]
            trees.fault(
                section,
                token,
                f"type {each!r} is a kind of itself",
                "types form a tree below object",
                code=FaultCode.CIRCULAR,
            )
        for one in above_it | {OBJECT}:
            below[one].add(each)
    return {each: frozenset(under) for each, under in below.items()}


def _above(start: str, parents: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(parents[start])
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += parents[each]
    return found


def _skeletons(trees: Trees, word: str, subtypes: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """Return the predicates or functions that are declared, each with its number of arguments."""
    found: dict[str, int] = {}
    for section, tree in trees.named(word):
        parts = inner(tree)[1:]
        if word == ":functions":
            parts = [part for part in parts[0].children if not is_token(part)]
        for part in parts:
            name, typed = inner(part)
            arity = sum(1 for _ in trees.typed(section, typed, subtypes))
            if found.setdefault(str(name), arity) != arity:
                trees.fault(
                    section,
                    name,
                    f"{str(name)!r} is declared with {found[str(name)]} and {arity} arguments",
                    code=FaultCode.WRONG_COUNT,
                )
    return found


def _schema(trees: Trees, section: Section, tree: Any, words: Vocabulary) -> Schema:
    name, parameters, body = (part for part in inner(tree) if part not in (":action", ":parameters"))
    typed = list(trees.typed(section, inner(parameters)[0], words.subtypes))
    variables = [f"?{each}" for each, _ in typed]
    for i, (token, _) in enumerate(typed):
        if variables[i] in variables[:i]:
            trees.fault(
                section,
                token,
                f"parameter {variables[i]} of {str(name)!r} stands twice",
                "rename one of them",
                code=FaultCode.DUPLICATE,
            )
    reader = Formulas(trees.source, section.start, words.predicates, words.functions)
    reader.variables, reader.objects = variables, words.constants
    said = {str(part): body.children[i + 1] for i, part in enumerate(body.children) if is_token(part)}
    needs = reader.condition(said[":precondition"]) if ":precondition" in said else Literals()
    adds, deletes, costs = reader.effects(said[":effect"]) if ":effect" in said else ([], [], [])
    trees.faults += reader.faults
    types = tuple(each for _, each in typed)
    return Schema(str(name), tuple(variables), types, needs, tuple(adds), tuple(deletes), tuple(costs))


# --- instances --------------------------------------------------------------------------------------------------------
# PDDL problems: objects, the state at the start, the goal and the metric.


_IN_PROBLEM = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric")


def read_problem(source: Source, domain: LiftedDomain) -> Task:
    """Read a problem of ``domain``; a ``DefinitionError`` lists everything that is wrong with it."""
    trees = Trees(source, "problem", _IN_PROBLEM)
    words = domain.words
    objects = dict(words.constants)
    for name, types in trees.objects(":objects", words.subtypes).items():
        objects[name] = objects.get(name, frozenset()) | types
    init, values = _init(trees, domain, objects)
    goal = _goal(trees, domain, objects)
    counts_costs = _counts_costs(trees)
    if trees.faults:
        _check_domain(trees, domain)
        raise DefinitionError(sorted(trees.faults, key=lambda fault: (fault.line, fault.column)))
    name = next((str(inner(tree)[1]) for _, tree in trees.named("problem")), "problem")
    return Task(name, domain, objects, init, values, goal, counts_costs)


def read_goal(text: str, task: Task) -> Literals:
    """Read a goal that is given apart from its problem: ``(and (on a b) (clear c))`` or ``(on a b), (clear c)``."""
    said = f"(:goal (and {text.replace(',', ' ')}))"
    source = Source.of("<goal>", f"(define (problem goal) {said})")
    trees = Trees(source, "problem", _IN_PROBLEM)
    goal = _goal(trees, task.domain, task.objects)
    if trees.faults:
        raise DefinitionError(trees.faults)
    return goal


def _check_domain(trees: Trees, domain: LiftedDomain) -> None:
    """Say that the files do not belong together, if that is why nothing in them fits; else many differ in spelling."""
    for section, tree in trees.named(":domain"):
        token = inner(tree)[1]
        if str(token) != domain.name:
            message = f"the problem is of the domain {str(token)!r}, and the domain file holds {domain.name!r}"
            trees.fault(section, token, message, "give the two files that belong together", code=FaultCode.CONFLICT)


def _formulas(trees: Trees, section: Section, domain: LiftedDomain, objects: Mapping[str, frozenset[str]]) -> Formulas:
    reader = Formulas(trees.source, section.start, domain.words.predicates, domain.words.functions)
    reader.objects = objects
    return reader


def _init(
    trees: Trees, domain: LiftedDomain, objects: Mapping[str, frozenset[str]]
) -> tuple[frozenset[Fact], dict[Fact, float]]:
    facts: set[Fact] = set()
    values: dict[Fact, float] = {}
    for section, tree in trees.named(":init"):
        reader = _formulas(trees, section, domain, objects)
        for element in inner(tree)[1:]:
            parts = inner(element)
            if is_token(parts[0]):  # (= (distance a b) 5)
                fact = reader.atom(inner(parts[1]), domain.words.functions, "function")
                number = reader.number(parts[2].children[0])
                if fact is not None and number is not None:
                    values[fact] = number
                continue
            literal = inner(parts[0])
            is_negative = is_token(literal[0])  # (not (on a b)) says what is taken to be so anyway
            fact = reader.atom(inner(literal[-1]))
            if fact is not None and not is_negative:
                facts.add(fact)
        trees.faults += reader.faults
    return frozenset(facts), values


def _goal(trees: Trees, domain: LiftedDomain, objects: Mapping[str, frozenset[str]]) -> Literals:
    found = list(trees.named(":goal"))
    if not found:
        if not trees.faults:
            trees.faults.append(
                trees.source.fault(0, "the problem has no goal", "add (:goal (and …))", code=FaultCode.MISSING_KEY)
            )
        return Literals()
    section, tree = found[0]
    reader = _formulas(trees, section, domain, objects)
    goal = reader.condition(inner(tree)[1])
    trees.faults += reader.faults
    return goal


def _counts_costs(trees: Trees) -> bool:
    found = list(trees.named(":metric"))
    for section, tree in found:
        _, direction, wanted = inner(tree)
        if direction != "minimize" or _only_word(wanted) != "total-cost":
            at = section.start + direction.start_pos
            trees.faults.append(unsupported(trees.source, at, "metrics other than minimize (total-cost) are"))
    return bool(found)


def _only_word(tree: Any) -> str:
    """Return the one word that a tree of one branch holds."""
    parts = inner(tree)
    if len(parts) != 1:
        return ""
    return str(parts[0]) if is_token(parts[0]) else _only_word(parts[0])
