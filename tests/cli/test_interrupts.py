"""Ctrl-C and SIGTERM at any moment: exit code 130 or 143, nothing printed, no file and no process left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from jobs import fail, leave, refuse
from telos.core.errors import DefinitionError, TelosError
from telos.parallel import max_workers, parallel_map

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

# Signals that come before the handlers are set meet the interpreter's own start, which Telos cannot change.
CODE = """
import os
from telos.cli.main import run
from telos.exits import end_on_signals
end_on_signals()
os.write(int(os.environ["MARK"]), b"!")
run()
"""


class Started:
    """A command in a process group of its own, once it handles signals."""

    def __init__(self, *words: str, folder: Path) -> None:
        ready, mark = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-c", CODE, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder,
            start_new_session=True, pass_fds=[mark], env={**os.environ, "MARK": str(mark)},
        )  # fmt: skip
        os.close(mark)
        os.read(ready, 1)
        os.close(ready)

    def end(self, number: int) -> tuple[int, bytes]:
        """Send a signal to the whole group, as a terminal does; return the exit code and what was printed."""
        os.killpg(self.process.pid, number)
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said


def is_soon(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Wait until a condition holds."""
    limit = time.monotonic() + seconds
    while not condition() and time.monotonic() < limit:
        time.sleep(0.02)
    return condition()


def group_is_empty(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_imports_are_quiet(number: int, tmp_path: Path) -> None:
    for delay in (0.0, 0.05, 0.1, 0.2, 0.3, 0.5):
        started = Started("study", "forge", "--runs", "500", folder=tmp_path)
        time.sleep(delay)
        assert started.end(number) == (128 + number, b""), f"after {delay} s"


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, *(pytest.param(each, marks=pytest.mark.slow) for each in (signal.SIGTERM, signal.SIGKILL))],
)
def test_interrupted_workers_are_quiet_and_leave(number: int, tmp_path: Path) -> None:
    for delay in (0.3, 0.8, 1.3):
        started = Started("corpus", "island", "--players", "900", "--jobs", "2", "-o", "i.csv", folder=tmp_path)
        time.sleep(delay)
        if number == signal.SIGKILL:
            started.process.kill()  # the parent only: workers end by themselves
            assert started.process.communicate(timeout=30)[1] == b""
        else:
            assert started.end(number) == (128 + number, b""), f"after {delay} s"
        assert is_soon(lambda group=started.process.pid: group_is_empty(group))  # type: ignore[misc]
        assert not list(tmp_path.iterdir())


def test_second_interrupt_is_quiet_too(tmp_path: Path) -> None:
    started = Started("corpus", "island", "--players", "900", "--jobs", "2", "-o", "i.csv", folder=tmp_path)
    time.sleep(1.0)
    os.killpg(started.process.pid, signal.SIGINT)
    assert started.end(signal.SIGINT) == (130, b"")


def test_signals_remove_the_temporary_file_of_an_output(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("old")
    code = (
        "import sys, time\n"
        "from telos.exits import end_on_signals\n"
        "from telos.files import open_output\n"
        "end_on_signals()\n"
        "with open_output(sys.argv[1]) as file:\n"
        "    file.write('half')\n"
        "    print('!', flush=True)\n"
        "    time.sleep(60)\n"
    )
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = subprocess.Popen(
            [sys.executable, "-c", code, out],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=partial(signal.signal, number, signal.SIG_DFL),  # under nohup, SIGHUP is ignored
        )
        assert process.stdout is not None
        process.stdout.read(1)
        process.send_signal(number)
        assert process.communicate(timeout=30)[1] == b""
        assert process.returncode == 128 + number
        assert [each.name for each in tmp_path.iterdir()] == ["out.txt"]
    assert out.read_text() == "old"


def test_ignored_signals_stay_ignored(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", "trap '' HUP INT; exec \"$@\"", "sh", sys.executable, "-c",
         "import os, signal\nfrom telos.exits import end_on_signals\nend_on_signals()\n"
         "os.kill(os.getpid(), signal.SIGHUP)\nos.kill(os.getpid(), signal.SIGINT)\nprint('alive')"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "alive\n", "")


# --- the parallel map ---


def test_errors_of_workers_keep_their_type_and_text() -> None:
    with pytest.raises(DefinitionError) as raised:
        list(parallel_map(fail, range(4), jobs=2))
    assert raised.value.faults[0].line == 2
    assert str(raised.value) == "numbers.yaml:2:1: two is one too many"
    with pytest.raises(TelosError, match="not today"):
        list(parallel_map(abs, range(4), jobs=2, initializer=refuse))


def test_workers_that_die_are_reported() -> None:
    with pytest.raises(TelosError, match=r"a worker process ended unexpectedly \(exit code 3\)"):
        list(parallel_map(leave, range(4), jobs=2))


def test_absurd_numbers_of_jobs_start_no_more_workers_than_are_of_use() -> None:
    assert list(parallel_map(abs, [-3, 2], jobs=10**23)) == [3, 2]
    assert max_workers() <= max(4, 2 * (os.cpu_count() or 1))


HOLD = """
import sys, time
from pathlib import Path
from telos.exits import end_on_signals
end_on_signals()
from telos.files import temporary_folder
with temporary_folder(".camp.", beside=Path("camp")) as made:
    (made / "maps").mkdir()
    (made / "maps" / "a.txt").write_text("a")
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_temporary_folder_is_gone(number: int, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        assert len(list(tmp_path.iterdir())) == 1
        process.send_signal(number)
        assert process.wait(30) == 128 + number
    assert list(tmp_path.iterdir()) == []
