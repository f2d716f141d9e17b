"""Notes on recogniser files, and events that are none of the outcomes."""

import pytest

from recognition.readings import play
from telos.core.errors import DefinitionError, FaultCode, Note, NoteCode, TelosError
from telos.core.event import Event
from telos.files import read_yaml
from telos.recognition import create_recognizer, loads_model
from telos.recognition.files.coverage import find_uncovered_event
from telos.recognition.files.load import built_in_names, format_model, model_file, named_model
from telos.recognition.files.notes import recognizer_notes

FARM = """\
recognizer: ffbm
goals: [fish, farm]
context: {near_water: bool, tool: [rod, hoe], coins: int}
actions: [cast, hoe, walk, sell]
"""
OUTCOMES = "outcomes: {cast: action == cast, other: true}\n"
LOOKS = "observations: {fish: {cast: 0.8, others: shared}, farm: {cast: 0.1, others: shared}}\n"


def notes(text: str) -> list[Note]:
    return list(recognizer_notes(loads_model(text), read_yaml(text).data))


def told(more: str) -> list[tuple[str, tuple[str | int, ...]]]:
    return [(note.code, note.path) for note in notes(FARM + more)]


def test_a_sound_file_has_no_notes() -> None:
    assert told(OUTCOMES + LOOKS + "prior: {fish: 0.5, others: shared}\n") == []


def test_actions_that_can_be_no_outcome_are_a_fault() -> None:
    with pytest.raises(DefinitionError) as caught:
        loads_model(FARM + "outcomes: {cast: action == cast, walk: action == walk and near_water}\n" + LOOKS)
    (fault,) = caught.value.faults
    assert (fault.code, fault.line, fault.path) == (FaultCode.INCOMPLETE, 5, ("outcomes",))
    assert "'hoe', 'sell'" in fault.message
    assert "other: true" in fault.suggestion


def test_iohmm_without_a_catch_all_is_a_fault_too() -> None:
    text = FARM.replace("ffbm", "iohmm") + "observations: {cast: action == cast}\n"
    with pytest.raises(DefinitionError, match="'hoe'"):
        loads_model(text)


@pytest.mark.parametrize(
    ("outcomes", "event"),
    [
        ("{a: action == cast, b: action != cast}", None),
        ("{a: near_water, b: not near_water}", None),
        ("{a: coins > 0, b: coins <= 0}", None),
        ("{a: coins > 0, b: coins == 0}", None),  # counts are not below zero
        ("{a: coins > 0, b: coins < 0}", {"coins": 0}),
        ("{a: action == cast or tool == rod, b: action != cast and near_water}", {"tool": "hoe", "near_water": False}),
    ],
)
def test_event_that_is_no_outcome_is_noted_and_cannot_be_read(outcomes: str, event: dict[str, object] | None) -> None:
    text = FARM + f"outcomes: {outcomes}\nobservations: {{fish: {{a: 0.8, b: 0.2}}, farm: {{a: 0.1, b: 0.9}}}}\n"
    found = [note for note in notes(text) if note.code == NoteCode.NO_CATCH_ALL]
    assert len(found) == (event is not None)
    model = loads_model(text)
    values = find_uncovered_event(model.outcomes.conditions, model.vocabulary, model.goals)  # type: ignore[union-attr]
    if event is not None:
        assert values is not None
        assert event.items() <= values.items()
        context = {name: value for name, value in values.items() if name != "action"}
        with pytest.raises(TelosError, match="none of"):
            create_recognizer(model).observe(Event(str(values.get("action", "walk")), context=context))


def test_open_actions_without_a_catch_all_are_noted() -> None:
    text = FARM.replace("actions: [cast, hoe, walk, sell]\n", "") + (
        "outcomes: {cast: action == cast, hoe: action == hoe}\n" + LOOKS
    )
    assert [(note.code, "another one" in note.message) for note in notes(text)] == [(NoteCode.NO_CATCH_ALL, True)]


