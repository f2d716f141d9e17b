"""The forward filter for one player: ``Reader`` keeps the belief, ``EventGate`` decides which events count.

``step`` is one step of the forward algorithm, ``BeliefReasons`` explains a belief as a sum of log-odds.
"""

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from operator import mul
from typing import Annotated, Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from pydantic import Field

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.core.values import check_finite
from telos.files import snapshots
from telos.files.snapshots import (
    CHANCES_TOLERANCE,
    SNAPSHOT_FORMAT,
    Count,
    Finite,
    Items,
    Row,
    SnapshotPart,
    check_known,
    check_length,
    read_snapshot,
    snapshot_error,
)
from telos.recognition.recognizer import (
    CHANGED,
    EARLIER,
    BeliefUpdated,
    EventIgnored,
    Evidence,
    GoalModel,
    Matrix,
    Measured,
    ModelReader,
    PlayerSnapshot,
    Reason,
    check_saved_goals,
    saved_time,
)
from telos.recognition.vocabulary import INPUT as INPUT
from telos.recognition.vocabulary import FirstEvents, Vocabulary

# --- forward algorithm ------------------------------------------------------------------------------------------------

Chances: TypeAlias = tuple[float, ...]
MIN_TOTAL = 1e-200  # below this a step is rescaled and computed again, before precision is lost


# The predicted belief, the belief after the observation, and the likelihood of the observation: 0 if no goal allows it,
# and it is ignored. A plain tuple, because one is made for every event.
ForwardStep: TypeAlias = tuple[Chances, Chances, float]


def step(chances: Chances, evidence: Evidence) -> ForwardStep:
    """Update a belief with one event: apply the transition, multiply by the likelihood, normalise.

    >>> from telos.recognition.recognizer import Evidence
    >>> step((0.5, 0.5), Evidence(((0.75, 0.25), (0.25, 0.75)), (0.75, 0.25), "swing"))[1]
    (0.75, 0.25)
    """
    after, likelihood = update(chances, evidence)
    return predict(chances, evidence.transition), after, likelihood


def update(chances: Chances, evidence: Evidence) -> tuple[Chances, float]:
    """Return the belief after a step, and the likelihood of the observation."""
    transition, likelihood = evidence[0], evidence[1]
    if len(chances) == 3:  # unrolled: three goals are the most common case, and this is the hot loop
        a, b, c = chances
        (aa, ab, ac), (ba, bb, bc), (ca, cb, cc) = transition
        x, y, z = likelihood
        x *= a * aa + b * ba + c * ca
        y *= a * ab + b * bb + c * cb
        z *= a * ac + b * bc + c * cc
        total = x + y + z
        if total > MIN_TOTAL:
            return (x / total, y / total, z / total), total
        return _rescaled_update(predict(chances, transition), evidence)
    if len(chances) == 4:
        return _update_four(chances, evidence)
    predicted = [sum(map(mul, chances, column)) for column in zip(*transition, strict=True)]
    weighed = list(map(mul, predicted, likelihood))
    total = sum(weighed)
    if total > MIN_TOTAL:
        return tuple([each / total for each in weighed]), total
    return _rescaled_update(tuple(predicted), evidence)


def _update_four(chances: Chances, evidence: Evidence) -> tuple[Chances, float]:
    """The same for four goals, unrolled: a fifth of the time, and the same numbers to the last bit."""
    a, b, c, d = chances
    (aa, ab, ac, ad), (ba, bb, bc, bd), (ca, cb, cc, cd), (da, db, dc, dd) = evidence.transition
    w, x, y, z = evidence.likelihood
    w *= a * aa + b * ba + c * ca + d * da
    x *= a * ab + b * bb + c * cb + d * db
    y *= a * ac + b * bc + c * cc + d * dc
    z *= a * ad + b * bd + c * cd + d * dd
    total = w + x + y + z
    if total > MIN_TOTAL:
        return (w / total, x / total, y / total, z / total), total
    return _rescaled_update(predict(chances, evidence.transition), evidence)


