"""A corpus that was prepared is a log that models train on and are scored by, in every format."""

from pathlib import Path

import pytest

from telos.recognition import loads_model
from telos.telemetry import loads_columns, open_model_log, prepare, write_table
from telos.telemetry.bulk import TrainingCounts, train_frame

COLUMNS = """
columns: farm
time: ts
player: who
session: sid
action: did
achieved: won
context: {gold: {column: params.gold, type: int}}
drop: did == noop
"""
MODEL = """
recognizer: iohmm
goals: [fish, sell]
context: {gold: int}
observations: {rich: gold > 5, cast: action == cast, other: true}
"""
LINES = [
    '{"ts": "2026-03-01T12:00:00Z", "who": "7", "sid": 1, "did": "cast", "params": {"gold": 3}}',
    '{"ts": "2026-03-01T12:00:01Z", "who": "7", "sid": 1, "did": "cast", "params": {"gold": 9}}',
    '{"ts": "2026-03-01T12:00:02Z", "who": "7", "sid": 1, "did": "noop", "params": {"gold": 9}}',
    '{"ts": "2026-03-01T12:00:05Z", "who": "7", "sid": 1, "did": "cast", "params": {"gold": 9}}',
    '{"ts": "2026-03-01T12:00:06Z", "who": "7", "sid": 1, "did": "noop", "won": "fish"}',
    '{"ts": "2026-03-01T12:00:09Z", "who": "bo", "sid": 2, "did": "offer", "params": {}}',
    '{"ts": "2026-03-01T12:00:10Z", "who": "bo", "sid": 2, "did": "offer", "won": "sell"}',
]


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "jsonl", "jsonl.gz"])
def test_a_prepared_corpus_trains_a_model_in_every_format(ending: str, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(LINES))
    corpus = prepare(log, loads_columns(COLUMNS), folds=2)
    assert corpus.frame.drop("time", "fold").rows() == [
        ("7", "1", 0, "cast", 3, "fish"),
        ("7", "1", 1, "cast", 9, "fish"),
        ("7", "1", 2, "cast", 9, "fish"),
        ("bo", "2", 0, "offer", None, "sell"),
    ]
    assert (corpus.frame["time"] - corpus.frame["time"][0]).to_list() == [0, 1, 5, 9]
    write_table(corpus.frame, tmp_path / f"corpus.{ending}")
    model = loads_model(MODEL)
    opened = open_model_log(tmp_path / f"corpus.{ending}", [model], labelled=True, keep=("fold",))
    counts = TrainingCounts(model)  # type: ignore[arg-type]
    for batch in opened.batches():
        counts.count(batch)
    assert counts.learned == {"fish": 3, "sell": 1}
    assert opened.collect()["time"].diff().to_list()[1:3] == [1, 4]
    trained = train_frame(opened.collect(), model)  # type: ignore[arg-type]
    assert trained.counts.seen["fish"] == {"rich": 2, "cast": 1, "other": 0}


def test_times_of_a_corpus_are_seconds_whatever_the_unit_of_the_log() -> None:
    table = {
        "ms": [1772366400000, 1772366400500, 1772366402000],
        "who": ["ann"] * 3,
        "did": ["cast", "cast", "catch"],
        "won": ["", "", "fish"],
    }
    columns = loads_columns("{columns: c, time: {column: ms, unit: 1 ms}, player: who, action: did, achieved: won}")
    assert prepare(table, columns, folds=0).frame["time"].to_list() == [1772366400.0, 1772366400.5]
