"""``telos play --attach``, recordings and comparisons: what is refused, in one line."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from telos.cli.main import app

pytest.importorskip("msgspec", reason='the studio needs pip install "telos[studio]"')


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--attach", "ftp://x"], "is not the address of a game"),
        (["--attach", "127.0.0.1:8710?token=secret"], "can be read by all users"),
        (["--record-to", "game.jsonl"], "--record-to goes with --attach"),
        (["--attach-token", "file"], "--attach-token goes with --attach"),
        (["--attach", "8710", "--compare", "a", "b"], "exclude each other"),
        (["missing.jsonl"], "no such file"),
        (["--compare", "missing", "missing"], "no such file"),
        (["--attach", "8710", "--record-to", "missing/game.jsonl"], "there is no folder"),
        (["arean"], "did you mean 'arena'?"),
    ],
    ids=" ".join,
)
def test_faults_are_one_line(words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["play", "--no-browser", *words])
    assert message in str(done.exception) + done.output


def test_damaged_recording_names_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text('{"recording":"telos traces","version":1,"game":"farm"}\n{"game":"farm","time":1}\n')
    done = CliRunner().invoke(app, ["play", "--no-browser", str(file)])
    assert "game.jsonl:2" in str(done.exception)
    assert "cut short" in str(done.exception)
