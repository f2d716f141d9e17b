"""Training by counting, in columns: ``train_frame``, and counts as a table that can be added up across machines.

``TrainingCounts`` reads a log batch by batch. Its ``table`` holds all that it has counted; ``merge_counts`` adds up the
tables of several parts of a log, and ``trained_model`` returns the model with these counts.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError, name_hint
from telos.recognition.bulk.encoders import EncodedColumns, column_encoder
from telos.recognition.iohmm import IOHMM, copy_model
from telos.telemetry.bulk.batches import TRUTH, Labels, check_frame
from telos.telemetry.bulk.encoding import BatchEncoder, EncodedBatch
from telos.telemetry.bulk.players import Field, loops
from telos.telemetry.tables import pl

SEEN, FOLLOWED, EVENTS, MEASURED = "seen", "followed", "events", "measured"
_SCHEMA = {"what": pl.String, "case": pl.Int64, "goal": pl.String, "outcome": pl.String, "count": pl.Float64}
_KEYS = ["what", "case", "goal", "outcome"]
_BEFORE = "before"


class TrainingCounts:
    """Counts, for the events whose goal is known, what was seen under each goal and which goal followed which."""

    def __init__(self, model: IOHMM, *, state: pl.DataFrame | None = None) -> None:
        if not isinstance(model, IOHMM):
            raise TelosError(f"{model!r} is written by hand and learns nothing", "train an iohmm")
        self.model = model
        self._truths = Labels(model.goals)
        self._batches = BatchEncoder(column_encoder(model), {_BEFORE: Field(-1, "i4", labels=self._truths)})
        if state is not None:
            self._batches.players.restore(state)
        goals, cases = len(model.goals), len(model.matrices)
        self._seen = np.zeros((goals, len(model.symbols)))
        self._followed = np.zeros((cases, goals, goals))
        self._learned = np.zeros(goals, np.int64)  # events by goal
        self._measured = model.measures.copy(seen={})
        self.events = self.unlabelled = 0

    @property
    def state(self) -> pl.DataFrame:
        """The state of all players so far."""
        return self._batches.players.to_frame()

    @property
    def learned(self) -> dict[str, int]:
        """How many events of each goal were counted."""
        return dict(zip(self.model.goals, self._learned.tolist(), strict=True))

    @property
    def players(self) -> int:
        """The number of different players so far."""
        return int(self._batches.players.keys["player"].n_unique())

    def count(self, frame: pl.DataFrame) -> None:
        """Count the events of a frame; ``truth`` is the goal that was pursued, null where it is not known."""
        checked = check_frame(frame)
        truths = truth_codes(checked, self._truths, self.model.goals)
        batch = self._batches.encode(checked)
        self.events += checked.height
        self.unlabelled += int((truths < 0).sum())
        previous = self._previous(batch, truths)
        goal, before = truths[batch.places], previous[batch.places]
        self._count(batch, goal, before)

    def _previous(self, batch: EncodedBatch, truths: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the goal at the previous event that counts, for each row that counts."""
        found = np.full(len(truths), -1, np.int32)
        last = self._batches.players[_BEFORE]
        loops().find_previous(truths, batch.places, batch.offsets, batch.slots, last, found)
        return found

    def _count(self, batch: EncodedBatch, goal: NDArray[np.int32], before: NDArray[np.int32]) -> None:
        assert isinstance(batch.evidence, EncodedColumns)
        is_known = goal >= 0
        symbols = batch.evidence.symbols[is_known].astype(np.int64)
        cases = batch.evidence.inputs[is_known].astype(np.int64)
        goal, before = goal[is_known], before[is_known]
        goals = len(self.model.goals)
        learned = np.bincount(goal, minlength=goals)
        seen = goal.astype(np.int64) * self._seen.shape[1] + symbols
        weights = np.ones(len(goal))
        if self.model.discount < 1:
            weights = self._weights(batch.places[is_known], goal)
            fading = self.model.discount ** learned.astype(np.float64)
            for number, name in enumerate(self.model.goals):
                self._measured.fade(float(fading[number]), [name])
            self._seen *= fading[:, None]
            self._seen += np.bincount(seen, weights, self._seen.size).reshape(self._seen.shape)
        else:
            self._seen += np.bincount(seen, minlength=self._seen.size).reshape(self._seen.shape)
        if batch.evidence.measured is not None:
            worth = np.zeros((len(goal), goals))
            worth[np.arange(len(goal)), goal] = weights
            self._measured.add_all(batch.evidence.measured.take(np.flatnonzero(is_known)).sums(worth))
        self._learned += learned
        has_before = before >= 0
        followed = (cases[has_before] * goals + before[has_before]) * goals + goal[has_before]
        self._followed += np.bincount(followed, minlength=self._followed.size).reshape(self._followed.shape)

    def _weights(self, rows: NDArray[np.int64], goal: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return what the events are worth after those that follow them: old ones fade, in the order of the rows."""
        weights = np.empty(len(rows))
        for number in range(len(self.model.goals)):
            mine = np.flatnonzero(goal == number)
            mine = mine[np.argsort(rows[mine], kind="stable")]
            weights[mine] = self.model.discount ** np.arange(len(mine) - 1, -1, -1.0)
        return weights

    @property
    def table(self) -> pl.DataFrame:
        """All counts so far; tables of different players can be added up with `merge_counts`."""
        goals, names = self.model.goals, self.model.symbols.names
        rows: list[tuple[str, int, str, str, float]] = []
        for goal, number in np.argwhere(self._seen):
            rows.append((SEEN, 0, goals[goal], names[number], float(self._seen[goal, number])))
        for case, before, after in np.argwhere(self._followed):
            rows.append((FOLLOWED, int(case), goals[before], goals[after], float(self._followed[case, before, after])))
        for measure, found in self._measured.seen.items():
            for goal, sums in found.items():
                names_of = zip(range(3), sums, strict=True)
                rows += [(MEASURED, part, goal, measure, value) for part, value in names_of]
        rows += [(EVENTS, 0, goal, "", float(count)) for goal, count in self.learned.items()]
        return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


def truth_codes(frame: pl.DataFrame, labels: Labels, goals: Sequence[str]) -> NDArray[np.int32]:
    """Return the goal that was pursued at each row, -1 where it is not known; refuse what is not a goal."""
    if TRUTH not in frame.columns:
        raise TelosError(f"there is no column {TRUTH!r}, the goal that was pursued", name_hint(TRUTH, frame.columns))
    codes = labels.codes(frame[TRUTH])
    if len(labels.values) > len(goals):
        unknown = str(labels.values[len(goals)])
        raise TelosError(f"truth {unknown!r} is not a goal of the model", name_hint(unknown, goals))
    return codes


def merge_counts(tables: Iterable[pl.DataFrame], model: IOHMM) -> pl.DataFrame:
    """Return the sum of tables of counts; if counts fade (``discount``), the tables are in the order of time."""
    parts = list(tables)
    if model.discount < 1:
        parts = _faded(parts, model.discount)
    return pl.concat(parts).group_by(_KEYS).agg(pl.col("count").sum()).sort(_KEYS)


def _faded(parts: Sequence[pl.DataFrame], discount: float) -> list[pl.DataFrame]:
    later: dict[str, float] = {}
    found = []
    for part in reversed(parts):
        worth = pl.col("goal").replace_strict(later, default=0.0, return_dtype=pl.Float64)
        fades = pl.when(pl.col("what").is_in([SEEN, MEASURED])).then(discount**worth).otherwise(1.0)
        found.append(part.with_columns(count=pl.col("count") * fades))
        for goal, count in _events(part).items():
            later[goal] = later.get(goal, 0.0) + count
    return found[::-1]


def _events(table: pl.DataFrame) -> dict[str, float]:
    rows = table.filter(pl.col("what") == EVENTS)
    return dict(zip(rows["goal"].to_list(), rows["count"].to_list(), strict=True))


def trained_model(model: IOHMM, table: pl.DataFrame) -> IOHMM:
    """Return a copy of a model that has counted what a table holds, too."""
    trained = copy_model(model)
    if model.discount < 1:
        for goal, count in _events(table).items():
            trained.counts.fade(model.discount**count, [goal])
            trained.measures.fade(model.discount**count, [goal])
    for what, case, goal, outcome, count in table.select([*_KEYS, "count"]).iter_rows():
        _add(trained, what, case, goal, outcome, count)
    return trained


def _add(model: IOHMM, what: str, case: int, goal: str, outcome: str, count: float) -> None:
    if what == SEEN:
        model.counts.add(goal, model.symbols.names.index(outcome), count)
    elif what == FOLLOWED and model.learned is not None:
        model.learned.add(case, goal, outcome, count)
    elif what == MEASURED:  # the case is the number of the sum: the weight, the first, the second
        model.measures.add_sums(outcome, goal, [count if part == case else 0.0 for part in range(3)])


def train_frame(frame: pl.DataFrame, model: IOHMM) -> IOHMM:
    """Return a copy of a model that has learned from the events of a frame whose goal (``truth``) is known.

    >>> from telos.recognition import loads_model
    >>> model = loads_model("{recognizer: iohmm, goals: [fish, farm],"
    ...                     " observations: {cast: action == cast, other: true},"
    ...                     " transitions: {lasts: 20 updates}}")
    >>> frame = pl.DataFrame({"time": [0.0, 1.0], "action": ["cast", "dig"], "truth": ["fish", None]})
    >>> train_frame(frame, model).counts.seen["fish"]["cast"]
    1.0
    """
    return train_batches([frame], model)


def train_batches(batches: Iterable[pl.DataFrame], model: IOHMM, **options: Any) -> IOHMM:
    """Return a copy of a model that has learned from all batches of a log."""
    counts = TrainingCounts(model, **options)
    for batch in batches:
        counts.count(batch)
    if counts.unlabelled == counts.events:
        raise TelosError("no row says what the player was after", f"give a column {TRUTH!r}")
    return trained_model(model, counts.table)
