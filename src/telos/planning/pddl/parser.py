"""PDDL domains and problems as a lifted task, every fault located.

Start with ``read_domain`` and ``read_problem``; the result is a ``LiftedTask``. ``syntax`` parses the text.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from telos.core.errors import DefinitionError, Fault, FaultCode, name_hint
from telos.planning.pddl.syntax import (
    RULES,
    UNSUPPORTED,
    PddlSection,
    PddlSource,
    parse_section,
    split_sections,
    unsupported_fault,
)

# --- model ---

# A predicate or function and its terms: `("at", "?truck", "paris")`. With no `?`, it is ground: a fact.
Atom: TypeAlias = tuple[str, ...]
Fact: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Literals:
    """A conjunction: atoms, negated atoms, and pairs of terms that must be equal or differ."""

    positive: tuple[Atom, ...] = ()
    negative: tuple[Atom, ...] = ()
    same: tuple[tuple[str, str], ...] = ()
    different: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ActionSchema:
    """An action with parameters; its cost is the sum of ``costs``, numbers and functions of its arguments."""

    name: str
    parameters: tuple[str, ...]
    types: tuple[frozenset[str], ...]  # for each parameter; an argument has one of these types
    preconditions: Literals
    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]
    costs: tuple[float | Atom, ...] = ()


@dataclass(frozen=True, slots=True)
class Declarations:
    """The types of a domain with all their subtypes, its predicates, functions and constants."""

    subtypes: Mapping[str, frozenset[str]]
    predicates: Mapping[str, int]
    functions: Mapping[str, int]
    constants: Mapping[str, frozenset[str]]  # to their types


@dataclass(frozen=True, slots=True)
class LiftedDomain:
    name: str
    words: Declarations
    schemas: tuple[ActionSchema, ...]


@dataclass(frozen=True, slots=True)
class LiftedTask:
    """A domain and a problem, not grounded yet."""

    name: str
    domain: LiftedDomain
    objects: Mapping[str, frozenset[str]]  # to their types; includes the domain's constants
    init: frozenset[Fact]
    values: Mapping[Fact, float]  # of functions
    goal: Literals
    counts_costs: bool  # without a metric, every action costs 1

    def objects_of(self, types: frozenset[str]) -> tuple[str, ...]:
        """Return the objects that have one of ``types`` or of their subtypes."""
        wanted = frozenset[str]().union(*(self.domain.words.subtypes[each] for each in types))
        return tuple(name for name, own in self.objects.items() if own & wanted)


def format_atom(atom: Atom) -> str:
    """Return an atom or a ground action in PDDL syntax."""
    return f"({' '.join(atom)})"


# --- formulas ---

MAX_FAULTS = 200  # in one section: more are not useful, and suggestions of names are slow
_UNSUPPORTED_FORMULAS = {
    "or": "disjunctions (or) are",
    "imply": "implications (imply) are",
    "exists": "quantifiers (exists) are",
    "forall": "quantifiers (forall) are",
    "when": "conditional effects (when) are",
    "oneof": "effects by chance (oneof) are",
}


class FormulaReader:
    """Reads the formulas of one section: preconditions, goals, effects; collects faults."""

    def __init__(
        self, source: PddlSource, start: int, predicates: Mapping[str, int], functions: Mapping[str, int]
    ) -> None:
        self.source, self.start = source, start
        self.predicates, self.functions = predicates, functions
        self.objects: Collection[str] = ()
        self.variables: Collection[str] = ()
        self.faults: list[Fault] = []

    def fault(self, token: Any, message: str, suggestion: str = "", *, code: FaultCode = FaultCode.INVALID) -> None:
        self.add_fault(self.source.fault(self.start + token.start_pos, message, suggestion, code=code))

    def unsupported(self, token: Any, what: str) -> None:
        self.add_fault(unsupported_fault(self.source, self.start + token.start_pos, what))

    def add_fault(self, fault: Fault) -> None:
        self.faults.append(fault)
        if len(self.faults) >= MAX_FAULTS:
            raise DefinitionError(self.faults)

    def condition(self, tree: Any) -> Literals:
        """Read a conjunction of atoms, negated atoms and equalities."""
        found: dict[str, list[Any]] = {"positive": [], "negative": [], "same": [], "different": []}
        self._condition(tree, found, negated=False)
        return Literals(**{key: tuple(dict.fromkeys(each)) for key, each in found.items()})

    def _condition(self, tree: Any, found: dict[str, list[Any]], *, negated: bool) -> None:
        parts = strip_brackets(tree)
        if not parts:
            return  # `()` and `(and)` are empty conjunctions
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
        elif first in _UNSUPPORTED_FORMULAS or first == "and":
            self.unsupported(first, _UNSUPPORTED_FORMULAS.get(str(first), "negations of a whole (and …) are"))
        else:
            self.unsupported(first, "numeric conditions are")

    def _literal(self, tree: Any, found: dict[str, list[Any]], *, negated: bool) -> None:
        parts = strip_brackets(tree)
        if parts[0] == "=":
            pair = tuple(self._term(part) for part in parts[1:])
            found["different" if negated else "same"].append(pair)
        elif (atom := self.atom(parts)) is not None:
            found["negative" if negated else "positive"].append(atom)

    def effects(self, tree: Any) -> tuple[list[Atom], list[Atom], list[float | Atom]]:
        """Read a conjunction of effects: added atoms, deleted atoms, and additions to the total cost."""
        adds: list[Atom] = []
        deletes: list[Atom] = []
        costs: list[float | Atom] = []
        for effect in self._simple_effects(tree):
            parts = strip_brackets(effect)
            if effect.data == "num_effect":
                costs += self._cost(parts)
            elif parts[0] == "=":
                self.fault(parts[0], "an effect cannot make things equal", code=FaultCode.UNSUPPORTED)
            else:
                is_delete = parts[0] == "not"
                atom = self.atom(strip_brackets(parts[1]) if is_delete else parts)
                if atom is not None:
                    (deletes if is_delete else adds).append(atom)
        return adds, deletes, costs

    def _simple_effects(self, tree: Any) -> Iterator[Any]:
        """Yield the atoms, negated atoms and numeric effects inside ``tree``."""
        if tree.data in ("atomic_formula_term", "num_effect"):
            yield tree
            return
        parts = strip_brackets(tree)
        if parts and is_token(parts[0]) and str(parts[0]) in _UNSUPPORTED_FORMULAS:
            self.unsupported(parts[0], _UNSUPPORTED_FORMULAS[str(parts[0])])
        elif parts and is_token(parts[0]) and parts[0] == "not":
            yield tree
        else:
            for part in parts:
                if not is_token(part):
                    yield from self._simple_effects(part)

    def _cost(self, parts: list[Any]) -> list[float | Atom]:
        operator, head, amount = parts
        if operator != "increase" or strip_brackets(head)[0] != "total-cost":
            self.unsupported(operator, "numeric effects other than (increase (total-cost) …) are")
            return []
        value = amount.children[0]
        if is_token(value) or value.data not in ("num_literal", "f_head"):
            self.unsupported(operator, "calculated costs are")
            return []
        if value.data == "num_literal":
            number = self.number(value.children[0])
            return [] if number is None else [number]
        function = self.atom(strip_brackets(value), self.functions, "function")
        return [] if function is None else [function]

    def number(self, token: Any) -> float | None:
        try:
            return float(token)
        except ValueError:  # the grammar accepts 1.2.3
            self.fault(token, f"{str(token)!r} is not a number", code=FaultCode.WRONG_TYPE)
            return None

    def atom(self, parts: list[Any], known: Mapping[str, int] | None = None, what: str = "predicate") -> Atom | None:
        """Read a predicate or function and its terms; None if it does not match its declaration."""
        known = self.predicates if known is None else known
        name, terms = str(parts[0]), tuple(self._term(part) for part in parts[1:])
        if name not in known:
            self.fault(parts[0], f"unknown {what} {name!r}", name_hint(name, known), code=FaultCode.UNKNOWN_NAME)
            return None
        if len(terms) != known[name]:
            self.fault(
                parts[0],
                f"{what} {name!r} takes {format_count(known[name], 'argument')}, not {len(terms)}",
                code=FaultCode.WRONG_COUNT,
            )
            return None
        return (name, *terms)

    def _term(self, part: Any) -> str:
        # In formulas a token is a variable without its ?, and a tree is a constant; in facts all are tokens.
        before = self.start + part.start_pos - 1 if is_token(part) else 0
        if self.source.text[before] == "?":
            name = f"?{part}"
            if name not in self.variables:
                suggestion = name_hint(name, self.variables)
                self.add_fault(
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
    """Whether a part of a syntax tree is a token, not a tree."""
    return isinstance(part, str)


def strip_brackets(tree: Any) -> list[Any]:
    """Return the children of a tree without brackets."""
    return [part for part in tree.children if part is not None and not (is_token(part) and part in ("(", ")"))]


def format_count(number: int, word: str) -> str:
    """Return a count with its word: ``2 arguments``, ``1 argument``."""
    return f"{number} {word}{'' if number == 1 else 's'}"


# --- domains ---

OBJECT = "object"
_DOMAIN_SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")


class SectionTrees:
    """The parsed sections of one file; sections that cannot be parsed become faults."""

    def __init__(self, source: PddlSource, kind: str, known: Iterable[str]) -> None:
        self.source = source
        self.faults: list[Fault] = []
        self.parsed: list[tuple[PddlSection, Any]] = []
        known = (kind, *known)
        for section in split_sections(source, kind):
            if section.word in UNSUPPORTED:
                self.faults.append(unsupported_fault(source, section.start, UNSUPPORTED[section.word]))
            elif section.word not in known:
                message = f"({section.word} …) is not a section of a PDDL {kind}"
                self.faults.append(
                    source.fault(section.start, message, name_hint(section.word, known), code=FaultCode.UNKNOWN_NAME)
                )
            elif (
                section.text[1:-1].strip() not in RULES
            ):  # the grammar does not know `(:predicates)` with nothing in it
                self._parse(section)

    def _parse(self, section: PddlSection) -> None:
        try:
            self.parsed.append((section, parse_section(section, self.source)))
        except DefinitionError as problem:
            self.faults += problem.faults

    def named(self, word: str) -> Iterator[tuple[PddlSection, Any]]:
        """Yield the sections with the first word ``word``."""
        return (each for each in self.parsed if each[0].word == word)

    def fault(
        self,
        section: PddlSection,
        token: Any,
        message: str,
        suggestion: str = "",
        *,
        code: FaultCode = FaultCode.INVALID,
    ) -> None:
        self.faults.append(self.source.fault(section.start + token.start_pos, message, suggestion, code=code))
        if len(self.faults) >= MAX_FAULTS:
            raise DefinitionError(self.faults)

    def typed(
        self, section: PddlSection, tree: Any, known: Iterable[str] | None = None
    ) -> Iterator[tuple[Any, frozenset[str]]]:
        """Yield the names of a typed list (``a b - truck c - (either x y)``) with their types."""
        waiting: list[Any] = []
        parts = iter(tree.children)
        for part in parts:
            if part.type != "TYPE_SEP":
                waiting.append(part)
                continue
            declared = next(parts)
            tokens = (
                [declared] if is_token(declared) else [each for each in strip_brackets(declared) if each != "either"]
            )
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
        """Read ``(:constants …)`` or ``(:objects …)``; a name declared twice has both types."""
        found: dict[str, frozenset[str]] = {}
        for section, tree in self.named(word):
            for name, types in self.typed(section, strip_brackets(tree)[1], subtypes):
                found[str(name)] = found.get(str(name), frozenset()) | types
        return found


def read_domain(source: PddlSource) -> LiftedDomain:
    """Read a domain; raises a ``DefinitionError`` with all faults."""
    trees = SectionTrees(source, "domain", _DOMAIN_SECTIONS)
    subtypes = _read_types(trees)
    words = Declarations(
        subtypes=subtypes,
        predicates=_read_signatures(trees, ":predicates", subtypes),
        functions=_read_signatures(trees, ":functions", subtypes),
        constants=trees.objects(":constants", subtypes),
    )
    schemas = tuple(_read_schema(trees, section, tree, words) for section, tree in trees.named(":action"))
    if trees.faults:
        raise DefinitionError(sorted(trees.faults, key=lambda fault: (fault.line, fault.column)))
    name = next((str(strip_brackets(tree)[1]) for _, tree in trees.named("domain")), "domain")
    return LiftedDomain(name, words, schemas)


def _read_types(trees: SectionTrees) -> dict[str, frozenset[str]]:
    """Return every type with its subtypes, including itself."""
    parents: dict[str, set[str]] = {OBJECT: set()}
    places: dict[str, tuple[PddlSection, Any]] = {}
    for section, tree in trees.named(":types"):
        for name, above in trees.typed(section, strip_brackets(tree)[1]):
            parents.setdefault(str(name), set()).update(above - {str(name)})
            places.setdefault(str(name), (section, name))
            for each in above:
                parents.setdefault(each, set())  # a type may occur first, or only, as a supertype
    parents[OBJECT] = set()
    below: dict[str, set[str]] = {each: {each} for each in parents}
    for each in parents:
        above_it = _find_supertypes(each, parents)
        if each in above_it:
            section, token = places[each]
            trees.fault(
                section,
                token,
                f"type {each!r} is its own supertype",
                "types form a tree below object",
                code=FaultCode.CIRCULAR,
            )
        for one in above_it | {OBJECT}:
            below[one].add(each)
    return {each: frozenset(under) for each, under in below.items()}


def _find_supertypes(start: str, parents: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(parents[start])
    while waiting:
        each = waiting.pop()
        if each not in found:
            found.add(each)
            waiting += parents[each]
    return found


def _read_signatures(trees: SectionTrees, word: str, subtypes: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """Return the declared predicates or functions with their numbers of arguments."""
    found: dict[str, int] = {}
    for section, tree in trees.named(word):
        parts = strip_brackets(tree)[1:]
        if word == ":functions":
            parts = [part for part in parts[0].children if not is_token(part)]
        for part in parts:
            name, typed = strip_brackets(part)
            arity = sum(1 for _ in trees.typed(section, typed, subtypes))
            if found.setdefault(str(name), arity) != arity:
                trees.fault(
                    section,
                    name,
                    f"{str(name)!r} is declared with {found[str(name)]} and {arity} arguments",
                    code=FaultCode.WRONG_COUNT,
                )
    return found


def _read_schema(trees: SectionTrees, section: PddlSection, tree: Any, words: Declarations) -> ActionSchema:
    name, parameters, body = (part for part in strip_brackets(tree) if part not in (":action", ":parameters"))
    typed = list(trees.typed(section, strip_brackets(parameters)[0], words.subtypes))
    variables = [f"?{each}" for each, _ in typed]
    for i, (token, _) in enumerate(typed):
        if variables[i] in variables[:i]:
            trees.fault(
                section,
                token,
                f"parameter {variables[i]} of {str(name)!r} is declared twice",
                "rename one of them",
                code=FaultCode.DUPLICATE,
            )
    reader = FormulaReader(trees.source, section.start, words.predicates, words.functions)
    reader.variables, reader.objects = variables, words.constants
    written = {str(part): body.children[i + 1] for i, part in enumerate(body.children) if is_token(part)}
    needs = reader.condition(written[":precondition"]) if ":precondition" in written else Literals()
    adds, deletes, costs = reader.effects(written[":effect"]) if ":effect" in written else ([], [], [])
    trees.faults += reader.faults
    types = tuple(each for _, each in typed)
    return ActionSchema(str(name), tuple(variables), types, needs, tuple(adds), tuple(deletes), tuple(costs))


# --- problems ---

_PROBLEM_SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric")


def read_problem(source: PddlSource, domain: LiftedDomain) -> LiftedTask:
    """Read a problem of ``domain``; raises a ``DefinitionError`` with all faults."""
    trees = SectionTrees(source, "problem", _PROBLEM_SECTIONS)
    words = domain.words
    objects = dict(words.constants)
    for name, types in trees.objects(":objects", words.subtypes).items():
        objects[name] = objects.get(name, frozenset()) | types
    init, values = _read_init(trees, domain, objects)
    goal = _read_goal(trees, domain, objects)
    counts_costs = _read_metric(trees)
    if trees.faults:
        _check_domain(trees, domain)
        raise DefinitionError(sorted(trees.faults, key=lambda fault: (fault.line, fault.column)))
    name = next((str(strip_brackets(tree)[1]) for _, tree in trees.named("problem")), "problem")
    return LiftedTask(name, domain, objects, init, values, goal, counts_costs)


def read_goal(text: str, task: LiftedTask) -> Literals:
    """Read another goal for a problem: ``(and (on a b) (clear c))`` or ``(on a b), (clear c)``."""
    written = f"(:goal (and {text.replace(',', ' ')}))"
    source = PddlSource.of("<goal>", f"(define (problem goal) {written})")
    trees = SectionTrees(source, "problem", _PROBLEM_SECTIONS)
    goal = _read_goal(trees, task.domain, task.objects)
    if trees.faults:
        raise DefinitionError(trees.faults)
    return goal


def _check_domain(trees: SectionTrees, domain: LiftedDomain) -> None:
    """Add a fault if the names of the domains differ. Checked only if there are faults: many good files differ."""
    for section, tree in trees.named(":domain"):
        token = strip_brackets(tree)[1]
        if str(token) != domain.name:
            message = f"the problem is for the domain {str(token)!r}, but the domain file defines {domain.name!r}"
            trees.fault(section, token, message, "pass two files of the same domain", code=FaultCode.CONFLICT)


def _formulas(
    trees: SectionTrees, section: PddlSection, domain: LiftedDomain, objects: Mapping[str, frozenset[str]]
) -> FormulaReader:
    reader = FormulaReader(trees.source, section.start, domain.words.predicates, domain.words.functions)
    reader.objects = objects
    return reader


def _read_init(
    trees: SectionTrees, domain: LiftedDomain, objects: Mapping[str, frozenset[str]]
) -> tuple[frozenset[Fact], dict[Fact, float]]:
    facts: set[Fact] = set()
    values: dict[Fact, float] = {}
    for section, tree in trees.named(":init"):
        reader = _formulas(trees, section, domain, objects)
        for element in strip_brackets(tree)[1:]:
            parts = strip_brackets(element)
            if is_token(parts[0]):  # (= (distance a b) 5)
                fact = reader.atom(strip_brackets(parts[1]), domain.words.functions, "function")
                number = reader.number(parts[2].children[0])
                if fact is not None and number is not None:
                    values[fact] = number
                continue
            literal = strip_brackets(parts[0])
            is_negative = is_token(literal[0])  # (not (on a b)) is the default
            fact = reader.atom(strip_brackets(literal[-1]))
            if fact is not None and not is_negative:
                facts.add(fact)
        trees.faults += reader.faults
    return frozenset(facts), values


def _read_goal(trees: SectionTrees, domain: LiftedDomain, objects: Mapping[str, frozenset[str]]) -> Literals:
    found = list(trees.named(":goal"))
    if not found:
        if not trees.faults:
            trees.faults.append(
                trees.source.fault(0, "the problem has no goal", "add (:goal (and …))", code=FaultCode.MISSING_KEY)
            )
        return Literals()
    section, tree = found[0]
    reader = _formulas(trees, section, domain, objects)
    goal = reader.condition(strip_brackets(tree)[1])
    trees.faults += reader.faults
    return goal


def _read_metric(trees: SectionTrees) -> bool:
    found = list(trees.named(":metric"))
    for section, tree in found:
        _, direction, wanted = strip_brackets(tree)
        if direction != "minimize" or _find_only_word(wanted) != "total-cost":
            at = section.start + direction.start_pos
            trees.faults.append(unsupported_fault(trees.source, at, "metrics other than minimize (total-cost) are"))
    return bool(found)


def _find_only_word(tree: Any) -> str:
    """Return the only word in a tree with a single branch, or an empty text."""
    parts = strip_brackets(tree)
    if len(parts) != 1:
        return ""
    return str(parts[0]) if is_token(parts[0]) else _find_only_word(parts[0])
