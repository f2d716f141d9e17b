"""Numbers in bins with names that a person can read."""

from collections.abc import Sequence
from itertools import pairwise

from telos.core.errors import TelosError
from telos.telemetry.frames import pl


def bin_names(edges: Sequence[float], *, whole: bool) -> tuple[str, ...]:
    """Return the names of the bins: below the first edge, between two, and from the last on.

    >>> bin_names([0, 1, 3, 8], whole=True)
    ('<0', '0', '1-2', '3-7', '8+')
    >>> bin_names([0, 0.5, 2], whole=False)
    ('<0', '0-0.5', '0.5-2', '2+')
    """
    between = [_between(low, high, whole) for low, high in pairwise(edges)]
    return (f"<{edges[0]:g}", *between, f"{edges[-1]:g}+")


def _between(low: float, high: float, whole: bool) -> str:
    if not whole:
        return f"{low:g}-{high:g}"
    return f"{low:g}" if high - low == 1 else f"{low:g}-{high - 1:g}"


def binned(column: str, edges: Sequence[float], kind: pl.DataType) -> pl.Expr:
    """Return the name of the bin that each number of a column falls into."""
    if not kind.is_numeric():
        raise TelosError(
            f"bins are for numbers, and column {column!r} holds {kind}", "leave its bins out, or mend the log"
        )
    whole = kind.is_integer() and all(float(edge).is_integer() for edge in edges)
    number = pl.col(column).cast(pl.Float64).fill_nan(None)
    *lower, last = bin_names(edges, whole=whole)
    # The first edge that a number is below names its bin; what is no number is in none.
    below = [pl.when(number < edge).then(pl.lit(name)) for edge, name in zip(edges, lower, strict=True)]
    return pl.coalesce(*below, pl.when(number.is_not_null()).then(pl.lit(last)))
