"""Models and events as arrays: what the bulk kernel reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

try:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
except ImportError as missing:  # pragma: no cover
    raise ImportError("reading players in bulk needs numpy; install telos[recognition]") from missing

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.model import GoalModel, Matrix
from telos.recognition.pulse import Pulse

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[Any]  # of unsigned or signed whole numbers

MOST_GOALS = 255  # paths are bytes
MOST_LIKELY = 1e100  # densities may be above 1, but a product of two must not overflow


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
        if not 1 <= size <= MOST_GOALS:
            raise TelosError(f"a model in bulk tells 1 to {MOST_GOALS} goals apart, got {size}")
        matrices = _table("transitions", transitions, (-1, size, size))
        rows = _table("likelihoods", likelihoods, (-1, size))
        if rows.size and rows.max() > MOST_LIKELY:
            raise TelosError(f"a likelihood is at most {MOST_LIKELY:g}, got {rows.max():g}", "scale them down")
        object.__setattr__(self, "goals", tuple(goals))
        object.__setattr__(self, "transitions", _summing("row of transitions", matrices))
        object.__setattr__(self, "likelihoods", rows)
        even = np.full(size, 1.0 / size) if prior is None else prior
        object.__setattr__(self, "prior", _summing("prior", _table("prior", even, (size,))))

    @property
    def inputs(self) -> int:
        """How many transition matrices there are."""
        return len(self.transitions)

    @property
    def symbols(self) -> int:
        """How many different sights there are."""
        return len(self.likelihoods)


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Events as numbers, and the tables that the numbers point into.

    The steps of player number p are those from ``offsets[p]`` to before ``offsets[p + 1]``; ``rows`` says which of the
    given events a step is, as not every event counts.
    """

    model: ModelArrays
    symbols: Indices
    inputs: Indices
    offsets: NDArray[np.int64]
    players: tuple[str, ...]
    rows: NDArray[np.int64]


@dataclass(slots=True)
class _Tables:
    """The different matrices and likelihoods met so far, each with its number."""

    matrices: dict[Matrix, int] = field(default_factory=dict)
    likelihoods: dict[tuple[float, ...], int] = field(default_factory=dict)
    symbols: list[int] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)

    def add(self, matrix: Matrix, likelihood: tuple[float, ...]) -> None:
        self.inputs.append(self.matrices.setdefault(matrix, len(self.matrices)))
        self.symbols.append(self.likelihoods.setdefault(likelihood, len(self.likelihoods)))


def encode(model: GoalModel, events: Iterable[Event]) -> Encoded:
    """Return events as the kernel reads them, each player's apart, in the order in which players are first met.

    What a model says now is written down: a model that has learned more since must be encoded again.
    """
    found = list(events)
    mine: dict[str, list[int]] = {}
    for row, event in enumerate(found):
        mine.setdefault(event.player, []).append(row)
    tables, offsets, rows = _Tables(), [0], list[int]()
    for numbers in mine.values():
        rows += _take_in(model, found, numbers, tables)
        offsets.append(len(rows))
    return Encoded(
        _model_arrays(model, tables),
        compact(tables.symbols),
        compact(tables.inputs),
        np.array(offsets, np.int64),
        tuple(mine),
        np.array(rows, np.int64),
    )


def _take_in(model: GoalModel, events: Sequence[Event], rows: Iterable[int], tables: _Tables) -> list[int]:
    """Add one player's events to the tables; return the rows of those that count."""
    pulse, last, counted = Pulse(model), float("-inf"), []
    for row in rows:
        event = events[row]
        if event.time < last:
            raise TelosError(
                f"time runs backwards: an event of {event.player!r} at {event.time:g} s after one at {last:g} s",
                "sort the log by time",
            )
        last = event.time
        evidence = pulse.evidence(event)
        if evidence is not None:
            tables.add(evidence.transition, evidence.likelihood)
            counted.append(row)
    return counted


def _model_arrays(model: GoalModel, tables: _Tables) -> ModelArrays:
    size = len(model.goals)
    matrices: ArrayLike = list(tables.matrices) or [np.eye(size)]  # no events: some tables, as nothing points into them
    likelihoods: ArrayLike = list(tables.likelihoods) or [[1.0] * size]
    return ModelArrays(model.goals, matrices, likelihoods, model.prior)


def compact(numbers: ArrayLike) -> Indices:
    """Return whole numbers from 0 on in the smallest type that the kernel knows and that holds them.

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


def _summing(name: str, table: Array) -> Array:
    sums = table.sum(axis=-1)
    wrong = np.abs(sums - 1.0) > 1e-9
    if np.any(wrong):
        raise TelosError(f"every {name} sums to 1, but one sums to {np.atleast_1d(sums)[np.atleast_1d(wrong)][0]:.6g}")
    return table
