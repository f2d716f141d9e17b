"""Recordings of attached games: JSON Lines with a header, a line for each trace, and an end that counts them.

A recording that was cut short has no end, and is refused. It is written while the game runs, and is there when the
studio ends.
"""

import threading
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, NoReturn

import msgspec
from msgspec import Struct

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError
from telos.files import check_output, open_input, open_output
from telos.studio.attached.source import TraceSource
from telos.traces import MAX_TRACE_BYTES, GameTrace, decode_traces, encode_trace

KIND, VERSION = "telos traces", 1
MAX_RECORDING_BYTES = 512 * 2**20
MAX_RECORDING_TRACES = 200_000
MIN_RATE, MAX_RATE = 1.0, 30.0  # of traces a second, at which a recording is played
_MAX_LINE = MAX_TRACE_BYTES + 1


class RecordingHeader(Struct, forbid_unknown_fields=True):
    """The first line: what the file is."""

    recording: str
    version: int
    game: str


class RecordingEnd(Struct, forbid_unknown_fields=True):
    """The last line: how many traces there must be."""

    end: str
    traces: int


class TraceRecorder:
    """Writes the traces of a game into a file, which is there when it is closed."""

    def __init__(self, path: Path) -> None:
        check_output(path)
        self.path, self._count, self._size = path, 0, 0
        self._stack, self._lock = ExitStack(), threading.Lock()
        self._file: IO[bytes] | None = self._stack.enter_context(open_output(path, binary=True))

    @property
    def is_full(self) -> bool:
        """Whether no more is written, because the file would be too large to be opened again."""
        return self._size >= MAX_RECORDING_BYTES - 2 * _MAX_LINE or self._count >= MAX_RECORDING_TRACES

    def write(self, trace: GameTrace) -> None:
        """Add a trace."""
        with self._lock:
            if self._file is None or self.is_full:
                return
            if not self._count:
                self._put(RecordingHeader(KIND, VERSION, trace.game))
            self._put(trace)
            self._count += 1

    def _put(self, line: Struct) -> None:
        assert self._file is not None
        self._size += self._file.write(encode_trace(line) + b"\n")

    def close(self) -> int:
        """Finish the file; return the number of traces in it."""
        with self._lock:
            if self._file is not None:
                if not self._count:
                    self._put(RecordingHeader(KIND, VERSION, "game"))
                self._put(RecordingEnd(KIND, self._count))
                self._file = None
                self._stack.close()
            return self._count


def format_recording(traces: list[GameTrace]) -> bytes:
    """Return traces as the content of a recording."""
    header = RecordingHeader(KIND, VERSION, traces[0].game if traces else "game")
    lines: list[Struct] = [header, *traces, RecordingEnd(KIND, len(traces))]
    return b"".join(encode_trace(line) + b"\n" for line in lines)


class RecordedSource(TraceSource):
    """The traces of a recording, all there from the beginning."""

    def __init__(self, title: str, traces: list[GameTrace]) -> None:
        super().__init__(title)
        self._entries = [encode_trace(trace) for trace in traces]
        self._times = [trace.time for trace in traces if trace.time is not None]

    @property
    def start_time(self) -> float:
        """The time of its first trace."""
        return self._times[0] if self._times else 0.0

    @property
    def length(self) -> float:
        """How much of the game's time it shows."""
        return max(self._times, default=0.0) - self.start_time

    @property
    def rate(self) -> float:
        """Traces a second of the game, at which it is played."""
        times = self._times
        passed = max(times, default=0.0) - min(times, default=0.0)
        return min(MAX_RATE, max(MIN_RATE, len(times) / passed if passed > 0 else MAX_RATE))

    def add(self, entry: Any) -> None:
        raise TelosError("a recording does not grow")


def load_recording(path: Path) -> RecordedSource:
    """Read a recording; one that is damaged or cut short is refused with the line of the fault."""
    name, traces, size = str(path), list[GameTrace](), 0
    with open_input(path) as file:
        header = _read_header(file.readline(_MAX_LINE), name)
        number, end = 1, None
        while line := file.readline(_MAX_LINE):
            number, size = number + 1, size + len(line)
            if end is not None:
                _refuse(name, number, "there is something after the end")
            if size > MAX_RECORDING_BYTES or len(traces) > MAX_RECORDING_TRACES:
                _refuse(name, number, f"a recording has at most {MAX_RECORDING_TRACES:,} traces")
            end = _read_end(line)
            if end is None:
                traces.append(_read_trace(line, name, number))
    if end is None or end.traces != len(traces):
        _refuse(name, number, "the recording is cut short: its last line does not count its traces")
    return RecordedSource(f"{header.game} ({path.stem})", traces)


def is_recording(path: Path) -> bool:
    """Return whether a file looks like a recording of an attached game."""
    with open_input(path) as file:
        return KIND.encode() in file.readline(300)


def _read_header(line: bytes, name: str) -> RecordingHeader:
    try:
        header = msgspec.json.decode(line, type=RecordingHeader)
    except (msgspec.DecodeError, ValueError, RecursionError):
        _refuse(name, 1, "the first line is not the header of a recorded game")
    if (header.recording, header.version) != (KIND, VERSION):
        _refuse(name, 1, f"the file is {header.recording!r} version {header.version}, not {KIND!r} version {VERSION}")
    return header


def _read_end(line: bytes) -> RecordingEnd | None:
    if not line.startswith(b'{"end":"'):
        return None
    try:
        return msgspec.json.decode(line, type=RecordingEnd)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def _read_trace(line: bytes, name: str, number: int) -> GameTrace:
    try:
        (trace,) = decode_traces(line)
    except (TelosError, ValueError) as error:
        _refuse(name, number, getattr(error, "message", "") or str(error))
    return trace


def _refuse(name: str, line: int, message: str) -> NoReturn:
    fault = Fault(message, suggestion="record it again", file=name, line=line, column=1, code=FaultCode.UNREADABLE)
    raise DefinitionError([fault])
