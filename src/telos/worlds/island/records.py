"""The trace of a visit: what the player wanted and why, what they did, and what came of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Started:
    """The first record of a visit: all that is needed to repeat it."""

    time: float
    world: str
    seed: int
    player: str
    style: str


@dataclass(frozen=True, slots=True)
class Chose:
    """The player turned to a goal: how insistent it was, what came second, and the plan."""

    time: float
    player: str
    goal: str
    about: str
    level: float
    runner_up: str | None
    plan: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Did:
    """One action, where it was taken, what it taught, and the goal that it achieved, if it did."""

    time: float
    player: str
    action: str
    argument: str
    loc: str
    area: str
    state: str
    intention: str
    learned: tuple[str, ...]
    goal: str | None


@dataclass(frozen=True, slots=True)
class Ended:
    """The last record of a visit."""

    time: float
    player: str
    actions: int
    goals: int
    solved: bool
