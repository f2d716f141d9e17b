"""What simulated players want and can do: their planning domain, and how styles of players differ.

The domain is ``islander.yaml``; ``players.yaml`` defines the styles. ``variants.py`` puts them together.
"""

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.action import Action
from telos.core.domain import Domain
from telos.core.errors import FaultCode, KeyPath, TelosError, name_hint
from telos.files.definition import Definition, raise_faults
from telos.files.domain_file import load
from telos.files.reading import read_text
from telos.files.schema import FieldType, FileModel, NonNegativeNumber, Number, name_type, text_type
from telos.worlds.island.story import DATA, load_story

MINUTE = 60.0  # seconds
_PURSUE = "pursue-"
_OPTIONAL_TRAITS = ("persistence", "loyalty", "searching")
_STEP = 10.0  # seconds of walking that cost as much as one step
_LEFT_OUT: Any = None


@dataclass(frozen=True, slots=True)
class PlayerTraits:
    """Behaviour of a player apart from goals; shares and probabilities are from 0 to 1."""

    proof: float  # fields of the worksheet that must be known, not guessed, before it is submitted
    notes: float  # share of lessons written down
    patience: float  # probability of hearing one more line
    curiosity: float  # probability of turning to something new that is visible
    pause: float  # seconds between actions, on average
    wandering: float  # probability of a wrong turn
    forgetting: float  # probability of losing the plan, per action
    tidiness: float  # probability of closing what stands open
    spread: float  # variation between players of a style (standard deviation of a logarithm)
    persistence: float = 0.0  # probability of going on with one of the seven goals until it is achieved
    loyalty: float = 0.0  # probability of choosing among what the present area offers
    searching: float = 0.0  # probability of going to look for a person who was not met yet


@dataclass(frozen=True, slots=True)
class PlayerStyle:
    """One player: the name of the style, individual traits, goal weights, and how fast facts fade."""

    name: str
    traits: PlayerTraits
    weights: Mapping[str, float]
    fades: Mapping[str, float]  # seconds until a fact of a kind is forgotten


@dataclass(frozen=True, slots=True)
class PlayerStyles:
    """The contents of a players file."""

    share: Mapping[str, float]
    about: Mapping[str, str]
    weights: Mapping[str, Mapping[str, float]]  # goal weights by style; 1 where not given
    traits: Mapping[str, PlayerTraits]
    fades: Mapping[str, float]  # seconds
    triggers: Mapping[str, Mapping[str, float]]  # change of each goal's insistence by lesson or meeting

    def known(self, style: str) -> str:
        """Return ``style`` if it exists; otherwise raise a ``TelosError``."""
        if style not in self.traits:
            raise TelosError(f"there is no style {style!r}", name_hint(style, self.traits))
        return style

    def person(self, rng: Random, goals: tuple[str, ...], style: str | None = None) -> PlayerStyle:
        """Draw a player, of the given style or of a random one."""
        names = list(self.share)
        drawn = rng.choices(names, [self.share[name] for name in names])[0]
        chosen = drawn if style is None else self.known(style)
        common = self.traits[chosen]
        spread = common.spread
        weights = {goal: self.weights[chosen].get(goal, 1.0) * _factor(rng, spread) for goal in goals}
        traits = replace(
            common,
            curiosity=min(0.9, common.curiosity * _factor(rng, spread)),
            pause=common.pause * _factor(rng, spread / 2),
            wandering=min(0.5, common.wandering * _factor(rng, spread)),
            forgetting=min(0.2, common.forgetting * _factor(rng, spread)),
        )
        memory = _factor(rng, spread)
        return PlayerStyle(chosen, traits, weights, {kind: seconds * memory for kind, seconds in self.fades.items()})


def _factor(rng: Random, spread: float) -> float:
    return math.exp(rng.gauss(0.0, spread))


# --- the planning domain ---


@cache
def load_player_domain(file: str = "islander.yaml") -> Domain:
    """Return a domain of players that comes with the package; each is loaded once.

    >>> [goal.name for goal in load_player_domain().goals][:3]
    ['talk-nurse', 'talk-patient', 'talk-cook']
    """
    return load(DATA / file, functions={"walk": _walk})


def replace_drifts(domain: Domain, drifts: Mapping[str, float]) -> Domain:
    """Return the domain with other drifts of some goals."""
    return Domain(
        domain.name,
        variables=domain.variables,
        actions=domain.actions,
        goals=[replace(goal, drift=drifts.get(goal.name, goal.drift)) for goal in domain.goals],
        action_sets=domain.action_sets,
        functions={"walk": _walk},
    )


def _walk(start: str, there: str) -> float:
    story = load_story()
    return story.map.distance(start, there) / story.pace / _STEP


def find_pursuits(domain: Domain) -> dict[str, Action]:
    """Return, for each goal, the action that stands for pursuing it in a choice between goals."""
    return {goal.name: domain.action(_PURSUE + goal.name) for goal in domain.goals}


def to_goal(pursuit: Action) -> str:
    return pursuit.name.removeprefix(_PURSUE)


# --- the players file ---


_Name: TypeAlias = Annotated[str, name_type("a name")]
_Text: TypeAlias = Annotated[str, text_type("a line of text")]


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and 0 <= value <= 1


_Share: TypeAlias = Annotated[
    float, FieldType("a number from 0 to 1", _is_share, {"type": "number", "minimum": 0, "maximum": 1})
]


