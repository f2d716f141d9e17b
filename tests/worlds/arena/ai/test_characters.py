"""Edited characters are checked like files, and replace minds in a running fight."""

from dataclasses import replace

import pytest

from telos.core.errors import DefinitionError, TelosError
from telos.core.values import FrozenMap
from telos.worlds.arena.ai.characters import (
    characters_with,
    find_character_faults,
    load_arena_characters,
    load_character_texts,
)
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import load_scene

TIMID = load_character_texts()["soldier"] + "priorities: {cover: 99}\n"


def test_characters_without_overrides_are_those_of_the_package() -> None:
    assert dict(characters_with({})) == dict(load_arena_characters())


def test_override_affects_characters_like_it() -> None:
    kinds = characters_with({"soldier": TIMID})
    for name, is_changed in (("soldier", True), ("private", True), ("layer-4-cover", False)):
        assert [goal.priority for goal in kinds[name].goals if goal.name == "cover"] == [99 if is_changed else 50]


def test_all_faults_of_overrides_are_reported_with_lines() -> None:
    text = "character: soldeir\nlike: layer-7-talk\nadd: {goals: [covr]}\nbody: {health: 90000}\n"
    assert [(fault.line, fault.message) for fault in find_character_faults("soldier", text)] == [
        (1, "the character is called 'soldeir', but its file 'soldier'"),
        (3, "unknown goal or goal set 'covr'"),
        (4, "'health' must be more than 0 and at most 10000, got 90000"),
    ]


@pytest.mark.parametrize(
    "text", ["", "[1, 2", "- a\n- b\n", "character: [x]\n", "character: soldier\nlike: soldier\n", "\0"]
)
def test_invalid_character_text_is_a_fault(text: str) -> None:
    assert find_character_faults("soldier", text)


def test_like_names_a_character_not_a_file() -> None:
    for like in ("soldier.yaml", "../characters/rat.yaml", "/etc/passwd"):
        [fault] = find_character_faults("guard", f"character: guard\nlike: {like}\n")
        assert fault.message == f"unknown character {like!r}"


def test_circular_likes_are_reported() -> None:
    [fault] = find_character_faults("layer-1-attack", "character: layer-1-attack\nlike: soldier\n")
    assert "a circle: " in fault.message


def test_faults_in_dependent_characters_are_reported_at_the_override() -> None:
    text = "character: soldier\nlike: layer-7-talk\ndrop: {goals: [patrol]}\n"
    [fault] = find_character_faults("soldier", text)
    assert fault.file == "soldier.yaml"
    assert "private.yaml:4:" in fault.message
    with pytest.raises(DefinitionError):
        characters_with({"soldier": text})
    with pytest.raises(TelosError, match="unknown character 'ninja'"):
        characters_with({"ninja": TIMID})


def test_recast_replaces_minds_and_keeps_bodies_and_memories() -> None:
    battle = Battle(load_scene("flank"), seed=1)
    for _ in range(30):
        battle.step()
    before = {name: [(fact.kind, fact.subject) for fact in mind.memory] for name, mind in battle.minds.items()}
    bodies = [(each.position, each.health) for each in battle.arena.fighters.values()]
    assert battle.recast(characters_with({"soldier": TIMID})) == ("Ann", "Bob")
    assert {name: [(fact.kind, fact.subject) for fact in mind.memory] for name, mind in battle.minds.items()} == before
    assert [(each.position, each.health) for each in battle.arena.fighters.values()] == bodies
    assert [goal.priority for goal in battle.minds["Ann"].arbiter.goals if goal.name == "cover"] == [99]
    assert battle.comrades["Ann"].memory is battle.minds["Ann"].memory
    for _ in battle.seconds():
        pass


def test_recast_with_the_same_characters_changes_nothing() -> None:
    one, two = Battle(load_scene("pincer"), seed=3), Battle(load_scene("pincer"), seed=3)
    for _ in range(20):
        one.step()
        two.step()
    assert one.recast(characters_with({})) == ()
    assert [one.step() for _ in range(40)] == [two.step() for _ in range(40)]


def test_recast_removes_dropped_goals() -> None:
    battle = Battle(load_scene("skirmish"), seed=1)
    characters = dict(load_arena_characters())
    characters["soldier"] = replace(
        characters["soldier"],
        goals=tuple(goal for goal in characters["soldier"].goals if goal.name == "patrol"),
        body=FrozenMap(),
    )
    battle.recast(characters)
    seen = set()
    for _ in range(100):
        battle.step()
        seen |= {mind.goal for mind in battle.minds.values()}
    assert seen <= {"patrol", None}
