"""How much time a companion saves who reads the player's plan, until a locked door is open.

The players are simulated, and so is the companion: it is the one of the world ``forge``. Every player, fixed by a seed,
goes through the scene under each condition, so the differences are paired. In one the player knows beforehand what
will be wanted, and tells a companion who waits: as much as orders can do.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from random import Random
from statistics import fmean
from typing import Any

from telos.core.errors import TelosError
from telos.parallel import parallel_map
from telos.planning.planner import warm_up
from telos.studies.results import Progress, StudyResult, Table, no_progress
from telos.studies.statistics import Paired, format_p, interval, need_scipy, paired
from telos.worlds.forge.domain import PLANS
from telos.worlds.forge.player import PlayerLimits
from telos.worlds.forge.scene import ForgeScene
from telos.worlds.forge.trace import BeliefUpdated, PlanChanged

NAME = "forge"
_TITLE = "What a companion who reads plans is worth"
RUNS, QUICK_RUNS = 100, 20  # players for each plan
ALONE, WAITS, TOLD, PARSES, READS = "none", "waits", "told", "parses", "reads"
COMPANIONS = {ALONE: "alone", WAITS: "waits", TOLD: "is told", PARSES: "parses", READS: "reads"}
_OVER = {WAITS: "waiting", ALONE: "being alone", TOLD: "being told", PARSES: "parsing"}
WORSE = 0.10  # by how much reading may be slower than waiting in any plan
ALL = "all"


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
class ForgePlayer:
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
class ForgeRuns:
    """All runs, and what reading saves in them."""

    seed: int
    players: tuple[ForgePlayer, ...]
    savings: tuple[Saving, ...]

    def with_plan(self, plan: str) -> list[ForgePlayer]:
        """Return the players who started with a plan."""
        return [each for each in self.players if plan in (ALL, each.plan)]

    def seconds(self, plan: str, companion: str) -> list[float]:
        """Return the times of one condition."""
        return [each.runs[companion].seconds for each in self.with_plan(plan)]

    @property
    def read_in_time(self) -> float:
        """Return the share of runs in which the plan was recognised for good before the last action."""
        return fmean([each.runs[READS].settled != 1.0 for each in self.players])

    @property
    def mean_settled(self) -> float:
        """Return the mean share of actions after which the plan was recognised for good."""
        return fmean(each.runs[READS].settled or 0.0 for each in self.players)


def run_study(
    *, runs: int | None = None, quick: bool = False, seed: int = 1, jobs: int = 1, progress: Progress = no_progress
) -> StudyResult:
    """Run the study with ``runs`` players for each plan; ``seed`` determines it, for any number of ``jobs``."""
    count = runs if runs is not None else QUICK_RUNS if quick else RUNS
    return forge_result(play_all(runs=count, seed=seed, jobs=jobs, progress=progress))


def play_all(*, runs: int = RUNS, seed: int = 1, jobs: int = 1, progress: Progress = no_progress) -> ForgeRuns:
    """Let ``runs`` players try each plan under every condition."""
    need_scipy()
    if runs < 2:
        raise TelosError(f"a comparison needs at least 2 runs of each plan, got {runs}")
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    rng = Random(seed)
    tasks = [(plan, rng.randrange(2**32)) for plan in PLANS for _ in range(runs)]
    players = tuple(progress(parallel_map(play_conditions, tasks, jobs=jobs), len(tasks)))
    savings = tuple(
        _saving(plan, over, [each for each in players if plan in (ALL, each.plan)], seed)
        for plan in (*PLANS, ALL)
        for over in COMPANIONS
        if over != READS
    )
    return ForgeRuns(seed, players, savings)


def forge_result(done: ForgeRuns) -> StudyResult:
    """Return the result of all runs."""
    times = {plan: {companion: _cell(done, plan, companion) for companion in COMPANIONS} for plan in (*PLANS, ALL)}
    findings = _findings(done)
    data = {
        "study": NAME,
        "simulated": True,
        "seed": done.seed,
        "players": len(done.players),
        "times": times,
        "savings": [asdict(each) for each in done.savings],
        "reading": {"in_time": done.read_in_time, "mean_share_of_deeds": done.mean_settled},
        "findings": list(findings),
    }
    heading = f"{NAME}: {len(done.players)} simulated players, each under every condition (seed {done.seed})"
    tables = (_times_table(times), _savings_table(done))
    players = "simulated players"
    return StudyResult(NAME, _TITLE, heading, done.seed, data, tables, players=players, findings=findings)


def _cell(done: ForgeRuns, plan: str, companion: str) -> dict[str, Any]:
    times = done.seconds(plan, companion)
    low, high = interval(times, rng=Random(done.seed))
    asked = fmean(each.runs[companion].asked for each in done.with_plan(plan))
    return {"seconds": fmean(times), "interval": [low, high], "asked": asked}


def _times_table(times: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Table:
    rows = []
    for plan, cells in times.items():
        spans = [(each["seconds"], *each["interval"]) for each in cells.values()]
        rows.append((plan, *(f"{mean:.0f} ({low:.0f}-{high:.0f})" for mean, low, high in spans)))
    note = "seconds to open the door, by what the companion does; 95% intervals of the means"
    return Table(("plan", *COMPANIONS.values()), tuple(rows), note)


def _savings_table(done: ForgeRuns) -> Table:
    rows = []
    for each in (saving for saving in done.savings if saving.plan == ALL or saving.over == WAITS):
        low, high = each.test.interval
        numbers = (f"{each.test.difference:.1f}", f"{low:.1f}-{high:.1f}", f"{each.share:.0%}")
        label = f"{each.plan}, over {_OVER[each.over]}"
        rows.append((label, *numbers, format_p(each.test.p), f"{each.slower:.0%}"))
    note = "paired t-tests; slower: runs that took more than a tenth longer"
    return Table(("reading saves", "seconds", "95%", "share", "t-test", "slower"), tuple(rows), note)


def _findings(done: ForgeRuns) -> tuple[str, ...]:
    found = {(each.plan, each.over): each for each in done.savings}
    waiting, alone, told, parsing = (found[ALL, over] for over in (WAITS, ALONE, TOLD, PARSES))
    worst = max((found[plan, WAITS] for plan in PLANS), key=lambda each: -each.share)
    return (
        f"reading saves {waiting.share:.0%} of the time over waiting for orders ({format_p(waiting.test.p)}), and "
        f"{alone.share:.0%} over being alone ({format_p(alone.test.p)})",
        f"over one who is told everything beforehand it saves {told.share:.0%} "
        f"({format_p(told.test.p)}), over one who parses with a grammar {parsing.share:.0%} "
        f"({format_p(parsing.test.p)})",
        f"over waiting it saves least in plan {worst.plan}, {worst.share:.0%}; "
        f"more than a tenth slower in {waiting.slower:.0%} of runs",
        f"the plan was read for good before the last deed in {done.read_in_time:.0%} of runs, on average after "
        f"{done.mean_settled:.0%} of the deeds",
    )


def play_conditions(task: tuple[str, int]) -> ForgePlayer:
    """Play the scene with one player under every condition."""
    warm_up()
    plan, seed = task
    runs = {companion: play(plan, companion, seed) for companion in COMPANIONS}
    turned = PlayerLimits.draw(plan, Random(f"limits {seed}")).turns is not None
    return ForgePlayer(plan, seed, turned, runs)


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


def _saving(plan: str, over: str, players: Sequence[ForgePlayer], seed: int) -> Saving:
    other = [each.runs[over].seconds for each in players]
    reading = [each.runs[READS].seconds for each in players]
    test = paired(other, reading, rng=Random(seed))
    slower = fmean(each.ratio(over) > 1 + WORSE for each in players)
    return Saving(plan, over, test, test.difference / fmean(other), slower)
