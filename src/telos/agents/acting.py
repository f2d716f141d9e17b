"""The acting part of a mind: a plan carried out step by step through the body, watched, and dropped when it fails."""

from collections.abc import Mapping
from typing import Any

from telos.agents.body import RUNNING, Animate, Body, BodyState, Goto, Progress, Status
from telos.agents.deliberation import planning_for
from telos.agents.execution import Execution
from telos.agents.memory import Fact
from telos.agents.perceiving import Perceiving, raised
from telos.agents.procedure import Procedure
from telos.agents.records import Began, Dropped, Finished
from telos.core.action import Action
from telos.core.frozen import FrozenMap


class Acting(Perceiving):
    """Carries out plans. What a step promises is a prediction, and what went wrong is knowledge."""

    def __init__(self, *, body: Body, procedures: Mapping[str, Procedure], patience: float, **perceiving: Any) -> None:
        super().__init__(**perceiving)
        self.body, self.patience = body, patience
        self.execution: Execution | None = None
        self._procedures = dict(procedures)
        self._restless = True  # whether goals are to be weighed again

    def _carry_on(self, execution: Execution, now: float) -> None:
        if (flaw := self._flaw(execution, now)) is not None:
            self._drop(flaw, now)
        elif not execution.begun:
            self._begin_step(execution, now)
        else:
            self._check_step(execution, now)

    def _flaw(self, execution: Execution, now: float) -> str | None:
        """Say why the rest of the plan will not work; a condition over which the game's functions raise will not."""
        try:
            return execution.flaw(self.state)
        except Exception as error:
            what = execution.left[0] if execution.left else planning_for(execution.goal)
            self._note_failure(what, raised(error), now)
            return f"{what} {raised(error)}"

    def _check_step(self, execution: Execution, now: float) -> None:
        step, entered = execution.step, execution.entered
        try:
            is_valid = entered is None or self._procedures[step.name].is_valid(self, step, entered)
        except Exception as error:
            self._fail(execution, raised(error), now)
            return
        if not is_valid:
            self._drop(f"{step} is meant for something else now", now)

    def _progress(self, now: float) -> Progress:
        """Return how the present step is going; under way if there is none."""
        if self.execution is None or not self.execution.begun:
            return RUNNING
        step = self.execution.step
        procedure = self._procedures[step.name]
        try:
            progress = procedure.progress(self, step, self.body.progress, now)
        except Exception as error:
            return Progress(Status.FAILED, raised(error))
        if progress.status is Status.RUNNING and now >= self.execution.since + self.patience:
            return Progress(Status.FAILED, f"it is not done after {self.patience:g} s")
        return progress

    def _end_step(self, progress: Progress, now: float) -> None:
        if self.execution is None:
            return
        if progress.status is Status.FAILED:
            self._fail(self.execution, progress.reason, now)
        else:
            self._finish_step(self.execution, now)
        self._attended = -1  # attention is free again

    def _begin_step(self, execution: Execution, now: float) -> None:
        step = execution.step
        try:
            state = self._procedures[step.name].activate(self, step)
            self.body.enter(state)
        except Exception as error:
            self._fail(execution, raised(error), now)
            return
        execution.begin(self.state, state, now)
        self.trace(Began(now, self.name, str(step), *_in_words(state)))

    def _finish_step(self, execution: Execution, now: float) -> None:
        """Go on to the next step, if what this one promised has come true."""
        step = execution.step
        self._note_deed(step, now)
        has_kept = execution.has_kept(self.state)
        is_left = execution.go_on()
        if (flaw := self._flaw(execution, now)) is not None:
            if not has_kept and execution.goal.relevant.holds(self.state):
                self._note_failure(str(step), f"it did not do what it promised: {flaw}", now)
            self._drop(f"{step} is done, but {flaw}", now)
            return
        self.trace(Finished(now, self.name, str(step)))
        if is_left:
            self._begin_step(execution, now)
        else:
            self.execution, self._restless = None, True

    def _note_deed(self, step: Action, now: float) -> None:
        """Remember what was done, and what attention was on: one knows best what one has done oneself."""
        before = self.memory.recall("deed", step.name, now)
        count = 1 if before is None else before["count"] + 1
        about = {"step": str(step), "count": count, **self.memory.focus}
        self.note(Fact("deed", step.name, now, attributes=FrozenMap(about)))
        self._feel(now)
        self._believe_memory(now)

    def _fail(self, execution: Execution, reason: str, now: float) -> None:
        """Give up the plan. A step that has become impossible explains itself; any other failure is news to keep."""
        step = execution.step
        if not self._is_possible(step):
            self._drop(f"{step}: {reason}", now)
            return
        self._note_failure(str(step), reason, now)
        self._drop(f"{step} failed: {reason}", now)

    def _is_possible(self, step: Action) -> bool:
        try:
            return step.preconditions.holds(self.state)
        except Exception:  # nobody can tell, so it does not explain the failure
            return True

    def _drop(self, why: str, now: float) -> None:
        execution = self.execution
        if execution is None:
            return
        self.trace(Dropped(now, self.name, execution.goal.name, execution.left, why))
        self.execution, self._restless = None, True


def _in_words(state: BodyState) -> tuple[str, str]:
    if isinstance(state, Goto):
        return "goto", str(state.place)
    if isinstance(state, Animate):
        return "animate", state.animation if state.at is None else f"{state.animation} {state.at}"
    return "use", f"{state.object} {state.use}"
