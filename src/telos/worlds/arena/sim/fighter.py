"""Mutable state of fighters, doors and things: what the simulation moves.

`FighterPlacement` describes a fighter at the start, `Fighter` is its state, `Act` the command that it carries out.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from telos.core.errors import TelosError, name_hint
from telos.core.values import FrozenMap, Value, check_not_negative
from telos.worlds.arena.sim.constants import FLIGHT_TICKS, FUSE_TICKS, TICKS_A_SECOND, WEAPONS, Weapon
from telos.worlds.arena.sim.map import Cell, Point, cell_of
from telos.worlds.arena.sim.outcomes import DONE, ActOutcome

# Properties of a body that scenes and characters may set, with their defaults.
BODY_KEYS: Mapping[str, Value] = FrozenMap(
    {
        "health": 100.0,  # a burst of a rifle takes 25
        "speed": 4.0,  # metres a second, running
        "weapon": "rifle",  # or a list of weapons, of which the first is in hand
        "magazines": 3,  # spare ones of each weapon
        "grenades": 0,
        "rank": 0,  # the highest rank leads
        "reach": 1.8,  # metres of a melee attack
        "flies": False,  # passes over furniture and low obstacles
        "small": False,  # passes under low obstacles
        "climbs": False,  # can hang on walls
        "breath": 0.0,  # seconds of running until out of breath; 0 for unlimited
    }
)
_POSITIVE = ("health", "speed")  # a body without either is none
_LIMITS = {"speed": 100}
MAX_NUMBER = 10_000  # of every other number: enough for any game, and few enough for saves
_NAME = re.compile(r"[^\s,]+\Z")


@dataclass(frozen=True, slots=True)
class FighterPlacement:
    """A fighter at the start of a fight; ``body`` overrides defaults of ``BODY_KEYS``."""

    name: str
    side: str
    character: str
    x: float
    y: float
    body: Mapping[str, Value] = field(default_factory=FrozenMap)


@dataclass(slots=True)
class Act:
    """The command that a fighter is carrying out. Plain values only, so that it can be saved."""

    state: str  # "goto", "animate" or "use"
    text: str  # the command as it was given
    name: str  # the pace, animation or use
    target: str = ""  # the name of the target or destination
    x: float = 0.0
    y: float = 0.0
    ticks: int = 0  # since the start
    lasts: int = 0  # duration in ticks
    way: list[Point] = field(default_factory=list)  # points still to reach
    posture: str = "open"  # exposure behind cover: "open", "half", "covered", "blind"; or "rolling" or "prone"
    crouched: bool = False
    unseen: int = 0  # ticks without a line of sight to the target
    tries: int = 0  # free cells tried at the end of a walk


class Ammunition(NamedTuple):
    """What is left for a weapon."""

    rounds: int
    magazines: int  # spare


@dataclass(slots=True, eq=False)
class Fighter:
    """Mutable fighter state. Read-only for callers; change it through commands."""

    name: str
    side: str
    character: str
    index: int  # position in the cast
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
    healthy: float  # initial health, the limit of healing
    cell: Cell = (0, 0)
    facing: float = 0.0
    alive: bool = True
    act: Act | None = None
    status: str = "done"
    outcome: ActOutcome = DONE  # of the last command
    cloaked: bool = False
    on_wall: bool = False
    suppressed: float = 0.0
    winded: float = 0.0  # seconds of running not yet recovered from
    out_of_breath: bool = False
    fires_at: int = 0  # the tick at which the weapon is ready again
    stepped_at: int = -1000  # the tick of the last audible footstep
    holstered: dict[str, Ammunition] = field(default_factory=dict)  # of the weapons that are not in hand
    slumped_over: str = ""  # the thing that the dead body lies over

    @classmethod
    def from_placement(cls, placed: FighterPlacement, index: int) -> "Fighter":
        """Return the fighter that a placement describes."""
        properties = check_body(placed.body, placed.name)
        weapon, *others = (WEAPONS[name] for name in _as_names(properties.pop("weapon")))
        return cls(
            placed.name,
            placed.side,
            placed.character,
            index,
            float(placed.x),
            float(placed.y),
            weapon=weapon,
            rounds=weapon.magazine,
            holstered={each.name: Ammunition(each.magazine, properties["magazines"]) for each in others},
            healthy=properties["health"],
            cell=cell_of((placed.x, placed.y)),
            **properties,
        )

    @property
    def arms(self) -> dict[str, Ammunition]:
        """The weapons and what is left for each, the one in hand first."""
        return {self.weapon.name: Ammunition(self.rounds, self.magazines), **self.holstered}

    def draw(self, weapon: str) -> None:
        """Put away what is in hand, and take another weapon that is carried."""
        taken = self.holstered.pop(weapon)
        self.holstered[self.weapon.name] = Ammunition(self.rounds, self.magazines)
        self.weapon, (self.rounds, self.magazines) = WEAPONS[weapon], taken

    @property
    def position(self) -> Point:
        return self.x, self.y

    @property
    def reason(self) -> str:
        """Return why the last command failed."""
        return self.outcome.text

    @property
    def crouched(self) -> bool:
        return self.act is not None and self.act.crouched

    @property
    def is_walking(self) -> bool:
        """Whether the fighter is on its way somewhere, at any pace."""
        return self.act is not None and self.act.state == "goto"

    @property
    def is_running(self) -> bool:
        """Whether the fighter moves faster than at a walk."""
        paced = self.act is not None and self.act.state == "goto" and self.act.name not in ("walk", "crawl")
        return paced and not self.out_of_breath

    @property
    def is_crawling(self) -> bool:
        """Whether the fighter is on its way on its belly."""
        return self.act is not None and self.act.state == "goto" and self.act.name == "crawl"

    def distance_to(self, point: Point) -> float:
        """Return the straight distance to a point in metres."""
        return math.hypot(point[0] - self.x, point[1] - self.y)

    def turn_to(self, point: Point) -> None:
        """Face a point."""
        if point != (self.x, self.y):
            self.facing = math.atan2(point[1] - self.y, point[0] - self.x)


def check_body(body: Mapping[str, Value], name: str) -> dict[str, Value]:
    """Return all properties of a body, defaults included, after checking them.

    >>> check_body({"helth": 50}, "Rex")
    Traceback (most recent call last):
    ...
    telos.core.errors.TelosError: the body of 'Rex' has no 'helth'; did you mean 'health'?
    """
    if not isinstance(name, str) or not _NAME.match(name):
        raise TelosError(f"{name!r} is not a valid fighter name", "use no spaces and no commas")
    for key in body:
        if key not in BODY_KEYS:
            raise TelosError(f"the body of {name!r} has no {key!r}", name_hint(str(key), BODY_KEYS))
    what = f" of the body of {name!r}"
    return {key: check_property(key, body.get(key, default), what) for key, default in BODY_KEYS.items()}


def _as_names(weapons: Value) -> tuple[Value, ...]:
    """Return the weapons of a body: one by name, or a list of them."""
    return tuple(weapons) if isinstance(weapons, tuple | list) else (weapons,)


def check_property(key: str, value: Value, of: str = "") -> Value:
    """Return a property of a body after checking it; ``of`` says in messages whose it is.

    >>> check_property("health", -5)
    Traceback (most recent call last):
    ...
    telos.core.errors.TelosError: 'health' must be zero or more, got -5
    """
    what, default = f"{key!r}{of}", BODY_KEYS[key]
    if key == "weapon":
        names = _as_names(value)
        for weapon in names:
            if not isinstance(weapon, str) or weapon not in WEAPONS:
                raise TelosError(f"{what} cannot be {weapon!r}", name_hint(str(weapon), WEAPONS))
        if not names or len(set(names)) < len(names):
            raise TelosError(f"{what} cannot be {list(names)!r}", "name each weapon once, the one in hand first")
        return value
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise TelosError(f"{what} must be true or false, got {value!r}")
        return value
    number, most = check_not_negative(what, value), _LIMITS.get(key, MAX_NUMBER)
    if isinstance(default, int) and number != int(number):
        raise TelosError(f"{what} must be a whole number, got {value!r}")
    if key in _POSITIVE and not 0 < number <= most:
        raise TelosError(f"{what} must be more than 0 and at most {most}, got {value!r}")
    if number > most:
        raise TelosError(f"{what} must be at most {most}, got {value!r}")
    return int(number) if isinstance(default, int) else number


# --- doors, things and grenades ---


THING_KINDS = ("medkit", "ammo", "desk")


@dataclass(frozen=True, slots=True)
class ThingPlacement:
    """An item that the scene puts on the map: a ``medkit``, a box of ``ammo``, a ``desk``."""

    name: str
    kind: str
    x: float
    y: float


@dataclass(slots=True)
class Door:
    """A door. While a fighter holds it, it cannot be opened."""

    name: str
    cell: Cell
    state: str  # "closed", "open" or "locked"
    held_by: str | None = None

    @property
    def is_shut(self) -> bool:
        """Whether the door blocks the way."""
        return self.state != "open"


@dataclass(frozen=True, slots=True)
class Grenade:
    """A grenade between its throw and its explosion."""

    name: str
    by: str
    start: Point
    end: Point
    thrown: int  # tick of the throw

    def position(self, tick: int) -> Point:
        """Return where the grenade is: it flies at constant speed, then lies still.

        >>> Grenade("g1", "Rex", (0.0, 0.0), (10.0, 0.0), thrown=100).position(105)
        (5.0, 0.0)
        """
        share = min(1.0, (tick - self.thrown) / FLIGHT_TICKS)
        (x, y), (to_x, to_y) = self.start, self.end
        return x + (to_x - x) * share, y + (to_y - y) * share

    def left(self, tick: int) -> float:
        """Return the seconds until it explodes."""
        return (self.thrown + FUSE_TICKS - tick) / TICKS_A_SECOND
