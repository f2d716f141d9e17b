"""What speakers know: who can speak and hear (`DialogueContext`), and values for conditions and slots (`Situation`).

The tables at the end hold one function for each variable and slot that line files may use.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from telos.agents.memory import Fact
from telos.core.conditions import Condition
from telos.core.expressions import names_in
from telos.core.values import Type, Value
from telos.squads.dialogue.lines import BEHAVIOURS, ROLE_VARIABLES, SQUAD_VARIABLES, Exchange
from telos.squads.dialogue.occasions import Occasion, Speaker

EARSHOT = 20.0  # metres
FRESH_SECONDS = 1.5  # a sighting counts as current for this long, since sensors run a few times a second

Position: TypeAlias = tuple[float, float]
DescribePlace: TypeAlias = Callable[[Position, Position], str]
_COMPASS = ("east", "southeast", "south", "southwest", "west", "northwest", "north", "northeast")
NO_MEASURE = 999.0  # the value of a distance or duration that does not exist
PLACED_OCCASIONS = frozenset({"grenade", "cleared", "blocked"})  # occasions with a place of their own
_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_PIECES = re.compile(r"(\{\w+\})")
_BEGINS = re.compile(r"(?:^|(?<!\.)[.!?]\s*)\Z")  # start of a sentence; not after an ellipsis


def describe_direction(here: Position, there: Position) -> str:
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
    """All speakers at one moment, and their squads."""

    speakers: Mapping[str, Speaker]
    squads: Mapping[str, str]
    now: float
    describe_place: DescribePlace = describe_direction

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

    def enemies(self, name: str) -> list[Fact]:
        """Return a speaker's facts about enemies that may be alive, latest first."""
        me = self.speakers[name]
        known = [fact for fact in me.memory.all_of("enemy", self.now) if self._may_live(fact.subject)]
        return sorted(known, key=lambda fact: (-fact.time, fact.subject))

    def _may_live(self, enemy: str) -> bool:
        return enemy not in self.speakers or self.speakers[enemy].alive

    def is_seen(self, fact: Fact) -> bool:
        """Whether a fact about an enemy is a current sighting."""
        return bool(fact.get("seen", False)) and self.now - fact.time <= FRESH_SECONDS

    def sees_enemy(self, name: str) -> bool:
        """Whether a speaker has an enemy in sight."""
        return any(map(self.is_seen, self.enemies(name)))

    def self_flag(self, name: str, what: str, *, default: bool = False) -> bool:
        """Return a flag of a speaker's own body, such as ``under_fire``."""
        own = self.speakers[name].memory.recall("self", name, self.now)
        return default if own is None else bool(own.get(what, default))

    def knows_cover(self, name: str) -> bool:
        """Whether a speaker knows valid cover."""
        return any(fact.get("valid", True) for fact in self.speakers[name].memory.all_of("cover", self.now))


# --- situations ---


@dataclass(frozen=True, slots=True)
class Situation:
    """An occasion with its cast in the current context."""

    context: DialogueContext
    occasion: Occasion
    cast: Mapping[str, str]

    def holds(self, exchange: Exchange, condition: Condition) -> bool:
        """Whether a condition of the exchange holds now."""
        layout = exchange.layout
        used = (name for name in names_in(condition.expression) if name in layout.slots)
        return condition.holds(layout.state({name: self.value(name) for name in used}))

    def value(self, name: str) -> Value:
        """Return the value of a variable in a condition."""
        role = next((role for role in self.cast if name in {f"{role}_{measure}" for measure in ROLE_VALUES}), None)
        if role is None:
            there = self.occasion.who in self.context.speakers
            return SQUAD_VALUES[name](self) if there else _default_value(name, SQUAD_VARIABLES[name][0])
        measure, who = name.removeprefix(f"{role}_"), self.cast[role]
        # The enemy that an occasion names may be unknown here, with neither health nor memory.
        there = who in self.context.speakers and self.occasion.who in self.context.speakers
        return ROLE_VALUES[measure](self, who) if there else _default_value(measure, ROLE_VARIABLES[measure][0])

    def fill(self, text: str, speaker: str) -> str | None:
        """Return a text with its slots filled from what the speaker knows; None if a value is unknown."""
        done = ""
        for piece in _PIECES.split(text):
            if piece[:1] != "{":
                done += piece
                continue
            words = self._slot_value(piece[1:-1], speaker)
            if words is None:
                return None
            done += words[:1].upper() + words[1:] if _BEGINS.search(done) else words
        return done

    def _slot_value(self, slot: str, speaker: str) -> str | None:
        return self.cast[slot] if slot in self.cast else SLOT_VALUES[slot](self, speaker)

    def place(self, speaker: str) -> str | None:
        """Return a place as text: that of the occasion, or where the speaker sees an enemy."""
        if self.occasion.kind not in PLACED_OCCASIONS:
            return self.enemy_place(speaker, fresh=True)
        there = _position(self.occasion.about)
        here = self.context.speakers[speaker].position
        return self.occasion_text("place") or (self.context.describe_place(here, there) if there else None)

    def enemy_place(self, speaker: str, *, fresh: bool) -> str | None:
        """Return as text where the speaker knows an enemy to be, or to have been."""
        for fact in self.context.enemies(speaker):
            there = _position(fact.attributes)
            if there is not None and (self.context.is_seen(fact) or not fresh):
                return self.context.describe_place(self.context.speakers[speaker].position, there)
        return None

    def occasion_text(self, what: str) -> str | None:
        """Return a value of the occasion as text."""
        value = self.occasion.about.get(what)
        return str(value).replace("-", " ").replace("_", " ") if value else None


