"""Saved states of learning, checked as data from outside: ``check_state`` and ``read_state``."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from telos.core.errors import TelosError
from telos.files import Count, Finite, Row, SnapshotModel, SnapshotPart, check_length, read_snapshot
from telos.logic.learning.training import Epoch, LearningMethod, LearningResult, LearningStop
from telos.logic.syntax import format_mln, parse_mln

OF = "state of learning"
MAX_MEMORY = 1_000  # steps of L-BFGS; it keeps a few


class _EpochSnapshot(SnapshotPart):
    number: Count
    phase: LearningMethod
    loss: Finite
    accuracy: Finite | None
    held_out_loss: Finite | None = None
    held_out_accuracy: Finite | None = None


class _MarginSnapshot(SnapshotPart):
    """The state of MIRA or the perceptron."""

    weights: list[Finite]
    sums: list[Finite]
    clock: Annotated[Finite, Field(ge=1)]
    epoch: Count
    is_over: bool
    marks: list[Row[tuple[Finite, list[Finite]]]]

    def check(self, weights: int) -> None:
        """Refuse lists of another length than the number of weights."""
        check_length(OF, "learner.weights", self.weights, weights)
        check_length(OF, "learner.sums", self.sums, weights)
        check_length(OF, "learner.marks", self.marks, 2)
        for clock, total in self.marks:
            check_length(OF, "learner.marks", total, weights)
            if not 0 <= clock <= self.clock or (self.epoch and clock == self.clock and clock == self.marks[0][0]):
                raise TelosError(f"saved {OF}: learner.marks has the time {clock}, and the clock is at {self.clock}")


class _GradientStart(SnapshotPart):
    """The state of L-BFGS before its first step."""

    epoch: Count
    phase: LearningMethod

    def check(self, weights: int) -> None:
        """Accept any number of weights."""


class _GradientSnapshot(_GradientStart):
    """The state of L-BFGS."""

    place: list[Finite]
    value: Finite
    gradient: list[Finite]
    steps: Annotated[list[list[Finite]], Field(max_length=MAX_MEMORY)]
    turns: Annotated[list[list[Finite]], Field(max_length=MAX_MEMORY)]
    is_over: bool

    def check(self, weights: int) -> None:
        """Refuse lists of another length than the number of weights."""
        check_length(OF, "learner.place", self.place, weights)
        check_length(OF, "learner.gradient", self.gradient, weights)
        check_length(OF, "learner.turns", self.turns, len(self.steps))
        for name, rows in (("steps", self.steps), ("turns", self.turns)):
            for row in rows:
                check_length(OF, f"learner.{name}", row, weights)
        for step, turn in zip(self.steps, self.turns, strict=True):
            if not sum(one * two for one, two in zip(step, turn, strict=True)) > 0:
                raise TelosError(f"saved {OF}: a step without curvature", "delete the file, and start again")


class _StateSnapshot(SnapshotPart):
    mark: str
    warm_up: Count
    learner: dict[str, Any]
    epochs: list[_EpochSnapshot]
    best: list[Finite] | None
    least: Finite | None
    waited: Count


class _ResultSnapshot(SnapshotModel):
    """A result of learning, as ``format_state`` writes it."""

    by: LearningMethod
    stopped: Literal["EPOCHS", "HELD_OUT", "CONVERGED", "NO_MISTAKES"]
    notes: list[str]
    model: str
    state: dict[str, Any]


def check_state(state: Mapping[str, Any], by: str, weights: int | None = None) -> dict[str, Any]:
    """Return a checked state of learning by a method, for a number of weights if that is known."""
    read = read_snapshot(_StateSnapshot, state, of=OF)
    if by in ("mira", "perceptron"):
        form: type[_MarginSnapshot | _GradientStart] = _MarginSnapshot
    else:
        form = _GradientSnapshot if "place" in read.learner else _GradientStart
    learner = read_snapshot(form, read.learner, of=OF)
    for place, epoch in enumerate(read.epochs):
        if epoch.number != place + 1:
            raise TelosError(f"saved {OF}: epochs[{place}].number must be {place + 1}, got {epoch.number}")
    if learner.epoch != len(read.epochs):
        raise TelosError(f"saved {OF}: learner.epoch must be {len(read.epochs)}, got {learner.epoch}")
    if (read.best is None) != (read.least is None):
        raise TelosError(f"saved {OF}: best and least must both be given, or neither")
    count = len(learner.weights) if isinstance(learner, _MarginSnapshot) else weights
    if isinstance(learner, _GradientSnapshot):
        count = len(learner.place)
    if count is not None:
        count = count if weights is None else weights
        learner.check(count)
        if read.best is not None:
            check_length(OF, "best", read.best, count)
    return {**read.model_dump(), "learner": learner.model_dump()}


def format_state(learned: LearningResult) -> dict[str, Any]:
    """Return a result of learning as plain data, from which ``read_state`` makes it again."""
    settings = {"by": learned.by, "stopped": learned.stopped.name, "notes": list(learned.notes)}
    return {**settings, "model": format_mln(learned.model), "state": dict(learned.state)}


def read_state(saved: object) -> LearningResult:
    """Return the result that ``format_state`` wrote; every fault is a ``TelosError``."""
    read = read_snapshot(_ResultSnapshot, saved, of=OF)
    state = check_state(read.state, read.by)
    epochs = tuple(Epoch(**each) for each in state["epochs"])
    model = parse_mln(read.model)
    return LearningResult(model, read.by, epochs, LearningStop[read.stopped], tuple(read.notes), state)
