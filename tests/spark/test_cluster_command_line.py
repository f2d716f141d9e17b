"""``--engine spark`` of the command line: what is printed is what one machine prints that puts the rows in order."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from spark.logs import dirty, invented, known_to, written
from telemetry import random_logs
from telos.cli.main import app
from telos.core.errors import TelosError
from telos.recognition.files.load import load_model, save_model
from telos.spark.session import check_master, telos_error

SPARK = ("--engine", "spark")


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two models and a log, with a few bad rows, late rows and rows that stand twice."""
    folder = tmp_path_factory.mktemp("game")
    model = random_logs.iohmm(Random(5))
    save_model(model, folder / "game.yaml")
    save_model(random_logs.iohmm(Random(5)), folder / "other.yaml")
    rows = known_to(model, invented(11)).with_columns(fold=pl.col("player").hash(1) % 3)
    written(pl.concat([dirty(rows), dirty(rows)[50:60]]), folder / "log")
    return folder


def run(*words: str) -> str:
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 0, found.output or found.exception
    return found.stdout


def both(game: Path, *words: str) -> tuple[Any, Any]:
    """Return what a command prints on this machine and on Spark, as JSON; ``-o`` names another file each time."""
    log = str(game / "log")
    found = []
    for number, engine in enumerate((("--sort",) if words[0] != "goals" else (), SPARK)):
        named = [word.format(number=number) for word in words[1:]]
        text = run(words[0], log, *engine, "--skip-bad", "--json", *named)
        found.append([json.loads(line) for line in text.splitlines()] if words[0] == "recognize" else json.loads(text))
    return found[0], found[1]


def nearly(found: Any) -> Any:
    """Return JSON data to compare with: sums in another order differ in the last places."""
    if isinstance(found, dict):
        return {key: nearly(value) for key, value in found.items()}
    if isinstance(found, list):
        return [nearly(each) for each in found]
    return pytest.approx(found, abs=2e-6) if isinstance(found, float) else found


def test_training_prints_and_writes_the_same(spark: Any, game: Path, tmp_path: Path) -> None:
    words = ("--model", str(game / "game.yaml"), "--drop-duplicates", "-o", f"{tmp_path}/{{number}}.yaml")
    local, found = both(game, "train", *words, "--cv", "3")
    assert local.pop("output") != found.pop("output")
    assert found == local
    assert found["rows"]["faults"]["bad-value"]["examples"]
    assert found["rows"]["late"] > 0
    assert found["rows"]["dropped"] >= 5
    assert load_model(tmp_path / "1.yaml").counts.seen == load_model(tmp_path / "0.yaml").counts.seen
    local, found = both(game, "train", *words[:2], "--fold", "1", "-o", f"{tmp_path}/f{{number}}.yaml")
    assert {**found, "output": ""} == {**local, "output": ""}


def test_scores_are_the_same(spark: Any, game: Path) -> None:
    models = ("--model", str(game / "game.yaml"), "--model", str(game / "other.yaml"))
    for more in (("--cv", "2"), ("--player", "5ann")):
        local, found = both(game, "evaluate", *models, *more)
        assert found == nearly(local)


def test_beliefs_are_printed_in_the_same_order(spark: Any, game: Path, tmp_path: Path) -> None:
    local, found = both(game, "recognize", "--model", str(game / "game.yaml"), "--sort")
    assert found == local
    log, model = str(game / "log"), ("--model", str(game / "game.yaml"), "--skip-bad")
    run("recognize", log, *model, "--sort", "-o", str(tmp_path / "local.parquet"))
    said = run("recognize", log, *model, *SPARK, "-o", str(tmp_path / "beliefs"))
    assert f"{len(local):,} events of" in said
    here, there = pl.read_parquet(tmp_path / "local.parquet"), pl.read_parquet(f"{tmp_path}/beliefs/*.parquet")
    assert there.sort("row").equals(here.sort("row"))  # with the same numbers of rows


def test_goals_are_the_same(spark: Any, game: Path, tmp_path: Path) -> None:
    rows = pl.read_parquet(game / "log" / "*.parquet").filter(pl.col("player").is_not_null())
    rows = rows.with_columns(pl.col("time").fill_nan(None).fill_null(0.0), wolves=pl.lit(1), action=pl.lit("walk"))
    written(rows.sort("player", "session", "time"), tmp_path / "log")
    words = ("--model", str(game / "game.yaml"), "--where", "place", "--player", "5ann")
    local, found = both(tmp_path, "goals", *words, "--report", f"{tmp_path}/{{number}}.html")
    assert found == nearly(local)
    assert "5ann" in (tmp_path / "1.html").read_text()


