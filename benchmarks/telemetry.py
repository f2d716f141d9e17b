"""How fast is an event table made a corpus? Telos on ten million rows, and a plain loop over rows on a sample of them.

    python benchmarks/telemetry.py [--rows 10000000] [--seed 7] [--format parquet|csv|jsonl] [--json] [--quick]

The table is simulated: players with sessions of some hundred actions, a goal achieved now and then, and four features,
one of them in bins. It is written to a file first, so that reading counts. The loop is what one writes in an
afternoon, with dictionaries; it labels the first rows of the same table, as CSV, and must come to the same rows.
Figures are rows a second by the clock on the wall, the time of the processors, which says what the same machine would
do if nobody else used it, and the largest memory that the process ever held (the table is made in another process).
"""

import argparse
import csv
import json
import math
import resource
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from telos.core.values import FrozenMap
from telos.telemetry.columns import Columns
from telos.telemetry.corpus import prepare
from telos.telemetry.tables import read_table
from telos.telemetry.writing import write_table

AIM_SECONDS, AIM_GIGABYTES, AIM_ROWS = 60.0, 6.0, 10_000_000
SESSION, ACTIONS, PLACES, GOALS = 250, 19, 39, 7
COLUMNS = Columns(
    action="action",
    achieved="achieved",
    player="player",
    session="session",
    order="time",
    features=FrozenMap({"loc": "loc", "state": "state", "near": "distance", "health": "health"}),
    bins=FrozenMap({"near": (0, 1, 3, 8)}),
)


def simulated(rows: int, seed: int) -> pl.DataFrame:
    """Return a table of ``rows`` invented events."""
    rng = np.random.default_rng(seed)
    place = np.arange(rows)
    session = place // SESSION
    achieves = rng.random(rows) < 1 / 60
    names = pl.DataFrame({"session": session, "player": session // 4, "goal": rng.integers(0, GOALS, rows)})
    names = names.select(
        player=pl.format("player-{}", "player"),
        session=pl.format("s{}", "session"),
        achieved=pl.when(pl.Series(achieves)).then(pl.format("goal-{}", "goal")),
    )
    return names.with_columns(
        time=pl.Series((place % SESSION) * 0.5),
        action=_labels("act", rng.integers(0, ACTIONS, rows)),
        loc=_labels("place", rng.integers(0, PLACES, rows)),
        state=_labels("state", rng.integers(0, 12, rows)),
        distance=pl.Series(rng.integers(0, 30, rows)),
        health=pl.Series(rng.integers(0, 10, rows)),
    )


def _labels(word: str, codes: Any) -> pl.Series:
    return pl.select(pl.format(f"{word}-{{}}", pl.Series(codes))).to_series()


def make(path: str, rows: int, seed: int) -> None:
    """Write a simulated table."""
    write_table(simulated(rows, seed), path)


def by_loop(path: str) -> list[dict[str, Any]]:
    """Return the rows that are kept, sequence by sequence, with label and bin: the plain way."""
    sequences: dict[tuple[str, str], list[dict[str, Any]]] = {}
    with Path(path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sequences.setdefault((row["player"], row["session"]), []).append(row)
    found = []
    for (player, session), events in sequences.items():
        goal, kept, before = "", [], math.inf
        for event in reversed(events):
            now = float(event["time"])
            if now > before:
                raise SystemExit("time runs backwards")
            before = now
            if event["achieved"]:
                goal = event["achieved"]
            elif goal:
                near = bin_of(int(event["distance"]))
                parts = {"action": event["action"], "loc": event["loc"], "state": event["state"], "near": near}
                kept.append({"player": player, "session": session, **parts, "goal": goal})
        found += kept[::-1]
    return found


def bin_of(distance: int) -> str:
    """Return the name of the bin of a distance."""
    return "0" if distance < 1 else "1-2" if distance < 3 else "3-7" if distance < 8 else "8+"


def measure(path: str, sample: int) -> dict[str, Any]:
    """Prepare the table at ``path``, and a sample of it by the loop."""
    start, used = time.perf_counter(), time.process_time()
    table = read_table(path, COLUMNS)
    corpus = prepare(table, COLUMNS)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    start = time.perf_counter()
    corpus.statistics()
    counting = time.perf_counter() - start
    figures = {"rows": corpus.rows_read, "kept": corpus.frame.height, "seconds": seconds, "processor_seconds": used}
    del corpus
    ours, loop = sampled(table, sample)
    rate = figures["rows"] / seconds
    rates = {"rows_a_second": rate, "sample_rows_a_second": ours, "loop_rows_a_second": loop}
    return {**figures, **rates, "peak_gigabytes": peak, "statistics_seconds": counting, "times_the_loop": ours / loop}


def sampled(table: pl.LazyFrame, sample: int) -> tuple[float, float]:
    """Return rows a second from a CSV file of the first rows alone: ours, and the loop's."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "sample.csv")
        write_table(table.head(sample).collect(), path)
        start = time.perf_counter()
        corpus = prepare(read_table(path, COLUMNS), COLUMNS, folds=2)
        ours = sample / (time.perf_counter() - start)
        start = time.perf_counter()
        rows = by_loop(path)
        loop = sample / (time.perf_counter() - start)
    if rows != corpus.frame.select(list(rows[0])).to_dicts():
        raise SystemExit("the loop and Telos do not agree")
    return ours, loop


def show(figures: dict[str, Any]) -> None:
    """Print the figures as a table."""
    table = Table(title="Corpus preparation (simulated table)")
    table.add_column("what")
    table.add_column("figure", justify="right")
    table.add_column("aim", justify="right")
    rows = figures["rows"]
    aim = f"≤ {AIM_SECONDS * rows / AIM_ROWS:.1f} s"
    table.add_row(f"read and prepare {rows:,} rows", f"{figures['seconds']:.1f} s", aim)
    table.add_row("time of the processors for it", f"{figures['processor_seconds']:.1f} s", "")
    table.add_row("rows a second", f"{figures['rows_a_second'] / 1e6:.2f} M", "")
    table.add_row("statistics", f"{figures['statistics_seconds']:.2f} s", "")
    table.add_row("peak memory", f"{figures['peak_gigabytes']:.2f} GB", f"≤ {AIM_GIGABYTES:.0f} GB")
    table.add_row("sample as CSV, rows a second", f"{figures['sample_rows_a_second'] / 1e6:.2f} M", "")
    table.add_row("the loop on it, without folds", f"{figures['loop_rows_a_second'] / 1e6:.2f} M", "")
    table.add_row("times the loop", f"{figures['times_the_loop']:.1f}", "")
    Console().print(table)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=AIM_ROWS)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--format", choices=["parquet", "csv", "jsonl"], default="parquet")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    options = parser.parse_args()
    rows = options.rows // 10 if options.quick else options.rows
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / f"events.{options.format}")
        maker = get_context("spawn").Process(target=make, args=(path, rows, options.seed))
        maker.start()
        maker.join()
        if maker.exitcode:
            sys.exit("the table could not be made")
        figures = {"format": options.format, **measure(path, min(rows, 300_000))}
    if options.json:
        print(json.dumps(figures))
    else:
        show(figures)


if __name__ == "__main__":
    main()
