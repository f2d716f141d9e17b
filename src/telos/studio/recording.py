"""Game log, frames, tape, history."""

import json
import zlib
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, TypeAlias

import orjson

from telos.core.belief import Belief
from telos.core.errors import DefinitionError, Fault, FaultCode
from telos.studio.stage import Happening, Inputs, Stage

# --- log --------------------------------------------------------------------------------------------------------------
# Logs of games: how one was begun, and all that came from outside since. Played again, everything is as it was.


_KIND = "telos studio game"
_VERSION = 1
MOST_BYTES = 4 * 2**20  # of a log that somebody brings along
MOST_STEPS = 1_000_000
MOST_SEED = 10**15  # what an address may hold
MOST_LINES = 100_000  # hours of changing keys; reading more would keep others waiting
MOST_MODELS = 200  # that were applied: each is told again all that was seen before it
_MOST_TEXT = 256 * 1024


@dataclass(frozen=True, slots=True)
class Applied:
    """A model was put into force."""

    name: str
    text: str


Entry: TypeAlias = Inputs | Applied


@dataclass(slots=True)
class GameLog:
    """One game: the world, the seed, the settings, and runs of equal inputs with the models applied between them."""

    world: str
    seed: int
    settings: Mapping[str, str]
    runs: list[tuple[Entry, int]] = field(default_factory=list)
    steps: int = 0

    def add(self, entry: Entry) -> None:
        """Note what came from outside in a step, or a model that was put into force before the next."""
        if isinstance(entry, Inputs):
            self.steps += 1
            if self.runs and self.runs[-1][0] == entry and not entry.asked:
                self.runs[-1] = entry, self.runs[-1][1] + 1
                return
        self.runs.append((entry, 1))

    @property
    def models(self) -> int:
        """Return how often a model was put into force."""
        return sum(isinstance(entry, Applied) for entry, _ in self.runs)

    def entries(self) -> Iterator[Entry]:
        """Yield everything in order, a step at a time."""
        for entry, times in self.runs:
            for _ in range(times):
                yield entry

    def data(self) -> bytes:
        """Return the log as JSON Lines: the header, then a line for each run."""
        header = {"recording": _KIND, "version": _VERSION, "world": self.world, "seed": self.seed}
        lines: list[Any] = [{**header, "settings": dict(self.settings), "steps": self.steps}]
        for entry, times in self.runs:
            if isinstance(entry, Applied):
                lines.append({"model": entry.name, "text": entry.text})
            else:
                lines.append([entry.held, list(entry.asked), times])
        return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def is_game_log(data: bytes) -> bool:
    """Whether this looks like a log of the studio, and not like a recording of another kind."""
    return _KIND.encode() in data[:200]


def read_log(data: bytes, *, name: str = "log") -> GameLog:
    """Read a log that somebody brings along; anything strange is told with its line."""
    if len(data) > MOST_BYTES:
        _refuse(name, 1, f"it has {len(data)} bytes; a log has at most {MOST_BYTES}")
    if data.count(b"\n") > MOST_LINES:
        _refuse(name, MOST_LINES, f"a log has at most {MOST_LINES} lines")
    try:
        lines = data.decode().removesuffix("\n").split("\n")  # not splitlines: texts may hold stranger line ends
    except UnicodeDecodeError:
        _refuse(name, 1, "this is no text")
    log = _begun(_line(lines[0] if lines else "", name, 1), name)
    models = 0
    for number, text in enumerate(lines[1:], 2):
        entry, times = _entry(_line(text, name, number), name, number)
        log.runs.append((entry, times))
        log.steps += times if isinstance(entry, Inputs) else 0
        models += isinstance(entry, Applied)
        if models > MOST_MODELS:
            _refuse(name, number, f"more than {MOST_MODELS} models are applied in it")
        if log.steps > MOST_STEPS:
            _refuse(name, number, f"a game of more than {MOST_STEPS} steps is not played again")
    return log


def _line(text: str, name: str, number: int) -> Any:
    try:
        found = json.loads(text)
        json.dumps(found, ensure_ascii=False).encode()  # half a character could not be written again
        return found
    except (ValueError, RecursionError):
        _refuse(name, number, "this is no JSON; is the line cut off?")


def _begun(header: Any, name: str) -> GameLog:
    wanted = {"recording": str, "version": int, "world": str, "seed": int, "settings": dict}
    if not isinstance(header, dict) or any(type(header.get(key)) is not kind for key, kind in wanted.items()):
        _refuse(name, 1, "this is not how a game of the studio begins")
    if header["recording"] != _KIND or header["version"] != _VERSION:
        _refuse(name, 1, f"this is {header['recording']!r}, version {header['version']}, not {_KIND!r}, {_VERSION}")
    if not 0 <= header["seed"] < MOST_SEED:
        _refuse(name, 1, f"a seed is a whole number, zero or more, got {header['seed']}")
    settings = {str(key): str(value) for key, value in header["settings"].items()}
    return GameLog(header["world"], header["seed"], settings)


