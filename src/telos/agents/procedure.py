"""The procedural part of an action: what the body does for it, and how one tells that it goes well."""

from typing import Protocol

from telos.agents.body import BodyState, Progress
from telos.agents.memory import WorkingMemory
from telos.agents.performance import Performance
from telos.core.action import Action
from telos.core.state import State
from telos.core.values import Value


class Doer(Protocol):
    """What a procedure may know of the one who acts."""

    @property
    def name(self) -> str:
        """Who acts."""

    @property
    def memory(self) -> WorkingMemory:
        """What they know."""

    @property
    def state(self) -> State:
        """What the planner was told."""


class Procedure:
    """Carries out an action of a plan through the body. It holds nothing of a character's: the doer is an argument."""

    def activate(self, doer: Doer, step: Action) -> BodyState:
        """Return the state that the body enters for the step."""
        raise NotImplementedError(f"{type(self).__name__} does not say what the body does for {step}")

    def is_valid(self, doer: Doer, step: Action, entered: BodyState) -> bool:
        """Whether it still makes sense for the body to be in the state that it entered for the step."""
        return True

    def progress(self, doer: Doer, step: Action, body: Progress, now: float) -> Progress:
        """Return whether the step is under way, done or failed: as the body feels it, if nobody knows better."""
        return body


class Performed(Procedure):
    """An action as a performance file describes it."""

    def __init__(self, performance: Performance) -> None:
        self.performance = performance

    def activate(self, doer: Doer, step: Action) -> BodyState:
        """Return the state that the file names, with its names looked up."""

        def resolve(name: str) -> Value:
            if name in step.arguments:
                return step.arguments[name]
            if name in doer.memory.focus:
                return doer.memory.focus[name]
            return doer.state[name]

        return self.performance.body_state(resolve)

    def is_valid(self, doer: Doer, step: Action, entered: BodyState) -> bool:
        """Whether the names still stand for the same: who fires at one enemy does not hit the next."""
        return self.activate(doer, step) == entered
