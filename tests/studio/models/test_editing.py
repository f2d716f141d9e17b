"""Numbers that are changed in place: the text keeps its comments, and only that entry differs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.files.yaml import read_yaml
from telos.studio.models.editing import parse_number, write_value

COVER = ("priorities", "cover")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("character: a", "character: a\npriorities: {cover: 9.5}\n"),
        ("priorities: {}  # none\n", "priorities: {cover: 9.5}  # none\n"),
        ("priorities: {dodge: 1} # x\n", "priorities: {cover: 9.5, dodge: 1} # x\n"),
        ("priorities:\n  # mine\n  dodge: 1\n", "priorities:\n  # mine\n  cover: 9.5\n  dodge: 1\n"),
        ("priorities:\n  cover: 1  # low\n", "priorities:\n  cover: 9.5  # low\n"),
        ("priorities: {cover: 1, dodge: 2}\n", "priorities: {cover: 9.5, dodge: 2}\n"),
        ("priorities:\nabout: x\n", "priorities:\n  cover: 9.5\nabout: x\n"),
        ("priorities: {'cover': '1'}\n", "priorities: {'cover': 9.5}\n"),
    ],
)
def test_value_is_written_in_place(before: str, after: str) -> None:
    assert write_value(before, COVER, 9.5) == after


@pytest.mark.parametrize(
    "text", ["a: [", "- a\n", "", "base: &b {cover: 1}\npriorities: *b\n", "priorities: 3\n", "priorities: [cover]\n"]
)
def test_text_that_cannot_be_changed_is_refused(text: str) -> None:
    with pytest.raises(TelosError, match="in place"):
        write_value(text, COVER, 9.5)


NAMES = st.sampled_from(["cover", "dodge", "goto", "stay_ready"])
NUMBERS = st.floats(-1000, 1000).map(lambda value: round(value, 3))


@given(st.dictionaries(NAMES, NUMBERS), NAMES, NUMBERS, st.booleans())
def test_only_that_entry_differs(present: dict[str, float], name: str, value: float, flow: bool) -> None:
    lines = [f"{key}: {each!r}" for key, each in present.items()]
    section = "{" + ", ".join(lines) + "}" if flow or not lines else "".join(f"\n  {line}  # c" for line in lines)
    text = f"# head\ncharacter: a  # own\npriorities: {section}\nabout: b\n"
    changed = write_value(text, ("priorities", name), value)
    assert read_yaml(changed).data == {"character": "a", "priorities": {**present, name: value}, "about": "b"}
    assert changed.count("#") == text.count("#")


@pytest.mark.parametrize("written", ["", "ten", "nan", "inf", "1e99", "1 2"])
def test_other_than_number_is_refused(written: str) -> None:
    with pytest.raises(TelosError):
        parse_number(written)


def test_cost_below_zero_is_refused() -> None:
    with pytest.raises(TelosError, match="out of range"):
        parse_number("-1", least=0.0)
