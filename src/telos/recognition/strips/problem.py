"""Goal-recognition problems on STRIPS: facts as numbers, read from instance folders, collections and archives."""

import bz2
import csv
import lzma
import os
import tarfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path, PurePosixPath
from typing import Any, TypeGuard

from telos.core.errors import TelosError, name_hint
from telos.core.values import FrozenMap
from telos.files.reading import normalize_line_ends, parse_json, read_bytes
from telos.planning.pddl.grounding import MAX_ACTIONS, GroundAction, ground_task, remove_constants
from telos.planning.pddl.parser import (
    Fact,
    LiftedTask,
    Literals,
    format_atom,
    read_domain,
    read_goal,
    read_problem,
)
from telos.planning.pddl.syntax import PddlSource

# --- problem ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StripsAction:
    """A ground action: the indices of the facts that it needs, adds and deletes, and its cost."""

    name: str
    needs: tuple[int, ...]
    adds: tuple[int, ...]
    deletes: tuple[int, ...]
    cost: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.cost < float("inf"):
            raise TelosError(f"the cost of {self.name} must be zero or more, got {self.cost!r}")


@dataclass(frozen=True, slots=True)
class StripsGoal:
    """A candidate goal; ``wants`` is None if it is unreachable even in the delete relaxation."""

    name: str
    wants: tuple[int, ...] | None


@dataclass(frozen=True, eq=False)
class StripsProblem:
    """A grounded problem: the initial facts, the actions, and the candidate goals.

    Facts are indices. Static facts are removed, and so is negation: a fact that is ever required to be false has a
    complement that is true whenever the fact is not.
    """

    facts: tuple[str, ...]
    start: tuple[int, ...]
    actions: tuple[StripsAction, ...]
    goals: tuple[StripsGoal, ...]
    named: Mapping[str, tuple[int, ...]] = field(init=False, repr=False)  # PDDL files may name two actions alike

    def __post_init__(self) -> None:
        if not self.goals:
            raise TelosError("there are no candidate goals", "give at least one")
        names = [goal.name for goal in self.goals]
        if len(set(names)) < len(names):
            raise TelosError(f"two goals have one name: {next(each for each in names if names.count(each) > 1)!r}")
        named: dict[str, list[int]] = {}
        for i, action in enumerate(self.actions):
            named.setdefault(normalize_atom(action.name), []).append(i)
        object.__setattr__(self, "named", FrozenMap({name: tuple(each) for name, each in named.items()}))

    @property
    def step(self) -> float:
        """The mean cost of actions with a positive cost: the unit of all penalties."""
        costs = [action.cost for action in self.actions if action.cost > 0]
        return sum(costs) / len(costs) if costs else 1.0

    def explaining(self, name: str) -> tuple[int, ...]:
        """Return the indices of the actions with a PDDL name, ignoring case; there may be none."""
        return self.named.get(normalize_atom(name), ())

    def equal_goals(self) -> tuple[tuple[int, ...], ...]:
        """Return the groups of goals with the same condition."""
        groups: dict[tuple[int, ...], list[int]] = {}
        for i, goal in enumerate(self.goals):
            if goal.wants is not None:
                groups.setdefault(goal.wants, []).append(i)
        return tuple(tuple(each) for each in groups.values() if len(each) > 1)


def normalize_atom(text: str) -> str:
    """Return the canonical form of a ground action or an atom.

    >>> normalize_atom(" (STACK  a B)"), normalize_atom("stack a b")
    ('(stack a b)', '(stack a b)')
    """
    return format_atom(tuple(text.lower().replace("(", " ").replace(")", " ").split()))


def strips_problem(task: LiftedTask, goals: Iterable[str], *, most: int = MAX_ACTIONS) -> StripsProblem:
    """Ground a PDDL task for candidate goals, each as in ``(on a b), (clear a)``; the task's own goal is ignored."""
    texts = [" ".join(each.split()) for each in goals]
    read = [read_goal(each, task) for each in texts]
    changing = remove_constants(ground_task(task, most=most), task.init)
    denied = {fact for action in changing.actions for fact in action.forbids}
    denied |= {fact for goal in read for fact in goal.negative if fact in changing.facts}
    numbers = _FactIndex(sorted(changing.facts), sorted(denied))
    actions = tuple(numbers.action(each) for each in changing.actions)
    wants = [numbers.wants(each, task.init) for each in read]
    named = [StripsGoal(name, each) for name, each in zip(_distinct(texts), wants, strict=True)]
    return StripsProblem(numbers.names, numbers.start(task.init), actions, tuple(named))