def test_rules_that_never_hold_are_noted_in_their_place() -> None:
    cases = (
        "transitions:\n  when:\n"
        "    - {if: tool == rod and tool == hoe, from any: {fish: 1, farm: 0}}\n"
        "    - {if: near_water, from any: {fish: 1, farm: 0}}\n"
        "    - {if: near_water and coins > 3, from any: {fish: 1, farm: 0}}\n"
    )
    never = NoteCode.NEVER_TRUE
    assert told(OUTCOMES + LOOKS + cases) == [
        (never, ("transitions", "when", 0, "if")),
        (never, ("transitions", "when", 2, "if")),
    ]
    sure = "{cast: 1, other: 0}"
    rules = f"[{{if: coins > 2 and coins < 3, then: {sure}}}, {{else: {sure}}}]"
    look = f"observations: {{fish: {rules}, farm: {sure}}}\n"
    assert told(OUTCOMES + look) == [(never, ("observations", "fish", 0, "if"))]
    assert told("outcomes: {cast: action == cast, again: action == cast, other: true}\n" + LOOKS) == [
        (never, ("outcomes", "again"))
    ]
    machine = "recognizer: fsm\ngoals: [level, town]\nrules: [{if: in_town, then: town}, {if: in_town, then: level}]\n"
    assert [note.path for note in notes(machine)] == [("rules", 1, "if")]


def test_thresholds_that_no_chance_reaches_are_noted() -> None:
    rules = "director: [{if: fish > 80, say: A}, {if: farm >= 0, say: B, until: fish == 2}, {if: fish > 0.8, say: C}]\n"
    found = notes(FARM + OUTCOMES + LOOKS + rules)
    assert [(note.code, note.path) for note in found] == [
        (NoteCode.NEVER_TRUE, ("director", 0, "if")),
        (NoteCode.ALWAYS_TRUE, ("director", 1, "if")),
        (NoteCode.NEVER_TRUE, ("director", 1, "until")),
    ]
    assert "0 to 1" in found[0].suggestion


def test_goal_that_a_prior_leaves_out_is_noted() -> None:
    found = notes(FARM + OUTCOMES + LOOKS + "prior: {fish: 1}\n")
    assert [(note.code, note.path) for note in found] == [(NoteCode.ZERO_PRIOR, ("prior",))]
    assert "'farm'" in found[0].message
    assert told(OUTCOMES + LOOKS + "prior: {fish: 1, farm: 0}\n") == []


def test_bare_numbers_say_how_they_were_read() -> None:
    more = "transitions: {lasts: 100}\nclock: {on: [input], every: 2}\ndirector: [{if: fish > 0.5, for: 20, say: Hi}]\n"
    found = {note.path: note for note in notes(FARM + OUTCOMES + LOOKS + more)}
    assert {note.code for note in found.values()} == {NoteCode.ASSUMED_UNIT}
    assert found["transitions", "lasts"].message == "100 is read as 100 updates"
    assert found["director", 0, "for"].suggestion == "write `20 s`"
    assert len(found) == 3
    assert told(OUTCOMES + LOOKS + "clock: {on: [input], every: 500 ms}\n") == []


@pytest.mark.parametrize("name", [each for each in built_in_names() if not model_file(each).endswith(".mln")])
def test_built_in_recognizers_have_no_notes(name: str) -> None:
    with open(model_file(name), encoding="utf-8") as file:
        codes = [note.code for note in notes(file.read())]
    # The text of the first paper has nine outcomes; its games have no event that is none of them.
    assert codes == ([NoteCode.NO_CATCH_ALL] if name == "flairs-text" else [])


def test_clock_of_a_game_with_one_cause_is_written_and_read_again() -> None:
    text = FARM.replace("coins: int", "coins: int, cause: [input]") + OUTCOMES + LOOKS
    model = loads_model(text)
    assert model.clock.on == ("input",)  # type: ignore[union-attr]
    assert loads_model(format_model(model)) == model


def test_remedies_fit_a_game_without_exits() -> None:
    with pytest.raises(DefinitionError) as caught:
        loads_model(FARM + OUTCOMES + "observations: {fish: [{if: near_water, then: {cast: 1, other: 0}}]}\n")
    assert len(caught.value.faults) == 2
    for fault in caught.value.faults:
        assert "{cast: 0.8, others: shared}" in fault.suggestion
        assert "towards" not in fault.suggestion


def test_play_of_the_adventure_is_always_an_outcome() -> None:
    reader = create_recognizer(named_model("flairs"))
    assert all(sum(reader.observe(event).values()) > 0.99 for event in play(3, seed=2))
