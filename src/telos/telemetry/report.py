"""LogReport: what was found in a log while it was read, with the bad rows counted by fault and shown by example."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from telos.core.errors import TelosError

MAX_EXAMPLES = 3  # of each fault


class RowFault(StrEnum):
    """What is wrong with a row of a log. Code and tests compare these."""

    UNREADABLE = "unreadable"  # not JSON, another number of cells, not UTF-8
    NO_PLAYER = "no-player"
    NO_ACTION = "no-action"
    NO_TIME = "no-time"
    BAD_TIME = "bad-time"  # text that is no time
    NAN_TIME = "nan-time"  # not finite
    BAD_VALUE = "bad-value"  # a fact that has not the type it should have
    UNKNOWN_LABEL = "unknown-label"  # a fact that is not in the list of its labels
    UNKNOWN_ACTION = "unknown-action"  # the model lists its actions, and this is none of them
    UNKNOWN_GOAL = "unknown-goal"  # achieved or pursued, and no goal of the model
    LATE = "late"  # earlier than a row of the same player and session that stands before it
    DUPLICATE = "duplicate"


_SAID = {
    RowFault.UNREADABLE: "that cannot be read",
    RowFault.NO_PLAYER: "without a player",
    RowFault.NO_ACTION: "without an action",
    RowFault.NO_TIME: "without a time",
    RowFault.BAD_TIME: "with a time that is none",
    RowFault.NAN_TIME: "with a time that is not finite",
    RowFault.BAD_VALUE: "with a value of another type",
    RowFault.UNKNOWN_LABEL: "with a label that is not listed",
    RowFault.UNKNOWN_ACTION: "with an action that the model does not list",
    RowFault.UNKNOWN_GOAL: "with a goal that the model does not have",
    RowFault.LATE: "earlier than one before of the same player",
    RowFault.DUPLICATE: "the same as one before",
}


@dataclass(slots=True)
class FaultCount:
    """How many rows have a fault, and the first of them: where each is, and what it says."""

    rows: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list)

    def add(self, rows: int, examples: Iterator[tuple[str, str]]) -> None:
        """Count some rows; the first few examples are kept."""
        self.rows += rows
        while len(self.examples) < MAX_EXAMPLES and (example := next(examples, None)) is not None:
            self.examples.append(example)


@dataclass(slots=True)
class LogReport:
    """What was read: rows, players and sequences, faults by kind, duplicates, late rows, actions and empty facts.

    It is complete when the last batch of the log has been read.
    """

    rows: int = 0  # in the log
    kept: int = 0  # passed on
    players: int = 0
    sequences: int = 0  # of one player in one session
    faults: dict[RowFault, FaultCount] = field(default_factory=dict)
    bad_rows: int = 0  # a row may have several faults
    duplicates: int = 0
    dropped: int = 0  # duplicates, and rows that `drop` names
    dropped_duplicates: int = 0
    late: int = 0
    most_late: float = 0.0  # seconds
    is_sorted: bool = False  # late rows were put in order
    actions: Counter[str] = field(default_factory=Counter)
    goals: Counter[str] = field(default_factory=Counter)  # achieved
    truths: Counter[str] = field(default_factory=Counter)  # pursued
    filled: Counter[str] = field(default_factory=Counter)  # rows with a value, by fact
    notes: list[str] = field(default_factory=list)

    def add_fault(self, fault: RowFault, rows: int, examples: Iterator[tuple[str, str]]) -> None:
        """Count rows with a fault."""
        if rows:
            self.faults.setdefault(fault, FaultCount()).add(rows, examples)

    def add(self, other: "LogReport") -> None:
        """Add what was found in another part of the log, with other players."""
        for name in (
            "rows",
            "kept",
            "players",
            "sequences",
            "bad_rows",
            "duplicates",
            "dropped",
            "dropped_duplicates",
            "late",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.most_late = max(self.most_late, other.most_late)
        for fault, count in other.faults.items():
            self.add_fault(fault, count.rows, iter(count.examples))
        for name in ("actions", "goals", "truths", "filled"):
            getattr(self, name).update(getattr(other, name))
        for text in other.notes:
            self.note(text)

    def note(self, text: str) -> None:
        """Add a sentence about the log, once."""
        if text not in self.notes:
            self.notes.append(text)

    def lines(self) -> Iterator[str]:
        """Yield what was found, as sentences; faults have their first examples."""
        yield f"{self.rows:,} rows of {self.players:,} players in {self.sequences:,} sequences; {self.kept:,} are used"
        for fault, count in self.faults.items():
            yield f"{fault}: {_rows(count.rows)} {_SAID[fault]}"
            yield from (f"  {place}: {text}" for place, text in count.examples)
        if self.dropped > self.dropped_duplicates:
            yield f"dropped: {_rows(self.dropped - self.dropped_duplicates)} that `drop` of the column file names"
        if self.late and self.is_sorted:
            yield f"late: {_rows(self.late)} {_SAID[RowFault.LATE]}, by at most {self.most_late:g} s; put in order"
        if self.duplicates:
            done = "dropped" if self.dropped_duplicates else "kept"
            yield f"duplicate: {_rows(self.duplicates)} {_SAID[RowFault.DUPLICATE]}; {done}"
        yield from self.notes

    def refusal(self, name: str) -> TelosError:
        """Return the error that tells of all bad rows at once."""
        text = "\n".join(["", *(f"  {line}" for line in list(self.lines())[1:])])
        remedy = "mend them, or read on without them: --skip-bad (skip_bad=True)"
        if RowFault.LATE in self.faults:
            remedy += "; to put late rows in order: --sort (sort=True), or name the column of the session"
        return TelosError(f"{name}: {self.bad_rows:,} of {self.rows:,} rows are bad:{text}\n ", remedy)

    def why(self) -> str:
        """Return the sentences as a text."""
        return "\n".join(self.lines())

    def as_object(self) -> dict[str, Any]:
        """Return the figures as JSON data."""
        return {
            "rows": self.rows,
            "kept": self.kept,
            "players": self.players,
            "sequences": self.sequences,
            "bad_rows": self.bad_rows,
            "faults": {
                str(fault): {
                    "rows": count.rows,
                    "examples": [{"place": place, "says": text} for place, text in count.examples],
                }
                for fault, count in self.faults.items()
            },
            "duplicates": self.duplicates,
            "dropped": self.dropped,
            "dropped_duplicates": self.dropped_duplicates,
            "late": self.late,
            "most_late": self.most_late,
            "actions": dict(self.actions.most_common()),
            "notes": self.notes,
        }


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"


def shown(value: object) -> str:
    """Return a value for a message, shortened."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
