"""Restoring saved state in parts: values, random numbers, and what a lenient restore leaves out.

`SnapshotCheck` raises faults with their place in a snapshot; in a lenient restore it collects an `Omission` instead.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.core.errors import TelosError, name_hint
from telos.files.snapshots import REMEDY, Finite, Items, Row, snapshot_error

LENIENT = "give what save() returned, or restore it with lenient=True, which leaves out what does not apply any more"

Point: TypeAlias = Row[tuple[Finite, Finite]]
_Word: TypeAlias = Annotated[int, Field(ge=0, lt=2**32)]
RandomState: TypeAlias = Row[tuple[int, Items[_Word], Finite | None]]


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that a lenient restore left out, because it does not fit the present content: whose, what and why.

    >>> print(Omission("ann", "the plan for 'kill'", "there is no action 'shoot' any more"))
    ann: the plan for 'kill' is left out: there is no action 'shoot' any more
    """

    who: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.who}: {self.what} is left out: {self.why}"


class SnapshotCheck:
    """Raises the faults of one snapshot, each with its place; if ``lenient``, `part` turns them into omissions."""

    def __init__(self, of: str, *, lenient: bool = False, path: Sequence[str | int] = ()) -> None:
        self.of, self.lenient, self.path = of, lenient, tuple(path)
        self.omissions: list[Omission] = []

    def at(self, *path: str | int) -> "SnapshotCheck":
        """Return the check of a part of the snapshot; omissions are collected together."""
        inner = SnapshotCheck(self.of, lenient=self.lenient, path=(*self.path, *path))
        inner.omissions = self.omissions
        return inner

    def fault(self, path: Sequence[str | int], message: str, remedy: str = REMEDY) -> TelosError:
        """Return the error of a fault at ``path`` of this part."""
        return snapshot_error(self.of, (*self.path, *path), message, remedy)

    def known(self, path: Sequence[str | int], name: str, names: Iterable[str], what: str = "name") -> None:
        """Require a name that exists."""
        known = names if isinstance(names, Mapping | set | frozenset) else list(names)
        if name not in known:
            raise self.fault(path, f"is {name!r}, and there is no such {what}", name_hint(name, known) or LENIENT)

    def require(self, holds: bool, path: Sequence[str | int], message: str) -> None:
        """Require that something holds; ``message`` completes the place of the fault."""
        if not holds:
            raise self.fault(path, message)

    def drop(self, who: str, what: str, why: str) -> None:
        """Note an omission."""
        self.omissions.append(Omission(who, what, why))

    @contextmanager
    def part(self, who: str, what: str) -> Iterator[None]:
        """Run a block that reads ``what``; in a lenient restore a fault in it is noted, and the block is left."""
        try:
            yield
        except TelosError as error:
            if not self.lenient:
                raise
            self.drop(who, what, error.message)

    @contextmanager
    def sound(self) -> Iterator[None]:
        """Turn any exception into a fault of this snapshot: a net below the checks, whose faults pass unchanged."""
        try:
            yield
        except TelosError:
            raise
        except (
            MemoryError,
            RecursionError,
            ArithmeticError,
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
        ) as error:
            message = f"does not fit ({type(error).__name__}: {error})"
            raise self.fault((), message) from error


def save_random(rng: Random) -> list[Any]:
    """Return the state of a random number generator as plain data."""
    version, numbers, gauss = rng.getstate()
    return [version, list(numbers), gauss]


def read_random(check: SnapshotCheck, path: Sequence[str | int], saved: tuple[int, list[int], float | None]) -> Random:
    """Return a generator in a saved state."""
    version, numbers, gauss = saved
    rng = Random(0)
    if version != rng.VERSION or len(numbers) != len(rng.getstate()[1]) or numbers[-1] >= len(numbers):
        raise check.fault(path, "is not the state of a random number generator")
    rng.setstate((version, tuple(numbers), gauss))
    return rng
