"""Completions at the cursor of the editor."""

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos.recognition
from telos.files.yaml import read_yaml
from telos.studio.models.completion import completions, find_cursor, load_schema

DATA = Path(telos.recognition.__file__).parent / "data"
FILES = sorted(path for path in DATA.glob("*.yaml") if "recognizer: grammar" not in path.read_text())
HEAD = "recognizer: ffbm\ngoals: [level, explore, town]\nvocabulary: adventure\n"


def offered(written: str, *, after: str = "", model: str = "ffbm", words: tuple[str, ...] = ()) -> list[str]:
    """What is offered at the end of ``written``, with the rest of the file behind it."""
    lines = written.split("\n")
    found = completions(model, written + after, len(lines), len(lines[-1]) + 1, words=words)
    return [each.label for each in found]


@pytest.mark.parametrize(
    ("written", "some"),
    [
        ("", ["recognizer", "goals", "observations", "rules"]),
        ("recognizer: ", ["ffbm", "constant", "iohmm", "fsm"]),
        ("recognizer: fsm\n", ["rules", "start"]),
        (HEAD, ["clock", "transitions", "observations", "director"]),
        (HEAD + "clock: {", ["on", "every"]),
        (HEAD + "clock:\n  ", ["on", "every"]),
        (HEAD + "clock: {on: [in", ["input", "area", "tick"]),
        (HEAD + "clock:\n  on:\n    - ", ["input", "area", "tick"]),
        (HEAD + "clock:\n  on:\n  - input\n  - ", ["area"]),
        (HEAD + "transitions:\n  ", ["lasts", "when", "from level", "from any"]),
        (HEAD + "transitions:\n  when:\n    - ", ["if", "from explore"]),
        (HEAD + "transitions:\n  when:\n    - if: chest_taken\n      ", ["from any", "from town"]),
        (HEAD + "transitions:\n  when:\n    - if: ", ["in_town", "monsters", "action", "not"]),
        (HEAD + "transitions:\n  when: [{if: cause == ", ["input", "area"]),
        (HEAD + "transitions: {when: [{if: in_town, from any: {", ["level", "others"]),
        (HEAD + "transitions:\n  when:\n    - if: in_town\n      from any: {\n        level: 1/2,\n        ", ["town"]),
        (HEAD + "observations:\n  ", ["level", "explore", "town"]),
        (HEAD + "observations:\n  town: ", ["towards exits_nearer_town", "towards any_exit"]),
        (HEAD + "observations:\n  town: towards ", ["exits_nearer_town", "any_exit", "unvisited_exits"]),
        (HEAD + "observations:\n  level:\n    - ", ["if", "else"]),
        (HEAD + "observations:\n  level:\n    - if: monsters > 0\n      th", ["then"]),
        (HEAD + "observations:\n  level:\n    - if: monsters > 0\n      then: {sw", ["swing_still", "others"]),
        (HEAD + "director:\n  - if: ", ["level", "explore", "in_town"]),
        (HEAD + "director:\n  - if: level > 0.9\n    ", ["for", "pay", "say", "again after"]),
        ("recognizer: ffbm\nvocabulary: ", ["adventure", "open"]),
        (HEAD + "context:\n  monsters: ", ["bool", "int", "edges"]),
        ("recognizer: fsm\ngoals: [a, b]\nstart: ", ["a", "b", "random"]),
        ("recognizer: fsm\ngoals: [a, b]\nrules:\n  - {if: attacked, then: ", ["a", "b"]),
        ("recognizer: fsm\ngoals:\n  - a\n  - b\nstart: ", ["a", "b", "random"]),
        (
            "recognizer: ffbm\ngoals: [a]\ncontext: {mood: [glad, sad]}\nprior: {a: 1}\noutcomes: {x: mood == ",
            ["glad", "sad"],
        ),
        ("character: rat\n", ["goals", "actions", "like", "sensors"]),
        ("character: rat\nadd:\n  ", ["goals", "actions", "sensors"]),
    ],
)
def test_valid_completions_are_offered(written: str, some: list[str]) -> None:
    assert set(some) <= set(offered(written))


@pytest.mark.parametrize(
    ("written", "none"),
    [
        ("recognizer: fsm\n", ["clock", "observations"]),
        (HEAD, ["rules", "goals", "recognizer"]),  # the first is another sort's, the others stand there already
        (HEAD + "clock: {on: [input], ", ["on"]),
        (HEAD + "transitions:\n  when:\n    - if: cause == ", ["monsters", "and"]),
        (HEAD + "observations:\n  level: towards any_exit\n  ", ["level"]),
    ],
)
def test_invalid_completions_are_not_offered(written: str, none: list[str]) -> None:
    found = offered(written)
    assert found
    assert not set(none) & set(found)


