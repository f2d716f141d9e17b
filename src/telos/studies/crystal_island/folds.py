"""Cross-validation on one log: train every model on the other folds, read the held-out players, measure and test.

Start with ``run_folds`` and ``measure_log``.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.logic.learning import learn
from telos.logic.model import MarkovLogic
from telos.logic.online import OnlineFilter
from telos.parallel import parallel_map
from telos.studies import scoring
from telos.studies.crystal_island.logs import GOAL, GoalLog, Ints, database
from telos.studies.crystal_island.models import (
    COMPARED,
    FACTORED,
    MAJORITY,
    Lineup,
    ModelSpec,
    Readings,
    find_missing_extra,
    read,
    read_ahead,
    read_baseline,
)
from telos.studies.scoring import Calibration, Convergence
from telos.studies.statistics import Anova, Pair, repeated_measures, tukey

# --- folds ------------------------------------------------------------------------------------------------------------


TIMED = 2_000  # updates timed per fold
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class FoldDone:
    """The readings of all models on the rows of one fold."""

    fold: int
    readings: dict[str, Readings]
    notes: tuple[str, ...]
    microseconds: tuple[float, float] | None  # live updates of the factored model: first time, and with cached weights


@dataclass(frozen=True, slots=True)
class Pooled:
    """The readings of one model on all rows of a log, each from the fold in which it was held out."""

    belief: NDArray[np.float32]  # (rows, goals), online
    ahead: Ints | None  # (rows,)

    @property
    def online(self) -> Ints:
        """The likeliest goal at each row, online."""
        return np.asarray(self.belief.argmax(axis=1), np.int32)


def run_folds(log: GoalLog, lineup: Lineup, *, seed: int, jobs: int) -> Iterator[FoldDone]:
    """Run all folds of a log; yield each as it finishes."""
    return parallel_map(partial(run_fold, log, lineup, seed), range(log.folds), jobs=jobs)


def run_fold(log: GoalLog, lineup: Lineup, seed: int, fold: int, *, clock: Clock = time.perf_counter) -> FoldDone:
    """Train all models on the other folds and read the held-out fold."""
    train, test = log.split(fold)
    known = np.unique(log.truth[log.rows(train)])
    goals = [log.goals[each] for each in known]
    readings: dict[str, Readings] = {}
    notes = list(_note_untrained_goals(log, fold, log.rows(test), known))
    microseconds = None
    for spec in lineup.models:
        model = train_model(log, spec, train, goals, seed=seed)
        readings[spec.key] = read(log, model, test, goals)
        if spec.key == FACTORED and log.is_simulated:
            microseconds = update_time(log, model, test, clock)
    for baseline in lineup.baselines:
        lacking = find_missing_extra(baseline)
        if lacking is None:
            readings[baseline.key] = read_baseline(log, baseline, train, test)
        else:
            notes.append(lacking)
    return FoldDone(fold, readings, tuple(notes), microseconds)


def train_model(log: GoalLog, spec: ModelSpec, train: Sequence[int], goals: Sequence[str], *, seed: int) -> MarkovLogic:
    """Learn the weights of a model's formulas from some sequences."""
    formulas = spec.formulas
    facts = database(log, formulas, train, goals, with_goals=True)
    learned = learn(
        formulas,
        facts,
        [GOAL],
        by=spec.by,
        epochs=spec.epochs,
        l2=spec.l2,
        seed=seed,
        warm_up=20,
        score_epochs=False,
    )
    return learned.model


def score_ahead(log: GoalLog, specs: Sequence[ModelSpec], seed: int, fold: int) -> dict[str, float]:
    """Return the F1 of models on a held-out fold with look-ahead, as ``run_fold`` and ``measure_log`` find it.

    Nothing else is worked out. The majority needs no formulas here: its reading is the most frequent goal.
    """
    train, test = log.split(fold)
    counts = np.bincount(log.truth[log.rows(train)], minlength=len(log.goals))
    goals = [log.goals[each] for each in np.flatnonzero(counts)]
    found = {}
    for spec in specs:
        rows = log.rows(test)
        ahead = np.full(len(rows), counts.argmax(), np.int32)
        if spec.key != MAJORITY:
            rows, ahead = read_ahead(log, train_model(log, spec, train, goals, seed=seed), test, goals)
        found[spec.key] = scoring.f1(log.truth[rows], ahead)
    return found


