"""Choosing one action for now: the two rules of the lecture behind one function."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from telos.choosing.choice import Choice
from telos.choosing.discontentment import discontentments
from telos.choosing.simple import utilities
from telos.core.action import Action
from telos.core.errors import TelosError, name_hint
from telos.core.goal import Goal
from telos.core.numbers import not_negative

Travel: TypeAlias = Callable[[Action], float]

# For each rule: the value of every action, and whether the best value is the smallest.
RULES: dict[str, tuple[Callable[[Sequence[Action], Sequence[Goal], Sequence[float]], list[float]], bool]] = {
    "discontentment": (discontentments, True),
    "simple": (utilities, False),
}


def choose(
    actions: Iterable[Action],
    goals: Iterable[Goal],
    *,
    by: str = "discontentment",
    travel: Travel | None = None,
) -> Choice:
    """Choose the one action to do now.

    ``by="discontentment"`` takes the action that leaves the least discontentment over all goals, time included;
    ``by="simple"`` takes the action that lowers the most insistent goal most, and looks at nothing else. ``travel``
    says how long it takes to get to where an action starts. Of equally good actions the one listed first is taken, and
    so is the first of equally insistent goals.

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
        travels = [not_negative(f"the travel time to {action.name!r}", travel(action)) for action in options]
    rate, least = RULES[by]
    values = rate(options, wants, travels)
    best = values.index(min(values) if least else max(values))  # index finds the first of equals
    return Choice(options[best], values[best], by, wants, tuple(zip(options, values, travels, strict=True)))


def check_actions(actions: Sequence[Action]) -> None:
    """Refuse an empty list, and what is not an action."""
    if not actions:
        raise TelosError("there is no action to choose from", "give at least one, if only an action that waits")
    for each in actions:
        if not isinstance(each, Action):
            raise TelosError(f"{each!r} is not an action", "make one with telos.Action(name, changes={...})")


def check_goals(goals: Sequence[Goal]) -> None:
    """Refuse an empty list, what is not a goal, and two goals of one name."""
    if not goals:
        raise TelosError("there is no goal to choose by", "give at least one")
    names: set[str] = set()
    for each in goals:
        if not isinstance(each, Goal):
            raise TelosError(f"{each!r} is not a goal", "make one with telos.Goal(name, insistence=...)")
        if each.name in names:
            raise TelosError(f"goal {each.name!r} is given twice", "goals are told apart by their names")
        names.add(each.name)
