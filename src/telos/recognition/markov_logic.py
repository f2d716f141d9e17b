"""A recogniser from a Markov logic model: each event is one time step, its context the evidence of that step."""

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.files.snapshots import SNAPSHOT_FORMAT, Items, read_snapshot
from telos.logic.model import MarkovLogic
from telos.logic.online import BEFORE, OnlineFilter, OnlineReason, OnlineSnapshot
from telos.recognition.filtering import check_event_order
from telos.recognition.recognizer import EARLIER, ModelReader, PlayerSnapshot, Reason, check_saved_goals, saved_time

if TYPE_CHECKING:
    from telos.recognition.concurrent import ConcurrentLogicModel

GOAL, ACTION = "goal", "action"  # the hidden predicate, and the predicate of the event's action
DONE, LAST = "done", "last"  # the goals achieved so far, and the last of them, unless the context states them


class MarkovLogicModel:
    """Weighted formulas about ``goal(time, goal!)``. It holds no belief, so many readers may share it."""

    def __init__(self, logic: MarkovLogic, *, name: str = "") -> None:
        self.logic, self.name = logic, name
        self.goals = OnlineFilter(logic, query=GOAL).values  # refuses a model that cannot be filtered online

    @property
    def context(self) -> frozenset[str]:
        """The entries of an event's context that the formulas read."""
        return frozenset(self.logic.predicates) - {GOAL, ACTION, DONE, LAST}


@dataclass(frozen=True, slots=True)
class LogicReasons:
    """Why one goal is believed more than another: the log-odds that each formula added, and their total."""

    goal: str
    over: str
    parts: tuple[tuple[str, float], ...]
    total: float

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The net evidence of each formula's condition, the strongest first."""
        sums: dict[str, float] = {}
        for text, value in self.parts:
            cause = EARLIER if text == BEFORE else text
            sums[cause] = sums.get(cause, 0.0) + value
        ranked = sorted(sums.items(), key=lambda pair: -abs(pair[1]))
        return tuple(Reason(cause, value) for cause, value in ranked)

    def __str__(self) -> str:
        """Return the explanation in lines, the strongest formula first."""
        lines = [f"{self.goal} over {self.over}: {self.total:+.2f} in log-odds"]
        return "\n".join([*lines, *(f"  {value:+.2f}  {text}" for text, value in self.parts)])


class LogicReaderSnapshot(PlayerSnapshot):
    """The data of a saved ``MarkovLogicReader``."""

    goals: Items[str]
    achieved: Items[str]
    reasons: Items[str]
    story: OnlineSnapshot


