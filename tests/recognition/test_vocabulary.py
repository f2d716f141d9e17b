"""Vocabularies: nobody's words but the file's own, those that conditions read, and the first events that lack them."""

import pytest

from telos.core.errors import DefinitionError, FaultCode, TelosError
from telos.core.event import Event
from telos.recognition import IOHMM, create_recognizer, format_model, loads_model
from telos.recognition.files.kinds import actions_named
from telos.recognition.transitions import TransitionRules
from telos.recognition.vocabulary import ADVENTURE, FIRST_EVENTS, OWN_WORDS, Vocabulary

FARM = """
recognizer: ffbm
goals: [farm, fish]
transitions:
  lasts: 5 updates
  when: [{if: raining, from any: {fish: 0.8, others: shared}}]
observations:
  farm: {hoe: 0.5, water: 0.4, others: shared}
  fish:
    - if: depth > 0.5 and season == summer and held != none
      then: {cast: 0.7, others: shared}
    - else: {walk: 0.9, others: shared}
"""


def kinds(words: Vocabulary) -> dict[str, str]:
    return {name: str(kind) for name, kind in words.context.items()}


def test_a_file_without_words_reads_what_its_conditions_say() -> None:
    model = loads_model(FARM)
    assert model.vocabulary.is_open
    assert model.vocabulary.actions == ()
    assert kinds(model.vocabulary) == {"raining": "bool", "depth": "number", "season": "text", "held": "text"}
    assert actions_named(model) == ("hoe", "water", "cast", "walk")
    assert model.outcomes.names == ("hoe", "water", "cast", "walk", "other")


def test_the_adventure_is_asked_for_by_name() -> None:
    rules = "rules: [{if: attacked, then: a}]"
    assert loads_model(f"recognizer: fsm\ngoals: [a, b]\nvocabulary: adventure\n{rules}").vocabulary == ADVENTURE
    own = loads_model(f"recognizer: fsm\ngoals: [a, b]\n{rules}").vocabulary
    assert kinds(own) == {"attacked": "bool"}
    with pytest.raises(DefinitionError, match="adventure or open"):
        loads_model(f"recognizer: fsm\ngoals: [a, b]\nvocabulary: adventrue\n{rules}")


def test_looks_that_give_all_chances_allow_no_other_action() -> None:
    text = (
        FARM.replace("others: shared}\n", "hoe: 0}\n")
        .split("  fish:")[0]
        .replace("goals: [farm, fish]", "goals: [farm]")
    )
    model = loads_model(
        text.replace("hoe: 0.5, water: 0.4, hoe: 0", "hoe: 0.6, water: 0.4").replace(
            "  when: [{if: raining, from any: {fish: 0.8, others: shared}}]\n", ""
        )
    )
    assert model.vocabulary.actions == ("hoe", "water")
    with pytest.raises(TelosError, match="unknown action 'cast'"):
        create_recognizer(model).observe(Event("cast"))


def test_listed_context_is_all_there_is_unless_the_file_is_open() -> None:
    closed = "recognizer: fsm\ngoals: [a, b]\ncontext: {hp: int}\nrules: [{if: hp < 3 and attacked, then: a}]"
    with pytest.raises(DefinitionError, match="unknown variable 'attacked'"):
        loads_model(closed)
    words = loads_model(closed + "\nvocabulary: open").vocabulary
    assert kinds(words) == {"hp": "int", "attacked": "bool"}
    assert words.is_open


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("near == market and market", FaultCode.CONFLICT),  # a label, or an entry?
        ("hp > 3 and hp", FaultCode.WRONG_TYPE),
        ("params.hp > 3", FaultCode.BAD_NAME),
    ],
)
def test_what_conditions_cannot_say_has_to_be_listed(condition: str, code: FaultCode) -> None:
    with pytest.raises(DefinitionError) as caught:
        loads_model(f"recognizer: fsm\ngoals: [a, b]\nrules: [{{if: {condition}, then: a}}]")
    assert code in {fault.code for fault in caught.value.faults}


def test_a_director_reads_goals_as_chances_and_the_rest_as_context() -> None:
    words = loads_model(FARM + "director: [{if: fish > 0.8 and gold < 3, say: Buy bait.}]").vocabulary
    assert kinds(words)["gold"] == "number"
    assert "fish" not in words.context


def test_a_saved_model_keeps_its_words() -> None:
    model = loads_model(FARM)
    text = format_model(model)
    assert "vocabulary: open" in text
    assert loads_model(text) == model


def test_models_in_python_read_their_conditions_too() -> None:
    model = IOHMM(
        ["hunt", "roam"],
        symbols=[("shot", "action == shoot and prey > 0"), ("other", None)],
        transitions=TransitionRules(lasts=10),
    )
    assert (kinds(model.vocabulary), model.vocabulary.is_open) == ({"prey": "number"}, True)
    assert IOHMM().vocabulary == ADVENTURE  # with the paper's symbols
    model.learn(Event("shoot", {"prey": 2, "wind": 3.5}), "hunt")
    assert loads_model(format_model(model)) == model


def test_an_event_without_a_cause_is_input() -> None:
    model = loads_model(FARM + "clock: {on: [input], every: 2 s}")
    assert kinds(model.vocabulary)["cause"] == "text"
    reader = create_recognizer(model)
    assert reader.observe(Event("hoe")).top == "farm"


def test_first_events_are_compared_with_the_words_of_the_model() -> None:
    model = loads_model(FARM)
    reader = create_recognizer(model)
    for time in range(FIRST_EVENTS + 50):
        reader.observe(Event("hoee" if time % 2 else "hoe", {"rain": True, "depth": 0.7, "season": "fall"}, time=time))
    assert model.first_events.notes() == [
        "of the first 100 events, 50 have actions that the model does not name: hoee (50)",
        "of the first 100 events, none says 'held', which the model reads",
        "of the first 100 events, none says 'raining', which the model reads; did you mean 'rain'?",
    ]
    assert any("hoee (50)" in line for line in str(reader.why()).splitlines())


def test_closed_words_are_refused_at_once_and_not_watched() -> None:
    reader = create_recognizer(loads_model(FARM + "context: {raining: bool, depth: number, season: text, held: text}"))
    with pytest.raises(TelosError, match="unknown context 'rain'"):
        reader.observe(Event("hoe", {"rain": True}))


def test_own_words_are_the_start_of_every_open_vocabulary() -> None:
    assert Vocabulary(is_open=True) == OWN_WORDS != Vocabulary()
