"""Resolved characters: every goal, action and sensor with the file and line it comes from."""

import pytest

from telos.studio.models.resolved import ACTION, GOAL, SENSOR, ResolvedMind, find_chain, resolve_mind
from telos.studio.session import Session
from telos.studio.stage import world

DOMAIN = """\
domain: farm
actions:
  dig: {effects: dug = true, cost: 3}
  rest:
    effects: tired = false
goals:
  work: {wants: dug, priority: 10, relevant: not tired}
  sleep: {wants: not tired}
goal_sets: {day: [work, sleep]}
"""
GRANDMOTHER = "character: base\ngoals: [day]\nactions: [dig, rest]\nsensors: {eyes: 1 s, nose: 5 s}\n"
MOTHER = """\
character: mother
like: base
sensors: {eyes: 0.5 s}
costs:
  # slow
  dig: 4 + depth
priorities: {work: 20}
"""
CHILD = "character: child\nlike: mother\ndrop: {sensors: [nose]}\npriorities: {work: 30}\n"
TEXTS = {"child": CHILD, "mother": MOTHER, "base": GRANDMOTHER, "farm": DOMAIN}


def resolve(texts: dict[str, str], who: str = "child") -> ResolvedMind:
    chain = (*find_chain(texts, who), "farm")
    return resolve_mind(texts, chain, ["work", "sleep"], ["dig", "rest"])


def at(place: object) -> tuple[str, int] | None:
    return None if place is None else (place.model, place.line)  # type: ignore[attr-defined]


def test_nearest_file_overrides_priority_and_others_are_named() -> None:
    mind = resolve(TEXTS)
    assert mind.chain == ("child", "mother", "base", "farm")
    work, sleep = mind.find(GOAL, "work"), mind.find(GOAL, "sleep")
    assert work is not None
    assert sleep is not None
    assert (work.value, at(work.valued), at(work.listed), at(work.defined)) == (
        "30", ("child", 4), ("base", 2), ("farm", 7),
    )  # fmt: skip
    assert work.details == (("wants", "dug"), ("relevant", "not tired"))
    assert (sleep.value, sleep.valued, at(sleep.source)) == ("", None, ("farm", 8))


def test_cost_of_parent_is_inherited_and_own_file_is_edited() -> None:
    dig = resolve(TEXTS).find(ACTION, "dig")
    assert dig is not None
    assert (dig.value, at(dig.valued)) == ("4 + depth", ("mother", 6))
    assert dig.edit is not None
    assert (dig.edit.model, dig.edit.path) == ("child", ("costs", "dig"))


def test_sensors_are_merged_and_dropped_ones_left_out() -> None:
    sensors = [each for each in resolve(TEXTS).traits if each.kind == SENSOR]
    assert [(each.name, each.value, at(each.source)) for each in sensors] == [("eyes", "0.5 s", ("mother", 3))]
    assert resolve(TEXTS, "mother").find(SENSOR, "nose") is not None


def test_goal_list_of_child_takes_place_of_parents() -> None:
    mind = resolve({**TEXTS, "child": f"{CHILD}goals: [work]\n"})
    work, sleep = mind.find(GOAL, "work"), mind.find(GOAL, "sleep")
    assert work is not None
    assert sleep is not None
    assert at(work.listed) == ("child", 5)
    assert sleep.listed is None


def test_like_is_found_across_folders() -> None:
    texts = {
        "guards/child.yaml": "like: ../base/mother.yaml\n",
        "base/mother.yaml": "like: gran\n",
        "base/gran.yaml": "",
    }
    assert find_chain(texts, "guards/child.yaml") == ("guards/child.yaml", "base/mother.yaml", "base/gran.yaml")


@pytest.mark.parametrize(
    "broken", ["like: [", "goals: {work: {weight: 99}}", "42", "", "like: child", "sensors: [eyes]"]
)
def test_faulty_parent_is_left_out_and_rest_resolves(broken: str) -> None:
    mind = resolve({**TEXTS, "mother": broken})
    work = mind.find(GOAL, "work")
    assert work is not None
    assert (work.value, at(work.defined)) == ("30", ("farm", 7))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("arena", {}),
        ("arena", {"scene": "drone"}),
        ("adventure", {"rules": "wilds", "plays": "newcomer"}),
        ("forge", {"play": "key", "companion": "reads"}),
        ("island", {"plays": "simulated"}),
    ],
)
def test_all_that_a_mind_shows_has_its_line(name: str, settings: dict[str, str]) -> None:
    session = Session(world(name), 3, settings)
    for _ in range(30):
        session.advance()
    texts, found = session.texts(), 0
    for who in session.minds():
        mind = session.resolve(who)
        if mind is None:
            continue
        for trait in mind.traits:
            assert trait.source is not None, (who, trait)
            line = texts[trait.source.model].split("\n")[trait.source.line - 1]
            assert trait.name.rpartition(".")[2] in line, (who, trait)
            found += 1
    assert found >= 10
