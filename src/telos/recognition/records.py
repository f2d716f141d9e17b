"""What a reader tells those who watch it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weighed:
    """An event was taken in."""

    time: float
    player: str
    seen: str
    chances: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Ignored:
    """No goal allows what was seen: it was ignored, and only goals that may have changed moved the belief."""

    time: float
    player: str
    seen: str
