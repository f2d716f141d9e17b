"""Opportunities: what has just become possible and would serve the goal that is being pursued."""

from collections.abc import Iterable

from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.expressions import functions, names
from telos.core.goal import Goal
from telos.core.state import State


class Opportunities:
    """Knows for each goal which actions bring it about at one stroke, and notices when one of them becomes possible.

    A plan is not thought over at every change of the world; but who is shooting at somebody, and suddenly has them at
    arm's length, should.

    >>> from telos.core.state import Layout
    >>> from telos.core.values import Variable
    >>> layout = Layout([Variable("near", "bool"), Variable("dead", "bool")])
    >>> kill = Goal("kill", wants="dead")
    >>> chances = Opportunities([kill], [Action("strike", preconditions="near", effects="dead = true")])
    >>> chances.arise(kill, layout.state(), layout.state({"near": True}))
    True
    """

    def __init__(self, goals: Iterable[Goal], actions: Iterable[Action]) -> None:
        plain = [action for action in actions if not action.parameters]
        self._needs = {goal.name: _needs(goal, plain) for goal in goals}

    def arise(self, goal: Goal, before: State, after: State) -> bool:
        """Whether an action that serves ``goal`` directly is possible now and was not before."""
        return any(needs.holds(after) and not needs.holds(before) for needs in self._needs[goal.name])


def _needs(goal: Goal, actions: Iterable[Action]) -> tuple[Condition, ...]:
    wanted = names(goal.wants.expression) if goal.wants is not None else frozenset()
    serving = (action for action in actions if any(effect.variable in wanted for effect in action.effects))
    needs = (_without_questions(action.preconditions) for action in serving)
    return tuple(each for each in needs if each.parts)


def _without_questions(condition: Condition) -> Condition:
    """Return what a condition asks of the state; the game is asked when there is a plan to be made, and not before."""
    return Condition.of([part for part in condition.parts if not functions(part.expression)])
