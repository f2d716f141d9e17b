"""How good recognisers are: accuracy by update, by row and by pursuit.

``read`` and ``Tally`` score methods side by side on one run; ``scored`` and ``compared`` summarise runs; ``score`` and
``GroupScore`` count rows of human logs; ``f1``, ``convergence``, ``by_share`` and ``calibration`` measure arrays.

F1 as in the chapter on Crystal Island: every row gets one prediction, so precision, recall, F1 and accuracy are one
number. Macro-F1 is the mean of the F1 of each goal, so that rare goals count as much as frequent ones.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.filtering import Chances, EventGate, Reader, forward, used_evidence
from telos.recognition.hindsight import backward_weights
from telos.recognition.recognizer import Evidence, GoalModel, Recognizer
from telos.studies.statistics import CONFIDENCE, LEVEL, RESAMPLES, Paired, interval, paired, quantile

if TYPE_CHECKING:
    from telos.studies.crystal_island.logs import Ints
    from telos.studies.humans.logs import LabelledPlay

# --- one run, update by update ----------------------------------------------------------------------------------------


SOON = 10  # updates; what a method is worth just after a goal has changed


@dataclass(frozen=True, slots=True)
class Reading:
    """One run as several methods read it, side by side, at the updates of one clock."""

    truths: tuple[str, ...]
    beliefs: Mapping[str, tuple[Chances, ...]]  # by method, in the order of the goals
    goals: tuple[str, ...]

    def tops(self, method: str) -> tuple[str, ...]:
        """Return the likeliest goal of a method at each update."""
        return tuple(self.goals[top(chances)] for chances in self.beliefs[method])

    def tally(self, method: str) -> "Tally":
        """Return the tally of a method."""
        return tally(self.truths, self.tops(method))


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a method was right in one run: in all, by goal, and in the first updates after a goal changed.

    ``delays`` are the updates from each change of goal until the method was right about it; if it never was, all
    updates of the phase.
    """

    right: int
    updates: int
    by_goal: Mapping[str, tuple[int, int]]  # right, updates
    soon: tuple[int, int]
    delays: tuple[int, ...]

    @property
    def accuracy(self) -> float:
        """Return the share of updates at which it was right."""
        return self.right / self.updates


def read(methods: Mapping[str, Recognizer], moments: Iterable[tuple[Event, str | None]], *, clock: str) -> Reading:
    """Let all methods read a run, and note their beliefs whenever the one called ``clock`` makes an update.

    A moment is an event and the goal that the player had been given by then; those without a goal are read and not
    scored.
    """
    timer = methods[clock]
    if not isinstance(timer, Reader):
        raise TelosError(f"{clock!r} has no clock to score by", "name a method that is a Reader")
    if any(set(each.goals) != set(timer.goals) for each in methods.values()):
        raise TelosError("methods are compared on the same goals", "give them models of one game")
    truths: list[str] = []
    beliefs: dict[str, list[Chances]] = {name: [] for name in methods}
    for event, truth in moments:
        before = timer.updates
        said = [each.observe(event) for each in methods.values()]
        if timer.updates == before or truth is None:
            continue
        truths.append(truth)
        for name, belief in zip(methods, said, strict=True):
            beliefs[name].append(tuple(belief[goal] for goal in timer.goals))
    _refuse_nothing(truths)
    return Reading(tuple(truths), {name: tuple(each) for name, each in beliefs.items()}, timer.goals)


def tally(truths: Sequence[str], tops: Sequence[str]) -> Tally:
    """Count the updates at which the believed goal is the true one.

    >>> seen = tally(["level", "level", "town", "town"], ["level", "town", "level", "town"])
    >>> seen.accuracy, seen.by_goal["town"], seen.delays
    (0.5, (1, 2), (1,))
    """
    _refuse_nothing(truths)
    hits = [truth == believed for truth, believed in zip(truths, tops, strict=True)]
    by_goal = {
        goal: (sum(hit for hit, truth in zip(hits, truths, strict=True) if truth == goal), list(truths).count(goal))
        for goal in dict.fromkeys(truths)
    }
    starts = changes(truths)
    phases = [hits[start:end] for start, end in pairwise([*starts, len(truths)])]
    first = [phase[:SOON] for phase in phases]
    delays = tuple(_until_right(phase) for phase in phases)
    return Tally(sum(hits), len(hits), by_goal, (sum(map(sum, first)), sum(map(len, first))), delays)


def changes(truths: Sequence[str]) -> list[int]:
    """Return the updates at which the goal differs from the one before."""
    return [now for now in range(1, len(truths)) if truths[now] != truths[now - 1]]


def _until_right(hits: Sequence[bool]) -> int:
    return next((delay for delay, hit in enumerate(hits) if hit), len(hits))


