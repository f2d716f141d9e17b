"""Bodies, doors, grenades, items."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from telos.core.errors import TelosError, name_hint
from telos.core.values import FrozenMap, Value, check_not_negative
from telos.worlds.arena.sim.constants import FLIGHT, FUSE, TICKS_A_SECOND, WEAPONS, Weapon
from telos.worlds.arena.sim.map import Cell, Point, cell_of
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome

# --- fighter ----------------------------------------------------------------------------------------------------------
# Fighters: who is placed on a map, what their bodies are like, and what a body is busy with.


# What a scene may say about a body, and what is true if it says nothing.
BODY_KEYS: Mapping[str, Value] = FrozenMap(
    {
        "health": 100.0,  # at most 100
        "speed": 4.0,  # metres a second, running
        "weapon": "rifle",
        "magazines": 3,  # spare ones
        "grenades": 0,
        "rank": 0,  # who gives orders to whom
        "reach": 1.8,  # metres, with fists
        "flies": False,  # passes over furniture and low obstacles
        "small": False,  # passes under low obstacles
        "climbs": False,  # may jump to a wall
        "breath": 0.0,  # seconds of running until it is out of breath; 0 is endless
    }
)
_NAME = re.compile(r"[^\s,]+\Z")


@dataclass(frozen=True, slots=True)
class Placed:
    """Somebody who is in the fight from the start; ``body`` says how they differ from ``BODY_KEYS``."""

    name: str
    side: str
    character: str
    x: float
    y: float
    body: Mapping[str, Value] = field(default_factory=FrozenMap)


@dataclass(slots=True)
class Act:
    """A command under way. Plain values only, so that it can be saved."""

    state: str  # "goto", "animate" or "use"
    text: str  # the command as it was given
    name: str  # the pace, the animation or the use
    target: str = ""  # whom or what it is aimed at, or where it leads
    x: float = 0.0
    y: float = 0.0
    ticks: int = 0  # since it began
    lasts: int = 0  # ticks that it takes
    way: list[Point] = field(default_factory=list)  # still to go, or to leap along
    posture: str = "open"  # what the body shows behind cover: "open", "half", "covered", "blind"; or "rolling"
    crouched: bool = False
    unseen: int = 0  # ticks without a line to the target
    tries: int = 0  # free cells looked for at the end of the way


@dataclass(slots=True, eq=False)
class Fighter:
    """A body as the arena moves it. Look, and do not touch: only commands change it."""

    name: str
    side: str
    character: str
    index: int  # the place in the cast
    x: float
    y: float
    health: float
    speed: float
    weapon: Weapon
    rounds: int
    magazines: int
    grenades: int
    rank: int
    reach: float
    flies: bool
    small: bool
    climbs: bool
    breath: float
    healthy: float  # the health that it started with, and cannot be healed beyond
    cell: Cell = (0, 0)
    facing: float = 0.0
    alive: bool = True
    act: Act | None = None
    status: str = "done"
    outcome: ActOutcome = DONE  # of the last command
    cloaked: bool = False
    on_wall: bool = False
    suppressed: float = 0.0
    winded: float = 0.0  # seconds of running that the body still feels
    out_of_breath: bool = False
    fires_at: int = 0  # the tick from which the weapon is ready
    stepped_at: int = -1000  # the tick of the last loud footstep

    @classmethod
    def made(cls, placed: Placed, index: int) -> "Fighter":
        """Return the body of somebody who was placed."""
        about = body_of(placed.body, placed.name)
        weapon = WEAPONS[about.pop("weapon")]
        return cls(
            placed.name,
            placed.side,
            placed.character,
            index,
            float(placed.x),
            float(placed.y),
            weapon=weapon,
            rounds=weapon.magazine,
            healthy=about["health"],
            cell=cell_of((placed.x, placed.y)),
            **about,
        )

    @property
    def position(self) -> Point:
        """Return where it is."""
        return self.x, self.y

    @property
    def reason(self) -> str:
        """Return why the last command failed, in words."""
        return self.outcome.text

    @property
    def crouched(self) -> bool:
        """Whether it makes itself small."""
        return self.act is not None and self.act.crouched

    @property
    def is_walking(self) -> bool:
        """Whether it is on its way somewhere, at any pace."""
        return self.act is not None and self.act.state == "goto"

    @property
    def is_running(self) -> bool:
        """Whether it is on its way faster than at a walk."""
        return self.act is not None and self.act.state == "goto" and self.act.name != "walk" and not self.out_of_breath

    def distance_to(self, point: Point) -> float:
        """Return how far away a point is, as the crow flies."""
        return math.hypot(point[0] - self.x, point[1] - self.y)

    def turn_to(self, point: Point) -> None:
        """Face a point."""
        if point != (self.x, self.y):
            self.facing = math.atan2(point[1] - self.y, point[0] - self.x)


def body_of(body: Mapping[str, Value], name: str) -> dict[str, Value]:
    """Return all that is true of a body, checked.

    >>> body_of({"helth": 50}, "Rex")
    Traceback (most recent call last):
    ...
    telos.core.errors.TelosError: the body of 'Rex' has no 'helth'; did you mean 'health'?
    """
    if not isinstance(name, str) or not _NAME.match(name):
        raise TelosError(f"{name!r} cannot name a fighter", "use no spaces and no commas")
    for key in body:
        if key not in BODY_KEYS:
            raise TelosError(f"the body of {name!r} has no {key!r}", name_hint(str(key), BODY_KEYS))
    return {key: _checked(name, key, body.get(key, usual), usual) for key, usual in BODY_KEYS.items()}


def _checked(name: str, key: str, value: Value, usual: Value) -> Value:
    what = f"{key!r} of the body of {name!r}"
    if key == "weapon":
        if not isinstance(value, str) or value not in WEAPONS:
            raise TelosError(f"{what} cannot be {value!r}", name_hint(str(value), WEAPONS))
        return value
    if isinstance(usual, bool):
        if not isinstance(value, bool):
            raise TelosError(f"{what} is true or false, not {value!r}")
        return value
    number = check_not_negative(what, value)
    if isinstance(usual, int):
        if number != int(number):
            raise TelosError(f"{what} must be a whole number, got {value!r}")
        return int(number)
    if key in ("health", "speed") and not 0 < number <= 100:
        raise TelosError(f"{what} must be more than 0 and at most 100, got {value!r}")
    return number


# --- things -----------------------------------------------------------------------------------------------------------
# Things that bodies deal with: doors, what lies about, and grenades in the air.


THING_KINDS = ("medkit", "ammo", "desk")


@dataclass(frozen=True, slots=True)
class ThingPlaced:
    """Something that the scene puts on the map: a ``medkit``, a box of ``ammo``, a ``desk``."""

    name: str
    kind: str
    x: float
    y: float


@dataclass(slots=True)
class Door:
    """A door; whoever holds it keeps everybody from opening it."""

    name: str
    cell: Cell
    state: str  # "closed", "open" or "locked"
    held_by: str | None = None

    @property
    def is_shut(self) -> bool:
        """Whether it is in the way."""
        return self.state != "open"


@dataclass(frozen=True, slots=True)
class Grenade:
    """A grenade, from the hand to the bang."""

    name: str
    by: str
    start: Point
    end: Point
    thrown: int  # the tick at which it left the hand

    def position(self, tick: int) -> Point:
        """Return where it is: it flies evenly, and then lies still.

        >>> Grenade("g1", "Rex", (0.0, 0.0), (10.0, 0.0), thrown=100).position(105)
        (5.0, 0.0)
        """
        part = min(1.0, (tick - self.thrown) / FLIGHT)
        (x, y), (to_x, to_y) = self.start, self.end
        return x + (to_x - x) * part, y + (to_y - y) * part

    def left(self, tick: int) -> float:
        """Return the seconds until it goes off."""
        return (self.thrown + FUSE - tick) / TICKS_A_SECOND
