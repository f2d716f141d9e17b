"""Beliefs: a probability for each goal."""

import math
from collections.abc import Iterator, Mapping, Sequence

from telos.core.errors import TelosError, name_hint
from telos.core.values import check_not_negative

_new = object.__new__


class Belief(Mapping[str, float]):
    """A probability for each goal, and the reasons for it.

    >>> belief = Belief({"level": 0.2, "explore": 0.7, "town": 0.1})
    >>> belief.top, belief["explore"], round(belief.entropy, 3)
    ('explore', 0.7, 1.157)
    """

    __slots__ = ("_goals", "_mapping", "_numbers", "_reasons")

    def __init__(self, chances: Mapping[str, float], *, because: Sequence[str] = ()) -> None:
        checked = {goal: check_not_negative(f"the belief in {goal!r}", chance) for goal, chance in chances.items()}
        self._goals, self._numbers = tuple(checked), tuple(checked.values())
        self._mapping: dict[str, float] | None = checked
        self._reasons = tuple(because)
        total = math.fsum(self._numbers)
        if not math.isclose(total, 1.0, abs_tol=1e-9):
            raise TelosError(f"a belief sums to 1, but {dict(chances)} sums to {total:.6g}")

    @classmethod
    def of(cls, goals: Sequence[str], chances: Sequence[float], because: tuple[str, ...] = ()) -> "Belief":
        """Return a belief without checks or copies, for speed: recognisers make one for every event.

        The sequences must not be changed afterwards.
        """
        made = _new(cls)
        made._goals, made._numbers = goals, chances  # type: ignore[assignment]
        made._mapping = None
        made._reasons = because
        return made

    @property
    def _chances(self) -> dict[str, float]:
        """The chance by goal; made when it is first asked for, as few beliefs of a log are looked at."""
        if self._mapping is None:
            self._mapping = dict(zip(self._goals, self._numbers, strict=True))
        return self._mapping

    @property
    def reasons(self) -> tuple[str, ...]:
        return self._reasons

    def __getitem__(self, goal: str) -> float:
        if goal not in self._chances:
            raise KeyError(f"unknown goal {goal!r}; {name_hint(goal, self._chances)}")
        return self._chances[goal]

    def __iter__(self) -> Iterator[str]:
        return iter(self._goals)

    def __len__(self) -> int:
        return len(self._goals)

    def __repr__(self) -> str:
        return f"Belief({', '.join(f'{goal}={chance:.3g}' for goal, chance in self._chances.items())})"

    @property
    def top(self) -> str:
        """Return the likeliest goal; the first of several that are equally likely."""
        return self._goals[self._numbers.index(max(self._numbers))]

    @property
    def entropy(self) -> float:
        """Return the uncertainty in bits: 0 for certainty, 1 for two equally likely goals."""
        return -math.fsum(chance * math.log2(chance) for chance in self._chances.values() if chance > 0) + 0.0

    def why(self) -> str:
        """Return the belief in words, with the reasons of its recogniser."""
        ranked = sorted(self._chances.items(), key=lambda pair: -pair[1])
        shares = ", ".join(f"{goal} {chance:.0%}" for goal, chance in ranked)
        return "\n".join([f"{self.top}: {shares} ({self.entropy:.2f} bits of doubt)", *self._reasons])
