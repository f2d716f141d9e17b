"""Every model can be written to a readable file, and comes back equal."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recognition.readings import play
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.ffbm import FFBM, ConstantT
from telos.recognition.files.load import built_in_names, format_model, load_model, loads_model, named_model, save_model
from telos.recognition.filtering import Clock, Reader
from telos.recognition.fsm import FSMModel
from telos.recognition.iohmm import IOHMM
from telos.recognition.observations import (
    FLAIRS_SYMBOLS,
    FixedObservation,
    HeadingObservation,
    ObservationRules,
    Symbols,
)
from telos.recognition.transitions import LearnedTransitions, TransitionRules
from telos.recognition.vocabulary import ADVENTURE, OWN_WORDS, Vocabulary

CONDITIONS = ("in_town", "monsters > 0", "not (killed or died)", "cause == area", "min(monsters, 3) == 2", "x * 2 < -y")
NAMES = ("level", "explore", "town", "yes", "true", "null", "a-b.c", "on")
OWN = Vocabulary(["walk", "go on!", "true"], {"hp": "int", "held": "text", "side": ["left", "right"]}, moments=["hp"])


SOME_WORDS = Vocabulary((), {"monsters": "int", "unused": "text"}, moments=["monsters"], is_open=True)
FEW_CAUSES = Vocabulary((), {**ADVENTURE.context, "cause": ["tick", "area", "input"]}, moments=["killed"])


def chances(draw: st.DrawFn, names: tuple[str, ...]) -> dict[str, float]:
    """Chances that sum to 1, of the kinds that people and programs write."""
    weights = draw(st.lists(st.integers(0, 9), min_size=len(names), max_size=len(names)).filter(any))
    return {name: weight / sum(weights) for name, weight in zip(names, weights, strict=True)}


@st.composite
def transitions(draw: st.DrawFn, goals: tuple[str, ...]) -> TransitionRules:
    def row() -> dict[str, Any]:
        if draw(st.booleans()):
            return {goals[0]: draw(st.sampled_from([0, 0.25, 1 / 3])), "others": "shared"}
        return chances(draw, goals)

    sources = st.lists(st.sampled_from([*goals, "any"]), min_size=1, unique=True)
    conditions = draw(st.lists(st.sampled_from(CONDITIONS), max_size=3))
    cases = [(condition, {source: row() for source in draw(sources)}) for condition in conditions]
    spans = st.sampled_from([1, 7.5, 100.0, 1e6, 12345.678])
    match draw(st.sampled_from(["one", "each", "rows"])):
        case "one":
            return TransitionRules(lasts=draw(spans), cases=cases)
        case "each":
            return TransitionRules(lasts={goal: draw(spans) for goal in goals}, cases=cases)
        case _:
            return TransitionRules(rows={goal: row() for goal in goals}, cases=cases)


@st.composite
def parts(draw: st.DrawFn) -> dict[str, Any]:
    goals = tuple(draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True)))
    every = draw(st.sampled_from([None, 0.5, 2.0, 0.1 + 0.2]))
    return {
        "goals": goals,
        "transitions": draw(transitions(goals)),
        "prior": chances(draw, goals) if draw(st.booleans()) else None,
        "clock": draw(st.sampled_from([None, Clock("input", every), Clock(("input", "area"), every)])),
        "vocabulary": draw(st.sampled_from([ADVENTURE, OWN_WORDS, SOME_WORDS, FEW_CAUSES])),
        "name": draw(st.sampled_from(["", "mine", "no"])),
    }


@st.composite
def designed(draw: st.DrawFn) -> FFBM:
    said = draw(parts())
    outcomes = draw(
        st.sampled_from([FLAIRS_SYMBOLS, Symbols([("hit", "killed"), ("no", "monsters > 2"), ("rest", None)])])
    )
    exits = st.sampled_from(["exits", "unvisited_exits"])

    def look() -> FixedObservation | HeadingObservation:
        if outcomes is FLAIRS_SYMBOLS and draw(st.booleans()):
            return HeadingObservation(draw(exits))
        if draw(st.booleans()):
            return FixedObservation({outcomes.names[0]: draw(st.sampled_from([0.8, 1 / 3]))})
        return FixedObservation(chances(draw, outcomes.names), others=None)

    def rules() -> ObservationRules:
        conditions = draw(st.lists(st.sampled_from(CONDITIONS), max_size=2))
        return ObservationRules([*((condition, look()) for condition in conditions), (None, look())])

    sort = draw(st.sampled_from([FFBM, ConstantT]))
    return sort(observations={goal: rules() for goal in said["goals"]}, outcomes=outcomes, **said)


@st.composite
def trained(draw: st.DrawFn) -> IOHMM:
    said = draw(parts())
    symbols = Symbols([("hit", "killed"), ("yes", "monsters > 2"), ("rest", None)])
    counts = st.fixed_dictionaries({name: st.sampled_from([0, 1, 2.5, 1e20, 1 / 3]) for name in symbols.names})
    table = st.dictionaries(st.sampled_from(said["goals"]), counts)
    learned = None
    if draw(st.booleans()):
        learned = LearnedTransitions(draw(st.sampled_from([0.0, 10.0, 2.5])))
    model = IOHMM(
        symbols=symbols,
        counts=draw(table),
        pseudo_counts=draw(st.one_of(st.sampled_from([0, 1, 0.5]), table)),
        discount=draw(st.sampled_from([1.0, 0.99])),
        learned=learned,
        **said,
    )
    for event in play(draw(st.integers(0, 5))):
        goals = [draw(st.sampled_from(said["goals"])) for _ in range(2)]
        model.learn(event, goals[0], goals[1])
    return model


@settings(max_examples=150, deadline=None)
@given(st.one_of(designed(), trained()))
def test_a_saved_model_comes_back_equal_and_says_the_same_text(model: FFBM | IOHMM) -> None:
    text = format_model(model)
    again = loads_model(text)  # every model that can be made or trained is read back
    assert type(again) is type(model)
    assert again == model
    assert format_model(again) == text


@pytest.mark.parametrize("name", [name for name in built_in_names() if "island" not in name])  # formulas
def test_built_in_models_can_be_saved(name: str, tmp_path: Path) -> None:
    save_model(named_model(name), tmp_path / "again.yaml")
    assert load_model(tmp_path / "again.yaml") == named_model(name)


def test_a_vocabulary_of_its_own_is_saved_with_the_model() -> None:
    model = IOHMM(
        ["a", "b"],
        symbols=Symbols([("near", "hp > 2 and side == left and held != axe"), ("other", None)]),
        transitions=TransitionRules(lasts=10),
        vocabulary=OWN,
    )
    assert loads_model(format_model(model)) == model
    empty = FSMModel(("a", "b"), (), "a", Vocabulary(["walk"]))
    assert "context: {}\nactions: [walk]" in format_model(empty)
    assert "vocabulary: adventure\nstart" in format_model(FSMModel(("a", "b"), (), "a", ADVENTURE))


@pytest.mark.parametrize("causes", [["input"], ["input", "tick"], ["area", "tick", "input"], ["respawn"]])
@pytest.mark.parametrize("clock", ["", "clock: {every: 2 s}\n"])
def test_a_trained_model_of_any_causes_loads(causes: list[str], clock: str, tmp_path: Path) -> None:
    text = f"recognizer: iohmm\ngoals: [a, b]\ncontext: {{cause: [{', '.join(causes)}]}}\n{clock}"
    model = loads_model(text + "observations: {swing: action == swing, other: true}\n")
    assert isinstance(model, IOHMM)
    model.learn(Event("swing", {"cause": causes[0]}), "a")
    assert model.counts.seen["a"]["swing"] == 1
    save_model(model, tmp_path / "me.yaml")
    assert load_model(tmp_path / "me.yaml") == model


def test_a_model_that_no_file_can_hold_is_not_written(tmp_path: Path) -> None:
    model = IOHMM([f"goal-{i}" for i in range(201)], transitions=TransitionRules(lasts=10))
    with pytest.raises(TelosError, match="there are 201 goals"):
        save_model(model, tmp_path / "me.yaml")
    assert not (tmp_path / "me.yaml").exists()


def test_a_kind_of_value_that_no_file_can_say_is_refused() -> None:
    with pytest.raises(TelosError, match="'at'"):
        format_model(FSMModel(("a", "b"), (), "a", Vocabulary([], {"at": "node"})))


def test_a_saved_model_believes_the_same() -> None:
    taught = named_model("aiide")
    assert isinstance(taught, IOHMM)
    for number, event in enumerate(play(200, seed=8)):
        taught.learn(event, taught.goals[number % 3])
    again = loads_model(format_model(taught))
    one, two = Reader(taught), Reader(again)  # type: ignore[arg-type]
    for event in play(200, seed=9):
        assert one.observe(event) == two.observe(event)


def test_a_trained_model_is_readable() -> None:
    model = IOHMM(counts={"level": {"swing": 7, "stop": 2.5}}, name="me")
    text = format_model(model)
    assert "counts:\n  level: {swing: 7, stop: 2.5}\n" in text
    assert "  approach_town: toward_town\n" in text
    assert "    - if: goal == return\n      from any: {return: 0, others: shared}\n" in text


def test_a_place_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    with pytest.raises(TelosError, match=r"me\.yaml: there is no folder"):
        save_model(named_model("flairs"), tmp_path / "no" / "me.yaml")
