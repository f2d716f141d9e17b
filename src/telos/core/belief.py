"""Beliefs: a probability for each goal."""

import math
from collections.abc import Iterator, Mapping, Sequence

from telos.core.errors import TelosError, name_hint
from telos.core.values import check_not_negative

_new = object.__new__


class Belief(Mapping[str, float]):
    """A probability for each goal, and the reasons for it.

    The probabilities sum to 1, because a player has one goal at a time; those of a *concurrent* belief do not need to:
    each says by itself whether the goal is pursued, and a player may have several goals or none.

    >>> belief = Belief({"level": 0.2, "explore": 0.7, "town": 0.1})
    >>> belief.top, belief["explore"], round(belief.entropy, 3)
    ('explore', 0.7, 1.157)
    >>> both = Belief.concurrent({"level": 0.9, "explore": 0.8, "town": 0.1})
    >>> both.likely(), both.is_concurrent, round(both.entropy, 3)
    (('level', 'explore'), True, 1.66)
    """

    __slots__ = ("_goals", "_is_concurrent", "_mapping", "_numbers", "_reasons")

    def __init__(self, chances: Mapping[str, float], *, because: Sequence[str] = ()) -> None:
        checked = {goal: check_not_negative(f"the belief in {goal!r}", chance) for goal, chance in chances.items()}
        self._goals, self._numbers = tuple(checked), tuple(checked.values())
        self._mapping: dict[str, float] | None = checked
        self._reasons = tuple(because)
        self._is_concurrent = False
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
        made._is_concurrent = False
        return made

    @classmethod
    def concurrent(cls, chances: Mapping[str, float], *, because: Sequence[str] = ()) -> "Belief":
        """Return a belief of goals that do not exclude one another: a probability from 0 to 1 for each by itself."""
        for goal, chance in chances.items():
            if not 0.0 <= chance <= 1.0:
                raise TelosError(f"the belief in {goal!r} must be from 0 to 1, got {chance!r}")
        made = cls.of(tuple(chances), tuple(chances.values()), tuple(because))
        made._is_concurrent = True
        return made

    @property
    def is_concurrent(self) -> bool:
        """Whether goals do not exclude one another, so that the probabilities need not sum to 1."""
        return self._is_concurrent

    def likely(self, level: float = 0.5) -> tuple[str, ...]:
        """Return the goals that are at least so probable, the likeliest first."""
        found = [goal for goal in self._goals if self._chances[goal] >= level]
        return tuple(sorted(found, key=lambda goal: -self._chances[goal]))

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
        """Return the uncertainty in bits: 0 for certainty, 1 for two equally likely goals.

        Of a concurrent belief it is the sum over goals: 1 for each that is as likely as not.
        """
        if self._is_concurrent:
            both = [part for chance in self._numbers for part in (chance, 1.0 - chance)]
            return -math.fsum(part * math.log2(part) for part in both if part > 0) + 0.0
        return -math.fsum(chance * math.log2(chance) for chance in self._chances.values() if chance > 0) + 0.0

    def why(self) -> str:
        """Return the belief in words, with the reasons of its recogniser."""
        ranked = sorted(self._chances.items(), key=lambda pair: -pair[1])
        shares = ", ".join(f"{goal} {chance:.0%}" for goal, chance in ranked)
        doubt = f"{self.entropy:.2f} bits of doubt"
        if self._is_concurrent:
            named = " and ".join(self.likely()) or "none"
            return "\n".join([f"{named}: {shares}, each by itself ({doubt})", *self._reasons])
        return "\n".join([f"{self.top}: {shares} ({doubt})", *self._reasons])
