"""The page about checking shows what the command prints."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from telos.cli.main import app
from telos.core.errors import NoteCode

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "check-files.md"


def test_the_page_shows_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = PAGE.read_text(encoding="utf-8")
    (file,) = re.findall(r"```yaml\n(.*?)```", shown, flags=re.DOTALL)
    Path("farm.yaml").write_text(file)
    answer = CliRunner().invoke(app, ["check", "farm.yaml"])
    assert answer.exit_code == 0
    block = r"(```console\n\$ telos check farm.yaml\n).*?```"
    said = re.sub(block, rf"\g<1>{answer.stdout}```", shown, flags=re.DOTALL)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(said, encoding="utf-8")
    assert said == PAGE.read_text(encoding="utf-8"), f"{PAGE.name} differs; if that is right: pytest --update-golden"


def test_the_page_names_every_note() -> None:
    assert {code for code in NoteCode if f"`{code}`" not in PAGE.read_text(encoding="utf-8")} == set()
