"""``telos corpus`` makes corpora of event tables, and logs of simulated players to make them of."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import Result
from typer.testing import CliRunner

from telos.cli.main import app
from telos.core.errors import TelosError
from telos.logic.syntax import load_db, load_mln

LOG = """\
player,pair,step,action,place,won
ann,a,0,walk,camp,
ann,a,1,talk,camp,nurse
bo,a,0,noop,hall,
bo,a,1,eat,hall,
bo,a,2,test,hall,food
bo,a,3,walk,hall,
cy,c,0,walk,camp,
cy,c,1,talk,camp,nurse
"""
COLUMNS = """\
corpus: camp
player: player
order: step
action: action
achieved: won
group: pair
drop: action == noop
features: {loc: place}
"""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["corpus", *(str(each) for each in arguments)], catch_exceptions=False)


def refused(*arguments: object) -> str:
    with pytest.raises(TelosError) as caught:
        run(*arguments)
    return str(caught.value)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "camp.csv").write_text(LOG)
    (tmp_path / "camp.yaml").write_text(COLUMNS)
    return tmp_path / "camp.csv"


def figures(*arguments: object) -> dict[str, Any]:
    answer = run(*arguments, "--json")
    assert answer.exit_code == 0, answer.output
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def test_a_log_is_prepared_counted_and_written(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    told = figures("prepare", log, "--columns", log.with_suffix(".yaml"), "-o", out, "--folds", 2)
    assert (told["players"], told["actions"], told["achieved"], told["actions_per_goal"]) == (3, 3, 3, 1.0)
    assert told["goals"] == {"nurse": 2, "food": 1}
    assert told["rows_read"] == 8
    frame = pl.read_parquet(out)
    assert frame.drop("fold").rows() == [
        ("ann", "", 0, "walk", "camp", "nurse"),
        ("bo", "", 0, "eat", "hall", "food"),
        ("cy", "", 0, "walk", "camp", "nurse"),
    ]
    fold = dict(frame.select("player", "fold").iter_rows())
    assert fold["ann"] == fold["bo"] != fold["cy"]


def test_the_figures_are_printed_as_tables(log: Path) -> None:
    answer = run("prepare", log, "--columns", log.with_suffix(".yaml"), "--folds", 2)
    assert answer.exit_code == 0
    for said in ("Total number of observed player actions", "Distribution of goals", "66.7%", "Actions by type"):
        assert said in answer.stdout


def test_the_same_seed_gives_the_same_folds(tmp_path: Path) -> None:
    rows = [f"p{i},{deed},{goal}" for i in range(30) for deed, goal in (("walk", ""), ("talk", "nurse"))]
    (tmp_path / "log.csv").write_text("player,action,achieved\n" + "\n".join(rows))
    folds = []
    for seed in (1, 1, 2):
        run("prepare", tmp_path / "log.csv", "--seed", seed, "-o", tmp_path / "out.csv")
        folds.append((tmp_path / "out.csv").read_text())
    assert folds[0] == folds[1] != folds[2]


def test_bad_input_is_told_in_one_line_with_the_name_of_the_log(log: Path, tmp_path: Path) -> None:
    columns = log.with_suffix(".yaml")
    assert refused("prepare", log, "--columns", columns) == (
        f"{log}: 10 folds need as many players or groups, and there are 2; ask for 2 folds or fewer"
    )
    assert "no column 'achieved'; write a file" in refused("prepare", log)
    assert "did you mean 'crafter'" in refused("prepare", log, "--columns", "crafte")
    assert "No such file" in refused("prepare", tmp_path / "none.csv")
    assert "in which format" in refused("prepare", log, "--columns", columns, "-o", tmp_path / "out.doc")


def test_the_island_needs_a_file_and_players(tmp_path: Path) -> None:
    assert "name a file, as in: -o island.parquet" in refused("island")
    assert "--players must be from 1 to 100000, got 0" in refused("island", "--players", 0, "-o", tmp_path / "i.csv")
    assert "--jobs must be from 1 to" in refused("island", "--jobs", 0, "-o", tmp_path / "i.csv")


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_log_of_the_island_can_be_prepared(ending: str, tmp_path: Path) -> None:
    out = tmp_path / f"island.{ending}"
    told = figures("island", "--players", 3, "--seed", 1, "-o", out)
    assert told["simulated"]
    again = figures("prepare", out, "--columns", "island", "--folds", 0)
    assert {key: again[key] for key in ("actions", "goals", "types")} == {
        key: told[key] for key in ("actions", "goals", "types")
    }
    assert again["players_read"] == 3


def without_polars(*arguments: object) -> subprocess.CompletedProcess[str]:
    code = (
        "import sys; sys.modules['polars'] = sys.modules['numpy'] = None\n"  # as if they were not installed
        "from telos.cli.main import run\n"
        "run()"
    )
    command = [sys.executable, "-c", code, "corpus", *(str(each) for each in arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_without_polars_the_extra_is_named(tmp_path: Path) -> None:
    for arguments in (("prepare", "log.csv"), ("island", "-o", tmp_path / "island.parquet")):
        done = without_polars(*arguments)
        assert done.returncode == 2
        assert 'pip install "telos[telemetry]"' in done.stderr
        assert "Traceback" not in done.stderr


def test_without_polars_the_island_can_be_written_as_text(tmp_path: Path) -> None:
    done = without_polars("island", "--players", 1, "-o", tmp_path / "island.csv")
    assert done.returncode == 0
    assert 'pip install "telos[telemetry]"' in done.stderr  # which counts
    assert (tmp_path / "island.csv").read_text().startswith("player,style,step,time,action,")


def test_help_does_not_wait_for_polars() -> None:
    code = "import sys, telos.cli.main; print('polars' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_a_corpus_becomes_facts_of_the_predicates_that_a_model_has(log: Path, tmp_path: Path) -> None:
    columns, model, out = tmp_path / "camp.yaml", tmp_path / "goals.mln", tmp_path / "corpus.db"
    columns.write_text(COLUMNS)
    model.write_text(
        "action(time, act)\nloc(time, place)\nmood(time, mood)\ngoal(time, goal!)\nloc(t, +l) => goal(t, +g)"
    )
    done = run("prepare", log, "--columns", columns, "-o", out, "--model", model, "--folds", 0)
    assert done.exit_code == 0, done.output
    said = out.read_text()
    assert said.count("---") == 2
    assert "action(0,walk)" in said
    assert "goal(0,food)" in said
    known = load_db(out, load_mln(model))
    assert known.constants["place"] == ("camp", "hall")


def test_facts_need_a_model(log: Path, tmp_path: Path) -> None:
    assert "states the predicates of a model" in refused("prepare", log, "-o", tmp_path / "corpus.db")
