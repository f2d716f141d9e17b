"""Surprise: moments about which one thinks otherwise once it is known what came after."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.forward import Chances, as_weighed, forward
from telos.recognition.model import GoalModel
from telos.recognition.pulse import counted
from telos.recognition.smoothing import backward


@dataclass(frozen=True, slots=True)
class Surprise:
    """From ``start`` to ``end`` it looked like one goal, and was another after all."""

    start: float
    end: float
    thought: str
    was: str
    amount: float  # how much of the belief was moved, at most

    def __str__(self) -> str:
        """Say it in words."""
        return (
            f"{self.start:.1f}-{self.end:.1f} s: looked like {self.thought}, was {self.was} ({self.amount:.0%} moved)"
        )


def surprises(model: GoalModel, events: Iterable[Event], *, threshold: float = 0.5) -> tuple[Surprise, ...]:
    """Return the moments where smoothing overturns filtering, and moves at least ``threshold`` of the belief."""
    if not 0 <= threshold <= 1:
        raise TelosError(f"threshold must be from 0 to 1, got {threshold!r}")
    taken = counted(model, events)
    evidences = [evidence for _, evidence in taken]
    steps = forward(model.prior, evidences)
    filtered = [after for _, after, _ in steps]
    smoothed = backward(filtered, as_weighed(evidences, steps))
    found = []
    for (event, _), before, after in zip(taken, filtered, smoothed, strict=True):
        thought, was, amount = _top(before), _top(after), moved(before, after)
        overturned = thought != was and amount >= threshold
        found.append((event.time, (thought, was) if overturned else None, amount))
    made = []
    for pair, group in groupby(found, key=lambda each: each[1]):
        if pair is not None:
            moments = list(group)
            thought, was = (model.goals[number] for number in pair)
            largest = max(amount for _, _, amount in moments)
            made.append(Surprise(moments[0][0], moments[-1][0], thought, was, largest))
    return tuple(made)


def moved(before: Chances, after: Chances) -> float:
    """Return how much of a belief moved to other goals: 0 for none, 1 for all (the total variation distance).

    >>> moved((0.75, 0.25), (0.25, 0.75))
    0.5
    """
    return sum(abs(one - other) for one, other in zip(before, after, strict=True)) / 2


def _top(chances: Chances) -> int:
    return max(range(len(chances)), key=chances.__getitem__)
