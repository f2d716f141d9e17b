"""What came out on one log: every contender's measures, online and with look-ahead, and the tests between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.studies.markov import measures
from telos.studies.markov.contenders import COMPARED, MAJORITY
from telos.studies.markov.folds import FoldDone, Pooled, pooled
from telos.studies.markov.goal_log import GoalLog, Ints
from telos.studies.markov.measures import Calibration, Convergence
from telos.studies.statistics_anova import Anova, Pair, repeated_measures, tukey

ONLINE, AHEAD = "online", "lookahead"


@dataclass(frozen=True, slots=True)
class Decoding:
    """How one contender fared, read in one way."""

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

    def figures(self, baseline: float) -> dict[str, Any]:
        """Return it as JSON has it; the improvement is over the mean F1 of the majority."""
        return {
            "f1_mean": self.mean,
            "f1_sd": self.sd,
            "f1_all_rows": self.f1,
            "macro_f1": self.macro_f1,
            "improvement": self.mean / baseline - 1 if baseline else None,
            "convergence": self.convergence.figures(),
            "by_share_seen": list(self.by_share),
        }


@dataclass(frozen=True, slots=True)
class Score:
    """How one contender fared. Look-ahead is None for a method that has no such reading."""

    label: str
    decodings: Mapping[str, Decoding]
    calibration: Calibration
    unseen: float | None  # online, on groups that had no say in which formulas were chosen

    def figures(self, baselines: Mapping[str, float]) -> dict[str, Any]:
        """Return it as JSON has it: the look-ahead on top, as in the chapter, or else the online reading."""
        by_way = {way: each.figures(baselines[way]) for way, each in self.decodings.items()}
        first = by_way.get(AHEAD, by_way[ONLINE])
        told = {key: first[key] for key in ("f1_mean", "f1_sd", "macro_f1", "improvement")}
        ways = {ONLINE: by_way[ONLINE], AHEAD: by_way.get(AHEAD)}
        return {"label": self.label, **told, **ways, "calibration": self.calibration.figures(), "unseen": self.unseen}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Everything about one log."""

    log: str
    is_simulated: bool
    players: int
    actions: int
    goals: int  # achieved
    goal_shares: Mapping[str, float]  # of achieved goals
    scores: Mapping[str, Score]
    anovas: Mapping[str, Anova]
    pairs: Mapping[str, tuple[Pair, ...]]
    microseconds: tuple[float, float] | None
    notes: tuple[str, ...]

    def figures(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
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
            "models": {key: score.figures(baselines) for key, score in self.scores.items()},
            "anova": {**self.anovas[AHEAD].figures(), ONLINE: self.anovas[ONLINE].figures()},
            "tukey": [pair.figures() for pair in self.pairs[AHEAD]],
            "tukey_online": [pair.figures() for pair in self.pairs[ONLINE]],
            "microseconds_an_update": _timed(self.microseconds),
            "notes": list(self.notes),
        }

    def by_fold(self, way: str) -> list[dict[str, float]]:
        """Return the F1 of every contender that is read in this way, fold by fold."""
        read = {key: score.decodings[way].folds for key, score in self.scores.items() if way in score.decodings}
        count = len(next(iter(read.values())))
        return [{"fold": fold, **{key: folds[fold] for key, folds in read.items()}} for fold in range(count)]


def _timed(microseconds: tuple[float, float] | None) -> dict[str, float] | None:
    return None if microseconds is None else {"first": microseconds[0], "again": microseconds[1]}


def outcome(log: GoalLog, labels: Mapping[str, str], done: Sequence[FoldDone]) -> Outcome:
    """Measure what was said in all folds."""
    said = pooled(log, done)
    scores = {key: _score(log, labels[key], each) for key, each in said.items()}
    anovas, pairs = {}, {}
    for way in (ONLINE, AHEAD):
        compared = {key: scores[key].decodings[way].folds for key in COMPARED if key in scores}
        anovas[way], pairs[way] = repeated_measures(compared), tukey(compared)
    first = np.unique(log.pursuit, return_index=True)[1]
    shares = np.bincount(log.truth[first], minlength=len(log.goals)) / len(first)
    times = [each.microseconds for each in done if each.microseconds is not None]
    return Outcome(
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


def _score(log: GoalLog, label: str, said: Pooled) -> Score:
    decodings = {ONLINE: _decoding(log, said.online)}
    if said.ahead is not None:
        decodings[AHEAD] = _decoding(log, said.ahead)
    unseen = None if log.is_simulated else unseen_rows(log)
    apart = None if unseen is None else measures.f1(log.truth[unseen], said.online[unseen])
    return Score(label, decodings, measures.calibration(log.truth, said.belief), apart)


def _decoding(log: GoalLog, said: Ints) -> Decoding:
    fold = log.fold[log.sequence]
    return Decoding(
        tuple(measures.f1(log.truth[fold == each], said[fold == each]) for each in range(log.folds)),
        measures.f1(log.truth, said),
        measures.macro_f1(log.truth, said, len(log.goals)),
        measures.convergence(log.truth, said, log.pursuit),
        tuple(measures.by_share(log.truth, said, log.pursuit).tolist()),
    )


def unseen_rows(log: GoalLog) -> NDArray[np.bool_]:
    """Return the rows of groups that had no say in which formulas were chosen for human logs.

    Formulas were chosen by folds among seven of every ten groups, in the order of their names; the first three of every
    ten were kept out of it.
    """
    names = sorted(set(log.groups))
    kept_out = {name for place, name in enumerate(names) if place % 10 < 3}
    is_out = np.array([group in kept_out for group in log.groups])
    return is_out[log.sequence]
