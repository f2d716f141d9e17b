"""The course of mirror fights: what led and unled soldiers deal and have left in each stretch of time.

A tournament says who wins, and this says when it is decided. Start with `measure_fight_course`, and take the means with
`summarize_fight_course`.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean, stdev
from typing import Any

from telos.core.errors import TelosError
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.counterfactuals import ConductWatch
from telos.worlds.arena.scene import SQUAD_ACTIVITIES, Scene
from telos.worlds.arena.sim.constants import TICKS_A_SECOND
from telos.worlds.arena.sim.fighter import Fighter
from telos.worlds.arena.tournament import find_sides

STRETCH = 10.0  # seconds
MAX_STRETCHES = 1000  # of a fight; more is surely a typing error


@dataclass(frozen=True, slots=True)
class TeamStretch:
    """A team in a stretch of time: expected damage points that it dealt, and what was left at the end.

    ``spent`` are those of the ``standing`` who have no ammunition left, for any of their weapons.
    """

    dealt: float
    standing: float
    spent: float


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of one fight, from its ``start`` in seconds on; the last one ends with the fight."""

    start: float
    led: TeamStretch
    unled: TeamStretch

    @property
    def net(self) -> float:
        """Return what the led dealt more than the unled."""
        return self.led.dealt - self.unled.dealt


@dataclass(frozen=True, slots=True)
class StretchMeans:
    """Means over those fights that were not over at the ``start`` of a stretch.

    ``margin`` is the half width of the 95% interval of ``net``; fights are what is counted.
    """

    start: float
    fights: int
    net: float
    margin: float
    led: TeamStretch
    unled: TeamStretch

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as data for JSON; the margin is None if there is one fight only."""
        margin = None if math.isinf(self.margin) else round(self.margin, 3)
        teams = {
            role: {key: round(each, 3) for key, each in asdict(team).items()}
            for role, team in (("led", self.led), ("unled", self.unled))
        }
        return {"start": self.start, "fights": self.fights, "net": round(self.net, 3), "margin": margin, **teams}


def measure_fight_course(
    scene: Scene,
    seeds: Iterable[int],
    *,
    seconds: float = 90.0,
    every: float = STRETCH,
    squads: Sequence[str] = SQUAD_ACTIVITIES,
) -> Iterator[tuple[Stretch, ...]]:
    """Fight each seed from both sides, one side led and the other not, and yield the stretches of each fight."""
    if not seconds > 0:
        raise TelosError(f"a fight lasts more than 0 seconds, got {seconds!r}")
    if not every * TICKS_A_SECOND >= 1 or seconds / every > MAX_STRETCHES:
        least = max(1 / TICKS_A_SECOND, seconds / MAX_STRETCHES)
        raise TelosError(f"a stretch of a fight is too short with {every!r} seconds", f"take at least {least:g}")
    first, second = find_sides(scene)
    quiet = replace(scene, talk=False)
    return (
        _follow_fight(Battle(quiet, seed=seed, squads={led: tuple(squads), unled: ()}), led, unled, seconds, every)
        for seed in seeds
        for led, unled in ((first, second), (second, first))
    )


def _follow_fight(battle: Battle, led: str, unled: str, seconds: float, every: float) -> tuple[Stretch, ...]:
    watch, found = ConductWatch(led), list[Stretch]()
    start = dealt = taken = 0.0
    while not battle.arena.over and battle.arena.time < seconds:
        battle.step()
        watch.look(battle)
        is_last = battle.arena.over or battle.arena.time >= seconds
        if is_last or battle.arena.time >= start + every:
            now = watch.conduct(())
            ours = _team_stretch(battle, led, now.dealt - dealt)
            theirs = _team_stretch(battle, unled, now.taken - taken)
            found.append(Stretch(start, ours, theirs))
            start, dealt, taken = len(found) * every, now.dealt, now.taken
    return tuple(found)


def _team_stretch(battle: Battle, side: str, dealt: float) -> TeamStretch:
    standing = [battle.arena.fighter(name) for name in battle.arena.living(side)]
    return TeamStretch(dealt, len(standing), sum(map(is_spent, standing)))


def is_spent(fighter: Fighter) -> bool:
    """Whether a fighter has no ammunition left, for any of its weapons."""
    return not any(arm.rounds or arm.magazines for arm in fighter.arms.values())


def summarize_fight_course(courses: Iterable[Sequence[Stretch]]) -> tuple[StretchMeans, ...]:
    """Return the means of each stretch over the fights that came to it."""
    by_start: dict[float, list[Stretch]] = {}
    for course in courses:
        for stretch in course:
            by_start.setdefault(stretch.start, []).append(stretch)
    if not by_start:
        raise TelosError("there are no fights to take means of")
    return tuple(_mean_stretch(start, found) for start, found in sorted(by_start.items()))


def _mean_stretch(start: float, found: Sequence[Stretch]) -> StretchMeans:
    nets = [each.net for each in found]
    margin = 1.96 * stdev(nets) / math.sqrt(len(nets)) if len(nets) > 1 else math.inf
    led, unled = _mean_team([each.led for each in found]), _mean_team([each.unled for each in found])
    return StretchMeans(start, len(found), fmean(nets), margin, led, unled)


def _mean_team(found: Sequence[TeamStretch]) -> TeamStretch:
    return TeamStretch(*(fmean(getattr(each, key) for each in found) for key in ("dealt", "standing", "spent")))
