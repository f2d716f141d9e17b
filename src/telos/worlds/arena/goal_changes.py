"""How steady fighters are: how often their goals change in fights, and how often they go back and forth.

Start with `measure_goal_changes`.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev
from typing import Any

from telos.agents.trace import Chose, Finished
from telos.core.errors import TelosError
from telos.core.values import FrozenMap
from telos.thrashing import find_thrashing
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import Scene
from telos.worlds.arena.sim.constants import TICKS_A_SECOND

BACK_SECONDS = 1.0  # within which a return to the goal before counts as a flip back
MAX_PAIRS = 5  # shown


@dataclass(frozen=True, slots=True)
class GoalChanges:
    """Counts of one fight, of fighters who know of an enemy.

    A *change* is another goal than the one pursued before. A *return* is a change back to the goal before that within a
    second, and a *flip back* a return although nothing was finished in between: a dodge that was carried out is none.
    """

    seconds: float  # of all fighters together
    changes: int
    returns: int
    flips: int
    thrashing: float  # seconds in which a fighter went back and forth, by the rule of the studio
    pairs: FrozenMap[str, int] = field(default_factory=FrozenMap)  # flips back by pair of goals


@dataclass(frozen=True, slots=True)
class Steadiness:
    """Means over fights, per second of one fighter, with half widths of their 95% intervals."""

    fights: int
    seconds: float
    changes: float
    changes_margin: float
    returns: float
    returns_margin: float
    flips: float
    flips_margin: float
    thrashing: float
    pairs: tuple[tuple[str, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as data for JSON; a margin is None if there is one fight only."""
        margins = {"changes": self.changes_margin, "returns": self.returns_margin, "flips": self.flips_margin}
        return {
            "fights": self.fights,
            "fighter_seconds": round(self.seconds, 1),
            "changes_per_second": round(self.changes, 4),
            "returns_per_second": round(self.returns, 4),
            "flips_per_second": round(self.flips, 4),
            "thrashing_share": round(self.thrashing, 4),
            "margins": {key: None if math.isinf(each) else round(each, 4) for key, each in margins.items()},
            "pairs": dict(self.pairs),
        }


def measure_goal_changes(scene: Scene, seeds: Iterable[int], *, seconds: float | None = None) -> Iterator[GoalChanges]:
    """Play a fight for each seed, and yield how often goals changed in it."""
    limit = scene.seconds if seconds is None else seconds
    if not limit > 0:
        raise TelosError(f"a fight lasts more than 0 seconds, got {limit!r}")
    return (measure_fight(replace(scene, talk=False), seed, limit) for seed in seeds)


def measure_fight(scene: Scene, seed: int, seconds: float) -> GoalChanges:
    """Play one fight, and return how often goals changed in it."""
    watch = GoalWatch()
    battle = Battle(scene, seed=seed, trace=watch.note)
    while not battle.arena.over and battle.arena.time < seconds:
        battle.step()
        watch.look(find_fighting(battle))
    return watch.result()


def find_fighting(battle: Battle) -> set[str]:
    """Return the fighters with a mind who know of an enemy that is not known to be dead."""
    memories = ((name, mind.memory.all_of("enemy", battle.arena.time)) for name, mind in battle.minds.items())
    return {name for name, facts in memories if any(fact.get("alive", True) for fact in facts)}


class GoalWatch:
    """Adds up the goal changes of one fight: ``note`` takes the records of minds, ``look`` closes a step."""

    def __init__(self) -> None:
        self._rows: dict[str, list[tuple[int, str]]] = {}  # the goals of each fighter, each with its step
        self._records: list[Chose | Finished] = []
        self._finished: dict[str, int] = {}  # when each fighter finished a step of a plan last
        self._step = self._fought = self._thrashed = 0
        self._changes = self._returns = self._flips = 0
        self._pairs: Counter[str] = Counter()

    def note(self, record: object) -> None:
        """Keep the records that tell of goals."""
        if isinstance(record, Chose | Finished):
            self._records.append(record)

    def look(self, fighting: Collection[str]) -> None:
        """Count the changes of the last step, of those who know of an enemy."""
        for record in self._records:
            if isinstance(record, Finished):
                self._finished[record.who] = self._step
            else:
                self._count(record, record.who in fighting)
        self._records.clear()
        for name in fighting:
            row = self._rows.get(name, [])
            self._thrashed += find_thrashing(row, self._step, TICKS_A_SECOND) is not None
        self._fought += len(fighting)
        self._step += 1

    def _count(self, record: Chose, is_fighting: bool) -> None:
        row = self._rows.setdefault(record.who, [])
        if row and row[-1][1] == record.goal:
            return
        if row and is_fighting:
            self._changes += 1
            if is_return(row, record.goal, self._step):
                self._returns += 1
                if self._finished.get(record.who, -1) < row[-1][0]:
                    self._flips += 1
                    self._pairs[" ↔ ".join(sorted((row[-1][1], record.goal)))] += 1
        row.append((self._step, record.goal))

    def result(self) -> GoalChanges:
        """Return the counts."""
        fought, thrashed = self._fought / TICKS_A_SECOND, self._thrashed / TICKS_A_SECOND
        return GoalChanges(fought, self._changes, self._returns, self._flips, thrashed, FrozenMap(dict(self._pairs)))


def is_return(row: Sequence[tuple[int, str]], goal: str, step: int) -> bool:
    """Whether a goal follows that was left a moment ago.

    >>> row = [(0, "attack"), (20, "cover")]
    >>> is_return(row, "attack", 25), is_return(row, "attack", 31), is_return(row, "dodge", 25)
    (True, False, False)
    """
    return len(row) > 1 and row[-2][1] == goal and step - row[-1][0] <= BACK_SECONDS * TICKS_A_SECOND


def summarize_goal_changes(fights: Iterable[GoalChanges]) -> Steadiness:
    """Return the means over fights, each weighing as much as the time that was fought in it."""
    found = [each for each in fights if each.seconds > 0]
    if not found:
        raise TelosError("nobody has met an enemy in these fights", "let them last longer")
    pairs = sum((Counter(dict(each.pairs)) for each in found), Counter[str]())
    total = sum(each.seconds for each in found)
    changes, returns, flips = (
        _rate([(getattr(each, key), each.seconds) for each in found]) for key in ("changes", "returns", "flips")
    )
    thrashing = sum(each.thrashing for each in found) / total
    ordered = sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0]))
    return Steadiness(len(found), total, *changes, *returns, *flips, thrashing, tuple(ordered[:MAX_PAIRS]))


def _rate(counts: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """Return a ratio of sums, and the half width of its 95% interval over fights (linearised)."""
    seconds = fmean(each for _, each in counts)
    rate = sum(count for count, _ in counts) / (seconds * len(counts))
    if len(counts) < 2:
        return rate, math.inf
    return rate, 1.96 * stdev((count - rate * each) / seconds for count, each in counts) / math.sqrt(len(counts))
