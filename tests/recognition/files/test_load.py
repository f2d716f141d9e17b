"""Recogniser files say what Python would: the papers' models, a designer's, and recognisers by name."""

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from recognition.readings import flairs, play
from telos.core.conditions import Condition
from telos.core.errors import DefinitionError, TelosError
from telos.core.event import Event
from telos.recognition.ffbm import FFBM, ConstantT
from telos.recognition.files.load import (
    built_in_names,
    context_read,
    create_recognizer,
    loads_model,
    named_model,
    recognizer,
)
from telos.recognition.files.schema import format_chance, parse_chance
from telos.recognition.filtering import Clock, Reader
from telos.recognition.fsm import AIIDE_RULES, FLAIRS_RULES, FSMModel
from telos.recognition.iohmm import AIIDE_CLOCK, IOHMM
from telos.recognition.observations import AIIDE_SYMBOLS
from telos.recognition.vocabulary import ADVENTURE, Vocabulary

DESIGN = """
recognizer: ffbm
goals: [level, explore, town]
vocabulary: adventure
clock: {on: [input, area], every: 500 ms}
transitions:
  lasts: 100 updates                        # so 0.99 stays, the rest is shared
  when:
    - if: chest_taken
      from explore: {level: 1/3, explore: 1/3, town: 1/3}
    - if: in_town
      from any: {level: 1/2, explore: 1/2, town: 0}
observations:
  level:
    - if: monsters > 0
      then: {swing_still: 0.8, others: shared}
    - else: towards any_exit
  explore: towards unvisited_exits
  town: towards exits_nearer_town
"""


def ffbm(text: str) -> FFBM:
    model = loads_model(text)
    assert isinstance(model, FFBM)
    return model


def test_the_file_that_the_design_shows_is_the_model_that_it_means() -> None:
    assert loads_model(DESIGN) == flairs(clock=Clock(("input", "area"), 0.5))
    assert named_model("adventure") == loads_model(DESIGN)


def test_the_files_of_the_first_paper_are_its_models() -> None:
    assert named_model("flairs") == flairs(name="flairs")
    constant = named_model("flairs-constant")
    assert isinstance(constant, ConstantT)
    assert constant == ConstantT.of(flairs(name="flairs-constant"))
    rules = tuple((Condition.of(condition), goal) for condition, goal in FLAIRS_RULES)
    assert named_model("flairs-fsm") == FSMModel(("level", "explore", "town"), rules, None, ADVENTURE, "flairs-fsm")


def test_the_files_of_the_second_paper_are_its_models() -> None:
    model = named_model("aiide")
    assert isinstance(model, IOHMM)
    assert (model.symbols, model.clock) == (AIIDE_SYMBOLS, AIIDE_CLOCK)
    paper = IOHMM(["explore", "level", "return"])
    assert model.counts == paper.counts
    for ours, theirs in zip(model.matrices, paper.matrices, strict=True):
        for row, other in zip(ours, theirs, strict=True):
            assert row == pytest.approx(other, abs=1e-15)
    rules = tuple((Condition.of(condition), goal) for condition, goal in AIIDE_RULES)
    assert named_model("aiide-fsm") == FSMModel(("explore", "level", "return"), rules, None, ADVENTURE, "aiide-fsm")


def test_a_file_and_python_believe_the_same() -> None:
    by_file, by_hand = Reader(loads_model(DESIGN)), Reader(flairs(clock=Clock(("input", "area"), 0.5)))  # type: ignore[arg-type]
    for event in play(300, seed=5):
        assert by_file.observe(event) == by_hand.observe(event)
    assert by_file.updates > 100


@pytest.mark.parametrize("name", built_in_names())
def test_every_recognizer_that_comes_along_reads_a_player(name: str) -> None:
    reader = recognizer(name, seed=3)
    events = [each for each in play(100, seed=1) if name != "flairs-text" or each.action != "stop"]  # no event there
    for event in events:
        belief = reader.observe(event)
        assert belief.is_concurrent or sum(belief.values()) == pytest.approx(1.0)
    assert set(belief) == set(reader.goals)


