"""Player styles file."""

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.errors import FaultCode, KeyPath, TelosError, name_hint
from telos.files.definition import Definition, raise_faults
from telos.files.schema import FieldType, FileModel, NonNegativeNumber, Number, name_type, text_type
from telos.files.yaml import read_text
from telos.worlds.island.domain import the_domain
from telos.worlds.island.story import DATA

# --- tempers ----------------------------------------------------------------------------------------------------------
# Who plays: styles and traits, and the person that chance makes of them.


MINUTE = 60.0  # seconds


@dataclass(frozen=True, slots=True)
class Traits:
    """What somebody is like, apart from what they care for. Shares and chances are from 0 to 1."""

    proof: float  # fields of the worksheet that must be known, and not guessed, before it is handed in
    notes: float  # of what is learned is written down
    patience: float  # chance to hear another line of what has become long
    curiosity: float  # chance to turn to something new that is in sight
    pause: float  # seconds between actions, on average
    wandering: float  # chance to take another way than meant
    forgetting: float  # chance to lose the thread, for each action
    tidiness: float  # chance to close what was opened
    spread: float  # how much people of one style differ (standard deviation of a logarithm)


@dataclass(frozen=True, slots=True)
class Temper:
    """One person: a style, traits of their own, what each goal weighs with them, and how fast they forget."""

    style: str
    traits: Traits
    cares: Mapping[str, float]
    fades: Mapping[str, float]  # seconds until a kind of fact is gone


@dataclass(frozen=True, slots=True)
class Styles:
    """The file of players: how many there are of each style, and what they are like."""

    share: Mapping[str, float]
    about: Mapping[str, str]
    cares: Mapping[str, Mapping[str, float]]  # what a goal weighs with people of a style; 1 if it does not say
    traits: Mapping[str, Traits]
    fades: Mapping[str, float]  # seconds
    stirs: Mapping[str, Mapping[str, float]]  # what news do to the wish for each goal

    def known(self, style: str) -> str:
        """Return ``style`` if there is one called so."""
        if style not in self.traits:
            raise TelosError(f"there is no style {style!r}", name_hint(style, self.traits))
        return style

    def person(self, rng: Random, goals: tuple[str, ...], style: str | None = None) -> Temper:
        """Draw a person, of a given style or of the one that chance gives them."""
        names = list(self.share)
        drawn = rng.choices(names, [self.share[name] for name in names])[0]
        chosen = drawn if style is None else self.known(style)
        common = self.traits[chosen]
        spread = common.spread
        cares = {goal: self.cares[chosen].get(goal, 1.0) * _factor(rng, spread) for goal in goals}
        traits = replace(
            common,
            curiosity=min(0.9, common.curiosity * _factor(rng, spread)),
            pause=common.pause * _factor(rng, spread / 2),
            wandering=min(0.5, common.wandering * _factor(rng, spread)),
            forgetting=min(0.2, common.forgetting * _factor(rng, spread)),
        )
        memory = _factor(rng, spread)
        return Temper(chosen, traits, cares, {kind: seconds * memory for kind, seconds in self.fades.items()})


def _factor(rng: Random, spread: float) -> float:
    return math.exp(rng.gauss(0.0, spread))


# --- tempers files ----------------------------------------------------------------------------------------------------
# The file of players: styles, traits, memory and what stirs a wish, read and checked.


_LEFT_OUT: Any = None
_Name: TypeAlias = Annotated[str, name_type("a name")]
_Text: TypeAlias = Annotated[str, text_type("a line of text")]


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and 0 <= value <= 1


_Share: TypeAlias = Annotated[
    float, FieldType("a number from 0 to 1", _is_share, {"type": "number", "minimum": 0, "maximum": 1})
]


class TraitsShape(FileModel):
    """Traits; a style gives only those that are its own."""

    proof: NonNegativeNumber = Field(default=_LEFT_OUT)
    notes: _Share = Field(default=_LEFT_OUT)
    patience: _Share = Field(default=_LEFT_OUT)
    curiosity: _Share = Field(default=_LEFT_OUT)
    pause: NonNegativeNumber = Field(default=_LEFT_OUT)
    wandering: _Share = Field(default=_LEFT_OUT)
    forgetting: _Share = Field(default=_LEFT_OUT)
    tidiness: _Share = Field(default=_LEFT_OUT)
    spread: _Share = Field(default=_LEFT_OUT)


class StyleShape(FileModel):
    """A way to play."""

    about: _Text = Field(examples=["Reads before asking."])
    cares: dict[_Name, NonNegativeNumber] = Field(examples=["{read-up: 1.5}"])
    traits: TraitsShape = Field(examples=["{patience: 0.9}"])


class PlayersShape(FileModel):
    """Who plays."""

    share: dict[_Name, _Share] = Field(examples=["{methodical: 0.5, social: 0.5}"])
    styles: dict[_Name, StyleShape] = Field(examples=["{social: {…}}"])
    traits: TraitsShape = Field(examples=["{pause: 1.5}"])
    memory: dict[_Name, NonNegativeNumber] = Field(examples=["{meal: 20}"])
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
    sheet = Definition(text, file, PlayersShape, "a file of players")
    if not sheet.faults:
        for code, message, path, suggestion in _faults(sheet.document.data):
            sheet.fault(message, path, suggestion, at_key=True, code=code)
    if sheet.faults:
        raise_faults(sheet.faults)
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


def _faults(data: Mapping[str, Any]) -> Iterator[tuple[FaultCode, str, KeyPath, str]]:
    for name in data["share"]:
        if name not in data["styles"]:
            yield (
                FaultCode.UNKNOWN_NAME,
                f"there is no style {name!r}",
                ("share", name),
                name_hint(name, data["styles"]),
            )
    goals = [goal.name for goal in the_domain().goals]
    named: list[KeyPath] = [
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