def _entry(line: Any, name: str, number: int) -> tuple[Entry, int]:
    match line:
        case [str(held), list(asked), int(times)] if type(times) is int and 1 <= times <= MOST_STEPS:
            if len(held) > 200 or len(asked) > 100 or not all(type(each) is str and len(each) <= 500 for each in asked):
                _refuse(name, number, "these are more inputs than one step has")
            return Inputs(held, tuple(asked)), times if not asked else 1
        case {"model": str(model), "text": str(text)} if len(text) <= _MOST_TEXT:
            return Applied(model, text), 1
        case _:
            _refuse(name, number, "a line is `[held, [asked, …], steps]`, or a model and its text")


def _refuse(name: str, line: int, message: str) -> NoReturn:
    fault = Fault(
        message, suggestion="download one from the studio", file=name, line=line, column=1, code=FaultCode.UNREADABLE
    )
    raise DefinitionError([fault])


# --- frames -----------------------------------------------------------------------------------------------------------
# Frames: a moment of a game as plain data, for the page, the tape and the timeline.


class Noted(NamedTuple):
    """Something that happened, with its number and the frame after it."""

    number: int
    frame: int
    happening: Happening

    def message(self) -> list[Any]:
        """Return it as plain data."""
        told = self.happening
        return [self.number, self.frame, round(told.time, 3), told.kind, told.who, told.label]


def frame_of(stage: Stage, number: int, beliefs: Mapping[str, Belief], noted: Iterable[Noted]) -> dict[str, Any]:
    """Return what is seen of a stage now; its backdrop is told by a key."""
    hud = stage.hud()
    return {
        "is": "frame", "n": number, "t": round(stage.time, 3), "key": stage.backdrop()[0], "pic": stage.picture(),
        "hud": {
            "task": hud.task, "message": hud.message, "counts": hud.counts, "clock": hud.clock, "over": hud.over
        },
        "beliefs": {name: rounded(belief) for name, belief in beliefs.items()},
        "truth": stage.truth, "bands": dict(stage.bands()), "curves": _curves(stage),
        "happened": messages(noted), "live": True,
    }  # fmt: skip


def messages(noted: Iterable[Noted]) -> list[list[Any]]:
    """Return what the timeline marks of all that happened."""
    return [each.message() for each in noted if each.happening.label]


def rounded(belief: Belief) -> dict[str, float]:
    """Return a belief as it is drawn."""
    return {goal: round(chance, 4) for goal, chance in belief.items()}


def encoded(data: dict[str, Any]) -> bytes:
    """Return a message as JSON."""
    return orjson.dumps(data, default=_plain)


def _curves(stage: Stage) -> dict[str, dict[str, float]]:
    return {group: {name: round(value, 3) for name, value in each.items()} for group, each in stage.curves().items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} does not fit JSON")


# --- tape -------------------------------------------------------------------------------------------------------------
# The tape: every frame that was shown, so that one can go back to it.


_BLOCK = 64  # frames that are packed together: neighbours are so alike that a block takes little more than two of them
MOST_FRAMES = 36_000  # twenty minutes of the adventure, about ten megabytes


class Tape:
    """Frames by number, from 0 on; the oldest are let go when there are too many.

    >>> tape = Tape(most=100)
    >>> for number in range(300):
    ...     tape.add(str(number).encode())
    >>> tape.first, tape.last, tape.frame(250)
    (192, 299, b'250')
    """

    def __init__(self, most: int = MOST_FRAMES) -> None:
        self._packed: deque[bytes] = deque(maxlen=max(1, most // _BLOCK))
        self._packed_away = 0  # blocks that were let go
        self._open: list[bytes] = []
        self._unpacked: tuple[int, list[bytes]] | None = None  # the block that was looked at last

    @property
    def first(self) -> int:
        """Return the number of the oldest frame that is kept."""
        return self._packed_away * _BLOCK

    @property
    def last(self) -> int:
        """Return the number of the newest frame; -1 on an empty tape."""
        return (self._packed_away + len(self._packed)) * _BLOCK + len(self._open) - 1

    def add(self, frame: bytes) -> None:
        """Keep one more frame."""
        self._open.append(frame)
        if len(self._open) == _BLOCK:
            self._packed_away += len(self._packed) == self._packed.maxlen
            self._packed.append(zlib.compress(b"\0".join(self._open), 1))  # no JSON has a zero byte in it
            self._open = []

    def frame(self, number: int) -> bytes:
        """Return a frame; the nearest one that is kept, if it is not."""
        number = min(max(number, self.first), self.last)
        block, at = divmod(number, _BLOCK)
        kept = block - self._packed_away
        if kept == len(self._packed):
            return self._open[at]
        if self._unpacked is None or self._unpacked[0] != block:
            self._unpacked = block, zlib.decompress(self._packed[kept]).split(b"\0")
        return self._unpacked[1][at]


# --- history ----------------------------------------------------------------------------------------------------------
# The history of a game: what the timeline draws, kept where something changed.


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
