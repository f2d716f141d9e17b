"""What the studio keeps of a game: its log on disk, its frames, and the history that the timeline draws.

`GameLog` is the replayable record (settings and inputs), `FrameBuffer` the frames that were shown, `History` the
curves. `build_frame` turns a stage into the data of one frame.
"""

import json
import zlib
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, TypeAlias

import orjson

from telos.core.belief import Belief
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError
from telos.files import parse_json
from telos.studio.result import BeliefMoment
from telos.studio.stage import KIND_CUES, Happening, Inputs, PlayerChoice, Stage

# Limits of an uploaded log.
MAX_BYTES = 4 * 2**20
MAX_STEPS = 1_000_000
MAX_SEED = 10**15  # the largest that fits an address
MAX_LINES = 100_000  # hours of changing keys; parsing more would block other games
MAX_MODELS = 200  # applied models: each one is run on all earlier events
_MAX_TEXT = 256 * 1024
_MAX_HELD, _MAX_COMMANDS, _MAX_COMMAND = 200, 100, 500  # of one step: characters, commands, characters of a command

MAX_FRAMES = 36_000  # that are kept: twenty minutes of the adventure, about ten megabytes
_BLOCK = 64  # frames that are compressed together: a block takes little more space than two of them
_MAX_POINTS = 4_000  # of the history; then every second one is dropped, as a screen cannot show more
_MAX_SENT = 2_000

_WHOLE_EVERY = 300  # frames; a page that has missed one is right again then
_ALWAYS_SENT = ("is", "n", "live", "happened")  # with each frame

_KIND = "telos studio game"
_VERSION = 1

Values = Mapping[str, Mapping[str, float]]


# --- log --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AppliedModel:
    """A log entry: a model was applied."""

    name: str
    text: str


LogEntry: TypeAlias = Inputs | AppliedModel


@dataclass(slots=True)
class GameLog:
    """How to replay a game: world, seed, settings, runs of equal inputs, and the models applied between them."""

    world: str
    seed: int
    settings: Mapping[str, str]
    runs: list[tuple[LogEntry, int]] = field(default_factory=list)
    steps: int = 0

    def add(self, entry: LogEntry) -> None:
        """Add the inputs of a step, or a model that was applied before the next step."""
        if isinstance(entry, Inputs):
            self.steps += 1
            if self.runs and self.runs[-1][0] == entry and not entry.asked:
                self.runs[-1] = entry, self.runs[-1][1] + 1
                return
        self.runs.append((entry, 1))

    @property
    def models(self) -> int:
        """The number of applied models."""
        return sum(isinstance(entry, AppliedModel) for entry, _ in self.runs)

    def entries(self) -> Iterator[LogEntry]:
        """Yield all entries in order, one per step."""
        for entry, times in self.runs:
            for _ in range(times):
                yield entry

    def to_bytes(self) -> bytes:
        """Return the log as JSON Lines: a header, then a line for each run.

        The header counts steps and lines, so that a log that was cut off is recognised.
        """
        header = {"recording": _KIND, "version": _VERSION, "world": self.world, "seed": self.seed}
        counts = {"steps": self.steps, "lines": len(self.runs)}
        lines: list[Any] = [{**header, "settings": dict(self.settings), **counts}]
        for entry, times in self.runs:
            if isinstance(entry, AppliedModel):
                lines.append({"model": entry.name, "text": entry.text})
            else:
                lines.append([entry.held, list(entry.asked), times])
        return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def parse_seed(text: str) -> int:
    """Return a seed that was typed, or raise with what a seed is.

    >>> parse_seed(" 12 ")
    12
    """
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal() and len(digits.lstrip("0")) < len(str(MAX_SEED))):
        said = f"not {digits[:40]!r}" if digits else "and none is given"
        raise TelosError(f"a seed is a whole number from 0 to {MAX_SEED - 1}, {said}", "the dice rolls one")
    return int(digits)


def is_game_log(data: bytes) -> bool:
    """Return whether the data looks like a log of the studio rather than another kind of recording."""
    return _KIND.encode() in data[:200]


