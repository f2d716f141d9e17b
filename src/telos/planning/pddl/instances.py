"""PDDL problems: objects, the state at the start, the goal and the metric."""

from collections.abc import Mapping
from typing import Any

from telos.core.errors import DefinitionError, FaultCode
from telos.planning.pddl.declarations import Trees
from telos.planning.pddl.formulas import Formulas, inner, is_token
from telos.planning.pddl.grammar import unsupported
from telos.planning.pddl.model import Fact, LiftedDomain, Literals, Task
from telos.planning.pddl.source import Section, Source

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
