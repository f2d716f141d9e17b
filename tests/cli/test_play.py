"""``telos play`` refuses bad input before anything is served, and says what is missing."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from telos.cli.play import FIRST_SEED, play
from telos.core.errors import TelosError
from telos.worlds.adventure.adventure import Adventure

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(play)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["advanture"], "there is no world 'advanture'; did you mean 'adventure'?"),
        (["--seed", "-1"], "a seed is a whole number, zero or more and below 1000000000000000, got -1"),
        (["--host", "8.8.8.8"], "cannot listen at 8.8.8.8: Cannot assign requested address"),
        (["--host", "a..b"], "there is no host 'a..b'"),
        (["--folder", "no/such/folder"], "no/such/folder is not a folder"),
        (["--host", "0.0.0.0", "--token", ""], "requires a token"),
        (["--host", "no such host", "--token", "x"], "there is no host 'no such host'"),
        (["--port", "99999"], "from 0 to 65535, got 99999"),
    ],
)
def test_bad_input_is_refused_in_a_line(arguments: list[str], message: str) -> None:
    pytest.importorskip("nicegui")
    with pytest.raises(TelosError) as refused:
        CliRunner().invoke(app, [*arguments, "--no-browser"], catch_exceptions=False)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_port_that_is_taken_is_said_to_be() -> None:
    pytest.importorskip("nicegui")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(TelosError, match=f"port {port}: Address already in use; leave --port out"):
            CliRunner().invoke(app, ["--no-browser", "--port", str(port)], catch_exceptions=False)


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "nicegui.py").write_text("raise ModuleNotFoundError(\"No module named 'nicegui'\", name='nicegui')")
    ran = subprocess.run(
        [sys.executable, "-m", "telos", "play", "--no-browser"],
        capture_output=True, text=True, timeout=60, check=False, env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin"},
    )  # fmt: skip
    assert ran.returncode == 2
    assert len(ran.stderr.splitlines()) == 1
    assert 'pip install "telos[studio]"' in ran.stderr


def test_first_game_is_survived_by_walking_straight_on() -> None:
    game = Adventure("wilds", seed=FIRST_SEED)
    for _ in range(150):
        game.step({"player": "right"})
    assert game.view().deaths == 0
