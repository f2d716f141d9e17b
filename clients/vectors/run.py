"""Runs the test vectors against a client: a real service, a network that breaks when told to, and the client's driver.

    python clients/vectors/run.py node clients/javascript/test/driver.js
    python clients/vectors/run.py --only restart mono driver.exe

A driver is a small program that reads one command of JSON a line, and writes one answer a line; see README.md.
"""

import argparse
import contextlib
import json
import math
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

VECTORS = Path(__file__).parent
TOLERANCE = 1e-9
SECONDS = 30.0  # that one step may take
NAMES = sorted(path.stem for path in VECTORS.glob("*.json"))


class VectorFailure(AssertionError):
    """A client did not do what a step expects."""


# --- a network that breaks --------------------------------------------------------------------------------------------


class Network:
    """Forwards connections to the service; it can be cut, taken down, or told to hold answers back."""

    def __init__(self, upstream: int) -> None:
        self.upstream = upstream
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._released = threading.Event()
        self._released.set()
        self.port = 0
        self.up()

    def up(self) -> None:
        """Accept connections."""
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def down(self) -> None:
        """Refuse connections, and break those that there are."""
        _close(self._listener)
        self.cut()

    def hold(self) -> None:
        """Let clients be heard, and hold back all that the service answers."""
        self._released.clear()

    def cut(self) -> None:
        """Break all connections; what was held back is lost. New ones work."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for each in pair:
                _close(each)
        self._released.set()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                service = socket.create_connection(("127.0.0.1", self.upstream), timeout=10)
            except OSError:
                client.close()
                continue
            for each in (client, service):
                each.settimeout(None)
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pair = (client, service)
            with self._lock:
                self._pairs.append(pair)
            threading.Thread(target=self._pump, args=(pair, client, service, False), daemon=True).start()
            threading.Thread(target=self._pump, args=(pair, service, client, True), daemon=True).start()

    def _pump(
        self, pair: tuple[socket.socket, socket.socket], source: socket.socket, sink: socket.socket, holds: bool
    ) -> None:
        try:
            while data := source.recv(65_536):
                if holds:
                    while not self._released.wait(0.05):
                        pass
                    with self._lock:
                        if pair not in self._pairs:
                            break
                sink.sendall(data)
        except OSError:
            pass
        for each in pair:
            _close(each)


def _close(each: socket.socket) -> None:
    with contextlib.suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
    each.close()


# --- the service ------------------------------------------------------------------------------------------------------


class Service:
    """``telos serve`` in a process of its own, which keeps its events in a folder."""

    def __init__(self, folder: Path, options: dict[str, Any]) -> None:
        self._folder, self.port = folder, 0
        self._arguments: list[str] = ["--data", str(folder / "data")]
        for model in options.get("models", ["adventure"]):
            self._arguments += ["--model", model]
        for domain in options.get("domains", ["soldier.yaml"]):
            self._arguments += ["--domain", str(VECTORS / domain)]
        self._admin = options.get("admin")
        if "tokens" in options:
            (folder / "tokens").write_text("\n".join(options["tokens"]) + "\n", encoding="utf-8")
            self._arguments += ["--tokens", str(folder / "tokens")]
        self.start()

    def start(self) -> None:
        """Start, on the port that it had before."""
        command = [sys.executable, "-m", "telos", "serve", "--json", "--port", str(self.port), *self._arguments]
        with (self._folder / "errors").open("ab") as errors:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise VectorFailure((self._folder / "errors").read_text(encoding="utf-8"))
        self.address = json.loads(line)["address"]
        self.port = int(self.address.rpartition(":")[2])

    def kill(self, how: int = getattr(signal, "SIGKILL", signal.SIGTERM)) -> None:
        """End at once, as a crash does."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(SECONDS)
        if self.process.stdout is not None:
            self.process.stdout.close()

    def stop(self) -> None:
        """End in order."""
        self.kill(signal.SIGTERM)

    def forget(self, players: Iterable[str]) -> None:
        """Forget players, so that another vector may use their names."""
        for player in players:
            self.ask("DELETE", f"/v1/players/{quote(player, safe='')}")

    def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Ask as somebody else than the client."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.address + path, data, method=method)
        if self._admin is not None:
            request.add_header("authorization", f"Bearer {self._admin}")
        try:
            with urlopen(request, timeout=SECONDS) as answer:
                return {"status": answer.status, "answer": json.load(answer)}
        except HTTPError as error:
            with error:
                return {"status": error.code, "answer": json.load(error)}