def _note_untrained_goals(log: GoalLog, fold: int, tested: Ints, known: NDArray[np.int32]) -> Iterator[str]:
    """Yield a note for each goal without training rows; it is never predicted, so its rows count as wrong."""
    for goal in np.setdiff1d(log.truth[tested], known):
        rows = int((log.truth[tested] == goal).sum())
        yield f"fold {fold}: nobody in training pursued {log.goals[goal]}; its {rows} rows count as wrong"


def update_time(log: GoalLog, model: MarkovLogic, test: Sequence[int], clock: Clock) -> tuple[float, float]:
    """Return the microseconds of one live update, over the first rows of a fold.

    The first number is for a new reader, which looks up every weight for the first time; the second with all cached.
    """
    online = OnlineFilter(model, query=GOAL)
    evidence = [_facts(log, model, row) for row in log.rows(test[:4])[:TIMED].tolist()]
    taken = []
    for _ in range(2):
        online.reset()
        start = clock()
        for facts in evidence:
            online.step(facts)
        taken.append(1e6 * (clock() - start) / max(1, len(evidence)))
    return taken[0], taken[1]


def _facts(log: GoalLog, model: MarkovLogic, row: int) -> dict[str, list[str]]:
    found = {}
    for name in model.predicates:
        if name in log.evidence:
            each = log.evidence[name]
            begin, end = np.searchsorted(each.row, [row, row + 1])
            found[name] = [each.names[code] for code in each.code[begin:end].tolist()]
    return found


def pool_folds(log: GoalLog, done: Sequence[FoldDone]) -> dict[str, Pooled]:
    """Join the readings of all folds."""
    found = {}
    for key in done[0].readings:
        belief = np.zeros((len(log.truth), len(log.goals)), np.float32)
        ahead = np.zeros(len(log.truth), np.int32)
        for each in done:
            reading = each.readings[key]
            belief[reading.rows] = reading.belief
            if reading.ahead is not None:
                ahead[reading.rows] = reading.ahead
        found[key] = Pooled(belief, None if done[0].readings[key].ahead is None else ahead)
    return found


# --- measures of one log, online and with look-ahead ------------------------------------------------------------------


ONLINE, AHEAD = "online", "lookahead"


