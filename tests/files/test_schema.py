"""The JSON Schema and the loader agree on the shape of a domain file."""

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos.files.domain_file as shape
from files.broken import FILES
from mutations import mutated
from telos.files.yaml import read_yaml

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "domains").glob("*.yaml"))
COMMITTED = Path(shape.__file__).with_name("domain.schema.json")
VALIDATOR = jsonschema.Draft202012Validator(json.loads(shape.schema_text()))

# One of each: every key that a file may have, so that mutations reach every corner.
EVERYTHING = """
domain: all
variables: {a: bool, b: int, c: number, d: [x, y], e: node, f: {type: int, start: 3}, g: {type: [x], start: x}}
handles: {node: [gate, tower]}
actions:
  one: {preconditions: a, effects: a = true, cost: 2, duration: 1.5, changes: {eat: -1}, promises: {eat: 1}}
  two: {preconditions: [a, true], effects: [b = 1, c = 2], cost: b + 1, parameters: {place: node}}
  three:
goals:
  eat: {insistence: 4, drift: -0.5, curve: linear, weight: 2}
  kill: {wants: a, priority: 3, relevant: [a, b > 1]}
  rest:
objects:
  oven: {variables: {hot: bool}, actions: {cook: {effects: hot = true}, wait: }}
  box:
action_sets: {all: [one, two]}
goal_sets: {none: []}
"""
GOOD = [read_yaml(EVERYTHING).data, *(read_yaml(file.read_text()).data for file in EXAMPLES)]
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, -0.5, "text", "ammo >= 1", "", "and", "a-b"])
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(st.sampled_from("ab"), SCALARS, max_size=2))
KEYS = st.sampled_from(["type", "start", "cost", "wants", "domain", "variables", "two words", "2nd", "not", "a.b"])


def test_committed_schema_is_up_to_date() -> None:
    remedy = "write it again: telos check --schema > src/telos/files/domain.schema.json"
    assert COMMITTED.read_text(encoding="utf-8") == shape.schema_text() + "\n", remedy


def test_generated_schema_is_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(shape.schema_text()))


@pytest.mark.parametrize("data", GOOD, ids=["everything", *(file.stem for file in EXAMPLES)])
def test_schema_and_loader_accept_good_files(data: Any) -> None:
    assert not shape.check_shape(data)
    assert VALIDATOR.is_valid(data)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_schema_and_loader_agree_on_broken_files(file: Path) -> None:
    document = read_yaml(file.read_text(encoding="latin-1"))
    if document.faults or has_strange_numbers(document.data):
        return  # not YAML that an editor would get as far as validating, or numbers that JSON does not have
    assert VALIDATOR.is_valid(document.data) == (not shape.check_shape(document.data))


def has_strange_numbers(data: Any) -> bool:
    if isinstance(data, dict):
        return any(map(has_strange_numbers, data.values()))
    if isinstance(data, list):
        return any(map(has_strange_numbers, data))
    return isinstance(data, float) and not math.isfinite(data)


MUTATED = mutated(st.sampled_from(GOOD), values=VALUES, keys=KEYS)


@settings(max_examples=400, deadline=None)
@given(MUTATED)
def test_schema_and_loader_agree_on_mutated_files(data: Any) -> None:
    assert VALIDATOR.is_valid(data) == (not shape.check_shape(data))


@settings(max_examples=200, deadline=None)
@given(MUTATED)
def test_shape_faults_hide_pydantic(data: Any) -> None:
    for finding in shape.check_shape(data):
        said = f"{finding.fault.message}; {finding.fault.suggestion}"
        assert "Input should" not in said
        assert "‹" not in said
        assert "pydantic" not in said
