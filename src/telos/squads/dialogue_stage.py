"""Everybody there is at one moment: who can speak, who hears whom, and what each knows of the enemy."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from telos.agents.memory import Fact
from telos.squads.utterances import Speaker

EARSHOT = 20.0  # metres
FRESH = 1.5  # seconds for which what was seen counts as seen now; sensors look a few times a second

Position: TypeAlias = tuple[float, float]
PlaceWords: TypeAlias = Callable[[Position, Position], str]
_COMPASS = ("east", "southeast", "south", "southwest", "west", "northwest", "north", "northeast")


def compass_words(here: Position, there: Position) -> str:
    """Say where a place is from here, with north at the top of the map.

    >>> compass_words((5.0, 15.0), (5.0, 3.0)), compass_words((0.0, 0.0), (1.0, 0.0))
    ('north, 12 metres', 'right here')
    """
    metres = round(math.dist(here, there))
    if metres < 2:
        return "right here"
    eighth = round(math.atan2(there[1] - here[1], there[0] - here[0]) / (math.pi / 4)) % 8
    return f"{_COMPASS[eighth]}, {metres} metres"


@dataclass(frozen=True, slots=True)
class Stage:
    """Everybody there is, at one moment, and who belongs to which squad."""

    speakers: Mapping[str, Speaker]
    squads: Mapping[str, str]
    now: float
    words: PlaceWords = compass_words

    def able(self, name: str) -> bool:
        """Whether somebody is there and can speak and hear."""
        speaker = self.speakers.get(name)
        return speaker is not None and speaker.alive and speaker.conscious

    def squad_of(self, name: str) -> str:
        """Return the squad that somebody belongs to, or last belonged to; those without one are a squad by side."""
        return self.squads.get(name) or self.speakers[name].side

    def squad(self, name: str) -> list[Speaker]:
        """Return the living of somebody's squad."""
        own, side = self.squad_of(name), self.speakers[name].side
        mates = (each for each in self.speakers.values() if each.alive and each.side == side)
        return [each for each in mates if self.squad_of(each.name) == own]

    def in_earshot(self, one: str, other: str) -> bool:
        """Whether the two are near enough to talk."""
        return math.dist(self.speakers[one].position, self.speakers[other].position) <= EARSHOT

    def comrades(self, name: str) -> list[Speaker]:
        """Return the others of a side who can speak and are within earshot, the nearest first."""
        me = self.speakers[name]
        others = [each for each in self.speakers.values() if each.side == me.side and each.name != name]
        near = [each for each in others if self.able(each.name) and self.in_earshot(name, each.name)]
        return sorted(near, key=lambda each: (math.dist(me.position, each.position), each.name))

    def enemies(self, name: str) -> list[Fact]:
        """Return what somebody knows of enemies that are not known to be dead, the latest news first."""
        me = self.speakers[name]
        known = [fact for fact in me.memory.all_of("enemy", self.now) if self._may_live(fact.subject)]
        return sorted(known, key=lambda fact: (-fact.time, fact.subject))

    def _may_live(self, enemy: str) -> bool:
        return enemy not in self.speakers or self.speakers[enemy].alive

    def is_seen(self, fact: Fact) -> bool:
        """Whether what is known of an enemy was seen just now."""
        return bool(fact.get("seen", False)) and self.now - fact.time <= FRESH

    def sees_enemy(self, name: str) -> bool:
        """Whether somebody has an enemy in sight."""
        return any(map(self.is_seen, self.enemies(name)))

    def flag(self, name: str, what: str, *, default: bool = False) -> bool:
        """Return what somebody's own body tells, such as ``under_fire``."""
        own = self.speakers[name].memory.recall("self", name, self.now)
        return default if own is None else bool(own.get(what, default))

    def knows_cover(self, name: str) -> bool:
        """Whether somebody knows cover that protects."""
        return any(fact.get("valid", True) for fact in self.speakers[name].memory.all_of("cover", self.now))
