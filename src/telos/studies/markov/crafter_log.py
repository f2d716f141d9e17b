"""People's play of Crafter as a log of goals: what the game and the player's earlier lives tell at each key.

A goal is the next achievement of a life. Only keys are rows; ticks without one are left out, as is usual, but time and
what they achieve count. Nothing looks ahead: a player's habits are those of the lives before the present one.
"""

from collections.abc import Iterable
from pathlib import Path

from telos.studies.markov.from_table import DONE, LAST, SINCE, named, read_log, with_past
from telos.studies.markov.goal_log import GoalLog
from telos.telemetry.columns import Columns
from telos.telemetry.frames import pl

THINGS = ("tree", "water", "stone", "coal", "iron", "table", "furnace", "cow", "zombie", "skeleton", "plant")
CARRIED = {"wood": 7, "stone": 4, "sapling": 2, "coal": 1, "iron": 1}  # more makes no difference
USED_ON = ("tree", "water", "stone", "cow", "zombie", "grass", "plant", "skeleton", "coal")
NEAR = (0, 1, 2, 3, 4, 6)
TICKS = (0, 3, 8, 15, 25, 40, 60, 90, 130, 200)
CLOCK = (0, 10, 25, 50, 80, 120, 170, 220, 300)
TIMES = (0, 1, 2, 4, 8)
IDLE, BEGIN = "noop", "start"
LIFE = ["player", "episode"]
COLUMNS = Columns(player="player", session="episode", action="action", achieved="unlock")
NEEDED = (
    *("player", "group", "phase", "episode", "step", "action", "facing_tile", "n_unlocked", "unlock"),
    *(f"d_{thing}" for thing in THINGS),
    *CARRIED,
)
PREDICATES = (
    *("action", "loc", "state", "near", "way", "trend", "carries", "used", DONE, LAST, "many", SINCE, "clock", "who"),
    *("before", "habit", "usual"),
)


def crafter_log(path: Path, *, folds: int, seed: int) -> GoalLog:
    """Return the log in ``events.csv.gz`` of human players of Crafter."""
    table = pl.read_csv(path, infer_schema_length=10_000)
    table = table.with_columns(pl.col("unlock").cast(pl.String).replace("", None))
    habits = _habits(table)
    table = with_past(table, "unlock", LIFE, TICKS)
    table = table.with_columns(pl.col(LAST).fill_null(BEGIN), _used().alias("used"))
    table = table.filter((pl.col("action") != IDLE) | pl.col("unlock").is_not_null())
    table = table.join(habits, on=["episode", LAST], how="left", maintain_order="left").with_columns(*_seen())
    return read_log("crafter", table, COLUMNS, PREDICATES, is_simulated=False, folds=folds, seed=seed)


def _seen() -> list[pl.Expr]:
    """Return the facts that a row and those before it tell."""
    tile = pl.concat_str(pl.lit("do_"), "facing_tile")
    return [
        pl.when(pl.col("action") == "do").then(tile).otherwise(pl.col("action")).alias("action"),
        pl.col("facing_tile").alias("loc"),
        pl.col(LAST).alias("state"),
        _joined(pl.concat_str(pl.lit(f"{each}_"), named(pl.col(f"d_{each}"), NEAR)) for each in THINGS).alias("near"),
        _joined(_way(each, 1) for each in THINGS).alias("way"),
        _joined(_way(each, 3) for each in THINGS).alias("trend"),
        _joined(pl.concat_str(pl.lit(f"{each}_"), pl.col(each).clip(0, most)) for each, most in CARRIED.items()).alias(
            "carries"
        ),
        pl.col("n_unlocked").cast(pl.String).alias("many"),
        named(pl.col("step"), CLOCK).alias("clock"),
        pl.concat_str("group", "phase", separator=" ").alias("who"),
    ]


def _joined(parts: Iterable[pl.Expr]) -> pl.Expr:
    return pl.concat_str(list(parts), separator=" ", ignore_nulls=True)


def _way(thing: str, keys: int) -> pl.Expr:
    """Return how the nearest of a thing lies now, beside so many keys ago."""
    now, then = pl.col(f"d_{thing}"), pl.col(f"d_{thing}").shift(keys).over(LIFE)
    gone = pl.when(then >= 0).then(pl.lit("gone"))
    way = (
        pl.when(now < 0)
        .then(gone)
        .when(then.is_null() | (then < 0))
        .then(pl.lit("new"))
        .when(now < then)
        .then(pl.lit("nearer"))
        .when(now > then)
        .then(pl.lit("farther"))
        .otherwise(pl.lit("same"))
    )
    return pl.concat_str(pl.lit(f"{thing}_"), way)


def _used() -> pl.Expr:
    """Return on what, and how often, the player has used a hand since the last achievement."""
    parts = []
    for tile in USED_ON:
        is_used = (pl.col("action") == "do") & (pl.col("facing_tile") == tile)
        times = (is_used.cum_sum() - is_used).over("pursuit")
        parts.append(pl.when(times > 0).then(pl.concat_str(pl.lit(f"{tile}_"), named(times, TIMES))))
    return _joined(parts)


def _habits(table: pl.DataFrame) -> pl.DataFrame:
    """Return, for each life and each achievement in it, what the player's earlier lives suggest comes next.

    ``habit`` is what followed the last time, ``usual`` what followed most often, and ``before`` all that was achieved
    in the life before.
    """
    rows: list[dict[str, str | None]] = []
    followed: dict[tuple[str, str], list[str]] = {}
    before: dict[str, list[str]] = {}
    lives = table.group_by(LIFE, maintain_order=True).agg(pl.col("unlock").drop_nulls())
    for player, life, achieved in lives.iter_rows():
        told = " ".join(sorted(before.get(player, ())))
        for last in (BEGIN, *achieved):
            known = followed.get((player, last), [])
            usual = max(reversed(known), key=known.count) if known else None
            row = {"episode": life, LAST: last, "habit": known[-1] if known else None, "usual": usual}
            rows.append({**row, "before": told})
        steps = list(zip((BEGIN, *achieved), achieved, strict=False))
        for last, following in steps:
            followed.setdefault((player, last), []).append(following)
        before[player] = achieved
    return pl.DataFrame(rows, schema=dict.fromkeys(("episode", LAST, "habit", "usual", "before"), pl.String))
