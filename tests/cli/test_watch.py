"""``telos watch`` prints a log or a trace without a terminal, and refuses bad input in one line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from telos.cli.watch import watch
from telos.core.errors import TelosError

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(watch)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_prints_one_object_a_line_and_nothing_else() -> None:
    said = [json.loads(line) for line in run("home", "--days", "1", "--seed", "7", "--json").splitlines()]
    assert said[0]["kind"] == "started"
    assert said[0]["people"] == ["Ada", "Ben", "Cleo"]
    assert said[-1]["kind"] == "ended"
    assert {"chose", "began", "finished", "levels", "delivered"} <= {each["kind"] for each in said}


def test_the_same_seed_prints_the_same() -> None:
    arguments = ("home", "--days", "0.5", "--people", "2", "--json", "--seed")
    assert run(*arguments, "3") == run(*arguments, "3") != run(*arguments, "4")


def test_without_a_terminal_it_prints_a_plain_log() -> None:
    lines = run("home", "--days", "0.25", "--people", "2").splitlines()
    assert lines[0].startswith("day 1 07:00  Ada ")
    assert all(" — " in line for line in lines)
    assert "\x1b" not in "".join(lines)


def test_a_plot_is_drawn_beside_the_trace(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    said = run("home", "--days", "0.2", "--people", "1", "--json", "--plot", str(tmp_path / "day.png"))
    assert all(json.loads(line) for line in said.splitlines())
    assert (tmp_path / "day.png").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hme"], "there is no world 'hme'; did you mean 'home'"),
        (["home", "--people", "0"], "the house has beds for 1 to 6 people, not 0"),
        (["home", "--people", "7"], "the house has beds for 1 to 6 people, not 7"),
        (["home", "--days", "-1"], "--days must be more than 0 and at most 36500, got -1"),
        (["home", "--days", "nan"], "--days must be more than 0 and at most 36500, got nan"),
        (["home", "--seed", "-7"], "a seed is a whole number, zero or more, got -7"),
        (["home", "--speed", "0"], "--speed must be more than 0 minutes a second, got 0"),
        (["home", "--plot", "week.doc"], "end the name with one of .png, .svg, .pdf"),
    ],
)
def test_bad_input_is_refused_in_one_line(arguments: list[str], message: str) -> None:
    with pytest.raises(TelosError) as refused:
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_drawing_libraries_are_imported_only_when_used() -> None:
    code = "import sys, telos.worlds.home.household; print({'rich', 'matplotlib'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
