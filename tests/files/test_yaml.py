"""YAML text to data and places."""

import math

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.errors import Fault
from telos.files.yaml import MAX_NODES, parse_scalar, read_yaml


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("yes", "yes"),
        ("off", "off"),
        ("True", True),
        ("~", None),
        ("", None),
        ("-7", -7),
        ("0x1F", 31),
        ("0o17", 15),
        ("017", 17),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2026-01-01", "2026-01-01"),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("-.inf", -math.inf),
        (".", "."),
        ("+", "+"),
        ("1" * 30, float("1" * 30)),
        ("1" * 5000, math.inf),
    ],
)
def test_plain_scalars_follow_the_core_schema_of_yaml_1_2(word: str, value: object) -> None:
    assert parse_scalar(word) == value
    assert type(parse_scalar(word)) is type(value)


def test_quoted_scalars_are_texts() -> None:
    assert read_yaml("a: 'true'\nb: \"1\"\n'1': x").data == {"a": "true", "b": "1", "1": "x"}


def test_keys_are_texts() -> None:
    assert read_yaml("1: a\ntrue: b\nnull: c").data == {"1": "a", "true": "b", "null": "c"}


@pytest.mark.parametrize(
    ("text", "offset", "column"),
    [
        ("a: ammo >= 1", 5, 9),
        ("a: 'ammo >= 1'", 5, 10),
        ('a: "ammo >= 1"', 5, 10),
        ("a: 'it''s x'", 5, 11),
        (r'a: "\u00e9 \"x"', 2, 12),
        ("é: ammo >= 1", 5, 9),
        ("a: &x ammo >= 1", 5, 12),
        ("a: &x 'ammo >= 1'", 5, 13),
        ("a: ammo\n  >= 1", 5, 4),
        ("a: |\n  ammo >= 1", 5, 4),
    ],
)
def test_offset_in_a_text_is_located_at_its_column(text: str, offset: int, column: int) -> None:
    fault = read_yaml(text).locate(Fault("here", path=(text[0],), offset=offset))
    assert (fault.line, fault.column) == (1, column)


def test_aliases_have_the_positions_of_their_anchors() -> None:
    document = read_yaml("a: &one [x, y]\nb: *one\n")
    assert document.data == {"a": ["x", "y"], "b": ["x", "y"]}
    assert document.positions["b", 1].value.line == 1


def test_number_of_entries_is_limited() -> None:
    text = "a: [" + "x," * (MAX_NODES - 10) + "]"
    assert not read_yaml(text).faults
    (fault,) = read_yaml("a: [" + "x," * MAX_NODES + "]").faults
    assert (fault.code, "200,000" in fault.message) == ("too-large", True)


def test_byte_order_mark_and_windows_line_ends_are_accepted() -> None:
    document = read_yaml("domain: x\r\nactions:\r\n  wait: {cost: 2}\r\n")
    assert document.data == {"domain": "x", "actions": {"wait": {"cost": 2}}}
    assert document.positions["actions", "wait", "cost"].value[:2] == (3, 16)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=6), inside, max_size=3),
    max_leaves=12,
)


class Quoting(yaml.SafeDumper):
    """Writes every text in quotes: by YAML 1.1, which the library writes, 0E0 is a bare word, and by 1.2 a number."""


Quoting.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


@settings(max_examples=150, deadline=None)
@given(PLAIN.filter(lambda data: data not in (None, "")))
def test_yaml_written_by_the_library_is_read_back(data: object) -> None:
    document = read_yaml(yaml.dump({"data": data}, Dumper=Quoting, allow_unicode=False))
    assert not document.faults
    assert document.data == {"data": data}


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab:-[]{},'\"&*!|>%@#?~ \n\t\\é\x07\ud800", max_size=60))
def test_reader_never_raises(text: str) -> None:
    document = read_yaml(text)
    assert document.faults or document.data is not None
    for fault in document.faults:
        assert fault.line >= 1
        assert fault.column >= 1
