"""Choose one action now: by simple selection, or by least discontentment.

Start with `choose`, which returns a `Choice`; `straight_line` estimates travel times. How an action changes the level
of each goal is computed in the section "levels".
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from telos.core.action import Action
from telos.core.errors import TelosError, name_hint
from telos.core.goal import Goal, curve_of
from telos.core.values import FrozenMap, check_finite, check_not_negative

Travel: TypeAlias = Callable[[Action], float]


@dataclass(frozen=True, slots=True)
class Rating:
    """One row of the table: an action, its value, and each goal's level after it."""

    action: Action
    value: float
    levels: FrozenMap[str, float]
    travel: float = 0.0

    @property
    def time(self) -> float:
        """Return the time of the way and the action together."""
        return self.travel + self.action.duration


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen action, its value, and all actions that were compared.

    The value is the discontentment that is left (less is better), or, chosen by ``"simple"``, how much the most
    insistent goal is lowered (more is better).
    """

    action: Action
    value: float
    by: str
    goals: tuple[Goal, ...]
    rated: tuple[tuple[Action, float, float], ...]  # action, value, travel; ``table`` has the levels too

    @property
    def table(self) -> tuple[Rating, ...]:
        """Return every action with its value and each goal's new level, in the order given."""
        return tuple(
            Rating(action, value, FrozenMap(levels_after(action, self.goals, travel=travel)), travel)
            for action, value, travel in self.rated
        )

    def why(self) -> str:
        """Return what was chosen and why, with the whole table."""
        return "\n".join([self._reason(), *format_table(self.table, self.goals, chosen=self.action)])

    def _reason(self) -> str:
        if self.by == "simple":
            goal = max(self.goals, key=lambda each: each.insistence)
            moved = f"lowers it most, by {self.value:g}" if self.value > 0 else "is no worse for it than any other"
            return f"{self.action.name}: {goal.name} is the most insistent goal ({goal.insistence:g}) and this {moved}."
        now = sum(goal.discontentment() for goal in self.goals)
        equals = sum(value == self.value for _, value, _ in self.rated) - 1
        tie = (
            f" (as do {equals} others listed later)" if equals > 1 else " (as does one listed later)" if equals else ""
        )
        return f"{self.action.name}: it leaves the least discontentment, {self.value:g}{tie}; it is {now:g} now."


def choose(
    actions: Iterable[Action],
    goals: Iterable[Goal],
    *,
    by: str = "discontentment",
    travel: Travel | None = None,
) -> Choice:
    """Choose the one action to do now.

    ``by="discontentment"`` takes the action that leaves the least discontentment over all goals, time included;
    ``by="simple"`` takes the action that lowers the most insistent goal most, and ignores everything else. ``travel``
    returns the time to the place of an action. The first of equally good actions is taken, and the first of equally
    insistent goals.

    >>> eat, bath = Goal("eat", insistence=4), Goal("bathroom", insistence=3)
    >>> soda = Action("drink-soda", changes={"eat": -2, "bathroom": +2})
    >>> visit = Action("visit-bathroom", changes={"bathroom": -4})
    >>> print(choose([soda, visit], [eat, bath]).why())
    visit-bathroom: it leaves the least discontentment, 16; it is 25 now.
      action          value  eat    bathroom
      drink-soda      29     4 → 2  3 → 5
    → visit-bathroom  16     4      3 → 0
    """
    if by not in RULES:
        raise TelosError(f"cannot choose by {by!r}", name_hint(by, RULES))
    options, wants = tuple(actions), tuple(goals)
    check_goals(wants)
    check_actions(options)
    travels = [0.0] * len(options)
    if travel is not None:
        travels = [check_not_negative(f"the travel time to {action.name!r}", travel(action)) for action in options]
    rate, least = RULES[by]
    values = rate(options, wants, travels)
    best = values.index(min(values) if least else max(values))  # index finds the first of equals
    return Choice(options[best], values[best], by, wants, tuple(zip(options, values, travels, strict=True)))


def check_actions(actions: Sequence[Action]) -> None:
    """Raise a ``TelosError`` for an empty list, and for what is not an action."""
    if not actions:
        raise TelosError("no actions to choose from", "give at least one, if only an action that waits")
    for each in actions:
        if not isinstance(each, Action):
            raise TelosError(f"{each!r} is not an action", "make one with telos.Action(name, changes={...})")


def check_goals(goals: Sequence[Goal]) -> None:
    """Raise a ``TelosError`` for an empty list, for what is not a goal, and for two goals with one name."""
    if not goals:
        raise TelosError("no goals to choose by", "give at least one")
    names: set[str] = set()
    for each in goals:
        if not isinstance(each, Goal):
            raise TelosError(f"{each!r} is not a goal", "make one with telos.Goal(name, insistence=...)")
        if each.name in names:
            raise TelosError(f"goal {each.name!r} is given twice", "rename one of them")
        names.add(each.name)


def straight_line(
    here: tuple[float, float], places: Mapping[str, tuple[float, float]], *, speed: float = 1.0
) -> Callable[[Action], float]:
    """Return a travel time: the straight distance to the object of an action, divided by ``speed``.

    An action without an object starts where the character is. A path-finder can take its place: any function from an
    action to a time.

    >>> from telos.core.action import SmartObject
    >>> fridge = SmartObject("fridge", actions=[Action("get-snack", changes={"eat": -2})])
    >>> straight_line((0, 0), {"fridge": (3, 4)}, speed=2)(fridge.actions[0])
    2.5
    """
    if check_finite("speed", speed) <= 0:
        raise TelosError(f"speed must be above zero, got {speed!r}")

    def time_to(action: Action) -> float:
        if action.on is None:
            return 0.0
        if action.on not in places:
            raise TelosError(f"unknown place of {action.on!r}", name_hint(action.on, places))
        return math.dist(here, places[action.on]) / speed

    return time_to


