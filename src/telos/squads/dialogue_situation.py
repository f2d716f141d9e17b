"""What is so when somebody might speak: the values that conditions ask for, and the words that go into slots."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from telos.agents.memory import Fact
from telos.core.conditions import Condition
from telos.core.expressions import names
from telos.core.values import Type, Value
from telos.squads.dialogue_stage import Position, Stage
from telos.squads.lines_exchange import Exchange
from telos.squads.lines_words import BEHAVIOURS, ROLE_VARIABLES, SQUAD_VARIABLES
from telos.squads.utterances import Occasion

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
        used = (name for name in names(condition.expression) if name in layout.slots)
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
