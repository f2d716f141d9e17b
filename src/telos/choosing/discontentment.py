"""Discontentment: the sum over all goals of how much each one hurts."""

from collections.abc import Sequence

from telos.choosing.outcomes import changed, drifted, rated_changes
from telos.core.action import Action
from telos.core.curves import curve_of
from telos.core.errors import TelosError
from telos.core.goal import Goal


def discontentment(goals: Sequence[Goal]) -> float:
    """Return the discontentment at the goals' present insistence.

    >>> discontentment([Goal("eat", 2), Goal("bathroom", 5)])
    29.0
    """
    return sum([goal.discontentment() for goal in goals])


def discontentments(actions: Sequence[Action], goals: Sequence[Goal], travels: Sequence[float]) -> list[float]:
    """Return the discontentment that each action would leave.

    Most actions touch few goals, and many take equally long: what the untouched goals come to is worked out once for
    each length of time, and an action only replaces the shares of the goals it changes.
    """
    curves = {goal.name: (slot, goal, curve_of(goal.curve)) for slot, goal in enumerate(goals)}
    untouched: dict[float, list[float]] = {}
    values: list[float] = []
    for action, travel in zip(actions, travels, strict=True):
        time = travel + action.duration
        if time not in untouched:
            untouched[time] = [goal.weight * curve(drifted(goal, time)) for _, goal, curve in curves.values()]
        shares = untouched[time].copy()
        for name, by in rated_changes(action).items():
            if by and name in curves:  # a character need not have every goal that its world speaks of
                slot, goal, curve = curves[name]
                shares[slot] = goal.weight * curve(changed(goal, by, travel))
        values.append(sum(shares))
    if any(value != value for value in values):
        raise TelosError("a curve returned NaN, so the actions cannot be compared", "mend the goal's curve")
    return values
