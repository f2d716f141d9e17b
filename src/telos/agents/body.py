"""The body as a mind knows it: three states, and how the present one is going."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias

from telos.core.values import Value


@dataclass(frozen=True, slots=True)
class Goto:
    """Head for a place."""

    place: Value
    pace: str = "run"


@dataclass(frozen=True, slots=True)
class Animate:
    """Play an animation, perhaps aimed at something; it may move the body."""

    animation: str
    at: Value = None


@dataclass(frozen=True, slots=True)
class UseSmartObject:
    """Play the animation that a thing in the world prescribes for one of its uses."""

    object: Value
    use: str


BodyState: TypeAlias = Goto | Animate | UseSmartObject


class Status(Enum):
    """How the present state is going."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Progress:
    """What the body feels about the state that it is in: under way, done, or failed and why."""

    status: Status
    reason: str = ""


RUNNING, DONE = Progress(Status.RUNNING), Progress(Status.DONE)


class Body(Protocol):
    """What carries out a plan. The world changes through it alone, and takes its time."""

    def enter(self, state: BodyState) -> None:
        """Leave whatever it was doing for ``state``."""

    @property
    def progress(self) -> Progress:
        """Return how the last state entered is going; ``DONE`` if there was none."""
