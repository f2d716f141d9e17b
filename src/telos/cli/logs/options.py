"""Event logs on the command line: options that every command with a log has, how it is opened, what is said of it.

A command declares ``LogArgument`` and the group ``LogOptions``, opens the log with ``open_command_log``, reads
``log.batches(progress)`` within ``log_progress``, if need be only the rows that ``select_rows`` leaves, and calls
``print_log_report`` at the end.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from telos.core.errors import TelosError, name_hint

if TYPE_CHECKING:
    import polars as pl

    from telos.spark import SparkLog
    from telos.telemetry import Log, LogReport
    from telos.telemetry.sources import Source

MAX_FOLDS = 1000
FOLD = "fold"  # the column of a prepared corpus
SINCE_1970, MAX_SINCE_1970 = 1e8, 1e11  # seconds; nobody plays for three years
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


# --- the rows that a command looks at ---


def check_selection(*, fold: int | None, cv: int | None, player: str | None) -> None:
    """Refuse options that exclude each other."""
    if fold is not None and cv is not None:
        raise TelosError("--fold and --cv exclude each other", "--fold is for corpora with folds, --cv makes its own")
    if cv is not None and player is not None:
        raise TelosError("--cv deals players into folds, and --player leaves one", "leave one of them out")


def select_rows(
    log: "Log",
    batches: "Iterable[pl.DataFrame]",
    *,
    player: str | None = None,
    only: int | None = None,
    leave_out: int | None = None,
) -> "Iterator[pl.DataFrame]":
    """Yield the rows of a player, and of one fold or of all but one; names that the log does not have are refused.

    Folds are in the column ``fold``, which has to be kept.
    """
    import polars as pl

    players: set[str] = set()
    folds: set[str] = set()
    fold = only if only is not None else leave_out
    for batch in batches:
        found = batch
        if player is not None:
            players.update(batch["player"].unique().to_list())
            found = found.filter(pl.col("player") == player)
        if fold is not None:
            folds.update(batch[FOLD].drop_nulls().unique().to_list())
            is_fold = (pl.col(FOLD) == str(fold)).fill_null(False)
            found = found.filter(is_fold if only is not None else ~is_fold)
        if found.height:
            yield found
    if player is not None and player not in players:
        raise TelosError(f"{log.name}: no player {player!r} in this log", name_hint(player, players))
    if fold is not None and str(fold) not in folds:
        raise TelosError(f"{log.name}: no fold {fold} in this log", name_hint(str(fold), folds))


# --- players and times in words ---


def player_keys(player: str, session: str | None) -> dict[str, Any]:
    """Return what names a sequence in JSON."""
    return {"player": player, **({"session": session} if session else {})}


def player_label(player: str, session: str | None) -> str:
    """Return what names a sequence in a heading."""
    return f"{player}, session {session}" if session else player


def format_time(seconds: float) -> str:
    """Return a time for people: seconds of play, or the date and time of day if they count from 1970.

    >>> format_time(12.5), format_time(1772366400.839)
    ('12.500', '2026-03-01 12:00:00.839')
    """
    if not SINCE_1970 <= seconds < MAX_SINCE_1970:
        return f"{seconds:.3f}"
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
