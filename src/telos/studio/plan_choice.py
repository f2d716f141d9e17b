"""Why a character does what it does rather than something else: its plan beside the plans that were rejected.

A world gives a `PlanningMoment` of a character, with which the search can be done again on demand: `compare_plans`
finds the best other plans, `record_moment` the graph of the search.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from telos.agents.mind import Mind
from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import TelosError
from telos.core.goal import Goal
from telos.core.state import State
from telos.planning.alternatives import Alternative, cost_of_steps, find_alternatives
from telos.planning.search_graph import SearchGraph, record_search

MAX_ALTERNATIVES = 5
SEARCH_BUDGET = 5_000  # expansions: an answer is wanted while the user waits
_MAX_STATES = 60  # of a search that are drawn


@dataclass(frozen=True, slots=True)
class PlanningMoment:
    """What a character plans with at a moment. Without a domain and a state (motives), only its graph can be drawn.

    ``steps`` is what is left of the plan for ``goal``.
    """

    goals: tuple[Goal, ...]
    actions: tuple[Action, ...]
    domain: Domain | None = None
    state: State | None = None
    goal: Goal | None = None
    steps: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """The plan of a character, and those that were not chosen, the best first; ``measure`` is what was compared."""

    who: str
    goal: str
    steps: tuple[str, ...]
    cost: float
    alternatives: tuple[Alternative, ...]
    measure: str = "cost"

    def summary(self) -> str:
        """Return the choice as one line."""
        others = [each for each in self.alternatives if each.found]
        chosen = f"{self.goal}: {', then '.join(self.steps)}" if self.steps else self.goal
        price = "" if math.isnan(self.cost) else f" ({self.measure} {self.cost:.3g})"
        if not others:
            return f"{chosen}{price}. No other plan reaches it from here."
        return (
            f"{chosen}{price}. The next best: {', then '.join(others[0].steps)} ({self.measure} {others[0].cost:.3g})."
        )


def build_planning_moment(mind: Mind) -> PlanningMoment:
    """Return what a mind plans with now."""
    execution = mind.execution
    steps = () if execution is None else tuple(execution.plan.steps[execution.index :])
    goal = None if execution is None else execution.goal
    return PlanningMoment(mind.character.goals, mind.character.actions, mind.domain, mind.state, goal, steps)


def compare_plans(who: str, moment: PlanningMoment) -> PlanChoice:
    """Search for other plans than the one that a character follows; raise if it follows none."""
    if moment.goal is None or not moment.steps or moment.domain is None or moment.state is None:
        raise TelosError(f"{who} follows no plan at the moment", "look again when it does")
    found = find_alternatives(
        moment.domain,
        moment.state,
        moment.goal,
        moment.steps,
        actions=moment.actions,
        most=MAX_ALTERNATIVES,
        budget=SEARCH_BUDGET,
    )
    names = tuple(map(str, moment.steps))
    return PlanChoice(who, moment.goal.name, names, cost_of_steps(moment.state, moment.steps), found)


def record_moment(who: str, moment: PlanningMoment) -> SearchGraph:
    """Search for the pursued goal again, and return the states that the search saw."""
    if moment.goal is None or moment.domain is None or moment.state is None:
        raise TelosError(f"{who} follows no plan at the moment", "look again when it does")
    return record_search(
        moment.domain, moment.state, moment.goal, actions=moment.actions, budget=SEARCH_BUDGET, most=_MAX_STATES
    )


def step_names(steps: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the actions of steps.

    >>> step_names(["goto(gate)", "reload"])
    ('goto', 'reload')
    """
    return tuple(step.partition("(")[0] for step in steps)
