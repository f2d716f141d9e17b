"""The file of players: styles, traits, memory and what stirs a wish, read and checked."""

import math
import os
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.errors import FaultCode, Path, name_hint
from telos.core.files.leaves import Leaf, Number, PositiveNumber
from telos.core.files.models import FileShape, name_leaf, text_leaf
from telos.core.files.sheet import Sheet, refuse
from telos.core.files.text import read_text
from telos.worlds.island.domain import the_domain
from telos.worlds.island.story_files import DATA
from telos.worlds.island.tempers import MINUTE, Styles, Traits

_LEFT_OUT: Any = None
_Name: TypeAlias = Annotated[str, name_leaf("a name")]
_Text: TypeAlias = Annotated[str, text_leaf("a line of text")]


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and 0 <= value <= 1


_Share: TypeAlias = Annotated[
    float, Leaf("a number from 0 to 1", _is_share, {"type": "number", "minimum": 0, "maximum": 1})
]


class TraitsShape(FileShape):
    """Traits; a style gives only those that are its own."""

    proof: PositiveNumber = Field(default=_LEFT_OUT)
    notes: _Share = Field(default=_LEFT_OUT)
    patience: _Share = Field(default=_LEFT_OUT)
    curiosity: _Share = Field(default=_LEFT_OUT)
    pause: PositiveNumber = Field(default=_LEFT_OUT)
    wandering: _Share = Field(default=_LEFT_OUT)
    forgetting: _Share = Field(default=_LEFT_OUT)
    tidiness: _Share = Field(default=_LEFT_OUT)
    spread: _Share = Field(default=_LEFT_OUT)


class StyleShape(FileShape):
    """A way to play."""

    about: _Text = Field(examples=["Reads before asking."])
    cares: dict[_Name, PositiveNumber] = Field(examples=["{read-up: 1.5}"])
    traits: TraitsShape = Field(examples=["{patience: 0.9}"])


class PlayersShape(FileShape):
    """Who plays."""

    share: dict[_Name, _Share] = Field(examples=["{methodical: 0.5, social: 0.5}"])
    styles: dict[_Name, StyleShape] = Field(examples=["{social: {…}}"])
    traits: TraitsShape = Field(examples=["{pause: 1.5}"])
    memory: dict[_Name, PositiveNumber] = Field(examples=["{meal: 20}"])
    stirs: dict[_Name, dict[_Name, Number]] = Field(examples=["{meal: {talk-cook: 1}}"])


@cache  # it never changes, and every player asks for it
def the_styles() -> Styles:
    """Return the players that come with the package.

    >>> sorted(the_styles().traits)
    ['guesser', 'methodical', 'social']
    """
    file = DATA / "players.yaml"
    return read_styles(read_text(file), file=os.fspath(file))


def read_styles(text: str, *, file: str = "<text>") -> Styles:
    """Read players from the text of their file; a bad one raises a ``DefinitionError`` that holds all its faults."""
    sheet = Sheet(text, file, PlayersShape, "a file of players")
    if not sheet.faults:
        for code, message, path, suggestion in _faults(sheet.document.data):
            sheet.fault(message, path, suggestion, at_key=True, code=code)
    if sheet.faults:
        refuse(sheet.faults)
    data = sheet.document.data
    styles = data["styles"]
    return Styles(
        share=data["share"],
        about={name: style["about"] for name, style in styles.items()},
        cares={name: style["cares"] for name, style in styles.items()},
        traits={name: Traits(**{**data["traits"], **style["traits"]}) for name, style in styles.items()},
        fades={kind: minutes * MINUTE for kind, minutes in data["memory"].items()},
        stirs=data["stirs"],
    )


def _faults(data: Mapping[str, Any]) -> Iterator[tuple[FaultCode, str, Path, str]]:
    for name in data["share"]:
        if name not in data["styles"]:
            yield (
                FaultCode.UNKNOWN_NAME,
                f"there is no style {name!r}",
                ("share", name),
                name_hint(name, data["styles"]),
            )
    goals = [goal.name for goal in the_domain().goals]
    named: list[Path] = [
        ("styles", name, "cares", goal) for name, each in data["styles"].items() for goal in each["cares"]
    ]
    named += [("stirs", news, goal) for news, each in data["stirs"].items() for goal in each]
    for path in named:
        if path[-1] not in goals:
            yield FaultCode.UNKNOWN_NAME, f"there is no goal {path[-1]!r}", path, name_hint(str(path[-1]), goals)
    for name, style in data["styles"].items():
        for trait in TraitsShape.model_fields:
            if trait not in style["traits"] and trait not in data["traits"]:
                yield (
                    FaultCode.INCOMPLETE,
                    f"style {name!r} lacks the trait {trait!r}",
                    ("styles", name),
                    "give it here, or to all",
                )
