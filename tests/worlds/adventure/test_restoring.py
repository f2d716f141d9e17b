"""A saved adventure and a recording are data from outside: refused whole and with their place, or played on."""

import copy
import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mutations import damage
from telos.core.errors import TelosError
from telos.worlds.adventure.adventure import Adventure, replay
from telos.worlds.adventure.recording import (
    Recording,
    loads_recording,
    read_recording,
    recording_text,
    write_recording,
)
from telos.worlds.adventure.rules_file import DATA, load_rules, parse_rules

KEYS = ("up", "down", "left", "right", "up+left", "down+right", "swing", "right+swing", "")


@cache
def played(rules: str, frames: int) -> tuple[str, str]:
    """Return what a game of random input saves, and its recording."""
    game, rng = Adventure(rules, seed=4), Random(1)
    for frame in range(frames):
        if frame % 15 == 0:
            held = rng.choice(KEYS)
        game.step({"player": held})
    return json.dumps(game.save(), allow_nan=False), recording_text(game.recording())


def play_on(game: Adventure, frames: int = 100) -> None:
    rng = Random(2)
    for frame in range(frames):
        if frame % 9 == 0:
            held = rng.choice(KEYS)
        game.step({"player": held})
    game.view()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda saved: saved.update(x=float("nan")), r"x must be a finite number"),
        (lambda saved: saved.update(area=99), r"area is 99, and the map has"),
        (lambda saved: saved.update(facing="north"), r"facing is 'north'"),
        (lambda saved: saved.update(phase=99), r"phase is 99"),
        (lambda saved: saved.update(keys="fly"), r"keys is not an input"),
        (lambda saved: saved["inputs"].pop(), r"inputs are not 200 frames"),
        (lambda saved: saved["pay"].update(luck=2.0), r"pay\.luck is 'luck'"),
        (lambda saved: saved["company"]["beasts"][0].update(kind="dragon"), r"company\.beasts\[0\]\.kind is 'dragon'"),
        (
            lambda saved: saved["company"]["beasts"][0]["mind"].pop("retry_at"),
            r".*beasts\[0\]\.mind\.retry_at is missing",
        ),
        (lambda saved: saved["company"].update(companion=None), r"company\.companion does not fit the rules"),
        (lambda saved: saved["company"]["companion"].update(doing="flying"), r"company\.companion\.doing is 'flying'"),
        (lambda saved: saved["reading"]["models"].clear(), r"reading\.models is empty"),
        (lambda saved: saved["reading"]["models"][0].__setitem__(1, "recognizer: x"), r"reading cannot be read"),
        (lambda saved: saved.update(rng=[3, [1, 2], None]), r"rng is not the state of a random number generator"),
    ],
)
def test_a_fault_names_its_place_and_leaves_the_game_as_it_was(change: Callable[[Any], object], place: str) -> None:
    saved = json.loads(played("wilds", 200)[0])
    damaged = copy.deepcopy(saved)
    change(damaged)
    game = Adventure("wilds", seed=1)
    play_on(game, 40)
    before = json.dumps(game.save())
    with pytest.raises(TelosError, match=f"saved adventure: {place}"):
        game.restore(damaged)
    assert json.dumps(game.save()) == before
    game.restore(saved)
    assert json.dumps(game.save()) == json.dumps(saved)


@pytest.mark.parametrize("saved", [{}, None, [], 3, {"rules": 3}])
def test_what_is_no_saved_game_is_refused(saved: Any) -> None:
    with pytest.raises(TelosError):
        Adventure("flairs").restore(saved)


@pytest.mark.parametrize("rules", ["wilds", "flairs", "aiide"])
@pytest.mark.parametrize("frames", [1, 200])
def test_damaged_saves_are_refused_whole_or_played_on(rules: str, frames: int) -> None:
    rng, saved, refused = Random(rules), json.loads(played(rules, frames)[0]), 0
    shared = load_rules(rules)
    for _ in range(60):
        game = Adventure(shared, seed=1)
        before = json.dumps(game.save())
        part = rng.choice([key for key in saved if isinstance(saved[key], dict | list) and saved[key] and key != "rng"])
        damaged = {**saved, part: damage(saved[part], rng)} if rng.random() < 0.7 else damage(saved, rng)
        try:
            game.restore(damaged)
        except TelosError:
            refused += 1
            assert json.dumps(game.save()) == before
        else:
            play_on(game)
    assert refused > 10


