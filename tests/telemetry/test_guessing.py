"""Guesses of columns: from names, from values, from nested entries; what is not decided is said."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from telemetry.preset_samples import SAMPLES
from telos.cli.app import app
from telos.core.errors import TelosError
from telos.telemetry import guess_columns, open_log

RACES = [
    {
        "eventTimeMs": 1772366400000 + 700 * number,
        "driver": {"id": 1000 + number % 5},
        "race": {"id": f"r{number // 40}", "lap": number % 3},
        "type": ["boost", "brake", "turn-off", "brake", "drift"][number % 5] if number % 50 else "race-won",
        "telemetry": {"speedKmh": 20.5 + number, "onTrack": number % 7 > 0},
    }
    for number in range(200)
]


def test_names_units_and_nested_entries_of_json_are_found(tmp_path: Path) -> None:
    (tmp_path / "races.jsonl").write_text("\n".join(map(json.dumps, RACES)))
    guess = guess_columns(tmp_path / "races.jsonl")
    columns = guess.columns
    assert (columns.time, columns.unit) == ("eventTimeMs", 0.001)
    assert (columns.player, columns.session, columns.action) == ("driver.id", "race.id", "type")
    kinds = {name: (fact.column, fact.kind) for name, fact in columns.context.items()}
    assert kinds == {
        "lap": ("race.lap", "int"),
        "speedKmh": ("telemetry.speedKmh", "number"),
        "onTrack": ("telemetry.onTrack", "bool"),
    }
    assert columns.actions == {"turn-off": "turn_off", "race-won": "race_won"}
    assert not columns.achieved
    assert any("achieve a goal" in each for each in guess.undecided)
    assert "# achieved: {actions: {race-won: GOAL}}" in guess.text
    log = open_log(tmp_path / "races.jsonl", columns).collect()
    assert log["time"][1] - log["time"][0] == pytest.approx(0.7)


def test_names_that_say_nothing_are_decided_by_values() -> None:
    rows = 60
    table = {
        "when": [f"2026-04-01T07:00:{number:02}+02:00" for number in range(rows)],
        "farmer": [f"Farmer {number % 6}" for number in range(rows)],
        "deed": [["dig", "sow", "stroll", "heat oven"][number % 4] for number in range(rows)],
        "quest finished": ["" if number % 10 else "feed hens" for number in range(rows)],
        "raining": [["yes", "no"][number % 2] for number in range(rows)],
        "version": ["1.0"] * rows,
        "uuid": [f"{number:x}-{number * 7:x}" for number in range(rows)],
    }
    columns = guess_columns(table).columns
    assert (columns.time, columns.unit) == ("when", 1.0)
    assert (columns.player, columns.action, columns.achieved) == ("farmer", "deed", "quest finished")
    assert columns.goal_names == {"feed hens": "feed_hens"}
    assert columns.actions == {"heat oven": "heat_oven"}
    assert {name: fact.kind for name, fact in columns.context.items()} == {"raining": "bool"}
    log = open_log(table, columns).collect()
    assert set(log["goal"].drop_nulls()) == {"feed_hens"}


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([1772366400, 1772366410], 1.0),
        ([1772366400000, 1772366410000], 0.001),
        ([1772366400000000, 1772366410000000], 1e-6),
        ([0.5, 12.25], 1.0),
    ],
)
def test_the_unit_of_times_is_that_of_their_size(values: list[float], unit: float) -> None:
    table = {"ts": values * 20, "player": ["a", "b"] * 20, "action": ["x", "y"] * 20}
    assert guess_columns(table).columns.unit == pytest.approx(unit)


def test_disorder_and_duplicates_are_seen() -> None:
    table = {"ts": [5, 4, 6, 6], "player": ["a"] * 4, "action": ["x", "y", "z", "z"]}
    columns = guess_columns(table).columns
    assert columns.sort
    assert columns.duplicates == "drop"


def test_cells_of_another_kind_do_not_hide_a_number() -> None:
    table = {
        "ts": range(200), "player": ["a", "b"] * 100, "action": ["x", "y"] * 100,
        "gold": [*map(str, range(199)), "many"],
    }  # fmt: skip
    guess = guess_columns(table)
    assert guess.columns.context["gold"].kind == "int"
    assert "1 cell is not, such as many" in guess.text


@pytest.mark.parametrize("preset", SAMPLES)
def test_the_layouts_of_services_are_recognised(preset: str, tmp_path: Path) -> None:
    sample = SAMPLES[preset]
    (tmp_path / sample.file).write_text(sample.text(), encoding="utf-8")
    guess = guess_columns(tmp_path / sample.file)
    assert guess.reasons["preset"] == preset
    assert {"near_water", "gold"} <= guess.columns.context.keys()
    assert open_log(tmp_path / sample.file, guess.columns).collect()["near_water"].sum() > 0


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["columns", *map(str, arguments)])


def test_the_command_prints_writes_and_says_what_is_open(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "races.jsonl.gz", "wt") as file:
        file.write("\n".join(map(json.dumps, RACES)))
    printed = run("guess", tmp_path / "races.jsonl.gz")
    assert printed.exit_code == 0
    assert "player: driver.id" in printed.stdout
    assert "to decide: which rows achieve a goal" in printed.stderr
    written = run("guess", tmp_path / "races.jsonl.gz", "-o", tmp_path / "races.yaml")
    assert written.exit_code == 0
    assert (tmp_path / "races.yaml").read_text() == printed.stdout
    told = json.loads(run("guess", tmp_path / "races.jsonl.gz", "--json").stdout)
    assert told["columns"] == printed.stdout
    assert told["found"]["player"] == "driver.id"
    assert told["undecided"]


def test_a_log_without_actions_is_a_negative_answer(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("time,player\n" + "\n".join(f"{number},a" for number in range(30)))
    answer = run("guess", tmp_path / "log.csv")
    assert answer.exit_code == 1
    assert "action: CHANGE_ME" in answer.stdout
    assert "which column says what the player did?" in answer.stderr


def test_bad_input_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("time,player\n")
    for arguments, said in (
        ((tmp_path / "none.csv",), "No such file"),
        ((tmp_path / "log.csv",), "empty"),
        ((tmp_path / "log.csv", "-o", tmp_path / "log.txt"), "YAML"),
    ):
        answer = run("guess", *arguments)
        assert isinstance(answer.exception, TelosError)
        assert said in str(answer.exception)


def test_presets_are_listed() -> None:
    assert "opengamedata" in run("presets").stdout
    assert set(SAMPLES) < set(json.loads(run("presets", "--json").stdout))
