"""Batch work on a real cluster: the same results as on one machine, faults told before and counted as there."""

import os
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

from spark.logs import dirty, invented, known_to, without_ties, written
from telemetry import measured_logs, random_logs
from telos.core.errors import TelosError
from telos.recognition import loads_model
from telos.recognition.em import EMOptions
from telos.spark import (
    evaluate,
    goals,
    open_spark_log,
    recognize,
    recognize_stream,
    to_polars,
    to_spark,
    train,
    train_unlabelled,
)
from telos.telemetry import open_log
from telos.telemetry.analytics import analyse, find_readings, find_stretches
from telos.telemetry.bulk import em, evaluate_batches, read_batches, train_batches
from telos.telemetry.model_logs import open_model_log

KEYS = ["player", "session", "time"]
KINDS = [each for each in random_logs.MODELS if each != "logic"]


@pytest.mark.parametrize("kind", ["logic", *(pytest.param(each, marks=pytest.mark.slow) for each in KINDS)])
def test_beliefs_on_spark_equal_the_local_ones_bit_by_bit(spark: Any, tmp_path: Path, kind: str) -> None:
    rng = Random(f"spark {kind}")
    model = random_logs.MODELS[kind](rng)
    folder = written(known_to(model, invented(3)), tmp_path / "log")
    local = pl.concat(read_batches(open_model_log(folder, [model], sort=True).batches(), model))
    found = to_polars(recognize(model, spark.read.parquet(folder)))
    # Rows at the same time stand in the order of their files here and there, so a stable sort puts equal rows together.
    assert found.sort(KEYS, maintain_order=True).equals(local.sort(KEYS, maintain_order=True))


def test_counts_and_scores_on_spark_equal_the_local_ones(spark: Any, tmp_path: Path) -> None:
    model = random_logs.iohmm(Random(5))
    folder = written(known_to(model, invented(4)), tmp_path / "log")

    def local() -> Any:
        return open_model_log(folder, [model], labelled=True, sort=True).batches()

    frame = spark.read.parquet(folder)
    trained, expected = train(model, frame), train_batches(local(), model)
    assert trained.counts.seen == expected.counts.seen
    assert trained.matrices == expected.matrices
    scores = evaluate({"before": model, "after": trained}, frame)
    wanted = evaluate_batches(local(), {"before": model, "after": trained})
    for name in ("before", "after"):
        assert scores[name].players.equals(wanted[name].players)
        assert scores[name].confusion.equals(wanted[name].confusion)
        assert scores[name].log_loss == pytest.approx(wanted[name].log_loss, rel=1e-12)  # sums in another order


@pytest.mark.parametrize(("rounds", "starts"), [(2, 1), pytest.param(3, 2, marks=pytest.mark.slow)])
def test_learning_without_labels_on_spark_equals_the_local_one(
    spark: Any, tmp_path: Path, rounds: int, starts: int
) -> None:
    model = random_logs.iohmm(Random(5))
    folder = written(known_to(model, invented(4)), tmp_path / "log")
    batches = open_model_log(folder, [model], sort=True).batches()
    options = EMOptions(rounds=rounds, transitions=5.0)
    local = em.train_unlabelled(batches, model, options=options, starts=starts, seed=3)
    found = train_unlabelled(model, spark.read.parquet(folder), options=options, starts=starts, seed=3)
    for name in ("events", "updates", "players", "held_out"):
        assert getattr(found, name) == getattr(local, name), name
    assert found.held_out > 0
    assert found.fits == pytest.approx(local.fits, rel=1e-9)
    assert found.before == pytest.approx(local.before, rel=1e-12)
    for goal in model.goals:
        assert found.model.counts.chances(goal) == pytest.approx(local.model.counts.chances(goal), rel=1e-6)