def predict(chances: Chances, transition: Matrix) -> Chances:
    """Return the belief after the transition, before the observation."""
    if len(chances) == 3:  # the same order of operations as in `update`
        a, b, c = chances
        (aa, ab, ac), (ba, bb, bc), (ca, cb, cc) = transition
        return a * aa + b * ba + c * ca, a * ab + b * bb + c * cb, a * ac + b * bc + c * cc
    return tuple([sum(map(mul, chances, column)) for column in zip(*transition, strict=True)])


def _rescaled_update(predicted: Chances, evidence: Evidence) -> tuple[Chances, float]:
    """Update with a very unlikely observation: rescale its likelihood first, or ignore it if no goal allows it."""
    peak = max(evidence.likelihood)
    if not peak >= 0:  # NaN is not
        raise TelosError(
            f"the likelihoods of {evidence.seen!r} are {evidence.likelihood}", "a model must return numbers"
        )
    if peak > 0:
        weighed = [chance * (seen / peak) for chance, seen in zip(predicted, evidence.likelihood, strict=True)]
        total = sum(weighed)
        if total > 0:
            return tuple([each / total for each in weighed]), max(total * peak, 5e-324)
    whole = sum(predicted)
    return tuple([each / whole for each in predicted]), 0.0


def forward(prior: Sequence[float], evidences: Iterable[Evidence]) -> list[ForwardStep]:
    """Return the steps of the forward algorithm over a sequence."""
    chances, steps = tuple(prior), []
    for evidence in evidences:
        taken = step(chances, evidence)
        steps.append(taken)
        chances = taken[1]
    return steps


def used_evidence(evidences: Sequence[Evidence], steps: Sequence[ForwardStep]) -> list[Evidence]:
    """Return the evidence that the forward algorithm used: ignored observations get equal likelihoods."""
    return [
        evidence if taken[2] > 0 else evidence._replace(likelihood=(1.0,) * len(evidence.likelihood))
        for evidence, taken in zip(evidences, steps, strict=True)
    ]


# --- which events count -----------------------------------------------------------------------------------------------

TICK = "tick"  # the cause of events that only report that time has passed


@dataclass(frozen=True, slots=True, init=False)
class Clock:
    """Decides by its cause whether an event counts; ticks count at most once every ``every`` seconds, or never.

    >>> Clock().counts("area"), Clock().counts("tick"), Clock(every=0.5).counts("tick")
    (True, False, True)
    """

    on: tuple[str, ...]
    every: float | None

    def __init__(self, on: Iterable[str] = (INPUT, "area"), every: float | None = None) -> None:
        causes = (on,) if isinstance(on, str) else tuple(on)
        if every is not None and not check_finite("every", every) > 0:
            raise TelosError(f"every must be a number of seconds above 0, got {every!r}")
        if TICK in causes:
            raise TelosError("ticks count by the time between them", "write every=0.5 (seconds) rather than on='tick'")
        if not causes and every is None:
            raise TelosError(
                "a clock without causes and period counts no events", "give on=('input', 'area') or every=0.5"
            )
        object.__setattr__(self, "on", causes)
        object.__setattr__(self, "every", None if every is None else float(every))

    def counts(self, cause: str) -> bool:
        """Whether events with this cause may count."""
        return cause in self.on or (cause == TICK and self.every is not None)


def clock_for(vocabulary: Vocabulary, clock: Clock | None, usual: Clock | None = None) -> Clock:
    """Return a clock whose causes events can have; if none is given, the usual one for these causes.

    >>> clock_for(Vocabulary(context={"cause": ["input", "tick"]}), None).on
    ('input',)
    """
    cause = vocabulary.context.get("cause")
    labels = cause.labels if cause is not None else ()
    if clock is not None:
        for name in clock.on if labels else ():
            if name not in labels:
                raise TelosError(f"the clock counts an unknown cause {name!r}", name_hint(name, labels))
        return clock
    usual = usual or Clock()
    on = tuple(name for name in usual.on if name in labels) or tuple(name for name in labels if name != TICK)
    return Clock(on if labels else usual.on, usual.every)


