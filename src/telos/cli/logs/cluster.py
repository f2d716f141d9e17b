"""Logs on a Spark cluster, on the command line: ``--engine spark --master URL`` of the commands that read logs.

A command declares the group ``EngineOptions``, calls its ``check`` first, and works on the log that
``open_cluster_log`` gives it. What is printed is the same as for a log on this machine whose rows are put in order.
"""

import os
import re
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from telos.cli.logs.options import LogOptions
from telos.core.errors import TelosError

if TYPE_CHECKING:
    from telos.spark import SparkLog

_POLL = 0.3  # seconds


class Engine(StrEnum):
    """Where a log is read."""

    LOCAL = "local"
    SPARK = "spark"


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Where the work is done: a group of options, see ``with_option_groups``."""

    engine: Annotated[
        Engine,
        typer.Option(help="Where the work is done: on this machine, or by Spark, for folders of Parquet."),
    ] = Engine.LOCAL
    master: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="With --engine spark: its master, as in spark://HOST:7077, local[2] or yarn.",
            show_default="as Spark is configured, or else this machine",
        ),
    ] = None

    def check(self, refused: Mapping[str, object] | None = None) -> bool:
        """Return whether Spark is asked for; refuse options that an engine does not have.

        ``refused`` are options that Spark does not have, with their values; those that are unset are false.
        """
        if self.engine is Engine.LOCAL:
            if self.master is not None:
                raise TelosError("--master is for --engine spark", "give both, or neither")
            return False
        for option, value in (refused or {}).items():
            if value:
                raise TelosError(f"{option} does not work with --engine spark", "leave one of them out")
        return True


@contextmanager
def open_cluster_table(logs: Sequence[str], *, master: str | None, label: str) -> Iterator[Any]:
    """Open folders of Parquet as a Spark frame. In a terminal a bar shows the tasks of the running job."""
    from telos.spark.session import guard_spark

    for log in logs:
        if log.lower().rstrip("/").endswith((".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".gz", ".zst")):
            raise TelosError(f"{log}: --engine spark reads Parquet", "write it as Parquet, or leave --engine spark out")
    with _session(master) as session, _progress(session, label):
        with guard_spark(f"{logs[0]}: the log cannot be read"):
            frame = session.read.parquet(*logs)
        with guard_spark():
            yield frame


@contextmanager
def open_cluster_log(
    logs: Sequence[str],
    options: LogOptions,
    models: Sequence[object],
    *,
    master: str | None,
    label: str,
    labelled: bool = False,
    keep: Sequence[str] = (),
) -> Iterator["SparkLog"]:
    """Open folders of Parquet as one log on Spark, checked as on one machine; its events stay on the cluster meanwhile.

    Rows are put in the order of time.
    """
    from telos.spark import open_spark_log

    if options.sort is False:
        raise TelosError(
            "--in-order does not work with --engine spark: rows on a cluster have no order but their times"
        )
    with open_cluster_table(logs, master=master, label=label) as frame:
        how: dict[str, Any] = {"skip_bad": options.skip_bad, "drop_duplicates": options.drop_duplicates}
        opened = open_spark_log(frame, models, options.columns, labelled=labelled, keep=keep, **how)
        opened.log.name = logs[0] if len(logs) == 1 else f"{len(logs)} places"
        opened.keep()
        try:
            opened.check(full=True)
            yield opened
        finally:
            opened.release()


def check_folder(output: Path) -> None:
    """Refuse a folder that is there; Spark adds no files to another result."""
    if output.exists():
        raise TelosError(f"{output}: this is there already", "name a new folder, or remove it")
    if output.suffix.lower() not in ("", ".parquet"):
        raise TelosError(f"{output}: Spark writes a folder of Parquet", "name it without an ending, or .parquet")


def address_of(output: Path) -> str:
    """Return a folder as Spark is told it: a path has lost one of the slashes of s3a://bucket/beliefs."""
    return re.sub(r"^(\w{2,}):/(?=[^/])", r"\1://", str(output))


# --- the session ------------------------------------------------------------------------------------------------------


@contextmanager
def _session(master: str | None) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    from telos.spark import open_session

    if (known := SparkSession.getActiveSession()) is not None:
        yield known
        return
    with _quiet_java():
        session = open_session(master, config={"spark.ui.showConsoleProgress": "false"})
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def _quiet_java() -> Iterator[None]:
    """Keep what Java prints from the terminal, now and later; TELOS_DEBUG=1 shows it."""
    from rich.console import Console

    if os.environ.get("TELOS_DEBUG"):
        yield
        return
    shown = os.dup(2)
    try:
        with os.fdopen(os.dup(shown), "w") as terminal, tempfile.TemporaryFile() as hidden:
            console = Console(file=terminal)
            os.dup2(hidden.fileno(), 2)
            if console.is_terminal:
                with console.status("starting Spark"):
                    yield
            else:
                yield
    finally:
        os.dup2(shown, 2)
        os.close(shown)


@contextmanager
def _progress(session: Any, label: str) -> Iterator[None]:
    """Show a bar with the tasks of the running stages, if stderr is a terminal."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    tracker, is_over = session.sparkContext.statusTracker(), threading.Event()
    with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), console=console, transient=True) as bar:
        task = bar.add_task(label, total=None)

        def watch() -> None:
            while not is_over.wait(_POLL):
                stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
                known = [each for each in stages if each is not None]
                total = sum(each.numTasks for each in known)
                bar.update(task, total=total or None, completed=sum(each.numCompletedTasks for each in known))

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()
