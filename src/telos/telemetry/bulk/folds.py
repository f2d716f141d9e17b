"""Cross-validation by player: ``deal_folds`` and ``cross_validate``.

Every player is in one fold. A model that counts is trained for each fold on the players of all others, from what its
file has counted already; every player is then read by the model that has not seen them. Other models are the same in
all folds.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.recognition.bulk.arrays import Array
from telos.recognition.iohmm import IOHMM
from telos.telemetry.bulk.batches import PLAYER, Labels, check_frame
from telos.telemetry.bulk.live import FrameReader, create_reader
from telos.telemetry.bulk.training import TrainingCounts, merge_counts, trained_model
from telos.telemetry.tables import pl

FOLD = "fold"  # the column that a prepared corpus has
MAX_FOLDS = 1000
Batches = Callable[[], Iterable[pl.DataFrame]]  # reads a log from its start


class FoldDealer:
    """Deals players to folds in the order of their first rows: of each K in turn, one to each fold, in random order.

    >>> FoldDealer(2, seed=1).folds_of(pl.Series(["ann", "bo", "ann"])).tolist() in ([0, 1, 0], [1, 0, 1])
    True
    """

    def __init__(self, folds: int, *, seed: int = 1) -> None:
        if isinstance(folds, bool) or not isinstance(folds, int) or not 2 <= folds <= MAX_FOLDS:
            raise TelosError(f"folds must be a whole number from 2 to {MAX_FOLDS}, got {folds!r}")
        self.folds, self._seed = folds, seed
        self._players = Labels()
        self._dealt = np.zeros(0, np.int32)

    @property
    def players(self) -> int:
        """The number of players so far."""
        return len(self._players.values)

    def folds_of(self, players: pl.Series) -> NDArray[np.int32]:
        """Return the fold of the player of each row."""
        codes = self._players.codes(players)
        while len(self._dealt) < self.players:
            rng = np.random.default_rng([self._seed, len(self._dealt)])
            self._dealt = np.append(self._dealt, rng.permutation(self.folds).astype(np.int32))
        found: NDArray[np.int32] = self._dealt[codes]
        return found


@dataclass(frozen=True, slots=True)
class FoldedModel:
    """One model for each fold: that of fold k reads the players of fold k."""

    models: tuple[IOHMM, ...]

    @property
    def goals(self) -> tuple[str, ...]:
        return self.models[0].goals


class FoldedReader:
    """Reads each row by the model of its fold, which is in the column ``fold``."""

    def __init__(self, model: FoldedModel, *, seed: int = 1) -> None:
        self.goals = model.goals
        self._readers: list[FrameReader] = [create_reader(each, seed=seed) for each in model.models]
        self.has_clock = self._readers[0].has_clock

    def beliefs(self, frame: pl.DataFrame) -> tuple[Array, NDArray[np.uint8]]:
        """Return the belief after each row of a checked frame, and whether the row counts."""
        folds = frame[FOLD].to_numpy()
        found, counts = np.empty((frame.height, len(self.goals))), np.zeros(frame.height, np.uint8)
        for fold, reader in enumerate(self._readers):
            rows = np.flatnonzero(folds == fold)
            if len(rows):
                found[rows], counts[rows] = reader.beliefs(frame[rows])
        return found, counts


def train_in_folds(batches: Iterable[pl.DataFrame], model: IOHMM, dealer: FoldDealer) -> FoldedModel:
    """Return a model for each fold, trained on the players of all other folds."""
    (found,) = train_all_in_folds(batches, {"": model}, dealer).values()
    return found


def train_all_in_folds(
    batches: Iterable[pl.DataFrame], models: Mapping[str, IOHMM], dealer: FoldDealer, *, by: str = PLAYER
) -> dict[str, FoldedModel]:
    """Train several models for each fold, in one pass over a log."""
    folds = range(dealer.folds)
    counts = {name: [TrainingCounts(model) for _ in folds] for name, model in models.items()}
    for batch in batches:
        checked = check_frame(batch)
        dealt = dealer.folds_of(checked[by])
        for fold in folds:
            mine = checked.filter(pl.Series(dealt == fold))
            rest = checked.filter(pl.Series(dealt != fold)) if _any_fades(models) else mine
            for name, model in models.items():
                counts[name][fold].count(rest if model.discount < 1 else mine)
    _check_dealt(dealer, counts)
    return {name: _fold_models(model, counts[name]) for name, model in models.items()}


def _any_fades(models: Mapping[str, IOHMM]) -> bool:
    return any(model.discount < 1 for model in models.values())


def _check_dealt(dealer: FoldDealer, counts: Mapping[str, list[TrainingCounts]]) -> None:
    if dealer.players < dealer.folds:
        raise TelosError(
            f"{dealer.players} player{'s' * (dealer.players != 1)} cannot be dealt into {dealer.folds} folds",
            f"give at most {dealer.players}" if dealer.players > 1 else "there is only one player",
        )
    for each in counts.values():
        if all(one.unlabelled == one.events for one in each):
            raise TelosError("no row says what the player was after", "give a column 'truth'")


def _fold_models(model: IOHMM, counts: list[TrainingCounts]) -> FoldedModel:
    if model.discount < 1:  # each has counted the rows of all other folds, in their order
        return FoldedModel(tuple(trained_model(model, each.table) for each in counts))
    tables = [each.table for each in counts]
    others = [[table for number, table in enumerate(tables) if number != fold] for fold in range(len(tables))]
    return FoldedModel(tuple(trained_model(model, merge_counts(each, model)) for each in others))


def dealt_batches(batches: Iterable[pl.DataFrame], dealer: FoldDealer, *, by: str = PLAYER) -> Iterable[pl.DataFrame]:
    """Yield the batches with the column ``fold``."""
    for batch in batches:
        checked = check_frame(batch)
        yield checked.with_columns(pl.Series(FOLD, dealer.folds_of(checked[by])))