def test_names_of_variables_are_saved_once_for_all_monsters() -> None:
    saved = json.loads(played("wilds", 200)[0])
    assert len(saved["company"]["contents"]) <= 1 + len(load_rules("wilds").monsters.kinds)
    assert all(isinstance(each["mind"]["content"], int) for each in saved["company"]["beasts"])


# --- recordings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["wilds", "flairs"])
def test_every_recording_that_is_cut_at_a_line_is_refused(rules: str) -> None:
    lines = played(rules, 200)[1].splitlines(keepends=True)
    for count in range(len(lines)):
        with pytest.raises(TelosError):
            loads_recording("".join(lines[:count]))
    assert loads_recording("".join(lines)).frames == 200


def test_a_recording_without_its_last_model_is_refused() -> None:
    model = json.loads(played("wilds", 200)[0])["reading"]["models"][0][1]
    text = recording_text(Recording("wilds", 7, inputs=(("up", 3),), models=((0, model), (3, model))))
    assert len(loads_recording(text).models) == 2
    with pytest.raises(TelosError, match="has 1 models and should have 2: lines are missing"):
        loads_recording(text.rpartition('{"model"')[0])
    without_count = text.replace(', "models": 2}', "}", 1)  # as older versions wrote it
    assert loads_recording(without_count) == loads_recording(text)


@pytest.mark.parametrize(
    "line", ["[" * 100_000, "1" * 5_000, "NaN", '{"kind": {}}', '["up", NaN]', '["up", 1e400]', '["up", -1]', "[]"]
)
def test_a_line_that_is_no_input_is_refused_with_its_number(line: str) -> None:
    lines = played("flairs", 200)[1].splitlines()
    with pytest.raises(TelosError, match=r"^game\.jsonl:3:") as refused:
        loads_recording("\n".join([*lines[:2], line, *lines[3:]]), name="game.jsonl")
    assert len(str(refused.value)) < 1_000


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_other_line_ends_are_read(end: str, tmp_path: Path) -> None:
    text = played("flairs", 200)[1]
    file = tmp_path / "game.jsonl"
    file.write_bytes(text.replace("\n", end).encode())
    assert read_recording(file) == loads_recording(text)


def test_damaged_recordings_are_refused_or_played() -> None:
    rng, text = Random(5), played("wilds", 200)[1]
    rules = load_rules("wilds")
    for _ in range(150):
        lines = text.splitlines()
        place = rng.randrange(len(lines)) if rng.random() < 0.7 else 0
        with suppress(RecursionError):  # deeper than JSON is written
            lines[place] = json.dumps(damage(json.loads(lines[place]), rng), default=str)
        with suppress(TelosError):
            recording = loads_recording("\n".join(lines))
            if recording.frames < 1_000:
                list(replay(recording, rules))


def test_recordings_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    recording = loads_recording(played("flairs", 200)[1])
    write_recording(recording, tmp_path / "game.jsonl")
    assert read_recording(tmp_path / "game.jsonl") == recording
    assert [each.name for each in tmp_path.iterdir()] == ["game.jsonl"]
    with pytest.raises(TelosError, match="this is a folder"):
        write_recording(recording, tmp_path)


# --- names and line ends of rules -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["x" * 300, "x" * 5_000, "x\0y", "a/" * 3_000, "\ud800", "", "."])
def test_rules_of_an_impossible_name_are_refused(name: str) -> None:
    with pytest.raises(TelosError):
        load_rules(name)
    with pytest.raises(TelosError):
        list(replay(Recording(name, 1, inputs=(("up", 2),))))
    with pytest.raises(TelosError):
        Adventure("wilds", model=name)


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_rules_with_other_line_ends_are_read_or_refused(end: str, tmp_path: Path) -> None:
    text = (DATA / "wilds.yaml").read_text(encoding="utf-8")
    file = tmp_path / "mine.yaml"
    file.write_bytes(text.replace("\n", end).encode())
    assert load_rules(file).fingerprint == load_rules("wilds").fingerprint
    assert parse_rules(text.replace("\n", end)).fingerprint == load_rules("wilds").fingerprint
    with pytest.raises(TelosError, match=r"broken\.yaml:\d+"):
        parse_rules(text.replace("\n", end).replace("speed", "sped", 1), file="broken.yaml")
