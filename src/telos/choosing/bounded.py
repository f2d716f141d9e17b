"""Look-ahead by branch and bound: the answer of the plain depth-first search, without most of its work.

Expressions and changes are compiled to slots once. A model that was met before at the same depth is not looked at
again, because all that can follow it was considered then. A greedy sequence found beforehand says what has to be
matched. And a branch is left when its floor, the least that it could come to, is no better than the best so far.

The floor rests on two facts about curves that rise ever more steeply (the built-in ones do). Whatever else is raised on
the way, a goal ends no lower than if nothing had raised it; and lowering it again gains no more than it did before. So
from a discontentment of ``v``, where no action gains more than ``g``, no ``n`` actions get below ``v - n·g``.

Branches are tried in the listed order and only a strictly better sequence replaces the best, so ties fall as in the
plain search.
"""

import math
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
    """A model on the way down, and how many of its moves have been tried."""

    array: Slots
    levels: Levels
    shares: Shares
    value: float
    gains: list[float]  # for each move, the most that it could take off the value
    floor: float  # the least that could be left in the end if the next move gained nothing
    next_move: int = 0
    is_leaf: bool = True


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
        self.root = self._node(model.state.array, levels, shares, sum(shares), depth)
        self.limit = math.inf if improving else self._greedy_value()

    def run(self) -> None:
        stack = [self.root]
        while stack and not (self.best_value == 0 and self.is_steep):  # no built-in curve goes below zero
            node = stack[-1]
            number = self._next_move(node)
            if number is None:
                if node.is_leaf and node.value < self.best_value:
                    self.best, self.best_value = tuple(self.path), node.value
                stack.pop()
                self.path = self.path[:-1]
                continue
            if self.tried == self.budget:
                self.complete = False
                return
            self.tried += 1
            child = self._child(node, number)
            if child is not None:
                stack.append(child)
                self.path.append(number)

    def _next_move(self, node: _Node) -> int | None:
        """Return the next move that is possible and could lead to something better; None when there is none left."""
        if len(self.path) == self.depth:
            return None
        needed = node.floor - min(self.best_value, self.limit) - ROUNDING * abs(node.value)
        for number in range(node.next_move, len(self.moves)):
            if node.gains[number] < needed:
                node.is_leaf = False  # nor is it worth stopping here: that comes to no less than the floor
                continue
            possible = self.moves[number].possible
            if possible is None or possible(node.array):
                node.next_move = number + 1
                return number
        return None

    def _child(self, node: _Node, number: int) -> _Node | None:
        move, steps = self.moves[number], self.depth - len(self.path) - 1
        levels, shares = self._shifted(node, move)
        value = sum(shares)
        if self.improving and value > node.value:
            return None
        node.is_leaf = False
        if not steps:
            if value < self.best_value:
                self.best, self.best_value = (*self.path, number), value
            return None
        array = self._array(node.array, move)
        if (array, levels) in self.seen[steps]:
            return None
        self.seen[steps].add((array, levels))
        return self._node(array, levels, shares, value, steps)

    def _node(self, array: Slots, levels: Levels, shares: Shares, value: float, steps: int) -> _Node:
        rows = [self._gains_of(slot, level) for slot, level in enumerate(levels)]
        gains = [sum(column) for column in zip(*rows, strict=True)]
        floor = value - (steps - 1) * max(gains, default=0.0) if self.is_steep else -math.inf
        return _Node(array, levels, shares, value, gains, floor)

    def _gains_of(self, slot: int, level: float) -> list[float]:
        """Return how much each move takes off one goal's share at that level, worked out once for each."""
        known = self.known_gains.get((slot, level))
        if known is None:
            weight, curve = self.curves[slot]
            share = weight * curve(level)
            known = [share - weight * curve(max(0.0, level - fall)) for fall in self.falls[slot]]
            self.known_gains[slot, level] = known
        return known

    def _shifted(self, node: _Node, move: _Move) -> tuple[Levels, Shares]:
        levels, shares = list(node.levels), node.shares.copy()
        for slot, by in move.shifts:
            level = max(0.0, levels[slot] + by)
            weight, curve = self.curves[slot]
            levels[slot], shares[slot] = level, weight * curve(level)
        return tuple(levels), shares

    @staticmethod
    def _array(before: Slots, move: _Move) -> Slots:
        if not move.effects:
            return before
        array = list(before)
        for slot, value in move.effects:
            array[slot] = value(before)
        return tuple(array)

    def _greedy_value(self) -> float:
        """Return what taking the best single action again and again comes to: something to beat from the start."""
        node = self.root
        for _ in range(self.depth):
            best: tuple[float, _Move, Levels, Shares] | None = None
            for move in self.moves:
                if move.possible is None or move.possible(node.array):
                    levels, shares = self._shifted(node, move)
                    if best is None or sum(shares) < best[0]:
                        best = (sum(shares), move, levels, shares)
            if best is None:
                break
            value, move, levels, shares = best
            node = _Node(self._array(node.array, move), levels, shares, value, [], value)
        return node.value
