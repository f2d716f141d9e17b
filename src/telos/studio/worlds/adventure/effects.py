"""What the adventure makes felt: `Effects` compares consecutive views and draws hits, falls, kills and finds.

A fall lasts as many frames as the rules say. Rules without one restart at once: there the fallen hero is only seen
where it happened. The place of the last fall stays marked.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from telos.studio.worlds.adventure.hud import find_killer
from telos.studio.worlds.shapes import Shape, place, rect, text
from telos.worlds.adventure.rules import FRAMES_A_SECOND
from telos.worlds.adventure.views import AdventureView, Point

_NEAR = 14.0  # pixels; no monster moves further in one frame
_RISE = 26.0  # pixels that a number rises
_HEARTS_SHOWN = 45  # frames that the hearts are shown above the hero after they changed
_HEART_STEP = 14.0  # pixels between two hearts
_LYING = 24  # frames that the fallen hero is seen under rules that restart at once
_FREEZE = 10  # frames of a fall in which only the flash is seen
_CURTAIN = 8  # frames in which the picture turns dark before a restart, and bright after it
_CURTAIN_FULL = 92  # percent
_NAMED = 15 * FRAMES_A_SECOND  # frames that the place of a fall says what happened
_MARKED = 90 * FRAMES_A_SECOND  # frames that it is marked


@dataclass(frozen=True, slots=True)
class Flash:
    """A symbol that grows and fades, or a text that rises and fades."""

    symbol: str
    x: float
    y: float
    since: int  # the frame it begins at
    lasts: int  # frames
    grows: float = 0.0  # by how much of its size
    words: str = ""  # in place of the symbol
    tint: str = ""  # of the symbol, or the colour of the text


@dataclass(frozen=True, slots=True)
class Fall:
    """Where and when the player fell, and what caused it."""

    area: str
    x: float
    y: float
    frame: int
    killer: str

    @property
    def words(self) -> str:
        return f"A {self.killer} caught you here"


class Effects:
    """The effects of one game; ``fall`` is how many frames of it a fall takes."""

    def __init__(self, fall: int = 0) -> None:
        self._lasts = fall
        self._flashes: list[Flash] = []
        self._swing = 0
        self._fall: Fall | None = None
        self._restarted = -_CURTAIN
        self._hearts_changed = -_HEARTS_SHOWN
        self._lost = 0  # hearts at the last change; negative: they came back

    def update(self, before: AdventureView, after: AdventureView) -> None:
        """Compare the views of two consecutive frames."""
        frame = after.frame
        self._swing = self._swing + 1 if after.swinging else 0
        self._flashes = [each for each in self._flashes if frame < each.since + each.lasts]
        if after.area != before.area:
            self._flashes.clear()
        if before.fallen and not after.fallen:
            self._restarted = frame
            self._flashes = [Flash("ring", after.x, after.y, frame, 24, 1.6)]
        elif after.hearts != before.hearts:
            self._hearts_changed, self._lost = frame, before.hearts - after.hearts
        if after.deaths != before.deaths:
            self._note_death(before, after)
        elif after.hearts < before.hearts:
            self._flashes.append(Flash("burst", after.x, after.y, frame, 9, 0.8, tint="danger"))
        if after.kills != before.kills and after.area == before.area:
            self._note_kills(before, after)
        if after.carrying and not before.carrying:
            self._flashes += [
                Flash("puff", after.x, after.y, frame, 18, 1.4),
                Flash("glitter", after.x, after.y, frame, 30, 0.9),
            ]

    def _note_death(self, before: AdventureView, after: AdventureView) -> None:
        where = after if after.fallen else before  # rules without a fall have restarted already
        self._fall = Fall(where.area, where.x, where.y, after.frame, find_killer(before))
        if after.fallen:
            self._flashes.append(Flash("burst", where.x, where.y, after.frame, 12, 1.4, tint="danger"))
        else:
            self._flashes = [Flash("ring", after.x, after.y, after.frame, 24, 1.6)]

    def _note_kills(self, before: AdventureView, after: AdventureView) -> None:
        gone = find_vanished(before.monsters, after.monsters)
        gained = (after.score - before.score) / max(1, after.kills - before.kills)
        for x, y in gone:
            self._flashes.append(Flash("puff", x, y, after.frame, 10, 0.7))
            if gained > 0:
                words = f"+{gained:.2g}"
                self._flashes.append(Flash("", x, y - 22, after.frame, 24, words=words, tint="gold"))

    @property
    def swing(self) -> int:
        """The number of frames that the sword has been out."""
        return self._swing

    def lies(self, view: AdventureView) -> float | None:
        """Return how far the hero has fallen, 0 to 1; None while they stand."""
        if not view.fallen or self._fall is None:
            return None
        return min(1.0, max(0.0, (view.frame - self._fall.frame - _FREEZE) / (2 * _FREEZE)))

    @property
    def cause(self) -> str:
        """What caused the last fall, as it is shown where it happened."""
        return "" if self._fall is None else self._fall.words

    def ground(self, view: AdventureView) -> Iterator[Shape]:
        """Yield what lies beneath the bodies: the place of the last fall."""
        fall = self._fall
        if fall is None or fall.area != view.area or view.frame - fall.frame > _MARKED:
            return
        age = view.frame - fall.frame
        if not self._lasts and age < _LYING:
            yield place("fallen", "hero-fallen", fall.x, fall.y, tint="player", alpha=round(1 - age / _LYING, 2))
        if not view.fallen:
            yield place("grave", "grave", fall.x, fall.y, label=fall.words if age < _NAMED else None)

    def shapes(self, view: AdventureView) -> Iterator[Shape]:
        """Yield what is drawn over the bodies."""
        for i, flash in enumerate(self._flashes):
            share = (view.frame - flash.since) / flash.lasts
            alpha = round(1 - share, 2)
            if flash.words:
                fades = min(1.0, 2 * alpha)
                yield text(flash.x, flash.y - _RISE * share, flash.words, f"{flash.tint}/{100 * fades:.0f}", size=18)
            else:
                size = round(0.6 + flash.grows * share, 2)
                yield place(
                    f"flash{i}", flash.symbol, flash.x, flash.y, scale=size, alpha=alpha, tint=flash.tint or None
                )
        yield from self._hearts(view)
        yield from self._curtain(view)

    def _hearts(self, view: AdventureView) -> Iterator[Shape]:
        """Yield the hearts above the hero, for a moment after one was lost or all came back."""
        age = view.frame - self._hearts_changed
        if age >= _HEARTS_SHOWN or view.most_hearts == 1:
            return
        share = age / _HEARTS_SHOWN
        half = _HEART_STEP * (view.most_hearts - 1) / 2
        x, y = min(view.width - 12 - 2 * half, max(12.0, view.x - half)), max(20.0, view.y - 32)
        for i in range(view.most_hearts):
            at = x + i * _HEART_STEP
            full = i < view.hearts
            yield place(f"heart{i}", "heart" if full else "heart-empty", at, y, tint="danger")
            if not full and i < view.hearts + self._lost:
                size, alpha = round(1 + 1.2 * share, 2), round(1 - share, 2)
                yield place(f"lost{i}", "heart", at, y - 14 * share, scale=size, tint="danger", alpha=alpha)

    def _curtain(self, view: AdventureView) -> Iterator[Shape]:
        """Yield the fading of the picture at the end of a fall, and after the restart."""
        if not self._lasts:
            return
        share = 1 - (view.frame - self._restarted) / _CURTAIN
        if view.fallen and self._fall is not None:
            share = 1 - (self._fall.frame + self._lasts - view.frame) / _CURTAIN
        if share > 0:
            percent = round(_CURTAIN_FULL * min(1.0, share))
            yield rect(0, 0, view.width, view.height, f"page/{percent}")


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
