"""Markov-logic recogniser."""

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from telos.core.belief import Belief
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.logic.model import MarkovLogic
from telos.logic.online import OnlineFilter, OnlineReason
from telos.recognition.filtering import check_event_order

# --- markov logic -----------------------------------------------------------------------------------------------------
# Reading a player with a Markov logic model: each event is one step, and its context the facts of that step.


GOAL, ACTION = "goal", "action"  # the predicates that are hidden, and that the event's action is
DONE, LAST = "done", "last"  # the goals achieved so far, and the last of them, unless the context tells


class MarkovLogicModel:
    """Weighted formulas about ``goal(time, goal!)``; it holds no belief, so any number of readers may share it."""

    def __init__(self, logic: MarkovLogic, *, name: str = "") -> None:
        self.logic, self.name = logic, name
        self.goals = OnlineFilter(logic, query=GOAL).values  # which refuses what cannot be used live

    @property
    def context(self) -> frozenset[str]:
        """The entries of an event's context that the formulas read."""
        return frozenset(self.logic.predicates) - {GOAL, ACTION, DONE, LAST}


@dataclass(frozen=True, slots=True)
class LogicReasons:
    """Why one goal is believed more than another: what each formula added, in log-odds, and their total."""

    goal: str
    over: str
    parts: tuple[tuple[str, float], ...]
    total: float

    def __str__(self) -> str:
        """Say it in lines, the strongest first."""
        lines = [f"{self.goal} over {self.over}: {self.total:+.2f} in log-odds"]
        return "\n".join([*lines, *(f"  {value:+.2f}  {text}" for text, value in self.parts)])


class MarkovLogicReader:
    """Keeps the belief about one player: exact, from everything seen so far, at the same price every event.

    The predicate ``action`` gets the event's action, and every other one the entry of that name in the event's
    context: a text or a number is one fact, a list of them several, and a missing entry none. A predicate of nothing
    but time holds where its entry is true. ``done`` and ``last`` are the goals that events achieved so far. An event
    that achieves a goal says nothing else: it would give itself away, and models are learned without such events.
    """

    def __init__(self, model: MarkovLogicModel) -> None:
        self.model = model
        self._online = OnlineFilter(model.logic, query=GOAL)
        self._read = tuple(_source(name, len(each.types)) for name, each in model.logic.predicates.items())
        self.reset()

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals that it tells apart."""
        return self.model.goals

    @property
    def belief(self) -> Belief:
        """The belief now."""
        return self._belief

    def reset(self) -> None:
        """Forget the player."""
        self._online.reset()
        self._player: str | None = None
        self._time = -math.inf
        self._achieved: list[str] = []
        self._belief = Belief.of(self.goals, self._online.belief, ("nothing was seen yet",))

    def observe(self, event: Event) -> Belief:
        """Take in what the player did, and return the new belief."""
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
        """What is known to be achieved, for the predicates that speak of it."""
        told = {DONE: tuple(sorted(set(self._achieved))), LAST: tuple(self._achieved[-1:])}
        return {name: said for name, said in told.items() if name in self.model.logic.predicates and said}

    def why(self, goal: str | None = None, over: str | None = None) -> LogicReasons:
        """Say which formulas spoke for a goal (the likeliest) over another (the next) in the last step."""
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
        """Return all that it knows about its player as plain data."""
        return {
            "goals": list(self.goals),
            "player": self._player,
            "time": None if self._time == -math.inf else self._time,
            "achieved": list(self._achieved),
            "reasons": list(self._belief.reasons),
            "story": self._online.save(),
        }

    @classmethod
    def resume(cls, model: MarkovLogicModel, saved: Mapping[str, Any]) -> "MarkovLogicReader":
        """Return a reader that goes on exactly where the saved one stopped."""
        reader = cls(model)
        if list(saved["goals"]) != list(model.goals):
            raise TelosError(f"the saved belief is about {saved['goals']}, the model's goals are {list(model.goals)}")
        reader._online.restore(saved["story"])
        reader._player, reader._achieved = saved["player"], list(saved["achieved"])
        reader._time = -math.inf if saved["time"] is None else saved["time"]
        reader._belief = Belief.of(model.goals, reader._online.belief, tuple(saved["reasons"]))
        return reader


def _difference(reason: OnlineReason, one: int, two: int) -> float:
    # Two goals that are both forbidden do not differ, though infinities have no difference.
    return 0.0 if reason.values[one] == reason.values[two] else reason.values[one] - reason.values[two]


def _source(name: str, arity: int) -> tuple[str, Callable[[Event], tuple[str, ...]]]:
    """Return how the facts of a predicate are read from an event."""
    if name == GOAL:
        return name, lambda event: ()
    if name == ACTION:
        return name, lambda event: (event.action,)
    if arity == 1:
        return name, lambda event: ("true",) if event.context.get(name) else ()
    return name, lambda event: _constants(event.context.get(name))


def _constants(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if value is None:
        return ()
    if isinstance(value, tuple | list | frozenset | set):
        return tuple(sorted(map(str, value)) if isinstance(value, frozenset | set) else map(str, value))
    return (str(value),)


# --- logic ------------------------------------------------------------------------------------------------------------
# Markov logic files as recognisers.


def load_logic_model(path: str | os.PathLike[str]) -> MarkovLogicModel:
    """Read the formulas at ``path``; they must have weights that tell goals apart."""
    from telos.logic.syntax import load_mln

    logic = load_mln(os.fspath(path))
    if GOAL not in logic.predicates:
        raise TelosError(f"{os.fspath(path)}: a recogniser needs the predicate goal(time, goal!)")
    return MarkovLogicModel(logic, name=os.path.splitext(os.path.basename(os.fspath(path)))[0])
