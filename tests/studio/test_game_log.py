"""Game logs: round trip, and faults with their lines."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.core.errors import DefinitionError
from telos.studio.recording import MAX_BYTES, MAX_STEPS, AppliedModel, GameLog, is_game_log, parse_game_log
from telos.studio.stage import Inputs

HEADER = '{"recording": "telos studio game", "version": 1, "world": "line", "seed": 3, "settings": {"wind": "on"}}\n'
MUTATIONS = [
    b"",
    b"[" * 5_000,
    b"9" * 5_000,
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"NaN",
    b"\xff",
    b"\0",
    b"\n",
    b"\r",
    b'"',
]
MUTATIONS += [b"{}", b"[]", b"\\ud800", b"x" * 600_000, b',"steps":0', b"1.5", b"0"]
texts = st.text(st.characters(blacklist_categories=["Cs"]), max_size=20)
inputs = st.builds(Inputs, texts, st.lists(texts, max_size=2).map(tuple))
entries = st.lists(st.one_of(inputs, st.builds(AppliedModel, texts, texts)), max_size=20)


@given(entries, st.integers(0, 2**40), st.dictionaries(texts, texts, max_size=3))
def test_log_round_trips(entries: list, seed: int, settings: dict) -> None:
    log = GameLog("line", seed, settings)
    for entry in entries:
        log.add(entry)
    again = parse_game_log(log.to_bytes())
    assert list(again.entries()) == entries
    assert (again.world, again.seed, again.settings) == ("line", seed, settings)
    assert again.steps == log.steps == sum(isinstance(each, Inputs) for each in entries)
    assert is_game_log(log.to_bytes())


def test_held_key_takes_one_line() -> None:
    log = GameLog("line", 0, {})
    for _ in range(1000):
        log.add(Inputs("left"))
    assert log.to_bytes().decode().splitlines()[1:] == ['["left", [], 1000]']


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "JSON"),
        ("[]\n", 1, "header"),
        (HEADER.replace('"seed": 3', '"seed": -3'), 1, "seed"),
        (HEADER.replace('"seed": 3', '"seed": true'), 1, "header"),
        (HEADER.replace('"version": 1', '"version": 9'), 1, "version 9"),
        (HEADER + '["left", [], 0]\n', 2, "a line must"),
        (HEADER + '["left", [], true]\n', 2, "a line must"),
        (HEADER + '["left", [], 5]\n["left", [7], 1]\n', 3, "one step"),
        (HEADER + '["left", [], 900000]\n["left", [], 900000]\n', 3, "1000000 steps"),
        (HEADER + '["left", []', 2, "truncated"),
        (HEADER + '["left", [], 1]\n' * 100_000, 100_000, "at most 100000 lines"),
        (HEADER + '{"model": "ffbm", "text": ""}\n' * 201, 202, "more than 200 models"),
        (HEADER + "[" * 100_000 + "\n", 2, "JSON"),
        (HEADER + '["\\ud800", [], 3]\n', 2, "JSON"),
        (HEADER + '{"model": "ffbm"}\n', 2, "a line must"),
        (HEADER + "9" * 5_000 + "\n", 2, "JSON"),
        (HEADER + '["left", [], NaN]\n', 2, "JSON"),
        (HEADER.replace("}}", '}, "steps": 1.0}'), 1, "header"),
        (HEADER.replace("}}", '}, "lines": "1"}'), 1, "header"),
        (HEADER.replace("}}", '}, "steps": 6}') + '["left", [], 5]\n', 2, "5 of the 6 steps"),
        (HEADER.replace("}}", '}, "steps": 5, "lines": 2}') + '["left", [], 5]\n', 2, "1 of the 2 lines"),
        (HEADER + json.dumps({"model": "ffbm", "text": "x" * 300_000}) + "\n", 2, "a line must"),
    ],
)
def test_invalid_log_is_refused_with_its_line(text: str, line: int, says: str) -> None:
    with pytest.raises(DefinitionError, match=says) as refused:
        parse_game_log(text.encode(), name="game.jsonl")
    assert str(refused.value).startswith(f"game.jsonl:{line}:1: ")


def test_every_cut_of_a_log_is_refused() -> None:
    log = GameLog("line", 3, {"wind": "on"})
    for number in range(25):
        log.add(AppliedModel("ffbm", f"text {number}") if number % 5 == 4 else Inputs("left" * (number % 3), ("jump",)))
    data = log.to_bytes()
    assert isinstance(log.runs[-1][0], AppliedModel)  # steps alone would not count it
    assert parse_game_log(data[:-1]).runs == log.runs  # only the last line end is missing
    for end in range(len(data) - 1):
        with pytest.raises(DefinitionError):
            parse_game_log(data[:end])


def test_log_without_counts_loads() -> None:
    assert parse_game_log((HEADER + '["left", [], 5]\n').encode()).steps == 5


@given(st.data())
def test_mutated_log_is_read_or_refused(data: st.DataObject) -> None:
    log = GameLog("line", 3, {"wind": "on"})
    for entry in (Inputs("left"), Inputs("", ("poke jump",)), AppliedModel("last", "goals: [a]"), Inputs("right")):
        log.add(entry)
    text = bytearray(log.to_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        length = data.draw(st.sampled_from([0, 1, 2, 9]))
        text[at : at + length] = data.draw(st.sampled_from(MUTATIONS))
    with suppress(DefinitionError):
        assert parse_game_log(bytes(text)).steps <= MAX_STEPS


def test_too_large_or_binary_log_is_refused() -> None:
    with pytest.raises(DefinitionError, match="at most"):
        parse_game_log(b"x" * (MAX_BYTES + 1))
    with pytest.raises(DefinitionError, match="UTF-8"):
        parse_game_log(b"\xff\xfe\x00")
