"""Compact STRIPS: a start, actions that need, add and delete facts, and the goals that somebody may be after.

Facts are numbers. What never changes is gone, and so is negation: a fact that is ever asked to be false has another
one, its opposite, that is true whenever it is not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from telos.core.errors import TelosError
from telos.core.frozen import FrozenMap
from telos.planning.pddl.constants import without_constants
from telos.planning.pddl.grounding import MOST_ACTIONS, GroundAction, ground
from telos.planning.pddl.instances import read_goal
from telos.planning.pddl.model import Fact, Literals, Task, written


@dataclass(frozen=True, slots=True)
class StripsAction:
    """What an action needs, adds and deletes, by the numbers of facts, and what it costs."""

    name: str
    needs: tuple[int, ...]
    adds: tuple[int, ...]
    deletes: tuple[int, ...]
    cost: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.cost < float("inf"):
            raise TelosError(f"the cost of {self.name} must be zero or more, got {self.cost!r}")


@dataclass(frozen=True, slots=True)
class StripsGoal:
    """A goal by its name; ``wants`` is None if no sequence of actions can bring it about, even without deletes."""

    name: str
    wants: tuple[int, ...] | None


@dataclass(frozen=True, eq=False)
class StripsProblem:
    """Where it starts, what can be done, and the goals that are told apart."""

    facts: tuple[str, ...]
    start: tuple[int, ...]
    actions: tuple[StripsAction, ...]
    goals: tuple[StripsGoal, ...]
    named: Mapping[str, tuple[int, ...]] = field(init=False, repr=False)  # PDDL files may name two actions alike

    def __post_init__(self) -> None:
        if not self.goals:
            raise TelosError("there is no goal to recognise", "give at least one")
        names = [goal.name for goal in self.goals]
        if len(set(names)) < len(names):
            raise TelosError(f"two goals have one name: {next(each for each in names if names.count(each) > 1)!r}")
        named: dict[str, list[int]] = {}
        for i, action in enumerate(self.actions):
            named.setdefault(spoken(action.name), []).append(i)
        object.__setattr__(self, "named", FrozenMap({name: tuple(each) for name, each in named.items()}))

    @property
    def step(self) -> float:
        """Return what an action costs on the average, of those that cost anything: the measure of all prices."""
        costs = [action.cost for action in self.actions if action.cost > 0]
        return sum(costs) / len(costs) if costs else 1.0

    def explaining(self, said: str) -> tuple[int, ...]:
        """Return the actions that PDDL calls ``said``, in whatever capitals; there may be none."""
        return self.named.get(spoken(said), ())

    def equal_goals(self) -> tuple[tuple[int, ...], ...]:
        """Return the groups of goals that want the same."""
        groups: dict[tuple[int, ...], list[int]] = {}
        for i, goal in enumerate(self.goals):
            if goal.wants is not None:
                groups.setdefault(goal.wants, []).append(i)
        return tuple(tuple(each) for each in groups.values() if len(each) > 1)


def spoken(said: str) -> str:
    """Write a ground action or an atom in one way.

    >>> spoken(" (STACK  a B)"), spoken("stack a b")
    ('(stack a b)', '(stack a b)')
    """
    return written(tuple(said.lower().replace("(", " ").replace(")", " ").split()))


def strips_problem(task: Task, goals: Iterable[str], *, most: int = MOST_ACTIONS) -> StripsProblem:
    """Ground a PDDL task for the given goals, each as in ``(on a b), (clear a)``; the task's own goal is ignored."""
    texts = [" ".join(each.split()) for each in goals]
    read = [read_goal(each, task) for each in texts]
    changing = without_constants(ground(task, most=most), task.init)
    denied = {fact for action in changing.actions for fact in action.forbids}
    denied |= {fact for goal in read for fact in goal.negative if fact in changing.facts}
    numbers = _Numbers(sorted(changing.facts), sorted(denied))
    actions = tuple(numbers.action(each) for each in changing.actions)
    wants = [numbers.wants(each, task.init) for each in read]
    named = [StripsGoal(name, each) for name, each in zip(_distinct(texts), wants, strict=True)]
    return StripsProblem(numbers.names, numbers.start(task.init), actions, tuple(named))


def _distinct(names: Sequence[str]) -> list[str]:
    """Tell equal names apart by a number."""
    count: dict[str, int] = {}
    found = []
    for name in names:
        count[name] = count.get(name, 0) + 1
        found.append(name if count[name] == 1 else f"{name} #{count[name]}")
    return found


class _Numbers:
    """Numbers for facts, and for the opposites of those that are ever denied."""

    def __init__(self, facts: Sequence[Fact], denied: Sequence[Fact]) -> None:
        self.number = {fact: i for i, fact in enumerate(facts)}
        self.opposite = {fact: len(facts) + i for i, fact in enumerate(denied)}
        self.names = (*(written(fact) for fact in facts), *(f"(not {written(fact)})" for fact in denied))

    def action(self, action: GroundAction) -> StripsAction:
        adds = self._both(action.adds, action.deletes)
        deletes = self._both(action.deletes, action.adds)
        needs = self._both(action.needs, action.forbids)
        return StripsAction(written((action.schema, *action.arguments)), needs, adds, deletes, action.cost)

    def _both(self, true: Iterable[Fact], false: Iterable[Fact]) -> tuple[int, ...]:
        numbers = {self.number[fact] for fact in true}
        return tuple(sorted(numbers | {self.opposite[fact] for fact in false if fact in self.opposite}))

    def start(self, init: frozenset[Fact]) -> tuple[int, ...]:
        true = [number for fact, number in self.number.items() if fact in init]
        return tuple(sorted(true + [number for fact, number in self.opposite.items() if fact not in init]))

    def wants(self, goal: Literals, init: frozenset[Fact]) -> tuple[int, ...] | None:
        """Return the facts that a goal wants, of those that change; None if one that does not is not as wanted."""
        never = any(fact not in self.number and fact not in init for fact in goal.positive)
        ever = any(fact not in self.number and fact in init for fact in goal.negative)
        unequal = any(left != right for left, right in goal.same)
        if never or ever or unequal or any(left == right for left, right in goal.different):
            return None
        positive = [fact for fact in goal.positive if fact in self.number]
        return self._both(positive, [fact for fact in goal.negative if fact in self.number])
