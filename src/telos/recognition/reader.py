"""Reading one player with any goal model: a live belief, kept by the forward algorithm."""

import math
from collections import deque
from collections.abc import Mapping
from math import log
from typing import Any, NamedTuple, Protocol, runtime_checkable

from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.recognition.forward import Chances, step
from telos.recognition.model import GoalModel
from telos.recognition.pulse import Pulse, refuse_disorder
from telos.recognition.records import Ignored, Weighed
from telos.recognition.why import Reasons, reasons

REMEMBERED = 32  # steps, so that a belief can be explained
IMPOSSIBLE = "no goal allows {seen}: it was ignored"


@runtime_checkable
class Trainable(Protocol):
    """A goal model that can be taught."""

    def learn(self, event: Event, goal: str, before: str | None = None) -> None:
        """Take in what a player did who pursued ``goal``, after ``before``."""


class Moment(NamedTuple):
    """One step of the forward algorithm, as a reader remembers it."""

    time: float
    seen: str
    before: Chances
    predicted: Chances
    after: Chances


class Reader:
    """Keeps the belief about one player, event by event; models hold no belief, so many readers may share one.

    What no goal allows is ignored: the belief survives, and says so. ``log_likelihood`` is how well the model has
    foreseen the player; it leaves out the ``ignored`` updates.

    >>> from telos.recognition.iohmm import IOHMM
    >>> reader = Reader(IOHMM(counts={"level": {"swing": 7}}))
    >>> reader.observe(Event("swing")).top
    'level'
    """

    def __init__(self, model: GoalModel, *, remembers: int = REMEMBERED, trace: Trace = silent) -> None:
        self.model = model
        self._goals = model.goals
        self._trace = trace
        self._pulse, self._lessons = Pulse(model), Pulse(model)
        self._moments: deque[tuple[float, str, Chances, Chances, Chances]] = deque(maxlen=max(1, remembers))
        self._said: dict[str, tuple[str, ...]] = {}
        self.reset()

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals that it tells apart."""
        return self._goals

    @property
    def belief(self) -> Belief:
        """The belief now."""
        return self._belief

    @property
    def chances(self) -> Chances:
        """The probability of each goal, in the order of the goals."""
        return self._chances

    @property
    def moments(self) -> tuple[Moment, ...]:
        """The last steps, oldest first."""
        return tuple(Moment(*each) for each in self._moments)

    def reset(self) -> None:
        """Forget the player, and start with the model's prior."""
        self._chances: Chances = tuple(self.model.prior)
        self._belief = Belief.of(self._goals, self._chances, ("nothing was seen yet",))
        self._player: str | None = None
        self._time = -math.inf
        self._taught: str | None = None  # the goal of the last lesson
        self.log_likelihood = 0.0
        self.updates = 0
        self.ignored = 0
        self._pulse.reset()
        self._lessons.reset()
        self._moments.clear()

    def observe(self, event: Event) -> Belief:
        """Take in what the player did, and return the new belief."""
        time = event.time
        if event.player != self._player or time < self._time:
            refuse_disorder(event, self._player, self._time)
        evidence = self._pulse.evidence(event)
        self._time, self._player = time, event.player
        if evidence is None:
            return self._belief
        before, seen = self._chances, evidence.seen
        predicted, after, likelihood = step(before, evidence)
        self._chances = after
        self.updates += 1
        self._moments.append((time, seen, before, predicted, after))
        if likelihood > 0.0:
            self.log_likelihood += log(likelihood)
            self._belief = Belief.of(self._goals, after, self._said.get(seen) or self._say(seen))
        else:
            self._ignore(event, seen)
        if self._trace is not silent:
            self._trace(Weighed(time, event.player, seen, after))
        return self._belief

    def learn(self, event: Event, goal: str) -> None:
        """Take in what a player did who was known to pursue ``goal``; the belief stays as it is."""
        model = self.model
        if not isinstance(model, Trainable):
            raise TelosError(f"{model!r} cannot be trained", "use a model that learns, such as an IOHMM")
        counted = self._lessons.admitted(event)
        if counted is not None:
            model.learn(counted, goal, self._taught)
            self._taught = goal

    def why(self, goal: str | None = None, over: str | None = None, *, last: int = 10) -> Reasons:
        """Say what moved the belief in a goal (the likeliest) over another (the next) in the ``last`` updates."""
        return reasons(self._goals, self._chances, self.moments[-last:] if last > 0 else (), goal, over)

    def save(self) -> dict[str, Any]:
        """Return all that a reader knows about its player as plain data."""
        return {
            "goals": list(self._goals),
            "chances": list(self._chances),
            "reasons": list(self._belief.reasons),
            "player": self._player,
            "time": None if self._time == -math.inf else self._time,
            "log_likelihood": self.log_likelihood,
            "updates": self.updates,
            "ignored": self.ignored,
            "taught": self._taught,
            "pulse": self._pulse.save(),
            "lessons": self._lessons.save(),
            "moments": [[m.time, m.seen, list(m.before), list(m.predicted), list(m.after)] for m in self.moments],
        }

    @classmethod
    def resume(
        cls, model: GoalModel, saved: Mapping[str, Any], *, remembers: int = REMEMBERED, trace: Trace = silent
    ) -> "Reader":
        """Return a reader that goes on exactly where the saved one stopped."""
        reader = cls(model, remembers=remembers, trace=trace)
        if list(saved.get("goals", ())) != list(model.goals):
            raise TelosError(
                f"the saved belief is about {saved.get('goals')}, the model's goals are {list(model.goals)}",
                "resume it with the model that it was made with",
            )
        reader._chances = tuple(saved["chances"])
        reader._belief = Belief.of(model.goals, reader._chances, tuple(saved["reasons"]))
        reader._player, reader._taught = saved["player"], saved["taught"]
        reader._time = -math.inf if saved["time"] is None else saved["time"]
        reader.log_likelihood, reader.updates, reader.ignored = (
            saved[name] for name in ("log_likelihood", "updates", "ignored")
        )
        reader._pulse.restore(saved["pulse"])
        reader._lessons.restore(saved["lessons"])
        reader._moments.extend(
            (time, seen, tuple(before), tuple(predicted), tuple(after))
            for time, seen, before, predicted, after in saved["moments"]
        )
        return reader

    def _say(self, seen: str) -> tuple[str, ...]:
        said = self._said[seen] = (f"last seen: {seen}",)
        return said

    def _ignore(self, event: Event, seen: str) -> None:
        self.ignored += 1
        self._belief = Belief.of(self._goals, self._chances, (IMPOSSIBLE.format(seen=seen),))
        if self._trace is not silent:
            self._trace(Ignored(event.time, event.player, seen))
