"""The adventure as a world: seeds, views, rejected commands, saving and exact replay."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.checks import check_world
from telos.core.errors import DefinitionError, TelosError
from telos.worlds.adventure.adventure import Adventure, replay, replay_frames
from telos.worlds.adventure.recording import Recording, read_recording, run_lengths, write_recording
from worlds.adventure.walker import INPUTS, Expert, hold, played, rules_with

runs = st.lists(st.tuples(st.sampled_from(INPUTS), st.integers(1, 60)), min_size=1, max_size=25)
set_ups = st.fixed_dictionaries(
    {
        "rules": st.sampled_from(["flairs", "aiide"]),
        "directed": st.booleans(),
        "monsters": st.sampled_from([None, 0, 3]),
        "seed": st.integers(0, 2**40),
    }
)


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
@pytest.mark.parametrize("directed", [True, False])
def test_world_passes_the_contract_check(rules: str, directed: bool) -> None:
    def make() -> Adventure:
        return Adventure(rules, directed=directed)

    def input_of(game: Adventure) -> dict[str, str]:
        return {"player": Expert(game).input()}

    check_world(make, play=input_of, steps=300)
    check_world(make)


@settings(max_examples=40, deadline=None)
@given(set_ups, runs)
def test_recording_replays_the_same_events_and_views(set_up: dict[str, object], held: list[tuple[str, int]]) -> None:
    game = Adventure(**set_up)  # type: ignore[arg-type]
    events, views = [], []
    for text, frames in held:
        for _ in range(frames):
            events += hold(game, text)
            views.append(game.view())
    recording = game.recording()
    assert recording.frames == len(views)
    assert list(replay(recording)) == events
    assert [each.view() for each in replay_frames(recording)] == views


@settings(max_examples=30, deadline=None)
@given(set_ups, runs, runs)
def test_saved_game_continues_exactly(
    set_up: dict[str, object], before: list[tuple[str, int]], after: list[tuple[str, int]]
) -> None:
    one = Adventure(**set_up)  # type: ignore[arg-type]
    for text, frames in before:
        hold(one, text, frames)
    two = Adventure(**{**set_up, "seed": 1})  # type: ignore[arg-type]
    two.restore(json.loads(json.dumps(one.save())))
    assert (two.view(), two.events) == (one.view(), one.events)
    for text, frames in after:
        assert hold(two, text, frames) == hold(one, text, frames)
        assert two.view() == one.view()
    assert two.save() == one.save()
    assert two.recording() == one.recording()


def test_saving_changes_nothing_and_shares_no_state() -> None:
    game = Adventure("aiide", seed=2)
    saved = game.save()
    text = json.dumps(saved)
    hold(game, "right", 100)
    assert json.dumps(saved) == text
    game.restore(saved)
    hold(game, "right", 100)
    assert json.dumps(saved) == text


def test_restore_rejects_data_of_other_settings() -> None:
    saved = Adventure("flairs").save()
    for other in (Adventure("aiide"), Adventure("flairs", monsters=3), Adventure("flairs", directed=False)):
        before = other.view()
        with pytest.raises(TelosError, match="restore it in an adventure that was made the same way"):
            other.restore(saved)
        assert other.view() == before
    for key in ("rng", "xs", "inputs", "events"):
        with pytest.raises(TelosError, match=f"saved adventure: .*{key}"):
            Adventure("flairs").restore({name: value for name, value in saved.items() if name != key})


def test_different_seeds_give_different_games() -> None:
    assert len({Adventure(seed=seed).view().monsters for seed in range(10)}) == 10


def test_missing_command_repeats_the_last_input() -> None:
    one, two = Adventure(seed=1), Adventure(seed=1)
    hold(one, "up", 10)
    hold(two, "up")
    for _ in range(9):
        two.step({})
    assert one.view() == two.view()
    assert one.recording() == two.recording()


@pytest.mark.parametrize("text", ["jump", "up+jump", "up+", "+", "Up", "up left"])
def test_unknown_input_is_rejected_by_name(text: str) -> None:
    with pytest.raises(TelosError, match="input"):
        Adventure().step({"player": text})


@pytest.mark.parametrize("monsters", [-1, 1.5, True, 10_000, "3"])
def test_invalid_number_of_monsters_is_rejected(monsters: object) -> None:
    with pytest.raises(TelosError, match="monsters is their number"):
        Adventure(monsters=monsters)  # type: ignore[arg-type]


def test_player_has_the_given_name() -> None:
    game = Adventure(player="Kim", monsters=0)
    assert game.view().players == ("Kim",)
    assert hold(game, "up")[0].player == "Kim"
    assert [event.player for event in replay(game.recording())] == ["Kim"]


def test_game_continues_after_the_last_phase() -> None:
    game = Adventure("flairs", seed=0)
    for _ in played(game):
        pass
    hold(game, "left", 30)
    assert (game.done, game.truth, game.view().instruction, game.view().kills_left) == (True, None, "", None)


def test_recording_round_trips_as_file(tmp_path: Path) -> None:
    game = Adventure("aiide", seed=5, directed=False, monsters=3)
    hold(game, "up", 10)
    hold(game, "up+swing", 3)
    write_recording(game.recording(), tmp_path / "game.jsonl")
    assert (tmp_path / "game.jsonl").read_text().splitlines()[1:] == ['["up", 10]', '["up+swing", 3]']
    assert read_recording(tmp_path / "game.jsonl") == game.recording()


def test_recording_of_other_rules_is_rejected() -> None:
    recording = Adventure(rules_with(width=700), monsters=0).recording()
    with pytest.raises(TelosError, match="recorded under other rules than 'flairs'"):
        list(replay(recording))
    assert list(replay(recording, rules_with(width=700))) == []


def test_fingerprint_ignores_texts() -> None:
    assert rules_with(name="mine", about="").fingerprint == rules_with().fingerprint
    assert rules_with(width=700).fingerprint != rules_with().fingerprint


HEADER = json.dumps(
    {
        "recording": 1,
        "rules": "flairs",
        "seed": 1,
        "directed": True,
        "monsters": None,
        "player": "player",
        "fingerprint": "",
        "frames": 3,
    }
)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "the recording is empty"),
        ("hello", 1, "JSON"),
        ('{"recording": 9}', 1, "recording"),
        ("[1]", 1, "recording"),
        (HEADER.replace('"seed": 1, ', ""), 1, "'seed' is missing"),
        (HEADER.replace('"seed": 1', '"seed": "x"'), 1, "seed cannot be 'x'"),
        (HEADER.replace('"seed": 1', '"seed": true'), 1, "seed cannot be True"),
        (f'{HEADER}\n["up", 2', 2, "JSON"),
        (f'{HEADER}\n["up", 2]\n["fly", 1]', 3, "fly"),
        (f'{HEADER}\n["up", 0]', 2, "frames"),
        (f'{HEADER}\n["up", true]', 2, "frames"),
        (f'{HEADER}\n{{"up": 3}}', 2, "frames"),
        (f'{HEADER}\n["up", 2]', 2, "has 2 frames and should have 3"),
        (f"{HEADER}\n{'[' * 100_000}", 2, "JSON"),
    ],
)
def test_corrupt_recording_names_its_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(text)
    with pytest.raises(DefinitionError) as caught:
        read_recording(file)
    assert str(caught.value).startswith(f"{file}:{line}:1: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.lists(st.sampled_from(INPUTS)))
def test_runs_expand_to_the_inputs(inputs: list[str]) -> None:
    assert list(Recording("flairs", 0, inputs=run_lengths(inputs)).frame_inputs()) == inputs


def test_saved_event_with_nested_context_is_saved_again_as_plain_data() -> None:
    game = Adventure("wilds", seed=7)
    for _ in range(40):
        hold(game, "up")
    saved = json.loads(json.dumps(game.save()))
    assert saved["reading"]["heard"]
    saved["reading"]["heard"][0]["context"]["odd"] = {"a": [1, {"b": None}]}
    game.restore(saved)
    assert json.loads(json.dumps(game.save()))["reading"]["heard"][0]["context"]["odd"] == {"a": [1, {"b": None}]}
