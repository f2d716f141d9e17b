"""The condition and effect language: what it means, and what it says about mistakes."""

import pytest

import telos
from files.broken import is_said
from telos.core.expressions import parse_expression

STATE = telos.Domain(
    variables=[
        telos.Variable("ammo", "int", 3),
        telos.Variable("health", "number", 97.5),
        telos.Variable("loaded", "bool"),
        telos.Variable("target", ["alive", "dead"]),
        telos.Variable("at", "node", "yard"),
        telos.Variable("cover", "node"),
    ],
    handles={"node": ["yard", "roof"]},
    functions={"distance": lambda here, there: 0 if here == there else 7},
).state()


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("ammo >= 3 and not loaded", True),
        ("loaded or target == alive", True),
        ("not (loaded or target == alive)", False),
        ("alive == target", True),
        ("target != dead", True),
        ("0 < ammo < 3", False),
        ("0 < ammo <= 3", True),
        ("ammo * 2 - 1 == 5", True),
        ("-ammo + 4 == 1", True),
        ("ammo / 2 == 1.5", True),
        ("min(ammo, 2) == 2 and max(ammo, 9, 1) == 9 and abs(-ammo) == 3", True),
        ("at == yard and at != roof", True),
        ("cover == none", True),
        ("at == cover", False),
        ("distance(at, roof) > 5", True),
        ("true", True),
        ("1e2 == 100 and 0.5 < 1", True),
    ],
)
def test_condition_is_evaluated(text: str, holds: bool) -> None:
    assert telos.Condition.of(text).holds(STATE) is holds


def test_effects_are_simultaneous() -> None:
    swap = telos.Action("swap", effects="a = b, b = a")
    after = swap.result(telos.State.of({"a": 1, "b": 2}))
    assert dict(after) == {"a": 2, "b": 1}


@pytest.mark.parametrize(
    ("effects", "changed"),
    [
        ("ammo -= 1", {"ammo": 2}),
        ("ammo *= 2, loaded = true", {"ammo": 6, "loaded": True}),
        ("health = min(health + 5, 100)", {"health": 100}),
        ("health /= 2; target = dead", {"health": 48.75, "target": "dead"}),
        ("at = roof", {"at": "roof"}),
        ("cover = at", {"cover": "yard"}),
        ("loaded = ammo >= 1 and target == alive", {"loaded": True}),
    ],
)
def test_effect_sets_its_variable(effects: str, changed: dict[str, object]) -> None:
    after = telos.Action("act", effects=effects).result(STATE)
    assert {name: value for name, value in after.items() if value != STATE[name]} == changed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ammo = 1", "bad-syntax '='; '=='"),
        ("loaded && ammo", "bad-syntax '&&'; 'and'"),
        ("!loaded", "bad-syntax; 'not'"),
        ("ammo => 1", "bad-syntax; '>='"),
        ("ammo >=", "bad-syntax value"),
        ("", "bad-syntax value"),
        ("(ammo >= 1", "bad-syntax '('"),
        ("ammo >= 1)", "bad-syntax ')'"),
        ("ammo ammo", "bad-syntax 'ammo'"),
        ("target == 'alive'", "bad-syntax quotes"),
        ("__import__('os')", "bad-syntax '__import__'; letter"),
        ("ammo.__class__", "bad-syntax 'ammo.__class__'"),
        ("ammo @ 2", "bad-syntax '@'"),
        ("3ammo", "bad-syntax '3'"),
        ("1e999 > ammo", "bad-syntax 1e999"),
        ("(" * 60 + "ammo" + ")" * 60, "bad-syntax nested"),
        ("not " * 60 + "loaded", "bad-syntax nested"),
        (" + ".join(["1"] * 400), "bad-syntax 500"),
    ],
)
def test_parser_suggests_what_was_probably_meant(text: str, said: str) -> None:
    with pytest.raises(telos.DefinitionError) as caught:
        parse_expression(text)
    assert any(is_said(fault, said) for fault in caught.value.faults), str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("amo >= 1", "unknown-name 'amo'; 'ammo'"),
        ("target == alife", "unknown-name 'alife'; 'alive'"),
        ("ammo == loaded", "wrong-type integer"),
        ("target < dead", "wrong-type '<'; =="),
        ("ammo", "wrong-type condition"),
        ("not ammo", "wrong-type 'ammo'"),
        ("loaded + 1 == 2", "wrong-type 'loaded'"),
        ("abs(1, 2) == 1", "wrong-count abs"),
        ("min(ammo) == 1", "wrong-count min"),
        ("at == target", "wrong-type node"),
    ],
)
def test_wrong_type_fault_names_both_types(text: str, said: str) -> None:
    with pytest.raises(telos.DefinitionError) as caught:
        telos.Condition.of(text).holds(STATE)
    assert any(is_said(fault, said) for fault in caught.value.faults), str(caught.value)


def test_division_by_zero_names_the_expression() -> None:
    with pytest.raises(telos.TelosError, match=r"division by zero in `1 / ammo`"):
        telos.Condition.of("1 / ammo > 0").holds(telos.State.of({"ammo": 0}))


def test_effect_that_makes_a_number_infinite_is_refused() -> None:
    grow = telos.Action("grow", effects="size *= 1e200")
    with pytest.raises(telos.TelosError, match=r"effect `size \*= 1e200` makes 'size' inf"):
        grow.result(telos.State.of({"size": 1e200}))


def test_unregistered_function_is_named() -> None:
    with pytest.raises(telos.TelosError, match="'dist'"):
        telos.Condition.of("dist(1, 2) > 0").holds(STATE)


def test_condition_lists_its_unmet_parts() -> None:
    condition = telos.Condition.of("loaded and ammo >= 1 and target == dead")
    assert [str(part) for part in condition.unmet(STATE)] == ["loaded", "target == dead"]
