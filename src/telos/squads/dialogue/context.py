"""What speakers know."""

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

# --- dialogue stage ---------------------------------------------------------------------------------------------------
# Everybody there is at one moment: who can speak, who hears whom, and what each knows of the enemy.


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


# --- dialogue situation -----------------------------------------------------------------------------------------------
# What is so when somebody might speak: the values that conditions ask for, and the words that go into slots.


NEVER = 999.0  # what a condition reads when there is nothing to measure
PLACED = frozenset({"grenade", "cleared", "blocked"})  # occasions that are about a place of their own
_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_PIECES = re.compile(r"(\{\w+\})")
_BEGINS = re.compile(r"(?:^|(?<!\.)[.!?]\s*)\Z")  # a sentence begins here; not after an ellipsis


@dataclass(frozen=True, slots=True)
class Situation:
    """An occasion with its cast, on the stage as it is now."""

    stage: Stage
    occasion: Occasion
    cast: Mapping[str, str]

    def holds(self, exchange: Exchange, condition: Condition) -> bool:
        """Whether a condition of the exchange is true now."""
        layout = exchange.layout
        used = (name for name in names_in(condition.expression) if name in layout.slots)
        return condition.holds(layout.state({name: self.value(name) for name in used}))

    def value(self, name: str) -> Value:
        """Return the value of a variable that conditions may use."""
        role = next((role for role in self.cast if name in {f"{role}_{measure}" for measure in ROLE}), None)
        if role is None:
            there = self.occasion.who in self.stage.speakers
            return SQUAD[name](self) if there else _unknown(name, SQUAD_VARIABLES[name][0])
        measure, who = name.removeprefix(f"{role}_"), self.cast[role]
        # The enemy that an occasion names may be nobody whose health or memory one could ask for.
        there = who in self.stage.speakers and self.occasion.who in self.stage.speakers
        return ROLE[measure](self, who) if there else _unknown(measure, ROLE_VARIABLES[measure][0])

    def filled(self, text: str, speaker: str) -> str | None:
        """Return a text with its slots filled from what the speaker knows; None if he does not know it all."""
        done = ""
        for piece in _PIECES.split(text):
            if piece[:1] != "{":
                done += piece
                continue
            words = self._words(piece[1:-1], speaker)
            if words is None:
                return None
            done += words[:1].upper() + words[1:] if _BEGINS.search(done) else words
        return done

    def _words(self, slot: str, speaker: str) -> str | None:
        return self.cast[slot] if slot in self.cast else FILLERS[slot](self, speaker)

    def place(self, speaker: str) -> str | None:
        """Return in words where it is: the place that the occasion has, or where the speaker sees an enemy."""
        if self.occasion.kind not in PLACED:
            return self.enemy_place(speaker, fresh=True)
        there = _position(self.occasion.about)
        here = self.stage.speakers[speaker].position
        return self.told("place") or (self.stage.words(here, there) if there else None)

    def enemy_place(self, speaker: str, *, fresh: bool) -> str | None:
        """Return in words where the speaker knows an enemy to be, or to have been."""
        for fact in self.stage.enemies(speaker):
            there = _position(fact.attributes)
            if there is not None and (self.stage.is_seen(fact) or not fresh):
                return self.stage.words(self.stage.speakers[speaker].position, there)
        return None

    def told(self, what: str) -> str | None:
        """Return what the occasion says of itself under a name, in words."""
        said = self.occasion.about.get(what)
        return str(said).replace("-", " ").replace("_", " ") if said else None


def _position(known: Mapping[str, Value]) -> Position | None:
    x, y = known.get("x"), known.get("y")
    return None if x is None or y is None else (float(x), float(y))


def _unknown(measure: str, kind: Type) -> Value:
    return NEVER if measure in ("distance", "away", "seconds_since_seen") else kind.start


def _known(situation: Situation) -> list[Fact]:
    """Return what the squad knows of enemies."""
    stage = situation.stage
    return [fact for mate in stage.squad(situation.occasion.who) for fact in stage.enemies(mate.name)]


def _since_seen(situation: Situation) -> float:
    last = max((fact.time for fact in _known(situation)), default=-math.inf)
    return min(NEVER, situation.stage.now - last)


def _enemy_distance(situation: Situation) -> float:
    stage, who = situation.stage, situation.occasion.who
    places = (_position(fact.attributes) for fact in stage.enemies(who))
    here = stage.speakers[who].position
    return min((math.dist(here, there) for there in places if there is not None), default=NEVER)


def _behaviour(situation: Situation) -> str:
    said = str(situation.occasion.about.get("behaviour") or "idle").replace("-", "_")
    return said if said in BEHAVIOURS.labels else "other"


def _away(situation: Situation, who: str) -> float:
    speakers = situation.stage.speakers
    return math.dist(speakers[situation.occasion.who].position, speakers[who].position)


def _count(situation: Situation, speaker: str) -> str | None:
    known = len(situation.stage.enemies(speaker))
    return None if not known else _NUMBERS[known] if known < len(_NUMBERS) else "a dozen"


def _enemy(situation: Situation, speaker: str) -> str | None:
    return next((fact.subject for fact in situation.stage.enemies(speaker)), None)


SQUAD: dict[str, Callable[[Situation], Value]] = {
    "comrades": lambda it: len(it.stage.comrades(it.occasion.who)),
    "squad_size": lambda it: len(it.stage.squad(it.occasion.who)),
    "enemies": lambda it: len({fact.subject for fact in _known(it)}),
    "enemy_seen": lambda it: any(map(it.stage.is_seen, _known(it))),
    "seconds_since_seen": _since_seen,
    "distance": _enemy_distance,
    "behaviour": _behaviour,
}
ROLE: dict[str, Callable[[Situation, str], Value]] = {
    "health": lambda it, who: it.stage.speakers[who].health,
    "rank": lambda it, who: it.stage.speakers[who].rank,
    "under_fire": lambda it, who: it.stage.flag(who, "under_fire"),
    "sees_enemy": lambda it, who: it.stage.sees_enemy(who),
    "knows_enemy": lambda it, who: bool(it.stage.enemies(who)),
    "enemies": lambda it, who: len(it.stage.enemies(who)),
    "knows_cover": lambda it, who: it.stage.knows_cover(who),
    "away": _away,
}
FILLERS: dict[str, Callable[[Situation, str], str | None]] = {
    "enemy": _enemy,
    "count": _count,
    "place": Situation.place,
    "last_place": lambda it, speaker: it.enemy_place(speaker, fresh=False),
    "behaviour": lambda it, _: it.told("behaviour"),
    "room": lambda it, _: it.told("room"),
    "door": lambda it, _: it.told("door"),
    "why": lambda it, _: it.told("why"),
}
