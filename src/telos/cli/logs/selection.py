"""Rows of a log that a command looks at: one player, one fold of a prepared corpus, or all but one."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from telos.core.errors import TelosError, name_hint

if TYPE_CHECKING:
    import polars as pl

    from telos.telemetry import Log

MAX_FOLDS = 1000
FOLD = "fold"


def check_selection(*, fold: int | None, cv: int | None, player: str | None) -> None:
    """Refuse options that exclude each other."""
    if fold is not None and cv is not None:
        raise TelosError("--fold and --cv exclude each other", "--fold is for corpora with folds, --cv makes its own")
    if cv is not None and player is not None:
        raise TelosError("--cv deals players into folds, and --player leaves one", "leave one of them out")


def select_rows(
    log: "Log",
    batches: "Iterable[pl.DataFrame]",
    *,
    player: str | None = None,
    only: int | None = None,
    leave_out: int | None = None,
) -> "Iterator[pl.DataFrame]":
    """Yield the rows of a player, and of one fold or of all but one; names that the log does not have are refused.

    Folds are in the column ``fold``, which has to be kept.
    """
    import polars as pl

    players: set[str] = set()
    folds: set[str] = set()
    fold = only if only is not None else leave_out
    for batch in batches:
        found = batch
        if player is not None:
            players.update(batch["player"].unique().to_list())
            found = found.filter(pl.col("player") == player)
        if fold is not None:
            folds.update(batch[FOLD].drop_nulls().unique().to_list())
            is_fold = (pl.col(FOLD) == str(fold)).fill_null(False)
            found = found.filter(is_fold if only is not None else ~is_fold)
        if found.height:
            yield found
    if player is not None and player not in players:
        raise TelosError(f"{log.name}: no player {player!r} in this log", name_hint(player, players))
    if fold is not None and str(fold) not in folds:
        raise TelosError(f"{log.name}: no fold {fold} in this log", name_hint(str(fold), folds))