def parse_game_log(data: bytes, *, name: str = "log") -> GameLog:
    """Parse an uploaded log, or raise with the line of the first fault."""
    if len(data) > MAX_BYTES:
        _refuse(name, 1, f"the file has {len(data)} bytes; a log has at most {MAX_BYTES}")
    if data.count(b"\n") > MAX_LINES:
        _refuse(name, MAX_LINES, f"a log has at most {MAX_LINES} lines")
    try:
        lines = data.decode().removesuffix("\n").split("\n")  # not splitlines: texts may contain other line separators
    except UnicodeDecodeError:
        _refuse(name, 1, "the file is not UTF-8 text")
    header = _parse_line(lines[0], name, 1)
    log = _parse_header(header, name)
    models = 0
    for number, text in enumerate(lines[1:], 2):
        entry, times = _parse_entry(_parse_line(text, name, number), name, number)
        log.runs.append((entry, times))
        log.steps += times if isinstance(entry, Inputs) else 0
        models += isinstance(entry, AppliedModel)
        if models > MAX_MODELS:
            _refuse(name, number, f"the log applies more than {MAX_MODELS} models")
        if log.steps > MAX_STEPS:
            _refuse(name, number, f"a log has at most {MAX_STEPS} steps")
    for what, found in (("lines", len(log.runs)), ("steps", log.steps)):
        if header.get(what, found) != found:  # older logs lack a count
            message = f"the log ends too early: it has {found} of the {header[what]} {what} that its header counts"
            _refuse(name, len(lines), message)
    return log


def _parse_line(text: str, name: str, number: int) -> Any:
    try:
        found = parse_json(text)
        json.dumps(found, ensure_ascii=False).encode()  # raises for an unpaired surrogate, which could not be saved
        return found
    except (ValueError, RecursionError):
        _refuse(name, number, "the line is not valid JSON; is it truncated?")


def _parse_header(header: Any, name: str) -> GameLog:
    wanted = {"recording": str, "version": int, "world": str, "seed": int, "settings": dict}
    counts = {key: int for key in ("steps", "lines") if isinstance(header, dict) and key in header}
    if not isinstance(header, dict) or any(
        type(header.get(key)) is not kind for key, kind in (wanted | counts).items()
    ):
        _refuse(name, 1, "the first line is not the header of a studio game")
    if header["recording"] != _KIND or header["version"] != _VERSION:
        _refuse(
            name,
            1,
            f"the file is {header['recording']!r} version {header['version']}, not {_KIND!r} version {_VERSION}",
        )
    if not 0 <= header["seed"] < MAX_SEED:
        _refuse(name, 1, f"the seed must be from 0 to {MAX_SEED - 1}, got {header['seed']}")
    settings = {str(key): str(value) for key, value in header["settings"].items()}
    return GameLog(header["world"], header["seed"], settings)


def _parse_entry(line: Any, name: str, number: int) -> tuple[LogEntry, int]:
    match line:
        case [str(held), list(asked), int(times)] if type(times) is int and 1 <= times <= MAX_STEPS:
            is_short = len(held) <= _MAX_HELD and len(asked) <= _MAX_COMMANDS
            if not is_short or not all(type(each) is str and len(each) <= _MAX_COMMAND for each in asked):
                _refuse(name, number, "the inputs are longer than those of one step")
            return Inputs(held, tuple(asked)), times if not asked else 1
        case {"model": str(model), "text": str(text)} if len(text) <= _MAX_TEXT:
            return AppliedModel(model, text), 1
        case _:
            _refuse(name, number, "a line must be `[held, [asked, …], steps]`, or a model and its text")


def _refuse(name: str, line: int, message: str) -> NoReturn:
    fault = Fault(
        message, suggestion="download one from the studio", file=name, line=line, column=1, code=FaultCode.UNREADABLE
    )
    raise DefinitionError([fault])


# --- frames -----------------------------------------------------------------------------------------------------------


class TimelineEntry(NamedTuple):
    """A happening with its number and the first frame that shows it."""

    number: int
    frame: int
    happening: Happening

    def to_mark(self) -> list[Any]:
        """Return the data of its mark on the timeline."""
        happening = self.happening
        return [self.number, self.frame, round(happening.time, 3), happening.kind, happening.who, happening.label]


def build_frame(
    stage: Stage, number: int, beliefs: Mapping[str, Belief], entries: Iterable[TimelineEntry]
) -> dict[str, Any]:
    """Return the data of one frame; its backdrop is given by key."""
    hud = stage.hud()
    return {
        "is": "frame", "n": number, "t": round(stage.time, 3), "key": stage.backdrop()[0], "pic": stage.picture(),
        "hud": {
            "task": hud.task, "message": hud.message, "banner": hud.banner, "counts": hud.counts, "clock": hud.clock,
            "over": hud.over,
        },
        "beliefs": {name: round_belief(belief) for name, belief in beliefs.items()},
        "truth": stage.truth, "bands": dict(stage.bands()), "curves": _round_curves(stage),
        "happened": to_marks(entries), "live": True, **_to_offers(stage),
    }  # fmt: skip


def _to_offers(stage: Stage) -> dict[str, Any]:
    """Return what the player may click and choose, if the stage is played so."""
    targets = [
        [each.name, each.title, round(each.x, 1), round(each.y, 1), each.radius, _to_pairs(each.choices)]
        for each in stage.targets()
    ]
    choices = _to_pairs(stage.choices())
    return {"targets": targets, "choices": choices} if targets or choices else {}


def _to_pairs(choices: Iterable[PlayerChoice]) -> list[list[str]]:
    return [[each.title, each.command] for each in choices]


