"""Look-ahead: the sequence of actions that leaves the least discontentment.

`look_ahead` searches a `WorldModel` to a depth and returns an `Outlook`. Two methods give the same answer:
`search_depth_first` is the plain search and the reference, `search_bounded` is branch and bound.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from telos.choosing.choose import (
    Rating,
    check_goals,
    discontentment,
    format_table,
    level_after_change,
    level_after_drift,
)
from telos.core.action import Action
from telos.core.conditions import bind_effects
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import TRUE, Bound, Slots, bind
from telos.core.goal import CURVES, Goal, curve_of
from telos.core.state import State
from telos.core.values import BOOL, FrozenMap, Value

Levels: TypeAlias = tuple[float, ...]
Shares: TypeAlias = list[float]  # what each goal adds to discontentment at its level

# Bounds are rounded sums: a branch is cut only when it is worse by more than rounding can explain.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, init=False)
class WorldModel:
    """A state, the goals with their insistence in it, and the actions.

    Resources such as the crystals in a wand are variables of the state. Promises do not count here: the search sees the
    later action that keeps them.

    >>> mage = WorldModel(
    ...     [Action("fireball", preconditions="crystals >= 3", effects="crystals -= 3", changes={"kill-ogre": -2}),
    ...      Action("lesser-healing", preconditions="crystals >= 2", effects="crystals -= 2", changes={"heal": -2})],
    ...     [Goal("heal", 4), Goal("kill-ogre", 3)],
    ...     state={"crystals": 5},
    ... )
    >>> after = mage.after(mage.actions[0])
    >>> after.state["crystals"], after.discontentment, [action.name for action in after.possible]
    (2, 17.0, ['lesser-healing'])
    """

    actions: tuple[Action, ...]
    goals: tuple[Goal, ...]
    state: State

    def __init__(
        self, actions: Iterable[Action], goals: Iterable[Goal], state: Mapping[str, Value] | State | None = None
    ) -> None:
        object.__setattr__(self, "actions", tuple(actions))
        object.__setattr__(self, "goals", tuple(goals))
        object.__setattr__(self, "state", State.of(state or {}))
        check_goals(self.goals)
        for action in self.actions:
            if action.parameters:
                names = ", ".join(action.parameters)
                raise TelosError(f"action {action.name!r} leaves open {names}", "looking ahead needs complete actions")

    @classmethod
    def of(cls, domain: Domain, state: Mapping[str, Value] | None = None) -> "WorldModel":
        """Return the model of a domain: its actions and those of its objects, its goals, and the start ``state``."""
        return cls(domain.all_actions, domain.goals, domain.state(state))

    @property
    def discontentment(self) -> float:
        return discontentment(self.goals)

    @property
    def possible(self) -> tuple[Action, ...]:
        """Return the actions that the state allows, in the order given."""
        return tuple(action for action in self.actions if action.is_possible(self.state))

    def after(self, action: Action) -> "WorldModel":
        """Return the model after ``action``."""
        goals = (
            goal.at(
                level_after_change(goal, by, 0.0)
                if (by := action.changes.get(goal.name, 0.0))
                else level_after_drift(goal, action.duration)
            )
            for goal in self.goals
        )
        return replace(self, goals=tuple(goals), state=action.result(self.state))


@dataclass(frozen=True, slots=True)
class LookAheadResult:
    """The result of a search method."""

    actions: tuple[Action, ...]
    value: float
    tried: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Outlook:
    """The best sequence of actions and its result; empty if no action is possible."""

    model: WorldModel
    depth: int
    found: LookAheadResult

    @property
    def actions(self) -> tuple[Action, ...]:
        return self.found.actions

    @property
    def action(self) -> Action | None:
        """Return the action to do now; None if no action is possible."""
        return self.actions[0] if self.actions else None

    @property
    def value(self) -> float:
        """Return the discontentment at the end."""
        return self.found.value

    @property
    def tried(self) -> int:
        """Return the number of actions that the search tried."""
        return self.found.tried

    @property
    def complete(self) -> bool:
        """Whether the search ended within its budget."""
        return self.found.complete

    @property
    def table(self) -> tuple[Rating, ...]:
        """Return a row for each step: the action, the discontentment after it, each goal's level."""
        rows, model = [], self.model
        for action in self.actions:
            model = model.after(action)
            levels = FrozenMap({goal.name: goal.insistence for goal in model.goals})
            rows.append(Rating(action, model.discontentment, levels))
        return tuple(rows)

    def why(self) -> str:
        """Return the sequence and its result in words, step by step."""
        before = self.model.discontentment
        doubt = "" if self.complete else f" The budget ran out after {self.tried} actions: there may be better."
        if not self.actions:
            return f"{self._why_nothing()}{doubt}"
        order = ", then ".join(action.name for action in self.actions)
        short = "" if len(self.actions) == self.depth else f" Nothing can follow, though {self.depth} were asked for."
        reason = f"{order}: discontentment goes from {before:g} to {self.value:g}.{short}{doubt}"
        return "\n".join([reason, *format_table(self.table, self.model.goals, chosen=self.action)])

    def _why_nothing(self) -> str:
        if not self.complete:
            return "No sequence was found."
        if self.model.possible:
            return f"Nothing is worth doing: every possible action raises discontentment above {self.value:g}."
        return f"Nothing can be done: no action is possible in {self.model.state!r}."