def _distinct(names: Sequence[str]) -> list[str]:
    """Return the names with a number added to repeated ones."""
    count: dict[str, int] = {}
    found = []
    for name in names:
        count[name] = count.get(name, 0) + 1
        found.append(name if count[name] == 1 else f"{name} #{count[name]}")
    return found


class _FactIndex:
    """Indices of facts, and of the complements of facts that are ever required to be false."""

    def __init__(self, facts: Sequence[Fact], denied: Sequence[Fact]) -> None:
        self.number = {fact: i for i, fact in enumerate(facts)}
        self.opposite = {fact: len(facts) + i for i, fact in enumerate(denied)}
        self.names = (*(format_atom(fact) for fact in facts), *(f"(not {format_atom(fact)})" for fact in denied))

    def action(self, action: GroundAction) -> StripsAction:
        adds = self._both(action.adds, action.deletes)
        deletes = self._both(action.deletes, action.adds)
        needs = self._both(action.needs, action.forbids)
        return StripsAction(format_atom((action.schema, *action.arguments)), needs, adds, deletes, action.cost)

    def _both(self, true: Iterable[Fact], false: Iterable[Fact]) -> tuple[int, ...]:
        numbers = {self.number[fact] for fact in true}
        return tuple(sorted(numbers | {self.opposite[fact] for fact in false if fact in self.opposite}))

    def start(self, init: frozenset[Fact]) -> tuple[int, ...]:
        true = [number for fact, number in self.number.items() if fact in init]
        return tuple(sorted(true + [number for fact, number in self.opposite.items() if fact not in init]))

    def wants(self, goal: Literals, init: frozenset[Fact]) -> tuple[int, ...] | None:
        """Return the non-static facts that a goal requires; None if a static fact contradicts it."""
        never = any(fact not in self.number and fact not in init for fact in goal.positive)
        ever = any(fact not in self.number and fact in init for fact in goal.negative)
        unequal = any(left != right for left, right in goal.same)
        if never or ever or unequal or any(left == right for left, right in goal.different):
            return None
        positive = [fact for fact in goal.positive if fact in self.number]
        return self._both(positive, [fact for fact in goal.negative if fact in self.number])


# --- archives, read in memory: nothing is written to disk -------------------------------------------------------------

ARCHIVE_SUFFIXES = (".tar", ".tar.bz2", ".tar.gz", ".tar.xz", ".tgz", ".tbz2")
MAX_FILE_BYTES = 16_000_000  # bytes of one unpacked file
MAX_ARCHIVE_BYTES = 256_000_000  # bytes of all unpacked files, and of the archive
MAX_RATIO = 200  # of unpacked to packed bytes, beyond MAX_SMALL_BYTES; texts reach 30
MAX_SMALL_BYTES = 32_000_000
MAX_MEMBERS = 1_000
PROBLEM_FILES = ("domain.pddl", "template.pddl", "hyps.dat", "obs.dat", "real_hyp.dat")


def is_archive(path: Path) -> bool:
    """Whether a path is a file with the suffix of an archive."""
    return path.name.endswith(ARCHIVE_SUFFIXES) and is_file(path)


def is_file(path: Path) -> bool:
    """Whether a path is a file; no, if its name cannot be one."""
    try:
        return path.is_file()
    except OSError:
        return False


def read_archive(path: Path) -> dict[str, str]:
    """Return the texts of a problem in an archive by name; refuse links and names that lead out of the archive."""
    texts, content = {}, _inflate(path)
    try:
        with tarfile.open(fileobj=BytesIO(content), mode="r:") as archive:
            for count, member in enumerate(archive, start=1):
                _check(path, member, count)
                name = PurePosixPath(member.name).name
                file = archive.extractfile(member) if member.isfile() and name in PROBLEM_FILES else None
                if file is not None:
                    texts[name] = to_text(file.read(MAX_FILE_BYTES))
    except TelosError:
        raise
    except Exception as error:  # tarfile raises whatever a damaged header leads to, RecursionError included
        raise _broken(path, error) from None
    return texts