def frame_difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a page needs to make the frame ``after`` from ``before``, which it has; it is a frame itself.

    ``base`` names the frame before. Parts that are equal are left out, and of the picture all things that are equal:
    ``moved`` has the others with their places in it.

    >>> before = {"is": "frame", "n": 1, "pic": [["a", 1], ["b", 1]], "hud": {}, "happened": []}
    >>> frame_difference(before, {**before, "n": 2, "pic": [["a", 1], ["b", 2]]})
    {'is': 'frame', 'n': 2, 'happened': [], 'base': 1, 'moved': [[1, ['b', 2]]]}
    >>> frame_difference(before, {"is": "frame", "n": 2, "pic": [], "happened": []})
    {'is': 'frame', 'n': 2, 'pic': [], 'happened': []}
    """
    if before.keys() != after.keys() or before["n"] // _WHOLE_EVERY != after["n"] // _WHOLE_EVERY:
        return dict(after)
    changed = {key: value for key, value in after.items() if key in _ALWAYS_SENT or value != before[key]}
    changed["base"] = before["n"]
    if "pic" in changed and len(before["pic"]) == len(after["pic"]):
        pairs = enumerate(zip(before["pic"], changed.pop("pic"), strict=True))
        changed["moved"] = [[at, new] for at, (old, new) in pairs if old != new]
    return changed


def to_marks(entries: Iterable[TimelineEntry]) -> list[list[Any]]:
    """Return the timeline marks of all happenings that have a label; changes of plans are only in the log."""
    return [each.to_mark() for each in entries if each.happening.label and each.happening.kind != "plan"]


def to_cues(entries: Iterable[TimelineEntry]) -> list[str]:
    """Return what is heard and felt of happenings, each cue once."""
    cues = (each.happening.cue or KIND_CUES.get(each.happening.kind, "") for each in entries)
    return list(dict.fromkeys(filter(None, cues)))


def round_belief(belief: Belief) -> dict[str, float]:
    """Return a belief with the precision at which it is drawn."""
    return {goal: round(chance, 4) for goal, chance in belief.items()}


def to_json(data: dict[str, Any]) -> bytes:
    return orjson.dumps(data, default=_to_plain)


def _round_curves(stage: Stage) -> dict[str, dict[str, float]]:
    return {group: {name: round(value, 3) for name, value in each.items()} for group, each in stage.curves().items()}


def _to_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


class FrameBuffer:
    """Compressed frames by number, from 0 on; the oldest are dropped when there are too many.

    >>> frames = FrameBuffer(size=100)
    >>> for number in range(300):
    ...     frames.add(str(number).encode())
    >>> frames.first, frames.last, frames.frame(250)
    (192, 299, b'250')
    """

    def __init__(self, size: int = MAX_FRAMES) -> None:
        self._packed: deque[bytes] = deque(maxlen=max(1, size // _BLOCK))
        self._dropped = 0  # blocks
        self._open: list[bytes] = []
        self._unpacked: tuple[int, list[bytes]] | None = None  # the block that was read last, and its number

    @property
    def first(self) -> int:
        """The number of the oldest frame that is kept."""
        return self._dropped * _BLOCK

    @property
    def last(self) -> int:
        """The number of the newest frame; -1 if there is none."""
        return (self._dropped + len(self._packed)) * _BLOCK + len(self._open) - 1

    def add(self, frame: bytes) -> None:
        """Append a frame."""
        self._open.append(frame)
        if len(self._open) == _BLOCK:
            self._dropped += len(self._packed) == self._packed.maxlen
            self._packed.append(zlib.compress(b"\0".join(self._open), 1))  # JSON contains no zero byte
            self._open = []

    def frame(self, number: int) -> bytes:
        """Return a frame, or the nearest one that is still kept."""
        number = min(max(number, self.first), self.last)
        block, at = divmod(number, _BLOCK)
        kept = block - self._dropped
        if kept == len(self._packed):
            return self._open[at]
        if self._unpacked is None or self._unpacked[0] != block:
            self._unpacked = block, zlib.decompress(self._packed[kept]).split(b"\0")
        return self._unpacked[1][at]


# --- history ----------------------------------------------------------------------------------------------------------


class HistoryPoint(NamedTuple):
    """Beliefs and curves at one frame."""

    frame: int
    time: float
    beliefs: Values
    curves: Values


class BeliefChange(NamedTuple):
    """The belief of one recogniser from a frame on."""

    frame: int
    time: float
    belief: Mapping[str, float]


class BandChange(NamedTuple):
    """A row of the timeline that has another label than at the frame before."""

    row: str
    before: str
    after: str


class History:
    """The curves at the frames where they changed, and the frames at which the truth and the bands changed.

    ``thrashing`` has the frames from which on each row thrashes, with its two goals, or does so no more (``""``).
    """

    def __init__(self) -> None:
        self._points: list[HistoryPoint] = []
        self._truth: list[tuple[int, str | None]] = []
        self.bands: dict[str, list[tuple[int, str]]] = {}
        self.thrashing: dict[str, list[tuple[int, str]]] = {}

    def add(self, point: HistoryPoint, truth: str | None, bands: Mapping[str, str]) -> list[BandChange]:
        """Add what has changed at this frame; return the changes of bands."""
        last = self._points[-1] if self._points else None
        if last is None or (last.beliefs, last.curves) != (point.beliefs, point.curves):
            self._points.append(point)
        self._points = _thin(self._points)
        if not self._truth or self._truth[-1][1] != truth:
            self._truth.append((point.frame, truth))
        changed = []
        for row in {**self.bands, **bands}:
            before, after = _extend(self.bands.setdefault(row, []), point.frame, bands.get(row, ""))
            if before != after:
                changed.append(BandChange(row, before, after))
        return changed

    def mark_thrashing(self, row: str, frame: int, goals: str) -> bool:
        """Note between which goals a row thrashes from a frame on (empty: it does not); return whether that is new."""
        marks = self.thrashing.get(row) or [(0, "")]
        before, after = _extend(marks, frame, goals)
        if before != after:
            self.thrashing[row] = marks
        return before != after

    def recompute(self, reader: str, first: Mapping[str, float], beliefs: Sequence[BeliefChange]) -> None:
        """Replace the curve of a recogniser by that of a new model: its first belief, then its changes.

        The new model may change its belief where the old one did not, so this may add points.
        """
        points: list[HistoryPoint] = []
        held, changes = first, deque(beliefs)
        for point in self._points:
            while changes and changes[0].frame <= point.frame:
                change = changes.popleft()
                if change.frame < point.frame and change.belief != held:
                    points.append(_point_at(points[-1], change, reader))
                held = change.belief
            points.append(point._replace(beliefs={**point.beliefs, reader: held}))
        for change in changes:
            if change.belief != points[-1].beliefs[reader]:
                points.append(_point_at(points[-1], change, reader))
        self._points = _thin(points)

    def moments(self, reader: str) -> list[BeliefMoment]:
        """Return what a recogniser believed at each change, and the true goal then."""
        return [
            BeliefMoment(point.frame, point.time, point.beliefs[reader], self._truth_at(point.frame))
            for point in self._points
        ]

    def _truth_at(self, frame: int) -> str | None:
        at = bisect_right(self._truth, frame, key=lambda entry: entry[0])
        return self._truth[max(0, at - 1)][1] if self._truth else None

    def beliefs_at(self, frame: int) -> Values:
        """Return the beliefs of the current models at a frame."""
        at = bisect_right(self._points, frame, key=lambda point: point.frame)
        return self._points[max(0, at - 1)].beliefs

    def to_message(self) -> dict[str, Any]:
        """Return the history as plain data."""
        every = -(-len(self._points) // _MAX_SENT) or 1
        points = self._points[::every]
        if points and points[-1] is not self._points[-1]:
            points.append(self._points[-1])
        return {
            "n": [point.frame for point in points],
            "t": [round(point.time, 3) for point in points],
            "beliefs": _to_columns([point.beliefs for point in points]),
            "curves": _to_columns([point.curves for point in points]),
            "truth": self._truth,
            "bands": self.bands,
            "thrashing": self.thrashing,
        }


def _extend(row: list[tuple[int, str]], frame: int, label: str) -> tuple[str, str]:
    """Add a label to a row if it differs from the last one; return both (the first label differs from none)."""
    before = row[-1][1] if row else label
    if not row or before != label:
        row.append((frame, label))
    return before, label


def _point_at(before: HistoryPoint, change: BeliefChange, reader: str) -> HistoryPoint:
    """Return a point that differs from the one before in the belief of one recogniser."""
    beliefs = {**before.beliefs, reader: change.belief}
    return HistoryPoint(change.frame, max(change.time, before.time), beliefs, before.curves)


def _thin(points: list[HistoryPoint]) -> list[HistoryPoint]:
    """Return at most the maximum number of points: drop every second one until they fit, but keep both ends."""
    while len(points) > _MAX_POINTS:
        points = points[::2] if len(points) % 2 else [*points[::2], points[-1]]
    return points


def _to_columns(rows: list[Values]) -> dict[str, dict[str, list[float | None]]]:
    """Turn rows of grouped values into one list per value; None where a row lacks it."""
    names: dict[str, dict[str, None]] = {}
    for row in rows:
        for group, values in row.items():
            names.setdefault(group, {}).update(dict.fromkeys(values))
    return {
        group: {key: [row.get(group, {}).get(key) for row in rows] for key in keys} for group, keys in names.items()
    }
