"""Ambiguous speech: utterances and their meanings, how the companion understands them, and what it says.

``understand`` weighs the meanings of an utterance by the believed plan and by distance. Two YAML files hold the
utterances of the player and the lines of the companion.
"""

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Annotated, TypeAlias

from pydantic import Field

from telos.core.conditions import ALWAYS, Condition
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, FaultCode, KeyPath, name_hint
from telos.core.expressions import Scope, check_expression
from telos.core.state import State
from telos.core.values import BOOL
from telos.files.definition import Definition, raise_faults
from telos.files.reading import read_text
from telos.files.schema import FileModel, NonNegativeNumber, name_type, text_type
from telos.worlds.forge.domain import DATA, REQUESTS, Village, load_forge_domain

REACH = 6.0  # seconds of walking that make a meaning e times less likely
DOUBT = 0.05  # the least weight of a plan that is not believed: beliefs may be wrong
SURE = 0.5  # below this probability the companion asks back
ALIKE = 0.7  # the least share of common words by which a sentence is recognised
_SMALL_WORDS = frozenset({
    "a", "an", "and", "are", "at", "can", "could", "do", "for", "from", "go", "her", "here", "i", "in", "is",
    "it", "me", "my", "of", "on", "out", "please", "some", "that", "the", "this", "to", "us", "we", "will",
    "with", "would", "you", "your",
})  # fmt: skip
_SAME_WORDS = {
    **dict.fromkeys(("bring", "get", "take", "pick"), "fetch"),
    **dict.fromkeys(("apple", "basket"), "apples"),
    **dict.fromkeys(("make", "start", "kindle"), "light"),
    **dict.fromkeys(("pump", "blow"), "work"),
    **dict.fromkeys(("lean", "push"), "put"),
    "assist": "help",
}
ANY = "any"  # the plan of a meaning that fits all plans
WORDS = {  # requests and plans as they appear in lines
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


@dataclass(frozen=True, slots=True)
class Interpretation:
    """One possible meaning of an utterance: where, as part of which plan, and its prior weight."""

    means: str
    at: str | None = None
    plan: str = ANY
    likely: float = 1.0
    condition: Condition = ALWAYS


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something the player may say, in several wordings, and its possible meanings."""

    name: str
    says: tuple[str, ...]
    readings: tuple[Interpretation, ...]

    @property
    def is_plain(self) -> bool:
        """Whether the utterance is unambiguous."""
        return len({each.means for each in self.readings}) == 1


@dataclass(frozen=True, slots=True)
class WeighedMeaning:
    """A meaning with its probability and its grounds: the best reading, the belief and the distance."""

    means: str
    chance: float
    reading: Interpretation
    believed: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Understanding:
    """How an utterance was understood, with every alternative."""

    text: str
    place: str
    options: tuple[WeighedMeaning, ...]  # the likeliest first

    @property
    def means(self) -> str | None:
        """The meaning, or None if no option is sure enough."""
        return self.options[0].means if self.options and self.options[0].chance >= SURE else None

    def why(self) -> str:
        """Return every meaning with its probability and reasons."""
        lines = [f"{self.text!r}, said at the {self.place}: {self.means or 'unclear'}"]
        lines += [f"  {each.means} {each.chance:.0%}: {_reason(each)}" for each in self.options]
        return "\n".join(lines)


def find_utterance(text: str, utterances: Iterable[Utterance]) -> Utterance | None:
    """Return the utterance of that text, whatever its punctuation and case, or the nearest one by its words.

    None if it is unknown, or as near to another one.

    >>> helps = Utterance("help", ("Can you help me with this?",), ())
    >>> find_utterance("can you help me, with THIS", [helps]) is helps, find_utterance("Good evening.", [helps])
    (True, None)
    >>> find_utterance("Please help me!", [helps]) is helps
    True
    """
    known = list(utterances)
    said = next((each for each in known if any(_normalize(line) == _normalize(text) for line in each.says)), None)
    if said is not None:
        return said
    alike = sorted(((max(_likeness(line, text) for line in each.says), each.name) for each in known), reverse=True)
    is_near = bool(alike) and alike[0][0] >= ALIKE and (len(alike) == 1 or alike[1][0] < alike[0][0])
    return next(each for each in known if each.name == alike[0][1]) if is_near else None


def _likeness(one: str, other: str) -> float:
    """Return the share of common words that carry meaning (Dice's coefficient)."""
    words, others = _key_words(one), _key_words(other)
    return 2 * len(words & others) / (len(words) + len(others)) if words and others else 0.0


def _key_words(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z]+", text.casefold())
    return frozenset(_SAME_WORDS.get(word, word) for word in words if word not in _SMALL_WORDS)


def understand(
    text: str, utterance: Utterance, place: str, state: State, belief: Mapping[str, float] | None, village: Village
) -> Understanding:
    """Weigh the readings of an utterance by belief and place; without a belief all plans are equally likely.

    >>> from telos.worlds.forge.domain import load_forge_domain, load_village
    >>> from telos.worlds.forge.speech import load_utterances
    >>> state, words = load_forge_domain().state(), load_utterances()["help"]
    >>> at_forge, at_door = (
    ...     understand(words.says[0], words, place, state, None, load_village()) for place in ("forge", "door")
    ... )
    >>> at_forge.means, at_door.means
    ('fire', 'shoulder')
    """
    weights = [
        (each, *_weight(each, place, belief, village)) for each in utterance.readings if each.condition.holds(state)
    ]
    return Understanding(text, place, _to_meanings(weights))


def _normalize(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _weight(
    reading: Interpretation, place: str, belief: Mapping[str, float] | None, village: Village
) -> tuple[float, float, float]:
    """Return the weight of a reading, the belief in its plan and the walk to its place in seconds."""
    believed = 1.0 if belief is None or reading.plan == ANY else belief[reading.plan]
    seconds = 0.0 if reading.at is None else village.walk(place, reading.at)
    fit = DOUBT + (1 - DOUBT) * believed
    return reading.likely * fit * math.exp(-seconds / REACH), believed, seconds


def _to_meanings(weights: Sequence[tuple[Interpretation, float, float, float]]) -> tuple[WeighedMeaning, ...]:
    total = math.fsum(weight for _, weight, _, _ in weights)
    found: dict[str, list[tuple[Interpretation, float, float, float]]] = {}
    for each in weights:
        found.setdefault(each[0].means, []).append(each)
    options = []
    for means, alike in found.items():
        reading, _, believed, seconds = max(alike, key=lambda each: each[1])
        chance = math.fsum(weight for _, weight, _, _ in alike) / total
        options.append(WeighedMeaning(means, chance, reading, believed, seconds))
    return tuple(sorted(options, key=lambda each: -each.chance))


def _reason(option: WeighedMeaning) -> str:
    plan = "goes with any plan" if option.reading.plan == ANY else f"plan {option.reading.plan} {option.believed:.0%}"
    if option.reading.at is None:
        return plan
    where = "right here" if option.seconds == 0 else f"{option.seconds:.0f} s away"
    return f"{plan}, {option.reading.at} {where}"


# --- the utterances file ---

_Name: TypeAlias = Annotated[str, name_type("a name")]
_Text: TypeAlias = Annotated[str, text_type("a line of text")]


class ReadingShape(FileModel):
    """Schema of one meaning."""

    means: _Name = Field(examples=["fire"])
    """What the companion is asked for."""
    at: _Name = Field(default="", examples=["forge"])
    """The place where it would be needed; a nearer one is likelier."""
    plan: _Name = ANY
    """The plan that it belongs to; the reading is weighed by the belief in it."""
    likely: NonNegativeNumber = 1.0
    """How usual the reading is in itself."""
    condition: _Text = Field(default="", alias="if")
    """When it is to be thought of at all."""


class UtteranceShape(FileModel):
    """Schema of an utterance."""

    says: list[_Text] = Field(examples=["[Help me!]"])
    """The ways to say it."""
    readings: list[ReadingShape] = Field(examples=["[{means: fire}]"])
    """What it may mean."""


class UtterancesShape(FileModel):
    """Schema of a file of utterances."""

    utterances: dict[_Name, UtteranceShape] = Field(examples=["{help: {…}}"])
    """What the player may say, by name."""


@cache  # constant; every companion needs it
def load_utterances() -> Mapping[str, Utterance]:
    """Return the utterances that come with the package, by name."""
    return read_utterances(DATA / "utterances.yaml")


def read_utterances(path: str | os.PathLike[str]) -> dict[str, Utterance]:
    """Read a file of utterances."""
    return parse_utterances(read_text(path), load_forge_domain(), file=os.fspath(path))


def parse_utterances(text: str, domain: Domain, *, file: str = "<text>") -> dict[str, Utterance]:
    """Parse the text of a file of utterances; a ``DefinitionError`` holds all its faults."""
    definition = Definition(text, file, UtterancesShape, "a file of utterances")
    utterances = definition.model.utterances if definition.model else {}
    if not definition.faults:  # names are resolved only in a file of valid shape
        for message, path, remedy in _faults(utterances, domain):
            definition.fault(message, path, remedy)
    definition.raise_if_faulty()
    return {name: _utterance(name, each) for name, each in utterances.items()}


def _utterance(name: str, written: UtteranceShape) -> Utterance:
    readings = (
        Interpretation(
            means=each.means,
            at=each.at or None,
            plan=each.plan,
            likely=float(each.likely),
            condition=Condition.of(each.condition) if each.condition else ALWAYS,
        )
        for each in written.readings
    )
    return Utterance(name, tuple(written.says), tuple(readings))


def _faults(utterances: Mapping[str, UtteranceShape], domain: Domain) -> Iterator[tuple[str, KeyPath, str]]:
    plans = [ANY, *(goal.name for goal in domain.goals_of("player"))]
    told: dict[str, str] = {}
    for name, each in utterances.items():
        for i, text in enumerate(each.says):
            if told.setdefault(text, name) != name:
                yield f"{text!r} is said under {told[text]!r} too", ("utterances", name, "says", i), "keep one of them"
        if not each.readings:
            yield f"{name!r} means nothing", ("utterances", name, "readings"), "add a reading, as in `{means: fire}`"
        for i, reading in enumerate(each.readings):
            where: KeyPath = ("utterances", name, "readings", i)
            for key, known in (("means", tuple(REQUESTS)), ("at", domain.handles["place"]), ("plan", plans)):
                name_used = getattr(reading, key)
                if name_used and name_used not in known:
                    yield f"unknown {key} {name_used!r}", (*where, key), name_hint(name_used, known)
            if reading.condition:
                yield from _condition_faults(reading.condition, (*where, "if"), domain)


def _condition_faults(said: str, path: KeyPath, domain: Domain) -> Iterator[tuple[str, KeyPath, str]]:
    try:
        faults = list(check_expression(Condition.of(said).expression, Scope(domain.layout, {}), BOOL))
    except DefinitionError as error:
        faults = [replace(fault, path=path) for fault in error.faults]
    yield from ((fault.message, path, fault.suggestion) for fault in faults)


# --- the companion's lines ---


_GoalName: TypeAlias = Annotated[str, name_type("the name of a goal")]
_Lines: TypeAlias = list[_Text]


class ForgeLinesShape(FileModel):
    """Schema of a file of lines."""

    goals: dict[_GoalName, _Lines] = Field(examples=[{"tend_fire": ["I will see to the fire."]}])
    """What the companion says when it takes up a goal, by goal."""
    change: _Lines = Field(examples=[["Oh."]])
    """What it says before that when its reading of the plan has changed."""
    unclear: _Lines = Field(examples=[["You mean {first}?"]])
    """What it asks when two meanings are about as likely."""
    lost: _Lines = Field(examples=[["Pardon?"]])
    """What it says when it understands nothing."""
    opened: _Lines = Field(examples=[["It is open!"]])
    """What it says when the door is open."""


@dataclass(frozen=True, slots=True)
class CompanionLines:
    """The lines of the companion."""

    goals: Mapping[str, Sequence[str]]
    change: Sequence[str]
    unclear: Sequence[str]
    lost: Sequence[str]
    opened: Sequence[str]


@cache  # constant; every companion needs it
def load_companion_lines() -> CompanionLines:
    """Return the lines that come with the package."""
    return read_companion_lines(DATA / "lines.yaml")


def read_companion_lines(path: str | os.PathLike[str]) -> CompanionLines:
    """Read a file of lines."""
    return parse_companion_lines(read_text(path), load_forge_domain(), file=os.fspath(path))


def parse_companion_lines(text: str, domain: Domain, *, file: str = "<text>") -> CompanionLines:
    """Parse the text of a file of lines; a ``DefinitionError`` holds all its faults."""
    definition = Definition(text, file, ForgeLinesShape, "a file of lines")
    if definition.model is None:
        raise_faults(definition.faults)
    model, known = definition.model, [goal.name for goal in domain.goals_of("companion")]
    for goal, lines in model.goals.items():
        path = ("goals", goal)
        if definition.is_touched(*path):
            continue
        if goal not in known:
            message, remedy = f"the companion has no goal {goal!r}", name_hint(goal, known)
            definition.fault(message, path, remedy, at_key=True, code=FaultCode.UNKNOWN_NAME)
        elif not lines:
            message, remedy = f"nothing is said for {goal!r}", "add a line, or leave the goal out"
            definition.fault(message, path, remedy, at_key=True, code=FaultCode.INCOMPLETE)
    definition.raise_if_faulty()
    return CompanionLines(model.goals, model.change, model.unclear, model.lost, model.opened)


class ForgeVoice:
    """Chooses lines: one for each goal that is taken up, with a remark when the recognised plan has changed.

    >>> voice = ForgeVoice(load_companion_lines(), Random(1))
    >>> voice.announce("tend_fire", "key")
    'You want a key! I will see to the fire.'
    >>> voice.announce("tend_fire", "key") is None
    True
    >>> voice.announce("do_favour", "spare")
    'So you are not after the key any more. Her spare! She will want apples. I will get some.'
    """

    def __init__(self, lines: CompanionLines, rng: Random) -> None:
        self._lines, self._rng = lines, rng
        self._last: str | None = None
        self._plan: str | None = None  # the plan last helped with

    def announce(self, goal: str, plan: str | None) -> str | None:
        """Return the line for a goal that serves ``plan`` (None: a request), or None if it was said already."""
        if goal == self._last or goal not in self._lines.goals:
            return None
        said = self._rng.choice(self._lines.goals[goal])
        if plan is not None and self._plan not in (None, plan):
            said = f"{self._rng.choice(self._lines.change).format(was=WORDS[self._plan or ''], now=WORDS[plan])} {said}"
        self._last, self._plan = goal, plan or self._plan
        return said

    def note_request(self) -> None:
        """Note a request, so that it is answered even if its goal is pursued already."""
        self._last = None

    def unclear(self, options: Sequence[str]) -> str:
        """Return a question about what was meant."""
        if len(options) < 2:
            return self._rng.choice(self._lines.lost)
        return self._rng.choice(self._lines.unclear).format(first=WORDS[options[0]], second=WORDS[options[1]])

    def opened(self) -> str:
        """Return a line about the open door."""
        return self._rng.choice(self._lines.opened)
