"""What the companion perceives, what it looks at, and how that is put into the words that it plans with."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from telos.agents.attention import Attention
from telos.agents.memory import Fact, WorkingMemory
from telos.core.frozen import FrozenMap
from telos.core.values import Value
from telos.worlds.adventure.play import Play
from telos.worlds.adventure.ways import homeward, onward, spot_at

if TYPE_CHECKING:
    from telos.worlds.adventure.companion import Companion

TAKEN, KEPT = 0.6, 0.35  # a goal is believed from the one chance on, and until it falls below the other
BESIDE = 110.0  # pixels: so near it is with the player
AT_EXIT = 20.0
NOTICED = 220.0  # pixels around the player in which a monster is worth a fight
PRESSING = 130.0  # ... and in which it is a danger


class Eyes:
    """Sees the whole area: the player, the monsters, and where its exits lead."""

    cost = 1.0

    def __init__(self, play: Play, companion: "Companion") -> None:
        self._play, self._companion = play, companion

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        """Return what is seen now."""
        play, me = self._play, self._companion
        near = _distance(play.x, play.y, me.x, me.y) <= BESIDE
        return [
            Fact("player", "player", now, attributes=FrozenMap({"x": play.x, "y": play.y, "near": near})),
            *self._exits(now),
            *self._monsters(now),
        ]

    def _exits(self, now: float) -> list[Fact]:
        play, me, areas = self._play, self._companion, self._play.rules.map
        leading, home = onward(areas, play.area, play.visited), homeward(areas, play.area)
        facts = []
        for edge in areas.exits[play.area]:
            x, y = spot_at(play.rules, edge)
            about = {
                "screens": leading.get(edge),  # to where nobody has been
                "home": edge in home,
                "away": _distance(x, y, play.x, play.y),  # from the player
                "here": _distance(x, y, me.x, me.y) <= AT_EXIT,
            }
            facts.append(Fact("exit", edge, now, attributes=FrozenMap(about)))
        return facts

    def _monsters(self, now: float) -> list[Fact]:
        play, me = self._play, self._companion
        facts = []
        for beast in play.company.beasts if play.company is not None else ():
            about = {
                "from_player": _distance(beast.x, beast.y, play.x, play.y),
                "from_me": _distance(beast.x, beast.y, me.x, me.y),
                "stunned": beast.stunned > 0,
            }
            facts.append(Fact("monster", beast.name, now, attributes=FrozenMap(about)))
        return facts


def _distance(x: float, y: float, to_x: float, to_y: float) -> float:
    return math.sqrt((x - to_x) * (x - to_x) + (y - to_y) * (y - to_y))


def _chance(goal: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Rate a goal by its chance. It takes more to be believed than to stay so."""
    least = KEPT if memory.focus.get("reading") == goal.subject else TAKEN
    return float(goal["chance"]) if goal["chance"] >= least else None


def _nearness(monster: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Rate a monster by how near it is to the player, and then to oneself; who is stunned or far is let be."""
    if monster["stunned"] or monster["from_player"] > NOTICED:
        return None
    return float(-monster["from_player"] - 0.5 * monster["from_me"])


def _newness(way: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Rate an exit by how soon it leads to something new, and then by how near the player is to it."""
    return None if way["screens"] is None else float(-1000.0 * way["screens"] - way["away"])


def _homeliness(way: Fact, memory: WorkingMemory, now: float) -> float | None:
    """Rate an exit that leads nearer to town by how near the player is to it."""
    return float(-way["away"]) if way["home"] else None


ATTENTION = (
    Attention("reading", "goal", _chance, margin=0.2),
    Attention("foe", "monster", _nearness, margin=60.0),
    Attention("onward", "exit", _newness, margin=120.0),
    Attention("homeward", "exit", _homeliness, margin=120.0),
)


class Believer:
    """Puts memory into the variables of the domain. ``words`` says which of the goals it reads is which for it."""

    def __init__(self, words: Mapping[str, str], reach: float) -> None:
        self._words, self._reach = dict(words), reach

    def __call__(self, memory: WorkingMemory, now: float) -> Mapping[str, Value]:
        """Return the values of the variables."""
        focus = memory.focus
        player = memory.recall("player", "player", now)
        foe = _looked_at(memory, "monster", "foe", now)
        onward, home = _looked_at(memory, "exit", "onward", now), _looked_at(memory, "exit", "homeward", now)
        return {
            "reading": self._words.get(focus.get("reading") or "", "unsure"),
            "foe": "nobody" if foe is None else self._state_of(foe),
            "pressed": foe is not None and foe["from_player"] <= PRESSING,
            "onward": onward is not None,
            "homeward": home is not None,
            "beside": player is not None and player["near"],
            "at_onward": onward is not None and onward["here"],
            "at_homeward": home is not None and home["here"],
        }

    def _state_of(self, foe: Fact) -> str:
        if foe["stunned"]:
            return "down"
        return "at_hand" if foe["from_me"] <= self._reach else "far"


def _looked_at(memory: WorkingMemory, kind: str, focus: str, now: float) -> Fact | None:
    subject = memory.focus.get(focus)
    return None if subject is None else memory.recall(kind, subject, now)
