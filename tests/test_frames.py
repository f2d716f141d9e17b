"""The front door for logs: frames in, frames of the same kind out, and the same numbers as one event at a time."""

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos
from telemetry import random_logs
from telemetry.random_logs import MODELS, to_frame
from telos.recognition import create_recognizer, loads_model

MODEL = """
recognizer: iohmm
goals: [fish, sell]
observations: {cast: action == cast, offer: action == offer, other: true}
"""
ROWS = [
    ("ann", 0, "cast", "fish"),
    ("bo", 1, "offer", "sell"),
    ("ann", 2, "cast", "fish"),
    ("bo", 3, "offer", "sell"),
    ("cy", 4, "cast", "fish"),
    ("cy", 5, "offer", "sell"),
]


@pytest.fixture
def table() -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=["player", "time", "action", "truth"], orient="row")


def kinds(table: pl.DataFrame) -> dict[str, Any]:
    arrow = table.to_arrow()
    return {
        "polars": table,
        "lazy": table.lazy(),
        "pandas": table.to_pandas(),
        "arrow": arrow,
        "batch": arrow.to_batches()[0],
        "mapping": table.to_dict(as_series=False),
    }


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "arrow", "batch", "mapping"])
def test_beliefs_come_back_as_the_kind_of_frame_that_was_given(kind: str, table: pl.DataFrame) -> None:
    frame = kinds(table)[kind]
    trained = telos.train(loads_model(MODEL), frame)
    found = telos.recognize(trained, frame)
    assert type(found) is type(frame)
    beliefs = found.collect() if kind == "lazy" else pl.DataFrame(found)
    assert beliefs.columns == ["row", "player", "session", "time", "action", "top", "fish", "sell"]
    assert beliefs["row"].to_list() == list(range(6))
    assert beliefs["player"].to_list() == [row[0] for row in ROWS]
    assert telos.evaluate(trained, frame)["model 1"].updates == 6
    same = telos.read_frame(frame, trained)
    assert type(same) is type(frame)


@pytest.mark.parametrize("kind", MODELS)
@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10**9))
def test_beliefs_of_any_log_are_those_of_live_recognisers(kind: str, seed: int) -> None:
    rng = Random(seed)
    model = MODELS[kind](rng)
    rows = random_logs.log(rng, model.goals)
    readers: dict[tuple[str, str], Any] = {}
    expected = []
    for row in rows:
        reader = readers.setdefault((row.event.player, row.session), create_recognizer(model))
        expected.append(list(reader.observe(row.event).values()))
    found = telos.recognize(model, to_frame(rows))
    for mine, theirs in zip(found.select(model.goals).rows(), expected, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-12, rel=0)


def test_a_lazy_frame_is_read_when_it_is_collected(table: pl.DataFrame, tmp_path: Path) -> None:
    trained = telos.train(loads_model(MODEL), table)
    table.write_parquet(tmp_path / "log.parquet")
    beliefs = telos.recognize(trained, pl.scan_parquet(tmp_path / "log.parquet"))
    beliefs.sink_parquet(tmp_path / "beliefs.parquet")
    whole = telos.recognize(trained, table)
    assert pl.read_parquet(tmp_path / "beliefs.parquet").equals(whole)
    assert beliefs.filter(pl.col("player") == "bo").select("top").collect()["top"].to_list() == ["sell", "sell"]
    assert beliefs.head(2).collect().equals(whole.head(2))
    late = telos.recognize(trained, table.reverse().lazy())
    with pytest.raises(telos.TelosError, match="rows are bad"):
        late.collect()


def test_rows_come_back_in_their_own_order_when_they_are_sorted_by_time(table: pl.DataFrame) -> None:
    trained = telos.train(loads_model(MODEL), table)
    with pytest.raises(telos.TelosError, match="sort=True"):
        telos.recognize(trained, table.reverse())
    with pytest.warns(UserWarning, match="late: 3 rows"):
        found = telos.recognize(trained, table.reverse(), sort=True)
    forwards = telos.recognize(trained, table)
    assert found.select("fish", "sell").equals(forwards.reverse().select("fish", "sell"))


def test_bad_rows_are_refused_together_or_left_out_with_a_warning(table: pl.DataFrame) -> None:
    model = telos.train(loads_model(MODEL), table)
    dirty = table.with_columns(
        pl.when(pl.col("time") == 2).then(None).otherwise("player").alias("player"),
        pl.when(pl.col("time") == 4).then(None).otherwise("action").alias("action"),
    )
    for use in (telos.recognize, telos.train, telos.evaluate):
        with pytest.raises(telos.TelosError, match="2 of 6 rows are bad") as caught:
            use(model, dirty)
        assert "row 3: player says None" in str(caught.value)
        with pytest.warns(UserWarning, match="no-action: 1 row"):
            use(model, dirty, skip_bad=True)


def test_models_are_named_by_files_and_scored_side_by_side(table: pl.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "farm.yaml").write_text(MODEL)
    trained = telos.train(str(tmp_path / "farm.yaml"), table)
    report = telos.evaluate([tmp_path / "farm.yaml", trained], table, folds=3)
    assert list(report) == [str(tmp_path / "farm.yaml"), "model 2"]
    assert report["model 2"].accuracy == 1.0
    assert "model 2" in str(report)
    assert report.rows is not None
    assert report.rows.kept == 6
    report.save(tmp_path / "scores.html")
    assert "model 2" in (tmp_path / "scores.html").read_text()
    with pytest.raises(telos.TelosError, match="same name"):
        telos.evaluate([str(tmp_path / "farm.yaml")] * 2, table)
    with pytest.raises(telos.TelosError, match="written by hand"):
        telos.train("flairs", table)


def test_folds_keep_together_what_has_the_same_value(table: pl.DataFrame) -> None:
    """Two teams of opposite habits: the other team teaches the wrong thing, a team mate the right one."""
    habits = [("a", "fish"), ("a", "fish"), ("b", "sell"), ("b", "sell")]
    rows = [
        (f"{team}{number}", team, time, "cast", goal) for number, (team, goal) in enumerate(habits) for time in range(9)
    ]
    log = pl.DataFrame(rows, schema=["player", "team", "time", "action", "truth"], orient="row")
    model = loads_model(MODEL)
    by_team = telos.evaluate(model, log, by="team", folds=2)["model 1"].accuracy
    assert by_team == 0.0
    with pytest.raises(telos.TelosError, match="2 players cannot be dealt into 3 folds"):
        telos.evaluate(model, log, by="team", folds=3)


def test_columns_are_those_of_a_file_or_a_preset_of_the_log(table: pl.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("{columns: mine, time: ts, player: who, action: did, truth: goal}")
    renamed = table.rename({"time": "ts", "player": "who", "action": "did", "truth": "goal"})
    model = telos.train(loads_model(MODEL), renamed, columns=tmp_path / "mine.yaml")
    expected = telos.recognize(model, table)
    assert telos.recognize(model, renamed, columns=str(tmp_path / "mine.yaml")).equals(expected)
    assert telos.recognize(model, renamed.lazy(), columns=tmp_path / "mine.yaml").collect().equals(expected)


def test_frames_of_one_machine_do_not_import_spark() -> None:
    code = (
        "import sys, telos\n"
        "from telos.recognition import loads_model\n"
        f"model = loads_model({MODEL!r})\n"
        "telos.recognize(model, {'player': ['a'], 'time': [0.0], 'action': ['cast']})\n"
        "print('pyspark' in sys.modules, 'pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
