"""Databases: the ground facts of one world, or of many worlds that share a model, as arrays of codes.

A world is one closed story: one player, one video, one database file. No ground formula joins facts of two worlds. A
corpus of 137 players is one database of 137 worlds, so that it is grounded in one call.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError, name_hint
from telos.logic.model import MarkovLogic

Codes: TypeAlias = NDArray[np.int32]

MAX_MARKED_CELLS = 100_000_000  # worlds × constants of one type, marked in an array of bytes


@dataclass(frozen=True, slots=True)
class FactTable:
    """The ground facts of one predicate: row i is the atom with ``arguments[i]`` in world ``world[i]``.

    ``arguments`` holds codes: the position of a constant in ``Database.constants`` of the argument's type.
    """

    world: Codes  # (n,)
    arguments: Codes  # (n, number of arguments)


@dataclass(frozen=True, slots=True)
class Database:
    """True facts, false facts, values of functions, and all constants.

    ``constants[type]`` are the constants of a type in all worlds: whole numbers in ascending order, then names in order
    of first mention. ``functions[name]`` holds rows of arguments and result. ``present[type]`` has a row (world, code)
    for each constant that a world mentions, sorted: a variable of that type ranges over these and over the constants
    that the model declares.
    """

    worlds: tuple[str, ...]
    constants: Mapping[str, tuple[str, ...]]
    true: Mapping[str, FactTable]
    false: Mapping[str, FactTable] = field(default_factory=dict)
    functions: Mapping[str, FactTable] = field(default_factory=dict)
    present: Mapping[str, Codes] = field(default_factory=dict)  # (m, 2)


def database_from_rows(
    tables: Mapping[str, Sequence[Sequence[object]]],
    *,
    types: Mapping[str, tuple[str, ...]],
    world: str = "world",
    false: Mapping[str, Sequence[Sequence[object]]] | None = None,
    functions: Mapping[str, Sequence[Sequence[object]]] | None = None,
    constants: Mapping[str, Sequence[object]] | None = None,
) -> Database:
    """Return a database of one world from plain rows; ``types`` has the argument types of each predicate.

    The types of a function end with that of its result. ``constants`` exist in the world even if no fact mentions them.

    >>> known = database_from_rows({"action": [(0, "Eat"), (1, "Talk")]}, types={"action": ("time", "action")})
    >>> known.constants["action"], known.true["action"].arguments.tolist()
    (('Eat', 'Talk'), [[0, 0], [1, 1]])
    """
    builder = DatabaseBuilder(types)
    builder.world(world)
    for kind, names in (constants or {}).items():
        for name in names:
            builder.mention(kind, str(name))
    for part, rows in (("true", tables), ("false", false or {}), ("functions", functions or {})):
        for predicate, given in rows.items():
            for row in given:
                builder.add(part, predicate, [str(each) for each in row])
    return builder.build()


def database_from_arrays(
    worlds: Sequence[str],
    constants: Mapping[str, Sequence[str]],
    facts: Mapping[str, tuple[NDArray[np.integer], NDArray[np.integer]]],
    *,
    types: Mapping[str, tuple[str, ...]],
    false: Mapping[str, tuple[NDArray[np.integer], NDArray[np.integer]]] | None = None,
) -> Database:
    """Return a database of many worlds from arrays: for each predicate the worlds (n,) and codes (n, k).

    A code is the position of a name in ``constants`` of its type. Names may be in any order; they are sorted as in
    ``Database``, and the codes with them.

    >>> import numpy as np
    >>> facts = {"action": (np.array([0, 1]), np.array([[0, 0], [0, 1]]))}
    >>> names = {"time": ["0"], "action": ["Eat", "Talk"]}
    >>> known = database_from_arrays(["Ann", "Bob"], names, facts, types={"action": ("time", "action")})
    >>> known.present["action"].tolist()
    [[0, 0], [1, 1]]
    """
    named = {kind: order_constants(names) for kind, names in constants.items()}
    moves = {kind: _recoding(tuple(names), named[kind], kind) for kind, names in constants.items()}
    parts = [
        {name: _recode(name, given, types, moves, len(worlds)) for name, given in part.items()}
        for part in (facts, false or {})
    ]
    present = _find_present(len(worlds), named, [(part, types) for part in parts], {})
    return Database(tuple(worlds), named, parts[0], parts[1], {}, present)


def select_worlds(database: Database, worlds: Sequence[int]) -> Database:
    """Return some worlds of a database, in the given order; the codes of constants do not change."""
    if len(set(worlds)) != len(worlds):
        raise TelosError(f"the same world is selected twice: {list(worlds)}", "name each world once")
    place = np.full(len(database.worlds), -1, np.int32)
    place[list(worlds)] = np.arange(len(worlds), dtype=np.int32)

    def kept(part: Mapping[str, FactTable]) -> dict[str, FactTable]:
        return {
            name: FactTable(place[each.world[chosen]], each.arguments[chosen])
            for name, each in part.items()
            for chosen in (place[each.world] >= 0,)
        }

    present = {}
    for kind, rows in database.present.items():
        moved = np.column_stack((place[rows[:, 0]], rows[:, 1]))
        moved = moved[moved[:, 0] >= 0]
        present[kind] = moved[np.lexsort((moved[:, 1], moved[:, 0]))].astype(np.int32)
    parts = (kept(database.true), kept(database.false), kept(database.functions))
    return Database(tuple(database.worlds[each] for each in worlds), database.constants, *parts, present)


def find_unstated(model: MarkovLogic, database: Database) -> tuple[str, ...]:
    """Return the predicates of a model of which a database states no fact, neither a true nor a false one."""
    tables = (database.true, database.false)
    stated = {name for part in tables for name, facts in part.items() if len(facts.world)}
    return tuple(name for name in model.predicates if name not in stated)


def order_constants(names: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct names: whole numbers in ascending order, then the others in the given order.

    >>> order_constants(["Eat", "10", "9", "Eat"])
    ('9', '10', 'Eat')
    """
    once = dict.fromkeys(names)
    numbers = sorted((name for name in once if is_whole_number(name)), key=int)
    return (*numbers, *(name for name in once if not is_whole_number(name)))


