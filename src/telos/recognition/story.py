"""The story of a session: which goals were pursued, one after the other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from telos.core.event import Event
from telos.recognition.model import GoalModel
from telos.recognition.pulse import counted
from telos.recognition.smoothing import smooth
from telos.recognition.viterbi import best_path


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a session in which one goal was pursued, from one time to another."""

    goal: str
    start: float
    end: float
    certainty: float  # the mean belief in the goal over its updates, with all of the session known
    updates: int
    achieved: bool  # whether the game said that the goal was achieved in it

    def __str__(self) -> str:
        """Say it in words."""
        end = ", achieved" if self.achieved else ""
        return f"{self.start:.1f}-{self.end:.1f} s: {self.goal} ({self.certainty:.0%} sure{end})"


def story(model: GoalModel, events: Iterable[Event]) -> tuple[Span, ...]:
    """Return the likeliest sequence of goals of one player as spans; a span ends where the next begins."""
    events = list(events)
    taken = counted(model, events)
    evidences = [evidence for _, evidence in taken]
    path, _ = best_path(model.prior, evidences)
    beliefs = smooth(model.prior, evidences)
    groups = [[number for number, _ in group] for _, group in groupby(enumerate(path), key=lambda pair: pair[1])]
    starts = [taken[numbers[0]][0].time for numbers in groups]
    ends = [*starts[1:], *([events[-1].time] if groups else [])]
    achievements = [(event.goal, event.time) for event in events if event.goal is not None]
    spans = []
    for numbers, start, end in zip(groups, starts, ends, strict=True):
        goal = path[numbers[0]]
        certainty = sum(beliefs[number][goal] for number in numbers) / len(numbers)
        name = model.goals[goal]
        spans.append(
            Span(name, start, end, min(1.0, certainty), len(numbers), _achieved(name, achievements, start, end))
        )
    return tuple(spans)


def _achieved(goal: str, achievements: Sequence[tuple[str, float]], start: float, end: float) -> bool:
    # The event that begins the next span says what was achieved since the one before it.
    return any(name == goal and start < time <= end for name, time in achievements)
