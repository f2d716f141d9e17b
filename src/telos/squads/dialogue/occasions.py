"""Occasions for dialogue, the speakers, and the record of a conversation that broke off."""

import math
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from telos.agents.memory import WorkingMemory
from telos.core.errors import TelosError, name_hint
from telos.core.values import FrozenMap, Value

# Kinds of occasions, with the text of each in a trace.
OCCASIONS: dict[str, str] = {
    "hit": "was hit",
    "down": "went down",
    "spotted": "spotted an enemy",
    "lost": "lost sight of the enemy",
    "grenade": "noticed a grenade",
    "ordered": "was given orders",
    "fulfilled": "carried out orders",
    "no_cover": "is under fire and knows no cover",
    "last_man": "is the last one left",
    "reloading": "is reloading",
    "searching": "is searching",
    "cleared": "found a room empty",
    "enemy_down": "saw an enemy go down",
    "blocked": "found the way blocked",
    "refused": "had more pressing things to do than an order",
}
URGENT = frozenset({"grenade", "down"})  # interrupt other talk
_NOTHING: FrozenMap[str, Value] = FrozenMap()


@dataclass(frozen=True, slots=True)
class Occasion:
    """Something that happened to ``who`` and may be talked about; ``about`` holds what the squad layer knows of it.

    It reads ``x`` and ``y`` or ``place`` (of a grenade, a room, a door), ``target`` (a name), ``behaviour``, ``orders``
    (a name to its order, whose first word is the task), ``room``, ``door`` and ``why``, each where there is one.

    >>> Occasion("hit", 3.0, "Bob").why
    'Bob was hit'
    """

    kind: str
    time: float
    who: str
    about: FrozenMap[str, Value] = field(default=_NOTHING)

    def __post_init__(self) -> None:
        if self.kind not in OCCASIONS:
            raise TelosError(f"unknown occasion {self.kind!r}", name_hint(self.kind, OCCASIONS))
        if not math.isfinite(self.time):
            raise TelosError(f"the time of an occasion must be a finite number of seconds, got {self.time!r}")

    @property
    def why(self) -> str:
        """Return what happened as text."""
        return f"{self.who} {OCCASIONS[self.kind]}"

    @property
    def is_urgent(self) -> bool:
        """Whether it interrupts other talk."""
        return self.kind in URGENT


class Speaker(Protocol):
    """Anybody on the field, of either side, dead or alive.

    Dialogue reads facts of the kinds ``enemy`` (x, y, seen), ``cover`` (valid) and ``self`` (under_fire) from the
    memory.
    """

    @property
    def name(self) -> str: ...
    @property
    def side(self) -> str: ...
    @property
    def alive(self) -> bool: ...
    @property
    def conscious(self) -> bool: ...
    @property
    def position(self) -> tuple[float, float]:
        """Return x and y in metres, y growing southwards."""

    @property
    def health(self) -> float:
        """Return 0 to 100."""

    @property
    def rank(self) -> int: ...
    @property
    def memory(self) -> WorkingMemory: ...


@dataclass(frozen=True, slots=True)
class ConversationBrokenOff:
    """A conversation ended before its last line, because that no longer fitted the situation."""

    KIND: ClassVar[str] = "brokenoff"
    time: float
    exchange: str
    why: str
