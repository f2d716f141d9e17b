"""Short effects of the adventure: `FlashEffects` compares consecutive views and draws what flashes."""

from collections.abc import Iterator
from dataclasses import dataclass

from telos.studio.worlds.shapes import Shape, place
from telos.worlds.adventure.views import AdventureView, Point

_NEAR = 14.0  # pixels; no monster moves further in one frame
_BLINK = 4  # frames
BLINK_FRAMES = 36  # frames that the hero blinks after a death


@dataclass(frozen=True, slots=True)
class Flash:
    """A symbol that grows and fades."""

    symbol: str
    x: float
    y: float
    since: int  # the frame it begins at
    lasts: int  # frames
    grows: float  # by how much of its size


class FlashEffects:
    """Short effects: compares consecutive views and keeps what flashes because of the difference."""

    def __init__(self) -> None:
        self._flashes: list[Flash] = []
        self._died = -BLINK_FRAMES
        self._swing = 0

    def update(self, before: AdventureView, after: AdventureView) -> None:
        """Compare the views of two consecutive frames."""
        self._swing = self._swing + 1 if after.swinging else 0
        if self._flashes:
            self._flashes = [each for each in self._flashes if after.frame < each.since + each.lasts]
        if after.area != before.area:
            self._flashes.clear()
        if after.deaths != before.deaths:
            self._died = after.frame
            self._flashes = [Flash("ring", after.x, after.y, after.frame, 24, 1.6)]
        elif after.kills != before.kills:
            gone = find_vanished(before.monsters, after.monsters)
            self._flashes += [Flash("puff", x, y, after.frame, 10, 0.7) for x, y in gone]
        if after.carrying and not before.carrying:
            self._flashes.append(Flash("puff", after.x, after.y, after.frame, 18, 1.4))

    @property
    def swing(self) -> int:
        """The number of frames that the sword has been out."""
        return self._swing

    def is_dim(self, frame: int) -> bool:
        """Return whether the hero is dim in this frame, as it blinks after a death."""
        return frame - self._died < BLINK_FRAMES and (frame - self._died) // _BLINK % 2 == 1

    def shapes(self, frame: int) -> Iterator[Shape]:
        """Yield the effects of a frame."""
        for i, flash in enumerate(self._flashes):
            share = (frame - flash.since) / flash.lasts
            size = round(0.6 + flash.grows * share, 2)
            yield place(f"flash{i}", flash.symbol, flash.x, flash.y, scale=size, alpha=round(1 - share, 2))


def find_vanished(before: tuple[Point, ...], after: tuple[Point, ...]) -> list[Point]:
    """Return the positions of the monsters that are gone; the others may have moved a little.

    >>> find_vanished(((10, 10), (200, 40)), ((14, 10),))
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
