"""Recordings: a game as the inputs of its frames, in JSON Lines; replayed, it is the same to the last bit."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError
from telos.files.reading import normalize_line_ends, parse_json, read_text
from telos.files.writing import write_text
from telos.recognition.files.load import loads_model
from telos.worlds.adventure.map import parse_keys

_PLAIN, _WITH_MODELS = 1, 2  # versions: a game with recogniser models needs the second
MAX_FRAMES = 10**8  # that one input is held: a month
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
    """The settings of a game and its inputs, each with the number of frames it was held."""

    rules: str  # the name of a rule set, or the path of its file
    seed: int
    directed: bool = True
    monsters: int | None = None
    inputs: tuple[tuple[str, int], ...] = ()
    player: str = "player"
    fingerprint: str = ""  # of the rules; a recording does not replay under others
    simulated: bool = False  # whether a simulated player played; studies of people exclude such games
    models: tuple[tuple[int, str], ...] = ()  # texts of recogniser files and the frames from which they were used

    @property
    def frames(self) -> int:
        return sum(frames for _, frames in self.inputs)

    def frame_inputs(self) -> Iterator[str]:
        """Yield the input of each frame."""
        for text, frames in self.inputs:
            for _ in range(frames):
                yield text


def run_lengths(inputs: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Return the inputs of single frames as runs of equal ones.

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
    """Write a recording to a file, whole or not at all; see ``recording_text``."""
    write_text(path, recording_text(recording))


def recording_text(recording: Recording) -> str:
    r"""Return a recording as JSON Lines: the settings, then a line for each input and its frames.

    A line with the text of a model stands between the inputs where it was applied.

    >>> game = Recording("wilds", 7, inputs=(("up", 3),), models=((1, "recognizer: fsm"),))
    >>> recording_text(game).splitlines()[1:]
    ['["up", 1]', '{"model": "recognizer: fsm"}', '["up", 2]']
    """
    about = asdict(recording)
    del about["inputs"], about["models"]
    if not recording.simulated:
        del about["simulated"]
    version = _WITH_MODELS if recording.models else _PLAIN
    counts = {"frames": recording.frames, **({"models": len(recording.models)} if recording.models else {})}
    lines = [{"recording": version, **about, **counts}, *_lines(recording)]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def _lines(recording: Recording) -> Iterator[Any]:
    """Yield inputs and models in chronological order."""
    frame, models = 0, list(recording.models)
    for text, frames in recording.inputs:
        end = frame + frames
        while models and models[0][0] < end:
            at, model = models.pop(0)
            if at > frame:
                yield [text, at - frame]
            frame = max(frame, at)
            yield {"model": model}
        yield [text, end - frame]
        frame = end
    for _, model in models:
        yield {"model": model}


def read_recording(path: str | os.PathLike[str]) -> Recording:
    """Read a recording; a corrupt file raises a ``DefinitionError`` that names the line and the fault."""
    return loads_recording(read_text(path), name=os.fspath(path))


def loads_recording(text: str, *, name: str = "recording") -> Recording:
    """Parse a recording; ``name`` stands for the file in faults."""
    lines = normalize_line_ends(text).removesuffix("\n").split("\n")
    if lines == [""]:
        _refuse("the recording is empty", name, 1)
    header = _header(lines[0], name)
    inputs, models = _contents(lines, name, may_have_models=header.pop("recording") == _WITH_MODELS)
    found, frames = sum(held for _, held in inputs), header.pop("frames")
    if found != frames:
        _refuse(f"the recording has {found} frames and should have {frames}: lines are missing", name, len(lines))
    if (count := header.pop("models")) is not None and len(models) != count:
        _refuse(f"the recording has {len(models)} models and should have {count}: lines are missing", name, len(lines))
    return Recording(**header, inputs=inputs, models=models)


def _contents(
    lines: Sequence[str], name: str, *, may_have_models: bool
) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[int, str], ...]]:
    inputs: list[tuple[str, int]] = []
    models: list[tuple[int, str]] = []
    frames, was_model = 0, False
    for number, line in enumerate(lines[1:], 2):
        model = _model(line, name, number) if may_have_models else None
        if model is not None:
            models.append((frames, model))
            was_model = True
            continue
        text, held = _run(line, name, number)
        if was_model and inputs and inputs[-1][0] == text:  # the model line had split a run
            inputs[-1] = (text, inputs[-1][1] + held)
        else:
            inputs.append((text, held))
        frames, was_model = frames + held, False
    return tuple(inputs), tuple(models)


def _model(line: str, name: str, number: int) -> str | None:
    """Return the model in a line, if it holds one."""
    said = _json(line, name, number)
    if not isinstance(said, dict) or "model" not in said:
        return None
    text = said["model"]
    if not isinstance(text, str) or len(said) > 1:
        _refuse(f"{line[:40]!r} is not a model", name, number, 'as in {"model": "recognizer: …"}')
    try:
        loads_model(text, name="model")
    except TelosError as error:
        _refuse(f"the model in this line is faulty: {str(error).splitlines()[0]}", name, number)
    return text


def _header(line: str, name: str) -> dict[str, Any]:
    header = _json(line, name, 1)
    version = header.get("recording") if isinstance(header, dict) else None
    if type(version) is not int or version not in (_PLAIN, _WITH_MODELS):
        _refuse(f'this is not a recording: line 1 must be {{"recording": {_PLAIN}, …}}', name, 1)
    for key, types in {**_HEADER, "frames": (int,)}.items():
        if key not in header:
            _refuse(f"{key!r} is missing", name, 1)
        if type(header[key]) not in types:
            _refuse(f"{key} cannot be {header[key]!r}", name, 1)
        if isinstance(header[key], str) and any("\ud800" <= sign <= "\udfff" for sign in header[key]):
            _refuse(f"{key} is not valid text: {header[key]!r}", name, 1)
    if type(header.setdefault("simulated", False)) is not bool:
        _refuse(f"simulated cannot be {header['simulated']!r}", name, 1)
    if type(header.setdefault("models", None)) not in (int, type(None)):  # older recordings do not count them
        _refuse(f"models cannot be {header['models']!r}", name, 1)
    return {key: header[key] for key in ("recording", *_HEADER, "simulated", "frames", "models")}


def _run(line: str, name: str, number: int) -> tuple[str, int]:
    match _json(line, name, number):
        case [str(text), int(frames)] if 0 < frames <= MAX_FRAMES and not isinstance(frames, bool):
            try:
                parse_keys(text)
            except TelosError as error:
                _refuse(str(error), name, number)
            return text, frames
    _refuse(f"{line[:40]!r} is not an input with its frames", name, number, 'as in ["up+swing", 12]')


def _json(line: str, name: str, number: int) -> Any:
    try:
        return parse_json(line)
    except TelosError as error:
        _refuse(f"{line[:40]!r} is not JSON: {error.message}", name, number)


def _refuse(message: str, file: str, line: int, suggestion: str = "") -> NoReturn:
    raise DefinitionError(
        [Fault(message, suggestion=suggestion, file=file, line=line, column=1, code=FaultCode.UNREADABLE)]
    )