_NEVER = float("-inf")
TIME_TOLERANCE = 1e-6  # seconds: frames of 1/30 s are not exact in binary


class GateSnapshot(SnapshotPart):
    """The data of a saved ``EventGate``."""

    counted: Finite | None
    pending: Items[str]
    achieved: str | None


class EventGate:
    """Passes the events of one player to a model when its clock counts them, and carries over what others reported.

    An event that does not count may report that a chest was just taken. Its moments and its achieved goal are added to
    the next event that counts; otherwise the model would miss them.
    """

    def __init__(self, model: GoalModel) -> None:
        clock: Clock | None = getattr(model, "clock", None)  # other models count every event
        words = getattr(model, "vocabulary", None)
        if not hasattr(model, "evidence"):
            raise TelosError(
                f"{model!r} has no chances of what is seen under each goal",
                "make its own reader: create_recognizer(model)",
            )
        self._model, self._evidence = model, model.evidence
        self._every = 0.0 if clock is None or clock.every is None else clock.every - TIME_TOLERANCE
        self._moments: tuple[str, ...] = () if words is None else words.moments
        self.reset()

    def reset(self) -> None:
        """Forget all events."""
        self._counted = _NEVER  # the time of the last event that counted
        self._pending: dict[str, bool] = {}
        self._achieved: str | None = None
        self._has_carried = False

    def evidence(self, event: Event) -> Evidence | None:
        """Return the evidence of an event, with what was carried over; None if the event does not count."""
        if self._has_carried:
            event = self._with_carried(event)
        found = self._evidence(event)
        too_soon = event.time - self._counted < self._every and event.context.plain.get("cause") == TICK
        if found is None or too_soon:
            self._keep(event)
            return None
        self._counted = event.time
        if self._has_carried:
            self._pending, self._achieved, self._has_carried = {}, None, False
        return found

    def admit(self, event: Event) -> Event | None:
        """Return the event with what was carried over; None if it does not count."""
        found = self._with_carried(event) if self._has_carried else event
        return None if self.evidence(event) is None else found

    def _keep(self, event: Event) -> None:
        context = event.context.plain
        self._pending.update({name: True for name in self._moments if context.get(name)})
        self._achieved = event.goal or self._achieved
        self._has_carried = bool(self._pending) or self._achieved is not None

    def _with_carried(self, event: Event) -> Event:
        return Event(
            event.action,
            {**event.context, **self._pending},
            player=event.player,
            time=event.time,
            goal=event.goal or self._achieved,
        )

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        counted = None if self._counted == _NEVER else self._counted
        return {"counted": counted, "pending": sorted(self._pending), "achieved": self._achieved}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Restore a saved state; one with a fault is refused and changes nothing."""
        read = read_snapshot(GateSnapshot, saved, of="event gate")
        self.check(read, "event gate", (), math.inf)
        self.continue_from(read)

    def check(self, saved: GateSnapshot, of: str, path: Sequence[str | int], last: float) -> None:
        """Refuse a state that this gate cannot be in; ``last`` is the time of the player's last event."""
        if saved.counted is not None and saved.counted > last:
            raise snapshot_error(of, (*path, "counted"), f"is {saved.counted:g} s, after the last event")
        for number, name in enumerate(saved.pending):
            check_known(of, (*path, "pending", number), name, self._moments)
        achieved = saved.achieved
        if achieved is not None and achieved not in self._model.goals and not _takes_goal(self._model, achieved):
            check_known(of, (*path, "achieved"), achieved, self._model.goals)

    def continue_from(self, saved: GateSnapshot) -> None:
        """Continue from a checked state."""
        self._counted = _NEVER if saved.counted is None else saved.counted
        self._pending = dict.fromkeys(saved.pending, True)
        self._achieved = saved.achieved
        self._has_carried = bool(self._pending) or self._achieved is not None