def test_later_keys_are_not_offered_again() -> None:
    assert "observations" not in offered(HEAD, after="\nobservations: {level: towards any_exit}\n")


def test_completions_with_prefix_come_first() -> None:
    assert offered(HEAD + "tra")[0] == "transitions"
    assert offered(HEAD + "observations:\n  level:\n    - if: mon")[0] == "monsters"


def test_names_of_world_are_offered_to_characters() -> None:
    words = ("cover", "kill_enemy")
    assert set(words) <= set(offered("character: rat\ngoals: [", model="rat", words=words))
    assert set(words) <= set(offered("character: rat\npriorities:\n  ", model="rat", words=words))


def test_completion_has_description() -> None:
    found = completions("recognizer", HEAD, 3, 1)
    assert {each.label: each.info for each in found}[
        "clock"
    ] == "Which events count: `{on: [input, area], every: 500 ms}`."


def test_own_schema_is_accepted() -> None:
    schema = {"properties": {"sort": {"enum": ["a", "b"]}, "on": {"type": "boolean"}}}
    assert [each.label for each in completions(schema, "sort: ", 1, 7)] == ["a", "b"]
    assert [each.label for each in completions(schema, "", 1, 1)] == ["sort", "on"]


def test_nothing_is_offered_in_comment_or_outside_text() -> None:
    assert offered(HEAD + "clock: {on: [input]}  # cl") == []
    assert completions("ffbm", "a: b", 9, 1) == completions("ffbm", "a: b", 0, 1) == ()
    assert completions("ffbm", "x" * 1_000_000, 1, 5) == ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_key_of_packaged_files_is_offered(path: Path, pytestconfig: pytest.Config) -> None:
    text = path.read_text()
    document = read_yaml(text)
    is_trained = document.data["recognizer"] == "iohmm"
    free = {
        ("context",),
        ("outcomes",),
        *([("observations",)] if is_trained else []),
    }  # names that people give themselves
    keys = {
        way: entry.key for way, entry in document.positions.items() if entry.key is not None and way[:-1] not in free
    }
    assert len(keys) >= 3
    if not pytestconfig.getoption("--slow"):  # each takes the text up to there
        keys = dict(Random(path.stem).sample(sorted(keys.items(), key=repr), min(30, len(keys))))
    missed = []
    for way, key in keys.items():
        lines = text.split("\n")[: key.line]
        found = offered("\n".join([*lines[:-1], lines[-1][: key.column - 1]]))
        missed += [(way, found)] if way[-1] not in found else []
    assert missed == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_cursor_agrees_with_yaml_reader(path: Path) -> None:
    text = path.read_text()
    for way, entry in read_yaml(text).positions.items():
        if entry.key is not None:
            spot = find_cursor(text, entry.key.line, entry.key.column)
            assert spot is not None
            assert (spot.path, spot.is_key, spot.typed) == (way[:-1], True, "")
        elif way:  # an item of a list
            spot = find_cursor(text, entry.value.line, entry.value.column)
            assert spot is not None
            assert spot.path == way


BITS = [
    "",
    " ",
    "\n",
    "\n  ",
    "\n    - ",
    ": ",
    "[",
    "]",
    "{",
    "}",
    "'",
    '"',
    ", ",
    "#",
    "if",
    "level",
    "|",
    "&",
    "\t",
    "é",
]
TEXTS = st.one_of(st.text(max_size=120), st.lists(st.sampled_from(BITS), max_size=40).map("".join))


@settings(max_examples=40)  # with six models each
@given(TEXTS, st.integers(0, 12), st.integers(-1, 60))
def test_arbitrary_text_and_cursor_are_accepted(text: str, line: int, column: int) -> None:
    for model in ("recognizer", "character", "domain", "scene", "grammar", "no such"):
        for each in completions(model, text, line, column):
            assert each.label


@pytest.mark.parametrize(
    "text", ["[" * 9_000, "[]" * 9_000, "a " * 9_000, "a: {\n" + "  b,\n" * 40_000, "- " * 900, "'" * 1_999]
)
def test_long_and_hostile_texts_are_answered(text: str) -> None:
    lines = text.split("\n")
    for column in (1, 900, 1_999, 1_000_000):
        completions("ffbm", text, len(lines), min(column, len(lines[-1]) + 1))


def test_every_format_has_schema() -> None:
    for name in ("recognizer", "character", "domain", "scene", "grammar"):
        assert "$schema" in load_schema(name)
