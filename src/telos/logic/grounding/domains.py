"""Which constants there are: as codes, by type, and in which world each of them exists."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.logic.database import Database
from telos.logic.grounding.keys import Lookup, packed
from telos.logic.model import MarkovLogic
from telos.logic.network import Ints, Longs


class Domains:
    """The constants of every type.

    Codes are those of the database; constants that only the model names come after them. A constant exists in the
    worlds that mention it, and in all of them if the model names it.
    """

    def __init__(self, model: MarkovLogic, database: Database, named: Iterable[tuple[str, str]] = ()) -> None:
        self.worlds = len(database.worlds)
        declared: dict[str, dict[str, None]] = {kind: dict.fromkeys(names) for kind, names in model.constants.items()}
        for kind, name in named:
            declared.setdefault(kind, {})[name] = None
        self.names: dict[str, tuple[str, ...]] = {}
        for kind in {**database.constants, **declared}:
            self.names[kind] = tuple(dict.fromkeys((*database.constants.get(kind, ()), *declared.get(kind, ()))))
        self.codes: dict[str, Mapping[str, int]] = {
            kind: {name: code for code, name in enumerate(names)} for kind, names in self.names.items()
        }
        self._declared = {kind: [self.codes[kind][name] for name in names] for kind, names in declared.items()}
        self._present = {kind: rows for kind, rows in database.present.items() if kind in database.constants}
        self._here: dict[str, tuple[Ints, Ints]] = {}
        self._lookup: dict[str, Lookup] = {}
        self._shifts: dict[tuple[str, int], Ints] = {}

    def size(self, kind: str) -> int:
        """Return how many constants a type has in all worlds together."""
        return len(self.names.get(kind, ()))

    def code(self, kind: str, name: str) -> int:
        """Return the code of a constant, or -1 if the type has none of that name."""
        return self.codes.get(kind, {}).get(name, -1)

    def all(self, kind: str) -> tuple[Ints, Ints]:
        """Return every constant in every world: the range of a block's own argument."""
        size = self.size(kind)
        world = np.repeat(np.arange(self.worlds, dtype=np.int32), size)
        return world, np.tile(np.arange(size, dtype=np.int32), self.worlds)

    def here(self, kind: str) -> tuple[Ints, Ints]:
        """Return the constants that exist, world by world."""
        if kind not in self._here:
            self._here[kind] = self._existing(kind)
        return self._here[kind]

    def _existing(self, kind: str) -> tuple[Ints, Ints]:
        if kind not in self._present:
            return self.all(kind)
        size, rows = self.size(kind), self._present[kind].astype(np.int64)
        declared = np.asarray(self._declared.get(kind, []), np.int64)
        added = (np.arange(self.worlds, dtype=np.int64)[:, None] * size + declared).ravel()
        keys = np.unique(np.concatenate([rows[:, 0] * size + rows[:, 1], added]))
        return (keys // max(size, 1)).astype(np.int32), (keys % max(size, 1)).astype(np.int32)

    def everywhere(self, kind: str) -> bool:
        """Whether all constants of a type exist in all worlds."""
        return len(self.here(kind)[0]) == self.size(kind) * self.worlds

    def exists(self, kind: str, world: Ints, code: Ints) -> NDArray[np.bool_]:
        """Say of each pair of a world and a code (-1 is no constant) whether the constant exists there."""
        if kind not in self._lookup:
            self._lookup[kind] = Lookup(packed(self.here(kind), self._radices(kind)), self.worlds * self.size(kind))
        found = code >= 0
        if not found.all():
            found[found] = self._lookup[kind].contains(packed((world[found], code[found]), self._radices(kind)))
            return found
        return self._lookup[kind].contains(packed((world, code), self._radices(kind)))

    def _radices(self, kind: str) -> tuple[int, int]:
        return self.worlds, self.size(kind)

    def counts(self, kind: str) -> Longs:
        """Return how many constants exist in each world."""
        return np.bincount(self.here(kind)[0], minlength=self.worlds).astype(np.int64)

    def shift(self, kind: str, by: int) -> Ints:
        """Return for each code the code of the whole number that lies ``by`` away, or -1."""
        if (kind, by) not in self._shifts:
            names = self.names.get(kind, ())
            whole = {int(name): code for code, name in enumerate(names) if _is_whole(name)}
            if names and not whole:
                raise TelosError(f"{names[0]} of type {kind} is no whole number: `t-1` needs a type of whole numbers")
            moved = [whole.get(int(name) + by, -1) if _is_whole(name) else -1 for name in names]
            self._shifts[kind, by] = np.asarray(moved, np.int32)
        return self._shifts[kind, by]

    def translation(self, kind: str, other: str) -> Ints:
        """Return for each constant of a type the code of its namesake in another, or -1."""
        return np.asarray([self.code(other, name) for name in self.names.get(kind, ())], np.int32)


def _is_whole(name: str) -> bool:
    return name.isdecimal() or (name[:1] == "-" and name[1:].isdecimal())
