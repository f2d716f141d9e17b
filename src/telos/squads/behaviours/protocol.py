"""What a squad behaviour is: it proposes orders, watches them, and judges how it goes."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

from telos.squads.squad import Assignment, Squad


@dataclass(frozen=True, slots=True)
class NotNow:
    """A behaviour cannot begin; ``why`` says whether slots are unfilled or it is not needed."""

    why: str


class BehaviourStatus(Enum):
    RUNNING = "running"
    FULFILLED = "fulfilled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The status of a behaviour and the reason for its end. A running one may have new orders: ``assignment``."""

    status: BehaviourStatus
    why: str = ""
    assignment: Assignment | None = None


RUNNING = Verdict(BehaviourStatus.RUNNING)


def fulfilled_verdict(why: str) -> Verdict:
    return Verdict(BehaviourStatus.FULFILLED, why)


def failed_verdict(why: str) -> Verdict:
    return Verdict(BehaviourStatus.FAILED, why)


def continued(assignment: Assignment) -> Verdict:
    """Return the verdict that the behaviour goes on with new orders or with progress."""
    return Verdict(BehaviourStatus.RUNNING, assignment=assignment)


class Behaviour(Protocol):
    """Something that a squad can do together. It keeps no state between calls: the assignment holds everything.

    It fails after ``limit`` seconds without progress, and cannot begin again for ``cooldown`` seconds after its end.
    ``serves`` is the part of the squad's objective that it works on, if any.
    """

    @property
    def name(self) -> str: ...
    @property
    def limit(self) -> float: ...
    @property
    def cooldown(self) -> float: ...
    @property
    def serves(self) -> str | None: ...

    def propose(self, squad: Squad, now: float) -> Assignment | NotNow:
        """Fill the slots with members of the squad, or return why that is not possible."""

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Judge the progress. Members with an order who are no longer in the squad are dead."""


@runtime_checkable
class PlannedBehaviour(Protocol):
    """A behaviour that knows itself which saved assignments it can go on with."""

    def find_assignment_flaw(self, assignment: Assignment) -> str | None: ...
