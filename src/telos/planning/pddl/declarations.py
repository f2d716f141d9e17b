"""PDDL domains: sections to a vocabulary and action schemas, with every fault found on the way."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from telos.core.errors import DefinitionError, Fault, FaultCode, name_hint
from telos.planning.pddl.formulas import MOST_FAULTS, Formulas, inner, is_token
from telos.planning.pddl.grammar import RULES, UNSUPPORTED, parse, unsupported
from telos.planning.pddl.model import LiftedDomain, Literals, Schema, Vocabulary
from telos.planning.pddl.source import Section, Source, sections

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