def test_measures_on_spark_are_those_of_one_machine(spark: Any, tmp_path: Path) -> None:
    model = loads_model(measured_logs.IOHMM_TEXT)
    folder = tmp_path / "log"
    folder.mkdir()
    measured_logs.draw_frame(7, 80).write_parquet(folder / "part.parquet")
    frame = spark.read.parquet(str(folder))

    def local(labelled: bool = False) -> Any:
        return open_model_log(folder, [model], labelled=labelled, sort=True).batches()

    beliefs = pl.concat(read_batches(local(), model))
    found = to_polars(recognize(model, frame))
    assert found.sort(KEYS, maintain_order=True).equals(beliefs.sort(KEYS, maintain_order=True))
    wanted, trained = train_batches(local(labelled=True), model), train(model, frame)
    for measure, rows in wanted.measures.seen.items():
        for goal, sums in rows.items():
            assert trained.measures.seen[measure][goal] == pytest.approx(sums, rel=1e-12)
    with pytest.raises(TelosError, match="measures are not yet trained without labels on Spark"):
        train_unlabelled(model, frame)


def test_goal_analytics_on_spark_equal_the_local_ones(spark: Any, tmp_path: Path) -> None:
    model = random_logs.ffbm(Random(8))
    folder = written(known_to(model, invented(6)), tmp_path / "log")
    local = open_model_log(folder, [model], sort=True).collect()
    stretches = find_stretches(find_readings(local, model))
    wanted = analyse(stretches, model.goals)
    found = goals(model, spark.read.parquet(folder))
    assert found.time.sort("goal").equals(wanted.time.sort("goal"))
    assert found.flow.equals(wanted.flow)
    assert found.overview == pytest.approx(wanted.overview)


def test_dirty_rows_on_spark_have_the_report_of_one_machine(spark: Any, tmp_path: Path) -> None:
    frame = dirty(invented(9))
    folder = written(pl.concat([frame, frame.head(40)]), tmp_path / "log")
    read = {"context": {"wolves": "int"}, "skip_bad": True, "sort": True, "drop_duplicates": True}
    local = open_log(folder, **read)
    local.collect()
    model = random_logs.ffbm(Random(8))
    with pytest.raises(TelosError, match="bad-value"):
        recognize(model, spark.read.parquet(folder))
    opened = open_spark_log(spark.read.parquet(folder), [model], skip_bad=True, drop_duplicates=True)
    counted = opened.check(full=True)
    same = open_model_log(folder, [model], skip_bad=True, sort=True, drop_duplicates=True)
    kept = same.collect()
    for name in ("rows", "kept", "players", "sequences", "bad_rows", "duplicates", "dropped"):
        assert getattr(counted, name) == getattr(same.report, name), name
    assert {fault: count.rows for fault, count in counted.faults.items()} == {
        fault: count.rows for fault, count in same.report.faults.items()
    }
    assert "bad-value" in counted.faults
    assert counted.duplicates >= 20
    assert "part-0.parquet: row" in counted.why()  # the first examples have their place
    beliefs = recognize(model, spark.read.parquet(folder), skip_bad=True, drop_duplicates=True, report=lambda _: None)
    assert beliefs.count() == kept.height


def test_bad_rows_that_are_skipped_are_told(spark: Any) -> None:
    model = random_logs.ffbm(Random(8))
    frame = to_spark(spark, dirty(invented(9, players=3)))
    with pytest.warns(UserWarning, match="no-player"):
        recognize(model, frame, skip_bad=True)


def test_one_player_with_most_of_the_events_is_read(spark: Any) -> None:
    model = random_logs.iohmm(Random(2))
    rows = known_to(model, invented(7, players=4))
    heavy = without_ties(pl.concat([rows] * 120)).with_columns(player=pl.lit("bot"), session=pl.lit(""))
    frame = pl.concat([heavy, rows]).select(heavy.columns)
    found = to_polars(recognize(model, to_spark(spark, frame).repartition(4)))
    wanted = pl.concat(read_batches(open_model_log(heavy, [model]).batches(), model))
    assert found.filter(pl.col("player") == "bot").sort("time").equals(wanted)


