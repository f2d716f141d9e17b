"""Recognition after the fact: smoothing, the Viterbi path, the story of a session, surprises and a recap.

Start with ``find_story`` and ``find_surprises``; ``LaggedReader`` smooths live, some updates late.
"""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.values import check_not_negative
from telos.recognition.filtering import (
    Chances,
    EventGate,
    check_event_order,
    counted_evidence,
    forward,
    step,
    used_evidence,
)
from telos.recognition.recognizer import Evidence, GoalModel, ModelReader

# --- smoothing --------------------------------------------------------------------------------------------------------


def smooth(prior: Sequence[float], evidences: Sequence[Evidence]) -> list[Chances]:
    """Return the belief at each update given all updates (forward-backward, scaled at each step).

    >>> stay = ((0.875, 0.125), (0.125, 0.875))
    >>> seen = [Evidence(stay, (0.5, 0.5), "walk"), Evidence(stay, (0.9, 0.1), "swing")]
    >>> [round(chances[0], 3) for chances in smooth((0.5, 0.5), seen)]
    [0.8, 0.9]
    """
    steps = forward(prior, evidences)
    return smooth_filtered([after for _, after, _ in steps], used_evidence(evidences, steps))


def smooth_filtered(filtered: Sequence[Chances], evidences: Sequence[Evidence]) -> list[Chances]:
    """Return the smoothed beliefs for filtered ones, by the evidence after each.

    The first evidence is not used: the first belief includes it already.
    """
    weights = backward_weights(evidences, len(filtered[0])) if filtered else []
    return [
        _scaled([chance * weight for chance, weight in zip(chances, later, strict=True)])
        for chances, later in zip(filtered, weights, strict=True)
    ]


def backward_weights(evidences: Sequence[Evidence], goals: int) -> list[Chances]:
    """Return the backward weights: how likely each goal at an update makes all later evidence, up to a factor."""
    later: Chances = (1.0,) * goals
    weights = []
    for evidence in reversed(evidences):
        weights.append(later)
        later = _backward_step(later, evidence)
    weights.reverse()
    return weights


def _backward_step(later: Chances, evidence: Evidence) -> Chances:
    """Return the backward weights one update earlier."""
    weighed = [weight * seen for weight, seen in zip(later, evidence.likelihood, strict=True)]
    return _scaled(
        [sum(chance * each for chance, each in zip(row, weighed, strict=True)) for row in evidence.transition]
    )


def _scaled(weights: Sequence[float]) -> Chances:
    peak = max(weights)
    if peak <= 0:
        return (1.0 / len(weights),) * len(weights)
    larger = [weight / peak for weight in weights]  # so that tiny weights do not underflow to zero
    total = sum(larger)
    return tuple([each / total for each in larger])


class LaggedReader(ModelReader[GoalModel]):
    """A recogniser whose belief is about ``lag`` updates ago, smoothed with the evidence up to now.

    Until there have been so many updates, the belief is about the first.

    >>> from telos.recognition.iohmm import IOHMM
    >>> late = LaggedReader(IOHMM(counts={"level": {"swing": 7}}), lag=1)
    >>> late.observe(Event("stop")).top, late.observe(Event("swing", time=1)).top
    ('explore', 'level')
    """

    def __init__(self, model: GoalModel, lag: int) -> None:
        if isinstance(lag, bool) or not isinstance(lag, int) or lag < 0:
            raise TelosError(f"lag must be a whole number of updates, 0 or more, got {lag!r}")
        self.model, self.lag = model, lag
        self._gate = EventGate(model)
        self.reset()

    @property
    def then(self) -> Belief:
        """The filtered belief about the same update, before smoothing."""
        chances = self._window[0][1] if self._window else self.model.prior
        return Belief.of(self.goals, chances)

    def reset(self) -> None:
        """Forget the player: return to the prior."""
        self._chances: Chances = tuple(self.model.prior)
        self._window: deque[tuple[Evidence, Chances]] = deque(maxlen=self.lag + 1)
        self._belief = Belief.of(self.goals, self._chances)
        self._player: str | None = None
        self._last = float("-inf")
        self._gate.reset()

    def observe(self, event: Event) -> Belief:
        """Update with an event, and return the belief about ``lag`` updates ago."""
        check_event_order(event, self._player, self._last)
        evidence = self._gate.evidence(event)
        self._player, self._last = event.player, event.time
        if evidence is None:
            return self._belief
        taken = step(self._chances, evidence)
        self._chances = taken[1]
        self._window.append((used_evidence([evidence], [taken])[0], self._chances))
        filtered = [chances for _, chances in self._window]
        smoothed = smooth_filtered(filtered, [each for each, _ in self._window])
        self._belief = Belief.of(self.goals, smoothed[0])
        return self._belief


# --- Viterbi ----------------------------------------------------------------------------------------------------------


def best_path(prior: Sequence[float], evidences: Sequence[Evidence]) -> tuple[list[int], float]:
    """Return the index of the goal at each update in the likeliest sequence (Viterbi), and its log-likelihood.

    Ties go to the goal that comes first in the model's list, judged from the end.

    >>> stay = ((0.8, 0.2), (0.2, 0.8))
    >>> best_path((0.5, 0.5), [Evidence(stay, (0.9, 0.1), "swing"), Evidence(stay, (0.1, 0.9), "walk")])[0]
    [0, 1]
    """
    if not evidences:
        return [], 0.0
    goals = range(len(prior))
    # What filtering ignores is ignored here too, so that both agree.
    evidences = used_evidence(evidences, forward(prior, evidences))
    scores, total = [_log(chance) for chance in prior], 0.0
    came_from: list[list[int]] = []
    for evidence in evidences:
        moves = [[_log(chance) for chance in row] for row in evidence.transition]
        best = [max(goals, key=lambda before, to=goal: scores[before] + moves[before][to]) for goal in goals]  # type: ignore[misc]
        scores = [scores[best[to]] + moves[best[to]][to] + _log(evidence.likelihood[to]) for to in goals]
        top = max(scores)
        if top > -math.inf:
            # Relative to the best path, as in bulk: after millions of updates, absolute scores lose their precision.
            scores, total = [score - top for score in scores], total + top
        came_from.append(best)
    last = max(goals, key=scores.__getitem__)
    path = [last]
    for best in reversed(came_from[1:]):
        path.append(best[path[-1]])
    path.reverse()
    return path, total + scores[last]