def _position(known: Mapping[str, Value]) -> Position | None:
    x, y = known.get("x"), known.get("y")
    return None if x is None or y is None else (float(x), float(y))


def _default_value(measure: str, kind: Type) -> Value:
    return NO_MEASURE if measure in ("distance", "away", "seconds_since_seen") else kind.start


def _squad_enemies(situation: Situation) -> list[Fact]:
    """Return all facts of the squad about enemies."""
    context = situation.context
    return [fact for mate in context.squad_members(situation.occasion.who) for fact in context.enemies(mate.name)]


def _since_seen(situation: Situation) -> float:
    last = max((fact.time for fact in _squad_enemies(situation)), default=-math.inf)
    return min(NO_MEASURE, situation.context.now - last)


def _enemy_distance(situation: Situation) -> float:
    context, who = situation.context, situation.occasion.who
    places = (_position(fact.attributes) for fact in context.enemies(who))
    here = context.speakers[who].position
    return min((math.dist(here, there) for there in places if there is not None), default=NO_MEASURE)


def _behaviour(situation: Situation) -> str:
    said = str(situation.occasion.about.get("behaviour") or "idle").replace("-", "_")
    return said if said in BEHAVIOURS.labels else "other"


def _away(situation: Situation, who: str) -> float:
    speakers = situation.context.speakers
    return math.dist(speakers[situation.occasion.who].position, speakers[who].position)


def _count(situation: Situation, speaker: str) -> str | None:
    known = len(situation.context.enemies(speaker))
    return None if not known else _NUMBERS[known] if known < len(_NUMBERS) else "a dozen"


def _enemy(situation: Situation, speaker: str) -> str | None:
    return next((fact.subject for fact in situation.context.enemies(speaker)), None)


SQUAD_VALUES: dict[str, Callable[[Situation], Value]] = {
    "comrades": lambda it: len(it.context.comrades(it.occasion.who)),
    "squad_size": lambda it: len(it.context.squad_members(it.occasion.who)),
    "enemies": lambda it: len({fact.subject for fact in _squad_enemies(it)}),
    "enemy_seen": lambda it: any(map(it.context.is_seen, _squad_enemies(it))),
    "seconds_since_seen": _since_seen,
    "distance": _enemy_distance,
    "behaviour": _behaviour,
}
ROLE_VALUES: dict[str, Callable[[Situation, str], Value]] = {
    "health": lambda it, who: it.context.speakers[who].health,
    "rank": lambda it, who: it.context.speakers[who].rank,
    "under_fire": lambda it, who: it.context.self_flag(who, "under_fire"),
    "sees_enemy": lambda it, who: it.context.sees_enemy(who),
    "knows_enemy": lambda it, who: bool(it.context.enemies(who)),
    "enemies": lambda it, who: len(it.context.enemies(who)),
    "knows_cover": lambda it, who: it.context.knows_cover(who),
    "away": _away,
}
SLOT_VALUES: dict[str, Callable[[Situation, str], str | None]] = {
    "enemy": _enemy,
    "count": _count,
    "place": Situation.place,
    "last_place": lambda it, speaker: it.enemy_place(speaker, fresh=False),
    "behaviour": lambda it, _: it.occasion_text("behaviour"),
    "room": lambda it, _: it.occasion_text("room"),
    "door": lambda it, _: it.occasion_text("door"),
    "why": lambda it, _: it.occasion_text("why"),
}
