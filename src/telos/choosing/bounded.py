"""Look-ahead by branch and bound: the answer of the plain depth-first search, without most of its work.

Expressions and changes are compiled to slots once. A model that was met before at the same depth is not looked at
again, because all that can follow it was considered then, on a way that comes first if they tie. And a branch is left
when its floor, the least that it could come to, is no better than the best so far.

The floor rests on two facts about curves that rise ever more steeply (the built-in ones do). Whatever else is raised on
the way, a goal ends no lower than if nothing had raised it; and lowering it again gains no more than it did before. So
from a discontentment of ``v``, where no action gains more than ``g``, no ``n`` actions get below ``v - n·g``.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from telos.choosing.model import WorldModel
from telos.choosing.outlook import Found
from telos.core.action import Action
from telos.core.binding import Bound, Slots, bind
from telos.core.conditions import bind_effects
from telos.core.curves import CURVES, curve_of
from telos.core.expressions import TRUE
from telos.core.values import BOOL

Levels: TypeAlias = tuple[float, ...]
Shares: TypeAlias = list[float]  # what each goal adds to discontentment at its level

# Floors are rounded sums: a branch is left only when it is worse by more than rounding can explain.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class _Move:
    """An action, compiled: its condition and effects over slots, its changes over the goals' places."""

    action: Action
    possible: Bound | None
    effects: tuple[tuple[int, Bound], ...]
    shifts: tuple[tuple[int, float], ...]  # goals that it changes, or that drift while it lasts, and by how much


def _compiled(action: Action, model: WorldModel) -> _Move:
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
    """A model on the way down: where the moves so far have led."""

    move: int
    value: float
    array: Slots
    levels: Levels
    shares: Shares


def search_bounded(model: WorldModel, depth: int, improving: bool, budget: int) -> Found:
    """Return what the plain depth-first search would, apart from how many actions were tried."""
    search = _Search(model, depth, improving, budget)
    search.run()
    actions = tuple(search.moves[move].action for move in search.best)
    value = search.best_value if math.isfinite(search.best_value) else model.discontentment
    return Found(actions, value, search.tried, search.complete)


class _Search:
    def __init__(self, model: WorldModel, depth: int, improving: bool, budget: int) -> None:
        self.depth, self.improving, self.budget = depth, improving, budget
        self.curves = [(goal.weight, curve_of(goal.curve)) for goal in model.goals]
        # Nothing is known about a curve of the user's own, so with one there is no floor.
        self.is_steep = all(curve in CURVES.values() for _, curve in self.curves)
        self.moves = [_compiled(action, model) for action in model.actions]
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
        branches = [self._expanded(self.root)]  # for each level, the nodes still to be entered, the next one last
        while branches and self.complete:
            if self.best_value == 0 and self.is_steep:
                return  # no built-in curve goes below zero
            if not branches[-1]:
                branches.pop()
                self.path = self.path[:-1]
                continue
            node = branches[-1].pop()
            self.path.append(node.move)
            branches.append(self._expanded(node))

    def _expanded(self, node: _Node) -> list[_Node]:
        """Return what may follow a node and is worth entering; at the last step keep the best, and return nothing."""
        steps = self.depth - len(self.path)
        is_leaf, children = True, list[_Node]()
        for number in self._hopeful_moves(node, steps):
            if self.tried == self.budget:
                self.complete = False
                return []
            self.tried += 1
            levels, shares = self._shifted(node, self.moves[number])
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
            # Also when moves were possible but hopeless: stopping here then comes to no less than their floor.
            self._keep(node.value, tuple(self.path))
        return self._unseen(children, steps)

    def _hopeful_moves(self, node: _Node, steps: int) -> Iterator[int]:
        """Yield the moves that are possible and could lead to something better than the best."""
        rows = [self._gains_of(slot, level) for slot, level in enumerate(node.levels)]
        gains = [sum(column) for column in zip(*rows, strict=True)]
        floor = node.value - (steps - 1) * max(gains, default=0.0) - ROUNDING * abs(node.value)
        for number, move in enumerate(self.moves):
            if self.is_steep and floor - gains[number] >= self.best_value:
                continue
            if move.possible is None or move.possible(node.array):
                yield number

    def _unseen(self, children: list[_Node], steps: int) -> list[_Node]:
        """Return the nodes that were not met before, in the order of entering, which is from the last to the first."""
        children.sort(key=lambda child: child.value)  # a stable sort: equals stay in the listed order
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
        """Return how much each move takes off one goal's share at that level, worked out once for each."""
        known = self.known_gains.get((slot, level))
        if known is None:
            weight, curve = self.curves[slot]
            share = weight * curve(level)
            known = [share - weight * curve(max(0.0, level - fall)) for fall in self.falls[slot]]
            self.known_gains[slot, level] = known
        return known

    def _shifted(self, node: _Node, move: _Move) -> tuple[list[float], Shares]:
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
