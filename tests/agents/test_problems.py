"""Exceptions of the game's own code are loud: logged once, kept, told by why, or raised; misuse gets our errors."""

import logging
from collections.abc import Callable
from typing import Any

import pytest

from telos.agents import (
    DONE,
    Animate,
    Character,
    Fact,
    Mind,
    MindSchedule,
    Performance,
    Performed,
    Procedure,
    SensorSchedule,
    why,
)
from telos.core import FrozenMap
from telos.core.errors import TelosError
from telos.files import loads
from telos.planning import Planner, Scheduler

HUT = """
domain: hut
variables: {hungry: bool, dark: bool}
actions:
  eat: {preconditions: may_eat(dark), effects: hungry = false}
goals: {fed: {wants: not hungry}}
"""


class Figure:
    """A body and a sensor in one; ``broken`` says which part raises."""

    cost = 1.0

    def __init__(self, broken: str = "") -> None:
        self.broken = broken

    def _fail(self, part: str) -> None:
        if self.broken == part:
            raise LookupError(f"no {part} today")

    @property
    def progress(self) -> Any:
        return DONE

    def enter(self, state: object) -> None:
        self._fail("body")

    def read(self, who: str, memory: object, now: float) -> list[Fact]:
        self._fail("sensor")
        return []

    def believe(self, memory: object, now: float) -> dict[str, bool]:
        self._fail("believe")
        return {"hungry": True}

    def may_eat(self, dark: bool) -> bool:
        self._fail("function")
        return True

    def choose(self, memory: object, now: float) -> None:
        self._fail("attention")


class Deed(Procedure):
    """A procedure that finds no way: an answer, not a problem."""

    def activate(self, actor: object, step: object) -> Any:
        raise TelosError("there is no way to the table")


def mind_of(figure: Figure, **more: Any) -> Mind:
    hut = loads(HUT, functions={"may_eat": figure.may_eat})
    parts: dict[str, Any] = {
        "procedures": {"eat": Performed(Performance(Animate("eat")))},
        "believe": figure.believe,
        "body": figure,
        "reflexes": {"eyes": figure},
        "attention": [figure],
    }
    return Mind("ann", Character("villager", hut.goals, hut.actions), hut, **{**parts, **more})


PLACES = {
    "sensor": "sensor eyes",
    "believe": "believe",
    "function": "planning for fed",
    "body": "eat",
    "attention": "attention",
}


@pytest.mark.parametrize("part", PLACES)
def test_exceptions_are_logged_once_kept_and_told(part: str, caplog: pytest.LogCaptureFixture) -> None:
    mind = mind_of(Figure(part))
    with caplog.at_level(logging.ERROR, logger="telos.agents"):
        for second in range(8):
            mind.think(float(second))
    record, *others = caplog.records
    assert len(others) == len(mind.problems) - 1  # once each place
    assert "ann" in record.getMessage()
    assert PLACES[part] in record.getMessage()
    assert record.exc_info is not None
    assert record.exc_info[2] is not None  # with its traceback
    assert PLACES[part] in [problem.place for problem in mind.problems]
    assert PLACES[part] in why(mind)
    assert f"no {part} today" in why(mind)


@pytest.mark.parametrize("part", PLACES)
def test_strict_minds_raise_what_the_game_raises(part: str) -> None:
    mind = mind_of(Figure(part), strict=True)
    with pytest.raises((LookupError, TelosError)) as raised:
        mind.think(0.0)
    error = raised.value
    assert isinstance(error if isinstance(error, LookupError) else error.__cause__, LookupError)
    assert any(PLACES[part] in note for note in error.__notes__)


def test_answers_of_procedures_are_no_problems() -> None:
    mind = mind_of(Figure(), procedures={"eat": Deed()}, strict=True)
    mind.think(0.0)
    assert not len(mind.problems)
    assert mind.memory.recall("failure", "eat", 0.0) is not None


def test_why_of_a_healthy_mind_speaks_of_no_fault() -> None:
    mind = mind_of(Figure())
    mind.think(0.0)
    assert "fault" not in why(mind)


def crowd_of_one() -> tuple[MindSchedule, Mind]:
    figure = Figure()
    mind = mind_of(figure)
    crowd = MindSchedule(SensorSchedule({"eyes": figure}), Scheduler(Planner(mind.domain), clock=None))
    crowd.join(mind, 0.0)
    return crowd, mind


def leave_twice() -> None:
    crowd, mind = crowd_of_one()
    crowd.leave(mind)
    crowd.leave(mind)


def go_back_in_time() -> None:
    crowd, _ = crowd_of_one()
    crowd.tick(3.0)
    crowd.tick(2.0)


class Blind:
    def read(self, who: str, memory: object, now: float) -> list[Fact]:
        return []


@pytest.mark.parametrize(
    ("misuse", "words"),
    [
        (leave_twice, "'ann' is not in the crowd"),
        (go_back_in_time, "2.0 s comes after that of 3 s"),
        (lambda: crowd_of_one()[0].tick(float("nan")), "nan s"),
        (lambda: crowd_of_one()[0].stimulate("anne", Fact("bell", "x", 0.0)), "no mind 'anne'.*did you mean 'ann'"),
        (lambda: crowd_of_one()[0].wake("bob"), "no mind 'bob'"),
        (lambda: crowd_of_one()[0].restore({}), "crowd"),
        (lambda: SensorSchedule({"eyes": Blind()}), "sensor eyes: cost is None"),  # type: ignore[dict-item]
        (lambda: SensorSchedule({"eyes": object()}), "is not a sensor"),  # type: ignore[dict-item]
        (lambda: mind_of(Figure(), body=object()), "is not a body"),
        (lambda: mind_of(Figure(), believe={}), "is not a function"),
        (lambda: mind_of(Figure(), reflexes={"skin": 3}), "reflex skin: 3 is not a sensor"),
        (lambda: mind_of(Figure(), attention=["target"]), "is not an attention"),
    ],
)
def test_misuse_gets_errors_that_say_what_to_do(misuse: Callable[[], object], words: str) -> None:
    with pytest.raises(TelosError, match=words):
        misuse()


def test_time_may_begin_anew_after_a_restore() -> None:
    crowd, _ = crowd_of_one()
    saved = crowd.save()
    crowd.tick(5.0)
    crowd.restore(saved)
    crowd.tick(1.0)
    assert FrozenMap(crowd.minds)
