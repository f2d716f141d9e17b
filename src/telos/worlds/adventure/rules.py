"""The rules of an adventure as data. Fingerprints of recordings contain these class and field names: keep them."""

import hashlib
from dataclasses import dataclass, field, replace

from telos.worlds.adventure.map import AreaMap

FRAMES_A_SECOND = 30  # as in both papers


@dataclass(frozen=True, slots=True)
class PlayerRules:
    """The player's body: a square of ``size`` pixels that moves ``speed`` pixels per frame."""

    size: float
    speed: float


@dataclass(frozen=True, slots=True)
class SwordRules:
    """The sword: ``reach`` pixels from the player's centre, ``width`` pixels wide, out for ``frames`` frames."""

    reach: float
    width: float
    frames: int
    ways: int  # 8 or 4; with 4 a player who faces diagonally strikes in the last straight direction


@dataclass(frozen=True, slots=True)
class MonsterRules:
    """Monsters: they ``charge`` at the player inside ``sight``, approach along ``axes`` or in ``legs``, or have minds.

    With ``axes`` they follow in every frame the axis on which the player is farther away; with ``legs`` they go along
    one axis until they are level with the player, and then along the other.
    """

    number: int  # in each area
    size: float
    speed: float
    move: str  # "axes", "legs", "charge" or "minds"
    sight: float | None  # pixels; None sees everything
    respawn: int  # frames after its death
    clear: float  # least distance from the player at which a monster appears
    kinds: tuple[str, ...] = field(default=(), repr=False)  # of monsters with minds, in turn


@dataclass(frozen=True, slots=True)
class HeartRules:
    """Hearts of the player: a touch costs one, and the last one is a death. Times are in frames."""

    number: int
    stop: int  # the game stands still after a hit
    knock: float  # pixels that a hit throws the player back
    shield: int  # nothing hurts after a hit


@dataclass(frozen=True, slots=True)
class DeathRules:
    """What comes between a death and the next attempt, in frames."""

    fall: int = 0  # the game stands still while the player falls
    shield: int = 0  # nothing hurts after the restart


@dataclass(frozen=True, slots=True)
class CompanionRules:
    """The companion: its body, the reach of its staff, and its recogniser."""

    name: str
    reads: str
    size: float
    speed: float
    reach: float
    learns: bool = field(default=False, repr=False)  # from the player, while the game says what the goal is


@dataclass(frozen=True, slots=True)
class ChestRules:
    """Chests: in ``number`` of the places, or in each with probability ``chance``; at least one.

    Chests that ``stay`` are drawn once for the whole game, at least one for each phase that asks for one, and can be
    taken in such phases only. Others are drawn anew whenever a phase asks for one.
    """

    size: float
    number: int | None
    chance: float | None
    stay: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True)
class Worth:
    """Earnings: for a kill at once, for gems and chests when they are brought to town."""

    kill: float = 0.0
    gem: float = 0.0
    chest: float = 0.0


@dataclass(frozen=True, slots=True)
class Phase:
    """A goal given to the player and the condition that ends it."""

    goal: str
    say: str
    until: str  # "chest", "town" or "kills"
    kills: int = 0
    round: str = ""  # the name of several phases, such as "training"
    tip: str = ""  # shown at its start
    death_tip: str = ""  # shown at the first death in it
    fresh: bool = False  # whether all areas but the present one count as unvisited again
    # Not in the repr, so that the fingerprints of older rules do not change.
    within: int = field(default=0, repr=False)  # most screens from town to its chest; 0: any place
    footprints: bool = field(default=False, repr=False)  # whether footprints lead from town to its chest


@dataclass(frozen=True, slots=True)
class Rules:
    """One rule set."""

    name: str
    about: str
    map: AreaMap
    width: int
    height: int
    player: PlayerRules
    sword: SwordRules
    monsters: MonsterRules
    chest: ChestRules
    gem_size: float | None  # None: killed monsters leave nothing
    town_reach: float | None  # pixels around the middle of its area; None: all of the area is town
    restart: str  # after a death: "last" (town or last chest) or "town"
    worth: Worth
    phases: tuple[Phase, ...]
    # Not in the repr if absent, so that the fingerprints of older rules do not change.
    companion: CompanionRules | None = field(default=None, repr=False)
    minds: str = field(default="", repr=False)  # a fingerprint of the domains of the minds
    hearts: HeartRules | None = field(default=None, repr=False)  # None: one touch kills
    death: DeathRules = field(default=DeathRules(), repr=False)
    safe_town: bool = field(default=False, repr=False)  # no monster is in the area of the town
    houses: bool = field(default=False, repr=False)  # solid houses stand in town
    stops: bool = field(default=True, repr=False)  # letting go of all keys is an event

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals given to players, in the order of the phases."""
        return tuple(dict.fromkeys(phase.goal for phase in self.phases))

    def goal_of(self, until: str) -> str | None:
        """Return the goal that is achieved by a phase condition: "chest", "town" or "kills"."""
        return next((phase.goal for phase in self.phases if phase.until == until), None)

    @property
    def fingerprint(self) -> str:
        """A short hash that is equal for rules under which games run the same way; recordings contain it."""
        silent = tuple(replace(phase, say="", tip="", death_tip="") for phase in self.phases)
        said = repr(replace(self, name="", about="", phases=silent))
        if self.monsters.kinds or self.companion:
            # Recordings contain the model, and it may be replaced during a game.
            companion = self.companion and replace(self.companion, name="", reads="")
            said += repr((self.monsters.kinds, companion, self.minds))
            if companion and companion.learns:
                said += "learns"
        chests = tuple((phase.within, phase.footprints) for phase in self.phases)
        gentle = (self.hearts, self.death, self.safe_town, self.houses, chests)
        if gentle != (None, DeathRules(), False, False, ((0, False),) * len(chests)):
            said += repr(gentle)
        if self.chest.stay or not self.stops:
            said += repr((self.chest.stay, self.stops))
        return hashlib.sha256(said.encode()).hexdigest()[:12]
