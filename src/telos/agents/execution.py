"""A plan under way: which step it is at, and whether the rest can still come true."""

import math
from dataclasses import dataclass

from telos.agents.body import BodyState
from telos.core.action import Action
from telos.core.goal import Goal
from telos.core.plan import Plan
from telos.core.state import State


@dataclass(slots=True)
class Execution:
    """A plan, the goal that it serves, and how far it has got. ``begun`` once the body is at the present step."""

    plan: Plan
    goal: Goal
    index: int = 0
    begun: bool = False
    before: State | None = None  # how things stood when the present step began
    entered: BodyState | None = None  # what the body does for it
    since: float = math.inf  # when the present step began
    start: State | None = None  # what the plan was made for
    checked: State | None = None  # the last state from which the rest was found to work

    @property
    def step(self) -> Action:
        """Return the present step."""
        return self.plan.steps[self.index]

    def go_on(self) -> bool:
        """Turn to the next step; return whether there is one."""
        self.index, self.begun, self.since, self.checked = self.index + 1, False, math.inf, None
        return self.index < len(self.plan.steps)

    @property
    def left(self) -> tuple[str, ...]:
        """Return the steps that are not done yet, in words."""
        return tuple(str(step) for step in self.plan.steps[self.index :])

    def begin(self, state: State, entered: BodyState, now: float) -> None:
        """Note that the body has turned to the present step."""
        self.begun, self.before, self.entered, self.since = True, state, entered, now

    def has_kept(self, state: State) -> bool:
        """Whether what the present step promised has come true; what else has happened is not its fault."""
        expected = self.step.result(self.before or state)
        return all(state[effect.variable] == expected[effect.variable] for effect in self.step.effects)

    def flaw(self, state: State) -> str | None:
        """Say why the rest of the plan will not reach the goal from ``state``, or None if it will.

        What each step promises is only a prediction, so this is asked whenever the world turns out otherwise.
        """
        start = state
        if state is self.checked:
            return None
        for step in self.plan.steps[self.index :]:
            if not step.preconditions.holds(state):
                return f"{step} needs {step.preconditions.unmet(state)[0]}"
            state = step.result(state)
        wants = self.goal.wants
        if wants is not None and not wants.holds(state):
            return f"it would not bring about {wants.unmet(state)[0]}"
        self.checked = start
        return None
