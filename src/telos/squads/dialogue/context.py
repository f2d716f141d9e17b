"""Who can speak and hear (`DialogueContext`), and the values of conditions and slots (`Situation`)."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from telos.core.conditions import Condition
from telos.core.expressions import names_in
from telos.core.state import Layout
from telos.core.values import FrozenMap, Value
from telos.squads.dialogue.occasions import Occasion, Speaker
from telos.squads.dialogue.vocabulary import DialogueVocabulary

EARSHOT = 20.0  # metres

DescribePlace: TypeAlias = Callable[[tuple[float, float], tuple[float, float]], str]
_COMPASS = ("east", "southeast", "south", "southwest", "west", "northwest", "north", "northeast")
_PIECES = re.compile(r"(\{\w+\})")
_BEGINS = re.compile(r"(?:^|(?<!\.)[.!?]\s*)\Z")  # start of a sentence; not after an ellipsis
_NO_VALUES: FrozenMap[str, Value] = FrozenMap()


def describe_direction(here: tuple[float, float], there: tuple[float, float]) -> str:
    """Return the direction and distance of a place as text, with north at the top of the map.

    >>> describe_direction((5.0, 15.0), (5.0, 3.0)), describe_direction((0.0, 0.0), (1.0, 0.0))
    ('north, 12 metres', 'right here')
    """
    metres = round(math.dist(here, there))
    if metres < 2:
        return "right here"
    eighth = round(math.atan2(there[1] - here[1], there[0] - here[0]) / (math.pi / 4)) % 8
    return f"{_COMPASS[eighth]}, {metres} metres"


@dataclass(frozen=True, slots=True)
class DialogueContext:
    """All speakers at one moment, their squads, and the values that the game gives."""

    speakers: Mapping[str, Speaker]
    squads: Mapping[str, str]
    now: float
    vocabulary: DialogueVocabulary
    describe_place: DescribePlace = describe_direction
    values: Mapping[str, Value] = field(default=_NO_VALUES)

    def can_speak(self, name: str) -> bool:
        """Whether a speaker is alive and conscious."""
        speaker = self.speakers.get(name)
        return speaker is not None and speaker.alive and speaker.conscious

    def squad_of(self, name: str) -> str:
        """Return the current or last squad of a speaker; those without one form a squad by side."""
        return self.squads.get(name) or self.speakers[name].side

    def squad_members(self, name: str) -> list[Speaker]:
        """Return the living members of a speaker's squad."""
        own, side = self.squad_of(name), self.speakers[name].side
        mates = (each for each in self.speakers.values() if each.alive and each.side == side)
        return [each for each in mates if self.squad_of(each.name) == own]

    def in_earshot(self, one: str, other: str) -> bool:
        """Whether two speakers are near enough to talk."""
        return math.dist(self.speakers[one].position, self.speakers[other].position) <= EARSHOT

    def comrades(self, name: str) -> list[Speaker]:
        """Return the others of a side who can speak and are within earshot, nearest first."""
        me = self.speakers[name]
        others = [each for each in self.speakers.values() if each.side == me.side and each.name != name]
        near = [each for each in others if self.can_speak(each.name) and self.in_earshot(name, each.name)]
        return sorted(near, key=lambda each: (math.dist(me.position, each.position), each.name))


@dataclass(frozen=True, slots=True)
class Situation:
    """An occasion with its cast in the current context."""

    context: DialogueContext
    occasion: Occasion
    cast: Mapping[str, str]

    def holds(self, condition: Condition, layout: Layout) -> bool:
        """Whether a condition over the variables of a layout holds now."""
        used = (name for name in names_in(condition.expression) if name in layout.slots)
        return condition.holds(layout.state({name: self.value(name) for name in used}))

    def value(self, name: str) -> Value:
        """Return the value of a variable in a condition."""
        vocabulary, speakers = self.context.vocabulary, self.context.speakers
        role = next((role for role in self.cast if self._measure(role, name) in vocabulary.role_variables), None)
        if role is None:
            variable = vocabulary.variables_on(self.occasion.kind)[name]
            return variable.value(self) if self.occasion.who in speakers else variable.default
        measure, who = vocabulary.role_variables[self._measure(role, name)], self.cast[role]
        # The enemy that an occasion names may be unknown here, with neither health nor memory.
        there = who in speakers and self.occasion.who in speakers
        return measure.value(self, who) if there else measure.default

    @staticmethod
    def _measure(role: str, name: str) -> str:
        return name.removeprefix(f"{role}_") if name.startswith(f"{role}_") else ""

    def fill(self, text: str, speaker: str) -> str | None:
        """Return a text with its slots filled from what the speaker knows; None if a value is unknown."""
        done = ""
        for piece in _PIECES.split(text):
            if piece[:1] != "{":
                done += piece
                continue
            words = self._slot_words(piece[1:-1], speaker)
            if words is None:
                return None
            done += words[:1].upper() + words[1:] if _BEGINS.search(done) else words
        return done

    def _slot_words(self, slot: str, speaker: str) -> str | None:
        if slot in self.cast:
            return self.cast[slot]
        return self.context.vocabulary.slots_on(self.occasion.kind)[slot].words(self, speaker)
