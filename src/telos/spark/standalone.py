"""A standalone Spark cluster on this machine: a master and workers on loopback, for tests, benchmarks and first steps.

All of it belongs to one folder and one ``with`` block, and nothing listens to the network. Nothing is left running
after the block; if this process is killed within it, the master and the workers have to be ended by hand.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from shutil import which
from types import TracebackType
from typing import IO

from telos.core.errors import TelosError

HOST = "127.0.0.1"
_MASTER, _WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"
_AT = re.compile(r"Starting Spark master at (spark://\S+)")
_REGISTERED = re.compile(r"Successfully registered with master")
MIN_JAVA = 17


def find_java() -> str | None:
    """Return the Java runtime, or None if there is none that Spark can use."""
    home = os.environ.get("JAVA_HOME")
    java = which("java", path=os.path.join(home, "bin")) if home else which("java")
    if java is None:
        return None
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', said)
    return java if found and int(found[1]) >= MIN_JAVA else None


class Daemon:
    """One process of the cluster, with all that it starts, in a process group of its own."""

    def __init__(self, command: list[str], environment: Mapping[str, str], log: Path) -> None:
        self.log = log
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                command, env=dict(environment), stdout=output, stderr=output, stdin=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def wait_for(self, pattern: re.Pattern[str], seconds: float) -> re.Match[str]:
        """Return the first match in what the process logs."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            text = self.log.read_text(errors="replace")
            if found := pattern.search(text):
                return found
            if not self.is_running:
                break
            time.sleep(0.05)
        last = "\n".join(self.log.read_text(errors="replace").splitlines()[-5:])
        raise TelosError(f"Spark does not start: {last}", f"see {self.log}")

    def kill(self) -> None:
        """End the process and all that it started, at once and without a word to them."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End the process and all that it started in order, and at once if that takes too long."""
        self._end(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self._end(signal.SIGKILL)  # also what the process may have left behind

    def _end(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)
        if number is signal.SIGKILL:
            self._process.wait()


class LocalCluster:
    """A master and ``workers``, each with ``cores`` and ``memory``; ``url`` is what ``--master`` takes.

    ``memory`` is what a worker gives to executors, as Spark writes it: ``1g``.
    """

    def __init__(
        self, workers: int = 2, *, cores: int = 1, memory: str = "1g", folder: Path | None = None, seconds: float = 60
    ) -> None:
        if find_java() is None:
            raise TelosError(f"Spark needs Java {MIN_JAVA} or later", "on Debian: apt install openjdk-17-jre-headless")
        self._kept = None if folder else tempfile.TemporaryDirectory(prefix="telos-spark-", ignore_cleanup_errors=True)
        self.folder = Path(folder or self._kept.name)  # type: ignore[union-attr]
        self._cores, self._memory, self._seconds = cores, memory, seconds
        self._log: IO[bytes] | None = None
        self._environment = {
            **os.environ,
            "SPARK_LOCAL_IP": HOST,
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            "PYSPARK_PYTHON": sys.executable,
        }
        self.workers: list[Daemon] = []
        self._master = self._start("master", [_MASTER, "--host", HOST, "--port", "0", "--webui-port", "0"])
        try:
            self.url = self._master.wait_for(_AT, seconds)[1]
            self.add_workers(workers)
        except BaseException:
            self.stop()
            raise

    def add_workers(self, count: int) -> None:
        """Start more workers, and wait until the master knows them."""
        first = len(self.workers)
        for number in range(first, first + count):
            options = ["--host", HOST, "--port", "0", "--webui-port", "0", "--cores", str(self._cores)]
            options += ["--memory", self._memory, "--work-dir", str(self.folder / f"work-{number}"), self.url]
            self.workers.append(self._start(f"worker-{number}", [_WORKER, *options]))
        for worker in self.workers[first:]:
            worker.wait_for(_REGISTERED, self._seconds)

    def stop(self) -> None:
        """Stop all processes and remove the folder, if it is the cluster's own."""
        for daemon in (*self.workers, self._master):
            daemon.stop()
        if self._kept is not None:
            self._kept.cleanup()

    def __enter__(self) -> "LocalCluster":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _start(self, name: str, arguments: list[str]) -> Daemon:
        import pyspark

        self.folder.mkdir(parents=True, exist_ok=True)
        home = Path(pyspark.__file__).parent
        environment = {**self._environment, "SPARK_HOME": str(home)}
        return Daemon([str(home / "bin" / "spark-class"), *arguments], environment, self.folder / f"{name}.log")
