"""The dirty log of an invented game walks the whole road by six commands, and nothing is silent on the way."""

import gzip
import json
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import Result
from typer.testing import CliRunner

from telos.cli.app import app
from telos.core.errors import TelosError
from telos.telemetry import write_table

EXAMPLES = Path(__file__).parents[2] / "examples" / "logs"
sys.path.append(str(EXAMPLES))

from make_dirty_log import FAULTS, write_log  # noqa: E402

FAULTS_OF_EACH = 3
RUNNER = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the log, the model and a column file as `telos columns guess` proposes it."""
    found = tmp_path_factory.mktemp("harvest")
    write_log(found / "log", players=16, seed=3, faults=FAULTS_OF_EACH)
    shutil.copy(EXAMPLES / "harvest.yaml", found)
    done = telos("columns", "guess", found / "log", "-o", found / "columns.yaml")
    assert done.exit_code == 0, done.output
    return found


def telos(*arguments: object) -> Result:
    return RUNNER.invoke(app, [str(each) for each in arguments])


def figures(*arguments: object) -> dict[str, Any]:
    done = telos(*arguments, "--json")
    assert done.exit_code == 0, (done.output, done.exception)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refusal(*arguments: object) -> str:
    done = telos(*arguments)
    assert isinstance(done.exception, TelosError), done.output
    return str(done.exception)


def road(folder: Path) -> tuple[object, ...]:
    return ("--columns", folder / "columns.yaml", "--skip-bad")


# What every command that reads the raw log has to tell of it.
COUNTED = {"no-player", "no-action", "no-time", "bad-time", "bad-value"}


def check_rows(rows: dict[str, Any]) -> None:
    faults = rows["faults"]
    assert {fault: faults[fault]["rows"] for fault in COUNTED} == dict.fromkeys(COUNTED, FAULTS_OF_EACH)
    assert faults["unreadable"]["rows"] == 2 * FAULTS_OF_EACH  # cut, and no JSON
    for fault in faults.values():
        assert 0 < len(fault["examples"]) <= 3
        assert all(".jsonl" in each["place"] for each in fault["examples"])
    assert rows["bad_rows"] == sum(fault["rows"] for fault in faults.values())
    assert rows["duplicates"] == rows["dropped_duplicates"] == FAULTS_OF_EACH
    assert 0 < rows["late"] <= FAULTS_OF_EACH
    assert rows["rows"] == rows["kept"] + rows["bad_rows"] + rows["dropped"]


def test_a_dirty_log_walks_the_whole_road(folder: Path) -> None:
    """Guess (in the fixture), prepare, train, evaluate, recognize, goals: six commands."""
    log, model = folder / "log", folder / "harvest.yaml"
    corpus, trained = folder / "corpus.parquet", folder / "trained.yaml"
    prepared = figures("corpus", "prepare", log, *road(folder), "-o", corpus, "--folds", 4)
    check_rows(prepared["rows_of_the_log"])
    assert prepared["goals"].keys() == {"harvest", "fish", "sell", "dragon"}
    learned = figures("train", corpus, "--model", model, "--fold", 0, "--skip-bad", "-o", trained)
    assert learned["rows"]["faults"]["unknown-action"]["rows"] == FAULTS_OF_EACH
    assert learned["rows"]["faults"]["unknown-goal"]["rows"] > 0  # dragon
    models = ("--model", trained, "--model", model)
    page = folder / "scores.html"
    scores = figures("evaluate", corpus, *models, "--fold", 0, "--skip-bad", "--report", page)
    first, second = (each["accuracy"] for each in scores["models"])
    assert first > 0.6 > second
    done = telos("recognize", log, "--model", trained, *road(folder), "-o", folder / "beliefs.parquet")
    assert done.exit_code == 0, done.output
    assert "unknown-action: 3 rows" in done.stderr
    assert "3 rows achieve goals that no model has: dragon" in done.stderr
    beliefs = pl.read_parquet(folder / "beliefs.parquet")
    assert beliefs["player"].n_unique() == 16
    options = ("--where", "area", "--segment", "platform", "--player", "p003")
    told = figures("goals", log, "--model", trained, *road(folder), *options, "--report", folder / "goals.html")
    check_rows(told["rows"])
    assert told["overview"]["players"] == 16
    assert {row["segment"] for row in told["segments"]} <= {"pc", "phone"}
    text = (folder / "goals.html").read_text(encoding="utf-8")
    assert "The story of p003" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "Is it as sure" in page.read_text(encoding="utf-8")


def test_without_skip_bad_every_command_tells_all_faults_and_writes_nothing(folder: Path, tmp_path: Path) -> None:
    log, columns, model = folder / "log", ("--columns", folder / "columns.yaml"), ("--model", folder / "harvest.yaml")
    out = ("-o", tmp_path / "out.parquet")
    commands = [
        ("corpus", "prepare", log, *columns, *out),
        ("train", log, *columns, *model, "-o", tmp_path / "out.yaml", "--unlabelled"),
        ("recognize", log, *columns, *model, *out),
        ("goals", log, *columns, *model, "--report", tmp_path / "out.html"),
    ]
    for command in commands:
        said = refusal(*command)
        assert "rows are bad" in said, command
        for fault in COUNTED | {"unreadable"}:
            assert f"{fault}: {FAULTS_OF_EACH * (2 if fault == 'unreadable' else 1)} rows" in said, command
        assert said.count(".jsonl") >= 3 * len(COUNTED)
        assert "--skip-bad" in said
        assert not list(tmp_path.iterdir()), command


def test_late_rows_are_refused_in_order_and_sorted_on_demand(folder: Path) -> None:
    log, model = folder / "log", ("--model", folder / "harvest.yaml")
    for command in (("corpus", "prepare", log), ("recognize", log, *model), ("goals", log, *model)):
        said = refusal(*command, "--columns", folder / "columns.yaml", "--in-order")
        assert "late: " in said, command
        assert "runs backwards" in said
        assert "--sort" in said


def test_the_log_has_faults_of_every_kind_and_a_seed_fixes_it(tmp_path: Path) -> None:
    for name, seed in (("one", 7), ("two", 7), ("other", 8)):
        write_log(tmp_path / name, players=5, seed=seed, faults=1)
    logs = [
        b"".join(file.read_bytes() for file in sorted((tmp_path / name).iterdir())) for name in ("one", "two", "other")
    ]
    assert logs[0] == logs[1] != logs[2]
    assert len(FAULTS) == 9
    assert Counter(file.suffix for file in (tmp_path / "one").iterdir()).keys() == {".jsonl", ".gz"}


def lines_of(log: Path) -> list[str]:
    found = []
    for file in sorted(log.iterdir()):
        data = file.read_bytes()
        found += (gzip.decompress(data) if file.suffix == ".gz" else data).decode().splitlines()
    return found


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_the_same_faults_are_counted_in_tables(ending: str, folder: Path, tmp_path: Path) -> None:
    """Rows that JSON can say are written as a table, and read as such: the same counts, with places in the table."""
    own, facts = ("ts", "player_id", "session", "event", "achieved"), ("near_water", "gold", "area")
    rows = []
    for line in lines_of(folder / "log"):
        try:
            said = json.loads(line)
        except ValueError:
            continue  # not a row of a table
        params = said.pop("params", {})
        row = {key: said.get(key) for key in own}
        rows.append(row | {key: str(params.get(key, "")).lower() for key in facts})
    log = tmp_path / f"log.{ending}"
    write_table(pl.DataFrame(rows, infer_schema_length=None), log)
    columns = (folder / "columns.yaml").read_text(encoding="utf-8")
    flat = columns.replace("params.", "")
    (tmp_path / "flat.yaml").write_text(flat, encoding="utf-8")
    how = ("--columns", tmp_path / "flat.yaml", "--skip-bad")
    prepared = figures("corpus", "prepare", log, *how, "--folds", 0)
    faults = prepared["rows_of_the_log"]["faults"]
    assert {fault: faults[fault]["rows"] for fault in COUNTED} == dict.fromkeys(COUNTED, FAULTS_OF_EACH)
    read = telos("recognize", log, *how, "--model", folder / "harvest.yaml", "-o", tmp_path / "beliefs.jsonl")
    assert read.exit_code == 0, read.output
    for fault in COUNTED:
        assert f"{fault}: {FAULTS_OF_EACH} rows" in read.stderr


# What tables of other people look like

ODD = {
    "semicolons": ("player;time;action;won\nann;0;walk;\nann;1;talk;nurse\n", ""),
    "twice": ("player,time,action,action,won\nann,0,walk,x,\nann,1,talk,y,nurse\n", "two columns are called 'action'"),
    "nan": ("player,time,action,won\nann,nan,walk,\nann,1,walk,\nann,2,talk,nurse\n", "nan-time: 1 row"),
}
FREE = """
recognizer: iohmm
goals: [nurse, cook]
observations: {walks: action == walk, other: true}
"""


@pytest.mark.parametrize("name", ODD)
def test_every_command_answers_an_odd_table_the_same_way(name: str, tmp_path: Path) -> None:
    """Other delimiters are found; a column that stands twice, and times that are none, are refused by all commands."""
    text, said = ODD[name]
    log, model = tmp_path / "log.csv", tmp_path / "free.yaml"
    log.write_text(text)
    model.write_text(FREE)
    (tmp_path / "columns.yaml").write_text("{columns: c, player: player, time: time, action: action, achieved: won}")
    columns = ("--columns", tmp_path / "columns.yaml")
    commands = [
        ("corpus", "prepare", log, *columns, "--folds", 0),
        ("train", log, *columns, "--model", model, "--unlabelled", "--starts", 1, "-o", tmp_path / "out.yaml"),
        ("recognize", log, *columns, "--model", model),
        ("goals", log, *columns, "--model", model),
    ]
    for command in commands:
        if said:
            assert said in refusal(*command), command
        else:
            done = telos(*command)
            assert done.exit_code == 0, (command, done.exception)
            assert "the cells are separated by ';'" in done.stderr


def test_a_corpus_with_the_columns_of_its_log_is_told_to_need_none(folder: Path, tmp_path: Path) -> None:
    done = telos("corpus", "prepare", folder / "log", *road(folder), "-o", tmp_path / "corpus.jsonl", "--folds", 2)
    assert done.exit_code == 0
    said = refusal(
        "train", tmp_path / "corpus.jsonl", *road(folder), "--model", folder / "harvest.yaml", "-o", tmp_path / "x.yaml"
    )
    assert "leave --columns out" in said
    done = telos("check", folder / "columns.yaml", folder / "harvest.yaml")
    assert done.exit_code == 0


def test_a_model_that_was_trained_here_is_fine(folder: Path, tmp_path: Path) -> None:
    """Also one whose clock counts causes that its context lists, and that reads JSON Lines of the game's own."""
    (tmp_path / "min.yaml").write_text(
        "{recognizer: iohmm, goals: [nurse, cook], context: {cause: [input]}, "
        "observations: {walks: action == walk, other: true}}"
    )
    lines = [{"time": time, "action": "walk", "context": {"cause": "input"}, "truth": "nurse"} for time in range(4)]
    (tmp_path / "min.jsonl").write_text("\n".join(map(json.dumps, lines)))
    done = telos("train", tmp_path / "min.jsonl", "--model", tmp_path / "min.yaml", "-o", tmp_path / "m2.yaml")
    assert done.exit_code == 0, done.exception
    assert telos("check", tmp_path / "m2.yaml").exit_code == 0
    assert telos("recognize", tmp_path / "min.jsonl", "--model", tmp_path / "m2.yaml").exit_code == 0


