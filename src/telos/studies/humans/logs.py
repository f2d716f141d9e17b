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

# Computes the context for recognisers from the previous row (None at the start of a sequence) and the present one.
# It gets only these two rows, so the context cannot contain later information.
Look: TypeAlias = Callable[[LogRow | None, LogRow], Mapping[str, Value]]


@dataclass(frozen=True, slots=True)
class LabelledEvent:
    """One row of a log: the event for recognisers, and the true goal."""

    event: Event
    truth: str | None
    is_scored: bool


@dataclass(frozen=True, slots=True)
class LabelledPlay:
    """One sequence of events of one player. A ``group`` is never in both training and test data."""

    player: str
    session: str
    group: str
    rows: tuple[LabelledEvent, ...]


@dataclass(frozen=True, slots=True)
class LogSource:
    """How to read one log: its column file, the action for "no key pressed", and the look function."""

    columns: str
    idle: str
    look: Look
    group: str = ""  # the context entry by which folds are made; the player if empty


def read_plays(folder: str | os.PathLike[str], source: LogSource) -> list[LabelledPlay]:
    """Return all sequences of the log in a folder, in the order of the log.

    Recognisers observe rows that achieve a goal, rows after the last achievement and idle rows, as they would in a
    game, but these are not scored. The look function decides what events contain about earlier achievements.
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
    """Return every goal that was pursued, sorted by name."""
    return tuple(sorted({row.truth for play in plays for row in play.rows if row.truth is not None}))


def groups_of(plays: Iterable[LabelledPlay]) -> tuple[str, ...]:
    """Return the groups, sorted by name."""
    return tuple(sorted({play.group for play in plays}))