def evidence_of(
    model: GoalModel, moments: Iterable[tuple[Event, str | None]]
) -> tuple[tuple[Evidence, ...], tuple[str, ...]]:
    """Return the evidence of a model at each update of a run, with the true goals: all that filtering needs."""
    gate = EventGate(model)
    found = [(gate.evidence(event), truth) for event, truth in moments]
    counted = [(evidence, truth) for evidence, truth in found if evidence is not None and truth is not None]
    _refuse_nothing(counted)
    return tuple(evidence for evidence, _ in counted), tuple(truth for _, truth in counted)


def filtered_accuracy(model: GoalModel, moments: Iterable[tuple[Event, str | None]]) -> float:
    """Return how often a model alone is right, at its own updates."""
    evidences, truths = evidence_of(model, moments)
    steps = forward(model.prior, evidences)
    return share_right(model.goals, [after for _, after, _ in steps], truths)


def share_right(goals: Sequence[str], beliefs: Sequence[Chances], truths: Sequence[str]) -> float:
    """Return the share of beliefs whose likeliest goal is the true one."""
    hits = [goals[top(chances)] == truth for chances, truth in zip(beliefs, truths, strict=True)]
    return sum(hits) / len(hits)


def top(chances: Chances) -> int:
    """Return the place of the likeliest goal; of several, the first, as beliefs have it."""
    return chances.index(max(chances))


def _refuse_nothing(counted: Sequence[object]) -> None:
    if not counted:
        raise TelosError("nothing to score: no update of the clock falls into a phase with a given goal")


# --- several methods over runs ----------------------------------------------------------------------------------------


NOTHING = 0.01  # a difference of less than a point of accuracy has no direction to speak of


@dataclass(frozen=True, slots=True)
class Score:
    """One method over all runs of a condition."""

    method: str
    values: tuple[float, ...]  # the accuracy in each run
    interval: tuple[float, float]
    by_goal: Mapping[str, float]
    soon: float | None  # accuracy in the first updates after a goal changed; None if none ever did
    delay: float | None  # updates until right after a change, on average
    published: float | None = None  # percent

    @property
    def accuracy(self) -> float:
        """Return the mean over runs."""
        return fmean(self.values)


@dataclass(frozen=True, slots=True)
class Condition:
    """A kind of player: who played, and how each method read them."""

    name: str
    about: str  # "10 runs of one experienced player"
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Published:
    """What a paper says of two methods: the percentages where it gives them, and its p."""

    first: float | None
    second: float | None
    p: float
    text: str  # as printed: "p < 0.0003"

    @property
    def is_significant(self) -> bool:
        """Whether the paper calls the difference significant."""
        return self.p < LEVEL


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two methods, run by run. ``by_goal`` and ``soon`` are the parts of the difference that fall into the phases of a
    goal, and into the first updates after a goal changed; the parts of all goals sum to the difference.
    """

    condition: str
    first: str
    second: str
    test: Paired
    accuracies: tuple[float, float]
    by_goal: Mapping[str, float]
    soon: float
    published: Published | None = None

    @property
    def verdict(self) -> str:
        """Return whether our result is of the same kind as the published one, in words."""
        if self.published is None:
            return "not published"
        ours = self.test.is_significant
        if self.published.is_significant:
            if ours and self.test.difference < 0:
                return "differs: the other way round"
            if self.test.difference < NOTHING:
                return "differs: no difference here"
            return "agrees" if ours else "same direction, not significant here"
        return "differs: significant here" if ours else "agrees"

    @property
    def differs(self) -> bool:
        """Whether the result differs in kind."""
        return self.verdict.startswith("differs")


def scored(
    method: str, tallies: Sequence[Tally], *, goals: Sequence[str], rng: Random, published: float | None = None
) -> Score:
    """Return the score of a method over runs."""
    if not tallies:
        raise TelosError(f"{method!r} was scored on no run at all", "play at least one")
    values = tuple(each.accuracy for each in tallies)
    by_goal = {}
    for goal in goals:
        shares = [right / seen for right, seen in (each.by_goal.get(goal, (0, 0)) for each in tallies) if seen]
        if shares:
            by_goal[goal] = fmean(shares)
    soon = [right / seen for right, seen in (each.soon for each in tallies) if seen]
    delays = [fmean(each.delays) for each in tallies if each.delays]
    return Score(
        method,
        values,
        interval(values, rng=rng),
        by_goal,
        fmean(soon) if soon else None,
        fmean(delays) if delays else None,
        published,
    )


def compared(
    condition: str,
    first: str,
    second: str,
    pairs: Sequence[tuple[Tally, Tally]],
    *,
    goals: Sequence[str],
    rng: Random,
    published: Published | None = None,
) -> Comparison:
    """Compare two methods on pairs of tallies: of the same run, or of the same player's first and later run."""
    ours = [pair[0].accuracy for pair in pairs]
    theirs = [pair[1].accuracy for pair in pairs]
    by_goal = {goal: fmean(_part(a, goal) - _part(b, goal) for a, b in pairs) for goal in goals}
    soon = fmean(a.soon[0] / a.updates - b.soon[0] / b.updates for a, b in pairs)
    test = paired(ours, theirs, rng=rng)
    return Comparison(condition, first, second, test, (fmean(ours), fmean(theirs)), by_goal, soon, published)