def test_what_cannot_be_done_is_refused(spark: Any, game: Path, tmp_path: Path) -> None:
    log, model = str(game / "log"), ("--model", str(game / "game.yaml"))
    (tmp_path / "old").mkdir()
    for words, said in (
        (("evaluate", log, *model, "--master", "local[2]"), "--engine spark"),
        (("train", log, *model, *SPARK, "--unlabelled", "-o", f"{tmp_path}/x.yaml"), "--unlabelled"),
        (("recognize", log, *model, *SPARK, "--why", "3"), "--why"),
        (("recognize", log, *model, *SPARK, "--story"), "--story"),
        (("recognize", log, *model, *SPARK, "--in-order"), "--in-order"),
        (("recognize", log, *model, *SPARK, "--skip-bad", "--player", "4an"), "'4ann'"),
        (("evaluate", log, *model, *SPARK, "--skip-bad", "--fold", "7"), "no fold 7"),
        (("recognize", log, *model, *SPARK, "-o", f"{tmp_path}/old"), "new folder"),
        (("recognize", log, *model, *SPARK, "-o", f"{tmp_path}/x.csv"), "Parquet"),
        (("recognize", f"{tmp_path}/x.csv", *model, *SPARK), "Parquet"),
        (("recognize", f"{tmp_path}/nowhere", *model, *SPARK), "does not exist"),
        (("recognize", log, *model, *SPARK), "rows are bad"),
        (("train", log, *model, *SPARK, "--skip-bad", "--cv", "900", "-o", f"{tmp_path}/x.yaml"), "cannot be dealt"),
    ):
        found = CliRunner().invoke(app, words)
        assert isinstance(found.exception, TelosError), (words, found.output)
        assert said in str(found.exception), words
    assert not (tmp_path / "x.yaml").exists()


# --- without a cluster ------------------------------------------------------------------------------------------------


def command(*words: str, before: str = "", **environment: str) -> tuple[int, str]:
    """Run a command in a process of its own; return its exit code and what it says of errors."""
    program = f"import sys; {before or 0}; sys.argv[0] = 'telos'; from telos.cli.main import run; run()"
    found = subprocess.run(
        [sys.executable, "-c", program, *words], env={**os.environ, **environment}, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    return found.returncode, found.stderr


def test_what_is_missing_is_said_in_one_line(game: Path, tmp_path: Path) -> None:
    words = ("evaluate", str(game / "log"), "--model", str(game / "game.yaml"), *SPARK)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]  # nobody listens there any more
    code, said = command(*words, "--master", f"spark://127.0.0.1:{port}")
    assert (code, said.count("\n")) == (2, 1)
    assert f"127.0.0.1:{port}: the master cannot be reached" in said
    code, said = command(*words, "--master", "local[1]", PATH=str(tmp_path), JAVA_HOME=str(tmp_path))
    assert (code, said.count("\n")) == (2, 1)
    assert "Java 17" in said
    code, said = command(*words, before="sys.modules['pyspark'] = None")
    assert (code, said.count("\n")) == (2, 1)
    assert 'pip install "telos[spark]"' in said


@pytest.mark.slow
def test_a_cluster_without_a_free_worker_is_refused_in_bounded_time(java: None, tmp_path: Path) -> None:
    from telos.spark import LocalCluster

    program = "from telos.spark import open_session; import sys; open_session(sys.argv[1], seconds=5)"
    with LocalCluster(0, folder=tmp_path / "cluster") as cluster:
        found = subprocess.run(
            [sys.executable, "-c", program, cluster.url], capture_output=True, text=True, timeout=120, check=False
        )
    assert "no executor has come in 5 s" in found.stderr


def test_addresses_of_masters_are_checked() -> None:
    for master in ("localhost:7077", "sparc://x:1", "mesos://x:1", "locale"):
        with pytest.raises(TelosError, match="no master of Spark"):
            check_master(master)
    for master in ("spark://x", "spark://:7077", "spark://x:0", "spark://x:99999"):
        with pytest.raises(TelosError, match="host and port"):
            check_master(master)
    for master in ("local", "local[*]", "yarn", "k8s://https://x:443"):
        check_master(master)


def test_errors_of_spark_become_one_line() -> None:
    ours = "Traceback:\n  File x.py\ntelos.core.errors.TelosError: play.parquet: 3 rows are bad\n SQLSTATE: 1\n\tat o"
    assert str(telos_error(ours)) == "play.parquet: 3 rows are bad"
    assert "install telos[spark]" in str(telos_error("x\nModuleNotFoundError: No module named 'telos'\n\tat y"))
    assert "PYSPARK_PYTHON" in str(telos_error("[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.9"))
    assert "more memory" in str(
        telos_error("Job aborted due to stage failure: ExecutorLostFailure (executor 3 exited)")
    )
    assert (
        str(telos_error("\nAn error occurred\nmore", "it"))
        == "it: An error occurred; TELOS_DEBUG=1 shows all that Spark says"
    )
