"""Logs of games: how one was begun, and all that came from outside since. Played again, everything is as it was."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeAlias

from telos.core.errors import DefinitionError, Fault, FaultCode
from telos.studio.stage import Inputs

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
