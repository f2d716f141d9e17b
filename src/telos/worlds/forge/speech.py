"""Utterances and the companion's lines."""

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.binding import Scope, check
from telos.core.conditions import ALWAYS, Condition
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, FaultCode, KeyPath, name_hint
from telos.core.state import State
from telos.core.values import BOOL
from telos.files.definition import Definition, raise_faults
from telos.files.schema import FileModel, NonNegativeNumber, name_type, text_type
from telos.files.yaml import read_text
from telos.worlds.forge.domain import DATA, REQUESTS, Village, the_domain

# --- speech -----------------------------------------------------------------------------------------------------------
# Ambiguous speech: what was meant is what fits the plan that is read, and the place where it was said.


REACH = 6.0  # seconds of way; what is that much further off is e times less likely to be meant
DOUBT = 0.05  # how likely a reading stays whose plan is not believed in at all: beliefs may be wrong
SURE = 0.5  # what is less likely than this is asked about, and not acted on
ANY = "any"  # the plan of a reading that goes with all of them


@dataclass(frozen=True, slots=True)
class Reading:
    """One thing that an utterance may mean, where, as part of which plan, and how usual that is."""

    means: str
    at: str | None = None
    plan: str = ANY
    likely: float = 1.0
    condition: Condition = ALWAYS


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something that is said in one of several ways, and all that it may mean."""

    name: str
    says: tuple[str, ...]
    readings: tuple[Reading, ...]

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to be mistaken about."""
        return len({each.means for each in self.readings}) == 1


@dataclass(frozen=True, slots=True)
class Weighed:
    """A meaning, its chance, and what that rests on: the best of its readings, the belief and the way there."""

    means: str
    chance: float
    reading: Reading
    believed: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Understanding:
    """What somebody took an utterance to mean, with all that it might have meant instead."""

    text: str
    place: str
    options: tuple[Weighed, ...]  # the likeliest first

    @property
    def means(self) -> str | None:
        """Return what it means, or None if that is anybody's guess."""
        return self.options[0].means if self.options and self.options[0].chance >= SURE else None

    def why(self) -> str:
        """Say every meaning with its chance, and what speaks for it."""
        lines = [f"{self.text!r}, said at the {self.place}: {self.means or 'unclear'}"]
        lines += [f"  {each.means} {each.chance:.0%}: {_reason(each)}" for each in self.options]
        return "\n".join(lines)


def utterance_of(text: str, utterances: Iterable[Utterance]) -> Utterance | None:
    """Return what was said, however it is written; None if nobody here would say that.

    >>> helps = Utterance("help", ("Can you help me with this?",), ())
    >>> utterance_of("can you help me, with THIS", [helps]) is helps, utterance_of("Good evening.", [helps])
    (True, None)
    """
    return next((each for each in utterances if any(_plain(said) == _plain(text) for said in each.says)), None)


def understand(
    text: str, utterance: Utterance, place: str, state: State, belief: Mapping[str, float] | None, village: Village
) -> Understanding:
    """Weigh the readings of an utterance by belief and place; without a belief every plan is as likely as any other.

    >>> from telos.worlds.forge.domain import the_domain, the_village
    >>> from telos.worlds.forge.speech import the_utterances
    >>> state, words = the_domain().state(), the_utterances()["help"]
    >>> at_forge, at_door = (
    ...     understand(words.says[0], words, place, state, None, the_village()) for place in ("forge", "door")
    ... )
    >>> at_forge.means, at_door.means
    ('fire', 'shoulder')
    """
    weights = [
        (each, *_weight(each, place, belief, village)) for each in utterance.readings if each.condition.holds(state)
    ]
    return Understanding(text, place, _shared(weights))


