"""``telos play`` refuses bad input before anything is served, and says what is missing."""

import io
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from telos.cli.worlds.play import play, read_token, write_redirect
from telos.core.errors import TelosError

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(play)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["advanture"], "there is no world 'advanture'; did you mean 'adventure'?"),
        (["--seed", "-1"], "--seed must be from 0 to 999999999999999, got -1"),
        (["--host", "8.8.8.8"], "cannot listen at 8.8.8.8: Cannot assign requested address"),
        (["--host", "a..b"], "there is no host 'a..b'"),
        (["--folder", "no/such/folder"], "no/such/folder is not a folder"),
        (["--folder", "x" * 4000], "is not a folder"),
        (["--folder", __file__], "is not a folder"),
        (["--host", "no such host"], "there is no host 'no such host'"),
        (["--host", "x" * 4000], "there is no host"),
        (["--host", "a\0b"], "there is no host"),
        (["--host", ""], "there is no host"),
        (["--port", "99999"], "from 0 to 65535, got 99999"),
        (["--port", str(10**23)], "from 0 to 65535, got 1"),
        (["--port", "-1"], "from 0 to 65535, got -1"),
        (["--token", "open-sesame"], "can be read by all users of this machine; put it into the variable TELOS_TOKEN"),
        (["--token", ""], "can be read by all users of this machine"),
        (["--token-file", "no/such/file"], "no/such/file"),
        (["--token-file", "/dev/zero"], "larger than"),
        (["--token", "-", "--token-file", "x"], "exclude each other"),
        (["--record", "--folder", "/proc"], "cannot be"),
    ],
)
def test_bad_input_is_refused_in_a_line(arguments: list[str], message: str) -> None:
    pytest.importorskip("nicegui")
    with pytest.raises(TelosError) as refused:
        CliRunner().invoke(app, [*arguments, "--no-browser"], catch_exceptions=False)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("token", ["", "short", "x" * 600, "with\x1b[31m", " \t"])
def test_unusable_token_of_environment_is_refused(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELOS_TOKEN", token)
    with pytest.raises(TelosError, match="a token"):
        CliRunner().invoke(app, ["--no-browser"], catch_exceptions=False)


def test_token_comes_from_input_file_or_environment_in_this_order(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TELOS_TOKEN", "of-the-environment")
    assert read_token(None, None) == "of-the-environment"
    assert "TELOS_TOKEN" not in os.environ  # not handed on to the browser
    monkeypatch.setenv("TELOS_TOKEN", "of-the-environment")
    (tmp_path / "token").write_text("of-the-file\n")
    (tmp_path / "token").chmod(0o600)
    assert read_token(None, tmp_path / "token") == "of-the-file"
    assert capsys.readouterr().err == ""
    (tmp_path / "token").chmod(0o644)
    assert read_token(None, tmp_path / "token") == "of-the-file"
    assert "chmod 600" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.StringIO("of-the-input\n"))
    assert read_token("-", None) == "of-the-input"
    made = {read_token(None, None) for _ in range(20)}
    assert len(made) == 20
    assert all(len(token) >= 32 for token in made)


def test_page_that_leads_to_the_address_is_private() -> None:
    page = write_redirect("http://127.0.0.1:8484/home?token=a&b=%22")
    assert page is not None
    try:
        assert page.stat().st_mode & 0o777 == 0o600
        assert 'url=http://127.0.0.1:8484/home?token=a&amp;b=%22"' in page.read_text()
    finally:
        page.unlink()


def test_token_is_in_no_argument_of_a_process_and_browser_gets_a_private_page(tmp_path: Path) -> None:
    pytest.importorskip("nicegui")
    told = tmp_path / "told"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\necho "$@" > {told}.part; cat "${{1#file://}}" >> {told}.part; mv {told}.part {told}\n'
    )
    browser.chmod(0o755)
    with (tmp_path / "log").open("w+") as log:
        studio = subprocess.Popen(
            [sys.executable, "-m", "telos", "play", "--port", "0", "--json", "--folder", str(tmp_path)],
            stdout=log, stderr=subprocess.STDOUT, env={**os.environ, "BROWSER": str(browser), "TMPDIR": str(tmp_path)},
        )  # fmt: skip
        try:
            for _ in range(600):
                if told.exists() or studio.poll() is not None:
                    break
                time.sleep(0.1)
            arguments, page = told.read_text().split("\n", 1)
            address = json.loads((tmp_path / "log").read_text())["address"]
            token = address.partition("token=")[2]
            assert len(token) >= 32
            assert address in page
            assert token not in arguments
            assert token not in Path(f"/proc/{studio.pid}/cmdline").read_text()
            assert list(tmp_path.glob("telos-studio-*.html"))
        finally:
            studio.terminate()
            studio.wait(20)
    assert not list(tmp_path.glob("telos-studio-*.html"))


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
