"""Mistakes that designers make, each with the code and a telling word of the answer."""

from pathlib import Path

import pytest

from telos.core.errors import DefinitionError, Fault, FaultCode, name_hint
from telos.files import load, loads
from telos.files.definition import Definition
from telos.files.domain_file import DomainShape
from telos.files.yaml import read_yaml
from telos.recognition import loads_model

SOURCES = Path(__file__).parents[2] / "src" / "telos"
DOMAIN = """\
domain: village
variables: {fed: bool, rested: bool, wood: int, friend_sees_enemy: bool, friend_enemies: int}
actions:
  work: {ACTION}
goals: {eat: {wants: fed}}
"""


def the_fault(text: str) -> Fault:
    with pytest.raises(DefinitionError) as caught:
        loads(text)
    (fault,) = caught.value.faults
    return fault


@pytest.mark.parametrize(
    ("action", "code", "remedy"),
    [
        ("preconditions: fed == 1", FaultCode.WRONG_TYPE, "write `fed`"),
        ("preconditions: fed != 0", FaultCode.WRONG_TYPE, "write `fed`"),
        ("preconditions: fed == 0", FaultCode.WRONG_TYPE, "write `not fed`"),
        ("preconditions: 1 != fed", FaultCode.WRONG_TYPE, "write `not fed`"),
        ("preconditions: fed >= 1", FaultCode.WRONG_TYPE, "write `fed` or `not fed`"),
        ("effects: wood++", FaultCode.BAD_SYNTAX, "write `wood += 1`"),
        ("effects: wood--", FaultCode.BAD_SYNTAX, "write `wood -= 1`"),
        ("effects: rested = yes", FaultCode.UNKNOWN_NAME, "write `true`"),
        ("effects: rested = Off", FaultCode.UNKNOWN_NAME, "write `false`"),
        ("preconditions: rested == True", FaultCode.UNKNOWN_NAME, "write `true`"),
        ("preconditions: friend_sees", FaultCode.UNKNOWN_NAME, "did you mean 'friend_sees_enemy'?"),
    ],
)
def test_mistake_in_an_action_gets_its_remedy(action: str, code: FaultCode, remedy: str) -> None:
    fault = the_fault(DOMAIN.replace("ACTION", action))
    assert (fault.code, fault.suggestion, fault.line) == (code, remedy, 4)


@pytest.mark.parametrize(
    ("line", "column", "word"),
    [
        ("say: {count} of them", 8, "quotes"),
        ("- {count} of them", 5, "quotes"),
        ("say: [{count} of them, Gone]", 9, "quotes"),
        ("say: 'The merchant's away'", 21, "double quotes"),
        ("say: ['It's him', Gone]", 12, "double quotes"),
    ],
)
def test_text_that_needs_quotes_is_said_to_need_them(line: str, column: int, word: str) -> None:
    (fault,) = read_yaml(f"lines:\n  {line}\n").faults
    assert (fault.code, fault.line, fault.column) == (FaultCode.BAD_YAML, 2, column)
    assert word in fault.suggestion


@pytest.mark.parametrize("text", ["a: 'it''s' x\n", "a: {b: c} d\n", "a: 'x' y\n"])
def test_other_mistakes_of_yaml_are_not_taken_for_quotes(text: str) -> None:
    (fault,) = read_yaml(text).faults
    assert "quotes" not in fault.suggestion


def test_misspelt_recognizer_is_one_fault() -> None:
    good = "goals: [level, town]\nrules: [{if: in_town, then: town}]\n"
    for load_text, word in ((loads_model, "did you mean 'recognizer'?"), (loads, "telos.recognizer reads it")):
        with pytest.raises(DefinitionError) as caught:
            load_text(f"recogniser: fsm\n{good}")
        (fault,) = caught.value.faults
        assert word in fault.suggestion


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("worlds/arena/data/performances.yaml", ("performance file", "load_performances")),
        ("worlds/arena/data/characters/rat.yaml", ("character file", "load_character")),
        ("recognition/data/flairs.yaml", ("recogniser file", "telos.recognizer")),
        ("telemetry/data/island.yaml", ("corpus file", "telos corpus prepare")),
        ("squads/dialogue/lines.yaml", ("lines file", "load_lines")),
        ("worlds/forge/data/grammar.yaml", ("grammar file", "telos.recognizer")),
    ],
)
def test_file_of_another_kind_is_one_fault_that_names_its_reader(file: str, words: tuple[str, str]) -> None:
    with pytest.raises(DefinitionError) as caught:
        load(SOURCES / file)
    (fault,) = caught.value.faults
    assert fault.code == FaultCode.WRONG_FILE
    assert words[0] in fault.message
    assert words[1] in fault.suggestion


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("blocks.pddl", "; comment\n(define (domain blocks))", "telos plan --pddl"),
        ("blocks.yaml", "(define (problem p) (:domain blocks))", "telos plan --pddl"),
        ("log.csv", "time,action\n1,walk\n", "telos recognize"),
    ],
)
def test_file_that_is_not_authored_says_which_command_reads_it(name: str, text: str, word: str) -> None:
    (fault,) = Definition(text, name, DomainShape, "a domain file").faults
    assert fault.code == FaultCode.WRONG_FILE
    assert word in fault.suggestion


def test_all_known_names_are_listed_if_they_fit() -> None:
    names = [f"name{i}" for i in range(20)]
    assert all(name in name_hint("xyz", names) for name in names)


def test_long_lists_show_what_resembles_the_word() -> None:
    names = [f"thing-number-{i}" for i in range(60)] + ["spotted"]
    hint = name_hint("seen-spot-by", names)
    assert "spotted" in hint
    assert "more" in hint
    assert len(hint) < 300


def test_start_of_a_word_is_no_suggestion_for_short_words() -> None:
    assert name_hint("at", ["attacked", "health"]) == "known: attacked, health"
