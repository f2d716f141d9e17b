"""Hindsight on whole sessions, in columns: stories, surprises, beliefs some updates late, how well each update fits.

``read_sessions`` reads frames of whole sessions forward and backward; the functions below it do for all of them what
those of `telos.recognition` with the same names do for the events of one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from telos.core import kernels
from telos.core.errors import TelosError
from telos.recognition.bulk import session_kernel
from telos.recognition.bulk.arrays import Array
from telos.recognition.bulk.encoders import EncodedColumns, column_encoder
from telos.recognition.player_models import (
    IGNORED_LOG_LIKELIHOOD,
    IMPOSSIBLE_LOG_LIKELIHOOD,
    REFERENCE_WEIGHT,
    FitThreshold,
)
from telos.telemetry.bulk.batches import ACHIEVED, PLAYER, SESSION, TIME, check_frame
from telos.telemetry.bulk.encoding import BatchEncoder, EncodedBatch
from telos.telemetry.bulk.reading import spread
from telos.telemetry.tables import pl

NUMBER = "number"  # of a session


@dataclass(frozen=True)
class Sessions:
    """Whole sessions, read: ``live`` is the belief after each update, ``prior`` that before the first of a session."""

    frame: pl.DataFrame
    goals: tuple[str, ...]
    batch: EncodedBatch
    prior: Array
    live: Array

    @cached_property
    def smoothed(self) -> Array:
        """The belief at each update given the whole session."""
        return self.batch.evidence.smooth(self.batch.offsets, self.prior).beliefs

    @cached_property
    def evidence(self) -> EncodedColumns:
        """The symbols and inputs of the updates; formulas have none."""
        if not isinstance(self.batch.evidence, EncodedColumns):
            raise TelosError("this is for models of goals that change, not for formulas")
        return self.batch.evidence.by_rows()

    @cached_property
    def likelihoods(self) -> Array:
        """The likelihood of each update, 0 for one that no goal allows."""
        evidence, tables = self.evidence, self.evidence.tables
        before = np.empty_like(self.live)
        before[1:] = self.live[:-1]
        has_updates = np.diff(self.batch.offsets) > 0
        before[self.batch.offsets[:-1][has_updates]] = self.prior[has_updates]
        found = np.empty(len(before))
        for number in range(tables.inputs):
            rows = np.flatnonzero(evidence.inputs == number)
            predicted = before[rows] @ tables.transitions[number]
            found[rows] = (predicted * tables.likelihoods[evidence.symbols[rows]]).sum(axis=1)
        return found

    @property
    def keys(self) -> pl.DataFrame:
        """The player and session of each session."""
        return self.batch.groups.keys

    def updates(self, columns: Mapping[str, pl.Series]) -> pl.DataFrame:
        """Return a table of the updates, with the number of their session and their time."""
        lengths = np.diff(self.batch.offsets)
        numbers = pl.Series(NUMBER, np.repeat(np.arange(len(lengths)), lengths), dtype=pl.Int64)
        return pl.DataFrame([numbers, self.frame[TIME].gather(self.batch.places)]).with_columns(**columns)

    def named(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return a table with the player and session in place of the number of the session."""
        keys = self.keys.select(PLAYER, pl.col(SESSION).replace("", None)).with_row_index(NUMBER)
        keys = keys.with_columns(pl.col(NUMBER).cast(pl.Int64))
        joined = table.join(keys, on=NUMBER, how="left", maintain_order="left")
        return joined.select(PLAYER, SESSION, pl.all().exclude(NUMBER, PLAYER, SESSION))


def read_sessions(frame: pl.DataFrame, model: object) -> Sessions:
    """Return the sessions of a frame, read by a model; each is whole, and in the order of time."""
    checked = check_frame(frame)
    encoder = column_encoder(model)
    batch = BatchEncoder(encoder).encode(checked)
    before = np.tile(np.array(encoder.prior), (len(batch.slots), 1))
    return Sessions(checked, encoder.goals, batch, before, batch.evidence.filter(batch.offsets, before).beliefs)


def _names(goals: Sequence[str], numbers: NDArray[np.int64] | NDArray[np.uint8]) -> pl.Series:
    return pl.Series(list(goals), dtype=pl.String).gather(numbers)


# --- stories ----------------------------------------------------------------------------------------------------------


