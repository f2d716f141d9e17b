"""How insistent each goal will be once an action is done.

The lecture's worked example settles what its pseudo-code leaves open. An action's change is what it does to a goal by
the time it is done, drift included; a goal that the action leaves alone keeps its own value and drifts while the
action lasts. On the way to where the action starts every goal drifts, the changed ones too. No level falls below zero.
"""

from collections.abc import Mapping, Sequence

from telos.core.action import Action
from telos.core.goal import Goal


def rated_changes(action: Action) -> Mapping[str, float]:
    """Return what an action does to each goal when it is rated: its changes, and what it promises for later."""
    if not action.promises:
        return action.changes
    goals = {**action.changes, **action.promises}
    return {goal: action.changes.get(goal, 0.0) + action.promises.get(goal, 0.0) for goal in goals}


def changed(goal: Goal, by: float, travel: float) -> float:
    """Return the level of a goal that an action changes by ``by``, after ``travel`` on the way there."""
    level = (drifted(goal, travel) if travel else goal.insistence) + by
    return level if level > 0.0 else 0.0


def drifted(goal: Goal, time: float) -> float:
    """Return the level of a goal that is left alone for ``time``."""
    level = goal.insistence + goal.drift * time
    return level if level > 0.0 else 0.0


def levels_after(action: Action, goals: Sequence[Goal], *, travel: float = 0.0) -> dict[str, float]:
    """Return every goal's level after going to an action and doing it.

    >>> goals = [Goal("eat", 4, drift=4), Goal("bathroom", 3, drift=2)]  # by the hour
    >>> levels_after(Action("eat-snack", changes={"eat": -2}, duration=0.25), goals)
    {'eat': 2.0, 'bathroom': 3.5}
    """
    changes = rated_changes(action)
    time = travel + action.duration
    return {
        # A change of zero is no change: the goal drifts.
        goal.name: changed(goal, by, travel) if (by := changes.get(goal.name, 0.0)) else drifted(goal, time)
        for goal in goals
    }
