"""What a monster with a mind perceives, and how that is put into the words that it plans with."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from telos.agents.memory import Fact, WorkingMemory
from telos.core.frozen import FrozenMap
from telos.core.values import Value
from telos.worlds.adventure.directions import VECTORS
from telos.worlds.adventure.play import Play

if TYPE_CHECKING:
    from telos.worlds.adventure.beast import Beast

GUARDED = 150.0  # pixels around its post in which a guard bears nobody
AT_POST = 12.0
BLADE = 130.0  # pixels: a sword that is swung, or a staff, is to be feared from so near
_PLAYER, _SELF, _BLADE = "player", "self", "blade"


def is_watched(play: Play, x: float, y: float) -> bool:
    """Whether the player faces what is at a spot: it lies less than 75 degrees beside the way faced."""
    right, down = VECTORS[play.facing]
    across, along = x - play.x, y - play.y
    return across * right + along * down > 0.26 * math.sqrt(across * across + along * along)


def is_near(play: Play, x: float, y: float, reach: float) -> bool:
    """Whether the player is within ``reach`` pixels of a spot."""
    return (play.x - x) ** 2 + (play.y - y) ** 2 <= reach * reach


class Eyes:
    """Sees the player inside ``monsters.sight``, a blade that is near, and where it stands itself."""

    cost = 1.0

    def __init__(self, play: Play, beast: "Beast") -> None:
        self._play, self._beast = play, beast

    def read(self, who: str, memory: WorkingMemory, now: float) -> list[Fact]:
        """Return what is seen now."""
        play, beast = self._play, self._beast
        facts = [Fact("self", _SELF, now, attributes=FrozenMap({"at_post": beast.is_at_post}))]
        sight = play.rules.monsters.sight or math.inf
        if is_near(play, beast.x, beast.y, sight):
            about = {
                "x": play.x,
                "y": play.y,
                "watches": is_watched(play, beast.x, beast.y),
                "intrudes": is_near(play, *beast.post, GUARDED),
            }
            facts.append(Fact("player", _PLAYER, now, attributes=FrozenMap(about)))
        if self._is_blade_near():
            facts.append(Fact("blade", _BLADE, now))
        return facts

    def _is_blade_near(self) -> bool:
        play, x, y = self._play, self._beast.x, self._beast.y
        if play.swinging and is_near(play, x, y, BLADE):
            return True
        companion = play.company.companion if play.company is not None else None
        return companion is not None and companion.is_threat(x, y)


def believe(memory: WorkingMemory, now: float) -> Mapping[str, Value]:
    """Put memory into the variables of the domain."""
    player, own = memory.recall("player", _PLAYER, now), memory.recall("self", _SELF, now)
    return {
        "sees": player is not None,
        "intruder": player is not None and player["intrudes"],
        "watched": player is not None and player["watches"],
        "danger": memory.recall("blade", _BLADE, now) is not None,
        "at_post": own is not None and own["at_post"],
        "restless": memory.recall("deed", "prowl", now) is None,
        "caught": False,
    }
