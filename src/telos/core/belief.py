"""Beliefs: a probability for each goal."""

import math
from collections.abc import Iterator, Mapping, Sequence

from telos.core.errors import TelosError, name_hint
from telos.core.values import check_not_negative


class Belief(Mapping[str, float]):
    """A probability for each goal, and the reasons for it.

    >>> belief = Belief({"level": 0.2, "explore": 0.7, "town": 0.1})
    >>> belief.top, belief["explore"], round(belief.entropy, 3)
    ('explore', 0.7, 1.157)
    """

    __slots__ = ("_chances", "_reasons")

    def __init__(self, chances: Mapping[str, float], *, because: Sequence[str] = ()) -> None:
        self._chances = {
            goal: check_not_negative(f"the belief in {goal!r}", chance) for goal, chance in chances.items()
        }
        self._reasons = tuple(because)
        total = math.fsum(self._chances.values())
        if not math.isclose(total, 1.0, abs_tol=1e-9):
            raise TelosError(f"a belief sums to 1, but {dict(chances)} sums to {total:.6g}")

    @classmethod
    def of(cls, goals: Sequence[str], chances: Sequence[float], because: tuple[str, ...] = ()) -> "Belief":
        """Return a belief without checks, for speed: recognisers make one for every event."""
        made = cls.__new__(cls)
        if len(goals) == 3:  # unrolled: building the mapping is a large part of the cost of an event
            made._chances = {goals[0]: chances[0], goals[1]: chances[1], goals[2]: chances[2]}
        else:
            made._chances = dict(zip(goals, chances, strict=True))
        made._reasons = because
        return made

    @property
    def reasons(self) -> tuple[str, ...]:
        return self._reasons

    def __getitem__(self, goal: str) -> float:
        if goal not in self._chances:
            raise KeyError(f"unknown goal {goal!r}; {name_hint(goal, self._chances)}")
        return self._chances[goal]

    def __iter__(self) -> Iterator[str]:
        return iter(self._chances)

    def __len__(self) -> int:
        return len(self._chances)

    def __repr__(self) -> str:
        return f"Belief({', '.join(f'{goal}={chance:.3g}' for goal, chance in self._chances.items())})"

    @property
    def top(self) -> str:
        """Return the likeliest goal; the first of several that are equally likely."""
        return max(self._chances, key=self._chances.__getitem__)

    @property
    def entropy(self) -> float:
        """Return the uncertainty in bits: 0 for certainty, 1 for two equally likely goals."""
        return -math.fsum(chance * math.log2(chance) for chance in self._chances.values() if chance > 0) + 0.0

    def why(self) -> str:
        """Return the belief in words, with the reasons of its recogniser."""
        ranked = sorted(self._chances.items(), key=lambda pair: -pair[1])
        shares = ", ".join(f"{goal} {chance:.0%}" for goal, chance in ranked)
        return "\n".join([f"{self.top}: {shares} ({self.entropy:.2f} bits of doubt)", *self._reasons])
