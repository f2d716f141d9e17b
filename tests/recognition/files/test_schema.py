"""The JSON Schema of recogniser files is the generated one, and gives the same verdict as the loader."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutations import mutated
from telos.core.errors import DefinitionError, Fault
from telos.files.schema import check_model
from telos.files.yaml import read_yaml
from telos.recognition.files import load, schema
from telos.recognition.files.kinds import SHAPES, recognizer_schema
from telos.recognition.files.load import loads_model
from telos.recognition.files.schema import key_findings

DATA = Path(load.__file__).parents[1] / "data"
COMMITTED = DATA.with_name("recognizer.schema.json")
VALIDATOR = jsonschema.Draft202012Validator(json.loads(recognizer_schema()))

EVERYTHING = """
recognizer: ffbm
name: all
about: One of each.
goals: [level, explore]
context: {monsters: int, near: bool, exits: edges, cause: [input, area, tick], held: text, x: number}
actions: [swing, stop, up]
moments: [near]
clock: {on: [input], every: 0.5 s}
prior: {level: 1/3, others: shared}
transitions:
  lasts: {level: 100 updates, explore: 7.5 updates}
  when: [{if: near, from level: {level: 0.25, explore: 3/4}, from any: {level: 1}}]
outcomes: {swing: action == swing, other: true}
observations:
  level: [{if: near, then: {swing: 0.5, others: shared}}, {else: {swing: 1/4, other: 0.75}}]
  explore: {swing: 0.1, others: shared}
"""
TRAINED = """
recognizer: iohmm
goals: [level, explore]
transitions: {from level: {level: 0.9, explore: 0.1}, from explore: {explore: 1}}
observations: {swing: action == swing, other: true}
pseudo_counts: {level: {swing: 2.5}, explore: {other: 1}}
counts: {level: {swing: 3, other: 1.5}}
discount: 0.99
learned_transitions: {strength: 4, counts: {usual from level: {explore: 2}}}
"""
GOOD = [read_yaml(text).data for text in (EVERYTHING, TRAINED)]
GOOD += [read_yaml(file.read_text(encoding="utf-8")).data for file in sorted(DATA.glob("*.yaml"))]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 3),
    st.sampled_from([0.5, "text", "", "a-b", "1/3", "1/0", "3 s", "towards any_exit", "towards", "shared", "fsm"]),
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(st.sampled_from("ab"), SCALARS, max_size=2))
KEYS = st.sampled_from(
    ["goals", "if", "else", "then", "from any", "from ", "others", "two words", "2nd", "a.b", "when", "counts"]
)


MUTATED = mutated(st.sampled_from(GOOD), values=VALUES, keys=KEYS)


def shape_faults(data: Any) -> list[Any]:
    """Return what the loader has against a file before it asks what its entries mean."""
    meant, unknown = schema.find_shape(data, SHAPES)
    return [*check_model(meant, data, "a recogniser file"), *key_findings(data), *([unknown] if unknown else [])]


def test_the_committed_schema_is_the_generated_one() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == recognizer_schema() + "\n", "write shape.schema() to it"
    jsonschema.Draft202012Validator.check_schema(json.loads(recognizer_schema()))


@pytest.mark.parametrize("data", GOOD)
def test_both_accept_good_files(data: Any) -> None:
    assert not shape_faults(data)
    assert VALIDATOR.is_valid(data)
    assert loads_model(json.dumps(data)).goals == tuple(data["goals"])


@settings(max_examples=200, deadline=None)
@given(MUTATED)
def test_schema_and_loader_give_one_verdict(data: Any) -> None:
    assert VALIDATOR.is_valid(data) == (not shape_faults(data))


@settings(max_examples=200, deadline=None)
@given(MUTATED)
def test_every_file_is_a_model_or_has_located_faults(data: Any) -> None:
    faults: tuple[Fault, ...] = ()
    try:
        model = loads_model(json.dumps(data, indent=1))
    except DefinitionError as error:
        faults = error.faults
    for fault in faults:
        assert fault.line
        assert fault.file
        assert not any(word in str(fault) for word in ("Input should", "‹", "pydantic", "Shape", "if_", "else_"))
    if not faults:
        assert VALIDATOR.is_valid(data)
        assert model.goals == tuple(data["goals"])