def _takes_goal(model: GoalModel, goal: str) -> bool:
    """Whether a model accepts events that achieve a goal which is not its own, as models do that read no goals."""
    words = getattr(model, "vocabulary", None)
    if words is None:
        return True
    try:
        model.evidence(Event(words.actions[0] if words.actions else TICK, goal=goal))
    except TelosError:
        return False
    return True


def counted_evidence(model: GoalModel, events: Iterable[Event]) -> list[tuple[Event, Evidence]]:
    """Return the events of one player that count, each with its evidence."""
    pulse, found = EventGate(model), []
    player: str | None = None
    last = _NEVER
    for event in events:
        check_event_order(event, player, last)
        player, last = event.player, event.time
        evidence = pulse.evidence(event)
        if evidence is not None:
            found.append((event, evidence))
    return found


def check_event_order(event: Event, player: str | None, last: float) -> None:
    """Refuse an event of another player (None: none yet), or one earlier than the last."""
    if player is not None and event.player != player:
        raise TelosError(f"one player at a time: {event.player!r} came after {player!r}", "use Readers, or reset first")
    if event.time < last:
        message = f"time runs backwards: an event at {event.time:g} s after one at {last:g} s"
        raise TelosError(message, "sort the log by time, or reset first")


# --- explanation ------------------------------------------------------------------------------------------------------

MIN_CHANCE = 1e-300  # stands for a chance of 0, whose logarithm is infinite


class BeliefUpdate(Protocol):
    """What ``explain_belief`` reads of an update."""

    @property
    def time(self) -> float: ...
    @property
    def seen(self) -> str: ...
    @property
    def before(self) -> tuple[float, ...]: ...
    @property
    def predicted(self) -> tuple[float, ...]: ...
    @property
    def after(self) -> tuple[float, ...]: ...
    @property
    def measured(self) -> Sequence[Measured]: ...