def test_partitions_without_rows_yield_nothing(spark: Any) -> None:
    model = random_logs.iohmm(Random(2))
    rows = known_to(model, invented(7, players=1)).head(3).with_columns(time=pl.Series([0.0, 1.0, 2.0]))
    frame = to_spark(spark, rows).repartition(6)
    assert recognize(model, frame).count() == 3
    assert sum(train(model, frame).counts.seen[model.goals[0]].values()) >= 0
    with pytest.raises(TelosError, match="empty"):
        recognize(model, frame.where("false"))


def test_what_cannot_be_read_is_refused_before_any_job(spark: Any) -> None:
    rows = invented(7, players=1)
    model = random_logs.iohmm(Random(2))
    frame = to_spark(spark, rows)
    tracker = spark.sparkContext.statusTracker()
    spark.sparkContext.setJobGroup("refused", "")
    for bad, word in (
        (frame.drop("action"), "action"),
        (frame.withColumn("time", frame.exits), "time"),
        (frame.drop("time"), "time"),
    ):
        with pytest.raises(TelosError, match=word):
            recognize(model, bad)
    fading = random_logs.iohmm(Random(2), discount=0.9)
    with pytest.raises(TelosError, match="one machine"):
        train(fading, frame)
    with pytest.raises(TelosError, match="learns nothing"):
        train(random_logs.ffbm(Random(1)), frame)
    with pytest.raises(TelosError, match="in columns"):
        recognize(object(), frame)
    with pytest.raises(TelosError, match="Spark frame"):
        recognize(model, rows)
    with pytest.raises(TelosError, match="stream"):
        recognize_stream(model, frame)
    assert not tracker.getJobIdsForGroup("refused")
    spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)


def die_once(marker: Path, victims: tuple[str, ...]) -> Any:
    """Return a function for partitions that kills what runs it in the middle of a partition, the first time."""
    path = str(marker)

    def kill(batches: Any) -> Any:
        import pyarrow as pa

        for number, batch in enumerate(batches):
            if number == 0 and not os.path.exists(path):
                open(path, "w").close()
                for pid in [found for victim in victims for found in above(os.getpid(), victim)]:
                    os.kill(pid, 9)
            yield pa.RecordBatch.from_arrays(batch.columns, batch.schema.names)

    def above(pid: int, victim: str) -> list[int]:
        while pid > 1:
            with open(f"/proc/{pid}/cmdline") as file:
                if victim in file.read():
                    return [pid]
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rsplit(")", 1)[1].split()[1])
        raise RuntimeError(f"no {victim} above this process")

    return kill


EXECUTOR, WORKER = "CoarseGrainedExecutorBackend", "org.apache.spark.deploy.worker.Worker"


@pytest.mark.parametrize(
    "victims",
    [pytest.param((EXECUTOR,), marks=pytest.mark.slow, id="executor"), pytest.param((WORKER, EXECUTOR), id="worker")],
)
def test_a_machine_that_dies_in_a_job_loses_and_doubles_nothing(
    spark: Any, tmp_path: Path, victims: tuple[str, ...]
) -> None:
    model = random_logs.iohmm(Random(5))
    folder = written(without_ties(known_to(model, invented(4))), tmp_path / "log")  # this frame has no order of its own
    frame = spark.read.parquet(folder)
    expected = train_batches(open_model_log(folder, [model], labelled=True, sort=True).batches(), model)
    killing = frame.mapInArrow(die_once(tmp_path / "killed", victims), frame.schema)
    reports: list[Any] = []
    assert train(model, killing, report=reports.append).counts.seen == expected.counts.seen
    assert (tmp_path / "killed").exists()
    assert reports[0].rows == reports[0].kept == pl.read_parquet(f"{folder}/*.parquet").height
