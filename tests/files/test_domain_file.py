"""Domain files become domains."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from files.work import calls_in
from telos.core.errors import DefinitionError, Fault, TelosError
from telos.files import load, loads

DOMAINS = Path(__file__).parents[2] / "examples" / "domains"


def faults_of(text: str) -> tuple[Fault, ...]:
    try:
        loads(text)
    except DefinitionError as error:
        return error.faults
    return ()


def test_soldier_file_becomes_a_domain() -> None:
    soldier = load(DOMAINS / "soldier.yaml", functions={"distance": lambda here, there: 3})
    assert soldier.name == "soldier"
    assert soldier.functions_needed == ("distance",)
    state = soldier.state({"ammo": 2})
    assert [action.name for action in soldier.possible(state)] == ["reload", "patrol"]
    after = soldier.action("reload").result(state)
    assert (after["weapon_loaded"], after["ammo"]) == (True, 1)
    assert [action.name for action in soldier.actions_of("rat")] == ["goto"]
    assert [goal.name for goal in soldier.goals_of("gdc06")] == ["kill_enemy", "cover", "patrol"]
    assert not soldier.goal("cover").relevant.holds(state)


def test_mage_file_limits_spells_by_crystals() -> None:
    mage = load(DOMAINS / "mage.yaml")
    start = mage.state()
    assert start["crystals"] == 5
    after = mage.action("greater-healing").result(start)
    assert [action.name for action in mage.possible(after)] == ["lesser-healing"]
    assert mage.action("fireball").changes == {"kill-ogre": -2}


def test_kitchen_file_allows_to_cook_a_meal() -> None:
    kitchen = load(DOMAINS / "kitchen.yaml")
    state = kitchen.state()
    for name in ("fridge.take-raw-food", "oven.insert", "oven.cook", "oven.remove", "eat-meal"):
        action = kitchen.action(name)
        assert action.is_possible(state), name
        state = action.result(state)
    assert (state["holding"], state["oven.contents"], state["fridge.food"]) == ("nothing", "empty", 2)


def test_kitchen_file_opens_the_door_with_the_key() -> None:
    kitchen = load(DOMAINS / "kitchen.yaml")
    state = kitchen.state()
    assert not kitchen.action("door.open").is_possible(state)
    for name in ("key_hook.take-key", "door.insert-key", "door.unlock", "door.open", "door.step-out"):
        assert kitchen.action(name).is_possible(state), name
        state = kitchen.action(name).result(state)
    assert state["outside"]


def test_examples_name_their_schema_in_the_first_line() -> None:
    for file in DOMAINS.glob("*.yaml"):
        first = file.read_text().splitlines()[0]
        assert first.startswith("# yaml-language-server: $schema=")
        assert (file.parent / first.partition("=")[2]).resolve().is_file()


def test_empty_bodies_and_sections_are_allowed() -> None:
    domain = loads("domain: small\nvariables:\nactions:\n  patrol:\ngoals:\n  rest:\nobjects:\n  rock:\naction_sets:")
    assert [action.name for action in domain.actions] == ["patrol"]
    assert [goal.name for goal in domain.goals] == ["rest"]


def test_yaml_booleans_are_conditions() -> None:
    domain = loads("domain: x\nactions: {never: {preconditions: false}}\ngoals: {g: {wants: [true], relevant: true}}")
    assert domain.possible(domain.state()) == ()
    assert domain.goal("g").relevant.holds(domain.state())


def test_handle_variable_starts_at_a_listed_name_or_none() -> None:
    domain = loads(
        "domain: x\nhandles: {node: [gate]}\nvariables: {a: {type: node, start: gate}, b: {type: node, start: none}}"
    )
    assert dict(domain.state()) == {"a": "gate", "b": None}


def test_on_and_off_are_labels() -> None:
    domain = loads("domain: x\nvariables: {switch: [on, off]}\nactions: {flip: {effects: switch = off}}")
    assert domain.action("flip").result(domain.state())["switch"] == "off"


def test_list_of_conditions_is_a_conjunction_with_positions() -> None:
    text = "domain: x\nvariables: {a: int, b: bool}\nactions:\n  go:\n    preconditions:\n"
    good = loads(f"{text}    - a > 1\n    - b\n    - a < 5 or b\n").action("go")
    assert [str(part) for part in good.preconditions.parts] == ["a > 1", "b", "a < 5 or b"]
    with pytest.raises(DefinitionError) as caught:
        loads(f"{text}    - a > 1\n    - b and c\n    - true\n    - a < d\n")
    assert [(fault.line, fault.column, fault.text) for fault in caught.value.faults] == [
        (7, 13, "b and c"),
        (9, 11, "a < d"),
    ]


def many_actions(count: int) -> str:
    few = count // 10
    lines = ["domain: big", "variables:", *(f"  v{i}: int" for i in range(few)), "goals: {g: {}}", "actions:"]
    for i in range(count):
        lines.append(f"  act{i}: {{preconditions: v{i % few} >= 1, effects: [v{i % few} -= 1], changes: {{g: -1}}}}")
    return "\n".join(lines)


@pytest.mark.parametrize("count", [1000, pytest.param(5000, marks=pytest.mark.slow)])
def test_loading_many_actions_takes_linear_work(count: int) -> None:
    assert len(loads(many_actions(count)).actions) == count
    few, many = many_actions(200), many_actions(800)
    assert calls_in(lambda: loads(many)) < 4.4 * calls_in(lambda: loads(few))  # four times as much to do


LINES = "".join((DOMAINS / f"{name}.yaml").read_text() for name in ("soldier", "kitchen")).splitlines()


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["soldier", "mage", "kitchen"]), st.data())
def test_mutated_file_gives_a_domain_or_located_faults(name: str, data: st.DataObject) -> None:
    lines = (DOMAINS / f"{name}.yaml").read_text().splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        how = data.draw(st.sampled_from(["drop", "double", "swap", "cut"]))
        if how == "drop":
            del lines[place]
        elif how == "double":
            lines.insert(place, lines[place])
        elif how == "swap":
            lines[place] = data.draw(st.sampled_from(LINES))
        else:
            lines[place] = lines[place][: data.draw(st.integers(0, len(lines[place])))]
    faults = faults_of("\n".join(lines))
    assert all(fault.line >= 1 and fault.message for fault in faults)
    assert list(faults) == sorted(faults, key=lambda fault: (fault.line, fault.column))


def test_definition_error_is_a_telos_error() -> None:
    with pytest.raises(TelosError, match="'amo'"):
        loads("domain: x\nvariables: {ammo: int}\nactions: {shoot: {preconditions: amo > 1}}")