@dataclass(frozen=True, slots=True)
class UpdateReason:
    """What one update added to the log-odds: by the transition, and by the observation.

    ``measured`` are the parts of ``by_sight`` that measured values added: the name, the value in words, the log-odds.
    """

    time: float
    seen: str
    by_change: float
    by_sight: float
    measured: tuple[tuple[str, str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class BeliefReasons:
    """The log-odds of one goal over another as a sum: the start, and what each update added."""

    goal: str
    over: str
    start: float
    parts: tuple[UpdateReason, ...]
    total: float
    notes: tuple[str, ...] = ()  # on words of the first events that the model does not use

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The net evidence by cause, the strongest first; they sum to the total."""
        sums: dict[str, tuple[float, int]] = {}
        for part in self.parts:
            rest = part.by_sight - math.fsum(value for _, _, value in part.measured)
            for cause, added in [(part.seen, rest), *((name, value) for name, _, value in part.measured)]:
                before, times = sums.get(cause, (0.0, 0))
                sums[cause] = before + added, times + 1
        found = [Reason(seen, value, times) for seen, (value, times) in sums.items()]
        found.append(Reason(EARLIER, self.start))
        found.append(Reason(CHANGED, math.fsum(part.by_change for part in self.parts)))
        return tuple(sorted(found, key=lambda reason: -abs(reason.log_odds or 0.0)))

    def __str__(self) -> str:
        """Return the explanation in lines, the latest update last."""
        lines = [
            f"{self.goal} over {self.over}: {_format_odds(self.total)}",
            f"  before that: {_format_odds(self.start)}",
        ]
        for part in self.parts:
            lines.append(f"  {part.time:.1f} s, {part.seen}: {_format_direction(part.by_sight, self.goal, self.over)}")
            if abs(part.by_change) >= 0.05:
                lines[-1] += f"; the goal may have changed before ({part.by_change:+.2f})"
            lines += [
                f"    of it {text}: {_format_direction(value, self.goal, self.over)}"
                for _, text, value in part.measured
            ]
        return "\n".join([*lines, *self.notes])


def explain_belief(
    goals: Sequence[str], chances: Sequence[float], moments: Sequence[BeliefUpdate], goal: str | None, over: str | None
) -> BeliefReasons:
    """Explain the belief in ``goal`` (default: the likeliest) over ``over`` (the next) by the given updates."""
    for name in (goal, over):
        if name is not None and name not in goals:
            raise TelosError(f"unknown goal {name!r}", name_hint(name, goals))
    ranked = sorted(range(len(goals)), key=lambda number: -chances[number])
    mine = ranked[0] if goal is None else goals.index(goal)
    rest = [number for number in ranked if number != mine] or [mine]
    other = rest[0] if over is None else goals.index(over)

    def odds(of: Sequence[float]) -> float:
        return math.log(max(of[mine], MIN_CHANCE)) - math.log(max(of[other], MIN_CHANCE))

    parts = tuple(
        UpdateReason(
            m.time,
            m.seen,
            odds(m.predicted) - odds(m.before),
            odds(m.after) - odds(m.predicted),
            tuple((each.name, each.text, each.log_densities[mine] - each.log_densities[other]) for each in m.measured),
        )
        for m in moments
    )
    start = odds(moments[0].before if moments else chances)
    return BeliefReasons(goals[mine], goals[other], start, parts, odds(chances))


def _format_odds(log_odds: float) -> str:
    if abs(log_odds) < 0.005:
        return "as likely as not (+0.00)"
    factor = math.exp(min(700.0, abs(log_odds)))
    times = f"{factor:.3g} times" if factor < 1e6 else "more than a million times"
    return f"{times} as {'likely' if log_odds >= 0 else 'unlikely'} ({log_odds:+.2f})"


def _format_direction(log_odds: float, goal: str, over: str) -> str:
    if abs(log_odds) < 0.005:
        return "says nothing either way"
    return f"speaks for {goal if log_odds > 0 else over} ({log_odds:+.2f})"


# --- reader -----------------------------------------------------------------------------------------------------------

DEFAULT_HISTORY = 32  # updates, to explain the belief by
IMPOSSIBLE = "no goal allows {seen}: it was ignored"


@runtime_checkable
class Trainable(Protocol):
    """A goal model that learns."""

    def learn(self, event: Event, goal: str, before: str | None = None) -> None:
        """Learn from an event of a player who pursued ``goal``; ``before`` is the goal at the previous update."""


class UpdateRecord(NamedTuple):
    """One update, as a reader remembers it."""

    time: float
    seen: str
    before: Chances
    predicted: Chances
    after: Chances
    measured: tuple[Measured, ...] = ()


# What a reader keeps of an update: enough to make its record when it is asked why.
_Moment: TypeAlias = UpdateRecord | tuple[float, Chances, Evidence, Chances]


def _record(time: float, before: Chances, evidence: Evidence, after: Chances) -> UpdateRecord:
    return UpdateRecord(time, evidence.seen, before, predict(before, evidence.transition), after, evidence.measured)


# A prediction is not normalised: its sum has the rounding error of the transitions.
_Predicted: TypeAlias = Items[Annotated[float, Field(ge=0, le=1 + CHANCES_TOLERANCE, allow_inf_nan=False)]]


class ReaderSnapshot(PlayerSnapshot):
    """The data of a saved ``Reader``."""

    goals: Items[str]
    chances: snapshots.Chances
    reasons: Items[str]
    log_likelihood: Finite
    updates: Count
    ignored: Count
    taught: str | None
    pulse: GateSnapshot
    lessons: GateSnapshot
    moments: Items[Row[tuple[Finite, str, snapshots.Chances, _Predicted, snapshots.Chances]]]
    measured: Items[Items[Row[tuple[str, str, Items[Finite]]]]] = Field(default_factory=list)  # beside each moment

    def check(self, of: str, goals: Sequence[str], last: float) -> None:
        """Refuse a state that no reader of a model with these goals can be in after an event at the time ``last``."""
        check_saved_goals(of, self.goals, goals)
        check_length(of, "chances", self.chances, len(goals))
        if self.taught is not None:
            check_known(of, ("taught",), self.taught, goals)
        if self.ignored > self.updates or (self.player is None and self.updates):
            raise snapshot_error(of, ("updates",), f"is {self.updates}, too few or too many for the rest")
        for number, (time, _, *chances) in enumerate(self.moments):
            for place, each in enumerate(chances):
                check_length(of, ("moments", number, place + 2), each, len(goals))
            if time > (self.moments[number + 1][0] if number + 1 < len(self.moments) else last):
                raise snapshot_error(of, ("moments", number, 0), f"is {time:g} s, after what follows it")
        if len(self.moments) > self.updates or (self.updates and not self.moments):
            raise snapshot_error(of, ("moments",), f"has {len(self.moments)} entries for {self.updates} updates")
        if self.measured and len(self.measured) != len(self.moments):
            raise snapshot_error(of, ("measured",), f"has {len(self.measured)} entries for {len(self.moments)} moments")
        for number, found in enumerate(self.measured):
            for place, (_, _, logs) in enumerate(found):
                check_length(of, ("measured", number, place, 2), logs, len(goals))
        if self.moments and not _are_close(self.moments[-1][4], self.chances):
            raise snapshot_error(of, ("chances",), "differ from those after the last update")


def _are_close(one: Sequence[float], two: Sequence[float]) -> bool:
    return all(abs(a - b) <= CHANCES_TOLERANCE for a, b in zip(one, two, strict=True))


class Reader(ModelReader[GoalModel]):
    """A recogniser: keeps the belief about one player with any goal model. Many readers may share one model.

    An observation that no goal allows is ignored, and the belief's reasons say so. ``log_likelihood`` is how well the
    model predicted the player, without the ``ignored`` updates.

    >>> from telos.recognition.iohmm import IOHMM
    >>> reader = Reader(IOHMM(counts={"level": {"swing": 7}}))
    >>> reader.observe(Event("swing")).top
    'level'
    """

    def __init__(self, model: GoalModel, *, remembers: int = DEFAULT_HISTORY, trace: Trace = silent) -> None:
        self.model = model
        self._goals = model.goals
        self._trace = trace
        self._gate, self._lesson_gate = EventGate(model), EventGate(model)
        self._moments: deque[_Moment] = deque(maxlen=max(1, remembers))
        self._reasons: dict[str, tuple[str, ...]] = {}
        self.reset()

    @property
    def chances(self) -> Chances:
        """The chance of each goal, in the order of the goals."""
        return self._chances

    @property
    def player(self) -> str | None:
        """The player that the belief is about; None before the first event."""
        return self._player

    @property
    def seen(self) -> str:
        """The name of the last observation; empty before the first."""
        last = self._moments[-1] if self._moments else None
        return "" if last is None else last.seen if isinstance(last, UpdateRecord) else last[2].seen

    @property
    def moments(self) -> tuple[UpdateRecord, ...]:
        """The last updates, oldest first."""
        return tuple(each if isinstance(each, UpdateRecord) else _record(*each) for each in self._moments)

    def reset(self) -> None:
        """Forget the player: return to the model's prior."""
        self._chances: Chances = tuple(self.model.prior)
        self._belief = Belief.of(self._goals, self._chances, ("nothing was seen yet",))
        self._player: str | None = None
        self._time = -math.inf
        self._last_goal: str | None = None  # the goal of the last training event
        self.log_likelihood = 0.0
        self.updates = 0
        self.ignored = 0
        self._gate.reset()
        self._lesson_gate.reset()
        self._moments.clear()

    def observe(self, event: Event) -> Belief:
        """Update the belief with an event, and return it."""
        time = event.time
        if event.player != self._player or time < self._time:
            check_event_order(event, self._player, self._time)
        evidence = self._gate.evidence(event)
        self._time, self._player = time, event.player
        if evidence is None:
            return self._belief
        before, seen = self._chances, evidence.seen
        after, likelihood = update(before, evidence)
        self._chances = after
        self.updates += 1
        self._moments.append((time, before, evidence, after))
        if likelihood > 0.0:
            self.log_likelihood += log(likelihood)
            self._belief = Belief.of(self._goals, after, self._reasons.get(seen) or self._reasons_for(seen))
        else:
            self._ignore(event, seen)
        if self._trace is not silent:
            self._trace(BeliefUpdated(time, event.player, seen, after))
        return self._belief

    def learn(self, event: Event, goal: str) -> None:
        """Train the model on an event of a player who pursued ``goal``; the belief does not change."""
        model = self.model
        if not isinstance(model, Trainable):
            raise TelosError(f"{model!r} cannot be trained", "use a model that learns, such as an IOHMM")
        counted = self._lesson_gate.admit(event)
        if counted is not None:
            model.learn(counted, goal, self._last_goal)
            self._last_goal = goal

    def why(self, goal: str | None = None, over: str | None = None, *, last: int = 10) -> BeliefReasons:
        """Explain the belief in a goal (default: the likeliest) over another (the next) by the ``last`` updates."""
        found = explain_belief(self._goals, self._chances, self.moments[-last:] if last > 0 else (), goal, over)
        first: FirstEvents | None = getattr(self.model, "first_events", None)
        return replace(found, notes=tuple(first.notes())) if first is not None else found

    def save(self) -> dict[str, Any]:
        """Return the reader's state as plain data."""
        measured = [[[each.name, each.text, list(each.log_densities)] for each in m.measured] for m in self.moments]
        return {
            "format": SNAPSHOT_FORMAT,
            "goals": list(self._goals),
            "chances": list(self._chances),
            "reasons": list(self._belief.reasons),
            "player": self._player,
            "time": None if self._time == -math.inf else self._time,
            "log_likelihood": self.log_likelihood,
            "updates": self.updates,
            "ignored": self.ignored,
            "taught": self._last_goal,
            "pulse": self._gate.save(),
            "lessons": self._lesson_gate.save(),
            "moments": [[m.time, m.seen, list(m.before), list(m.predicted), list(m.after)] for m in self.moments],
            **({"measured": measured} if any(measured) else {}),
        }

    @classmethod
    def resume(
        cls, model: GoalModel, saved: Mapping[str, Any], *, remembers: int = DEFAULT_HISTORY, trace: Trace = silent
    ) -> "Reader":
        """Return a reader that continues from a saved state; one with a fault is refused with its place."""
        read = read_snapshot(ReaderSnapshot, saved, of="reader")
        reader = cls(model, remembers=remembers, trace=trace)
        last = saved_time("reader", read)
        read.check("reader", model.goals, last)
        for gate, name, each in ((reader._gate, "pulse", read.pulse), (reader._lesson_gate, "lessons", read.lessons)):
            gate.check(each, "reader", (name,), last if name == "pulse" else math.inf)
            gate.continue_from(each)
        reader._chances = tuple(read.chances)
        reader._belief = Belief.of(model.goals, reader._chances, tuple(read.reasons))
        reader._player, reader._time, reader._last_goal = read.player, last, read.taught
        reader.log_likelihood, reader.updates, reader.ignored = read.log_likelihood, read.updates, read.ignored
        found = [tuple(Measured(name, text, tuple(logs)) for name, text, logs in each) for each in read.measured]
        reader._moments.extend(
            UpdateRecord(time, seen, tuple(before), tuple(predicted), tuple(after), measured)
            for (time, seen, before, predicted, after), measured in zip(
                read.moments, found or [()] * len(read.moments), strict=True
            )
        )
        return reader

    def _reasons_for(self, seen: str) -> tuple[str, ...]:
        reasons = self._reasons[seen] = (f"last seen: {seen}",)
        return reasons

    def _ignore(self, event: Event, seen: str) -> None:
        self.ignored += 1
        self._belief = Belief.of(self._goals, self._chances, (IMPOSSIBLE.format(seen=seen),))
        if self._trace is not silent:
            self._trace(EventIgnored(event.time, event.player, seen))
