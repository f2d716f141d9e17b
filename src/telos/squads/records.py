"""The trace of squads: who stands together, what they were ordered, how it went, and what was said."""

from dataclasses import dataclass

from telos.core.frozen import FrozenMap


@dataclass(frozen=True, slots=True)
class Grouped:
    """Squads were made anew by who is near whom; each is named, with its members, the leader first."""

    time: float
    side: str
    squads: FrozenMap[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Ordered:
    """A squad behaviour began: who fills which slot, in words, and why this one now."""

    time: float
    squad: str
    behaviour: str
    orders: FrozenMap[str, str]
    why: str


@dataclass(frozen=True, slots=True)
class Concluded:
    """A squad behaviour came to its end."""

    time: float
    squad: str
    behaviour: str
    fulfilled: bool
    why: str


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody spoke. ``exchange`` names the conversation that the line belongs to, ``why`` what brought it about."""

    time: float
    who: str
    to: str | None
    text: str
    exchange: str
    why: str
