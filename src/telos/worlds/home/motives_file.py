"""The motives of a household as a file: `parse_motives` reads it, ``motives.yaml`` holds those of the package."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.errors import FaultCode, name_hint
from telos.core.goal import Goal
from telos.core.values import FrozenMap
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import FieldType, FileModel, NonNegativeNumber
from telos.worlds.home.house import MOTIVES, rise_beyond

FILE = Path(__file__).parent / "data" / "motives.yaml"
_NAMES = tuple(motive.name for motive in MOTIVES)
_MAX_POWER = 4


def _is_power(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MAX_POWER


_Power: TypeAlias = Annotated[
    int,
    FieldType(
        f"a whole number from 1 to {_MAX_POWER}", _is_power, {"type": "integer", "minimum": 1, "maximum": _MAX_POWER}
    ),
]


class MotiveShape(FileModel):
    """Schema of one motive."""

    hourly: NonNegativeNumber = Field(examples=["0.8"])
    """How much the level grows in an hour."""
    comfort: NonNegativeNumber = 0.0
    """Up to this level it is not felt."""
    power: _Power = 2
    """The curve above `comfort`: discontentment rises as this power of the excess."""
    weight: NonNegativeNumber = 1.0
    """How much the motive counts beside others."""
    night: NonNegativeNumber | None = None
    """How much it grows in an hour at night, if that differs."""


class MotivesShape(FileModel):
    """Schema of a file of motives."""

    urgent: NonNegativeNumber = 8.0
    """From this level on, a motive interrupts what a person is doing."""
    motives: dict[str, MotiveShape] = Field(examples=["{hunger: {hourly: 0.8}, …}"])
    """The motives, by name."""


@dataclass(frozen=True, slots=True)
class MotiveTable:
    """The motives of a household, the growth of some by night in an hour, and the level that interrupts."""

    motives: tuple[Goal, ...]
    nightly: Mapping[str, float]
    urgent: float


def read_motives(path: str | os.PathLike[str]) -> MotiveTable:
    """Read a file of motives."""
    return parse_motives(read_text(path), file=os.fspath(path))


def parse_motives(text: str, *, file: str = "<text>") -> MotiveTable:
    """Parse the text of a file of motives; a ``DefinitionError`` holds all its faults.

    >>> table = parse_motives(load_motives_text())
    >>> table.motives[0].name, table.nightly, table.urgent
    ('hunger', {'sleep': 1.4}, 8.0)
    """
    definition = Definition(text, file, MotivesShape, "a file of motives")
    if definition.model is None:
        raise_faults(definition.faults)
    written = definition.model.motives
    for name in written:
        if name not in _NAMES:
            message = f"there is no motive {name!r} in the house"
            definition.fault(
                message, ("motives", name), name_hint(name, _NAMES), at_key=True, code=FaultCode.UNKNOWN_NAME
            )
    missing = [] if definition.is_touched("motives") else [name for name in _NAMES if name not in written]
    if missing:
        message, remedy = f"the motive {missing[0]!r} is missing", f"the house has {', '.join(_NAMES)}"
        definition.fault(message, ("motives",), remedy, at_key=True, code=FaultCode.MISSING_KEY)
    definition.raise_if_faulty()
    motives = tuple(_to_goal(name, written[name]) for name in _NAMES)
    nightly = {name: float(each.night) for name, each in written.items() if each.night is not None}
    return MotiveTable(motives, FrozenMap(nightly), float(definition.model.urgent))


def _to_goal(name: str, written: MotiveShape) -> Goal:
    curve = rise_beyond(float(written.comfort), power=written.power)
    return Goal(name, drift=float(written.hourly) / 60, curve=curve, weight=float(written.weight))


@cache
def load_motives_text() -> str:
    """Return the file that comes with the package."""
    return read_text(FILE)
