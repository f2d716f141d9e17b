"""The history of a game: what the timeline draws, kept where something changed."""

from collections.abc import Mapping
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
        if len(self._points) > _MOST:
            self._points = self._points[::2]
        if not self._truth or self._truth[-1][1] != truth:
            self._truth.append((point.frame, truth))
        for row in {**self._bands, **bands}:
            self._note_band(row, point.frame, bands.get(row, ""))

    def _note_band(self, row: str, frame: int, label: str) -> None:
        changes = self._bands.setdefault(row, [])
        if not changes or changes[-1][1] != label:
            changes.append((frame, label))

    def anew(self, reader: str, beliefs: Mapping[int, Mapping[str, float]]) -> None:
        """Draw the curve of a recogniser again: ``beliefs`` are those of its new model, by frame."""
        held: Mapping[str, float] | None = None
        frames = iter(sorted(beliefs))
        upcoming = next(frames, None)
        for at, point in enumerate(self._points):
            while upcoming is not None and upcoming <= point.frame:
                held, upcoming = beliefs[upcoming], next(frames, None)
            if held is not None:
                self._points[at] = point._replace(beliefs={**point.beliefs, reader: held})

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


def _columns(rows: list[Values]) -> dict[str, dict[str, list[float | None]]]:
    """Turn rows of groups of values into a list for each value; None where a row lacks it."""
    names = {group: dict.fromkeys(key for row in rows for key in row.get(group, ())) for row in rows for group in row}
    return {
        group: {key: [row.get(group, {}).get(key) for row in rows] for key in keys} for group, keys in names.items()
    }