class TraitsShape(FileModel):
    """Schema of traits; a style states only those that differ."""

    proof: NonNegativeNumber = Field(default=_LEFT_OUT)
    """How many fields of the worksheet must be known, not guessed, before it is handed in."""
    notes: _Share = Field(default=_LEFT_OUT)
    """The share of lessons that are written down."""
    patience: _Share = Field(default=_LEFT_OUT)
    """The probability of hearing one more line of a conversation."""
    curiosity: _Share = Field(default=_LEFT_OUT)
    """The probability of turning to something new that is visible."""
    pause: NonNegativeNumber = Field(default=_LEFT_OUT)
    """Seconds between actions, on average."""
    wandering: _Share = Field(default=_LEFT_OUT)
    """The probability of a wrong turn."""
    forgetting: _Share = Field(default=_LEFT_OUT)
    """The probability of losing the plan, for each action."""
    tidiness: _Share = Field(default=_LEFT_OUT)
    """The probability of closing what stands open."""
    spread: _Share = Field(default=_LEFT_OUT)
    """How much players of one style differ (standard deviation of a logarithm)."""
    persistence: _Share = Field(default=_LEFT_OUT)
    """The probability of going on with one of the seven goals until it is achieved; 0 if left out."""
    loyalty: _Share = Field(default=_LEFT_OUT)
    """The probability of choosing among what the present area offers; 0 if left out."""
    searching: _Share = Field(default=_LEFT_OUT)
    """The probability of looking for a person who was not met yet, in that person's building; 0 if left out."""


class StyleShape(FileModel):
    """Schema of a style."""

    about: _Text = Field(examples=["Reads before asking."])
    """A sentence about the style."""
    cares: dict[_Name, NonNegativeNumber] = Field(examples=["{read-up: 1.5}"])
    """The weight of each goal that differs from 1."""
    traits: TraitsShape = Field(examples=["{patience: 0.9}"])
    """The traits that differ from those of all."""


class PlayersShape(FileModel):
    """Schema of a players file."""

    share: dict[_Name, _Share] = Field(examples=["{methodical: 0.5, social: 0.5}"])
    """The share of each style among players; they add up to 1."""
    styles: dict[_Name, StyleShape] = Field(examples=["{social: {…}}"])
    """The styles, by name."""
    traits: TraitsShape = Field(examples=["{pause: 1.5}"])
    """The traits of all, unless their style says otherwise."""
    memory: dict[_Name, NonNegativeNumber] = Field(examples=["{meal: 20}"])
    """After how many minutes each kind of fact is forgotten; notes bring it back."""
    stirs: dict[_Name, dict[_Name, Number]] = Field(examples=["{meal: {talk-cook: 1}}"])
    """What news does to the insistence of goals: `{meet-cook: {talk-cook: 3}}`."""


@cache  # constant; every player needs it
def load_styles() -> PlayerStyles:
    """Return the styles that come with the package.

    >>> sorted(load_styles().traits)
    ['guesser', 'methodical', 'social']
    """
    return read_styles(DATA / "players.yaml")


def read_styles(path: str | os.PathLike[str]) -> PlayerStyles:
    """Read a players file."""
    return parse_styles(read_text(path), file=os.fspath(path))


def parse_styles(text: str, *, file: str = "<text>") -> PlayerStyles:
    """Parse the text of a players file; a ``DefinitionError`` holds all its faults."""
    definition = Definition(text, file, PlayersShape, "a file of players")
    entries = definition.model
    if entries is None or definition.faults:
        raise_faults(definition.faults)
    for code, message, path, suggestion in _faults(entries):
        definition.fault(message, path, suggestion, at_key=True, code=code)
    definition.raise_if_faulty()
    shared = entries.traits.model_dump(exclude_unset=True)
    return PlayerStyles(
        share=entries.share,
        about={name: style.about for name, style in entries.styles.items()},
        weights={name: style.cares for name, style in entries.styles.items()},
        traits={
            name: PlayerTraits(**{**shared, **style.traits.model_dump(exclude_unset=True)})
            for name, style in entries.styles.items()
        },
        fades={kind: minutes * MINUTE for kind, minutes in entries.memory.items()},
        triggers=entries.stirs,
    )


def _faults(entries: PlayersShape) -> Iterator[tuple[FaultCode, str, KeyPath, str]]:
    for name in entries.share:
        if name not in entries.styles:
            yield (
                FaultCode.UNKNOWN_NAME,
                f"there is no style {name!r}",
                ("share", name),
                name_hint(name, entries.styles),
            )
    goals = [goal.name for goal in load_player_domain().goals]
    named: list[KeyPath] = [
        ("styles", name, "cares", goal) for name, each in entries.styles.items() for goal in each.cares
    ]
    named += [("stirs", news, goal) for news, each in entries.stirs.items() for goal in each]
    for path in named:
        if path[-1] not in goals:
            yield FaultCode.UNKNOWN_NAME, f"there is no goal {path[-1]!r}", path, name_hint(str(path[-1]), goals)
    for name, style in entries.styles.items():
        given = style.traits.model_fields_set | entries.traits.model_fields_set
        for trait in TraitsShape.model_fields:
            if trait not in given and trait not in _OPTIONAL_TRAITS:
                yield (
                    FaultCode.INCOMPLETE,
                    f"style {name!r} lacks the trait {trait!r}",
                    ("styles", name),
                    "give it here, or to all",
                )
