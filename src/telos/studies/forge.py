"""What a companion who reads plans is good for: the time to open a locked door, with one, without, and alone.

The players are simulated, and so is the companion: it is the one of the world ``forge``. Every player, fixed by a seed,
goes through the scene under each condition, so the differences are paired. In one the player knows beforehand what
will be wanted, and tells a companion who waits: as much as orders can do.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from random import Random
from statistics import fmean
from typing import Any

from telos.core.errors import TelosError
from telos.planning.planner import warm_up
from telos.studies.scoring import shared_out
from telos.studies.statistics import Paired, interval, need_scipy, paired, said_p
from telos.worlds.forge.domain import PLANS
from telos.worlds.forge.player import PlayerLimits
from telos.worlds.forge.scene import ForgeScene
from telos.worlds.forge.trace import BeliefUpdated, PlanChanged

NAME = "forge"
RUNS, QUICK = 100, 20  # players for each plan
ALONE, WAITS, TOLD, PARSES, READS = "none", "waits", "told", "parses", "reads"
COMPANIONS = {ALONE: "alone", WAITS: "waits", TOLD: "is told", PARSES: "parses", READS: "reads"}
WORSE = 0.10  # by how much reading may be slower than waiting in any plan
ALL = "all"
Watched = Callable[[Iterable["Played"], int], Iterable["Played"]]


@dataclass(frozen=True, slots=True)
class Run:
    """One door opened: how long it took, how often the player asked, and how soon the plan was read for good.

    ``settled`` is the share of the player's deeds after which the likeliest plan was the right one and stayed so; 1
    means only with the last, None that nobody read.
    """

    seconds: float
    asked: int
    settled: float | None


@dataclass(frozen=True, slots=True)
class Played:
    """One player with one plan, under every condition; ``turned`` if they thought better of it at least once."""

    plan: str
    seed: int
    turned: bool
    runs: dict[str, Run]

    def ratio(self, over: str) -> float:
        """Return the time with one who reads, as a share of the time otherwise."""
        return self.runs[READS].seconds / self.runs[over].seconds


@dataclass(frozen=True, slots=True)
class Saving:
    """What reading saves over something else in one plan, or in all."""

    plan: str
    over: str
    test: Paired  # seconds: the other less reading
    share: float  # of the mean time
    slower: float  # the share of runs in which reading took more than a tenth longer


@dataclass(frozen=True, slots=True)
class ForgeStudy:
    """All that came out; ``simulated`` players, whatever else it says."""

    seed: int
    players: tuple[Played, ...]
    savings: tuple[Saving, ...]

    def of(self, plan: str) -> list[Played]:
        """Return those who set out with a plan."""
        return [each for each in self.players if plan in (ALL, each.plan)]

    @property
    def read_in_time(self) -> float:
        """Return in what share of runs the plan was read for good before the last deed."""
        return fmean([each.runs[READS].settled != 1.0 for each in self.players])

    def seconds(self, plan: str, companion: str) -> list[float]:
        """Return the times of one condition."""
        return [each.runs[companion].seconds for each in self.of(plan)]

    def figures(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        times = {plan: {companion: self._cell(plan, companion) for companion in COMPANIONS} for plan in (*PLANS, ALL)}
        settled = [each.runs[READS].settled or 0.0 for each in self.players]
        return {
            "study": NAME,
            "simulated": True,
            "seed": self.seed,
            "players": len(self.players),
            "times": times,
            "savings": [_plain(each) for each in self.savings],
            "reading": {"in_time": self.read_in_time, "mean_share_of_deeds": fmean(settled)},
            "findings": list(self.findings),
        }

    def _cell(self, plan: str, companion: str) -> dict[str, Any]:
        times = self.seconds(plan, companion)
        low, high = interval(times, rng=Random(self.seed))
        asked = fmean(each.runs[companion].asked for each in self.of(plan))
        return {"seconds": fmean(times), "interval": [low, high], "asked": asked}

    @property
    def findings(self) -> tuple[str, ...]:
        """What the numbers say, in words."""
        found = {(each.plan, each.over): each for each in self.savings}
        all_in, alone, told_at_once, parsing = (found[ALL, over] for over in (WAITS, ALONE, TOLD, PARSES))
        worst = max((found[plan, WAITS] for plan in PLANS), key=lambda each: -each.share)
        settled = fmean(each.runs[READS].settled or 0.0 for each in self.players)
        told = [
            f"reading saves {all_in.share:.0%} of the time over waiting for orders ({said_p(all_in.test.p)}), and "
            f"{alone.share:.0%} over being alone ({said_p(alone.test.p)})",
            f"over one who is told everything beforehand it saves {told_at_once.share:.0%} "
            f"({said_p(told_at_once.test.p)}), over one who parses with a grammar {parsing.share:.0%} "
            f"({said_p(parsing.test.p)})",
            f"over waiting it saves least in plan {worst.plan}, {worst.share:.0%}; "
            f"more than a tenth slower in {all_in.slower:.0%} of runs",
            f"the plan was read for good before the last deed in {self.read_in_time:.0%} of runs, on average after "
            f"{settled:.0%} of the deeds",
        ]
        return tuple(told)


def run_study(
    *, runs: int = RUNS, seed: int = 1, jobs: int = 1, watched: Watched = lambda done, total: done
) -> ForgeStudy:
    """Let ``runs`` players try each plan under every condition; ``seed`` fixes it, however many ``jobs`` share it."""
    need_scipy()
    if runs < 2:
        raise TelosError(f"a comparison needs at least 2 runs of each plan, got {runs}")
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    rng = Random(seed)
    tasks = [(plan, rng.randrange(2**32)) for plan in PLANS for _ in range(runs)]
    players = tuple(watched(shared_out(played, tasks, jobs=jobs), len(tasks)))
    savings = tuple(
        _saving(plan, over, [each for each in players if plan in (ALL, each.plan)], seed)
        for plan in (*PLANS, ALL)
        for over in COMPANIONS
        if over != READS
    )
    return ForgeStudy(seed, players, savings)


def played(task: tuple[str, int]) -> Played:
    """Let one player open the door under every condition."""
    warm_up()
    plan, seed = task
    runs = {companion: play(plan, companion, seed) for companion in COMPANIONS}
    turned = PlayerLimits.draw(plan, Random(f"limits {seed}")).turns is not None
    return Played(plan, seed, turned, runs)


def play(plan: str, companion: str, seed: int) -> Run:
    """Play the scene to its end."""
    records: list[object] = []
    limits = PlayerLimits.draw(plan, Random(f"limits {seed}"))
    if companion == TOLD:
        limits = replace(limits, foresees=True, vague=0.0)
    mode = WAITS if companion == TOLD else companion
    scene = ForgeScene(plan, mode, seed=seed, limits=limits, trace=records.append)
    while not scene.is_over:
        scene.step({})
    assert scene.player is not None
    settled = None if companion != READS else settles(plan, records)
    return Run(scene.world.time, scene.player.asked, settled)


def settles(plan: str, records: Iterable[object]) -> float:
    """Return after what share of the deeds the likeliest plan was the player's own, and stayed so.

    >>> from telos.core.values import FrozenMap
    >>> beliefs = [FrozenMap({"key": key, "spare": 1 - key}) for key in (0.5, 0.2, 0.7, 0.9)]
    >>> deeds = [BeliefUpdated(0.0, "c", "a", belief) for belief in beliefs]
    >>> settles("key", deeds)
    0.75
    """
    right: list[bool] = []
    for record in records:
        if isinstance(record, PlanChanged):
            plan = record.now
        elif isinstance(record, BeliefUpdated):
            right.append(all(record.belief[plan] > chance for name, chance in record.belief.items() if name != plan))
    wrong = max((number for number, is_right in enumerate(right, start=1) if not is_right), default=0)
    return min(1.0, (wrong + 1) / len(right)) if right else 1.0


def _saving(plan: str, over: str, players: Sequence[Played], seed: int) -> Saving:
    other = [each.runs[over].seconds for each in players]
    reading = [each.runs[READS].seconds for each in players]
    test = paired(other, reading, rng=Random(seed))
    slower = fmean(each.ratio(over) > 1 + WORSE for each in players)
    return Saving(plan, over, test, test.difference / fmean(other), slower)


def _plain(saving: Saving) -> dict[str, Any]:
    return asdict(saving)
