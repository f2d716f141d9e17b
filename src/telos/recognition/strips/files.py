"""Goal-recognition problems as files: a domain, a template with a hole for the goal, candidate goals, observations.

Two layouts are read. An *instance folder* has ``observations.jsonl`` with many problems, and may stand in a collection
with an ``index.csv``. The *original* layout of the field has one problem in five files, as a folder or an archive.
"""

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from telos.core.errors import TelosError, name_hint
from telos.planning.pddl.declarations import read_domain
from telos.planning.pddl.instances import read_problem
from telos.planning.pddl.source import Source
from telos.recognition.strips.archives import is_archive, members
from telos.recognition.strips.problem import StripsProblem, spoken, strips_problem

HOLE = "<hypothesis>"
LARGEST = 16_000_000  # bytes of one file


@dataclass(frozen=True, slots=True)
class Case:
    """One problem: what was seen in which place, and what is known about how it was made."""

    id: str
    place: Path  # an instance folder, or an original folder or archive
    observations: tuple[str, ...]
    source: str = ""
    domain: str = ""
    observability: int | None = None
    noisy: bool | None = None
    plan: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """The true goals of a case, by number; several if they are equal. ``reference`` are those that planning leaves."""

    real: frozenset[int]
    reference: frozenset[int] | None = None


def read_cases(folder: Path, only: Path | None = None) -> tuple[Case, ...]:
    """Return the problems of a collection, of an instance folder, or of one in the original layout."""
    if is_archive(folder) or (folder / "obs.dat").is_file():
        cases = [_original_case(folder)]
    elif (folder / "index.csv").is_file():
        cases = _collected(folder, _wanted(folder / "index.csv", only))
    elif (folder / "observations.jsonl").is_file():
        cases = list(_instance_cases(folder, {}).values())
    else:
        what = "has no index.csv, observations.jsonl or obs.dat" if folder.is_dir() else "is no folder or .tar archive"
        raise TelosError(f"{folder}: {what}", "give a folder of goal-recognition problems")
    if only is not None:
        wanted = {row["id"] for row in _rows(only)}
        cases = [case for case in cases if case.id in wanted]
    if not cases:
        raise TelosError(f"{folder}: there is no problem in it{f' that {only} names' if only else ''}")
    return tuple(cases)


def read_labels(path: Path) -> dict[str, Label]:
    """Return the true goals of problems by their ids."""
    found = {}
    for place, row in _json_lines(path, _text(path)):
        if "id" not in row or not isinstance(row.get("real"), int):
            raise TelosError(
                f'{place}: a label has an id and the number of the real goal, as in {{"id": "d1", "real": 3}}'
            )
        reference = row.get("reference_set")
        real = frozenset({row["real"], *row.get("equal", ())})
        found[str(row["id"])] = Label(real, None if reference is None else frozenset(reference))
    return found


def read_place(place: Path) -> StripsProblem:
    """Read and ground what the problems of one place have in common."""
    text = _opened(place)
    domain = read_domain(Source.of(f"{place}/domain.pddl", text("domain.pddl")))
    template = Source.of(f"{place}/template.pddl", text("template.pddl"))
    # What takes the hole's place has its length, so that faults still say where they stand.
    filled = Source(template.file, template.text.replace(HOLE, " " * len(HOLE)), template.line_starts)
    task = read_problem(filled, domain)
    goals = _lines(text("hyps.dat"))
    if not goals:
        raise TelosError(f"{place}/hyps.dat: there is no goal in it", "write one a line, atoms separated by commas")
    return strips_problem(task, goals)


def read_truth(place: Path) -> Label | None:
    """Return the true goal of a problem in the original layout, if it is told."""
    is_told = "real_hyp.dat" in members(place) if is_archive(place) else (place / "real_hyp.dat").is_file()
    if not is_told:
        return None
    text = _opened(place)
    real = _atoms(text("real_hyp.dat"))
    same = [i for i, goal in enumerate(_lines(text("hyps.dat"))) if _atoms(goal) == real]
    if not same:
        raise TelosError(f"{place}/real_hyp.dat: this goal is none of those in hyps.dat")
    return Label(frozenset(same))


