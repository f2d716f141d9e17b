"""A scene: a map, who and what is on it, and how they are led. Plain data, as a scene file describes it."""

from dataclasses import dataclass, field

from telos.core.frozen import FrozenMap
from telos.core.values import Value
from telos.worlds.arena.map import ArenaMap


@dataclass(frozen=True, slots=True)
class Cue:
    """A command that somebody without a mind is given at a time, in seconds from the start of the script."""

    at: float
    do: str


@dataclass(frozen=True, slots=True)
class CastMember:
    """Somebody in a scene. Who has a ``script`` has no mind; after ``repeat`` seconds the script starts over.

    ``letter`` is the mark on the map, (``x``, ``y``) its place in metres; ``body`` changes what the character has.
    """

    letter: str
    name: str
    character: str
    side: str
    x: float
    y: float
    rank: int = 0
    body: FrozenMap[str, Value] = field(default_factory=FrozenMap)
    script: tuple[Cue, ...] | None = None
    repeat: float | None = None


@dataclass(frozen=True, slots=True)
class SceneThing:
    """Something that lies on the map."""

    letter: str
    name: str
    kind: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a fight starts from but its seed.

    ``squads`` are the squad behaviours that are on, ``objectives`` what each side is told to achieve, by side.
    """

    name: str
    about: str
    seconds: float
    map: ArenaMap
    cast: tuple[CastMember, ...]
    things: tuple[SceneThing, ...] = ()
    squads: tuple[str, ...] = ()
    objectives: FrozenMap[str, FrozenMap[str, Value]] = field(default_factory=FrozenMap)
    talk: bool = False

    @property
    def sides(self) -> tuple[str, ...]:
        """Return the sides of the fight, in the order of the cast."""
        return tuple(dict.fromkeys(member.side for member in self.cast))
