"""The history of a game: what the timeline draws, kept where something changed."""

from bisect import bisect_right
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_MOST = 4_000  # points; then every second one is let go, as nobody sees more on a screen
_SHOWN = 2_000

Values = Mapping[str, Mapping[str, float]]


class Point(NamedTuple):
    """Beliefs and curves at a frame."""

    frame: int
    time: float
    beliefs: Values
    curves: Values


class Believed(NamedTuple):
    """What one recogniser believes from a frame on."""

    frame: int
    time: float
    belief: Mapping[str, float]


class History:
    """Points of the curves, and the frames at which truth and bands became something else."""

    def __init__(self) -> None:
        self._points: list[Point] = []
        self._truth: list[tuple[int, str | None]] = []
        self._bands: dict[str, list[tuple[int, str]]] = {}

    def note(self, point: Point, truth: str | None, bands: Mapping[str, str]) -> None:
        """Keep what is new at this frame."""
        last = self._points[-1] if self._points else None
        if last is None or (last.beliefs, last.curves) != (point.beliefs, point.curves):
            self._points.append(point)
        self._points = _thinned(self._points)
        if not self._truth or self._truth[-1][1] != truth:
            self._truth.append((point.frame, truth))
        for row in {**self._bands, **bands}:
            self._note_band(row, point.frame, bands.get(row, ""))

    def _note_band(self, row: str, frame: int, label: str) -> None:
        changes = self._bands.setdefault(row, [])
        if not changes or changes[-1][1] != label:
            changes.append((frame, label))

    def anew(self, reader: str, first: Mapping[str, float], beliefs: Sequence[Believed]) -> None:
        """Draw the curve of a recogniser again: what its new model believes at first, and where it believes otherwise.

        A new model may change its mind where the old one did not, so there are new points, too.
        """
        points: list[Point] = []
        held, changes = first, deque(beliefs)
        for point in self._points:
            while changes and changes[0].frame <= point.frame:
                change = changes.popleft()
                if change.frame < point.frame and change.belief != held:
                    points.append(_between(points[-1], change, reader))
                held = change.belief
            points.append(point._replace(beliefs={**point.beliefs, reader: held}))
        for change in changes:
            if change.belief != points[-1].beliefs[reader]:
                points.append(_between(points[-1], change, reader))
        self._points = _thinned(points)

    def beliefs_at(self, frame: int) -> Values:
        """Return what is believed at a frame, under the models that are in force now."""
        at = bisect_right(self._points, frame, key=lambda point: point.frame)
        return self._points[max(0, at - 1)].beliefs

    def message(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        every = -(-len(self._points) // _SHOWN) or 1
        points = self._points[::every]
        if points and points[-1] is not self._points[-1]:
            points.append(self._points[-1])
        return {
            "n": [point.frame for point in points],
            "t": [round(point.time, 3) for point in points],
            "beliefs": _columns([point.beliefs for point in points]),
            "curves": _columns([point.curves for point in points]),
            "truth": self._truth,
            "bands": self._bands,
        }


def _between(before: Point, change: Believed, reader: str) -> Point:
    """Return the point at which only one recogniser believes something else than before."""
    beliefs = {**before.beliefs, reader: change.belief}
    return Point(change.frame, max(change.time, before.time), beliefs, before.curves)


def _thinned(points: list[Point]) -> list[Point]:
    """Return the points, or about half of them if they are too many; the first and the last stay."""
    while len(points) > _MOST:
        points = points[::2] if len(points) % 2 else [*points[::2], points[-1]]
    return points


def _columns(rows: list[Values]) -> dict[str, dict[str, list[float | None]]]:
    """Turn rows of groups of values into a list for each value; None where a row lacks it."""
    names: dict[str, dict[str, None]] = {}
    for row in rows:
        for group, values in row.items():
            names.setdefault(group, {}).update(dict.fromkeys(values))
    return {
        group: {key: [row.get(group, {}).get(key) for row in rows] for key in keys} for group, keys in names.items()
    }