def find_stories(sessions: Sessions) -> pl.DataFrame:
    """Return the likeliest sequence of goals of each session as spans; each ends where the next begins.

    A row has the player and session, ``goal``, ``from``, ``to``, ``certainty`` (the mean smoothed belief), how many
    ``updates`` it has, and whether the game reported the goal as ``achieved``.
    """
    path = sessions.evidence.best_path(sessions.batch.offsets, sessions.prior).path
    sure = sessions.smoothed[np.arange(len(path)), path]
    rows = sessions.updates({"goal": _names(sessions.goals, path), "sure": pl.Series(sure)})
    is_new = (pl.col(NUMBER) != pl.col(NUMBER).shift()) | (pl.col("goal") != pl.col("goal").shift())
    spans = (
        rows.with_columns(run=is_new.fill_null(True).cum_sum())
        .group_by("run", maintain_order=True)
        .agg(
            pl.col(NUMBER, "goal").first(),
            pl.col(TIME).first().alias("from"),
            certainty=pl.col("sure").mean().clip(0, 1),
            updates=pl.len(),
        )
    )
    last = sessions.frame[TIME].gather(sessions.batch.groups.order[sessions.batch.groups.offsets[1:] - 1])
    ends = pl.DataFrame({NUMBER: np.arange(len(last)), "last": last})
    spans = spans.join(ends, on=NUMBER, how="left", maintain_order="left")
    spans = spans.with_columns(pl.coalesce(pl.col("from").shift(-1).over(NUMBER), "last").alias("to"))
    return sessions.named(_with_achievements(sessions, spans).drop("run", "last"))


def _with_achievements(sessions: Sessions, spans: pl.DataFrame) -> pl.DataFrame:
    """Add whether the goal of a span was achieved: after its start, and no later than the first event of the next."""
    if ACHIEVED not in sessions.frame.columns or sessions.frame[ACHIEVED].null_count() == sessions.frame.height:
        return spans.with_columns(achieved=pl.lit(False))
    groups = sessions.batch.groups
    order = pl.DataFrame(
        {"place": groups.order, NUMBER: np.repeat(np.arange(groups.keys.height), np.diff(groups.offsets))}
    )
    rows = sessions.frame.select(TIME, ACHIEVED).with_row_index("place").with_columns(pl.col("place").cast(pl.Int64))
    found = rows.filter(pl.col(ACHIEVED).is_not_null()).join(order, on="place").sort(TIME)
    matched = found.join_asof(
        spans.select(NUMBER, "run", "goal", start="from").sort("start", maintain_order=True),
        left_on=TIME,
        right_on="start",
        by=NUMBER,
        strategy="backward",
        allow_exact_matches=False,
        suffix=" of span",
        check_sortedness=False,
    )
    won = matched.filter(pl.col(ACHIEVED) == pl.col("goal of span" if "goal of span" in matched.columns else "goal"))
    return spans.with_columns(achieved=pl.col("run").is_in(won["run"].unique().to_list()))


# --- surprises --------------------------------------------------------------------------------------------------------


def find_surprises(sessions: Sessions, *, threshold: float = 0.5) -> pl.DataFrame:
    """Return where hindsight changes the likeliest goal and moves at least ``threshold`` of the belief.

    A row has the player and session, ``from``, ``to``, what it looked like (``thought``), what it ``was``, and the
    largest share of the belief that moved (``amount``).
    """
    if not 0 <= threshold <= 1:
        raise TelosError(f"threshold must be from 0 to 1, got {threshold!r}")
    moved = np.abs(sessions.live - sessions.smoothed).sum(axis=1) / 2
    thought, was = sessions.live.argmax(axis=1), sessions.smoothed.argmax(axis=1)
    is_overturned = (thought != was) & (moved >= threshold)
    rows = sessions.updates(
        {
            "thought": _names(sessions.goals, thought),
            "was": _names(sessions.goals, was),
            "amount": pl.Series(moved),
            "overturned": pl.Series(is_overturned),
        }
    )
    kind = pl.when(pl.col("overturned")).then(pl.concat_str("thought", pl.lit("\x1f"), "was"))
    is_new = (pl.col(NUMBER) != pl.col(NUMBER).shift()) | kind.ne_missing(kind.shift())
    found = (
        rows.with_columns(run=is_new.fill_null(True).cum_sum())
        .filter("overturned")
        .group_by("run", maintain_order=True)
        .agg(
            pl.col(NUMBER, "thought", "was").first(),
            pl.col(TIME).first().alias("from"),
            pl.col(TIME).last().alias("to"),
            pl.col("amount").max(),
        )
    )
    return sessions.named(found.select(NUMBER, "from", "to", "thought", "was", "amount"))


# --- beliefs some updates late ----------------------------------------------------------------------------------------


def read_lagged(sessions: Sessions, lag: int) -> Array:
    """Return for each row of the frame the belief about ``lag`` updates ago, smoothed with the evidence up to now."""
    if isinstance(lag, bool) or not isinstance(lag, int) or lag < 0:
        raise TelosError(f"lag must be a whole number of updates, 0 or more, got {lag!r}")
    evidence, tables = sessions.evidence, sessions.evidence.tables
    found = np.empty_like(sessions.live)
    kernels.kernel(session_kernel).smooth_lagged(
        tables.transitions,
        tables.likelihoods,
        evidence.inputs,
        evidence.symbols,
        (sessions.likelihoods <= 0).astype(np.uint8),
        sessions.batch.offsets,
        lag,
        sessions.live,
        found,
    )
    return spread(sessions.batch, found, sessions.prior)


