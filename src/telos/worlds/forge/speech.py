"""Ambiguous speech: what was meant is what fits the plan that is read, and the place where it was said."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from telos.core.conditions import ALWAYS, Condition
from telos.core.state import State
from telos.worlds.forge.map import Village

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
    >>> from telos.worlds.forge.speech_files import the_utterances
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
