"""Comparison of two models on one session."""

import pytest

from telos.core.errors import DefinitionError, TelosError
from telos.core.event import Event
from telos.recognition.files.load import create_recognizer, loads_model
from telos.recognition.recognizer import Recognizer
from telos.studio.models.compare import compare
from telos.studio.session import ObservedEvent, RecognizerSet
from telos.studio.stage import Model

OLD = """
recognizer: fsm
goals: [level, town]
vocabulary: adventure
start: level
rules: [{if: in_town, then: town}]
"""
NEW = """
recognizer: fsm
goals: [level, town, explore]
vocabulary: adventure
start: level
rules: [{if: in_town, then: town}, {if: new_area, then: explore}]
"""


def made(text: str) -> Recognizer:
    return create_recognizer(loads_model(text))


def panel(*seen: tuple[dict[str, bool], str | None]) -> RecognizerSet:
    """A game in which this was seen, with what the player was after."""
    watched = RecognizerSet([Model("fsm", "FSM", OLD, make=made)])
    for number, (context, truth) in enumerate(seen):
        watched.observe(ObservedEvent(Event("stop", context, time=number / 2), truth, None, number))
    return watched


PLAYED: tuple[tuple[dict[str, bool], str | None], ...] = (
    ({}, "level"),
    ({"new_area": True}, "explore"),
    ({}, "explore"),
    ({"in_town": True}, "town"),
)


def test_both_models_read_events_and_are_judged_by_truth() -> None:
    found = compare(panel(*PLAYED), "fsm", NEW)
    assert found.times == (0.0, 0.5, 1.0, 1.5)
    assert found.truths == ("level", "explore", "explore", "town")
    assert found.goals == ("level", "town", "explore")
    assert list(found.old["level"]) == [1, 1, 1, 0]
    assert list(found.old["explore"]) == [0, 0, 0, 0]
    assert list(found.new["explore"]) == [0, 1, 1, 0]
    assert (found.old_accuracy, found.new_accuracy, found.judged) == (0.5, 1.0, 4)
    assert (found.differ_at, found.differ_time, found.difference) == (1, 0.5, 1.0)
    assert found.summary() == (
        "accuracy 50.0% before, 100.0% after (+50.0 points, 4 events judged); they differ most at 0.5 s, by 100%"
    )


def test_comparison_leaves_game_unchanged() -> None:
    watched = panel(*PLAYED)
    before = (dict(watched.beliefs), dict(watched.texts), dict(watched.updates), list(watched.events))
    compare(watched, "fsm", NEW)
    assert (watched.beliefs, watched.texts, watched.updates, watched.events) == before


def test_comparison_without_truth_has_no_accuracy() -> None:
    found = compare(panel(({}, None), ({"new_area": True}, None)), "fsm", NEW)
    assert (found.old_accuracy, found.new_accuracy, found.judged) == (None, None, 0)
    assert found.summary() == (
        "they differ most at 0.5 s, by 100%; the true goal is not known, so the accuracy is not known"
    )


def test_only_events_with_truth_are_judged() -> None:
    found = compare(panel(({}, None), ({"new_area": True}, "explore")), "fsm", NEW)
    assert (found.old_accuracy, found.new_accuracy, found.judged) == (0.0, 1.0, 1)


def test_same_model_gives_same_beliefs() -> None:
    found = compare(panel(*PLAYED), "fsm", OLD)
    assert (found.old, found.differ_at, found.difference) == (found.new, None, 0.0)
    assert "the same throughout" in found.summary()


def test_comparison_without_events_is_empty() -> None:
    assert compare(panel(), "fsm", NEW).summary() == "no event has been observed yet, so there is nothing to compare"


def test_faulty_text_raises_its_faults() -> None:
    with pytest.raises(DefinitionError, match="atacked"):
        compare(panel(*PLAYED), "fsm", OLD.replace("in_town", "atacked"))
    with pytest.raises(TelosError, match="did you mean 'fsm'"):
        compare(panel(*PLAYED), "fsn", NEW)
