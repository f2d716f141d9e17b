"""Standard streams that are closed, full or left early: at most one line, exit code 2 or 1, no traceback."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="redirections of a POSIX shell")

DOMAINS = Path(__file__).parents[2] / "examples" / "domains"
TELOS = shlex.join([sys.executable, "-m", "telos"])
# Plain text, tables drawn by rich, JSON, help, and an answer longer than the buffer of the stream.
COMMANDS = ["--version", "--help", f"check {DOMAINS}", "check --schema", "watch arena --list --json"]
FAILING = [">/dev/full", ">&-", ">/dev/full 2>/dev/full", ">&- 2>&-", "<&- >&- 2>&-", "1</dev/null"]
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is of Linux")


def shell(line: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=folder, check=False
    )


@needs_full
@pytest.mark.parametrize("redirected", FAILING)
def test_output_that_cannot_be_written_ends_with_one_line(redirected: str) -> None:
    for command in COMMANDS[:3]:
        done = shell(f"{TELOS} {command} {redirected}")
        assert done.returncode == 2, command
        said = done.stderr.splitlines()
        assert len(said) == (0 if "2>" in redirected else 1)
        assert all(line.startswith("standard output: cannot be written: ") for line in said)


@pytest.mark.parametrize("redirected", ["2>&-", "<&-", "<&- 2>&-", pytest.param("2>/dev/full", marks=needs_full)])
def test_other_streams_may_be_missing(redirected: str) -> None:
    done = shell(f"{TELOS} --version {redirected}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("telos ")
    refused = shell(f"{TELOS} check no-such-file {redirected}")
    assert refused.returncode == 2
    assert "no such file" in refused.stdout


@pytest.mark.parametrize("command", COMMANDS[1:])
def test_readers_that_leave_early_are_forgiven(command: str) -> None:
    for reader in ("head -1 >/dev/null", "true"):
        done = shell(f"{TELOS} {command} | {reader}; exit ${{PIPESTATUS[0]}}")
        assert done.returncode in (0, 1)
        assert done.stderr == ""


def test_output_is_not_printed_into_files_that_are_open(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"player": "p", "time": 0, "action": "swing", "context": {"prey": 1}}\n')
    model = Path(__file__).parents[2] / "examples" / "recognizers" / "hunter.yaml"
    done = shell(f"{TELOS} recognize {log} --model {model} -o out.jsonl >&-", tmp_path)
    assert done.returncode == 2
    assert log.read_text().count("\n") == 1
    written = tmp_path / "out.jsonl"
    assert not written.exists() or "written to" not in written.read_text()


@pytest.mark.parametrize(
    "settings",
    [
        "PYTHONIOENCODING=ascii",
        "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0",
        "COLUMNS=1",
        "COLUMNS=abc TERM=",
        "HOME=",
    ],
)
def test_the_environment_does_not_matter(settings: str) -> None:
    for command in ("--help", f"check {DOMAINS}"):
        done = shell(f"{settings} {TELOS} {command} && {settings} {TELOS} {command} --nonsense")
        assert done.returncode == 2  # of --nonsense
        assert "Traceback" not in done.stderr + done.stdout


def test_unexpected_errors_take_one_line(tmp_path: Path) -> None:
    code = (
        "import sys, telos.cli.check as command, telos.cli.main as main\n"
        "def fail(*_): raise {}\n"
        "command.schema_text = fail\n"
        "sys.argv = ['telos', 'check', '--schema']\n"
        "main.run()\n"
    )
    for error, line in (
        ("OSError(28, 'No space left on device', 'out.csv')", "out.csv: No space left on device\n"),
        ("MemoryError", "out of memory; try a smaller input, or fewer --jobs\n"),
        ("RecursionError('x')", "the input is nested too deeply; flatten it\n"),
        (
            "KeyError('two\\nlines')",
            "internal error: KeyError: 'two\\nlines'; please report it, with what TELOS_DEBUG=1 shows\n",
        ),
    ):
        script = tmp_path / "script.py"
        script.write_text(code.format(error))
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (2, line)
    shown = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, env={**os.environ, "TELOS_DEBUG": "1"}
    )
    assert shown.returncode == 2
    assert "Traceback" in shown.stderr


def test_warnings_take_one_line() -> None:
    code = "import warnings; from telos.cli import main; main._report_quietly(); warnings.warn('the cache is full')"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stderr == "warning: the cache is full\n"