def _atoms(goal: str) -> frozenset[str]:
    return frozenset(spoken(atom) for atom in goal.replace(")", "),").split(",") if atom.strip(" ()\n\r\t"))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _opened(place: Path) -> Callable[[str], str]:
    """Return what gives the text of a file of a place."""
    if is_archive(place):
        texts = members(place)
        return lambda name: texts[name] if name in texts else _missing(place / name)
    return lambda name: _text(place / name)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise TelosError(f"{path}: the file is larger than the {LARGEST / 1e6:g} MB that are read")
        return path.read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        raise TelosError(f"{path}: {(error.strerror or 'cannot be read').lower()}", "check the path") from None


def _missing(path: Path) -> str:
    raise TelosError(f"{path}: no such file", "check the path")


def _original_case(place: Path) -> Case:
    name = place.name.removesuffix(".tar.bz2").removesuffix(".tar.gz")
    return Case(name, place, tuple(_lines(_opened(place)("obs.dat"))))


def _wanted(index: Path, only: Path | None) -> list[dict[str, str]]:
    """Return the rows of an index that a table names by their ids, in the order of the index."""
    rows = _rows(index)
    if only is None:
        return rows
    known, ids = {row["id"] for row in rows}, [row["id"] for row in _rows(only)]
    if unknown := next((each for each in ids if each not in known), None):
        raise TelosError(f"{only}: there is no problem {unknown!r} in {index}", name_hint(unknown, known))
    wanted = set(ids)
    return [row for row in rows if row["id"] in wanted]


def _collected(folder: Path, rows: Iterable[Mapping[str, str]]) -> list[Case]:
    """Return the cases that rows of an index name, in that order."""
    read: dict[str, dict[str, Case]] = {}
    cases = []
    for row in rows:
        if "id" not in row or "dir" not in row:
            raise TelosError(f"{folder}: an index has the columns id and dir, got {', '.join(row)}")
        place = row["dir"]
        if place not in read:
            _check_inside(folder, place)
            read[place] = _instance_cases(folder / place, row)
        if row["id"] not in read[place]:
            raise TelosError(f"{folder / place}/observations.jsonl: there is no problem {row['id']!r}, which is listed")
        cases.append(read[place][row["id"]])
    return cases


def _check_inside(folder: Path, place: str) -> None:
    if not (folder / place).resolve().is_relative_to(folder.resolve()):
        raise TelosError(f"{folder}: the index names {place!r}, which is outside of the folder", "only inside is read")


def _instance_cases(place: Path, row: Mapping[str, str]) -> dict[str, Case]:
    path = place / "observations.jsonl"
    found = {}
    for where, said in _json_lines(path, _text(path)):
        seen = said.get("obs")
        if "id" not in said or not isinstance(seen, list) or not all(isinstance(each, str) for each in seen):
            raise TelosError(f'{where}: a problem has an id and obs, a list of ground actions as "(move a b)"')
        found[str(said["id"])] = Case(
            str(said["id"]),
            place,
            tuple(seen),
            row.get("source", ""),
            row.get("domain", ""),
            said.get("observability"),
            said.get("noisy"),
            said.get("plan", ""),
        )
    return found


def _rows(path: Path) -> list[dict[str, str]]:
    rows = list(csv.DictReader(StringIO(_text(path))))
    if rows and "id" not in rows[0]:
        raise TelosError(f"{path}: there is no column id", f"got {', '.join(map(str, rows[0]))}")
    return rows


def _json_lines(path: Path, text: str) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            said = json.loads(line)
        except ValueError as error:
            raise TelosError(f"{path}:{number}: this is not JSON: {error}") from None
        if not isinstance(said, dict):
            raise TelosError(f"{path}:{number}: a line is a JSON object, got {line.strip()[:40]}")
        found.append((f"{path}:{number}", said))
    return found
