"""Flashes of the adventure: what is shown for a moment, because it would else be over before it is seen."""

from collections.abc import Iterator
from dataclasses import dataclass

from telos.studio.drawing.shapes import Shape, place
from telos.worlds.adventure.views import AdventureView, Point

_NEAR = 14.0  # pixels; no monster moves farther in one frame
_BLINK = 4  # frames from bright to dim
SHAKEN = 36  # frames that a hero who has died blinks


@dataclass(frozen=True, slots=True)
class Flash:
    """A symbol that grows and fades."""

    symbol: str
    x: float
    y: float
    since: int  # the frame it begins at
    lasts: int  # frames
    grows: float  # by how much of its size


class Flashes:
    """Looks at two views in a row, and remembers what flashes because of the second."""

    def __init__(self) -> None:
        self._flashes: list[Flash] = []
        self._died = -SHAKEN
        self._swing = 0

    def note(self, before: AdventureView, after: AdventureView) -> None:
        """Take in what has happened in a frame."""
        self._swing = self._swing + 1 if after.swinging else 0
        if self._flashes:
            self._flashes = [each for each in self._flashes if after.frame < each.since + each.lasts]
        if after.area != before.area:
            self._flashes.clear()
        if after.deaths != before.deaths:
            self._died = after.frame
            self._flashes = [Flash("ring", after.x, after.y, after.frame, 24, 1.6)]
        elif after.kills != before.kills:
            gone = vanished(before.monsters, after.monsters)
            self._flashes += [Flash("puff", x, y, after.frame, 10, 0.7) for x, y in gone]
        if after.carrying and not before.carrying:
            self._flashes.append(Flash("puff", after.x, after.y, after.frame, 18, 1.4))

    @property
    def swing(self) -> int:
        """Return how many frames the sword is out."""
        return self._swing

    def is_dim(self, frame: int) -> bool:
        """Whether the hero is dim in this frame, blinking after a death."""
        return frame - self._died < SHAKEN and (frame - self._died) // _BLINK % 2 == 1

    def shapes(self, frame: int) -> Iterator[Shape]:
        """Yield what flashes now."""
        for i, flash in enumerate(self._flashes):
            share = (frame - flash.since) / flash.lasts
            size = round(0.6 + flash.grows * share, 2)
            yield place(f"flash{i}", flash.symbol, flash.x, flash.y, scale=size, alpha=round(1 - share, 2))


def vanished(before: tuple[Point, ...], after: tuple[Point, ...]) -> list[Point]:
    """Return where those were that are no longer there; the others may have moved a little.

    >>> vanished(((10, 10), (200, 40)), ((14, 10),))
    [(200, 40)]
    """
    left, gone = list(after), []
    for x, y in before:
        match = next((each for each in left if abs(each[0] - x) < _NEAR and abs(each[1] - y) < _NEAR), None)
        if match is None:
            gone.append((x, y))
        else:
            left.remove(match)
    return gone
