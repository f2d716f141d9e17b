"""The first and the last record of a fight; those between come from minds, squads and the arena itself."""

from dataclasses import dataclass

from telos.core.frozen import FrozenMap


@dataclass(frozen=True, slots=True)
class Started:
    """The first record of a fight: all that is needed to repeat it."""

    time: float
    world: str
    scene: str
    seed: int
    sides: FrozenMap[str, tuple[str, ...]]  # each side, and who fights on it


@dataclass(frozen=True, slots=True)
class Ended:
    """The last record of a fight. A fight that nobody has won has no winner."""

    time: float
    winner: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Commanded:
    """What bodies were told to do in a step; with the seed, this is all that it takes to play a fight again."""

    time: float
    commands: FrozenMap[str, str]
