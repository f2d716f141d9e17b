"""Occasions for dialogue, the speakers, and the record of a conversation that broke off."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from telos.agents.memory import WorkingMemory
from telos.core.errors import TelosError
from telos.core.values import FrozenMap, Value

_NOTHING: FrozenMap[str, Value] = FrozenMap()


@dataclass(frozen=True, slots=True)
class Occasion:
    """Something that happened to ``who`` and may be talked about; ``about`` holds what the game tells of it.

    The vocabulary of the lines says which kinds there are, and what each is about. In combat that is ``x`` and ``y`` or
    ``place`` (of a grenade, a room, a door), ``target`` (a name), ``behaviour``, ``orders`` (a name to its order, whose
    first word is the task), ``room``, ``door`` and ``why``, each where there is one.

    >>> Occasion("sold", 3.0, "Ann", {"buyer": "Bob", "price": 12}).about["price"]
    12
    """

    kind: str
    time: float
    who: str
    about: Mapping[str, Value] = field(default=_NOTHING)

    def __post_init__(self) -> None:
        if not math.isfinite(self.time):
            raise TelosError(f"the time of an occasion must be a finite number of seconds, got {self.time!r}")
        if not isinstance(self.about, FrozenMap):
            object.__setattr__(self, "about", FrozenMap(self.about))


class Speaker(Protocol):
    """Anybody on the field, of either side, dead or alive.

    Dialogue in combat reads facts of the kinds ``enemy`` (x, y, seen), ``cover`` (valid) and ``self`` (under_fire) from
    the memory. Role variables that a line file declares are attributes of these names.
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


@dataclass
class Person:
    """A speaker of any game; subclass it to add role variables.

    >>> Person("Ann").alive, Person("Bob", position=(3.0, 4.0)).position
    (True, (3.0, 4.0))
    """

    name: str
    side: str = "people"
    alive: bool = True
    conscious: bool = True
    position: tuple[float, float] = (0.0, 0.0)
    health: float = 100.0
    rank: int = 0
    memory: WorkingMemory = field(default_factory=WorkingMemory)


@dataclass(frozen=True, slots=True)
class ConversationBrokenOff:
    """A conversation ended before its last line, because that no longer fitted the situation."""

    KIND: ClassVar[str] = "brokenoff"
    time: float
    exchange: str
    why: str
