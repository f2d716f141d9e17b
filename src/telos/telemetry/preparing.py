"""From an event table to a corpus, as the chapter does it.

Find the actions that achieve goals, label every action with the next goal achieved in its sequence, remove the
achieving actions, drop what comes after the last goal, and deal the players out to folds.
"""

from random import Random

from telos.telemetry.columns import Columns
from telos.telemetry.corpus import Corpus
from telos.telemetry.folds import assign_folds
from telos.telemetry.frames import pl
from telos.telemetry.parts import ACHIEVED, DROPPED, FIRST, GROUP, ORDER, ROW, parts_of
from telos.telemetry.reading import collected
from telos.telemetry.row_checks import check_corpus, check_order, check_rows

NOTHING = ""  # the goal of whoever achieves none any more


def prepare(table: pl.LazyFrame | pl.DataFrame, columns: Columns, *, folds: int = 10, seed: int = 1) -> Corpus:
    """Return the corpus that is in an event table.

    ``folds`` are dealt by player (or group), balanced by rows; with 0 all rows are in fold 0.
    """
    rows = collected(table.lazy().select(parts_of(table.lazy().collect_schema(), columns)))
    check_rows(rows, columns)
    rows = in_sequence(rows, columns)
    read, players = rows.height, rows["player"].n_unique()
    achieved = rows.filter(pl.col(ACHIEVED).is_not_null()).select("player", "session", GROUP, goal=ACHIEVED)
    frame = labelled(rows)
    del rows  # of ten million, half of the memory
    check_corpus(frame, achieved, columns)
    by_group = _folds(frame, folds, seed)
    # Who did nothing but achieve has no row, and so no fold.
    frame, achieved = (
        each.join(by_group, on=GROUP, how="left", maintain_order="left").drop(GROUP) for each in (frame, achieved)
    )
    return Corpus(frame, achieved, tuple(columns.features), read, players)


def in_sequence(rows: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    """Return the rows with those of a sequence together, in order; ``FIRST`` tells sequences apart."""
    keys = ["player", "session"] if columns.session else ["player"]
    rows = rows.with_columns(pl.col(ROW).first().over(keys).alias(FIRST))
    if columns.order and columns.sort:
        return rows.sort(FIRST, ORDER, maintain_order=True).drop(ROW, ORDER)
    if not rows[FIRST].is_sorted():
        rows = rows.sort(FIRST, maintain_order=True)
    if columns.order:
        check_order(rows, columns)
        rows = rows.drop(ORDER)
    return rows.drop(ROW)


def labelled(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the actions that led to a goal, each with the goal, without those that achieved it."""
    is_last = pl.col(FIRST).ne_missing(pl.col(FIRST).shift(-1))
    # The end of a sequence stands for a goal of its own: else the next player's goal would be taken for this one's.
    goal = pl.coalesce(ACHIEVED, pl.when(is_last).then(pl.lit(NOTHING))).backward_fill()
    kept = pl.col(ACHIEVED).is_null() & (pl.col("goal") != NOTHING) & ~pl.col(DROPPED)
    frame = rows.lazy().with_columns(goal=goal).filter(kept).drop(ACHIEVED, DROPPED)
    place = pl.int_range(pl.len(), dtype=pl.Int64)
    is_first = pl.col(FIRST).ne_missing(pl.col(FIRST).shift(1))
    step = (place - pl.when(is_first).then(place).forward_fill()).cast(pl.Int32)
    frame = frame.with_columns(step=step)
    own = ["player", "session", "step", "action", "goal", GROUP, FIRST]
    return frame.select(*own[:4], pl.all().exclude(own), "goal", GROUP).collect()


def _folds(frame: pl.DataFrame, folds: int, seed: int) -> pl.DataFrame:
    """Return the fold of each group."""
    sizes = frame.group_by(GROUP).len()
    if folds == 0:
        return sizes.select(GROUP, fold=pl.lit(0, pl.Int32))
    found = assign_folds(dict(sizes.iter_rows()), folds, Random(seed))
    return pl.DataFrame({GROUP: list(found), "fold": list(found.values())}, schema={GROUP: pl.String, "fold": pl.Int32})
