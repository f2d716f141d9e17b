"""PDDL problems as Telos domains."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from telos.core.action import Action
from telos.core.conditions import Condition, Effect
from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.core.expressions import TRUE, And, Expression
from telos.core.goal import Goal
from telos.core.state import State
from telos.core.values import FrozenMap
from telos.planning.pddl.encoding import FALSE, Slot, encode, exclusive
from telos.planning.pddl.grounding import MOST_ACTIONS, Changing, GroundAction, ground, without_constants
from telos.planning.pddl.parser import Fact, Literals, Source, Task, read_domain, read_goal, read_problem, written


@dataclass(frozen=True, slots=True)
class PddlProblem:
    """A PDDL domain and problem, grounded: what to plan with, where it starts, and what it is for.

    Variables and actions have names in Telos's spelling; ``pddl`` and ``facts`` say them in PDDL's.
    """

    domain: Domain
    state: State
    goal: Goal
    said: FrozenMap[str, str] = field(repr=False)  # the name of each action to what PDDL calls it
    slots: Mapping[Fact, Slot] = field(repr=False)
    task: Task = field(repr=False)

    def pddl(self, steps: Iterable[Action | str]) -> tuple[str, ...]:
        """Write actions as PDDL does: ``move.a.b`` is ``(move a b)``."""
        return tuple(self.said[step if isinstance(step, str) else step.name] for step in steps)

    def actions(self, said: str) -> tuple[Action, ...]:
        """Return the ground actions that PDDL calls ``said``, as in ``(move a b)``: several if files name two alike."""
        wanted = written(tuple(said.lower().replace("(", " ").replace(")", " ").split()))
        return tuple(action for action in self.domain.actions if self.said[action.name] == wanted)

    def wants(self, said: str) -> Condition:
        """Return another goal of the same problem as a condition, as in ``(on a b), (clear a)``."""
        return _all(_wanted(read_goal(said, self.task), self.slots, self.task))

    def facts(self, state: State) -> frozenset[str]:
        """Return everything that is true in ``state``, as PDDL writes it."""
        changing = {fact for fact, slot in self.slots.items() if state[slot.variable] == slot.value}
        return frozenset(written(fact) for fact in changing | (self.task.init - self.slots.keys()))


def load_pddl(
    domain: str | os.PathLike[str], problem: str | os.PathLike[str], *, most: int = MOST_ACTIONS
) -> PddlProblem:
    """Read and ground a PDDL domain file and a problem file; refuse more than ``most`` ground actions.

    A bad file raises a ``DefinitionError`` that holds its faults, each with line, column and remedy.
    """
    return _load(Source.read(domain), Source.read(problem), most)


def loads_pddl(domain: str, problem: str, *, most: int = MOST_ACTIONS) -> PddlProblem:
    """Read and ground a PDDL domain and problem from their text."""
    return _load(Source.of("<domain>", domain), Source.of("<problem>", problem), most)


def _load(domain: Source, problem: Source, most: int) -> PddlProblem:
    if most < 1:
        raise TelosError(f"most must be at least 1, got {most}")
    task = read_problem(problem, read_domain(domain))
    changing = without_constants(ground(task, most=most), task.init)
    groups = exclusive(changing, task.domain.schemas, task.init)
    actions = _possible(changing.actions, groups)
    encoding = encode(changing.facts | _asked_for(task, changing), groups, actions, task.init)
    names = _action_names(actions)
    writer = _Writer(encoding.slots)
    goal = Goal(task.name, wants=_all(_wanted(task.goal, encoding.slots, task)))
    made = Domain(
        task.domain.name,
        variables=encoding.variables,
        actions=[writer.action(name, action) for name, action in zip(names, actions, strict=True)],
        goals=[goal],
    )
    said = {name: written((action.schema, *action.arguments)) for name, action in zip(names, actions, strict=True)}
    return PddlProblem(made, made.state(), goal, FrozenMap(said), FrozenMap(encoding.slots), task)


def _possible(actions: Iterable[GroundAction], groups: Iterable[frozenset[Fact]]) -> list[GroundAction]:
    """Drop the actions that need two facts at once of which at most one is ever true."""
    member: dict[Fact, set[int]] = {}
    for i, group in enumerate(groups):
        for fact in group:
            member.setdefault(fact, set()).add(i)
    kept = []
    for action in actions:
        inside = [i for fact in action.needs for i in member.get(fact, ())]
        if len(inside) == len(set(inside)):
            kept.append(action)
    return kept


def _asked_for(task: Task, changing: Changing) -> frozenset[Fact]:
    """Return the facts that no action can make as the goal wants them: variables too, so that the goal can say so."""
    never = {fact for fact in task.goal.positive if fact not in task.init}
    always = {fact for fact in task.goal.negative if fact in task.init}
    return frozenset((never | always) - changing.facts)


def _wanted(goal: Literals, slots: Mapping[Fact, Slot], task: Task) -> Iterator[Expression]:
    for facts, wanted in ((goal.positive, True), (goal.negative, False)):
        for fact in facts:
            if fact in slots:
                yield slots[fact].holds if wanted else slots[fact].fails
            elif (fact in task.init) is not wanted:
                yield FALSE
    if any(left != right for left, right in goal.same) or any(left == right for left, right in goal.different):
        yield FALSE


def _all(parts: Iterable[Expression]) -> Condition:
    parts = tuple(parts)
    if not parts:
        return Condition(TRUE)
    return Condition(parts[0] if len(parts) == 1 else And(parts))


def _action_names(actions: Iterable[GroundAction]) -> list[str]:
    """Name each action ``move.a.b``; the second of two that PDDL calls the same is ``move.a.b.2``."""
    count: dict[str, int] = {}
    names = []
    for action in actions:
        name = ".".join((action.schema, *action.arguments))
        count[name] = count.get(name, 0) + 1
        names.append(name if count[name] == 1 else f"{name}.{count[name]}")
    return names


class _Writer:
    """Writes ground actions over variables. Equal effects are one object, so that each is bound to a layout once."""

    def __init__(self, slots: Mapping[Fact, Slot]) -> None:
        self.slots = slots
        self.effects: dict[tuple[str, Expression], Effect] = {}

    def action(self, name: str, action: GroundAction) -> Action:
        needs = [self.slots[fact].holds for fact in sorted(action.needs)]
        needs += [self.slots[fact].fails for fact in sorted(action.forbids)]
        values = dict(self.deleted(action))
        values |= {self.slots[fact].variable: self.slots[fact].added for fact in sorted(action.adds)}
        effects = [self.effect(variable, value) for variable, value in values.items()]
        return Action(name, preconditions=_all(needs), effects=effects, cost=action.cost)

    def deleted(self, action: GroundAction) -> Iterator[tuple[str, Expression]]:
        for fact in sorted(action.deletes):
            slot = self.slots[fact]
            # A shared variable may hold another fact than the deleted one, unless the action needs that very fact.
            if slot.deleted is not None and (not slot.is_shared or fact in action.needs):
                yield slot.variable, slot.deleted

    def effect(self, variable: str, value: Expression) -> Effect:
        return self.effects.setdefault((variable, value), Effect(variable, value))
