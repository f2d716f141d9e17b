"""Recordings: a whole game as what was held down, frame by frame; played again, it is the same to the last bit."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

from telos.core.errors import DefinitionError, Fault, TelosError
from telos.core.files.text import read_text
from telos.worlds.adventure.directions import read_keys

_VERSION = 1
_HEADER: dict[str, tuple[type, ...]] = {
    "rules": (str,),
    "seed": (int,),
    "directed": (bool,),
    "monsters": (int, type(None)),
    "player": (str,),
    "fingerprint": (str,),
}


@dataclass(frozen=True, slots=True)
class Recording:
    """How a game was set up, and its inputs: each with the number of frames that it was held for."""

    rules: str  # the name of a rule set, or the path of its file
    seed: int
    directed: bool = True
    monsters: int | None = None
    inputs: tuple[tuple[str, int], ...] = ()
    player: str = "player"
    fingerprint: str = ""  # of the rules; a recording does not replay under others

    @property
    def frames(self) -> int:
        """Return how long the game was."""
        return sum(frames for _, frames in self.inputs)

    def frame_inputs(self) -> Iterator[str]:
        """Yield the input of each frame."""
        for text, frames in self.inputs:
            for _ in range(frames):
                yield text


def run_lengths(inputs: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return inputs of single frames as runs of equal ones.

    >>> run_lengths(["up", "up", "", "up"])
    (('up', 2), ('', 1), ('up', 1))
    """
    runs: list[tuple[str, int]] = []
    for text in inputs:
        if runs and runs[-1][0] == text:
            runs[-1] = (text, runs[-1][1] + 1)
        else:
            runs.append((text, 1))
    return tuple(runs)


def write_recording(recording: Recording, path: str | os.PathLike[str]) -> None:
    """Write a recording as JSON Lines: how the game was set up, then a line for each input and its frames."""
    about = asdict(recording)
    inputs = about.pop("inputs")
    lines = [{"recording": _VERSION, **about, "frames": recording.frames}, *inputs]
    Path(path).write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def read_recording(path: str | os.PathLike[str]) -> Recording:
    """Read a recording; a corrupt file raises a ``DefinitionError`` that names the line and what is wrong in it."""
    name = os.fspath(path)
    lines = read_text(path).splitlines()
    if not lines:
        _refuse("the recording is empty", name, 1)
    header = _header(lines[0], name)
    inputs = tuple(_run(line, name, number) for number, line in enumerate(lines[1:], 2))
    found, frames = sum(held for _, held in inputs), header.pop("frames")
    if found != frames:
        _refuse(f"the recording has {found} frames and should have {frames}: lines are missing", name, len(lines))
    return Recording(**header, inputs=inputs)


def _header(line: str, name: str) -> dict[str, Any]:
    header = _json(line, name, 1)
    if not isinstance(header, dict) or header.get("recording") != _VERSION:
        _refuse(f'this is no recording: line 1 must be {{"recording": {_VERSION}, …}}', name, 1)
    for key, types in {**_HEADER, "frames": (int,)}.items():
        if key not in header:
            _refuse(f"{key!r} is missing", name, 1)
        if type(header[key]) not in types:
            _refuse(f"{key} cannot be {header[key]!r}", name, 1)
    return {key: header[key] for key in (*_HEADER, "frames")}


def _run(line: str, name: str, number: int) -> tuple[str, int]:
    match _json(line, name, number):
        case [str(text), int(frames)] if frames > 0 and not isinstance(frames, bool):
            try:
                read_keys(text)
            except TelosError as error:
                _refuse(str(error), name, number)
            return text, frames
    _refuse(f"{line[:40]!r} is no input with its frames", name, number, 'as in ["up+swing", 12]')


def _json(line: str, name: str, number: int) -> Any:
    try:
        return json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        _refuse(f"{line[:40]!r} is no JSON", name, number)


def _refuse(message: str, file: str, line: int, suggestion: str = "") -> NoReturn:
    raise DefinitionError([Fault(message, suggestion=suggestion, file=file, line=line, column=1)])
