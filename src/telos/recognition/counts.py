"""Counts of what was seen under each goal: the whole of what an observation model learns."""

import math
from collections.abc import Mapping, Sequence

from telos.core.errors import TelosError, name_hint
from telos.core.numbers import not_negative


class Counts:
    """How often each outcome was seen in each row, on top of pseudo-counts: what was believed before anything was.

    >>> seen = Counts(["fight"], ["swing", "walk"], pseudo=1)
    >>> seen.add("fight", 0)
    >>> seen.chances("fight")
    (0.6666666666666666, 0.3333333333333333)
    """

    def __init__(
        self,
        rows: Sequence[str],
        outcomes: Sequence[str],
        *,
        pseudo: float | Mapping[str, Mapping[str, float]] = 1.0,
        seen: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        self.rows, self.outcomes = tuple(rows), tuple(outcomes)
        even = dict.fromkeys(self.outcomes, pseudo)
        before = pseudo if isinstance(pseudo, Mapping) else dict.fromkeys(self.rows, even)
        self._pseudo = self._table(before, "pseudo-counts")  # type: ignore[arg-type]
        self._seen = self._table(seen or {}, "counts")

    def _table(self, given: Mapping[str, Mapping[str, float]], what: str) -> dict[str, list[float]]:
        for row, counts in given.items():
            if row not in self.rows:
                raise TelosError(f"{what} of an unknown goal {row!r}", name_hint(row, self.rows))
            for outcome in counts:
                if outcome not in self.outcomes:
                    raise TelosError(f"{what} of an unknown outcome {outcome!r}", name_hint(outcome, self.outcomes))
        return {
            row: [
                not_negative(f"the {what} of {outcome!r} under {row!r}", given.get(row, {}).get(outcome, 0.0))
                for outcome in self.outcomes
            ]
            for row in self.rows
        }

    def add(self, row: str, outcome: int, weight: float = 1.0) -> None:
        """Count one sighting of an outcome in a row."""
        self._seen[row][outcome] += weight

    def fade(self, factor: float, rows: Sequence[str] | None = None) -> None:
        """Multiply what was seen (in these rows, or in all) by a factor; what was believed before stays."""
        if not 0 <= factor <= 1:
            raise TelosError(f"counts fade by a factor from 0 to 1, got {factor!r}")
        for row in self.rows if rows is None else rows:
            self._seen[row] = [count * factor for count in self._seen[row]]

    def chances(self, row: str) -> tuple[float, ...]:
        """Return the chance of each outcome in a row; even chances if nothing at all is known."""
        sums = self.weights(row)
        total = math.fsum(sums)
        return tuple(each / total for each in sums) if total > 0 else (1.0 / len(sums),) * len(sums)

    def weights(self, row: str) -> list[float]:
        """Return what was counted in a row, with its pseudo-counts."""
        return [before + seen for before, seen in zip(self._pseudo[row], self._seen[row], strict=True)]

    @property
    def seen(self) -> dict[str, dict[str, float]]:
        """Return what was counted, without pseudo-counts."""
        return {row: dict(zip(self.outcomes, self._seen[row], strict=True)) for row in self.rows}

    @property
    def pseudo(self) -> dict[str, dict[str, float]]:
        """Return the pseudo-counts."""
        return {row: dict(zip(self.outcomes, self._pseudo[row], strict=True)) for row in self.rows}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        mine = (self.rows, self.outcomes, self._seen, self._pseudo)
        return mine == (other.rows, other.outcomes, other._seen, other._pseudo)

    __hash__ = None  # type: ignore[assignment]
