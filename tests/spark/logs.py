"""Logs of an invented game for tests on Spark, and folders of Parquet."""

from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

from telemetry import random_logs


def invented(seed: int, players: int = 12, most: int = 150) -> pl.DataFrame:
    """Return a log of many players, mixed, with ties in time."""
    rng = Random(seed)
    parts = []
    for number in range(players):
        part = random_logs.to_frame(random_logs.log(rng, random_logs.GOALS, most))
        parts.append(part.with_columns(player=pl.format("{}{}", pl.lit(number), "player")))
    return pl.concat(parts).sample(fraction=1.0, shuffle=True, seed=seed)


def known_to(model: Any, frame: pl.DataFrame) -> pl.DataFrame:
    """Return a log without the goals that a model has not."""
    known = list(model.goals)
    return frame.with_columns(
        pl.when(pl.col(name).is_in(known)).then(pl.col(name)).alias(name) for name in ("goal", "truth")
    )


def without_ties(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a log in which no two events are at the same time, in the order of their times."""
    return frame.with_columns(time=pl.int_range(pl.len()).cast(pl.Float64))


def dirty(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a log with several faults of each kind."""
    number = pl.int_range(pl.len())
    return frame.with_columns(
        player=pl.when(number % 50 == 3).then(None).otherwise(pl.col("player")),
        action=pl.when(number % 40 == 5).then(pl.lit(" ")).otherwise(pl.col("action")),
        time=pl.when(number % 60 == 7).then(float("nan")).when(number % 60 == 8).then(None).otherwise(pl.col("time")),
        wolves=pl.when(number % 30 == 9).then(pl.lit("many")).otherwise(pl.col("wolves").cast(pl.String)),
    )


def written(frame: pl.DataFrame, folder: Path) -> str:
    """Write a log as several files of Parquet; Spark reads the largest first."""
    folder.mkdir()
    cuts = [0, 20, 100, frame.height // 2, frame.height]
    for number, (first, end) in enumerate(pairwise(cuts)):
        frame[first:end].write_parquet(folder / f"part-{number}.parquet")
    return str(folder)