# --- the client -------------------------------------------------------------------------------------------------------


class Driver:
    """The program that drives a client."""

    def __init__(self, command: Sequence[str], errors: Path) -> None:
        self._errors = errors
        with errors.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, bufsize=0
            )
        self._rest = b""

    def ask(self, command: dict[str, Any], seconds: float = 2 * SECONDS) -> dict[str, Any]:
        """Send a command and return its answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
        except OSError:
            raise VectorFailure(f"the driver has ended: {self._log()}") from None
        until = time.monotonic() + seconds
        while b"\n" not in self._rest:
            if not select.select([self._process.stdout], [], [], max(0.0, until - time.monotonic()))[0]:
                raise VectorFailure(f"no answer to {json.dumps(command)[:200]}: {self._log()}")
            more = os.read(self._process.stdout.fileno(), 1 << 20)
            if not more:
                raise VectorFailure(f"the driver has ended: {self._log()}")
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _log(self) -> str:
        return self._errors.read_text(encoding="utf-8", errors="replace")[-4000:]

    def end(self) -> None:
        """End the program."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(SECONDS)


# --- what is expected -------------------------------------------------------------------------------------------------


def difference(expected: Any, found: Any, place: str = "answer") -> str:
    """Return where what was found differs from what is expected, or nothing."""
    if isinstance(expected, dict):
        for name, check in _CHECKS.items():
            if name in expected:
                return check(expected[name], found, place)
        if not isinstance(found, dict):
            return f"{place} is {_short(found)}, not an object"
        for name, value in expected.items():
            if name not in found:
                return f"{place} has no {name!r}: {_short(found)}"
            if faulty := difference(value, found[name], f"{place}.{name}"):
                return faulty
        return ""
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return f"{place} is {_short(found)}, not a list of {len(expected)}"
        each = (difference(one, two, f"{place}[{i}]") for i, (one, two) in enumerate(zip(expected, found, strict=True)))
        return next((faulty for faulty in each if faulty), "")
    if isinstance(expected, float | int) and not isinstance(expected, bool):
        if (
            isinstance(found, float | int)
            and not isinstance(found, bool)
            and math.isclose(found, expected, rel_tol=0, abs_tol=TOLERANCE)
        ):
            return ""
    elif type(found) is type(expected) and found == expected:
        return ""
    return f"{place} is {_short(found)}, not {_short(expected)}"


def _contains(expected: str, found: Any, place: str) -> str:
    return "" if isinstance(found, str) and expected in found else f"{place} is {_short(found)}, without {expected!r}"


def _at_least(expected: float, found: Any, place: str) -> str:
    return (
        ""
        if isinstance(found, int | float) and found >= expected
        else f"{place} is {_short(found)}, not {expected} or more"
    )


def _includes(expected: list[Any], found: Any, place: str) -> str:
    """Compare a list of which only some members matter, in their order."""
    rest = list(found) if isinstance(found, list) else []
    for number, each in enumerate(expected):
        while rest and difference(each, rest[0]):
            rest.pop(0)
        if not rest:
            return f"{place} lacks number {number}, {_short(each)}: {_short(found)}"
        rest.pop(0)
    return ""


def _sum(expected: dict[str, Any], found: Any, place: str) -> str:
    """Compare the sum of a field over those members of a list that match."""
    total = sum(each.get(expected["of"], 0) for each in found if not difference(expected["where"], each))
    return "" if total == expected["is"] else f"{place}: {expected['of']} sums to {total}, not {expected['is']}"