# Options of training and reading, on the log of the farm


@pytest.fixture(scope="module")
def trained(folder: Path) -> Path:
    """A model that was trained on a corpus of the log, which lies beside it."""
    corpus = folder / "whole.parquet"
    assert telos("corpus", "prepare", folder / "log", *road(folder), "-o", corpus, "--folds", 4).exit_code == 0
    model = folder / "whole.yaml"
    done = telos("train", corpus, "--model", folder / "harvest.yaml", "--skip-bad", "-o", model)
    assert done.exit_code == 0, done.output
    return model


def json_lines(*arguments: object) -> list[dict[str, Any]]:
    done = telos("recognize", *arguments, "--skip-bad", "--json")
    assert done.exit_code == 0, (done.output, done.exception)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_folds_and_cross_validation_hold_players_out(folder: Path, trained: Path, tmp_path: Path) -> None:
    corpus, model = folder / "whole.parquet", folder / "harvest.yaml"
    parts = [figures("evaluate", corpus, "--model", trained, "--fold", fold, "--skip-bad") for fold in range(4)]
    players = [set(part["models"][0]["players"]) for part in parts]
    assert sum(map(len, players)) == len(set.union(*players)) == 16
    crossed = figures("evaluate", corpus, "--model", model, "--model", trained, "--cv", 4, "--skip-bad")
    assert crossed["folds"] == 4
    assert set(crossed["models"][0]["players"]) == set.union(*players)
    learned = figures("train", corpus, "--model", model, "--cv", 4, "--skip-bad", "-o", tmp_path / "t.yaml")
    assert learned["cross_validation"]["accuracy"] == pytest.approx(crossed["models"][0]["accuracy"], abs=1e-6)
    assert "exclude each other" in refusal("evaluate", corpus, "--model", model, "--cv", 2, "--fold", 1)


