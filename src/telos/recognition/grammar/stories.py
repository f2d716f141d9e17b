"""Hypotheses of the lifted parser: the tasks that are left, and which objects their variables stand for."""

from typing import Any, NamedTuple, TypeAlias

from telos.recognition.grammar.hddl import Literal

Term: TypeAlias = int | str  # a variable, by number, or an object
Bound: TypeAlias = dict[int, Term]


class Node(NamedTuple):
    """A task that is left to do, and the nodes that come before it."""

    number: int
    name: str
    arguments: tuple[Term, ...]
    before: frozenset[int]


class Waiting(NamedTuple):
    """What must hold, but cannot be judged before its variables are known."""

    predicate: str
    arguments: tuple[Term, ...]
    positive: bool


class Story(NamedTuple):
    """One way in which the actions seen came about, and what it leaves to do."""

    weight: float
    nodes: tuple[Node, ...]
    bound: Bound
    waiting: tuple[Waiting, ...]
    goals: tuple[tuple[str, tuple[Term, ...]], ...]
    fresh: frozenset[int]  # the nodes that the last action has made way for
    choice: tuple[int, int, bool] | None  # at the last action: nodes made way for, others, and whether one of the first
    methods: Any  # those taken so far, as a chain of pairs, the last first: stories share what they have in common


def value_of(bound: Bound, term: Term) -> Term:
    """Return what a term stands for: an object, or the last variable of its chain."""
    while isinstance(term, int) and term in bound:
        term = bound[term]
    return term


def literal_of(waiting: Waiting, bound: Bound) -> Literal | None:
    """Return what is waited for, if all its variables are known by now."""
    values = [value_of(bound, term) for term in waiting.arguments]
    if any(isinstance(value, int) for value in values):
        return None
    return Literal(waiting.predicate, tuple(str(value) for value in values), waiting.positive)


def key_of(story: Story) -> Any:
    """Return what two stories must share to be one from here on: names of variables and nodes do not matter."""
    names: dict[int, int] = {}
    places = {node.number: place for place, node in enumerate(story.nodes)}

    def plain(term: Term) -> Term:
        value = value_of(story.bound, term)
        return names.setdefault(value, len(names)) if isinstance(value, int) else value

    nodes = tuple(
        (node.name, tuple(map(plain, node.arguments)), frozenset(places[each] for each in node.before))
        for node in story.nodes
    )
    goals = tuple((name, tuple(map(plain, arguments))) for name, arguments in story.goals)
    waiting = tuple((each.predicate, tuple(map(plain, each.arguments)), each.positive) for each in story.waiting)
    return nodes, goals, waiting, frozenset(places[each] for each in story.fresh if each in places)


def methods_of(story: Story) -> list[tuple[str, str]]:
    """Return the methods that a story took, by task and name."""
    found, chain = [], story.methods
    while chain:
        method, chain = chain
        found.append(method)
    return found


def without(nodes: tuple[Node, ...], number: int) -> tuple[Node, ...]:
    """Return the nodes without one that is done."""
    return tuple(
        node._replace(before=node.before - {number}) if number in node.before else node
        for node in nodes
        if node.number != number
    )


def made_way_for(nodes: tuple[Node, ...], number: int) -> frozenset[int]:
    """Return the nodes that wait for nothing but one."""
    return frozenset(node.number for node in nodes if node.before == {number})


def replaced(nodes: tuple[Node, ...], number: int, parts: list[Node]) -> tuple[Node, ...]:
    """Return the nodes with one of them refined; whatever waited for it waits for all its parts."""
    numbers = frozenset(part.number for part in parts)
    found: list[Node] = []
    for node in nodes:
        if node.number == number:
            found += parts
        else:
            found.append(node._replace(before=node.before - {number} | numbers) if number in node.before else node)
    return tuple(found)
