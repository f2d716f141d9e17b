"""How fast are logs read on Spark? Rows a second at one and two workers, beside one machine, and where the time goes.

    python benchmarks/spark.py [--rows 2000000] [--seed 7] [--json] [--quick]

The log is simulated: players mixed in the order of time, so that each player's events are spread over all files of
Parquet. One machine reads it first (`telos.telemetry`, all cores, rows put in order as Spark does), then a standalone
cluster on this machine, with one worker and with two; a worker has one core and runs one task at a time. Everything is
run once before it is measured, on a small log, so that neither Java nor the compiler is warming up. Figures are rows a
second by the clock on the wall, and rows a second of the processors, which say what the same machine would do if nobody
else used it: those of this process, or of the workers with all that they start (the driver's are few).

Where the time of the processors goes is measured by longer and longer jobs whose result is thrown away: reading
Parquet; Arrow to Python and back; canonical rows; the shuffle by player and the sort; the beliefs. The stream reads one
file at a time; its rate by the clock is that of the micro-batches after the first.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from telos.recognition.files.load import loads_model
from telos.spark import LocalCluster, evaluate, open_session, open_spark_log, recognize, recognize_stream, train
from telos.spark.batch import read_players
from telos.spark.standalone import HOST
from telos.telemetry.bulk import evaluate_batches, read_batches, train_batches
from telos.telemetry.model_logs import open_model_log
from telos.telemetry.writing import write_batches

EVENTS, FILES = 500, 8  # of a player; of the log
ACTIONS = ("plant", "water", "harvest", "sell", "buy", "fish", "walk", "talk")
MODEL = """
recognizer: iohmm
goals: [farm, trade, fish, explore]
actions: [plant, water, harvest, sell, buy, fish, walk, talk]
context: {at_shop: bool, crops: int, energy: number}
observations:
  tends: action == plant or action == water
  reaps: action == harvest and crops > 0
  deals: action == sell or action == buy
  fishes: action == fish
  strolls: action == walk and not at_shop and energy > 0.2
  other: true
transitions: {lasts: 40 updates}
counts:
  farm: {tends: 50, reaps: 20, deals: 2, fishes: 1, strolls: 10, other: 17}
  trade: {tends: 2, reaps: 3, deals: 60, fishes: 1, strolls: 14, other: 20}
  fish: {tends: 1, reaps: 1, deals: 5, fishes: 70, strolls: 13, other: 10}
  explore: {tends: 4, reaps: 1, deals: 5, fishes: 5, strolls: 60, other: 25}
