"""Which logs of people a folder holds: told by what is in their tables, not by what they are called."""

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

from telos.core.errors import TelosError
from telos.studies.markov.crafter_log import NEEDED as CRAFTER
from telos.studies.markov.crafter_log import crafter_log
from telos.studies.markov.goal_log import GoalLog
from telos.studies.markov.starcraft_log import NEEDED as STARCRAFT
from telos.studies.markov.starcraft_log import starcraft_log
from telos.telemetry.frames import pl

TABLES = ("events.csv.gz", "events.csv")
KNOWN = {
    "crafter": (crafter_log, CRAFTER),
    "starcraft": (starcraft_log, STARCRAFT),
}


def find_logs(folder: Path) -> dict[str, Path]:
    """Return the tables in a folder, or in the folders right inside it, by the name of the game that they are of."""
    if not folder.is_dir():
        raise TelosError(f"{folder}: no such folder", f"name one that holds {TABLES[0]}, or several such folders")
    found: dict[str, Path] = {}
    seen = []
    for path in _tables(folder):
        seen.append(path)
        columns = _columns(path)
        for name, (_, wanted) in KNOWN.items():
            if set(wanted) <= columns:
                found.setdefault(name, path)
    if not found:
        held = f"{seen[0]} is none" if seen else f"there is no {TABLES[0]} in it or in a folder of it"
        raise TelosError(f"{folder}: no log of {' or '.join(KNOWN)}: {held}")
    return found


def human_log(name: str, path: Path, *, folds: int, seed: int) -> GoalLog:
    """Return the log of one game."""
    read, _ = KNOWN[name]
    try:
        return read(path, folds=folds, seed=seed)
    except pl.exceptions.PolarsError as error:
        raise TelosError(f"{path}: not the table that its columns promise: {str(error).splitlines()[0]}") from error


def _tables(folder: Path) -> Iterator[Path]:
    for place in (folder, *sorted(each for each in folder.iterdir() if each.is_dir())):
        yield from (place / name for name in TABLES if (place / name).is_file())


def _columns(path: Path) -> set[str]:
    try:
        with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else path.open(newline="") as lines:
            return set(next(csv.reader(lines), []))
    except (OSError, UnicodeDecodeError, EOFError) as error:
        raise TelosError(f"{path}: cannot be read: {error}", "is it a table, as the name says?") from error
