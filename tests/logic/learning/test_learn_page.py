"""The page about learning shows the output of the command, and its Python runs."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from telos.cli.logic import learn

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "learn-weights.md"
APP = typer.Typer()
APP.command()(learn)


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the files that the page shows."""
    monkeypatch.chdir(tmp_path)
    for name, text in zip(("goals.mln", "ann.db", "bob.db"), [*blocks("mln"), *blocks("db")], strict=True):
        Path(name).write_text(text, encoding="utf-8")


def test_page_shows_the_output_of_the_command() -> None:
    (block,) = blocks("console")
    command, shown = block.split("\n", 1)
    said = CliRunner().invoke(APP, shlex.split(command.removeprefix("$ telos logic learn ")), catch_exceptions=False)
    assert said.stdout == shown


def test_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = blocks("python")
    exec(compile(block, str(PAGE), "exec"), {})  # noqa: S102
    assert capsys.readouterr().out == "no step makes the objective better\n"