def _broken(path: Path, error: Exception) -> TelosError:
    return TelosError(f"{path}: the archive cannot be read: {(str(error) or 'broken').splitlines()[0]}")


def _inflate(path: Path) -> bytes:
    """Return the content of an archive without its compression, within the limits of its size and ratio."""
    packed = read_bytes(path, limit=MAX_ARCHIVE_BYTES)  # which inflates .gz
    streams: dict[bytes, Callable[[], Any]] = {
        b"BZh": bz2.BZ2Decompressor,
        b"\xfd7zXZ": partial(lzma.LZMADecompressor, memlimit=MAX_ARCHIVE_BYTES),
        b"\x1f\x8b": _GzipDecompressor,
    }
    start = next((start for start in streams if packed.startswith(start)), None)
    if start is None:
        return packed
    pieces, total, stream, data = list[bytes](), 0, streams[start](), packed
    try:
        while True:
            pieces.append(stream.decompress(data, MAX_FILE_BYTES))
            total += len(pieces[-1])
            if total > MAX_ARCHIVE_BYTES or (total > MAX_SMALL_BYTES and total > MAX_RATIO * len(packed)):
                raise TelosError(f"{path}: the archive is too large when it is inflated", "pack one problem, as text")
            data = b""
            if stream.eof:
                if not stream.unused_data.startswith(start):
                    return b"".join(pieces)
                stream, data = streams[start](), stream.unused_data
            elif not pieces[-1]:
                raise TelosError(f"{path}: the archive cannot be read: it ends too early", "pack it again")
    except TelosError:
        raise
    except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error) as error:
        raise _broken(path, error) from None


class _GzipDecompressor:
    """zlib's decompressor for gzip, with the methods of those of ``bz2`` and ``lzma``."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data

    def decompress(self, data: bytes, most: int) -> bytes:
        return self._stream.decompress(data or self._stream.unconsumed_tail, most)


def to_text(data: bytes) -> str:
    """Return the text of a file; what is not UTF-8, such as a name in a comment, is replaced."""
    return normalize_line_ends(data.decode("utf-8-sig", errors="replace"))


def _check(path: Path, member: tarfile.TarInfo, count: int) -> None:
    name = PurePosixPath(member.name)
    if name.is_absolute() or ".." in name.parts or "\\" in member.name:
        raise TelosError(f"{path}: the member {member.name!r} leads out of the archive")
    if not (member.isfile() or member.isdir()):
        raise TelosError(f"{path}: the member {member.name!r} is a link or a device", "pack plain files")
    if not 0 <= member.size <= MAX_FILE_BYTES or count > MAX_MEMBERS:
        raise TelosError(f"{path}: the archive is too large, at {member.name!r}", "pack one problem, as text")


# --- files ------------------------------------------------------------------------------------------------------------

MAX_GOALS = 5_000  # candidates of a problem; benchmarks have up to 25
GOAL_PLACEHOLDER = "<hypothesis>"


@dataclass(frozen=True, slots=True)
class RecognitionCase:
    """One problem: its observations, its folder or archive, and how it was generated."""

    id: str
    place: Path  # an instance folder, or an original folder or archive
    observations: tuple[str, ...]
    source: str = ""
    domain: str = ""
    observability: int | None = None
    noisy: bool | None = None
    plan: str = ""


@dataclass(frozen=True, slots=True)
class CaseLabel:
    """The indices of a case's true goals; several if they are equal. ``reference`` is what optimal planning returns."""

    real: frozenset[int]
    reference: frozenset[int] | None = None