"""

Times: TypeAlias = dict[str, tuple[float, float]]  # of each job: by the clock, and of the processors


def simulated(rows: int, seed: int) -> pl.DataFrame:
    """Return a log of so many rows in the order of time, players mixed."""
    rng = np.random.default_rng(seed)
    players = max(1, rows // EVENTS)

    def some(words: tuple[str, ...]) -> pl.Series:
        return pl.Series(list(words)).gather(rng.integers(0, len(words), rows))

    return pl.DataFrame(
        {
            "player": pl.select(pl.format("player-{}", pl.Series(rng.integers(0, players, rows)))).to_series(),
            "time": np.cumsum(rng.exponential(1.0, rows)),
            "action": some(ACTIONS),
            "at_shop": rng.random(rows) < 0.3,
            "crops": rng.integers(0, 5, rows),
            "energy": rng.random(rows),
            "truth": some(("farm", "trade", "fish", "explore")),
        }
    )


def written(frame: pl.DataFrame, folder: Path) -> Path:
    """Write a log as files of Parquet."""
    folder.mkdir()
    size = -(-frame.height // FILES)
    for number in range(FILES):
        path = folder / f"part-{number}.parquet"
        frame[number * size : (number + 1) * size].write_parquet(path)
        os.utime(path, (number, number))  # streams take the oldest first
    return folder


Used: TypeAlias = Callable[[], float]  # seconds of the processors so far


def measured(work: Callable[[], Any], used: Used) -> tuple[float, float]:
    """Return the seconds that something takes by the clock on the wall, and those of the processors."""
    start, before = time.perf_counter(), used()
    work()
    return time.perf_counter() - start, used() - before


def used_by(cluster: LocalCluster) -> Used:
    """Return the function that reads what the workers, their executors and their Python have used."""
    tick = os.sysconf("SC_CLK_TCK")

    def used() -> float:
        groups, total = {worker.pid for worker in cluster.workers}, 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                parts = stat.read_text().rpartition(")")[2].split()
            except OSError:  # it has ended meanwhile
                continue
            if int(parts[3]) in groups:  # the session of the process, which the worker began
                total += sum(map(int, parts[11:15]))  # with children that have ended
        return total / tick

    return used


class OneMachine:
    """The jobs of the benchmark without Spark."""

    def __init__(self, model: Any, output: Path) -> None:
        self.model, self.output = model, output

    def times(self, log: Path) -> Times:
        def batches(**labelled: Any) -> Iterator[pl.DataFrame]:
            return open_model_log(log, [self.model], sort=True, **labelled).batches()

        used = time.process_time
        target = self.output / "local.parquet"
        return {
            "recognize": measured(lambda: write_batches(read_batches(batches(), self.model), target), used),
            "train": measured(lambda: train_batches(batches(labelled=True), self.model), used),
            "evaluate": measured(lambda: evaluate_batches(batches(labelled=True), {"model": self.model}), used),
        }


class Cluster:
    """The same jobs on Spark."""

    def __init__(self, session: Any, used: Used, model: Any, output: Path) -> None:
        self.session, self.used, self.model, self.output = session, used, model, output

    def times(self, log: Path) -> Times:
        frame = self.session.read.parquet(str(log))
        target = tempfile.mkdtemp(dir=self.output)
        return {
            "recognize": measured(lambda: recognize(self.model, frame).write.parquet(f"{target}/beliefs"), self.used),
            "train": measured(lambda: train(self.model, frame), self.used),
            "evaluate": measured(lambda: evaluate(self.model, frame), self.used),
        }

    def steps(self, log: Path) -> dict[str, float]:
        """Return what each step of reading uses: what a job uses more than one that ends before it."""

        def identity(batches: Any) -> Any:
            yield from batches

        def run(frame: Any) -> float:
            return measured(lambda: frame.write.format("noop").mode("overwrite").save(), self.used)[1]

        frame = self.session.read.parquet(str(log))
        opened = open_spark_log(frame, [self.model])
        jobs = {
            "read Parquet": opened.frame,
            "Arrow to Python and back": opened.frame.mapInArrow(identity, opened.frame.schema),
            "canonical rows": opened.rows(),
            "shuffle and sort": opened.events(),
            "beliefs (kernel)": read_players(opened, self.model),
        }
        ends = [run(job) for job in jobs.values()]
        return dict(zip(jobs, np.diff([0.0, *ends]).tolist(), strict=True))

    def stream(self, log: Path) -> dict[str, float]:
        """Return the rows a second of a stream, the milliseconds of a micro-batch, and bytes of state for a player."""
        schema = self.session.read.parquet(str(log)).schema
        source = self.session.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(log))
        folder = tempfile.mkdtemp(dir=self.output)
        writer = recognize_stream(self.model, source, buckets=16).writeStream.format("parquet")
        writer = writer.option("path", f"{folder}/out").option("checkpointLocation", f"{folder}/state")
        before = self.used()
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        used = self.used() - before
        batches = [each for each in query.recentProgress if each["numInputRows"]][1:]
        took = sum(each["durationMs"]["triggerExecution"] for each in batches) / 1000
        states = query.recentProgress[-1]["stateOperators"][0]
        return {
            "rows_a_second": sum(each["numInputRows"] for each in batches) / took,
            "rows_a_processor_second": sum(each["numInputRows"] for each in query.recentProgress) / used,
            "seconds_of_a_micro_batch": took / len(batches),
            "state_bytes_of_a_player": states["memoryUsedBytes"] / max(1, states["numRowsTotal"]),
        }


def measure(rows: int, seed: int, folder: Path) -> dict[str, Any]:
    """Return all figures."""
    model = loads_model(MODEL)
    log = written(simulated(rows, seed), folder / "log")
    small = written(simulated(20_000, seed), folder / "small")
    local = OneMachine(model, folder)
    local.times(small)
    found: dict[str, Any] = {"rows": rows, "players": rows // EVENTS, "cores": os.cpu_count()}
    found["bytes_of_a_row"] = sum(each.stat().st_size for each in log.iterdir()) / rows
    found["one machine"] = rates(rows, local.times(log))
    os.environ["SPARK_LOCAL_IP"] = HOST
    config = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "1g",
        "spark.sql.shuffle.partitions": "4",
    }
    for workers in (1, 2):
        with LocalCluster(workers, cores=1, memory="1g", folder=folder / f"cluster-{workers}") as cluster:
            session = open_session(cluster.url, name="benchmark", config=config)
            on_spark = Cluster(session, used_by(cluster), model, folder)
            on_spark.times(small)
            part: dict[str, Any] = rates(rows, on_spark.times(log))
            on_spark.stream(small)
            part["stream"] = on_spark.stream(log)
            on_spark.steps(small)
            part["steps"] = on_spark.steps(log)
            found[f"{workers} worker{'s' * (workers > 1)}"] = part
            session.stop()
    return found


def rates(rows: int, times: Times) -> dict[str, Any]:
    """Return rows a second for seconds."""
    return {
        name: {"rows_a_second": rows / took, "rows_a_processor_second": rows / max(used, 0.01)}
        for name, (took, used) in times.items()
    }


def show(found: dict[str, Any]) -> None:
    """Print the figures as tables."""
    console = Console()
    places = ("one machine", "1 worker", "2 workers")
    for unit, name in (("second", "rows_a_second"), ("second of the processors", "rows_a_processor_second")):
        table = Table(
            title=f"Thousand rows a {unit} ({found['rows']:,} rows of {found['players']:,} players, simulated)"
        )
        table.add_column("job")
        for place in (*places, "2 workers / 1"):
            table.add_column(place, justify="right")
        for job in ("recognize", "train", "evaluate", "stream"):
            each = [found[place].get(job, {}).get(name) for place in places]
            table.add_row(
                job, *("" if rate is None else f"{rate / 1e3:,.0f}" for rate in each), f"{each[2] / each[1]:.2f}"
            )
        console.print(table)
    table = Table(title="Where the time of the processors goes in reading")
    table.add_column("step")
    for place in places[1:]:
        table.add_column(place, justify="right")
    for step in found["1 worker"]["steps"]:
        cells = []
        for place in places[1:]:
            steps = found[place]["steps"]
            cells.append(f"{steps[step]:.2f} s  {steps[step] / sum(steps.values()):4.0%}")
        table.add_row(step, *cells)
    console.print(table)
    stream = found["2 workers"]["stream"]
    console.print(
        f"a micro-batch of {found['rows'] // FILES:,} rows at 2 workers: {stream['seconds_of_a_micro_batch']:.1f} s;"
        f" state of a player: {stream['state_bytes_of_a_player']:.0f} bytes; a row as Parquet:"
        f" {found['bytes_of_a_row']:.0f} bytes",
        highlight=False,
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    options = parser.parse_args()
    if options.rows < 100_000:
        sys.exit("--rows: at least 100,000, or only the start of jobs is measured")
    rows = options.rows // 10 if options.quick else options.rows
    with tempfile.TemporaryDirectory(prefix="telos-benchmark-", ignore_cleanup_errors=True) as folder:
        found = measure(rows, options.seed, Path(folder))
    if options.json:
        print(json.dumps(found))
    else:
        show(found)


if __name__ == "__main__":
    main()