def _part(tally: Tally, goal: str) -> float:
    return tally.by_goal.get(goal, (0, 0))[0] / tally.updates


# --- accuracy against lag ---------------------------------------------------------------------------------------------


LAGS = (0, 1, 2, 3, 5, 8, 13, 21)  # updates


def lagged_accuracies(
    model: GoalModel, moments: Iterable[tuple[Event, str | None]], lags: Sequence[int] = LAGS
) -> dict[int, float]:
    """Return the accuracy of a model at each lag: every update is judged with that many more updates of evidence.

    The last updates of a run are judged with what is left of it, so that all lags are scored on the same updates.
    """
    evidences, truths = evidence_of(model, moments)
    steps = forward(model.prior, evidences)
    filtered = [after for _, after, _ in steps]
    weighed = used_evidence(evidences, steps)
    return {lag: share_right(model.goals, judged_late(filtered, weighed, lag), truths) for lag in lags}


def judged_late(filtered: Sequence[Chances], weighed: Sequence[Evidence], lag: int) -> list[Chances]:
    """Return how likely each goal was at each update, judged so many updates later; only the ratios matter."""
    judged = []
    for now, chances in enumerate(filtered):
        later = backward_weights(weighed[now : now + lag + 1], len(chances))[0]
        judged.append(tuple(chance * weight for chance, weight in zip(chances, later, strict=True)))
    return judged


# --- rows of human logs, by group -------------------------------------------------------------------------------------


class Taught(GoalModel, Protocol):
    """A goal model that is trained by counting."""

    def learn(self, event: Event, goal: str, before: str | None = None) -> None:
        """Count what a player did who pursued ``goal``, after ``before``."""


@dataclass(slots=True)
class GroupScore:
    """How many rows were right, by group."""

    right: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)

    def add(self, group: str, is_right: bool) -> None:
        """Count one row."""
        self.rows[group] += 1
        self.right[group] += is_right

    def join(self, other: "GroupScore") -> None:
        """Add another's rows."""
        self.right.update(other.right)
        self.rows.update(other.rows)

    @property
    def accuracy(self) -> float:
        """Return the share of rows that were right; 0 if there are none."""
        return self.right.total() / self.rows.total() if self.rows else 0.0

    @property
    def by_group(self) -> dict[str, float]:
        """Return the share of rows that were right in each group."""
        return {group: self.right[group] / rows for group, rows in sorted(self.rows.items())}

    def interval(self, rng: Random) -> tuple[float, float]:
        """Return the bootstrap interval of the accuracy over groups: rows of one group are not independent."""
        groups = sorted(self.rows)
        draws = (rng.choices(groups, k=len(groups)) for _ in range(RESAMPLES))
        shares = sorted(sum(self.right[g] for g in drawn) / sum(self.rows[g] for g in drawn) for drawn in draws)
        tail = (1 - CONFIDENCE) / 2
        return quantile(shares, tail), quantile(shares, 1 - tail)


def teach(model: Taught, plays: Iterable["LabelledPlay"]) -> None:
    """Train a model on every row whose goal is known, idle ones and achieving ones as well."""
    for play in plays:
        before = None
        for row in play.rows:
            if row.truth is not None:
                model.learn(row.event, row.truth, before)
                before = row.truth


def score(model: GoalModel, plays: Iterable["LabelledPlay"]) -> GroupScore:
    """Read every sequence from its start, and count how often the likeliest goal was the right one."""
    found = GroupScore()
    reader = Reader(model, remembers=1)
    for play in plays:
        reader.reset()
        for row in play.rows:
            belief = reader.observe(row.event)
            if row.is_scored:
                found.add(play.group, belief.top == row.truth)
    return found


def folds(groups: Sequence[str], count: int) -> list[tuple[str, ...]]:
    """Return the groups in so many parts as equal as can be, without chance: every ``count``-th goes into the same one.

    >>> folds(["a", "b", "c", "d", "e"], 2)
    [('a', 'c', 'e'), ('b', 'd')]
    """
    return [tuple(groups[start::count]) for start in range(min(count, len(groups)))]


# --- measures of arrays -----------------------------------------------------------------------------------------------


SHARES = 10  # steps in which a pursuit is followed from its start to its end
BINS = 10  # of probability, for calibration

Floats = NDArray[np.float64]