def read_cases(folder: Path, only: Path | None = None) -> tuple[RecognitionCase, ...]:
    """Return the problems of a collection, of an instance folder, or one in the original layout.

    An *instance folder* has ``observations.jsonl`` with many problems, and may be part of a collection with an
    ``index.csv``. The *original* layout has one problem in five files, as a folder or an archive.
    """
    if is_archive(folder) or is_file(folder / "obs.dat"):
        cases = [_original_case(folder)]
    elif is_file(folder / "index.csv"):
        cases = _collection_cases(folder, _wanted(folder / "index.csv", only))
    elif is_file(folder / "observations.jsonl"):
        cases = list(_instance_cases(folder, {}).values())
    else:
        what = (
            "has no index.csv, observations.jsonl or obs.dat"
            if os.path.isdir(folder)
            else "is not a folder or .tar archive"
        )
        raise TelosError(f"{folder}: {what}", "give a folder of goal-recognition problems")
    if only is not None:
        wanted = {row["id"] for row in _rows(only)}
        cases = [case for case in cases if case.id in wanted]
    if not cases:
        raise TelosError(f"{folder}: it has no problems{f' that {only} names' if only else ''}")
    return tuple(cases)


def read_labels(path: Path) -> dict[str, CaseLabel]:
    """Return the labels of problems by id."""
    found = {}
    for place, row in _json_lines(path, _text(path)):
        name, real = row.get("id"), row.get("real")
        if not isinstance(name, str | int) or not _is_index(real):
            raise TelosError(
                f'{place}: a label has an id and the number of the real goal, as in {{"id": "d1", "real": 3}}'
            )
        equal, reference = row.get("equal", []), row.get("reference_set")
        for key, goals in (("equal", equal), ("reference_set", [] if reference is None else reference)):
            if not isinstance(goals, list) or not all(map(_is_index, goals)):
                raise TelosError(f"{place}: {key} is a list of the numbers of goals, got {goals!r}", "write [0, 3]")
        found[str(name)] = CaseLabel(frozenset({real, *equal}), None if reference is None else frozenset(reference))
    return found


