"""Live beliefs over a stream: the same as of one uninterrupted run, whatever ends in between."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from spark.logs import invented, known_to, without_ties
from telemetry import random_logs
from telos.core.errors import TelosError
from telos.recognition.files.load import save_model
from telos.spark import recognize_stream, to_polars
from telos.spark.session import STATE_PROVIDER
from telos.telemetry.bulk import read_frame

DRIVER = Path(__file__).with_name("stream_driver.py")
KEYS = ["player", "session", "time"]


class Stream:
    """Files of a log that arrive one after the other, and the beliefs that are written."""

    def __init__(self, session: Any, model: Any, folder: Path) -> None:
        self.session, self.model, self.folder = session, model, folder
        (folder / "in").mkdir()
        self.arrived = 0
        self.progress: list[Any] = []

    def arrive(self, *parts: pl.DataFrame) -> None:
        for part in parts:
            path = self.folder / "in" / f"{self.arrived}.parquet"
            part.write_parquet(path)
            os.utime(path, (self.arrived, self.arrived))  # Spark takes the oldest first
            self.arrived += 1

    def source(self) -> Any:
        folder = str(self.folder / "in")
        schema = self.session.read.parquet(folder).schema
        return self.session.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(folder)

    def run(self, **options: Any) -> None:
        """Run a query from its checkpoint on until all that arrived is read, and end it."""
        beliefs = recognize_stream(self.model, self.source(), buckets=2, **options)
        writer = beliefs.writeStream.format("parquet").option("path", str(self.folder / "out"))
        query = writer.option("checkpointLocation", str(self.folder / "state")).trigger(availableNow=True).start()
        query.awaitTermination()
        self.progress += query.recentProgress

    def beliefs(self) -> pl.DataFrame:
        return to_polars(self.session.read.parquet(str(self.folder / "out"))).sort(KEYS)

    def counted(self, name: str) -> int:
        return sum(each["observedMetrics"]["telos"][name] for each in self.progress)


def test_a_stream_goes_on_from_its_checkpoint_with_the_same_beliefs(spark: Any, tmp_path: Path) -> None:
    model = random_logs.iohmm(Random(5))
    rows = without_ties(known_to(model, invented(4, players=4)))
    stream = Stream(spark, model, tmp_path)
    first = rows.height // 2
    stream.arrive(rows[:first])
    stream.run()
    late = rows[:1].with_columns(player=rows["player"][first - 1 : first], session=rows["session"][first - 1 : first])
    bad = rows[:8].with_columns(player=pl.lit(None, pl.String))
    stream.arrive(pl.concat([rows[first:], bad]), late)
    stream.run()
    beliefs = stream.beliefs()
    assert beliefs.filter(~pl.col("late")).drop("late").equals(read_frame(rows, model).sort(KEYS))
    assert beliefs["late"].sum() == 1
    assert stream.counted("rows") == rows.height + 1
    assert stream.counted("no-player") == 8


def test_a_late_event_is_told_and_changes_nothing(spark: Any, tmp_path: Path) -> None:
    model = random_logs.ffbm(Random(5))
    rows = without_ties(known_to(model, invented(4, players=1))).with_columns(player=pl.lit("ann"), session=pl.lit("s"))
    stream = Stream(spark, model, tmp_path)
    stream.arrive(rows[5:20], pl.concat([rows[:5], rows[20:30]]))
    stream.run()
    beliefs = stream.beliefs()
    on_time = read_frame(rows[5:30], model)
    assert beliefs.filter(~pl.col("late")).drop("late").equals(on_time)
    late = beliefs.filter(pl.col("late"))
    assert late["time"].to_list() == rows["time"][:5].to_list()
    assert late.select(model.goals).rows() == [on_time.select(model.goals).row(14)] * 5  # as before its micro-batch


class Driver:
    """A stream that is driven by another process, which is killed while it works on a micro-batch."""

    def __init__(self, master: str, folder: Path) -> None:
        self.state = folder / "state"
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
        self._process = subprocess.Popen(
            [sys.executable, str(DRIVER), master, str(folder)], env=environment, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def kill_in(self, batch: int, delay: float = 0.0) -> None:
        """Kill Python and Java at once when they have begun with a micro-batch, and before its end."""
        end = time.monotonic() + 240
        while not (self.state / "offsets" / str(batch)).exists():
            assert time.monotonic() < end, "the stream does not begin"
            assert self._process.poll() is None, "the stream ended"
            time.sleep(0.01)
        time.sleep(delay)
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@pytest.mark.slow  # each driver is a Java machine of its own; going on from a checkpoint is tested above
@pytest.mark.parametrize("kills", [((1, 0.0),), ((0, 0.1), (1, 0.4), (2, 0.0), (3, 0.8))])
def test_a_driver_that_is_killed_in_a_micro_batch_loses_and_doubles_nothing(
    spark: Any, master: str, tmp_path: Path, kills: tuple[tuple[int, float], ...]
) -> None:
    model = random_logs.iohmm(Random(5))
    save_model(model, tmp_path / "model.yaml")
    rows = without_ties(known_to(model, invented(4, players=6)))
    stream = Stream(spark, model, tmp_path)
    parts = kills[-1][0] + 2
    size = rows.height // parts + 1
    stream.arrive(*(rows[first : first + size] for first in range(0, rows.height, size)))
    for batch, delay in kills:
        Driver(master, tmp_path).kill_in(batch, delay)
    done = len([each for each in (tmp_path / "state" / "commits").iterdir() if each.name.isdecimal()])
    assert done < parts  # it was in the middle
    stream.run()
    assert stream.beliefs().drop("late").equals(read_frame(rows, model).sort(KEYS))


def test_streams_that_cannot_be_read_are_refused(spark: Any, tmp_path: Path) -> None:
    model = random_logs.ffbm(Random(5))
    stream = Stream(spark, model, tmp_path)
    stream.arrive(invented(4, players=1))
    with pytest.raises(TelosError, match="buckets"):
        recognize_stream(model, stream.source(), buckets=0)
    with pytest.raises(TelosError, match="forget_after"):
        stream.run(forget_after=0.0)
    kept = spark.conf.get(STATE_PROVIDER)
    spark.conf.unset(STATE_PROVIDER)
    with pytest.raises(TelosError, match="RocksDB"):
        stream.run()
    spark.conf.set(STATE_PROVIDER, kept)
