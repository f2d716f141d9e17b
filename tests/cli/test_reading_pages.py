"""The pages about logs and training show what the commands print."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from telos.cli.logs.evaluate import evaluate
from telos.cli.logs.recognize import recognize
from telos.cli.logs.train import train

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "how-to" / name for name in ("read-a-log.md", "train-a-recognizer.md")]
APP = typer.Typer()
for command in (recognize, train, evaluate):
    APP.command()(command)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_shows_what_the_commands_print(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(ROOT / "examples")

    def again(block: re.Match[str]) -> str:
        said = CliRunner().invoke(APP, shlex.split(block[2]), catch_exceptions=False).stdout
        return block[1] + "".join(f"{line.rstrip()}\n" for line in said.splitlines()) + "```"

    shown = page.read_text(encoding="utf-8")
    said, count = re.subn(r"(```console\n\$ telos (.*?)\n).*?```", again, shown, flags=re.DOTALL)
    assert count == 2
    if request.config.getoption("--update-golden"):
        page.write_text(said, encoding="utf-8")
    assert said == page.read_text(encoding="utf-8"), f"{page.name} differs; if that is right: pytest --update-golden"
