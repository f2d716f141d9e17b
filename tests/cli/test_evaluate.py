"""``telos evaluate`` scores recognisers at the same updates, by player and in the mean, with what they mixed up."""

import json
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from cli.adventure_logs import interleaved, log_lines, write_lines
from telos.cli.logs.evaluate import evaluate
from telos.core.errors import TelosError
from telos.recognition.files.load import create_recognizer, named_model
from telos.recognition.filtering import Reader
from telos.telemetry.logs import read_log

APP = typer.Typer()
APP.command()(evaluate)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(APP, [str(each) for each in arguments], catch_exceptions=False)


def scores(*arguments: object) -> list[dict[str, Any]]:
    answer = run(*arguments, "--json")
    assert answer.exit_code == 0, answer.output
    found: list[dict[str, Any]] = json.loads(answer.stdout)["models"]
    return found


def refused(file: Path, *arguments: object) -> str:
    with pytest.raises(TelosError) as caught:
        run(file, *arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(file), "LOG")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    ann, bo = log_lines(player="ann", seed=6), log_lines(player="bo", seed=7)
    return write_lines(tmp_path / "play.jsonl", interleaved(ann, bo))


def test_accuracy_is_the_share_of_updates_with_the_right_top_goal(log: Path) -> None:
    (score,) = scores(log, "--model", "flairs")
    right: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    mixed: Counter[tuple[str, str]] = Counter()
    for player in ("ann", "bo"):
        reader = Reader(named_model("flairs"))  # type: ignore[arg-type]
        for row in read_log(log):
            if row.event.player != player:
                continue
            before, belief = reader.updates, reader.observe(row.event)
            if reader.updates > before:
                seen[player] += 1
                right[player] += belief.top == row.truth
                mixed[str(row.truth), belief.top] += 1
    assert score["updates"] == seen.total() < 120
    for player in ("ann", "bo"):
        assert score["players"][player]["accuracy"] == pytest.approx(right[player] / seen[player], abs=1e-6)
    assert score["accuracy"] == pytest.approx(fmean(right[each] / seen[each] for each in seen), abs=1e-6)
    assert {(t, b): n for t, row in score["confusion"].items() for b, n in row.items() if n} == mixed


def test_all_models_are_scored_at_the_same_updates(log: Path) -> None:
    names = ("flairs", "flairs-constant", "flairs-fsm", "adventure")
    found = scores(log, *(part for name in names for part in ("--model", name)))
    assert [each["model"] for each in found] == list(names)
    assert len({each["updates"] for each in found}) == 1
    (first,) = scores(log, "--model", "flairs")
    assert found[0] == first
    assert scores(log, "--model", "adventure")[0]["updates"] > first["updates"]  # its clock counts ticks as well


def test_without_any_clock_every_row_counts(log: Path) -> None:
    (score,) = scores(log, "--model", "flairs-fsm", "--seed", "5")
    assert score["updates"] == 120
    machine = create_recognizer(named_model("flairs-fsm"), seed=5)
    rows = [row for row in read_log(log) if row.event.player == "ann"]
    right = sum(machine.observe(row.event).top == row.truth for row in rows)
    assert score["players"]["ann"]["accuracy"] == pytest.approx(right / 60, abs=1e-6)


def test_people_get_tables(log: Path) -> None:
    said = run(log, "--model", "flairs", "--model", "flairs-fsm").stdout
    assert "of 2 players" in said.splitlines()[0]
    assert said.splitlines()[1].split() == ["model", "mean", "95", "%", "interval", "ECE", "ann", "bo"]
    assert "flairs-fsm believed:" in said


def test_bad_input_is_refused_in_one_line(log: Path, tmp_path: Path) -> None:
    blind = write_lines(tmp_path / "blind.jsonl", log_lines(5, truth=None))
    assert refused(blind) == 'LOG: no row says what the player was after; add "truth": "level" to its lines'
    strange = write_lines(tmp_path / "strange.jsonl", log_lines(5, truth="return"))
    with pytest.raises(TelosError, match=r"strange.jsonl:1: the goal pursued is 'return'; known:"):
        run(strange, "--model", "flairs")
    assert "no recogniser 'flair'" in refused(log, "--model", "flair")
    ticks = [json.loads(line) for line in log_lines(5)]
    for line in ticks:
        line["context"]["cause"] = "tick"
    only = write_lines(tmp_path / "ticks.jsonl", [json.dumps(line) for line in ticks])
    assert "counts none of the events whose goal is known; look at its `clock`" in refused(only, "--model", "flairs")


def test_several_goals_at_once_are_scored_one_by_one(tmp_path: Path) -> None:
    rows = log_lines(40, truth="level + explore")
    log = write_lines(tmp_path / "both.jsonl", rows)
    model = tmp_path / "each.yaml"
    model.write_text("recognizer: concurrent\nof: flairs\n", encoding="utf-8")
    (score,) = scores(log, "--model", model)
    assert set(score["goals"]) == {"level", "explore", "town"}
    assert (score["rows"], score["rows_with_several_goals"]) == (40, 20)  # the truth is "explore" in the second half
    assert score["goals"]["town"]["pursued"] == 0
    assert score["goals"]["town"]["f1"] is None
    assert score["goals"]["level"]["pursued"] == 20
    assert score["goals"]["explore"]["pursued"] == 40
    said = run(log, "--model", model).stdout
    assert "each goal by itself" in " ".join(said.split())
    assert "40 rows, 20 with several goals" in said.replace("\n", " ")
    assert "do not exclude one another, and are scored one by one" in refused(
        log, "--model", model, "--model", "flairs"
    )
    strange = write_lines(tmp_path / "strange.jsonl", log_lines(5, truth="level + trade"))
    with pytest.raises(
        TelosError, match=r"strange.jsonl:1: the goal pursued is 'level \+ trade', and no goal is 'trade'"
    ):
        run(strange, "--model", model)
