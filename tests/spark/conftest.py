"""A standalone cluster for all tests of this folder: a master and two workers on loopback."""

import fcntl
import json
import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="Spark is not installed: pip install 'telos[spark]'")

from telos.spark.standalone import HOST, LocalCluster, find_java

SMALL = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.cores.max": "2",
    "spark.sql.shuffle.partitions": "2",
    "spark.task.maxFailures": "3",
    "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.log.level": "ERROR",
}


@pytest.fixture(scope="session")
def java() -> None:
    if find_java() is None:
        pytest.skip("Spark needs Java 17: apt install openjdk-17-jre-headless")


@pytest.fixture(scope="session")
def master(java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the cluster. The first process that asks starts it, and stops it when no other needs it."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    state = shared / "spark-cluster.json"
    cluster = None
    with _locked(shared / "spark-cluster.lock"):
        if state.exists():
            known = json.loads(state.read_text())
        else:
            # One worker has room for all: a test kills the other. These are promises, and not what is used.
            cluster = LocalCluster(2, cores=6, memory="4g", folder=shared / "spark-cluster")
            known = {"url": cluster.url, "users": 0}
        state.write_text(json.dumps({**known, "users": known["users"] + 1}))
    yield known["url"]
    with _locked(shared / "spark-cluster.lock"):
        left = json.loads(state.read_text())
        state.write_text(json.dumps({**left, "users": left["users"] - 1}))
    if cluster is not None:
        end = time.monotonic() + 120  # the others are at their last tests, too
        while json.loads(state.read_text())["users"] > 0 and time.monotonic() < end:
            time.sleep(0.1)
        state.unlink()
        cluster.stop()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def spark(master: str) -> Iterator[Any]:
    """A session of Spark on the cluster."""
    from telos.spark import open_session

    os.environ["SPARK_LOCAL_IP"] = HOST
    warnings.simplefilter("ignore", ResourceWarning)
    session = open_session(master, name="telos-tests", config=SMALL)
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def _spark_warnings() -> None:
    """Sockets and daemons of PySpark are closed by Java, not by Python; and pandas 3 works as far as it is used."""
    for category in (ResourceWarning, FutureWarning, DeprecationWarning, pytest.PytestUnraisableExceptionWarning):
        warnings.simplefilter("ignore", category)
