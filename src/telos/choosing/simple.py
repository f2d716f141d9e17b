"""Simple selection: serve the most insistent goal, and look at nothing else.

Fast, and often sensible; blind to side effects and to time.
"""

from collections.abc import Sequence

from telos.choosing.outcomes import rated_changes
from telos.core.action import Action
from telos.core.goal import Goal


def utilities(actions: Sequence[Action], goals: Sequence[Goal], travels: Sequence[float]) -> list[float]:
    """Return how much each action lowers the most insistent goal (the first of them, if several are).

    >>> snack, nap = Action("get-snack", changes={"eat": -2}), Action("nap", changes={"sleep": -2})
    >>> utilities([snack, nap], [Goal("eat", 4), Goal("sleep", 3)], [0, 0])
    [2.0, 0.0]
    """
    top = max(goals, key=lambda goal: goal.insistence)
    return [0.0 - rated_changes(action).get(top.name, 0.0) for action in actions]
