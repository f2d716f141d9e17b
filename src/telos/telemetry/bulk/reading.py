"""Beliefs about the players of a log, frame in and frame out: ``read_frame`` and ``BeliefReader``."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from telos.recognition.bulk.arrays import Array
from telos.recognition.bulk.encoders import ColumnEncoder, column_encoder
from telos.recognition.fsm import FSMModel
from telos.telemetry.bulk.batches import OWN_COLUMNS, PLAYER, ROW, SESSION, TIME, check_frame
from telos.telemetry.bulk.encoding import BatchEncoder, EncodedBatch
from telos.telemetry.bulk.players import Field
from telos.telemetry.tables import pl

TOP = "top"
_BELIEF = "belief"


class BeliefReader:
    """Reads a log batch by batch; it keeps the belief about each player for the next batch.

    The state is a table with a row for each player and session, so that another process can continue. ``seed`` is for
    state machines that start in a random goal: each player's is drawn; without it, all goals are as likely.
    """

    def __init__(self, model: object, *, state: pl.DataFrame | None = None, seed: int | None = None) -> None:
        self.encoder: ColumnEncoder = column_encoder(model)
        self.goals = self.encoder.goals
        self._model, self._seed = model, seed
        is_drawn = seed is not None and isinstance(model, FSMModel) and model.start is None
        self._batches = BatchEncoder(
            self.encoder,
            {
                _BELIEF: Field(
                    np.array(self.encoder.prior), parts=self.goals, draw=self._draw_starts if is_drawn else None
                ),
                "log_likelihood": Field(0.0),
                "ignored": Field(0, "i8"),
            },
        )
        if state is not None:
            self._batches.players.restore(state)

    @property
    def state(self) -> pl.DataFrame:
        """The state of all players so far."""
        return self._batches.players.to_frame()

    @property
    def has_clock(self) -> bool:
        """Whether the model decides which events count."""
        return self.encoder.needs.clock is not None

    def _draw_starts(self, keys: pl.DataFrame) -> Array:
        """Return the initial beliefs of new players, drawn as for live recognisers in the order of their first row."""
        assert self._seed is not None
        first = self._seed + len(self._batches.players)
        starts = [self.goals.index(Random(first + number).choice(self.goals)) for number in range(keys.height)]
        found: Array = np.eye(len(self.goals))[starts]
        return found

    def read(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the belief after each event of a frame, in its order."""
        checked = check_frame(frame)
        beliefs, _ = self.beliefs(checked)
        return beliefs_frame(checked, self.goals, beliefs)

    def beliefs(self, frame: pl.DataFrame) -> tuple[Array, NDArray[np.uint8]]:
        """Return the belief after each row of a checked frame, and whether the row counts."""
        batch = self._batches.encode(frame)
        players = self._batches.players
        before = players[_BELIEF][batch.slots]
        found = batch.evidence.filter(batch.offsets, before)
        history = found.beliefs
        has_updates = np.diff(batch.offsets) > 0
        players[_BELIEF][batch.slots[has_updates]] = history[batch.offsets[1:][has_updates] - 1]
        players["log_likelihood"][batch.slots] += found.log_likelihoods
        players["ignored"][batch.slots] += found.ignored
        return spread(batch, history, before), batch.counts


def spread(batch: EncodedBatch, history: Array, before: Array) -> Array:
    """Return the belief at each row from those at the rows that count: that after the last such row of the player."""
    groups = batch.groups
    if len(batch.places) == len(groups.order):
        if groups.is_sorted:
            return history
        found = np.empty_like(history)
        found[groups.order] = history
        return found
    sums = np.cumsum(batch.counts[groups.order] != 0)
    lengths = np.diff(groups.offsets)
    first = np.repeat(batch.offsets[:-1], lengths)
    initial = np.repeat(np.arange(len(batch.slots)), lengths) + len(history)
    index = np.empty(len(groups.order), np.int64)
    index[groups.order] = np.where(sums > first, sums - 1, initial)
    return np.concatenate([history, before])[index]


def goal_column(goal: str) -> str:
    """Return the column of a goal in tables of beliefs: its name, or ``belief.NAME`` if it is called as another column.

    >>> goal_column("fish"), goal_column("action")
    ('fish', 'belief.action')
    """
    return f"belief.{goal}" if goal in (ROW, *OWN_COLUMNS, TOP) else goal


def belief_columns(goals: Sequence[str], beliefs: Array) -> list[pl.Series]:
    """Return beliefs as columns: the likeliest goal, and the chance of each."""
    top = pl.Series(TOP, list(goals), dtype=pl.String).gather(beliefs.argmax(axis=1))
    return [top, *(pl.Series(goal_column(goal), beliefs[:, number]) for number, goal in enumerate(goals))]


def beliefs_frame(frame: pl.DataFrame, goals: Sequence[str], beliefs: Array) -> pl.DataFrame:
    """Return beliefs as a table, with the players and times of a frame."""
    return frame.select(PLAYER, SESSION, TIME).with_columns(belief_columns(goals, beliefs))


def read_frame(frame: pl.DataFrame, model: object) -> pl.DataFrame:
    """Return the belief after each event of a frame: player, session, time, the likeliest goal, and one column a goal.

    >>> from telos.recognition import loads_model
    >>> model = loads_model("{recognizer: iohmm, goals: [fish, farm],"
    ...                     " observations: {cast: action == cast, other: true},"
    ...                     " transitions: {lasts: 20 updates}, counts: {fish: {cast: 7, other: 3}, farm: {other: 9}}}")
    >>> frame = pl.DataFrame({"player": ["ann", "bo"], "time": [0.0, 1.0], "action": ["cast", "dig"]})
    >>> read_frame(frame, model)["top"].to_list()
    ['fish', 'farm']
    """
    return BeliefReader(model).read(frame)


def read_batches(batches: Iterable[pl.DataFrame], model: object) -> Iterator[pl.DataFrame]:
    """Yield the beliefs of each batch of a log; the events of a player may be spread over many."""
    reader = BeliefReader(model)
    for batch in batches:
        yield reader.read(batch)