# --- how well updates fit ---------------------------------------------------------------------------------------------


def compare_styles(
    styles: Mapping[str, Sessions],
    prior: Mapping[str, float] | None = None,
    *,
    outcomes: Mapping[str, int] | None = None,
) -> pl.DataFrame:
    """Return for each session the chance of each style: how well its model has foreseen the session, beside the others.

    ``outcomes`` are the numbers of outcomes of models that tell different ones apart: their likelihoods are compared
    relative to a reference; see ``StyleReader``.
    """
    first = next(iter(styles.values()))
    fits = np.stack([_session_fits(each) for each in styles.values()], axis=1)
    if outcomes is not None:
        fits -= np.stack([_reference_fits(each, outcomes[style]) for style, each in styles.items()], axis=1)
    weights = np.array([1.0 if prior is None else prior[style] for style in styles])
    with np.errstate(divide="ignore"):
        scores = fits + np.log(weights)
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    likeliest = _names(list(styles), chances.argmax(axis=1))
    columns = [pl.Series(style, chances[:, number]) for number, style in enumerate(styles)]
    keys = first.keys.select(PLAYER, pl.col(SESSION).replace("", None))
    return keys.with_columns(likeliest.alias("style"), *columns)


def _session_fits(sessions: Sessions) -> Array:
    return _sums(_log_likelihoods(sessions, IGNORED_LOG_LIKELIHOOD), sessions.batch.offsets)


def _reference_fits(sessions: Sessions, outcomes: int) -> Array:
    """Return for each session the log-likelihood of its outcomes by what was seen before in it."""
    rows = sessions.updates({"outcome": pl.Series(sessions.evidence.outcomes.astype(np.int64))})
    rows = rows.with_columns(
        before=pl.int_range(pl.len()).over(NUMBER, "outcome"), total=pl.int_range(pl.len()).over(NUMBER)
    )
    chance = (pl.col("before") + REFERENCE_WEIGHT / outcomes) / (pl.col("total") + REFERENCE_WEIGHT)
    return _sums(rows.select(chance.log()).to_series().to_numpy(), sessions.batch.offsets)


def _log_likelihoods(sessions: Sessions, impossible: float) -> Array:
    likely = sessions.likelihoods
    found: Array = np.where(likely > 0, np.log(np.where(likely > 0, likely, 1.0)), impossible)
    return found


def _sums(values: Array, offsets: NDArray[np.int64]) -> Array:
    sums = np.concatenate([[0.0], np.cumsum(values)])
    found: Array = sums[offsets[1:]] - sums[offsets[:-1]]
    return found


def _window_means(sessions: Sessions, window: int) -> Array:
    """Return the mean log-likelihood of the last ``window`` updates at each one; infinite before there are as many."""
    logs = _log_likelihoods(sessions, IMPOSSIBLE_LOG_LIKELIHOOD)
    sums = np.concatenate([[0.0], np.cumsum(logs)])
    found = np.full(len(logs), np.inf)
    found[window - 1 :] = (sums[window:] - sums[:-window]) / window if len(logs) >= window else np.inf
    lengths = np.diff(sessions.batch.offsets)
    place = np.arange(len(logs)) - np.repeat(sessions.batch.offsets[:-1], lengths)
    found[place < window - 1] = np.inf
    return found


def worst_windows(sessions: Sessions, window: int) -> Array:
    """Return for each session the lowest mean log-likelihood of ``window`` updates; infinite for a shorter one."""
    means, found = _window_means(sessions, window), np.full(len(sessions.prior), np.inf)
    lengths = np.diff(sessions.batch.offsets)
    np.minimum.at(found, np.repeat(np.arange(len(lengths)), lengths), means)
    return found


def find_unknown(sessions: Sessions, threshold: FitThreshold) -> pl.DataFrame:
    """Return where players probably pursue a goal that the model does not have.

    A row has the player and session, ``from`` (the first update of the window that set the alarm off), ``to``, how many
    ``updates`` gave alarm, and the lowest ``score``: the mean log-likelihood of an update in a window.
    """
    means = _window_means(sessions, threshold.window)
    rows = sessions.updates({"score": pl.Series(means), "alarm": pl.Series(means < threshold.value)})
    rows = rows.with_columns(begin=pl.col(TIME).shift(threshold.window - 1).over(NUMBER))
    is_new = (pl.col(NUMBER) != pl.col(NUMBER).shift()) | (pl.col("alarm") != pl.col("alarm").shift())
    found = (
        rows.with_columns(run=is_new.fill_null(True).cum_sum())
        .filter("alarm")
        .group_by("run", maintain_order=True)
        .agg(
            pl.col(NUMBER).first(),
            pl.col("begin").first().alias("from"),
            pl.col(TIME).last().alias("to"),
            updates=pl.len(),
            score=pl.col("score").min(),
        )
    )
    return sessions.named(found.drop("run"))
