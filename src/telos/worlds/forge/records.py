"""The trace of the scene: who sets about what, who says what, and what the companion makes of it."""

from dataclasses import dataclass

from telos.core.frozen import FrozenMap


@dataclass(frozen=True, slots=True)
class Started:
    """The first record: all that is needed to play it again."""

    time: float
    world: str
    seed: int
    plan: str | None
    companion: str


@dataclass(frozen=True, slots=True)
class Did:
    """Somebody set about something."""

    time: float
    who: str
    action: str
    place: str


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody said something."""

    time: float
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Changed:
    """The player has another plan now; nobody is told but the trace."""

    time: float
    who: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class Read:
    """What the companion thinks of the player's plan after a deed, and what it takes it to be, if it is sure."""

    time: float
    who: str
    action: str
    belief: FrozenMap[str, float]


@dataclass(frozen=True, slots=True)
class Understood:
    """What the companion took something to mean, and all that it might have meant."""

    time: float
    who: str
    text: str
    means: str | None
    options: FrozenMap[str, float]


@dataclass(frozen=True, slots=True)
class Opened:
    """The last record: the door is open."""

    time: float
    who: str
    plan: str
    asked: int  # how often the player had to ask
