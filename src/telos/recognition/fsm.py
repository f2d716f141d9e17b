"""The finite-state machine that both papers compare with: the last rule that held decides."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from telos.core.belief import Belief
from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import TelosError, name_hint
from telos.core.event import Event
from telos.files.snapshots import SNAPSHOT_FORMAT, check_known, read_snapshot
from telos.recognition.director import DirectorRule, director_conditions, director_formulas
from telos.recognition.filtering import check_event_order
from telos.recognition.observations import EventFeatures, FeatureValues
from telos.recognition.recognizer import PlayerSnapshot, Reason, check_goals, saved_time
from telos.recognition.vocabulary import OWN_WORDS, FirstEvents, Vocabulary, complete_vocabulary

# In the order of the papers; if several rules hold for one event, the first decides.
FLAIRS_RULES = (("attacked", "level"), ("new_area", "explore"), ("nearer_town", "town"))
AIIDE_RULES = (("new_area", "explore"), ("nearer_town", "return"), ("killed", "level"))


class FSMSnapshot(PlayerSnapshot):
    """The data of a saved ``FSM``."""

    goal: str
    start: str


class FSM:
    """A recogniser that predicts the goal of the last rule that held, with certainty.

    It has no clock: every event counts. It starts with the goal ``start``, or with one drawn by ``rng``.

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
        vocabulary: Vocabulary = OWN_WORDS,
        name: str = "",
    ) -> None:
        self.name = name
        self._goals = check_goals(goals)
        self.rules = tuple((Condition.of(condition), self._check_goal(goal)) for condition, goal in rules)
        if start is None and rng is None:
            raise TelosError(
                "there is no initial goal", f"give start={self._goals[0]!r}, or rng=Random(seed) to draw it"
            )
        self.start = self._check_goal(start if start is not None else (rng or Random()).choice(self._goals))
        conditions = [condition for condition, _ in self.rules]
        self.vocabulary = vocabulary = complete_vocabulary(vocabulary, conditions)
        self._features: EventFeatures[str | None] = EventFeatures(vocabulary, self._goals, conditions)
        tests = [(self._features.bound(condition), goal) for condition, goal in self.rules]

        def compute(values: FeatureValues) -> str | None:
            return next((goal for holds, goal in tests if holds(values)), None)

        self._features.compute_with(compute)
        self._beliefs = {goal: self._certain(goal) for goal in self._goals}
        self._goal = self.start
        self._player: str | None = None
        self._time = float("-inf")

    @property
    def goals(self) -> tuple[str, ...]:
        return self._goals

    @property
    def belief(self) -> Belief:
        """The belief: 1 for the current goal."""
        return self._beliefs[self._goal]

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The rule that decided, as data: a state machine weighs nothing."""
        return (Reason(f"the last rule that held, or the start, says {self._goal}, and no doubt is left"),)

    @property
    def first_events(self) -> FirstEvents:
        """What the first events say that the rules do not use, if the vocabulary is open."""
        return self._features.first_events

    def observe(self, event: Event) -> Belief:
        """Update the belief with an event, and return it."""
        check_event_order(event, self._player, self._time)
        goal = self._features.evidence(event)
        self._player, self._time = event.player, event.time
        self._goal = goal or self._goal
        return self.belief

    def reset(self) -> None:
        """Forget the player: return to the start."""
        self._goal, self._player, self._time = self.start, None, float("-inf")

    def save(self) -> dict[str, Any]:
        """Return the state as plain data."""
        time = None if self._time == float("-inf") else self._time
        return {
            "format": SNAPSHOT_FORMAT,
            "goal": self._goal,
            "start": self.start,
            "player": self._player,
            "time": time,
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Restore a saved state; one with a fault is refused and changes nothing."""
        read = read_snapshot(FSMSnapshot, saved, of="state machine")
        check_known("state machine", ("goal",), read.goal, self._goals)
        check_known("state machine", ("start",), read.start, self._goals)
        time = saved_time("state machine", read)
        self._goal, self.start, self._player, self._time = read.goal, read.start, read.player, time

    def _check_goal(self, goal: str) -> str:
        if goal not in self._goals:
            raise TelosError(f"unknown goal {goal!r}", name_hint(str(goal), self._goals))
        return goal

    def _certain(self, goal: str) -> Belief:
        return Belief.of(self._goals, [float(each == goal) for each in self._goals], (f"in the state {goal}",))


RANDOM_START = "random"  # in a file: draw the initial goal


@dataclass(frozen=True, slots=True)
class FSMModel:
    """The definition of a state machine, shared by any number of recognisers; ``start`` None draws the initial goal."""

    goals: tuple[str, ...]
    rules: tuple[tuple[Condition, str], ...]
    start: str | None = None
    vocabulary: Vocabulary = OWN_WORDS
    name: str = ""
    director: tuple[DirectorRule, ...] | None = None

    def __post_init__(self) -> None:
        conditions = [condition for condition, _ in self.rules]
        told, formulas = director_conditions(self.director), director_formulas(self.director)
        words = complete_vocabulary(self.vocabulary, conditions, director=told, goals=self.goals, formulas=formulas)
        object.__setattr__(self, "vocabulary", words)

    def recognizer(self, rng: Random) -> FSM:
        """Return a recogniser for one player; ``rng`` draws the initial goal if there is none."""
        return FSM(self.goals, self.rules, start=self.start, rng=rng, vocabulary=self.vocabulary, name=self.name)
