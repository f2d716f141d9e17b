"""A person's body: where it is, how its motives stand, and the errand that it is on."""

from dataclasses import dataclass, field
from random import Random

from telos.core.frozen import FrozenMap
from telos.core.values import Value
from telos.worlds.home.floor import Cell
from telos.worlds.home.house import MOTIVES, NIGHTLY, PACE, PERSON, STARTS_BETWEEN, Deed

NAMES_OF_MOTIVES = tuple(motive.name for motive in MOTIVES)
_COMPANY, _BLADDER, _HYGIENE = (NAMES_OF_MOTIVES.index(name) for name in ("company", "bladder", "hygiene"))
BURSTING = 10.0
MESS = 4.0  # what an accident does to hygiene
MOOD_TO_TALK = 1.0  # who has had company enough is not drawn into more of it


@dataclass(slots=True)
class Errand:
    """An action under way: first the walk to its place, then the doing."""

    deed: Deed
    place: Cell
    way: tuple[Cell, ...]
    walk: int  # minutes still to go; whoever is being walked to waits as long
    partner: str | None = None
    left: int = 0
    pushes: tuple[float, ...] = ()  # what the action adds to each motive every minute; 0 leaves it to drift

    def __post_init__(self) -> None:
        action = self.deed.action
        self.left = int(action.duration)
        self.pushes = tuple(action.changes.get(name, 0.0) / self.left for name in NAMES_OF_MOTIVES)


@dataclass(slots=True)
class Body:
    """A person as the world moves them. No wishes here: what to do is told from outside."""

    name: str
    cell: Cell
    levels: list[float]
    by_day: tuple[float, ...]
    by_night: tuple[float, ...]
    own: list[Value] = field(default_factory=list)  # values of the PERSON variables
    errand: Errand | None = None

    @classmethod
    def born(cls, name: str, cell: Cell, rng: Random) -> "Body":
        """Make somebody with levels and a pace of life of their own."""
        pace = {motive.name: rng.uniform(0.9, 1.1) for motive in MOTIVES}
        levels = [rng.uniform(*STARTS_BETWEEN[motive.name]) for motive in MOTIVES]
        by_day = tuple(motive.drift * pace[motive.name] for motive in MOTIVES)
        nightly = {motive: hourly / 60 * pace[motive] for motive, hourly in NIGHTLY.items()}
        by_night = tuple(nightly.get(each, rate) for each, rate in zip(NAMES_OF_MOTIVES, by_day, strict=True))
        return cls(name, cell, levels, by_day, by_night, [name, *(variable.start for variable in PERSON[1:])])

    def minute(self, *, night: bool) -> None:
        """Live for a minute: walk or do, and drift.

        A motive that the action changes moves by its share of that change and nothing else; the others drift. That is
        the rule by which minds predict.
        """
        drift = self.by_night if night else self.by_day
        errand = self.errand
        if errand is None or errand.walk:
            self.levels = [max(0.0, level + rate) for level, rate in zip(self.levels, drift, strict=True)]
        else:
            self.levels = [
                max(0.0, level + (push or rate))
                for level, push, rate in zip(self.levels, errand.pushes, drift, strict=True)
            ]
        if errand is not None:
            self._move_on(errand)

    def _move_on(self, errand: Errand) -> None:
        if not errand.walk:
            errand.left -= 1
            return
        errand.walk -= 1
        if errand.way:
            self.cell = errand.way[min(PACE, len(errand.way)) - 1]
            errand.way = errand.way[PACE:]

    def cannot_hold_it(self) -> bool:
        """Have an accident if there is no holding out any longer; return whether there was one."""
        if self.levels[_BLADDER] < BURSTING:
            return False
        self.levels[_BLADDER] = 0.0
        self.levels[_HYGIENE] += MESS
        return True

    @property
    def is_free(self) -> bool:
        """Whether somebody may come and talk: in the mood, awake, and not busy with what should be finished."""
        errand = self.errand
        if self.levels[_COMPANY] < MOOD_TO_TALK:
            return False
        if errand is None:
            return True
        return not errand.walk and errand.deed.interruptible and errand.deed.kind in ("fun", "idle")

    @property
    def felt(self) -> FrozenMap[str, float]:
        """Return the motives by name."""
        return FrozenMap(dict(zip(NAMES_OF_MOTIVES, self.levels, strict=True)))
