"""A goal model as tables of transitions and likelihoods: ``ModelArrays``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

try:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
except ImportError as missing:  # pragma: no cover
    raise ImportError("reading players in bulk needs numpy; install telos[recognition]") from missing

from telos.core.errors import TelosError

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[Any]  # of signed or unsigned integers

MAX_GOALS = 255  # the indices of goals in paths are bytes
MAX_LIKELIHOOD = 1e100  # densities may be above 1, but products must not overflow


@dataclass(frozen=True, slots=True, eq=False, init=False)
class ModelArrays:
    """A goal model as tables: ``transitions[input, from, to]`` and ``likelihoods[symbol, goal]``.

    >>> stay = [[0.75, 0.25], [0.25, 0.75]]
    >>> ModelArrays(["fight", "flee"], [stay], [[0.75, 0.25], [0.25, 0.75]]).symbols
    2
    """

    goals: tuple[str, ...]
    prior: Array
    transitions: Array
    likelihoods: Array

    def __init__(
        self, goals: Sequence[str], transitions: ArrayLike, likelihoods: ArrayLike, prior: ArrayLike | None = None
    ) -> None:
        size = len(goals)
        if not 1 <= size <= MAX_GOALS:
            raise TelosError(f"a model in bulk has 1 to {MAX_GOALS} goals, got {size}")
        matrices = _table("transitions", transitions, (-1, size, size))
        rows = _table("likelihoods", likelihoods, (-1, size))
        if rows.size and rows.max() > MAX_LIKELIHOOD:
            raise TelosError(f"a likelihood is at most {MAX_LIKELIHOOD:g}, got {rows.max():g}", "scale them down")
        object.__setattr__(self, "goals", tuple(goals))
        object.__setattr__(self, "transitions", _check_sums("row of transitions", matrices))
        object.__setattr__(self, "likelihoods", rows)
        even = np.full(size, 1.0 / size) if prior is None else prior
        object.__setattr__(self, "prior", _check_sums("prior", _table("prior", even, (size,))))

    @property
    def inputs(self) -> int:
        """The number of transition matrices."""
        return len(self.transitions)

    @property
    def symbols(self) -> int:
        """The number of different observations."""
        return len(self.likelihoods)


def compact(numbers: ArrayLike) -> Indices:
    """Return non-negative integers in the smallest type of the kernel that holds them.

    >>> compact([0, 255]).dtype.name, compact([256]).dtype.name
    ('uint8', 'uint16')
    """
    wide = np.asarray(numbers, np.int64)
    most = int(wide.max(initial=0))
    return wide.astype(np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.int64)


def _table(name: str, given: ArrayLike, shape: tuple[int, ...]) -> Array:
    try:
        table = np.array(given, np.float64, order="C")
    except (TypeError, ValueError) as bad:
        raise TelosError(f"{name} must be numbers in a regular table: {bad}") from None
    wanted = " × ".join("n" if side < 0 else str(side) for side in shape)
    if table.ndim != len(shape) or any(want not in (-1, got) for want, got in zip(shape, table.shape, strict=True)):
        raise TelosError(f"{name} must have the shape {wanted}, got {' × '.join(map(str, table.shape)) or 'a number'}")
    if not table.size:
        raise TelosError(f"{name} must not be empty", f"the shape is {wanted}")
    if not np.all(np.isfinite(table)) or table.min() < 0:
        worst = table[~np.isfinite(table) | (table < 0)][0]
        raise TelosError(f"{name} must be finite numbers, 0 or more, got {worst}")
    table.flags.writeable = False
    return table


def _check_sums(name: str, table: Array) -> Array:
    sums = table.sum(axis=-1)
    wrong = np.abs(sums - 1.0) > 1e-9
    if np.any(wrong):
        raise TelosError(
            f"every {name} must sum to 1, but one sums to {np.atleast_1d(sums)[np.atleast_1d(wrong)][0]:.6g}"
        )
    return table
