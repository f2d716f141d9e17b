"""Read-only views of an arena at one moment: frozen, comparable data for terminals, studies and traces."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FighterView:
    """One fighter. Positions are in metres, x to the right and y downwards, as on the map drawing."""

    name: str
    side: str
    character: str  # the kind of character: soldier, assassin, rat
    x: float
    y: float
    facing: float  # radians, 0 to the right, growing clockwise on the map
    health: float  # 0 is dead
    alive: bool
    state: str  # "goto", "animate" or "use"; "" when idle
    doing: str  # the current command as given; "" when idle
    status: str  # "running", "done" or "failed"
    reason: str  # why the last command failed
    rounds: int  # in the magazine
    magazines: int  # spare
    grenades: int
    at: str | None  # the node under the fighter, if any
    in_cover: bool
    crouched: bool
    cloaked: bool
    on_wall: bool
    suppressed: float  # 0 to 1
    healthy: float = 100.0  # initial health
    weapon: str = "rifle"  # the one in hand
    slumped_over: str | None = None  # the thing that the dead body lies over

    @property
    def health_share(self) -> float:
        """Return the share of the initial health that is left, 0 to 1."""
        return self.health / self.healthy


@dataclass(frozen=True, slots=True)
class DoorView:
    """A door: ``closed``, ``open`` or ``locked``, and the fighter who holds it shut, if any."""

    name: str
    x: float
    y: float
    state: str
    held_by: str | None = None


@dataclass(frozen=True, slots=True)
class GrenadeView:
    """A grenade that has not exploded yet."""

    name: str
    x: float
    y: float
    left: float  # seconds until it explodes


@dataclass(frozen=True, slots=True)
class ShotView:
    """A shot of the last step."""

    shooter: str
    x: float
    y: float
    to_x: float
    to_y: float
    hit: str | None


@dataclass(frozen=True, slots=True)
class ExpectedDamage:
    """What a burst does on average: its chance to hit times its damage."""

    shooter: str
    target: str
    damage: float


@dataclass(frozen=True, slots=True)
class ArenaView:
    """Everything visible at one moment."""

    time: float
    players: tuple[str, ...]
    fighters: tuple[FighterView, ...]
    doors: tuple[DoorView, ...]
    broken_windows: tuple[str, ...]
    dark_rooms: tuple[str, ...]
    grenades: tuple[GrenadeView, ...]
    shots: tuple[ShotView, ...]
    over: bool  # at most one side has fighters left
    winner: str | None
