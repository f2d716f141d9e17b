"""The trace of a mind: what it noticed, wanted, planned, did and dropped, each with the reason."""

from dataclasses import dataclass, field

from telos.core.values import FrozenMap, Value


@dataclass(frozen=True, slots=True)
class Noticed:
    """A fact came into memory, or changed."""

    time: float
    who: str
    fact: str
    subject: str
    confidence: float = 1.0
    attributes: FrozenMap[str, Value] = field(default_factory=FrozenMap)


@dataclass(frozen=True, slots=True)
class Forgot:
    """A fact has faded."""

    time: float
    who: str
    fact: str
    subject: str


@dataclass(frozen=True, slots=True)
class Chose:
    """A goal was taken up. ``passed_over`` says of each goal before it in line why it was not that one."""

    time: float
    who: str
    goal: str
    instead_of: str | None
    why: str
    passed_over: FrozenMap[str, str] = field(default_factory=FrozenMap)


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan was made for the goal in force."""

    time: float
    who: str
    goal: str
    steps: tuple[str, ...]
    cost: float
    expanded: int


@dataclass(frozen=True, slots=True)
class Began:
    """The body was put into a state for a step of the plan."""

    time: float
    who: str
    step: str
    state: str  # goto, animate or use
    target: str  # the place, the animation and whom at, or the thing and its use


@dataclass(frozen=True, slots=True)
class Finished:
    """A step is done, and what it promised came true."""

    time: float
    who: str
    step: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A step went wrong; that is a fact in memory now."""

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
    """There is nothing to do; ``why`` says of each goal why not."""

    time: float
    who: str
    why: FrozenMap[str, str] = field(default_factory=FrozenMap)
