"""Trace records of a mind: facts noticed and forgotten, goals chosen, plans made and dropped, steps begun and ended."""

from dataclasses import dataclass, field
from typing import ClassVar

from telos.core.values import FrozenMap, Value


@dataclass(frozen=True, slots=True)
class Noticed:
    """A fact was added to memory, or changed."""

    time: float
    who: str
    fact: str
    subject: str
    confidence: float = 1.0
    attributes: FrozenMap[str, Value] = field(default_factory=FrozenMap)


@dataclass(frozen=True, slots=True)
class Forgot:
    """A fact faded."""

    time: float
    who: str
    fact: str
    subject: str


@dataclass(frozen=True, slots=True)
class Chose:
    """A goal was taken. ``passed_over`` gives the reason for each goal of higher priority that was not."""

    time: float
    who: str
    goal: str
    instead_of: str | None
    why: str
    passed_over: FrozenMap[str, str] = field(default_factory=FrozenMap)


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan was made for the current goal."""

    time: float
    who: str
    goal: str
    steps: tuple[str, ...]
    cost: float
    expanded: int


@dataclass(frozen=True, slots=True)
class Began:
    """The body entered a state for a step of the plan."""

    time: float
    who: str
    step: str
    state: str  # goto, animate or use
    target: str  # the place; the animation and its target; or the object and its use


@dataclass(frozen=True, slots=True)
class Finished:
    """A step is done, and its effects hold."""

    time: float
    who: str
    step: str


@dataclass(frozen=True, slots=True)
class StepFailed:
    """A step failed; the failure is a fact in memory now."""

    KIND: ClassVar[str] = "failed"

    time: float
    who: str
    step: str
    reason: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """A plan was given up before its end."""

    time: float
    who: str
    goal: str
    steps: tuple[str, ...]  # those that were left
    why: str


@dataclass(frozen=True, slots=True)
class Idle:
    """No goal can be pursued; ``why`` gives the reason for each."""

    time: float
    who: str
    why: FrozenMap[str, str] = field(default_factory=FrozenMap)
