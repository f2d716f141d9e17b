"""``telos recognize-plan`` answers every problem, scores what is labelled, and says the same with any --jobs."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from telos.cli.recognize_plan import recognize_plan
from telos.core.errors import TelosError

DATA = Path(__file__).parents[1] / "recognition" / "strips" / "data"
APP = typer.Typer()
APP.command()(recognize_plan)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(APP, [str(each) for each in arguments], catch_exceptions=False)


def said(*arguments: object) -> dict[str, Any]:
    answer = run(*arguments, "--json")
    assert answer.exit_code == 0, answer.output
    found: dict[str, Any] = json.loads(answer.stdout)
    for row in (*found["problems"], *(row for rows in found.get("scores", {}).values() for row in rows)):
        assert row.pop("seconds") >= 0
    return found


def test_every_problem_has_a_set_a_belief_and_a_verdict() -> None:
    found = said(DATA, "--labels", DATA / "labels.jsonl")
    assert len(found["problems"]) == 8
    for problem in found["problems"]:
        assert sum(problem["belief"]) == pytest.approx(1, abs=1e-5)
        assert problem["belief"].index(max(problem["belief"])) in problem["chosen"]
    assert found["scores"]["gpr clean"][0]["accuracy"] == 1.0
    assert found["published"][0]["credit"] == 0.745


def test_the_answers_do_not_depend_on_jobs(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).symlink_to(DATA / "grid")
    ids = [json.loads(line)["id"] for line in (DATA / "grid" / "observations.jsonl").read_text().splitlines()]
    rows = [f"{each},{'ab'[i % 2]}" for i, each in enumerate(ids)]
    (tmp_path / "index.csv").write_text("\n".join(["id,dir", *rows]), encoding="utf-8")
    with pytest.raises(TelosError, match="outside of the folder"):
        said(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).unlink()
        (tmp_path / name).mkdir()
        for file in (DATA / "grid").iterdir():
            (tmp_path / name / file.name).write_bytes(file.read_bytes())
    assert said(tmp_path, "--work", 300_000, "--jobs", 2) == said(tmp_path, "--work", 300_000)


def test_protocol_and_method_change_the_answers() -> None:
    usual, prefix, plain = (
        said(DATA, "--work", 300_000, *options)["problems"]
        for options in ((), ("--protocol", "prefix"), ("--method", "ramirez-geffner", "--beta", 2))
    )
    assert [row["id"] for row in usual] == [row["id"] for row in prefix] == [row["id"] for row in plain]
    assert len({str([row["belief"] for row in rows]) for rows in (usual, prefix, plain)}) == 3
    every = said(DATA, "--work", 300_000, "--within", 0.000001)["problems"]
    assert all(set(row["chosen"]) <= set(more["chosen"]) for row, more in zip(usual, every, strict=True))
    assert sum(len(row["chosen"]) for row in every) > sum(len(row["chosen"]) for row in usual)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--beta", 2), "--beta does not go with --method telos"),
        (("--method", "ramirez-geffner", "--noise", 2), "--noise does not go with --method ramirez-geffner"),
        (("--method", "plain"), "there is no method 'plain'"),
        (("--protocol", "first"), "there is no protocol 'first'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options: tuple[object, ...], said: str) -> None:
    with pytest.raises(TelosError, match=said):
        run(DATA, *options)


def test_tables_name_the_published_figures_only_beside_their_own_kind() -> None:
    output = run(DATA, "--labels", DATA / "labels.jsonl").output
    assert "accuracy" in output
    assert "gpr noisy" in output
    assert "Santos" not in output


def test_without_labels_nothing_is_scored() -> None:
    assert "scores" not in said(DATA / "grid")
    assert "accuracy" not in run(DATA / "grid").output


def test_one_problem_is_explained(tmp_path: Path) -> None:
    wanted = json.loads((DATA / "grid" / "observations.jsonl").read_text().splitlines()[0])["id"]
    (tmp_path / "one.csv").write_text(f"id\n{wanted}\n", encoding="utf-8")
    output = run(DATA / "grid", "--only", tmp_path / "one.csv").output
    assert "with what was seen" in output
    assert "returned:" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere"),
        ([DATA, "--jobs", "0"], "--jobs must be from 1 to"),
        ([DATA, "--labels", "nowhere.jsonl"], "nowhere.jsonl: no such file"),
        ([DATA, "--only", "nowhere.csv"], "nowhere.csv: no such file"),
        ([DATA, "--jobs", "9" * 23], "--jobs must be from 1 to"),
        ([DATA, "--budget", "-1"], "budget must be"),
        ([DATA, "--budget", "9" * 23], "budget must be"),
        ([DATA, "--work", "-1"], "work must be"),
        ([DATA, "--work", "1", "--budget", "1"], "both"),
        ([DATA, "--noise", "nan"], "noise must be"),
        ([DATA, "--noise", "inf"], "noise must be"),
        ([DATA, "--noise", "-1"], "noise must be"),
        ([DATA, "--temperature", "0"], "temperature must be"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: list[object], message: str) -> None:
    with pytest.raises(TelosError) as caught:
        run(*arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
