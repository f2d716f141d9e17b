"""Real servers for tests, in temporary folders and on free ports of loopback: PostgreSQL and NATS."""

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS = 60.0  # that a server may take to start

_CLUSTERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)
_PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", *map(str, _CLUSTERS)])


def program(name: str) -> str | None:
    """Return the path of a program of a server, if it is installed; Debian has those of PostgreSQL outside of PATH."""
    return shutil.which(name, path=_PATH)


def free_port() -> int:
    """Return a port that was free just now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        found: int = listener.getsockname()[1]
        return found


def lacks_postgres() -> str:
    """Return why there can be no PostgreSQL server here, or nothing."""
    if program("initdb") is None or program("postgres") is None:
        return "PostgreSQL is not installed (Debian: postgresql)"
    if getpass.getuser() == "root" and (program("setpriv") is None or not _has_user("postgres")):
        return "PostgreSQL does not run as root, and there is no user postgres"
    return ""


def _has_user(name: str) -> bool:
    import pwd

    return any(each.pw_name == name for each in pwd.getpwall())


def _command(*words: object) -> list[str]:
    """Return a command that does not run as root, which PostgreSQL refuses."""
    drop = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []
    return [*drop, *map(str, words)]


class PostgresServer:
    """A PostgreSQL server that can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.port = folder, free_port()
        self.url = f"postgresql://telos@127.0.0.1:{self.port}/postgres"
        self._process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        make = _command(program("initdb"), "-D", folder / "data", "-U", "telos", "--auth=trust", "-E", "UTF8",
                        "--no-sync", "--locale=C")  # fmt: skip
        subprocess.run(make, check=True, capture_output=True, cwd="/")

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = ("-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={self._folder}",
                   "-c", "max_connections=50", "-c", "shared_buffers=32MB")  # fmt: skip
        command = _command(program("postgres"), "-D", self._folder / "data", "-p", self.port, *options)
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
        asked = [program("pg_isready") or "", "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", "telos"]
        until = time.monotonic() + SECONDS
        while subprocess.run(asked, check=False).returncode:
            assert self._process.poll() is None, (self._folder / "log").read_text(encoding="utf-8")
            assert time.monotonic() < until
            time.sleep(0.05)

    def kill(self) -> None:
        """End the server as a crash does."""
        assert self._process is not None
        self._process.send_signal(3)  # at once, without a checkpoint
        self._process.wait(30)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Run a PostgreSQL server meanwhile."""
    with tempfile.TemporaryDirectory(prefix="telos-postgres-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        server = PostgresServer(folder)
        server.start()
        try:
            yield server
        finally:
            server.kill()


@contextmanager
def nats_server() -> Iterator[str]:
    """Run a NATS server with JetStream meanwhile; yield its address."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="telos-nats-") as folder, (Path(folder) / "log").open("wb") as log:
        command = [program("nats-server") or "", "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", folder]
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            until = time.monotonic() + SECONDS
            while True:
                assert process.poll() is None, (Path(folder) / "log").read_text(encoding="utf-8")
                assert time.monotonic() < until
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield f"nats://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)
