"""Distributions as authors write them (some chances named, the rest shared), and counts with pseudo-counts."""

import math
from collections.abc import Mapping, Sequence

from telos.core.errors import Fault, FaultCode, TelosError, name_hint
from telos.core.values import check_finite, check_not_negative

SHARED = "shared"
OTHERS = "others"
SUM_TOLERANCE = 1e-6  # three times 0.333333 counts as 1, three times 0.33 does not


def complete_distribution(
    given: Mapping[str, float], names: Sequence[str], what: str, *, share: bool
) -> tuple[tuple[float, ...], list[Fault]]:
    """Return a chance for each of ``names`` and the faults in ``given``; with ``share``, unnamed ones share the rest.

    Every goal must divide 1 among the same outcomes: a model that breaks this rule favours one goal whatever happens.

    >>> complete_distribution({"swing": 0.5}, ["swing", "stop", "walk"], "outcome", share=True)[0]
    (0.5, 0.25, 0.25)
    """
    faults = [
        Fault(f"unknown {what} {name!r}", suggestion=name_hint(name, names), path=(name,), code=FaultCode.UNKNOWN_NAME)
        for name in given
        if name not in names
    ]
    faults += [fault for name, chance in given.items() for fault in _chance_faults(name, chance)]
    if faults:
        return (), faults
    total = math.fsum(given.values())
    unnamed = [name for name in names if name not in given]
    faults = _sum_faults(total, unnamed, len(names), what, share)
    portion = max(0.0, 1.0 - total) / len(unnamed) if share and unnamed else 0.0
    chances = [given.get(name, portion) for name in names]
    whole = math.fsum(chances) or 1.0
    return tuple(chance / whole for chance in chances), faults


def _chance_faults(name: str, chance: float) -> list[Fault]:
    try:
        good = 0 <= check_finite("a probability", chance) <= 1
    except ValueError:
        good = False
    return (
        []
        if good
        else [
            Fault(
                f"{chance!r} is not a probability",
                suggestion="write 0 to 1, or 1/3",
                path=(name,),
                code=FaultCode.NOT_A_PROBABILITY,
            )
        ]
    )


def _sum_faults(total: float, unnamed: Sequence[str], count: int, what: str, share: bool) -> list[Fault]:
    message = f"sums to {total:.6g}, not 1"
    if total > 1 + SUM_TOLERANCE:
        return [Fault(message, suggestion="make the named ones smaller", code=FaultCode.OUT_OF_RANGE)]
    if total >= 1 - SUM_TOLERANCE:
        if unnamed and not share and what == "outcome":
            return [_incomplete_fault(count - len(unnamed), count, unnamed)]
        return []
    if share and unnamed:
        return []
    if unnamed:
        return [
            Fault(
                message,
                suggestion=f"name {', '.join(unnamed)} too, or write {OTHERS}: {SHARED}",
                code=FaultCode.OUT_OF_RANGE,
            )
        ]
    return [
        Fault(
            message,
            suggestion="make the named ones larger, since none is left to share the rest",
            code=FaultCode.OUT_OF_RANGE,
        )
    ]


def _incomplete_fault(named: int, count: int, unnamed: Sequence[str]) -> Fault:
    return Fault(
        f"sums to 1 over {named} of the {count} outcomes, where every goal must divide it among all {count}",
        suggestion=f"name {', '.join(unnamed)} too (0 if it cannot be), or write {OTHERS}: {SHARED}",
        code=FaultCode.OUT_OF_RANGE,
    )


class Counts:
    """How often each outcome was observed in each row, on top of pseudo-counts.

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
                check_not_negative(f"the {what} of {outcome!r} under {row!r}", given.get(row, {}).get(outcome, 0.0))
                for outcome in self.outcomes
            ]
            for row in self.rows
        }

    def add(self, row: str, outcome: int, weight: float = 1.0) -> None:
        """Count one observation of an outcome in a row."""
        self._seen[row][outcome] += weight

    def fade(self, factor: float, rows: Sequence[str] | None = None) -> None:
        """Multiply the counts (of these rows, or of all) by a factor; pseudo-counts stay."""
        if not 0 <= factor <= 1:
            raise TelosError(f"counts fade by a factor from 0 to 1, got {factor!r}")
        for row in self.rows if rows is None else rows:
            self._seen[row] = [count * factor for count in self._seen[row]]

    def chances(self, row: str) -> tuple[float, ...]:
        """Return the chance of each outcome in a row; equal chances if all counts are 0."""
        sums = self.weights(row)
        total = math.fsum(sums)
        return tuple(each / total for each in sums) if total > 0 else (1.0 / len(sums),) * len(sums)

    def weights(self, row: str) -> list[float]:
        """Return the counts of a row plus its pseudo-counts."""
        return [before + seen for before, seen in zip(self._pseudo[row], self._seen[row], strict=True)]

    @property
    def seen(self) -> dict[str, dict[str, float]]:
        """The counts without pseudo-counts."""
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