def look_ahead(
    model: WorldModel | Domain,
    depth: int,
    *,
    improving: bool = False,
    method: str = "bounded",
    budget: int = 10_000_000,
) -> Outlook:
    """Return the sequence of ``depth`` actions after which discontentment is least.

    A sequence that no action can follow ends early and counts as it is. Of equally good sequences the one with the
    sooner relief is taken: step by step, the action that leaves less discontentment comes first, and of equals the one
    listed first. ``improving=True`` skips actions that raise discontentment: faster, but it misses sequences that get
    worse before they get better.

    ``method="bounded"`` gives the answer of ``"depth-first"`` faster, with memory for the states it has met;
    ``"depth-first"`` is the plain search, with memory for ``depth`` models. At most ``budget`` actions are tried; an
    outlook that ran out of it is not ``complete``.

    >>> from telos.core.action import Action
    >>> from telos.core.goal import Goal
    >>> snack = Action("snack", preconditions="food >= 1", effects="food -= 1", changes={"eat": -2})
    >>> look_ahead(WorldModel([snack], [Goal("eat", 5)], state={"food": 2}), depth=3).value
    1.0
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise TelosError(f"depth must be a whole number of actions, at least 1, got {depth!r}")
    if budget < 1:
        raise TelosError(f"budget must be at least 1, got {budget!r}")
    if method not in METHODS:
        raise TelosError(f"unknown method {method!r}", name_hint(method, METHODS))
    start = WorldModel.of(model) if isinstance(model, Domain) else model
    return Outlook(start, depth, METHODS[method](start, depth, improving, budget))


# --- depth first: no recursion, memory for one model a level ----------------------------------------------------------


def search_depth_first(model: WorldModel, depth: int, improving: bool, budget: int) -> LookAheadResult:
    """Try every sequence of ``depth`` actions, the greatest relief first, and keep the first of the best."""
    models, taken = [model], list[Action]()
    untried: list[Iterator[Action]] = [_sort_possible(model, improving)]
    is_leaf = [True]  # for each level: whether nothing has followed the model there
    best: tuple[Action, ...] = ()
    best_value, tried = float("inf"), 0
    while models:
        action = next(untried[-1], None) if len(taken) < depth else None
        if action is None:
            if is_leaf[-1] and models[-1].discontentment < best_value:
                best, best_value = tuple(taken), models[-1].discontentment
            for level in (models, untried, is_leaf):
                level.pop()
            taken = taken[:-1]
            continue
        if tried == budget:
            return LookAheadResult(best, best_value if best else model.discontentment, tried, complete=False)
        tried += 1
        is_leaf[-1] = False
        models.append(models[-1].after(action))
        taken.append(action)
        untried.append(_sort_possible(models[-1], improving))
        is_leaf.append(True)
    return LookAheadResult(best, best_value, tried, complete=True)


def _sort_possible(model: WorldModel, improving: bool) -> Iterator[Action]:
    """Yield the possible actions, the least discontentment first, equals in the listed order."""
    rated = [(model.after(action).discontentment, action) for action in model.possible]
    rated.sort(key=lambda pair: pair[0])
    for value, action in rated:
        if not improving or value <= model.discontentment:
            yield action


# --- branch and bound -------------------------------------------------------------------------------------------------
# Expressions and changes are compiled to slots once. A model that was met before at the same depth is not searched
# again: all that can follow it was considered then, on a path that wins ties. And a branch is cut when its lower bound
# is not below the best value so far.
#
# The bound follows from two properties of convex rising curves (the built-in ones). Whatever is raised on the way, a
# goal ends no lower than if nothing had raised it; and lowering it again gains no more than it did before. So from a
# discontentment of ``v``, where no action gains more than ``g``, ``n`` actions cannot get below ``v - n·g``.


@dataclass(frozen=True, slots=True)
class _Move:
    """A compiled action: condition and effects over slots, changes over the indices of goals."""

    action: Action
    possible: Bound | None
    effects: tuple[tuple[int, Bound], ...]
    shifts: tuple[tuple[int, float], ...]  # goals that it changes, or that drift while it lasts, and by how much


def _compile(action: Action, model: WorldModel) -> _Move:
    layout = model.state.layout
    condition = action.preconditions.expression
    shifts = [action.changes.get(goal.name, 0.0) or goal.drift * action.duration for goal in model.goals]
    return _Move(
        action,
        None if condition == TRUE else bind(condition, layout, BOOL),
        bind_effects(action.effects, layout),
        tuple((slot, by) for slot, by in enumerate(shifts) if by),
    )


@dataclass(slots=True)
class _Node:
    """A model in the search tree, after the moves so far."""

    move: int
    value: float
    array: Slots
    levels: Levels
    shares: Shares


def search_bounded(model: WorldModel, depth: int, improving: bool, budget: int) -> LookAheadResult:
    """Return the result of the depth-first search, except for the number of actions tried."""
    search = _Search(model, depth, improving, budget)
    search.run()
    actions = tuple(search.moves[move].action for move in search.best)
    value = search.best_value if math.isfinite(search.best_value) else model.discontentment
    return LookAheadResult(actions, value, search.tried, search.complete)


class _Search:
    def __init__(self, model: WorldModel, depth: int, improving: bool, budget: int) -> None:
        self.depth, self.improving, self.budget = depth, improving, budget
        self.curves = [(goal.weight, curve_of(goal.curve)) for goal in model.goals]
        # A curve of the user may have any form, so with one there is no bound.
        self.has_bound = all(curve in CURVES.values() for _, curve in self.curves)
        self.moves = [_compile(action, model) for action in model.actions]
        self.falls = [
            [max(0.0, -dict(move.shifts).get(slot, 0.0)) for move in self.moves] for slot in range(len(self.curves))
        ]
        self.known_gains: dict[tuple[int, float], list[float]] = {}
        self.seen: list[set[tuple[Slots, Levels]]] = [set() for _ in range(depth + 1)]
        self.path: list[int] = []
        self.best: tuple[int, ...] = ()
        self.best_value, self.tried, self.complete = math.inf, 0, True
        levels = tuple(goal.insistence for goal in model.goals)
        shares = [goal.discontentment() for goal in model.goals]
        self.root = _Node(-1, sum(shares), model.state.array, levels, shares)

    def run(self) -> None:
        branches = [self._expand(self.root)]  # for each level, the nodes still to be entered, the next one last
        while branches and self.complete:
            if self.best_value == 0 and self.has_bound:
                return  # no built-in curve goes below zero
            if not branches[-1]:
                branches.pop()
                self.path = self.path[:-1]
                continue
            node = branches[-1].pop()
            self.path.append(node.move)
            branches.append(self._expand(node))

    def _expand(self, node: _Node) -> list[_Node]:
        """Return the child nodes worth entering; at the last step keep the best value, and return nothing."""
        steps = self.depth - len(self.path)
        is_leaf, children = True, list[_Node]()
        for number in self._promising_moves(node, steps):
            if self.tried == self.budget:
                self.complete = False
                return []
            self.tried += 1
            levels, shares = self._apply_shifts(node, self.moves[number])
            value = sum(shares)
            if self.improving and value > node.value:
                continue
            is_leaf = False
            if steps == 1:
                self._keep(value, (*self.path, number))
            else:
                array = self._array(node.array, self.moves[number])
                children.append(_Node(number, value, array, tuple(levels), shares))
        if is_leaf:
            # Also when moves were possible but cut: stopping here is then not below their bound.
            self._keep(node.value, tuple(self.path))
        return self._unseen(children, steps)

    def _promising_moves(self, node: _Node, steps: int) -> Iterator[int]:
        """Yield the possible moves whose bound is below the best value."""
        rows = [self._gains_of(slot, level) for slot, level in enumerate(node.levels)]
        gains = [sum(column) for column in zip(*rows, strict=True)]
        bound = node.value - (steps - 1) * max(gains, default=0.0) - ROUNDING * abs(node.value)
        for number, move in enumerate(self.moves):
            if self.has_bound and bound - gains[number] >= self.best_value:
                continue
            if move.possible is None or move.possible(node.array):
                yield number

    def _unseen(self, children: list[_Node], steps: int) -> list[_Node]:
        """Return the nodes that were not met before, in reverse order, since the last one is entered first."""
        children.sort(key=lambda child: child.value)  # stable: equals stay in the listed order
        seen, fresh = self.seen[steps - 1], list[_Node]()
        for child in children:
            if (child.array, child.levels) not in seen:
                seen.add((child.array, child.levels))
                fresh.append(child)
        return fresh[::-1]

    def _keep(self, value: float, path: tuple[int, ...]) -> None:
        if value < self.best_value:
            self.best, self.best_value = path, value

    def _gains_of(self, slot: int, level: float) -> list[float]:
        """Return how much each move takes off one goal's share at that level; computed once for each level."""
        known = self.known_gains.get((slot, level))
        if known is None:
            weight, curve = self.curves[slot]
            share = weight * curve(level)
            known = [share - weight * curve(max(0.0, level - fall)) for fall in self.falls[slot]]
            self.known_gains[slot, level] = known
        return known

    def _apply_shifts(self, node: _Node, move: _Move) -> tuple[list[float], Shares]:
        levels, shares = list(node.levels), node.shares.copy()
        for slot, by in move.shifts:
            level = max(0.0, levels[slot] + by)
            weight, curve = self.curves[slot]
            levels[slot], shares[slot] = level, weight * curve(level)
        return levels, shares

    @staticmethod
    def _array(before: Slots, move: _Move) -> Slots:
        if not move.effects:
            return before
        array = list(before)
        for slot, value in move.effects:
            array[slot] = value(before)
        return tuple(array)


Search: TypeAlias = Callable[[WorldModel, int, bool, int], LookAheadResult]

METHODS: dict[str, Search] = {"bounded": search_bounded, "depth-first": search_depth_first}
