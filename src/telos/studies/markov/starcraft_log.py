"""People's play of StarCraft II as a log of goals: which building comes next, from the orders given so far.

A goal is the next base, tech building or static defence that a player orders for the first time. Goals belong to a
race, and the race of each player is known.
"""

from pathlib import Path

import numpy as np

from telos.studies.markov.from_table import DONE, LAST, SINCE, named, read_log, with_past
from telos.studies.markov.goal_log import GoalLog
from telos.telemetry.columns import Columns
from telos.telemetry.frames import pl

CLOCK = (0, 60, 120, 180, 240, 300, 360, 420, 480, 600, 720, 900, 1200, 1500)
SECONDS = (0, 10, 20, 40, 60, 90, 120, 180, 240, 360, 600)
ORDERS = (1, 2, 3, 5, 9, 17, 33)
LATELY = (1, 2, 4, 9, 21)
COMMON = 400  # an order that is given more seldom in the whole log is called by its kind in the chapter's models
GAME = ["game", "player"]
COLUMNS = Columns(player="player", session="game", group="group", action="common", achieved="milestone")
NEEDED = ("group", "game", "player", "race", "opp_race", "t", "action", "kind", "done", "milestone")
PREDICATES = (
    *("action", "loc", "state", "order", "ordered", "lately", "match", "path", DONE, LAST, "many", SINCE, "clock"),
    "barred",
)
NOTHING = "none"


def starcraft_log(path: Path, *, folds: int, seed: int) -> GoalLog:
    """Return the log in ``events.csv.gz`` of human players of StarCraft II."""
    table = pl.read_csv(path, infer_schema_length=100_000)
    table = table.rename({"action": "order", "done": "order done"})
    milestone = pl.when(pl.col("milestone") != "").then(pl.concat_str("race", "milestone", separator="_"))
    table = with_past(table.with_columns(milestone.alias("milestone")), "milestone", GAME, (0,))
    table = table.with_columns(*_told()).with_columns(
        _tally(table, GAME, ORDERS).alias("ordered"), _tally(table, ["pursuit"], LATELY).alias("lately")
    )
    table = table.with_columns(_barred(table).alias("barred"))
    return read_log("starcraft", table, COLUMNS, PREDICATES, is_simulated=False, folds=folds, seed=seed)


def _told() -> list[pl.Expr]:
    start = pl.col("t").shift(1).over(GAME).fill_null(0)
    since = pl.col("t") - start.first().over("pursuit")
    return [
        pl.when(pl.len().over("order") >= COMMON).then("order").otherwise("kind").alias("common"),
        pl.col("race").alias("loc"),
        pl.col(LAST).fill_null(NOTHING).alias("state"),
        pl.col(LAST).fill_null(NOTHING).alias(LAST),
        pl.concat_str("race", "opp_race", separator="_").alias("match"),
        pl.col(DONE).str.replace_all(" ", "+").replace("", NOTHING).alias("path"),
        pl.col(DONE).str.split(" ").list.filter(pl.element() != "").list.len().cast(pl.String).alias("many"),
        named(since, SECONDS).alias(SINCE),
        named(pl.col("t"), CLOCK).alias("clock"),
    ]


def _tally(table: pl.DataFrame, over: list[str], edges: tuple[int, ...]) -> pl.Series:
    """Return how often each order was given up to now, in this game or since the last milestone: ``MorphDrone_9``."""
    orders = table["order"].unique(maintain_order=True)
    code = table["order"].replace_strict(orders, range(len(orders)), return_dtype=pl.Int32).to_numpy()
    begins = np.flatnonzero(table.select(pl.struct(over).rle_id().diff().fill_null(1) != 0).to_series().to_numpy())
    times = np.zeros((table.height, len(orders)), np.int32)
    times[np.arange(table.height), code] = 1
    for begin, end in zip(begins, np.append(begins[1:], table.height), strict=True):
        np.cumsum(times[begin:end], axis=0, out=times[begin:end])
    row, given = np.nonzero(times)
    reached = np.searchsorted(edges, times[row, given], side="right") - 1
    names = pl.Series([f"{order}_{edge}" for order in orders for edge in edges])
    said = pl.DataFrame({"row": row, "name": names[given * len(edges) + reached]})
    return said.group_by("row", maintain_order=True).agg("name")["name"]  # every row has given its own order


def _barred(table: pl.DataFrame) -> pl.Series:
    """Return the goals that are out of the question: those of another race, and those that are achieved."""
    parts = []
    for goal in sorted(table["milestone"].drop_nulls().unique()):
        is_other = pl.col("race") != goal.split("_")[0]
        is_done = pl.col(DONE).str.split(" ").list.contains(goal)
        parts.append(pl.when(is_other | is_done).then(pl.lit(goal)))
    return table.select(pl.concat_str(parts, separator=" ", ignore_nulls=True)).to_series()
