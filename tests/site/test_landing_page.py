"""The landing page: three runnable lines for each of the four kinds of users, which print what it shows."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from telos.cli.main import app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
DOORS = re.findall(r"^## (You .*?)$(.*?)^</div>", PAGE, re.DOTALL | re.MULTILINE)
LINES = [
    (door, line, shown)
    for door, text in DOORS
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    for line, shown in re.findall(r"^\$ telos (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]


def test_there_are_three_lines_for_each_of_the_four_kinds_of_users() -> None:
    assert len(DOORS) == 4
    for door, text in DOORS:
        assert len(re.findall(r"^(?:\$|>>>) ", text, re.MULTILINE)) == 3, door


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        pytest.param(line, shown, id=line[:40], marks=[pytest.mark.slow] if line.startswith("study gold") else [])
        for _, line, shown in LINES
    ],
)
def test_lines_run_and_print_what_is_shown(
    line: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if line.startswith("study"):
        pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(ROOT / "examples")
    answer = CliRunner().invoke(app, shlex.split(line), catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    if shown:
        assert [each.rstrip() for each in answer.stdout.splitlines()] == shown.splitlines()
