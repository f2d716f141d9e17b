"""Notes on domains: what is certain, and nothing on domains that are as they should be."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from files.test_formats import SOURCES
from telos import Domain, load, loads, plan
from telos.core.errors import Note, NoteCode
from telos.files.domain_notes import domain_notes
from telos.files.formats import find_kind


def notes(text: str) -> list[Note]:
    return list(domain_notes(loads(text), {}))


def told(text: str) -> list[tuple[str, tuple[str | int, ...]]]:
    return [(note.code, note.path) for note in notes(text)]


VARIABLES = "domain: d\nvariables: {tired: int, wood: int, fed: bool, shop: [open, shut], at: place}\n"


@pytest.mark.parametrize(
    ("wants", "effects", "reachable"),
    [
        ("tired < 10", "tired += 1", False),
        ("tired < 10", "tired -= 1", True),
        ("tired < 10", "wood += 1", False),
        ("tired < 10", "tired = 3", True),
        ("tired < 10", "tired = wood", True),
        ("tired < 10", "tired = max(tired, 20)", False),
        ("shop == open", "shop = shut", False),
        ("shop == open", "shop = open", True),
        ("at == home", "at = mill", False),
        ("at == home", "at = home", True),
        ("not fed", "fed = true", False),
        ("fed and wood >= 3", "fed = true, wood += 1", True),
        ("fed and wood >= 3", "fed = true", False),
        ("wood > tired", "wood += 1", True),
        ("near(at)", "fed = true", True),
    ],
)
def test_goal_is_noted_only_if_no_action_can_reach_it(wants: str, effects: str, reachable: bool) -> None:
    handles = "handles: {place: [home, mill]}\n"
    text = f"{VARIABLES}{handles}actions: {{work: {{effects: '{effects}'}}}}\ngoals: {{aim: {{wants: {wants}}}}}\n"
    found = [path for code, path in told(text) if code == NoteCode.UNREACHABLE_GOAL]
    assert found == ([] if reachable else [("goals", "aim", "wants")])


def test_action_that_cannot_be_taken_brings_nothing_about() -> None:
    text = VARIABLES + (
        "actions:\n  chop: {preconditions: wood < 9, effects: wood += 1}\n"
        "goals: {some: {wants: wood >= 9}, many: {wants: wood >= 50}}\n"
    )
    assert (NoteCode.UNREACHABLE_GOAL, ("goals", "many", "wants")) in told(text)
    assert (NoteCode.UNREACHABLE_GOAL, ("goals", "some", "wants")) not in told(text)


def test_conditions_that_never_hold_are_noted() -> None:
    text = VARIABLES + (
        "actions: {a: {preconditions: shop == open and shop == shut, effects: wood += 1}}\n"
        "goals: {g: {wants: wood > 3, relevant: wood > 3 and wood < 4}}\n"
    )
    found = [note for note in notes(text) if note.code == NoteCode.NEVER_TRUE]
    assert [note.path for note in found] == [("actions", "a", "preconditions"), ("goals", "g", "relevant")]
    assert "shut" in found[0].message


def test_unused_actions_and_variables_are_noted() -> None:
    text = VARIABLES + (
        "actions:\n  chop: {preconditions: at == none, effects: wood += 1, cost: tired}\n"
        "  sing: {effects: fed = true}\n  idle: {}\n"
        "goals: {stock: {wants: wood >= 5}}\n"
    )
    assert [path for code, path in told(text) if code == NoteCode.UNUSED_ACTION] == [
        ("actions", "sing"),
        ("actions", "idle"),
    ]
    assert [path for code, path in told(text) if code == NoteCode.UNUSED_VARIABLE] == [
        ("variables", "fed"),
        ("variables", "shop"),
    ]


def test_own_names_of_objects_are_noted_in_the_object() -> None:
    text = (
        "domain: d\nvariables: {fed: bool}\nobjects:\n  oven:\n    variables: {hot: bool, old: bool}\n"
        "    actions: {cook: {preconditions: hot, effects: fed = true}, polish: {effects: hot = false}}\n"
        "goals: {eat: {wants: fed}}\n"
    )
    assert (NoteCode.UNUSED_VARIABLE, ("objects", "oven", "variables", "old")) in told(text)


def test_priority_that_reads_a_variable_is_a_use_of_it() -> None:
    text = "domain: d\nvariables: {fed: bool, hunger: number}\nactions: {eat: {effects: fed = true}}\n"
    assert told(text + "goals: {eat: {wants: fed, priority: hunger * 2}}\n") == []
    assert told(text + "goals: {eat: {wants: fed}}\n") == [(NoteCode.UNUSED_VARIABLE, ("variables", "hunger"))]


def test_urge_that_nothing_relieves_is_noted() -> None:
    assert told("domain: d\ngoals: {eat: {insistence: 3}}\n") == [(NoteCode.UNREACHABLE_GOAL, ("goals", "eat"))]
    assert told("domain: d\nactions: {snack: {changes: {eat: -2}}}\ngoals: {eat: {insistence: 3}}\n") == []


def shipped() -> list[Domain]:
    files = [*SOURCES.rglob("*.yaml"), *(SOURCES.parents[1] / "examples").rglob("*.yaml")]
    return [load(file) for file in files if find_kind(file.read_text(encoding="utf-8")) == "domain"]


def test_shipped_domains_have_no_note_on_a_goal_or_a_condition() -> None:
    strict = {NoteCode.UNREACHABLE_GOAL, NoteCode.NEVER_TRUE}
    assert [note for domain in shipped() for note in domain_notes(domain, {}) if note.code in strict] == []


@st.composite
def small_domains(draw: st.DrawFn) -> str:
    conditions = st.sampled_from(["a", "not a", "b", "n >= 2", "n < 2", "a and n > 1", "true"])
    effects = st.sampled_from(["a = true", "a = false", "b = not a", "n += 1", "n -= 1", "n = 0", "b = a"])
    actions = "".join(
        f"  act{i}: {{preconditions: {draw(conditions)}, effects: {draw(effects)}}}\n"
        for i in range(draw(st.integers(1, 3)))
    )
    goal = draw(st.sampled_from(["a", "not a", "b", "n >= 3", "n < 0", "a and b"]))
    return f"domain: d\nvariables: {{a: bool, b: bool, n: int}}\nactions:\n{actions}goals: {{g: {{wants: {goal}}}}}\n"


@settings(max_examples=60, deadline=None)
@given(small_domains(), st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(-2, 4)), min_size=3, max_size=3))
def test_goal_that_a_plan_reaches_is_never_noted(text: str, starts: Sequence[tuple[bool, bool, int]]) -> None:
    domain = loads(text)
    noted = [note for note in domain_notes(domain, {}) if note.code == NoteCode.UNREACHABLE_GOAL]
    for a, b, n in starts if noted else ():
        answer = plan(domain, {"a": a, "b": b, "n": n}, "g", budget=300)
        # A part that cannot be brought about may hold from the start; then the rest may still be planned for.
        assert not answer.found or all(_held(domain, note, {"a": a, "b": b, "n": n}) for note in noted)


def _held(domain: Domain, note: Note, values: dict[str, bool | int]) -> bool:
    state, wants = domain.state(values), domain.goal("g").wants
    assert wants is not None
    said = note.message.partition("`")[2].rpartition("`")[0]
    return any(part.holds(state) for part in wants.parts if str(part) == said)
