"""What every squad behaviour can do: find participants for its slots, and watch how they fare."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from telos.squads.assignment import Assignment
from telos.squads.squad import Squad


@dataclass(frozen=True, slots=True)
class NotNow:
    """The slots of a behaviour cannot be filled, or there is no call for it; ``why`` says which."""

    why: str


class Status(Enum):
    """How a behaviour is going."""

    RUNNING = "running"
    FULFILLED = "fulfilled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a behaviour is going, and why it ended. One that runs on may do so with other orders: ``assignment``."""

    status: Status
    why: str = ""
    assignment: Assignment | None = None


RUNNING = Verdict(Status.RUNNING)


def fulfilled(why: str) -> Verdict:
    """Return the verdict that all is done."""
    return Verdict(Status.FULFILLED, why)


def failed(why: str) -> Verdict:
    """Return the verdict that it cannot go on."""
    return Verdict(Status.FAILED, why)


def goes_on(assignment: Assignment) -> Verdict:
    """Return the verdict that it goes on with other orders, or has made headway."""
    return Verdict(Status.RUNNING, assignment=assignment)


class Behaviour(Protocol):
    """One thing that a squad can do together. It keeps nothing between calls: the assignment is all there is.

    It fails after ``limit`` seconds without headway, and is not considered again for ``cooldown`` seconds after its
    end. ``serves`` names the part of the squad's objective that it works off, if any.
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
        """Fill the slots with members of the squad, or say why that cannot be."""

    def watch(self, assignment: Assignment, squad: Squad, now: float) -> Verdict:
        """Judge the progress. Members that have an order and are not in the squad any more are dead."""
