"""Smoothing, Viterbi, story, surprise, recap."""

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
from telos.recognition.recognizer import Evidence, GoalModel

# --- smoothing --------------------------------------------------------------------------------------------------------
# Smoothing: what the goal was, judged with all that came after. At the end of a session, or a few updates late.


def smooth(prior: Sequence[float], evidences: Sequence[Evidence]) -> list[Chances]:
    """Return the belief at each update given all updates: the forward-backward algorithm, scaled at each step.

    >>> stay = ((0.875, 0.125), (0.125, 0.875))
    >>> seen = [Evidence(stay, (0.5, 0.5), "walk"), Evidence(stay, (0.9, 0.1), "swing")]
    >>> [round(chances[0], 3) for chances in smooth((0.5, 0.5), seen)]
    [0.8, 0.9]
    """
    steps = forward(prior, evidences)
    return smooth_filtered([after for _, after, _ in steps], used_evidence(evidences, steps))


def smooth_filtered(filtered: Sequence[Chances], evidences: Sequence[Evidence]) -> list[Chances]:
    """Return what filtered beliefs become when what was seen after each is taken into account.

    The first evidence is not looked at: it is in the first belief already.
    """
    weights = backward_weights(evidences, len(filtered[0])) if filtered else []
    return [
        _scaled([chance * weight for chance, weight in zip(chances, later, strict=True)])
        for chances, later in zip(filtered, weights, strict=True)
    ]


def backward_weights(evidences: Sequence[Evidence], goals: int) -> list[Chances]:
    """Return how likely each goal at an update makes all that follows it; only the ratios matter."""
    later: Chances = (1.0,) * goals
    weights = []
    for evidence in reversed(evidences):
        weights.append(later)
        later = _one_back(later, evidence)
    weights.reverse()
    return weights


def _one_back(later: Chances, evidence: Evidence) -> Chances:
    """Return the same, one update earlier."""
    weighed = [weight * seen for weight, seen in zip(later, evidence.likelihood, strict=True)]
    return _scaled(
        [sum(chance * each for chance, each in zip(row, weighed, strict=True)) for row in evidence.transition]
    )


def _scaled(weights: Sequence[float]) -> Chances:
    peak = max(weights)
    if peak <= 0:
        return (1.0 / len(weights),) * len(weights)
    larger = [weight / peak for weight in weights]  # so that tiny weights do not sum to zero
    total = sum(larger)
    return tuple([each / total for each in larger])


class LaggedReader:
    """A recogniser that answers for ``lag`` updates ago, with the evidence up to now: later, and more often right.

    While there have been fewer updates, it answers for the first.

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
    def goals(self) -> tuple[str, ...]:
        """The goals that it tells apart."""
        return self.model.goals

    @property
    def belief(self) -> Belief:
        """The belief about ``lag`` updates ago."""
        return self._belief

    @property
    def then(self) -> Belief:
        """What was believed about the same update at its own time: smoothing may overturn it."""
        chances = self._window[0][1] if self._window else self.model.prior
        return Belief.of(self.goals, chances)

    def reset(self) -> None:
        """Forget the player."""
        self._chances: Chances = tuple(self.model.prior)
        self._window: deque[tuple[Evidence, Chances]] = deque(maxlen=self.lag + 1)
        self._belief = Belief.of(self.goals, self._chances)
        self._player: str | None = None
        self._last = float("-inf")
        self._gate.reset()

    def observe(self, event: Event) -> Belief:
        """Take in what the player did, and return the belief about ``lag`` updates ago."""
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


# --- viterbi ----------------------------------------------------------------------------------------------------------
# The Viterbi algorithm: the one sequence of goals that explains a session best.


def best_path(prior: Sequence[float], evidences: Sequence[Evidence]) -> tuple[list[int], float]:
    """Return the number of the goal at each update in the likeliest sequence, and the log-likelihood of it.

    That of equals is returned which has the earlier goal in the model's list at its end.

    >>> stay = ((0.9, 0.1), (0.1, 0.9))
    >>> best_path((0.5, 0.5), [Evidence(stay, (0.9, 0.1), "swing"), Evidence(stay, (0.1, 0.9), "walk")])[0]
    [0, 1]
    """
    if not evidences:
        return [], 0.0
    goals = range(len(prior))
    # What filtering has ignored is ignored here too, so that both tell the same story.
    evidences = used_evidence(evidences, forward(prior, evidences))
    scores = [_log(chance) for chance in prior]
    came_from: list[list[int]] = []
    for evidence in evidences:
        moves = [[_log(chance) for chance in row] for row in evidence.transition]
        best = [max(goals, key=lambda before, to=goal: scores[before] + moves[before][to]) for goal in goals]  # type: ignore[misc]
        scores = [scores[best[to]] + moves[best[to]][to] + _log(evidence.likelihood[to]) for to in goals]
        came_from.append(best)
    last = max(goals, key=scores.__getitem__)
    path = [last]
    for best in reversed(came_from[1:]):
        path.append(best[path[-1]])
    path.reverse()
    return path, scores[last]


def _log(chance: float) -> float:
    return math.log(chance) if chance > 0 else -math.inf


# --- story ------------------------------------------------------------------------------------------------------------
# The story of a session: which goals were pursued, one after the other.


@dataclass(frozen=True, slots=True)
class GoalSpan:
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


def find_story(model: GoalModel, events: Iterable[Event]) -> tuple[GoalSpan, ...]:
    """Return the likeliest sequence of goals of one player as spans; a span ends where the next begins."""
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
    # The event that begins the next span says what was achieved since the one before it.
    return any(name == goal and start < time <= end for name, time in achievements)


# --- surprise ---------------------------------------------------------------------------------------------------------
# Surprise: moments about which one thinks otherwise once it is known what came after.


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


def find_surprises(model: GoalModel, events: Iterable[Event], *, threshold: float = 0.5) -> tuple[Surprise, ...]:
    """Return the moments where smoothing overturns filtering, and moves at least ``threshold`` of the belief."""
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
    """Return how much of a belief moved to other goals: 0 for none, 1 for all (the total variation distance).

    >>> belief_distance((0.75, 0.25), (0.25, 0.75))
    0.5
    """
    return sum(abs(one - other) for one, other in zip(before, after, strict=True)) / 2


def _top(chances: Chances) -> int:
    return max(range(len(chances)), key=chances.__getitem__)


# --- recap ------------------------------------------------------------------------------------------------------------
# Recap: one sentence for a player who comes back after a long time about what she was doing last.


MIN_BREAK = 600.0  # seconds: after a shorter break nobody needs to be told
MIN_CERTAINTY = 0.6  # below this certainty the sentence says "probably"


def write_recap(
    story: Sequence[GoalSpan],
    away_seconds: float,
    texts: Mapping[str, str | tuple[str, str]],
    *,
    long: float = MIN_BREAK,
) -> str:
    """Say what the player was last doing; nothing if the break was not ``long``, or nothing is known.

    ``texts`` gives for each goal what pursuing it is called, and if it can be achieved, what achieving it is called.

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