# --- rules ------------------------------------------------------------------------------------------------------------


def rate_by_top_goal(actions: Sequence[Action], goals: Sequence[Goal], travels: Sequence[float]) -> list[float]:
    """Return how much each action lowers the most insistent goal (the first of equals); ignores side effects and time.

    >>> snack, nap = Action("get-snack", changes={"eat": -2}), Action("nap", changes={"sleep": -2})
    >>> rate_by_top_goal([snack, nap], [Goal("eat", 4), Goal("sleep", 3)], [0, 0])
    [2.0, 0.0]
    """
    top = max(goals, key=lambda goal: goal.insistence)
    return [0.0 - rated_changes(action).get(top.name, 0.0) for action in actions]


def discontentment(goals: Sequence[Goal]) -> float:
    """Return the discontentment at the goals' present insistence.

    >>> discontentment([Goal("eat", 2), Goal("bathroom", 5)])
    29.0
    """
    return sum([goal.discontentment() for goal in goals])


def rate_by_discontentment(actions: Sequence[Action], goals: Sequence[Goal], travels: Sequence[float]) -> list[float]:
    """Return the discontentment after each action.

    Most actions change few goals, and many take equally long: the shares of unchanged goals are computed once for each
    length of time, and an action only replaces the shares of the goals that it changes.
    """
    curves = {goal.name: (slot, goal, curve_of(goal.curve)) for slot, goal in enumerate(goals)}
    unchanged: dict[float, list[float]] = {}
    values: list[float] = []
    for action, travel in zip(actions, travels, strict=True):
        time = travel + action.duration
        if time not in unchanged:
            unchanged[time] = [goal.weight * curve(level_after_drift(goal, time)) for _, goal, curve in curves.values()]
        shares = unchanged[time].copy()
        for name, by in rated_changes(action).items():
            if by and name in curves:  # a character need not have every goal of its world
                slot, goal, curve = curves[name]
                shares[slot] = goal.weight * curve(level_after_change(goal, by, travel))
        values.append(sum(shares))
    if any(value != value for value in values):
        raise TelosError("a curve returned NaN, so the actions cannot be compared", "correct the curve of the goal")
    return values


# For each rule: the value of every action, and whether the best value is the smallest.
RULES: dict[str, tuple[Callable[[Sequence[Action], Sequence[Goal], Sequence[float]], list[float]], bool]] = {
    "discontentment": (rate_by_discontentment, True),
    "simple": (rate_by_top_goal, False),
}


# --- levels -----------------------------------------------------------------------------------------------------------
# The worked example of the lecture settles what its pseudo-code leaves open. An action's change is its effect on a goal
# by the time it is done, drift included; a goal that the action does not change drifts while the action lasts. On the
# way to the place of the action every goal drifts, the changed ones too. No level falls below zero.


def rated_changes(action: Action) -> Mapping[str, float]:
    """Return the changes for which an action is rated: its own, and those that it promises for later."""
    if not action.promises:
        return action.changes
    goals = {**action.changes, **action.promises}
    return {goal: action.changes.get(goal, 0.0) + action.promises.get(goal, 0.0) for goal in goals}


def level_after_change(goal: Goal, by: float, travel: float) -> float:
    """Return the level of a goal that an action changes by ``by``, after ``travel`` to its place."""
    level = (level_after_drift(goal, travel) if travel else goal.insistence) + by
    return level if level > 0.0 else 0.0


def level_after_drift(goal: Goal, time: float) -> float:
    """Return the level of a goal that only drifts for ``time``."""
    level = goal.insistence + goal.drift * time
    return level if level > 0.0 else 0.0


def levels_after(action: Action, goals: Sequence[Goal], *, travel: float = 0.0) -> dict[str, float]:
    """Return every goal's level after the way to an action and the action itself.

    >>> goals = [Goal("eat", 4, drift=4), Goal("bathroom", 3, drift=2)]  # by the hour
    >>> levels_after(Action("eat-snack", changes={"eat": -2}, duration=0.25), goals)
    {'eat': 2.0, 'bathroom': 3.5}
    """
    changes = rated_changes(action)
    time = travel + action.duration
    return {
        # A change of zero is no change: the goal drifts.
        goal.name: level_after_change(goal, by, travel)
        if (by := changes.get(goal.name, 0.0))
        else level_after_drift(goal, time)
        for goal in goals
    }


# --- the table in words -----------------------------------------------------------------------------------------------


def format_table(rows: Sequence[Rating], goals: Sequence[Goal], *, chosen: Action | None = None) -> list[str]:
    """Return ratings as an aligned text table: one row for each action, one column for each goal, before → after."""
    timed = any(row.time for row in rows)
    head = ["action", "value", *(["time"] if timed else []), *(goal.name for goal in goals)]
    body = [
        [
            f"{'→' if row.action is chosen else ' '} {row.action.name}",
            f"{row.value:g}",
            *([f"{row.time:g}"] if timed else []),
            *(_format_change(goal.insistence, row.levels[goal.name]) for goal in goals),
        ]
        for row in rows
    ]
    lines = [["  " + head[0], *head[1:]], *body]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def _format_change(before: float, after: float) -> str:
    return f"{after:g}" if before == after else f"{before:g} → {after:g}"
