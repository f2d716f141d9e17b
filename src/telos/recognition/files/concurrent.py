"""Recogniser files of the kind ``concurrent``: another recogniser, whose goals are read each by itself.

recognizer: concurrent
of: flairs            # a built-in recogniser, or a file beside this one
"""

import os
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from telos.core.errors import TelosError
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import FileModel, text_type
from telos.recognition.concurrent import ConcurrentGoalModel

_Text: TypeAlias = Annotated[str, text_type("the name of a recogniser, or of its file")]


class ConcurrentShape(FileModel):
    """Schema of a recogniser whose goals do not exclude one another."""

    recognizer: Literal["concurrent"]
    """The kind of the file."""
    of: _Text = Field(examples=["flairs"])
    """The recogniser whose goals are read: ffbm, constant or iohmm; a built-in one, or a file beside this one."""
    about: _Text = Field(default="")
    """What the recogniser is for."""


def load_concurrent(path: str | os.PathLike[str]) -> ConcurrentGoalModel:
    """Read a file of this kind, and the recogniser that it names."""
    return _parse(read_text(path), os.fspath(path), Path(path).parent)


def parse_concurrent(text: str, *, name: str) -> ConcurrentGoalModel:
    """Read the text of a file of this kind; it can only name built-in recognisers, as no other file is read."""
    return _parse(text, name, None)


def _parse(text: str, file: str, folder: Path | None) -> ConcurrentGoalModel:
    from telos.recognition.ffbm import FFBM
    from telos.recognition.files.load import built_in_names, named_model
    from telos.recognition.iohmm import IOHMM

    definition = Definition(text, file, ConcurrentShape, "a concurrent recogniser")
    entries: Any = definition.model
    if entries is None or definition.faults:
        raise_faults(definition.faults)
    beside = None if folder is None else folder / entries.of
    is_file = beside is not None and beside.is_file()
    if folder is None and entries.of not in built_in_names():
        raise TelosError(f"{file}: {entries.of!r} is not a built-in recogniser", "no other file is read here")
    model = named_model(beside if is_file and beside is not None else entries.of)
    if not isinstance(model, FFBM | IOHMM):
        raise TelosError(
            f"{file}: {entries.of!r} has no chances of what is seen under each goal",
            "name a recogniser of the kind ffbm, constant or iohmm; in Markov logic, write goal(time, goal) without !",
        )
    return ConcurrentGoalModel(model, name=Path(file).stem)