def test_training_without_labels_fits_better_than_the_start(folder: Path, tmp_path: Path) -> None:
    model = ("--model", folder / "harvest.yaml", "-o", tmp_path / "em.yaml")
    found = figures("train", folder / "log", *road(folder), *model, "--unlabelled", "--starts", 1, "--rounds", 10)
    assert found["fit"] > found["fit_before"]
    assert telos("check", tmp_path / "em.yaml").exit_code == 0


def test_what_hindsight_says_is_asked_for_by_options(folder: Path, trained: Path) -> None:
    log = (folder / "log", "--columns", folder / "columns.yaml", "--model", trained)
    goals = {"harvest", "fish", "sell"}
    live, lagged = json_lines(*log, "--player", "p003"), json_lines(*log, "--player", "p003", "--lag", 3)
    assert len(live) == len(lagged)
    assert live != lagged
    stories = json_lines(*log, "--story")
    assert {row["player"] for row in stories} == {f"p{number:03}" for number in range(16)}
    assert json_lines(*log, "--recap")
    assert json_lines(*log, "--surprise", 0.2)
    styles = json_lines(*log, "--style", folder / "harvest.yaml")
    assert all(str(trained) in str(row) for row in styles)
    unknown = json_lines(*log, "--unknown", folder / "whole.parquet")
    assert len(unknown) < len(stories)
    assert goals >= {row["top"] for row in live}
    assert "exclude each other" in refusal("recognize", *log, "--story", "--recap")
