"""State-machine baseline."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from telos.core.belief import Belief
from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.recognition.director import DirectorRule
from telos.recognition.filtering import check_event_order
from telos.recognition.observations import EventFeatures, FeatureValues
from telos.recognition.recognizer import check_goals
from telos.recognition.vocabulary import ADVENTURE, Vocabulary

# --- fsm --------------------------------------------------------------------------------------------------------------
# The finite state machine that both papers compare with: the last telling event decides.


# In the order of the papers; where one event fits several rules, the first decides.
FLAIRS_RULES = (("attacked", "level"), ("new_area", "explore"), ("nearer_town", "town"))
AIIDE_RULES = (("new_area", "explore"), ("nearer_town", "return"), ("killed", "level"))


class FSM:
    """A recogniser that jumps to a goal whenever its rule holds, and is always sure.

    It has no clock: every event is looked at. It starts with the goal ``start``, or with one that ``rng`` draws once.

    >>> machine = FSM(["level", "explore", "town"], FLAIRS_RULES, start="town")
    >>> machine.observe(Event("swing", {"attacked": True})).top
    'level'
    """

    def __init__(
        self,
        goals: Sequence[str],
        rules: Iterable[tuple[ConditionLike, str]],
        *,
        start: str | None = None,
        rng: Random | None = None,
        vocabulary: Vocabulary = ADVENTURE,
        name: str = "",
    ) -> None:
        self.name = name
        self._goals = check_goals(goals)
        self.rules = tuple((Condition.of(condition), self._known(goal)) for condition, goal in rules)
        if start is None and rng is None:
            raise TelosError(f"say where to start: start={self._goals[0]!r}, or rng=Random(seed) to draw it")
        self.start = self._known(start if start is not None else (rng or Random()).choice(self._goals))
        self.vocabulary = vocabulary
        self._features: EventFeatures[str | None] = EventFeatures(
            vocabulary, self._goals, [condition for condition, _ in self.rules]
        )
        tests = [(self._features.bound(condition), goal) for condition, goal in self.rules]

        def compute(values: FeatureValues) -> str | None:
            return next((goal for holds, goal in tests if holds(values)), None)

        self._features.compute_with(compute)
        self._beliefs = {goal: self._sure(goal) for goal in self._goals}
        self._goal = self.start
        self._player: str | None = None
        self._time = float("-inf")

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals that it tells apart."""
        return self._goals

    @property
    def belief(self) -> Belief:
        """All of it on one goal."""
        return self._beliefs[self._goal]

    def observe(self, event: Event) -> Belief:
        """Take in what the player did, and return the new belief."""
        check_event_order(event, self._player, self._time)
        goal = self._features.evidence(event)
        self._player, self._time = event.player, event.time
        self._goal = goal or self._goal
        return self.belief

    def reset(self) -> None:
        """Forget the player, and go back to the start."""
        self._goal, self._player, self._time = self.start, None, float("-inf")

    def save(self) -> dict[str, Any]:
        """Return all that it knows about its player as plain data."""
        time = None if self._time == float("-inf") else self._time
        return {"goal": self._goal, "start": self.start, "player": self._player, "time": time}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Go on exactly where the saved one stopped."""
        self._goal, self.start = self._known(saved["goal"]), self._known(saved["start"])
        self._player = saved["player"]
        self._time = float("-inf") if saved["time"] is None else saved["time"]

    def _known(self, goal: str) -> str:
        if goal not in self._goals:
            raise TelosError(f"unknown goal {goal!r}", name_hint(str(goal), self._goals))
        return goal

    def _sure(self, goal: str) -> Belief:
        return Belief.of(self._goals, [float(each == goal) for each in self._goals], (f"in the state {goal}",))


# --- machine ----------------------------------------------------------------------------------------------------------
# A state machine as a file says it: no player is read by it yet, so any number of recognisers may be made from one.


RANDOM_START = "random"  # in a file: start with any goal


@dataclass(frozen=True, slots=True)
class FSMModel:
    """The goals and rules of a state machine; ``start`` is its first goal, or None for any."""

    goals: tuple[str, ...]
    rules: tuple[tuple[Condition, str], ...]
    start: str | None = None
    vocabulary: Vocabulary = ADVENTURE
    name: str = ""
    director: tuple[DirectorRule, ...] | None = None

    def recognizer(self, rng: Random) -> FSM:
        """Return a recogniser for one player; ``rng`` draws where it starts, if the rules do not say."""
        return FSM(self.goals, self.rules, start=self.start, rng=rng, vocabulary=self.vocabulary, name=self.name)