def is_whole_number(name: str) -> bool:
    """Return whether a constant is a whole number in normal form: ``-3``, not ``007``."""
    digits = name.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and (digits[0] != "0" or name == "0")


class DatabaseBuilder:
    """Builds a database from single facts, world after world."""

    def __init__(
        self, types: Mapping[str, tuple[str, ...]], constants: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        """Start with the constants of the model, which every world may use."""
        self._types = types
        self._codes = {
            kind: {name: code for code, name in enumerate(names)} for kind, names in (constants or {}).items()
        }
        self._worlds: list[str] = []
        self._named: dict[str, int] = {}  # how many worlds were given a name
        self._rows: dict[tuple[str, str], dict[tuple[int, ...], None]] = {}
        self._mentioned: dict[str, list[tuple[int, int]]] = {}

    def world(self, name: str) -> None:
        """Start a world, to which the following facts belong. The second of the same name is called ``name#2``."""
        count = self._named[name] = self._named.get(name, 0) + 1
        self._worlds.append(name if count == 1 else f"{name}#{count}")

    def mention(self, kind: str, name: str) -> None:
        """Add a constant to the current world."""
        codes = self._codes.setdefault(kind, {})
        self._mentioned.setdefault(kind, []).append((len(self._worlds) - 1, codes.setdefault(name, len(codes))))

    def add(self, part: str, predicate: str, names: Sequence[str]) -> None:
        """Add a fact to ``true``, ``false`` or ``functions``; repeated facts count once."""
        types = self._types.get(predicate)
        if types is None:
            raise TelosError(f"unknown predicate {predicate!r}", name_hint(predicate, self._types))
        if len(types) != len(names):
            raise TelosError(f"{predicate} takes {len(types)} arguments ({', '.join(types)}), not {len(names)}")
        row = [len(self._worlds) - 1]
        for kind, name in zip(types, names, strict=True):
            codes = self._codes.get(kind)
            if codes is None:
                codes = self._codes[kind] = {}
            row.append(codes.setdefault(name, len(codes)))
        if part != "functions":
            other = self._rows.get(("false" if part == "true" else "true", predicate))
            if other and tuple(row) in other:
                atom = f"{predicate}({','.join(names)})" if names else predicate
                raise TelosError(f"{atom} is both true and false", "leave out one of them")
        self._rows.setdefault((part, predicate), {})[tuple(row)] = None

    def build(self) -> Database:
        names = {kind: order_constants(codes) for kind, codes in self._codes.items()}
        moves = {kind: _recoding(tuple(codes), names[kind], kind) for kind, codes in self._codes.items()}
        parts: dict[str, dict[str, FactTable]] = {"true": {}, "false": {}, "functions": {}}
        for (part, predicate), rows in self._rows.items():
            table = np.array(list(rows), np.int32).reshape(len(rows), 1 + len(self._types[predicate]))
            given = (table[:, 0], table[:, 1:])
            parts[part][predicate] = _recode(predicate, given, self._types, moves, len(self._worlds))
        mentioned = {
            kind: (np.array([world for world, _ in rows]), moves[kind][[code for _, code in rows]])
            for kind, rows in self._mentioned.items()
        }
        present = _find_present(len(self._worlds), names, [(part, self._types) for part in parts.values()], mentioned)
        return Database(tuple(self._worlds), names, parts["true"], parts["false"], parts["functions"], present)


def _recoding(given: tuple[str, ...], wanted: tuple[str, ...], kind: str) -> Codes:
    """Return the new code of each old one."""
    if len(given) != len(wanted):
        raise TelosError(f"the constants of {kind} contain a name twice", "name each once")
    place = {name: code for code, name in enumerate(wanted)}
    return np.array([place[name] for name in given], np.int32)


def _recode(
    predicate: str,
    given: tuple[NDArray[np.integer], NDArray[np.integer]],
    types: Mapping[str, tuple[str, ...]],
    moves: Mapping[str, Codes],
    worlds: int,
) -> FactTable:
    kinds = types.get(predicate)
    if kinds is None:
        raise TelosError(f"unknown predicate {predicate!r}", name_hint(predicate, types))
    world = np.asarray(given[0], np.int32)
    codes = np.zeros((len(world), len(kinds)), np.int32)
    if kinds and len(world):
        codes = np.asarray(given[1], np.int32).reshape(len(world), -1)
    if codes.shape[1] != len(kinds):
        raise TelosError(f"{predicate} takes {len(kinds)} arguments ({', '.join(kinds)}), not {codes.shape[1]}")
    if len(world) and not 0 <= world.min() <= world.max() < worlds:
        raise TelosError(
            f"a fact of {predicate} has world {world.max()}, but there are {worlds} worlds", "count from 0"
        )
    columns = []
    for place, kind in enumerate(kinds):
        column, known = codes[:, place], moves.get(kind, np.zeros(0, np.int32))
        if len(column) and not 0 <= column.min() <= column.max() < len(known):
            raise TelosError(f"{predicate} uses code {column.max()} for {kind}, which has {len(known)} constants")
        columns.append(known[column])
    return FactTable(world, np.column_stack(columns).astype(np.int32) if columns else codes)


def _find_present(
    worlds: int,
    constants: Mapping[str, tuple[str, ...]],
    parts: Sequence[tuple[Mapping[str, FactTable], Mapping[str, tuple[str, ...]]]],
    mentioned: Mapping[str, tuple[NDArray[np.integer], NDArray[np.integer]]],
) -> dict[str, Codes]:
    """Return which worlds mention which constants, as sorted rows (world, code)."""
    seen: dict[str, list[NDArray[np.int64]]] = {kind: [] for kind in constants}
    for facts, types in parts:
        for name, rows in facts.items():
            for place, kind in enumerate(types[name]):
                seen[kind].append(rows.world.astype(np.int64) * len(constants[kind]) + rows.arguments[:, place])
    for kind, (world, codes) in mentioned.items():
        seen[kind].append(np.asarray(world, np.int64) * len(constants[kind]) + codes)
    return {kind: _distinct_rows(seen[kind], worlds, len(constants[kind])) for kind in constants}


def _distinct_rows(cells: Sequence[NDArray[np.int64]], worlds: int, codes: int) -> Codes:
    size = worlds * codes
    if size <= MAX_MARKED_CELLS:  # marking is many times as fast as sorting
        marks = np.zeros(size, np.bool_)
        for each in cells:
            marks[each] = True
        found = np.flatnonzero(marks)
    else:
        found = np.unique(np.concatenate(cells)) if cells else np.zeros(0, np.int64)
    return np.column_stack((found // max(codes, 1), found % max(codes, 1))).astype(np.int32)
