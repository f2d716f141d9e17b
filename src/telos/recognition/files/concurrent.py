"""Recogniser files of the kind ``concurrent``: another recogniser, whose goals are read each by itself.

recognizer: concurrent
of: flairs            # a built-in recogniser, or a file beside this one
"""

import os
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from telos.core.errors import FaultCode, name_hint
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import FileModel, text_type
from telos.recognition.concurrent import ConcurrentGoalModel
from telos.recognition.ffbm import FFBM
from telos.recognition.files.load import built_in_file, built_in_names, is_file, is_of_kind, named_model
from telos.recognition.iohmm import IOHMM

CONCURRENT = "concurrent"
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
    definition = Definition(text, file, ConcurrentShape, "a concurrent recogniser")
    source = _find_source(definition, folder)
    if source is None or is_of_kind(source, CONCURRENT):
        if source is not None:
            message = f"{definition.entry('of')!r} is itself of the kind `concurrent`"
            definition.fault(message, ("of",), "name the recogniser that it is of", code=FaultCode.CONFLICT)
        raise_faults(definition.faults)
    model = named_model(source)
    if not isinstance(model, FFBM | IOHMM):
        message = f"{definition.entry('of')!r} has no chances of what is seen under each goal"
        remedy = (
            "name a recogniser of the kind ffbm, constant or iohmm; in Markov logic, write goal(time, goal) without !"
        )
        definition.fault(message, ("of",), remedy, code=FaultCode.CONFLICT)
    elif len(model.goals) < 2:
        message = f"{definition.entry('of')!r} has one goal, and no others to compare it with"
        definition.fault(message, ("of",), "name a recogniser of two goals or more", code=FaultCode.CONFLICT)
    else:
        return ConcurrentGoalModel(model, name=Path(file).stem, source=source)
    raise_faults(definition.faults)


def _find_source(definition: Definition[ConcurrentShape], folder: Path | None) -> str | None:
    """Return the file of the recogniser that is named; None, after a fault, if there is none."""
    if definition.model is None or definition.faults:
        return None
    named = definition.model.of
    if folder is not None and is_file(folder / named):
        return str(folder / named)
    built_in = built_in_file(named)
    if built_in is None:
        beside = "no other file is read here" if folder is None else "no file beside this one has that name"
        hint = name_hint(named, built_in_names())
        message = f"{named!r} is not a built-in recogniser, and {beside}"
        definition.fault(message, ("of",), hint, code=FaultCode.UNKNOWN_NAME)
    return built_in
