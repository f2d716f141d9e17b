"""Public problems of hierarchical goal recognition: a domain in HDDL, plans that were seen, and their goals."""

import json
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from telos.core.errors import TelosError
from telos.recognition.grammar.hddl import HddlDomain, HddlProblem, Literal, Step, read_domain, read_problem
from telos.recognition.grammar.lifted import Limits
from telos.recognition.grammar.lifted_tables import LiftedTables, lifted_tables

# In these methods of Monroe's HDDL file nothing ties a place (`?objloc`, `?vehloc`) to where the thing is, so a van may
# be sent anywhere to fetch anything. These preconditions do, after what the actions below need; no plan in the data
# breaks them.
_MONROE = """
m-get-to-as-cargo: (atloc ?obj ?objloc) (fit-in ?obj ?veh)
m-get-to-with-ambulance: (atloc ?obj ?objloc) (fit-in ?obj ?veh)
m-get-in-ambulatory-person: (atloc ?obj ?objloc) (atloc ?veh ?objloc)
m-get-in-load-in: (atloc ?obj ?objloc) (atloc ?veh ?objloc) (can-lift ?person ?obj)
m-get-out-unload: (atloc ?veh ?vehloc) (can-lift ?person ?obj)
m-emt-treat: (atloc ?person ?personloc)
"""
_MANY = Limits(beam=500, refinements=15_000)  # five dishes by turns have many stories
_CALL = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Kind:
    """What is particular to one set of problems: the tasks whose steps are the goals, and preconditions added."""

    name: str
    above_goals: tuple[str, ...]
    added: str = ""
    several: bool = False  # several goals at once
    limits: Limits | None = None  # of the search, if others than usual


KINDS = {
    kind.name: kind
    for kind in (
        Kind("monroe", ("tlt",), _MONROE),
        Kind(
            "kitchen",
            ("makestarter", "makemain", "makedessert"),
            several=True,
            limits=_MANY,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Case:
    """One problem: what was seen, all of it, and the goals that it was for."""

    name: str
    problem: HddlProblem
    actions: tuple[Step, ...]
    goals: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Problems:
    """All problems of a folder, and what in their initial states tells them apart."""

    kind: Kind
    domain: HddlDomain
    tables: LiftedTables
    goals: tuple[str, ...]
    cases: tuple[Case, ...]
    special_predicates: frozenset[str]  # that not every initial state has
    special_objects: frozenset[str]


@lru_cache(maxsize=2)
def read_problems(folder: str, kind: str) -> Problems:
    """Read the problems in a folder with `domain.hddl`, `problems/`, `observations.jsonl` and `labels.jsonl`."""
    place = Path(folder)
    for part in ("domain.hddl", "problems", "observations.jsonl", "labels.jsonl"):
        if not (place / part).exists():
            raise TelosError(f"{os.fspath(place / part)!r} is missing", "name the folder of one hierarchical domain")
    known = KINDS[kind]
    domain = read_domain(_text(place / "domain.hddl"), name=str(place / "domain.hddl"))
    goals = tuple(
        dict.fromkeys(
            step.name for task in known.above_goals for way in domain.methods.get(task, ()) for step in way.steps
        )
    )
    if not goals:
        raise TelosError(f"{folder} has no task {known.above_goals[0]!r}", f"is it the folder of {kind}?")
    labels = {row["id"]: tuple(map(_step, row["goals"])) for row in _rows(place / "labels.jsonl")}
    cases = tuple(_case(place, row, labels) for row in _rows(place / "observations.jsonl"))
    predicates = [frozenset(fact[0] for fact in case.problem.facts) for case in cases]
    objects = [frozenset(case.problem.objects) for case in cases]
    return Problems(
        known,
        domain,
        lifted_tables(domain, _added(known.added)),
        goals,
        cases,
        frozenset().union(*predicates) - frozenset.intersection(*predicates),
        frozenset().union(*objects) - frozenset.intersection(*objects),
    )


def _case(place: Path, row: dict[str, Any], labels: dict[str, tuple[Step, ...]]) -> Case:
    name = str(row["id"])
    if not re.fullmatch(r"[\w-]+", name) or name not in labels:
        raise TelosError(f"{place}: problem {name!r} has no label, or no name that a file can have")
    file = place / "problems" / f"{name}.hddl"
    seen = row["obs"]
    if not isinstance(seen, list) or not seen:
        raise TelosError(f"{place}: nothing was seen in problem {name!r}", "leave it out")
    return Case(name, read_problem(_text(file), name=str(file)), tuple(map(_step, seen)), labels[name])


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        rows = [json.loads(line) for line in _text(path).splitlines() if line.strip()]
    except json.JSONDecodeError as error:
        raise TelosError(f"{path}: a line is no JSON: {error}") from None
    return rows


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise TelosError(f"{path} cannot be read: {error.strerror or error}") from None


def _step(said: object) -> Step:
    found = _CALL.fullmatch(str(said).strip().lower())
    words = found[1].split() if found else []
    if not words:
        raise TelosError(f"{said!r} is no action", "write `(name argument …)`")
    return Step(words[0], tuple(words[1:]))


def _added(said: str) -> dict[str, list[Literal]]:
    found: dict[str, list[Literal]] = {}
    for line in filter(None, said.splitlines()):
        method, _, needs = line.partition(": ")
        words = [each.split() for each in _CALL.findall(needs)]
        found[method] = [Literal(predicate, tuple(arguments)) for predicate, *arguments in words]
    return found
