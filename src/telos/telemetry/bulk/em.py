"""Training without labels, in columns: ``train_unlabelled`` fits a model to whole logs by expectation maximisation.

A log is encoded once; what is kept of an event are two small numbers. EM needs a start in which the goals differ, so
several are drawn at random around the model's own chances. Players that are held out say which start is the best one,
and when to stop.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from telos.core import kernels
from telos.core.errors import TelosError
from telos.recognition.bulk import session_kernel
from telos.recognition.bulk.arrays import compact
from telos.recognition.bulk.encoders import EncodedColumns, column_encoder
from telos.recognition.bulk.measures import MeasuredRows, join_rows
from telos.recognition.em import EMOptions, EMResult, ExpectedCounts, run_em
from telos.recognition.iohmm import IOHMM, copy_model
from telos.telemetry.bulk.batches import PLAYER, check_frame
from telos.telemetry.bulk.encoding import BatchEncoder
from telos.telemetry.bulk.folds import FoldDealer
from telos.telemetry.tables import pl

HELD_OUT = 10  # one of so many players is held out, if there are as many
START_WEIGHT = 100.0  # what the drawn chances of a start count as


@dataclass(frozen=True, slots=True)
class CodedSessions:
    """The updates of sessions as rows of a model's tables: cases of transitions, and symbols."""

    cases: NDArray[np.int64]
    symbols: NDArray[np.int64]
    offsets: NDArray[np.int64]
    measured: MeasuredRows | None = None

    @property
    def updates(self) -> int:
        return len(self.symbols)

    def expect(self, model: IOHMM) -> ExpectedCounts:
        """Return the expected counts of these sessions under a model."""
        if self.measured is None:
            return expected_counts(model, *self.expect_arrays(model))
        fit, weights, followed = self._expect_rows(model, self.measured)
        seen = np.zeros((len(model.goals), len(model.symbols)))
        for number, row in enumerate(weights):
            seen[number] = np.bincount(self.symbols, row, len(model.symbols))
        found = expected_counts(model, fit, seen, followed)
        found.measured.add_all(self.measured.sums(weights.T))
        return found

    def _expect_rows(
        self, model: IOHMM, measured: MeasuredRows
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """Return the same as ``expect_arrays``, with the weight of each goal at each update for the counts."""
        chances = np.array([model.counts.chances(goal) for goal in model.goals]).T[self.symbols]
        rows = np.ascontiguousarray(chances * measured.factors_of(model.measures))
        return self._run(model, rows, np.arange(len(self.symbols)))

    def expect_arrays(self, model: IOHMM) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """Return the log-likelihood, the counts by goal and symbol, and those by case, goal before and goal after.

        Divided by the chances of the model, the counts are the gradient of the log-likelihood.
        """
        return self._run(model, np.array([model.counts.chances(goal) for goal in model.goals]).T.copy(), self.symbols)

    def _run(
        self, model: IOHMM, chances: NDArray[np.float64], symbols: NDArray[np.int64]
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        goals, matrices = model.goals, np.array(model.matrices)
        seen, followed = np.zeros((len(goals), len(chances))), np.zeros(matrices.shape)
        longest = int(np.diff(self.offsets).max(initial=0))
        room = [np.empty((longest, len(goals))), np.empty((longest, len(goals))), np.empty(longest)]
        log_likelihood = float(
            kernels.kernel(session_kernel).add_expected(
                matrices, chances, np.array(model.prior), self.cases, symbols, self.offsets, *room, seen, followed
            )
        )
        return log_likelihood, seen, followed


def expected_counts(
    model: IOHMM, log_likelihood: float, seen: NDArray[np.float64], followed: NDArray[np.float64]
) -> ExpectedCounts:
    """Return arrays of expected counts as EM takes them; arrays of different sessions can be added up before."""
    found = ExpectedCounts(model)
    found.log_likelihood = log_likelihood
    goals = model.goals
    for goal, symbol in np.argwhere(seen).tolist():
        found.seen.add(goals[goal], symbol, float(seen[goal, symbol]))
    for case, before, after in np.argwhere(followed).tolist():
        found.changes.add(case, goals[before], goals[after], float(followed[case, before, after]))
    return found


class ManySessions(Protocol):
    """Sessions to learn from, wherever they are."""

    @property
    def updates(self) -> int: ...
    def expect(self, model: IOHMM) -> ExpectedCounts:
        """Return the expected counts of these sessions under a model."""


class SessionCoder:
    """Encodes a log batch by batch, and keeps the updates of each session."""

    def __init__(self, model: IOHMM) -> None:
        self._batches = BatchEncoder(column_encoder(model))
        self._parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
        self._measured: list[MeasuredRows] = []
        self.events = 0

    def add(self, frame: pl.DataFrame) -> None:
        """Encode a frame."""
        batch = self._batches.encode(check_frame(frame))
        assert isinstance(batch.evidence, EncodedColumns)
        slots = np.repeat(batch.slots, np.diff(batch.offsets))
        self._parts.append((compact(slots), compact(batch.evidence.inputs), compact(batch.evidence.symbols)))
        if batch.evidence.measured is not None:
            self._measured.append(batch.evidence.measured)
        self.events += frame.height

    @property
    def players(self) -> pl.Series:
        """The player of each session."""
        return self._batches.players.keys[PLAYER]

    def sessions(self, chosen: NDArray[np.bool_]) -> CodedSessions:
        """Return some of the sessions."""
        slots, cases, symbols = (
            np.concatenate([part[place] for part in self._parts] or [np.zeros(0, np.uint8)]) for place in range(3)
        )
        rows = np.flatnonzero(chosen[slots])
        rows = rows[np.argsort(slots[rows], kind="stable")]
        counts = np.bincount(slots[rows], minlength=len(chosen))
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        measured = join_rows(self._measured).take(rows) if self._measured else None
        return CodedSessions(cases[rows], symbols[rows], offsets, measured)


@dataclass(frozen=True, slots=True)
class UnlabelledTraining:
    """The best of several runs of EM; fits are log-likelihoods of an update."""

    result: EMResult
    fits: tuple[float, ...]  # of each start, on the players held out (or else on all)
    before: float  # of the model as it was
    after: float
    events: int
    updates: int
    players: int
    held_out: int  # players

    @property
    def model(self) -> IOHMM:
        return self.result.model


def train_unlabelled(
    batches: Iterable[pl.DataFrame],
    model: IOHMM,
    *,
    options: EMOptions | None = None,
    starts: int = 5,
    seed: int = 1,
    progress: Callable[[int, float], object] | None = None,
) -> UnlabelledTraining:
    """Fit a model to a log whose goals are unknown.

    The first of the ``starts`` is the model itself, if it has counted anything; the others are drawn. ``progress`` is
    told the number of the start and the fit after each round.
    """
    if not isinstance(model, IOHMM):
        raise TelosError(f"{model!r} is written by hand and learns nothing", "train an iohmm")
    coder = SessionCoder(model)
    for batch in batches:
        coder.add(batch)
    learned, held, players, held_players = _divided(coder, seed)
    if not learned.updates:
        raise TelosError("no event of the log counts", "look at the clock of the model")
    best, fits, before = fit_starts(learned, held, model, options=options, starts=starts, seed=seed, progress=progress)
    return UnlabelledTraining(
        best, fits, before, max(fits), coder.events, learned.updates + held.updates, players, held_players
    )


def fit_starts(
    learned: ManySessions,
    held: ManySessions,
    model: IOHMM,
    *,
    options: EMOptions | None = None,
    starts: int = 5,
    seed: int = 1,
    progress: Callable[[int, float], object] | None = None,
) -> tuple[EMResult, tuple[float, ...], float]:
    """Return the best of several runs of EM, the fit of each, and the fit of the model as it was."""
    judged = held if held.updates else learned
    held_fit = (lambda current: held.expect(current).log_likelihood / held.updates) if held.updates else None
    rng, fits, best = Random(seed), list[float](), None
    for number in range(starts):
        start = None if number == 0 and _has_counts(model) else draw_start(model, rng)
        told = None if progress is None else (lambda fit, number=number: progress(number, fit))
        found = run_em(model, learned.expect, options or EMOptions(), start=start, held_out=held_fit, progress=told)
        fits.append(judged.expect(found.model).log_likelihood / judged.updates)
        if best is None or fits[-1] > max(fits[:-1]):
            best = found
    assert best is not None
    before = judged.expect(model).log_likelihood / judged.updates
    return best, tuple(fits), before


def _divided(coder: SessionCoder, seed: int) -> tuple[CodedSessions, CodedSessions, int, int]:
    """Return the sessions to learn from and those held out, and how many players there are in all and in these."""
    dealer = FoldDealer(HELD_OUT, seed=seed)
    is_held = dealer.folds_of(coder.players) == 0 if len(coder.players) else np.zeros(0, np.bool_)
    if dealer.players < HELD_OUT:
        is_held = np.zeros(len(coder.players), np.bool_)
    held = coder.players.filter(pl.Series(is_held)).n_unique() if is_held.any() else 0
    return coder.sessions(~is_held), coder.sessions(is_held), dealer.players, held


def _has_counts(model: IOHMM) -> bool:
    return any(count > 0 for row in model.counts.seen.values() for count in row.values())


def draw_start(model: IOHMM, rng: Random) -> IOHMM:
    """Return a model whose chances are drawn around those of another one."""
    counts = {}
    for goal in model.goals:
        drawn = [chance * rng.gammavariate(1.0, 1.0) for chance in model.counts.chances(goal)]
        total = sum(drawn)
        shares = [START_WEIGHT * each / total for each in drawn]
        counts[goal] = dict(zip(model.symbols.names, shares, strict=True))
    return copy_model(model, counts=counts, measures=model.measures.draw(rng, START_WEIGHT))
