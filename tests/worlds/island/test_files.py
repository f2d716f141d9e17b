"""Island files: every fault is reported with its line."""

import pytest

from telos.core.errors import DefinitionError
from telos.worlds.island.story import DATA, parse_story
from telos.worlds.island.styles import parse_styles

ISLAND = (DATA / "island.yaml").read_text(encoding="utf-8")
PLAYERS = (DATA / "players.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("milk-jug: {at: serving-counter", "milk-jug: {at: serving-conter", "did you mean 'serving-counter'?"),
        ("in: oven}", "in: owen}", "there is no container 'owen'; did you mean 'oven'?"),
        ("- dock - gate", "- dock - gat", "there is no place 'gat' in `dock - gat`; did you mean 'gate'?"),
        ("- dock - gate", "- dock to gate", "there is no place 'dock to gate'"),
        ("start: dock", "start: dok", "there is no place 'dok'; did you mean 'dock'?"),
        ("tests: 5", "tests: none", "tests must be a whole number, 1 or more, got 'none'"),
        ("tests: 5", "test: 5", "unknown key 'test'; did you mean 'tests'?"),
        ("[symptom cramps]", "[cramps]", "what is learned: a kind and what it is about"),
        ("dock: [36, 14]", "dock: [36]", "a column and a row of the drawing"),
        ("truth: {disease: salmonellosis", "truth: {disease: salmonela", "there is no disease 'salmonela'"),
        ("{of: [cook]", "{of: [cok]", "there is no person 'cok'; did you mean 'cook'?"),
        ("  talk-cook: {of", "  talk-cok: {of", "there is no goal 'talk-cok'; did you mean 'talk-cook'?"),
        ("  pick-up: 1.5", "  pickup: 1.5", "there is no action 'pickup'; did you mean 'pick-up'?"),
    ],
)
def test_fault_names_its_line_and_a_remedy(good: str, bad: str, message: str) -> None:
    assert good in ISLAND
    with pytest.raises(DefinitionError) as refused:
        parse_story(ISLAND.replace(good, bad), file="mine.yaml")
    assert message in str(refused.value)
    line = ISLAND[: ISLAND.index(good)].count("\n") + 1
    assert any(fault.line == line for fault in refused.value.faults)
    assert all(fault.file == "mine.yaml" for fault in refused.value.faults)


def test_faults_are_reported_at_once() -> None:
    broken = ISLAND.replace("start: dock", "start: dok").replace("in: oven}", "in: owen}")
    with pytest.raises(DefinitionError) as refused:
        parse_story(broken)
    assert len(refused.value.faults) == 2


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("guesser: 0.25}", "gesser: 0.25}", "there is no style 'gesser'; did you mean 'guesser'?"),
        ("patience: 0.97", "patients: 0.97", "unknown key 'patients'; did you mean 'patience'?"),
        ("patience: 0.97", "patience: 97", "patience must be a number from 0 to 1, got 97"),
        ("cares: {chat: 2.0", "cares: {chatt: 2.0", "there is no goal 'chatt'; did you mean 'chat'?"),
        ("meet-cook: {talk-cook", "meet-cook: {talk-cok", "there is no goal 'talk-cok'; did you mean 'talk-cook'?"),
        ("proof: 3, ", "", "style 'methodical' lacks the trait 'proof'"),
    ],
)
def test_players_file_faults_are_reported(good: str, bad: str, message: str) -> None:
    assert good in PLAYERS
    with pytest.raises(DefinitionError) as refused:
        parse_styles(PLAYERS.replace(good, bad), file="mine.yaml")
    assert message in str(refused.value)
