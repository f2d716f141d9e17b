"""The rules of an adventure, as data: everything that a rules file can say."""

import hashlib
from dataclasses import dataclass, field, replace

from telos.worlds.adventure.map import AreaMap

FRAMES_A_SECOND = 30  # of both papers


@dataclass(frozen=True, slots=True)
class PlayerRules:
    """The player's body: a square of ``size`` pixels that walks ``speed`` pixels a frame."""

    size: float
    speed: float


@dataclass(frozen=True, slots=True)
class SwordRules:
    """The sword: from the player's middle ``reach`` pixels ahead, ``width`` pixels wide, out for ``frames`` frames."""

    reach: float
    width: float
    frames: int
    ways: int  # 8, or 4: then a player who faces a slant strikes the way they last faced straight


@dataclass(frozen=True, slots=True)
class MonsterRules:
    """Monsters: ``charge`` straight at the player inside ``sight``, come along the ``axes``, or have ``minds``."""

    number: int  # in each area
    size: float
    speed: float
    move: str  # "axes", "charge" or "minds"
    sight: float | None  # pixels; None sees everything
    respawn: int  # frames after its death
    clear: float  # no monster appears nearer to the player than this
    kinds: tuple[str, ...] = field(default=(), repr=False)  # of those with minds, in turn as they appear


@dataclass(frozen=True, slots=True)
class CompanionRules:
    """The companion: its body, how far its staff reaches, and the recogniser by which it reads the player."""

    name: str
    reads: str
    size: float
    speed: float
    reach: float


@dataclass(frozen=True, slots=True)
class ChestRules:
    """Chests: in ``number`` of the places, or in each with a ``chance``; in one place at least."""

    size: float
    number: int | None
    chance: float | None


@dataclass(frozen=True, slots=True)
class Worth:
    """What is earned: for a kill at once, for gems and chests when they are brought to town."""

    kill: float = 0.0
    gem: float = 0.0
    chest: float = 0.0


@dataclass(frozen=True, slots=True)
class Phase:
    """A goal that is given to the player, and what ends it."""

    goal: str
    say: str
    until: str  # "chest", "town" or "kills"
    kills: int = 0
    round: str = ""  # a name for several phases, such as "training"
    tip: str = ""  # shown when it begins
    death_tip: str = ""  # shown at the first death in it
    fresh: bool = False  # begins as a game does: with nothing visited but where the player stands


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
    gem_size: float | None  # None: a dead monster leaves nothing
    town_reach: float | None  # pixels around the middle of its area; None: all of the area is town
    restart: str  # after a death: "last" (town or chest, wherever the player was last) or "town"
    worth: Worth
    phases: tuple[Phase, ...]
    # What older rules do not say is not in their text either, so that their fingerprints stay what they were.
    companion: CompanionRules | None = field(default=None, repr=False)
    minds: str = field(default="", repr=False)  # marks of what those with minds live by

    @property
    def goals(self) -> tuple[str, ...]:
        """Return the goals that players are given, in the order of the phases."""
        return tuple(dict.fromkeys(phase.goal for phase in self.phases))

    def goal_of(self, until: str) -> str | None:
        """Return the goal that is achieved by what ends a phase: "chest", "town" or "kills"."""
        return next((phase.goal for phase in self.phases if phase.until == until), None)

    @property
    def fingerprint(self) -> str:
        """Return a short text that is the same only for rules by which games go the same way; recordings name it."""
        silent = tuple(replace(phase, say="", tip="", death_tip="") for phase in self.phases)
        said = repr(replace(self, name="", about="", phases=silent))
        if self.monsters.kinds or self.companion:
            # What the companion reads by is in every recording, and it may be replaced while a game runs.
            companion = self.companion and replace(self.companion, name="", reads="")
            said += repr((self.monsters.kinds, companion, self.minds))
        return hashlib.sha256(said.encode()).hexdigest()[:12]