def _log(chance: float) -> float:
    return math.log(chance) if chance > 0 else -math.inf


# --- story ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GoalSpan:
    """A stretch of a session in which one goal was pursued."""

    goal: str
    start: float
    end: float
    certainty: float  # the mean smoothed belief in the goal over its updates
    updates: int
    achieved: bool  # whether the game reported the goal as achieved

    def __str__(self) -> str:
        """Return one line of text."""
        end = ", achieved" if self.achieved else ""
        return f"{self.start:.1f}-{self.end:.1f} s: {self.goal} ({self.certainty:.0%} sure{end})"


def find_story(model: GoalModel, events: Iterable[Event]) -> tuple[GoalSpan, ...]:
    """Return the likeliest sequence of goals of one player as spans; each ends where the next begins."""
    events = list(events)
    taken = counted_evidence(model, events)
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
            GoalSpan(name, start, end, min(1.0, certainty), len(numbers), _achieved(name, achievements, start, end))
        )
    return tuple(spans)


def _achieved(goal: str, achievements: Sequence[tuple[str, float]], start: float, end: float) -> bool:
    # The first event of the next span reports what was achieved since the event before it.
    return any(name == goal and start < time <= end for name, time in achievements)


# --- surprises --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Surprise:
    """From ``start`` to ``end`` the filtered belief favoured one goal, and the smoothed belief another."""

    start: float
    end: float
    thought: str
    was: str
    amount: float  # the largest share of the belief that moved

    def __str__(self) -> str:
        """Return one line of text."""
        return (
            f"{self.start:.1f}-{self.end:.1f} s: looked like {self.thought}, was {self.was} ({self.amount:.0%} moved)"
        )


def find_surprises(model: GoalModel, events: Iterable[Event], *, threshold: float = 0.5) -> tuple[Surprise, ...]:
    """Return where smoothing changes the likeliest goal and moves at least ``threshold`` of the belief."""
    if not 0 <= threshold <= 1:
        raise TelosError(f"threshold must be from 0 to 1, got {threshold!r}")
    taken = counted_evidence(model, events)
    evidences = [evidence for _, evidence in taken]
    steps = forward(model.prior, evidences)
    filtered = [after for _, after, _ in steps]
    smoothed = smooth_filtered(filtered, used_evidence(evidences, steps))
    found = []
    for (event, _), before, after in zip(taken, filtered, smoothed, strict=True):
        thought, was, amount = _top(before), _top(after), belief_distance(before, after)
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


def belief_distance(before: Chances, after: Chances) -> float:
    """Return the total variation distance of two beliefs: 0 if equal, 1 if all of it moved.

    >>> belief_distance((0.75, 0.25), (0.25, 0.75))
    0.5
    """
    return sum(abs(one - other) for one, other in zip(before, after, strict=True)) / 2


def _top(chances: Chances) -> int:
    return max(range(len(chances)), key=chances.__getitem__)


# --- recap ------------------------------------------------------------------------------------------------------------

MIN_BREAK = 600.0  # seconds: after a shorter break no recap is needed
MIN_CERTAINTY = 0.6  # below this certainty the recap says "probably"


def write_recap(
    story: Sequence[GoalSpan],
    away_seconds: float,
    texts: Mapping[str, str | tuple[str, str]],
    *,
    long: float = MIN_BREAK,
) -> str:
    """Return a sentence about what the player was doing last; empty after a short break or without a story.

    ``texts`` gives for each goal the words for pursuing it and, if it can be achieved, for achieving it.

    >>> found = GoalSpan("explore", 0, 300, 0.9, 40, achieved=True)
    >>> home = GoalSpan("return", 300, 480, 0.8, 20, achieved=False)
    >>> words = {"explore": ("looking for a chest", "finding it"), "return": "heading back to town with a chest"}
    >>> write_recap([found, home], 86400, words)
    'You were heading back to town with a chest, 3 minutes after finding it.'
    """
    if check_not_negative("away_seconds", away_seconds) < long or not story:
        return ""
    last = story[-1]
    before = story[-2] if len(story) > 1 else None
    probably = "" if last.certainty >= MIN_CERTAINTY else "probably "
    doing, lasted = _words(last.goal, texts)[0], last.end - last.start
    done = _words(before.goal, texts)[1] if before is not None and before.achieved else ""
    if done:
        return f"You were {probably}{doing}, {_time(lasted)} after {done}."
    return f"You were {probably}{doing}, for {_time(lasted)}."


def _words(goal: str, texts: Mapping[str, str | tuple[str, str]]) -> tuple[str, str]:
    if goal not in texts:
        raise TelosError(f"no text for goal {goal!r}, such as 'heading back to town'", name_hint(goal, texts))
    said = texts[goal]
    return (said, "") if isinstance(said, str) else (said[0], said[1])


def _time(seconds: float) -> str:
    for size, name in ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute")):
        if seconds >= size:
            count = round(seconds / size)
            return f"{count} {name}{'s' if count > 1 else ''}"
    return "a moment"
