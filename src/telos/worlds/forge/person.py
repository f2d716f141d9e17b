"""Somebody in the village: where they are, what they hold, and what they are about."""

from dataclasses import dataclass, field

from telos.core.action import Action


@dataclass(slots=True)
class Person:
    """A body. It walks leg by leg, works at one thing at a time, and may stay at a post when that is done."""

    name: str
    place: str
    knows: bool = False  # what the neighbour wants
    hands: str = "free"
    pocket: str = "empty"
    legs: list[str] = field(default_factory=list)  # the places still to be passed, the last being where to
    walked: float = 0.0  # seconds of the present leg
    strayed: tuple[str, float] | None = None  # on the way back from half-way there: where to, and how many seconds off
    deed: Action | None = None
    worked: float = 0.0  # seconds of the present deed
    post: str | None = None  # at the bellows, at the door, or aside
    status: str = "idle"  # idle, running, done or failed
    reason: str = ""

    @property
    def is_walking(self) -> bool:
        """Whether they are between two places."""
        return bool(self.legs) or self.strayed is not None

    @property
    def heading(self) -> str:
        """Return the place they are at, or the next one on their way: what onlookers see."""
        return self.legs[0] if self.legs and self.strayed is None else self.place

    @property
    def is_idle(self) -> bool:
        """Whether they stand about, which may be in somebody's way."""
        return not self.is_walking and self.deed is None and self.post is None

    def begin(self, deed: Action) -> None:
        """Turn to something to do."""
        self.stop()
        self.deed, self.worked, self.status = deed, 0.0, "running"

    def stop(self) -> None:
        """Leave whatever it was, and the post with it."""
        self.legs, self.walked, self.strayed, self.deed, self.post = [], 0.0, None, None, None
        self.status, self.reason = "idle", ""

    def finish(self, status: str, reason: str = "") -> None:
        """End the present deed or walk."""
        self.legs, self.deed, self.walked, self.strayed = [], None, 0.0, None
        self.status, self.reason = status, reason
