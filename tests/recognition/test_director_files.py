"""The `director` of a recogniser file: read for every sort, written again as it was, and faults at their places."""

import pytest

from telos.core.errors import DefinitionError
from telos.recognition.director import create_director
from telos.recognition.files.load import format_model, loads_model
from telos.recognition.iohmm import IOHMM, copy_model

DIRECTOR = """
director:
  - if: level > 0.9 and not in_town
    until: town > 0.5 or new_area
    for: 20 s
    pay: {kill: 0.5, chest: 2}
    say: "Enough: look {unvisited_exits}, or is it {level}?"
    again after: 1500 ms
  - if: died
    say: Ouch.
"""
LOOKS = "observations: {level: towards any_exit, town: towards exits_nearer_town}"
GOALS = "goals: [level, town]\nvocabulary: adventure\n"
SORTS = {
    "ffbm": f"recognizer: ffbm\n{GOALS}{LOOKS}{DIRECTOR}",
    "constant": f"recognizer: constant\n{GOALS}{LOOKS}{DIRECTOR}",
    "iohmm": f"recognizer: iohmm\n{GOALS}observations: {{swing: action == swing, other: true}}" + DIRECTOR,
    "fsm": f"recognizer: fsm\n{GOALS}rules: [{{if: attacked, then: level}}]" + DIRECTOR,
}


@pytest.mark.parametrize("sort", SORTS)
def test_every_sort_of_file_can_have_a_director(sort: str) -> None:
    director = create_director(loads_model(SORTS[sort]))
    assert director is not None
    first, second = director.rules
    assert (first.hold, dict(first.pay), first.again_after) == (20.0, {"kill": 0.5, "chest": 2.0}, 1.5)
    assert (str(first.condition), str(first.until)) == ("level > 0.9 and not in_town", "town > 0.5 or new_area")
    assert (second.hold, second.say, second.again_after, second.until) == (0.0, "Ouch.", None, None)


@pytest.mark.parametrize("sort", SORTS)
def test_saved_model_is_read_back_equal(sort: str) -> None:
    model = loads_model(SORTS[sort])
    assert loads_model(format_model(model)) == model
    without = loads_model(SORTS[sort].split("\ndirector:")[0])
    assert without != model
    assert without.director is None
    assert "director" not in format_model(without)


def test_training_keeps_the_director() -> None:
    model = loads_model(SORTS["iohmm"])
    assert isinstance(model, IOHMM)
    assert copy_model(model, counts={"level": {"swing": 3}}).director == model.director


def test_a_goal_by_the_name_of_something_known_cannot_be_asked_for() -> None:
    text = "recognizer: fsm\ngoals: [level, monsters]\nvocabulary: adventure\nrules: [{if: attacked, then: level}]\n"
    text += "director: [{if: monsters > 0.5, say: Hm.}]"
    with pytest.raises(DefinitionError, match="'monsters'"):
        loads_model(text)


def test_another_game_may_pay_for_anything() -> None:
    text = "recognizer: fsm\ngoals: [a, b]\ncontext: {near: bool}\nrules: [{if: near, then: a}]\n"
    model = loads_model(text + "director: [{if: a > 0.5 and near, pay: {wood: 0}}]")
    assert model.director is not None
    assert model.director[0].pay == {"wood": 0.0}


def test_an_empty_director_is_a_fault() -> None:
    with pytest.raises(DefinitionError, match="4:1: there are no rules"):
        loads_model("recognizer: fsm\ngoals: [a, b]\nrules: [{if: attacked, then: a}]\ndirector: []")