def _is_index(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def read_shared_problem(place: Path) -> StripsProblem:
    """Read and ground the domain, the initial state and the candidate goals of an instance folder or archive."""
    text = _open(place)
    domain = read_domain(PddlSource.of(f"{place}/domain.pddl", text("domain.pddl")))
    template = PddlSource.of(f"{place}/template.pddl", text("template.pddl"))
    # The placeholder is replaced by spaces of its length, so that the positions of faults stay right.
    filled = PddlSource(
        template.file, template.text.replace(GOAL_PLACEHOLDER, " " * len(GOAL_PLACEHOLDER)), template.line_starts
    )
    task = read_problem(filled, domain)
    goals = _lines(text("hyps.dat"))
    if not goals:
        raise TelosError(f"{place}/hyps.dat: it has no goals", "write one per line, atoms separated by commas")
    if len(goals) > MAX_GOALS:
        raise TelosError(f"{place}/hyps.dat: it has {len(goals)} goals; at most {MAX_GOALS} are compared")
    return strips_problem(task, goals)


def read_true_goal(place: Path) -> CaseLabel | None:
    """Return the true goal of a problem in the original layout; None if it is not given."""
    is_told = "real_hyp.dat" in read_archive(place) if is_archive(place) else is_file(place / "real_hyp.dat")
    if not is_told:
        return None
    text = _open(place)
    real = _atoms(text("real_hyp.dat"))
    same = [i for i, goal in enumerate(_lines(text("hyps.dat"))) if _atoms(goal) == real]
    if not same:
        raise TelosError(f"{place}/real_hyp.dat: this goal is not in hyps.dat")
    return CaseLabel(frozenset(same))


def _atoms(goal: str) -> frozenset[str]:
    return frozenset(normalize_atom(atom) for atom in goal.replace(")", "),").split(",") if atom.strip(" ()\n\r\t"))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _open(place: Path) -> Callable[[str], str]:
    """Return a function from the name of a file of the problem to its text."""
    if is_archive(place):
        texts = read_archive(place)
        return lambda name: texts[name] if name in texts else _missing(place / name)
    return lambda name: _text(place / name)


def _text(path: Path) -> str:
    return to_text(read_bytes(path, limit=MAX_FILE_BYTES))


def _missing(path: Path) -> str:
    raise TelosError(f"{path}: no such file", "check the path")


def _original_case(place: Path) -> RecognitionCase:
    name = place.name.removesuffix(".tar.bz2").removesuffix(".tar.gz")
    return RecognitionCase(name, place, tuple(_lines(_open(place)("obs.dat"))))


def _wanted(index: Path, only: Path | None) -> list[dict[str, str]]:
    """Return the rows of an index whose ids are in the table ``only``, in the order of the index."""
    rows = _rows(index)
    if only is None:
        return rows
    known, ids = {row["id"] for row in rows}, [row["id"] for row in _rows(only)]
    if unknown := next((each for each in ids if each not in known), None):
        raise TelosError(f"{only}: unknown problem {unknown!r} in {index}", name_hint(unknown, known))
    wanted = set(ids)
    return [row for row in rows if row["id"] in wanted]


def _collection_cases(folder: Path, rows: Iterable[Mapping[str, str]]) -> list[RecognitionCase]:
    """Return the cases of the rows of an index, in order."""
    read: dict[str, dict[str, RecognitionCase]] = {}
    cases = []
    for row in rows:
        if "id" not in row or "dir" not in row:
            raise TelosError(f"{folder}: an index has the columns id and dir, got {', '.join(row)}")
        place = row["dir"]
        if place not in read:
            _check_inside(folder, place)
            read[place] = _instance_cases(folder / place, row)
        if row["id"] not in read[place]:
            raise TelosError(f"{folder / place}/observations.jsonl: the problem {row['id']!r} of the index is missing")
        cases.append(read[place][row["id"]])
    return cases


def _check_inside(folder: Path, place: str) -> None:
    try:
        is_inside = (folder / place).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # too long, a zero byte, or links in a circle
        is_inside = False
    if not is_inside:
        raise TelosError(f"{folder}: the index names {place!r}, which is outside of the folder", "use paths inside it")


def _instance_cases(place: Path, row: Mapping[str, str]) -> dict[str, RecognitionCase]:
    path = place / "observations.jsonl"
    found = {}
    for where, entry in _json_lines(path, _text(path)):
        seen = entry.get("obs")
        if (
            not isinstance(entry.get("id"), str | int)
            or not isinstance(seen, list)
            or not all(isinstance(each, str) for each in seen)
        ):
            raise TelosError(f'{where}: a problem has an id and obs, a list of ground actions as "(move a b)"')
        found[str(entry["id"])] = RecognitionCase(
            str(entry["id"]),
            place,
            tuple(seen),
            row.get("source", ""),
            row.get("domain", ""),
            *_origin(where, entry),
        )
    return found


def _origin(where: str, entry: Mapping[str, Any]) -> tuple[int | None, bool | None, str]:
    """Return how a problem was generated: observability in percent, whether it is noisy, and the name of its plan."""
    seen, noisy, plan = entry.get("observability"), entry.get("noisy"), entry.get("plan", "")
    if not (seen is None or _is_index(seen)) or not (noisy is None or isinstance(noisy, bool)):
        raise TelosError(f"{where}: observability is a percentage and noisy is true or false", "correct or delete them")
    if not isinstance(plan, str):
        raise TelosError(f"{where}: plan is a text, got {plan!r}")
    return seen, noisy, plan


def _rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table as text by column; a row of another length than the header is refused."""
    reader = csv.reader(StringIO(_text(path)), strict=True)
    rows: list[dict[str, str]] = []
    try:
        header = next(reader, [])
        if "id" not in header:
            raise TelosError(f"{path}: the column id is missing", f"got {', '.join(header)}")
        for row in reader:
            if row and len(row) != len(header):
                raise TelosError(
                    f"{path}:{reader.line_num}: {len(row)} entries where the header has {len(header)}",
                    "is the last line cut?",
                )
            if row:
                rows.append(dict(zip(header, row, strict=True)))
    except csv.Error as error:
        raise TelosError(f"{path}:{reader.line_num}: this is not CSV: {error}", "check the quotes") from None
    return rows


def _json_lines(path: Path, text: str) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entry = parse_json(line)
        except TelosError as error:
            raise error.at(f"{path}:{number}") from None
        if not isinstance(entry, dict):
            raise TelosError(f"{path}:{number}: a line is a JSON object, got {line.strip()[:40]}")
        found.append((f"{path}:{number}", entry))
    return found
