"""Real services for tests: a process each, on a free port of loopback."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class RunningService:
    """A service in a process of its own."""

    def __init__(self, *arguments: object, errors: Path) -> None:
        command = [sys.executable, "-m", "telos", "serve", "--port", "0", "--json", *map(str, arguments)]
        with errors.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, errors.read_text(encoding="utf-8")
        self.address: str = json.loads(line)["address"]

    @property
    def stream_address(self) -> str:
        return self.address.replace("http", "ws", 1) + "/v1/stream"

    def kill(self) -> None:
        """End the process at once, as a crash does."""
        self._end(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)

    def stop(self) -> None:
        """Ask the process to end, and wait for it."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        self.process.send_signal(how)
        self.process.wait(30)
        if self.process.stdout is not None:
            self.process.stdout.close()


@contextmanager
def running(*arguments: object, errors: Path) -> Iterator[RunningService]:
    """Run a service meanwhile."""
    service = RunningService(*arguments, errors=errors)
    try:
        yield service
    finally:
        if service.process.poll() is None:
            service.stop()


def event(number: int) -> dict[str, Any]:
    """Return one of many different events of the adventure."""
    context = {"monsters": number % 3, "in_town": number % 7 == 0, "cause": ("input", "area")[number % 2]}
    return {"action": ("swing", "up", "left", "stop")[number % 4], "context": context, "time": float(number // 3)}
