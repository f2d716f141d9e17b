"""From an event table to a log of goals: past achievements become facts, then telemetry does the chapter's steps.

A column holds one fact a row, or several: a list, or names with blanks between them.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from telos.core.errors import TelosError
from telos.core.frozen import FrozenMap
from telos.studies.markov.goal_log import Evidence, GoalLog
from telos.telemetry.columns import Columns
from telos.telemetry.corpus import Corpus
from telos.telemetry.frames import pl
from telos.telemetry.preparing import prepare

PURSUIT, LAST, DONE, SINCE = "pursuit", "last", "done", "since"
UNIT = "unit"  # the player or group that is in one fold as a whole


def with_past(table: pl.DataFrame, achieved: str, sequence: Sequence[str], edges: Sequence[int]) -> pl.DataFrame:
    """Return the table with what was achieved before each row: last, done, since (actions, in bins) and the pursuit.

    ``achieved`` is the column that names the goal achieved at a row; a row's own achievement is not in its past.
    """
    keys = list(sequence)
    reached = pl.col(achieved).is_not_null()
    before = (reached.cum_sum() - reached).over(keys)
    place = pl.int_range(pl.len()).over(keys)
    stretch = [*keys, "reached before"]
    goals = sorted(table[achieved].drop_nulls().unique())
    done = [
        pl.when((pl.col(achieved) == goal).fill_null(False).cum_max().shift(1).over(keys)).then(pl.lit(goal))
        for goal in goals
    ]
    table = table.with_columns(
        before.alias("reached before"),
        place.alias("place"),
        pl.col(achieved).forward_fill().shift(1).over(keys).alias(LAST),
        (pl.concat_str(done, separator=" ", ignore_nulls=True) if done else pl.lit("")).alias(DONE),
    )
    since = pl.col("place") - pl.col("place").min().over(stretch)
    table = table.with_columns(pl.struct(stretch).rle_id().alias(PURSUIT), named(since, edges).alias(SINCE))
    return table.drop("reached before", "place")


def named(number: pl.Expr, edges: Sequence[float]) -> pl.Expr:
    """Return the lower edge of the bin that a number falls into, as a name; ``below`` under the first."""
    found = pl.lit("below")
    for edge in edges:
        found = pl.when(number >= edge).then(pl.lit(f"{edge:g}")).otherwise(found)
    return pl.when(number.is_not_null()).then(found)


def read_log(
    name: str,
    table: pl.DataFrame,
    columns: Columns,
    predicates: Sequence[str],
    *,
    is_simulated: bool,
    folds: int,
    seed: int,
) -> GoalLog:
    """Return the log in a table: ``columns`` says where player, session, group, action and achieved stand.

    ``predicates`` are the columns of facts.
    """
    kept = [each for each in predicates if each != "action"]
    features = {**{each: each for each in (*kept, PURSUIT)}, UNIT: columns.group or columns.player}
    where = replace(columns, features=FrozenMap(features), name=name)
    try:
        corpus = prepare(table, where, folds=folds, seed=seed)
    except TelosError as error:
        raise error.at(name) from error
    return goal_log(name, corpus, predicates, is_simulated=is_simulated)


def goal_log(name: str, corpus: Corpus, predicates: Sequence[str], *, is_simulated: bool) -> GoalLog:
    """Return a corpus as the studies read it; its features are the facts of its rows."""
    frame = corpus.frame
    starts = np.flatnonzero(frame["step"].to_numpy() == 0)
    goals = tuple(sorted(frame["goal"].unique()))
    heads = frame[starts.tolist()]
    return GoalLog(
        name,
        is_simulated,
        goals,
        _codes(frame["goal"], goals),
        np.append(starts, frame.height).astype(np.int32),
        tuple(heads[UNIT].to_list()),
        heads["fold"].to_numpy().astype(np.int32),
        frame[PURSUIT].rle_id().to_numpy().astype(np.int32),
        {each: _evidence(frame[each]) for each in predicates},
        heads["player"].n_unique(),
    )


def _evidence(column: pl.Series) -> Evidence:
    parts = column if column.dtype == pl.List else column.cast(pl.String).fill_null("").str.split(" ")
    rows = pl.DataFrame({"row": np.arange(len(column), dtype=np.int32), "name": parts}).explode("name")
    rows = rows.filter(pl.col("name") != "")  # nor nothing at all
    names = tuple(rows["name"].unique(maintain_order=True))
    return Evidence(rows["row"].to_numpy(), _codes(rows["name"], names), names)


def _codes(column: pl.Series, names: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    coded = column.replace_strict(list(names), list(range(len(names))), return_dtype=pl.Int32)
    return coded.to_numpy().astype(np.int32)
