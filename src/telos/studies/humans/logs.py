"""Logs of human players as sequences of events, with the labels to score by. Start with ``read_plays``."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.values import Value
from telos.telemetry.columns import load_columns
from telos.telemetry.logs import LogRow, read_log

DATA = Path(__file__).parent / "data"
LOG = "events.csv.gz"

# From the row before (None at the start of a sequence) and the present one to the context that recognisers are shown.
# It is given no more than these two, so nothing that comes later can get into it.
Look: TypeAlias = Callable[[LogRow | None, LogRow], Mapping[str, Value]]


@dataclass(frozen=True, slots=True)
class LabelledEvent:
    """One row of a log: the event that recognisers are shown, and, beside it, the goal that was really pursued."""

    event: Event
    truth: str | None
    is_scored: bool


@dataclass(frozen=True, slots=True)
class LabelledPlay:
    """One sequence of events of one player. No ``group`` is ever in training and in a test at once."""

    player: str
    session: str
    group: str
    rows: tuple[LabelledEvent, ...]


@dataclass(frozen=True, slots=True)
class LogSource:
    """How one log is read: its column file, the action that means that no key was pressed, and the look."""

    columns: str
    idle: str
    look: Look
    group: str = ""  # the context entry by which folds are made; the player if empty


def read_plays(folder: str | os.PathLike[str], source: LogSource) -> list[LabelledPlay]:
    """Return all sequences of the log in a folder, in the order of the log.

    Rows at which a goal is achieved, rows after the last one and idle ones are shown to recognisers, as they would be
    in a game, but not scored. What the events say about goals achieved before is up to the look.
    """
    place = Path(folder)
    if not place.is_dir():
        raise TelosError(f"{place}: no such folder", f"name the one that holds {LOG}")
    columns = load_columns(DATA / f"{source.columns}.yaml")
    sequences: dict[tuple[str, str], list[LogRow]] = {}
    for row in read_log(place / LOG, columns=columns):
        sequences.setdefault(row.sequence, []).append(row)
    return [_play(rows, source) for rows in sequences.values()]


def _play(rows: list[LogRow], source: LogSource) -> LabelledPlay:
    first, before = rows[0], None
    found = []
    for row in rows:
        event = row.event
        shown = Event(event.action, source.look(before, row), player=event.player, time=event.time)
        is_scored = row.truth is not None and event.goal is None and event.action != source.idle
        found.append(LabelledEvent(shown, row.truth, is_scored))
        before = row
    group = str(first.event.context[source.group]) if source.group else first.event.player
    return LabelledPlay(first.event.player, first.session, group, tuple(found))


def goals_of(plays: Iterable[LabelledPlay]) -> tuple[str, ...]:
    """Return every goal that was pursued, in the order of the alphabet."""
    return tuple(sorted({row.truth for play in plays for row in play.rows if row.truth is not None}))


def groups_of(plays: Iterable[LabelledPlay]) -> tuple[str, ...]:
    """Return the groups, in the order of the alphabet."""
    return tuple(sorted({play.group for play in plays}))