def _lacks(expected: Any, found: Any, place: str) -> str:
    wrong = [each for each in found if not difference(expected, each)]
    return f"{place} has {_short(wrong[0])}" if wrong else ""


_CHECKS: dict[str, Callable[[Any, Any, str], str]] = {
    "$contains": _contains, "$at-least": _at_least, "$includes": _includes, "$sum": _sum, "$lacks": _lacks,
}  # fmt: skip


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:600]


# --- vectors ----------------------------------------------------------------------------------------------------------


class Run:
    """One vector with one client; ``shared`` is a service that other vectors use, too."""

    def __init__(self, command: Sequence[str], vector: dict[str, Any], folder: Path, shared: Service | None) -> None:
        self.vector = vector
        self._shared = shared if can_share(vector) else None
        self.service = self._shared or Service(folder, vector.get("service", {}))
        self.network = Network(self.service.port)
        self.driver = Driver(command, folder / "driver")
        self._notices: list[Any] = []

    def run(self) -> None:
        """Do all steps; raise at the first that does not do what it should."""
        for number, step in enumerate(self.vector["steps"]):
            until = time.monotonic() + step.get("within", 0.0)
            while faulty := difference(step.get("expect", {}), self._do(step)):
                if time.monotonic() > until:
                    raise VectorFailure(f"step {number} {_short({**step, 'events': '…', 'expect': '…'})}: {faulty}")
                time.sleep(0.05)
            if step.get("client") == "notices":
                self._notices = []

    def _do(self, step: dict[str, Any]) -> dict[str, Any]:
        if "network" in step:
            getattr(self.network, step["network"])()
            return {}
        if "service" in step:
            if step["service"] == "ask":
                return self.service.ask(step["method"], step["path"], step.get("body"))
            getattr(self.service, step["service"])()
            return {}
        command = {name: value for name, value in step.items() if name not in ("expect", "within", "client", "about")}
        command["do"] = step["client"]
        if command["do"] == "open":
            command["address"] = f"http://127.0.0.1:{self.network.port}"
            command.setdefault("retry", [0.05, 0.4])
        answer = self.driver.ask(command)
        if command["do"] == "notices":
            self._notices += answer["notices"]
            return {"notices": self._notices}
        return answer

    def end(self) -> None:
        """End everything that was started."""
        self.driver.end()
        self.network.down()
        if self._shared is None:
            self.service.kill()
        else:
            steps = self.vector["steps"]
            self._shared.forget(
                {each["player"] for step in steps for each in (step, *step.get("events", ())) if "player" in each}
            )


def can_share(vector: dict[str, Any]) -> bool:
    """Whether a vector needs no service of its own."""
    return "service" not in vector and all(step.get("service", "ask") == "ask" for step in vector["steps"])


def run_vector(command: Sequence[str], name: str, folder: Path, shared: Service | None = None) -> None:
    """Run one vector with a client; raises ``VectorFailure``."""
    vector = json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    running = Run(command, vector, folder, shared)
    try:
        running.run()
    finally:
        running.end()


def main() -> int:
    """Run vectors from the command line."""
    parser = argparse.ArgumentParser(description="Run the test vectors against a client.")
    parser.add_argument("--only", choices=NAMES, action="append", help="run only this vector; may be repeated")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the program that drives the client")
    options = parser.parse_args()
    if not options.command:
        parser.error("name the program that drives the client")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="telos-vectors-") as name:
        folder = Path(name)
        (folder / "shared").mkdir()
        shared = Service(folder / "shared", {})
        try:
            for name in options.only or NAMES:
                began = time.monotonic()
                (folder / name).mkdir()
                try:
                    run_vector(options.command, name, folder / name, shared)
                    print(f"{name}: passed in {time.monotonic() - began:.1f} s", flush=True)
                except VectorFailure as failure:
                    failed += 1
                    print(f"{name}: FAILED: {failure}", flush=True)
        finally:
            shared.kill()
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
