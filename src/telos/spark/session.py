"""Sessions of Spark: opened in a bounded time or refused in one line, and the errors of jobs in words of ours.

Spark waits for minutes for a master that does not answer, and for ever for executors that never start; what a task
raises arrives as pages of Java. ``open_session`` looks first, and ``guard_spark`` says what happened.
"""

import os
import re
import socket
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from telos.core.errors import TelosError
from telos.spark.standalone import MIN_JAVA, find_java

try:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession
except ImportError as missing:  # pragma: no cover
    raise TelosError(
        f"logs on a cluster are read with Spark, and {missing.name} is not installed", 'pip install "telos[spark]"'
    ) from None

STATE_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SECONDS = 60.0  # for the first executor
_TO_CONNECT = 5.0
_PYTHON = "PYSPARK_PYTHON"
_STANDALONE = "spark://"
_OURS = re.compile(r"telos\.core\.errors\.TelosError: (.*?)(?=\n\s*(?:at |SQLSTATE|\n)|\n\n|\Z)", re.DOTALL)
_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_CONDITION = re.compile(r"\[([A-Z_]+(?:\.[A-Z_]+)*)\] ?([^\n]*)")


def open_session(
    master: str | None = None,
    *,
    name: str = "telos",
    config: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> Any:
    """Return a Spark session for Telos: this very Python on executors, large Arrow batches, times in UTC.

    ``config`` overrides these. A session that is open already is used as it is. A standalone master that cannot be
    reached is refused within five seconds, and one that starts no executor within ``seconds``.
    """
    if SparkSession.getActiveSession() is None:
        if master is not None:
            check_master(master)
        if find_java() is None:
            raise TelosError(f"Spark needs Java {MIN_JAVA} or later", "on Debian: apt install openjdk-17-jre-headless")
        os.environ.setdefault(_PYTHON, sys.executable)  # executors may find another Python, without Telos
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    settings = {
        "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
        "spark.sql.session.timeZone": "UTC",
        STATE_PROVIDER: ROCKSDB,
        "spark.executorEnv.POLARS_MAX_THREADS": "1",  # Spark runs a task for each core
        "spark.executorEnv.NUMBA_NUM_THREADS": "1",
    }
    if master is not None and "//127.0.0.1" in master:
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    builder = SparkSession.builder.appName(name)
    if master is not None:
        builder = builder.master(master)
    for key, value in {**settings, **(config or {})}.items():
        builder = builder.config(key, value)
    with guard_spark("Spark cannot start"):
        session = builder.getOrCreate()
    if master is not None and master.startswith(_STANDALONE):
        wait_for_executor(session, seconds)
    return session


def check_master(master: str) -> None:
    """Refuse a master of another kind, and a standalone one that takes no connection.

    >>> check_master("localhost:7077")
    Traceback (most recent call last):
    telos.core.errors.TelosError: 'localhost:7077' is no master of Spark; give spark://HOST:PORT, local[2], yarn or k8s://…
    """
    if not re.match(r"local($|\[)|spark://|yarn$|k8s://", master):
        raise TelosError(f"{master!r} is no master of Spark", "give spark://HOST:PORT, local[2], yarn or k8s://…")
    if not master.startswith(_STANDALONE):
        return
    reasons = []
    for place in master.removeprefix(_STANDALONE).split(","):
        host, _, port = place.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
            raise TelosError(f"{master!r} names no host and port", "write spark://HOST:PORT, as the master's log does")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=_TO_CONNECT).close()
        except OSError as error:
            reasons.append(f"{error.strerror or error}")
            continue
        return
    raise TelosError(
        f"{master}: the master cannot be reached: {reasons[0]}", "start it, or give the address that its log says"
    )


def wait_for_executor(session: Any, seconds: float = SECONDS) -> None:
    """Wait until a first executor has come; close the session and raise an error if none does."""
    context = session.sparkContext
    end = time.monotonic() + seconds
    while context._jsc.sc().getExecutorMemoryStatus().size() < 2:  # the driver is one
        is_over = context._jsc.sc().isStopped()
        if is_over or time.monotonic() > end:
            session.stop()
            raise TelosError(
                f"{context.master}: " + ("the master ended" if is_over else f"no executor has come in {seconds:g} s"),
                "it needs a worker with a free core and enough memory, which can connect to this machine",
            )
        time.sleep(0.05)


# --- errors -----------------------------------------------------------------------------------------------------------


@contextmanager
def guard_spark(what: str = "the job failed") -> Iterator[None]:
    """Raise what Spark raises as a `TelosError`: ours as it was, and others in a line with a remedy."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        if os.environ.get("TELOS_DEBUG"):
            raise
        raise telos_error(str(error), what) from None


def telos_error(text: str, what: str = "the job failed") -> TelosError:
    """Return the error that a text of Spark is about.

    >>> telos_error("… [PATH_NOT_FOUND] Path does not exist: file:/tmp/x. SQLSTATE: 42K03").message
    'the job failed: Path does not exist: file:/tmp/x.'
    """
    if ours := _OURS.findall(text):
        return TelosError(ours[-1].strip())
    if module := _MODULE.search(text):
        python = os.environ.get(_PYTHON, sys.executable)
        return TelosError(
            f"{what}: the Python of the executors has no module {module[1]!r}",
            f"install telos[spark] where it is ({_PYTHON} is {python}), on each machine",
        )
    found = _CONDITION.search(text)
    if found and found[1] == "PYTHON_VERSION_MISMATCH":
        return TelosError(
            f"{what}: executors run another version of Python", f"let {_PYTHON} name one of version {_version()}"
        )
    if "Cannot run program" in text:
        return TelosError(f"{what}: there is no {os.environ.get(_PYTHON)} on the workers", f"set {_PYTHON} to theirs")
    if "ExecutorLostFailure" in text or "OutOfMemory" in text:
        return TelosError(
            f"{what}: executors were lost again and again",
            "give them more memory (spark.executor.memory), or fewer cores",
        )
    said = found[2] if found else next((line for line in text.splitlines() if line.strip()), "")
    return TelosError(
        f"{what}: {re.sub(r' SQLSTATE: .*', '', said).strip()}", "TELOS_DEBUG=1 shows all that Spark says"
    )


def _version() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"