def f1(truth: "Ints", said: "Ints") -> float:
    """Return the share of rows that were right.

    >>> f1(np.array([0, 1, 1, 2]), np.array([0, 1, 2, 2]))
    0.75
    """
    return float((truth == said).mean()) if len(truth) else 0.0


def macro_f1(truth: "Ints", said: "Ints", goals: int) -> float:
    """Return the mean of the F1 of each goal that was pursued or said.

    >>> macro_f1(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0]), 2)
    0.3333333333333333
    """
    right = np.bincount(truth[truth == said], minlength=goals)
    total = np.bincount(truth, minlength=goals) + np.bincount(said, minlength=goals)
    met = total > 0
    return float((2 * right[met] / total[met]).mean()) if met.any() else 0.0


@dataclass(frozen=True, slots=True)
class Convergence:
    """How readings of pursuits end: ``rate`` is the share whose last reading is right; those have converged.

    ``point`` is the mean share of a converged pursuit's actions that had gone by when the right goal was first held to
    the end: 0 means from the first action on, and nothing counts later than the last action. ``point`` is None if
    nothing converged.
    """

    rate: float
    point: float | None
    pursuits: int

    def data(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {"rate": self.rate, "point": self.point, "pursuits": self.pursuits}


def convergence(truth: "Ints", said: "Ints", pursuit: "Ints") -> Convergence:
    """Return how often and how early readings settle on the right goal; rows of a pursuit stand together.

    >>> convergence(np.array([1, 1, 1, 1]), np.array([0, 1, 1, 1]), np.array([5, 5, 5, 5]))
    Convergence(rate=1.0, point=0.25, pursuits=1)
    """
    right = truth == said
    start, length = runs(pursuit)
    end = start + length
    last_wrong = np.maximum.accumulate(np.where(right, -1, np.arange(len(right))))[end - 1]
    held_from = np.maximum(start, last_wrong + 1)
    converged = held_from < end
    points = ((held_from - start) / length)[converged]
    return Convergence(float(converged.mean()), float(points.mean()) if len(points) else None, len(start))


def by_share(truth: "Ints", said: "Ints", pursuit: "Ints") -> Floats:
    """Return the accuracy in each tenth of pursuits, from the first actions to the last.

    Every pursuit counts as much, long or short; a pursuit shorter than ten actions fills only some of the tenths.
    """
    start, length = runs(pursuit)
    place = np.arange(len(truth)) - np.repeat(start, length)
    tenth = place * SHARES // np.repeat(length, length)
    cell = np.repeat(np.arange(len(start)), length) * SHARES + tenth
    rows = np.bincount(cell, minlength=len(start) * SHARES).reshape(-1, SHARES)
    right = np.bincount(cell, weights=truth == said, minlength=len(start) * SHARES).reshape(-1, SHARES)
    with np.errstate(invalid="ignore"):
        shares = right / rows
    counted = np.maximum((rows > 0).sum(axis=0), 1)
    return np.asarray(np.nansum(shares, axis=0) / counted)


def runs(values: "Ints") -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where runs of the same value start, and how long they are.

    >>> [each.tolist() for each in runs(np.array([4, 4, 7, 9, 9]))]
    [[0, 2, 3], [2, 1, 2]]
    """
    start = np.flatnonzero(np.diff(values, prepend=values[:1] - 1) != 0)
    return start, np.diff(np.append(start, len(values)))


@dataclass(frozen=True, slots=True)
class Calibration:
    """In each bin of belief in the likeliest goal: the mean belief and how often it was right.

    ``error`` is the expected calibration error: the mean distance of the two over all rows.
    """

    believed: tuple[float, ...]
    right: tuple[float, ...]
    rows: tuple[int, ...]
    error: float

    def data(self) -> dict[str, Any]:
        """Return it for JSON."""
        bins = zip(self.believed, self.right, self.rows, strict=True)
        return {"error": self.error, "bins": [{"believed": b, "right": r, "rows": n} for b, r, n in bins]}


def calibration(truth: "Ints", belief: NDArray[np.float32]) -> Calibration:
    """Return the calibration of beliefs; empty bins are left out."""
    top = belief.max(axis=1).astype(np.float64)
    right = belief.argmax(axis=1) == truth
    place = np.clip((top * BINS).astype(np.int64), 0, BINS - 1)
    rows = np.bincount(place, minlength=BINS)
    met = rows > 0
    believed = np.bincount(place, weights=top, minlength=BINS)[met] / rows[met]
    kept = np.bincount(place, weights=right, minlength=BINS)[met] / rows[met]
    error = float((np.abs(believed - kept) * rows[met]).sum() / max(1, rows.sum()))
    return Calibration(tuple(believed.tolist()), tuple(kept.tolist()), tuple(rows[met].tolist()), error)
