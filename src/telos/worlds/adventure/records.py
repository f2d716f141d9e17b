"""The trace of a game with company: what was read, said and advised, beside what the minds tell of themselves."""

from dataclasses import dataclass, field

from telos.core.frozen import FrozenMap


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody said something."""

    time: float
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Read:
    """The companion took in what the player did, and believes this since."""

    time: float
    who: str
    action: str
    belief: FrozenMap[str, float] = field(default_factory=FrozenMap)


@dataclass(frozen=True, slots=True)
class Adapted:
    """What is earned counts otherwise since, or a hint was given."""

    time: float
    pay: FrozenMap[str, float] = field(default_factory=FrozenMap)
    hint: str = ""
