"""What the commands that read event logs share: rows with a bar for whoever waits, and recognisers by player."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from telos.core.errors import TelosError, name_hint

if TYPE_CHECKING:
    from telos.recognition.logs import LogRow

_LONG = 2_000_000  # bytes of a log; a shorter one is read before a bar could be drawn


def rows_of(log: Path, columns: Path | None, player: str | None, doing: str) -> "Iterator[LogRow]":
    """Yield the rows of a log (of one player, if one is named), with a bar at a terminal if it is long."""
    from telos.recognition.files.columns import load_columns  # here, so that `telos --help` need not wait
    from telos.recognition.logs import read_log

    described = None if columns is None else load_columns(columns)
    seen: set[str] = set()
    with _bar(log, doing) as progress:
        for row in read_log(log, columns=described, progress=progress):
            seen.add(row.event.player)
            if player is None or row.event.player == player:
                yield row
    if player is not None and player not in seen:
        raise TelosError(f"{log}: no player {player!r} in this log", name_hint(player, seen))


@contextmanager
def _bar(log: Path, doing: str) -> Iterator[Callable[[int], object] | None]:
    from rich.console import Console
    from rich.progress import Progress

    waiting = Console(stderr=True)
    size = log.stat().st_size if log.is_file() else 0
    if not waiting.is_terminal or size < _LONG:
        yield None
        return
    with Progress(console=waiting, transient=True) as progress:
        task = progress.add_task(doing, total=size)
        yield lambda done: progress.update(task, completed=done)


@contextmanager
def at_line(log: Path, line: int) -> Iterator[None]:
    """Say in which line of a log the trouble is."""
    try:
        yield
    except TelosError as error:
        raise error.at(f"{log}:{line}") from None


def check_context(row: "LogRow", entries: frozenset[str], model: str) -> None:
    """Refuse a row that does not say what the model reads: a belief from half of the facts would be no belief.

    A game may leave out of an event what is as usual, since it knows what it does; a log may be another game's.
    """
    missing = sorted(entries - row.event.context.keys())
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise TelosError(f"context {missing[0]!r}{more} is missing, which {model} reads", "add it to the line")


def checked_truth(truth: str, goals: tuple[str, ...], model: str) -> str:
    """Return the goal that a log says was pursued, if the model knows it."""
    if truth not in goals:
        raise TelosError(f"truth {truth!r} is not a goal of {model}", name_hint(truth, goals))
    return truth