def test_recognizer_is_found_by_built_in_name_path_and_file_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert named_model("adventure.yaml") == named_model("adventure")
    Path("adventure.yaml").write_text(DESIGN.replace("0.8", "0.7"), encoding="utf-8")
    assert named_model("adventure.yaml") != named_model("adventure")
    belief = recognizer("adventure.yaml").observe(Event(action="swing", context={"monsters": 2, "in_town": False}))
    assert belief.top == "level"
    with pytest.raises(TelosError, match=r"'advenure'.*'adventure'"):
        named_model("advenure")
    with pytest.raises(DefinitionError, match=r"mine\.yaml: no such file"):
        named_model("mine.yaml")


def test_a_machine_that_starts_anywhere_starts_where_its_seed_says() -> None:
    model = named_model("flairs-fsm")
    starts = [create_recognizer(model, seed=seed).belief.top for seed in range(20)]
    assert set(starts) == {"level", "explore", "town"}
    assert starts == [create_recognizer(model, seed=seed).belief.top for seed in range(20)]
    fixed = loads_model("{recognizer: fsm, goals: [a, b], start: b, rules: [{if: killed, then: a}]}")
    assert isinstance(fixed, FSMModel)
    assert fixed.recognizer(Random(1)).belief.top == "b"


def test_fractions_are_exact() -> None:
    assert parse_chance("1/3") == Fraction(1, 3)
    model = ffbm(DESIGN)
    rows = model.transitions.cases[0].rows["explore"]
    assert set(rows.values()) == {1 / 3}
    thirds = ffbm(DESIGN.replace("1/3, explore: 1/3, town: 1/3", "1/7, explore: 2/7, town: 4 / 7"))
    assert thirds.transitions.cases[0].rows["explore"] == {"level": 1 / 7, "explore": 2 / 7, "town": 4 / 7}


@pytest.mark.parametrize("chance", [0.0, 1.0, 1 / 3, 2 / 7, 0.05, 0.1 + 0.2, 1e-9, 0.123456789012345])
def test_a_written_chance_is_read_as_the_very_same_number(chance: float) -> None:
    said = parse_chance(format_chance(chance))
    assert said is not None
    assert float(said) == chance


def test_goals_may_last_differently() -> None:
    model = ffbm(DESIGN.replace("lasts: 100 updates", "lasts: {level: 10, explore: 4 updates, town: 1 update}"))
    assert model.transitions.matrices(model.goals)[0] == (
        (0.9, pytest.approx(0.05), pytest.approx(0.05)),
        (0.125, 0.75, 0.125),
        (0.5, 0.5, 0.0),
    )


def test_a_game_of_its_own_declares_its_context() -> None:
    model = loads_model("""
recognizer: iohmm
goals: [get_onion, deliver]
context: {held: text, d_pot: int, facing: [up, down]}
actions: [stay, interact]
observations:
  at_work: action == interact and held == onion
  near: d_pot < 3
  other: true
""")
    assert model.vocabulary == Vocabulary(
        ["stay", "interact"], {"held": "text", "d_pot": "int", "facing": ["up", "down"]}
    )
    assert isinstance(model, IOHMM)
    seen = [
        model.evidence(Event(action, context)).seen  # type: ignore[union-attr]
        for action, context in (
            ("interact", {"held": "onion", "d_pot": 9}),
            ("interact", {"held": "dish", "d_pot": 2}),
            ("stay", {"held": "onion", "d_pot": 9}),
        )
    ]
    assert seen == ["at_work", "near", "other"]
    with pytest.raises(TelosError, match="'swing'"):
        model.evidence(Event("swing"))
    with pytest.raises(TelosError, match="'monsters'"):
        model.evidence(Event("stay", {"monsters": 2}))


def test_context_read_lists_the_entries_of_a_model() -> None:
    looks = {"moving", "monsters", "exits", "unvisited_exits", "exits_nearer_town"}
    assert context_read(named_model("flairs")) == looks | {"chest_taken", "in_town"}
    assert context_read(named_model("flairs-constant")) == looks
    assert "toward_gem" in context_read(named_model("aiide"))
    by_cause = loads_model("{recognizer: fsm, goals: [a, b], rules: [{if: cause == area, then: a}]}")
    assert context_read(by_cause) == {"cause"}


def test_too_many_goals_are_refused_before_matrices_are_built() -> None:
    goals = ", ".join(f"g{number}" for number in range(30_000))
    with pytest.raises(DefinitionError, match=r"there are 30000 goals; name at most 200"):
        loads_model(f"recognizer: ffbm\ngoals: [{goals}]\n")