class MarkovLogicReader(ModelReader[MarkovLogicModel]):
    """A recogniser: the exact belief from all events so far, in constant time per event.

    The predicate ``action`` is the event's action, and every other predicate the context entry of its name: a text or a
    number is one fact, a list several, a missing entry none. A predicate over time alone holds if its entry is true.
    ``done`` and ``last`` are the goals achieved so far. An event that achieves a goal is no other evidence: it would
    reveal the goal, and models are learned without such events.
    """

    def __init__(self, model: MarkovLogicModel) -> None:
        self.model = model
        self._online = OnlineFilter(model.logic, query=GOAL)
        self._read = tuple(_source(name, len(each.types)) for name, each in model.logic.predicates.items())
        self.reset()

    @property
    def predicted(self) -> tuple[float, ...]:
        """The chance of each goal before the evidence of the last event, given all events before it."""
        return self._online.predicted

    def reset(self) -> None:
        """Forget the player: return to the prior."""
        self._online.reset()
        self._player: str | None = None
        self._time = -math.inf
        self._achieved: list[str] = []
        self._belief = Belief.of(self.goals, self._online.belief, ("nothing was seen yet",))

    def observe(self, event: Event) -> Belief:
        """Update the belief with an event, and return it."""
        if event.player != self._player or event.time < self._time:
            check_event_order(event, self._player, self._time)
        self._time, self._player = event.time, event.player
        if event.goal is not None:
            self._achieved.append(event.goal)
            return self._belief
        facts = {name: said for name, read in self._read if (said := read(event))}
        chances = self._online.step({**self._past, **facts})
        because: tuple[str, ...] = (f"last seen: {event.action}",)
        if self._online.unknown:
            because += (f"never seen before, so it says nothing: {', '.join(self._online.unknown)}",)
        if self._online.contradicted:
            because += ("what must hold leaves no goal: it was passed over",)
        self._belief = Belief.of(self.goals, chances, because)
        return self._belief

    @property
    def _past(self) -> dict[str, tuple[str, ...]]:
        """The achieved goals, for the predicates about them."""
        told = {DONE: tuple(sorted(set(self._achieved))), LAST: tuple(self._achieved[-1:])}
        return {name: said for name, said in told.items() if name in self.model.logic.predicates and said}

    def why(self, goal: str | None = None, over: str | None = None) -> LogicReasons:
        """Explain the belief in a goal (default: the likeliest) over another (the next) by the last step's formulas."""
        ranked = sorted(self.goals, key=lambda name: -self._belief[name])
        for said in (goal, over):
            if said is not None and said not in self.goals:
                raise TelosError(f"unknown goal {said!r}", name_hint(said, self.goals))
        goal = goal or next(name for name in ranked if name != over)
        over = over or next(name for name in ranked if name != goal)
        one, two = self.goals.index(goal), self.goals.index(over)
        parts = [(reason.text, _difference(reason, one, two)) for reason in self._online.reasons()]
        told = tuple(sorted((part for part in parts if part[1]), key=lambda part: -abs(part[1])))
        return LogicReasons(goal, over, told, sum(value for _, value in told))

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {
            "format": SNAPSHOT_FORMAT,
            "goals": list(self.goals),
            "player": self._player,
            "time": None if self._time == -math.inf else self._time,
            "achieved": list(self._achieved),
            "reasons": list(self._belief.reasons),
            "story": self._online.save(),
        }

    @classmethod
    def resume(cls, model: MarkovLogicModel, saved: Mapping[str, Any]) -> "MarkovLogicReader":
        """Return a reader that continues from a saved state; one with a fault is refused with its place."""
        read = read_snapshot(LogicReaderSnapshot, saved, of="reader")
        check_saved_goals("reader", read.goals, model.goals)
        reader = cls(model)
        reader._time = saved_time("reader", read)
        reader._online.continue_from(read.story, "reader", ("story",))
        reader._player, reader._achieved = read.player, read.achieved
        reader._belief = Belief.of(model.goals, reader._online.belief, tuple(read.reasons))
        return reader


def _difference(reason: OnlineReason, one: int, two: int) -> float:
    # Two forbidden goals do not differ, but the difference of infinities is NaN.
    return 0.0 if reason.values[one] == reason.values[two] else reason.values[one] - reason.values[two]


def _source(name: str, arity: int) -> tuple[str, Callable[[Event], tuple[str, ...]]]:
    """Return the function that reads the facts of a predicate from an event."""
    if name == GOAL:
        return name, lambda event: ()
    if name == ACTION:
        return name, lambda event: (event.action,)
    if arity == 1:
        return name, lambda event: ("true",) if event.context.get(name) else ()
    return name, lambda event: facts_in(event.context.get(name))


def facts_in(value: object) -> tuple[str, ...]:
    """Return the constants that a context entry states as facts."""
    if isinstance(value, str):
        return (value,)
    if value is None:
        return ()
    if isinstance(value, tuple | list | frozenset | set):
        return tuple(sorted(map(str, value)) if isinstance(value, frozenset | set) else map(str, value))
    return (str(value),)


def load_logic_model(path: str | os.PathLike[str]) -> "MarkovLogicModel | ConcurrentLogicModel":
    """Read the Markov logic model at ``path``; it must have the predicate ``goal(time, goal!)``.

    Without the ``!`` goals do not exclude one another, and the model is a ``ConcurrentLogicModel``.
    """
    from telos.logic.syntax import load_mln

    return _logic_model(load_mln(os.fspath(path)), os.fspath(path))


def parse_logic_model(text: str, *, name: str) -> "MarkovLogicModel | ConcurrentLogicModel":
    """Read a Markov logic model from the text of a file, which includes no other; ``name`` stands for the file."""
    from telos.logic.syntax import parse_mln

    return _logic_model(parse_mln(text, name, includes=False), name)


def _logic_model(logic: MarkovLogic, file: str) -> "MarkovLogicModel | ConcurrentLogicModel":
    if GOAL not in logic.predicates:
        raise TelosError(f"{file}: a recogniser needs the predicate goal(time, goal!)")
    name = os.path.splitext(os.path.basename(file))[0]
    if logic.predicates[GOAL].exactly_one:
        return MarkovLogicModel(logic, name=name)
    from telos.recognition.concurrent import ConcurrentLogicModel  # it is made of the models of this module

    return ConcurrentLogicModel(logic, name=name)