def _plain(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _weight(
    reading: Reading, place: str, belief: Mapping[str, float] | None, village: Village
) -> tuple[float, float, float]:
    """Return what a reading weighs, the belief in its plan, and how far its place is."""
    believed = 1.0 if belief is None or reading.plan == ANY else belief[reading.plan]
    seconds = 0.0 if reading.at is None else village.walk(place, reading.at)
    fit = DOUBT + (1 - DOUBT) * believed
    return reading.likely * fit * math.exp(-seconds / REACH), believed, seconds


def _shared(weights: Sequence[tuple[Reading, float, float, float]]) -> tuple[Weighed, ...]:
    total = math.fsum(weight for _, weight, _, _ in weights)
    found: dict[str, list[tuple[Reading, float, float, float]]] = {}
    for each in weights:
        found.setdefault(each[0].means, []).append(each)
    options = []
    for means, alike in found.items():
        reading, _, believed, seconds = max(alike, key=lambda each: each[1])
        chance = math.fsum(weight for _, weight, _, _ in alike) / total
        options.append(Weighed(means, chance, reading, believed, seconds))
    return tuple(sorted(options, key=lambda each: -each.chance))


def _reason(option: Weighed) -> str:
    plan = "goes with any plan" if option.reading.plan == ANY else f"plan {option.reading.plan} {option.believed:.0%}"
    if option.reading.at is None:
        return plan
    where = "right here" if option.seconds == 0 else f"{option.seconds:.0f} s away"
    return f"{plan}, {option.reading.at} {where}"


# --- speech files -----------------------------------------------------------------------------------------------------
# Files of utterances: what the player may say and what it may mean, in YAML, with every fault named by line.


_Name: TypeAlias = Annotated[str, name_type("a name")]
_Text: TypeAlias = Annotated[str, text_type("a line of text")]


class ReadingShape(FileModel):
    """One thing that an utterance may mean."""

    means: _Name = Field(examples=["fire"])
    at: _Name = Field(default="", examples=["forge"])
    plan: _Name = ANY
    likely: NonNegativeNumber = 1.0
    condition: _Text = Field(default="", alias="if")
    """When it is to be thought of at all."""


class UtteranceShape(FileModel):
    """What is said, in one of several ways, and what it may mean."""

    says: list[_Text] = Field(examples=["[Help me!]"])
    readings: list[ReadingShape] = Field(examples=["[{means: fire}]"])


class UtterancesShape(FileModel):
    """A file of utterances."""

    utterances: dict[_Name, UtteranceShape] = Field(examples=["{help: {…}}"])


@cache  # it never changes, and every companion asks for it
def the_utterances() -> Mapping[str, Utterance]:
    """Return the utterances that come with the package, by name."""
    file = DATA / "utterances.yaml"
    return read_utterances(read_text(file), the_domain(), file=os.fspath(file))


def read_utterances(text: str, domain: Domain, *, file: str = "<text>") -> dict[str, Utterance]:
    """Read utterances from the text of their file; a bad one raises a ``DefinitionError`` that holds all its faults."""
    sheet = Definition(text, file, UtterancesShape, "a file of utterances")
    if not sheet.faults:  # names are looked up only in a file whose shape is right
        for message, path, remedy in _faults(sheet.document.data["utterances"], domain):
            sheet.fault(message, path, remedy)
    if sheet.faults:
        raise_faults(sheet.faults)
    return {name: _utterance(name, each) for name, each in sheet.document.data["utterances"].items()}


def _utterance(name: str, said: Mapping[str, Any]) -> Utterance:
    readings = (
        Reading(
            means=each["means"],
            at=each.get("at"),
            plan=each.get("plan", ANY),
            likely=float(each.get("likely", 1.0)),
            condition=Condition.of(each["if"]) if "if" in each else ALWAYS,
        )
        for each in said["readings"]
    )
    return Utterance(name, tuple(said["says"]), tuple(readings))


def _faults(utterances: Mapping[str, Any], domain: Domain) -> Iterator[tuple[str, KeyPath, str]]:
    plans = [ANY, *(goal.name for goal in domain.goals_of("player"))]
    told: dict[str, str] = {}
    for name, each in utterances.items():
        for i, text in enumerate(each["says"]):
            if told.setdefault(text, name) != name:
                yield f"{text!r} is said under {told[text]!r} too", ("utterances", name, "says", i), "keep one of them"
        if not each["readings"]:
            yield f"{name!r} means nothing", ("utterances", name, "readings"), "add a reading, as in `{means: fire}`"
        for i, reading in enumerate(each["readings"]):
            where: KeyPath = ("utterances", name, "readings", i)
            for key, known in (("means", tuple(REQUESTS)), ("at", domain.handles["place"]), ("plan", plans)):
                if key in reading and reading[key] not in known:
                    yield f"unknown {key} {reading[key]!r}", (*where, key), name_hint(reading[key], known)
            if "if" in reading:
                yield from _condition_faults(reading["if"], (*where, "if"), domain)


def _condition_faults(said: str, path: KeyPath, domain: Domain) -> Iterator[tuple[str, KeyPath, str]]:
    try:
        faults = list(check(Condition.of(said).expression, Scope(domain.layout, {}), BOOL))
    except DefinitionError as error:
        faults = [replace(fault, path=path) for fault in error.faults]
    yield from ((fault.message, path, fault.suggestion) for fault in faults)


# --- voice ------------------------------------------------------------------------------------------------------------
# What the companion says: lines as data, one for every goal that it takes up, and answers.


WORDS = {  # for what may be asked for, and for the plans
    "fire": "the fire",
    "bellows": "the bellows",
    "hammer": "the hammer",
    "shoulder": "my shoulder",
    "apples": "the apples",
    "move": "that I should move",
    "key": "key",
    "force": "door itself",
    "spare": "spare",
}

_GoalName: TypeAlias = Annotated[str, name_type("the name of a goal")]
_Lines: TypeAlias = list[_Text]


class LinesShape(FileModel):
    """A file of the companion's lines."""

    goals: dict[_GoalName, _Lines] = Field(examples=["{tend_fire: [I will see to the fire.]}"])
    change: _Lines = Field(examples=["[Oh.]"])
    unclear: _Lines = Field(examples=["[You mean {first}?]"])
    lost: _Lines = Field(examples=["[Pardon?]"])
    opened: _Lines = Field(examples=["[It is open!]"])


@dataclass(frozen=True, slots=True)
class Lines:
    """All that the companion can say."""

    goals: Mapping[str, Sequence[str]]
    change: Sequence[str]
    unclear: Sequence[str]
    lost: Sequence[str]
    opened: Sequence[str]


@cache  # it never changes, and every companion asks for it
def the_lines() -> Lines:
    """Return the lines that come with the package."""
    file = DATA / "lines.yaml"
    return read_lines(read_text(file), the_domain(), file=os.fspath(file))


def read_lines(text: str, domain: Domain, *, file: str = "<text>") -> Lines:
    """Read lines from the text of their file; a bad one raises a ``DefinitionError`` that holds all its faults."""
    sheet = Definition(text, file, LinesShape, "a file of lines")
    known = [goal.name for goal in domain.goals_of("companion")]
    for path, lines in list(sheet.items("goals")):
        if path[-1] not in known:
            sheet.fault(
                f"the companion has no goal {path[-1]!r}",
                path,
                name_hint(str(path[-1]), known),
                at_key=True,
                code=FaultCode.UNKNOWN_NAME,
            )
        elif not lines:
            sheet.fault(
                f"nothing is said for {path[-1]!r}",
                path,
                "add a line, or leave the goal out",
                at_key=True,
                code=FaultCode.INCOMPLETE,
            )
    if sheet.faults:
        raise_faults(sheet.faults)
    return Lines(**sheet.document.data)


class Voice:
    """Says what is done, once for each thing that is taken up, and says so when the mind has changed.

    >>> voice = Voice(the_lines(), Random(1))
    >>> voice.takes_up("tend_fire", "key")
    'You want a key! I will see to the fire.'
    >>> voice.takes_up("tend_fire", "key") is None
    True
    >>> voice.takes_up("do_favour", "spare")
    'So you are not after the key any more. Her spare! She will want apples. I will get some.'
    """

    def __init__(self, lines: Lines, rng: Random) -> None:
        self._lines, self._rng = lines, rng
        self._last: str | None = None
        self._plan: str | None = None  # that was last helped with

    def takes_up(self, goal: str, plan: str | None) -> str | None:
        """Return what to say about a goal that serves a plan (None: it was asked for), if it needs saying."""
        if goal == self._last or goal not in self._lines.goals:
            return None
        said = self._rng.choice(self._lines.goals[goal])
        if plan is not None and self._plan not in (None, plan):
            said = f"{self._rng.choice(self._lines.change).format(was=WORDS[self._plan or ''], now=WORDS[plan])} {said}"
        self._last, self._plan = goal, plan or self._plan
        return said

    def asked_again(self) -> None:
        """Take note that something is asked for: it is answered, even if it is under way."""
        self._last = None

    def unclear(self, options: Sequence[str]) -> str:
        """Return how to ask what was meant."""
        if len(options) < 2:
            return self._rng.choice(self._lines.lost)
        return self._rng.choice(self._lines.unclear).format(first=WORDS[options[0]], second=WORDS[options[1]])

    def opened(self) -> str:
        """Return what to say of an open door."""
        return self._rng.choice(self._lines.opened)
