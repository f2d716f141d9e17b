"""Event logs on the command line: the options that every command with a log has, how it is opened, what is said of it.

A command declares ``LogArgument`` and the group ``LogOptions``, opens the log with ``open_command_log``, reads
``log.batches(progress)`` within ``log_progress``, and calls ``print_log_report`` at the end.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from telos.spark import SparkLog
    from telos.telemetry import Log, LogReport
    from telos.telemetry.sources import Source

_LONG = 20_000_000  # bytes of a log, or rows of a table; a shorter one is read before a bar could be drawn

LogArgument: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="LOG...",
        help="Event logs: CSV, JSON Lines (both also .gz or .zst) or Parquet; files, folders or patterns.",
        show_default=False,
    ),
]


@dataclass(frozen=True, slots=True)
class LogOptions:
    """How a command reads a log: a group of options, see ``with_option_groups``."""

    columns: Annotated[
        str | None,
        typer.Option(
            help="The column file, which says what the columns are, or the name of a preset (`telos columns presets`).",
            show_default="Telos' own names",
        ),
    ] = None
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Go on without bad rows, and say how many there were.")
    ] = False
    drop_duplicates: Annotated[
        bool | None,
        typer.Option(
            "--drop-duplicates/--keep-duplicates",
            help="What is done with rows that stand twice; they are counted in any case.",
            show_default="as the column file says, or keep",
        ),
    ] = None
    sort: Annotated[
        bool | None,
        typer.Option(
            "--sort/--in-order",
            help="Put rows in the order of their times, or call a row bad that is earlier than one before it.",
            show_default="as the column file says, or in order",
        ),
    ] = None

    @property
    def how(self) -> dict[str, bool | None]:
        """The options of ``open_log`` beside the columns."""
        return {"skip_bad": self.skip_bad, "drop_duplicates": self.drop_duplicates, "sort": self.sort}

    def inputs(self, logs: Sequence[str]) -> list[Path]:
        """Return the files that are read, which no output may replace."""
        from telos.telemetry.columns import columns_file
        from telos.telemetry.sources import find_files

        named = [] if self.columns is None else [Path(columns_file(self.columns))]
        return [Path(file) for log in logs for file in find_files(log)] + named


def open_command_log(
    logs: Sequence[str],
    options: LogOptions,
    models: Sequence[object] = (),
    *,
    labelled: bool = False,
    keep: Sequence[str] = (),
) -> "Log":
    """Open the logs of a command as one; with models, for what these read.

    ``labelled`` logs say in ``truth`` which goal was pursued, where that is known, and it has to be one of the models'.
    """
    from telos.telemetry import open_log, open_model_log

    source = logs[0] if len(logs) == 1 else list(logs)
    if models:
        return open_model_log(source, models, options.columns, labelled=labelled, keep=keep, **options.how)
    return open_log(source, options.columns, keep=keep, **options.how)  # type: ignore[arg-type]


@contextmanager
def log_progress(log: "Log | Source", label: str) -> Iterator[Callable[[int], object] | None]:
    """Give the function that ``log.batches`` tells how much it has read: a bar on stderr for long logs, or None."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal or log.size < _LONG:
        yield None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(label, total=log.size)
        yield lambda done: bar.update(task, completed=done)


def print_log_report(log: "Log | SparkLog") -> None:
    """Print on stderr what was found in a log that has been read, unless all of it was in order."""
    print_report(log.report)


def print_report(report: "LogReport") -> None:
    """Print on stderr what was found in a log, unless all of it was in order."""
    if report.bad_rows or report.dropped or report.duplicates or report.late or report.notes:
        for line in report.lines():
            typer.echo(line, err=True)
