"""Every recogniser keeps the promises that `check_recognizer` states, and the check notices one that does not."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from recognition.readings import flairs, play
from telos.checks import check_recognizer
from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.ffbm import ConstantT
from telos.recognition.filtering import Clock, Reader
from telos.recognition.fsm import AIIDE_RULES, FLAIRS_RULES, FSM
from telos.recognition.hindsight import LaggedReader
from telos.recognition.iohmm import IOHMM
from telos.recognition.player_models import FitThreshold, StyleReader, UnknownGoalReader
from telos.recognition.recognizer import Learner, Recognizer

THREE = ["level", "explore", "town"]
RECOGNIZERS: dict[str, Callable[[], Recognizer]] = {
    "ffbm": lambda: Reader(flairs()),
    "ffbm, with ticks": lambda: Reader(flairs(clock=Clock(every=0.5))),
    "constant": lambda: Reader(ConstantT.of(flairs())),
    "iohmm": lambda: Reader(IOHMM(counts={"level": {"swing": 9}})),
    "flairs machine": lambda: FSM(THREE, FLAIRS_RULES, rng=Random(3)),
    "aiide machine": lambda: FSM(["explore", "level", "return"], AIIDE_RULES, rng=Random(4)),
    "lagged": lambda: LaggedReader(flairs(), 4),
    "styles": lambda: StyleReader({"by the book": flairs(), "stubborn": ConstantT.of(flairs())}),
    "unknown": lambda: UnknownGoalReader(flairs(), FitThreshold(-2.0, 5, 0.1)),
}


@pytest.mark.parametrize("name", RECOGNIZERS)
def test_every_recognizer_keeps_its_promises(name: str) -> None:
    check_recognizer(RECOGNIZERS[name], play(60, seed=5))
    check_recognizer(RECOGNIZERS[name], [])


def test_a_reader_of_a_trained_model_is_a_learner() -> None:
    learner: Learner = Reader(IOHMM())
    learner.learn(Event("swing"), "level")
    check_recognizer(lambda: learner, play(1))


class Broken(FSM):
    """A machine with one thing wrong."""

    def __init__(self) -> None:
        super().__init__(THREE, FLAIRS_RULES, start="town")


class Overconfident(Broken):
    @property
    def belief(self) -> Belief:
        return Belief.of(self.goals, [0.9, 0.9, 0.0])


class Fickle(Broken):
    reads = 0

    @property
    def belief(self) -> Belief:
        self.reads += 1
        return Belief.of(self.goals, [0.0, self.reads / 100, 1 - self.reads / 100])


class Clinging(Broken):
    def reset(self) -> None:
        self._time = float("-inf")


class Timeless(Broken):
    def observe(self, event: Event) -> Belief:
        self._time = float("-inf")
        return super().observe(event)


class Forgetful(Broken):
    def restore(self, saved: Any) -> None: ...


class Trusting(Broken):
    """Believes what it is given, with a bare KeyError for what is missing."""

    def restore(self, saved: Any) -> None:
        self._goal, self._player, self._time = saved["goal"], saved["player"], saved["time"]


class HalfRestored(Broken):
    def restore(self, saved: Any) -> None:
        self._goal = "level"
        super().restore(saved)


class Numeric(Broken):
    """Saves chances, and restores them without a check."""

    chances = (0.5, 0.25, 0.25)

    @property
    def belief(self) -> Belief:
        return Belief.of(self.goals, self.chances, ("by chance",))

    def observe(self, event: Event) -> Belief:
        super().observe(event)
        return self.belief

    def save(self) -> dict[str, Any]:
        return {"chances": list(self.chances), "rest": super().save()}

    def restore(self, saved: Any) -> None:
        if "chances" not in saved or "rest" not in saved:
            raise TelosError("incomplete")
        super().restore(saved["rest"])
        self.chances = tuple(saved["chances"])


class Lying(Broken):
    def observe(self, event: Event) -> Belief:
        super().observe(event)
        return Belief.of(self.goals, [1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Overconfident, "does not sum to 1"),
        (Fickle, "reading the belief changed it"),
        (Clinging, "after reset"),
        (Timeless, "must be refused"),
        (Forgetful, "saved and resumed"),
        (Trusting, "must be refused with a ValueError"),
        (HalfRestored, "refused, but changed"),
        (Numeric, "NaN at chances/0"),
        (Lying, "observe must return the belief"),
    ],
)
def test_the_check_notices_a_broken_promise(make: Callable[[], Recognizer], said: str) -> None:
    events = [Event("up", {"new_area": number == 3}, time=number) for number in range(8)]
    with pytest.raises(AssertionError, match=said):
        check_recognizer(make, events)


def test_a_machine_follows_its_last_telling_event() -> None:
    machine = FSM(THREE, FLAIRS_RULES, start="town")
    said = [{"attacked": True}, {}, {"new_area": True}, {"nearer_town": True}, {"attacked": True, "new_area": True}]
    tops = [machine.observe(Event("up", context, time=time)).top for time, context in enumerate(said)]
    assert tops == ["level", "level", "explore", "town", "level"]
    other = FSM(["explore", "level", "return"], AIIDE_RULES, start="return")
    tops = [other.observe(Event("up", {name: True})).top for name in ("attacked", "killed", "new_area", "nearer_town")]
    assert tops == ["return", "level", "explore", "return"]


def test_a_machine_starts_with_a_goal_drawn_by_the_generator_it_is_given() -> None:
    starts = {FSM(THREE, FLAIRS_RULES, rng=Random(seed)).belief.top for seed in range(20)}
    assert starts == set(THREE)
    assert FSM(THREE, FLAIRS_RULES, rng=Random(7)).start == FSM(THREE, FLAIRS_RULES, rng=Random(7)).start
    with pytest.raises(TelosError, match="initial goal"):
        FSM(THREE, FLAIRS_RULES)
    with pytest.raises(TelosError, match=r"'twon'.*'town'"):
        FSM(THREE, [("attacked", "twon")], start="town")