@dataclass(frozen=True, slots=True)
class Decoding:
    """The measures of one model for one kind of decoding: online or with look-ahead."""

    folds: tuple[float, ...]  # F1 of each fold
    f1: float  # of all rows
    macro_f1: float
    convergence: Convergence
    by_share: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean F1 of the folds."""
        return fmean(self.folds)

    @property
    def sd(self) -> float:
        """The standard deviation of the F1 between folds."""
        return stdev(self.folds) if len(self.folds) > 1 else 0.0

    def data(self, baseline: float) -> dict[str, Any]:
        """Return the measures as JSON data; the improvement is over the mean F1 of the majority baseline."""
        return {
            "f1_mean": self.mean,
            "f1_sd": self.sd,
            "f1_all_rows": self.f1,
            "macro_f1": self.macro_f1,
            "improvement": self.mean / baseline - 1 if baseline else None,
            "convergence": self.convergence.data(),
            "by_share_seen": list(self.by_share),
        }


@dataclass(frozen=True, slots=True)
class LogModelScore:
    """The measures of one model, by kind of decoding; some models have no look-ahead."""

    label: str
    decodings: Mapping[str, Decoding]
    calibration: Calibration
    unseen: float | None  # online F1 on the groups that were not used to choose formulas

    def data(self, baselines: Mapping[str, float]) -> dict[str, Any]:
        """Return the score as JSON data; the top level has look-ahead, as in the chapter, or else online."""
        by_way = {way: each.data(baselines[way]) for way, each in self.decodings.items()}
        first = by_way.get(AHEAD, by_way[ONLINE])
        shown = {key: first[key] for key in ("f1_mean", "f1_sd", "macro_f1", "improvement")}
        ways = {ONLINE: by_way[ONLINE], AHEAD: by_way.get(AHEAD)}
        return {"label": self.label, **shown, **ways, "calibration": self.calibration.data(), "unseen": self.unseen}


@dataclass(frozen=True, slots=True)
class LogOutcome:
    """All measures and tests on one log."""

    log: str
    is_simulated: bool
    players: int
    actions: int
    goals: int  # achieved
    goal_shares: Mapping[str, float]  # of achieved goals
    scores: Mapping[str, LogModelScore]
    anovas: Mapping[str, Anova]
    pairs: Mapping[str, tuple[Pair, ...]]
    microseconds: tuple[float, float] | None
    notes: tuple[str, ...]

    def data(self) -> dict[str, Any]:
        """Return the outcome as JSON data."""
        baselines = {way: self.scores[MAJORITY].decodings[way].mean for way in (ONLINE, AHEAD)}
        return {
            "log": self.log,
            "simulated": self.is_simulated,
            "players": self.players,
            "actions": self.actions,
            "goals": self.goals,
            "goal_shares": dict(self.goal_shares),
            "folds": self.by_fold(AHEAD),
            "folds_online": self.by_fold(ONLINE),
            "models": {key: score.data(baselines) for key, score in self.scores.items()},
            "anova": {**self.anovas[AHEAD].data(), ONLINE: self.anovas[ONLINE].data()},
            "tukey": [pair.data() for pair in self.pairs[AHEAD]],
            "tukey_online": [pair.data() for pair in self.pairs[ONLINE]],
            "microseconds_an_update": _timing_data(self.microseconds),
            "notes": list(self.notes),
        }

    def by_fold(self, way: str) -> list[dict[str, float]]:
        """Return the F1 of every model with this kind of decoding, one mapping per fold."""
        read = {key: score.decodings[way].folds for key, score in self.scores.items() if way in score.decodings}
        count = len(next(iter(read.values())))
        return [{"fold": fold, **{key: folds[fold] for key, folds in read.items()}} for fold in range(count)]


def _timing_data(microseconds: tuple[float, float] | None) -> dict[str, float] | None:
    return None if microseconds is None else {"first": microseconds[0], "again": microseconds[1]}


def measure_log(log: GoalLog, labels: Mapping[str, str], done: Sequence[FoldDone]) -> LogOutcome:
    """Compute all measures and tests from the readings of all folds."""
    pooled = pool_folds(log, done)
    scores = {key: _score_model(log, labels[key], each) for key, each in pooled.items()}
    anovas, pairs = {}, {}
    for way in (ONLINE, AHEAD):
        compared = {key: scores[key].decodings[way].folds for key in COMPARED if key in scores}
        anovas[way], pairs[way] = repeated_measures(compared), tukey(compared)
    first = np.unique(log.pursuit, return_index=True)[1]
    shares = np.bincount(log.truth[first], minlength=len(log.goals)) / len(first)
    times = [each.microseconds for each in done if each.microseconds is not None]
    return LogOutcome(
        log.name,
        log.is_simulated,
        log.players,
        len(log.truth),
        log.pursuits,
        dict(zip(log.goals, shares.tolist(), strict=True)),
        scores,
        anovas,
        pairs,
        (fmean(each[0] for each in times), fmean(each[1] for each in times)) if times else None,
        tuple(dict.fromkeys(note for each in done for note in each.notes)),
    )


def _score_model(log: GoalLog, label: str, pooled: Pooled) -> LogModelScore:
    decodings = {ONLINE: _decoding(log, pooled.online)}
    if pooled.ahead is not None:
        decodings[AHEAD] = _decoding(log, pooled.ahead)
    unseen = None if log.is_simulated else unseen_rows(log)
    apart = None if unseen is None else scoring.f1(log.truth[unseen], pooled.online[unseen])
    return LogModelScore(label, decodings, scoring.calibration(log.truth, pooled.belief), apart)


def _decoding(log: GoalLog, predicted: Ints) -> Decoding:
    fold = log.fold[log.sequence]
    return Decoding(
        tuple(scoring.f1(log.truth[fold == each], predicted[fold == each]) for each in range(log.folds)),
        scoring.f1(log.truth, predicted),
        scoring.macro_f1(log.truth, predicted, len(log.goals)),
        scoring.convergence(log.truth, predicted, log.pursuit),
        tuple(scoring.by_share(log.truth, predicted, log.pursuit).tolist()),
    )


def unseen_rows(log: GoalLog) -> NDArray[np.bool_]:
    """Return the rows of groups that were not used to choose the formulas for human logs.

    Formulas were chosen by cross-validation on seven of every ten groups, ordered by name; the first three of
    every ten were held out.
    """
    names = sorted(set(log.groups))
    kept_out = {name for place, name in enumerate(names) if place % 10 < 3}
    is_out = np.array([group in kept_out for group in log.groups])
    return is_out[log.sequence]
