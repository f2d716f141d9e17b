"""The recogniser in a game: its director adapts earnings, it can be replaced during the game, and recorded."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.errors import DefinitionError, TelosError
from telos.recognition.director import Advice, DirectorRule
from telos.recognition.ffbm import FFBM
from telos.recognition.files.load import format_model as saved_text
from telos.recognition.files.load import loads_model, recognizer
from telos.recognition.vocabulary import ADVENTURE, Vocabulary
from telos.worlds.adventure.adventure import HINT_FRAMES, Adventure, replay, replay_frames
from telos.worlds.adventure.engine import _die
from telos.worlds.adventure.events import Adapted
from telos.worlds.adventure.recognizer import load_model_text, reader_names
from telos.worlds.adventure.recording import Recording, loads_recording, read_recording, recording_text, write_recording
from telos.worlds.adventure.rules_file import COMPANION, load_rules, parse_rules
from worlds.adventure.test_rules_file import TINY, faults
from worlds.adventure.walker import INPUTS, afield, hold, put

MODEL = load_model_text("wilds")
PLAIN = MODEL[: MODEL.index("director:")]
STINGY = PLAIN + "director:\n  - {if: level > 0.001, pay: {kill: 0.5}, say: Enough.}\n"
SURE = """\
recognizer: fsm
name: sure
goals: [level, explore, town]
start: town
rules: [{if: died, then: level}]
"""
runs = st.lists(st.tuples(st.sampled_from(INPUTS), st.integers(1, 60)), min_size=1, max_size=12)


def slay(game: Adventure) -> None:
    """Kill a monster in front of the player."""
    saved = game.save()
    saved["company"]["beasts"][0].update(at=[saved["x"], saved["y"] + 40])
    game.restore({**saved, "facing": "down", "straight": "down", "swinging": 0, "keys": ""})
    kills = game.view().kills
    hold(game, "swing")
    assert game.view().kills == kills + 1


# --- earnings ---


def test_advice_changes_earnings_and_shows_its_hint_for_a_while() -> None:
    game = Adventure("flairs", monsters=0)
    tip = game.view().message
    game.adapt(Advice({"chest": 0.5}, ""))
    assert (game.view().message, game.pay) == (tip, {"chest": 0.5})
    put(game, carrying=True)
    hold(game, "")
    assert game.view().score == 5.0
    game.adapt(Advice({}, "Go east."))
    put(game, carrying=True)
    hold(game, "")
    assert (game.view().score, game.view().message, game.pay) == (15.0, "Go east.", {})
    hold(game, "", HINT_FRAMES)
    assert game.view().message == ""


def test_kill_and_gem_have_their_own_factors() -> None:
    game = afield("wilds", directed=False)
    game.adapt(Advice({"kill": 0.25}))
    slay(game)
    assert game.view().score == 0.25
    bank = Adventure("aiide", monsters=0)
    bank.adapt(Advice({"gem": 3.0}))
    put(bank, gems_held=2)
    hold(bank, "")
    assert bank.view().score == 6.0


@pytest.mark.parametrize("pay", [{"kils": 1.0}, {"kill": -1.0}, {"kill": float("nan")}])
def test_invalid_advice_is_rejected_without_effect(pay: dict[str, float]) -> None:
    game = Adventure("flairs")
    with pytest.raises(TelosError, match="kil"):
        game.adapt(Advice(pay, "Psst."))
    assert (game.pay, game.view().message) == ({}, Adventure("flairs").view().message)


def test_hint_timeout_does_not_remove_a_later_message() -> None:
    game = Adventure("flairs", monsters=0)
    game.adapt(Advice({}, "Go east."))
    put(game, area=game.save()["chests"][0])
    hold(game, "")
    put(game, carrying=True, area=game.rules.map.town)
    hold(game, "")
    told = game.view().message
    assert told != "Go east."
    hold(game, "", HINT_FRAMES)
    assert game.view().message == told


def test_director_of_the_model_adapts_the_game() -> None:
    game = afield("wilds", model=STINGY, directed=False)
    hold(game, "up", 2)
    assert (game.pay, game.view().message) == ({"kill": 0.5}, "Enough.")
    slay(game)
    assert game.view().score == 0.5


def test_director_never_penalises_what_the_phase_asks_for() -> None:
    records: list[object] = []
    asked = [phase.until for phase in load_rules("wilds").phases].index("kills")
    start = afield("wilds", model=PLAIN)
    put(start, phase=asked)
    game = Adventure("wilds", model=STINGY, trace=records.append)
    game.restore({**start.save(), "reading": game.save()["reading"]})
    hold(game, "up", 2)
    assert (game.pay, game.view().message) == ({}, Adventure("wilds").view().message)
    assert not any(isinstance(each, Adapted) for each in records)
    slay(game)
    assert game.view().score == 1.0
    put(game, phase=0)
    assert game.pay == {"kill": 0.5}, "the director is right as soon as something else is asked for"
    slay(game)
    assert game.view().score == 1.5


def test_director_may_reward_what_the_phase_asks_for() -> None:
    game = afield("wilds")
    put(game, phase=2)
    game.adapt(Advice({"kill": 2.0}, "Double pay!"))
    slay(game)
    assert (game.view().score, game.view().message) == (2.0, "Double pay!")


# --- choosing a model ---


def test_companion_belief_equals_that_of_the_rules_recogniser() -> None:
    game, reader = Adventure("wilds", seed=3), recognizer("wilds", seed=3)
    for text in ("right", "swing", "", "swing", "up", "left+up") * 4:
        for event in hold(game, text, 9):
            belief = reader.observe(event)
        assert game.belief == belief
    goals = game.minds[COMPANION].memory.all_of("goal", game.view().time)
    assert {fact.subject: fact["chance"] for fact in goals} == dict(belief)


def test_model_is_given_by_name_path_or_text(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(SURE)
    for model in (file, str(file), SURE):
        game = Adventure("wilds", model=model)
        assert game.belief is not None
        assert game.belief.top == "town"
    assert Adventure("wilds", model="flairs-constant").reading is not None


@pytest.mark.parametrize(
    ("rules", "model", "said"),
    [
        ("wilds", "wild", "wilds"),
        ("wilds", "./nothing.yaml", "no such file"),
        ("wilds", "recognizer: fsm\ngoals: 3\n", "model:"),
        ("flairs", "wilds", "companion"),
    ],
)
def test_unusable_model_is_rejected(rules: str, model: str, said: str) -> None:
    with pytest.raises(TelosError, match=said):
        Adventure(rules, model=model)


def test_model_needs_rules_with_a_companion() -> None:
    with pytest.raises(TelosError, match="take `wilds`"):
        Adventure("aiide").use(SURE)


# --- replacing the model ---


@settings(max_examples=25, deadline=None)
@given(runs, st.integers(0, 99))
def test_replaced_model_believes_as_if_used_from_the_start(held: list[tuple[str, int]], seed: int) -> None:
    game = Adventure("wilds", seed=seed)
    events = [event for text, frames in held for event in hold(game, text, frames)]
    reader = recognizer("flairs-constant", seed=seed)
    for event in events:
        reader.observe(event)
    game.use(load_model_text("flairs-constant"))
    assert game.belief == reader.belief


def test_companion_acts_by_the_replaced_model() -> None:
    game = Adventure("wilds", monsters=0)
    hold(game, "right", 90)
    assert game.minds[COMPANION].state["reading"] == "explore"
    game.use(SURE)
    hold(game, "right", 10)
    assert game.minds[COMPANION].state["reading"] == "town"


def test_director_is_replaced_with_the_model() -> None:
    game = Adventure("wilds", model=STINGY)
    hold(game, "up", 2)
    assert game.pay == {"kill": 0.5}
    game.use(PLAIN)
    assert game.pay == {}
    game.use(STINGY)
    assert game.pay == {"kill": 0.5}


def test_goals_unknown_to_the_new_model_are_forgotten() -> None:
    game = Adventure("wilds", monsters=0)
    hold(game, "right", 90)
    game.use(SURE.replace("goals: [level, explore, town]", "goals: [level, town]"))
    goals = game.minds[COMPANION].memory.all_of("goal", game.view().time)
    assert {fact.subject for fact in goals} == {"level", "town"}


@pytest.mark.parametrize("text", ["", "hello", "recognizer: ffbm", MODEL.replace("in_town", "in_twon"), "\x00"])
def test_invalid_model_is_rejected_without_effect(text: str) -> None:
    game, other = Adventure("wilds", seed=2), Adventure("wilds", seed=2)
    hold(game, "right", 50)
    hold(other, "right", 50)
    with pytest.raises(DefinitionError):
        game.use(text)
    assert game.save() == other.save()
    assert game.recording() == other.recording()


def test_failing_model_keeps_its_belief_and_the_game_continues() -> None:
    game = Adventure("wilds", model=MODEL.replace("- if: in_town\n      then", "- if: 1 / monsters > 0\n      then"))
    assert game.reading is not None
    before = game.belief
    hold(game, "right", 20)
    assert game.view().frame == 20
    assert game.belief == before
    assert "division by zero" in game.reading.fault
    game.use(MODEL)
    assert game.belief != before


def test_reset_restores_the_first_model() -> None:
    game = Adventure("wilds", model=SURE)
    hold(game, "right", 20)
    game.use(MODEL)
    game.reset(0)
    assert game.reading is not None
    assert (game.reading.text, game.reading.heard) == (SURE, [])
    assert game.recording().models == ((0, SURE),)


# --- recordings ---


@settings(max_examples=20, deadline=None)
@given(runs, runs, st.integers(0, 2**40), st.sampled_from([SURE, STINGY]))
def test_game_with_replaced_model_replays_exactly(
    before: list[tuple[str, int]], after: list[tuple[str, int]], seed: int, model: str
) -> None:
    game = Adventure("wilds", seed=seed)
    events, views = [], []
    for held in (before, after):
        for text, frames in held:
            for _ in range(frames):
                events += hold(game, text)
                views.append(game.view())
        if held is before:
            game.use(model)
    recording = game.recording()
    assert list(replay(recording)) == events
    assert [each.view() for each in replay_frames(recording)] == views


@settings(max_examples=30, deadline=None)
@given(st.lists(st.one_of(st.tuples(st.sampled_from(INPUTS), st.integers(1, 9)), st.sampled_from([SURE, MODEL]))))
def test_recording_with_models_round_trips_as_text(steps: list[tuple[str, int] | str]) -> None:
    game = Adventure("wilds", monsters=0)
    for step in steps:
        if isinstance(step, str):
            game.use(step)
        else:
            hold(game, *step)
    with tempfile.TemporaryDirectory() as folder:
        write_recording(game.recording(), Path(folder) / "game.jsonl")
        assert read_recording(Path(folder) / "game.jsonl") == game.recording()
    lines = recording_text(game.recording()).splitlines()
    assert json.loads(lines[0])["recording"] == 2
    told = [json.loads(line)["model"] for line in lines[1:] if line.startswith("{")]
    assert told == [MODEL, *(step for step in steps if isinstance(step, str))]


def test_recording_with_models_round_trips_as_file(tmp_path: Path) -> None:
    game = Adventure("wilds", seed=5)
    hold(game, "up", 10)
    game.use(SURE)
    hold(game, "up", 5)
    hold(game, "swing", 2)
    game.use(STINGY)
    file = tmp_path / "game.jsonl"
    write_recording(game.recording(), file)
    kinds = [json.loads(line) for line in file.read_text().splitlines()[1:]]
    assert kinds == [{"model": MODEL}, ["up", 10], {"model": SURE}, ["up", 5], ["swing", 2], {"model": STINGY}]
    assert read_recording(file) == game.recording()


def test_game_without_model_has_the_old_recording_format() -> None:
    text = recording_text(Recording("flairs", 1, inputs=(("up", 2), ("up", 1))))
    assert text.splitlines() == [
        '{"recording": 1, "rules": "flairs", "seed": 1, "directed": true, "monsters": null, "player": "player", '
        '"fingerprint": "", "frames": 3}',
        '["up", 2]',
        '["up", 1]',
    ]


HEADER = recording_text(Recording("wilds", 1, inputs=(("up", 2),), models=((0, SURE),))).splitlines()[0]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (f'{HEADER}\n{{"model": 3}}', 2, "model"),
        (f'{HEADER}\n{{"model": "x", "more": 1}}', 2, "model"),
        (f'{HEADER}\n["up", 2]\n{{"model": "recognizer: fms"}}', 3, "the model in this line is faulty: "),
        (f'{HEADER}\n{{"pay": 3}}', 2, "frames"),
        (HEADER.replace('"recording": 2', '"recording": 3'), 1, "recording"),
        (HEADER.replace('"recording": 2', '"recording": true'), 1, "recording"),
        (HEADER.replace('"recording": 2', '"recording": 1') + '\n{"model": "x"}', 2, "frames"),
    ],
)
def test_corrupt_recording_with_models_names_its_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(text)
    with pytest.raises(DefinitionError) as caught:
        read_recording(file)
    assert str(caught.value).startswith(f"{file}:{line}:1: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_recording_with_needless_model_is_rejected() -> None:
    with pytest.raises(TelosError, match="has no companion"):
        list(replay(Recording("flairs", 1, inputs=(("up", 2),), models=((0, SURE),))))


# --- rules ---

WILD = TINY.replace("move: axes", "move: minds, kinds: [hunter, stalker]").replace(
    "town: {", "companion: {name: Kit, reads: flairs, size: 20, speed: 5, reach: 40}\ntown: {"
)


def test_own_rules_may_have_company() -> None:
    game = Adventure(parse_rules(WILD), seed=1)
    hold(game, "right", 30)
    assert next(iter(game.minds)) == COMPANION
    assert {each.kind for each in game.view().beasts} <= {"hunter", "stalker"}
    assert "flairs" in reader_names()


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        (", kinds: [hunter, stalker]", "", 9, "kinds"),
        ("[hunter, stalker]", "[]", 9, "kinds"),
        ("move: minds", "move: axes", 9, "kinds"),
        ("[hunter, ", "[huntr, ", 9, "kinds must be `hunter` or `guard` or `stalker`, got 'huntr'"),
        ("reads: flairs", "reads: flair", 11, "flair"),
        ("size: 20, speed: 5", "size: 200, speed: 5", 11, "200 pixels are too large for a screen of 400 x 300"),
        ("name: Kit, ", "", 11, "'name' is missing"),
    ],
)
def test_fault_in_company_rules_names_its_line(old: str, new: str, line: int, said: str) -> None:
    assert old in WILD
    told = faults(WILD.replace(old, new, 1))
    assert [each for each, words in told if said in words] == [line], told


def test_companion_requires_monsters_with_minds() -> None:
    text = WILD.replace("move: minds, kinds: [hunter, stalker]", "move: axes")
    ((line, message),) = faults(text)
    assert line == 11
    assert "companion" in message


def test_fingerprint_depends_on_minds_not_on_the_model() -> None:
    mark = parse_rules(WILD).fingerprint
    assert parse_rules(WILD.replace("reads: flairs", "reads: wilds")).fingerprint == mark
    assert parse_rules(WILD.replace("Kit", "Kat")).fingerprint == mark
    assert parse_rules(WILD.replace("[hunter, ", "[guard, ")).fingerprint != mark
    assert parse_rules(WILD.replace("speed: 5", "speed: 6")).fingerprint != mark
    assert Adventure("flairs").rules.fingerprint == "646e91f3c3d3"
    assert Adventure("aiide").rules.fingerprint == "0690d4dcb016"


def of_another_game() -> str:
    """Return a model for another game: more context and other earnings."""
    model = loads_model(MODEL)
    assert isinstance(model, FFBM)
    more = Vocabulary(ADVENTURE.actions, {**ADVENTURE.context, "extra": "bool"}, moments=ADVENTURE.moments)
    rules = [DirectorRule("monsters > 0", pay={"gold": 0.5})]
    about = {"transitions": model.transitions, "observations": model.observations, "clock": model.clock}
    made = FFBM(model.goals, **about, outcomes=model.outcomes, vocabulary=more, name="other", director=rules)
    return saved_text(made)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (of_another_game(), "nothing is earned by 'gold' here"),
        (PLAIN + "director:\n  - {if: monsters > 0, pay: {kill: 1.0e+308}}\n", "a factor from 0 to 1000"),
    ],
)
def test_model_with_unknown_earning_is_rejected_before_use(text: str, says: str) -> None:
    game = Adventure("wilds", seed=3)
    with pytest.raises(TelosError, match=says):
        game.use(text)
    assert game.reading.text == MODEL


def test_recording_with_huge_number_names_its_line() -> None:
    text = recording_text(Recording("flairs", 3, inputs=(("up", 3),))) + f'["up", {"9" * 5000}]\n'
    with pytest.raises(DefinitionError, match=":3:1: "):
        loads_recording(text, name="long.jsonl")
    with pytest.raises(DefinitionError, match="player"):
        loads_recording(recording_text(Recording("flairs", 3, player="x")).replace('"x"', '"\\ud800"'))


def test_companion_arrives_later_after_a_death_if_far_behind() -> None:
    late = []
    for x in (100.0, 600.0):
        game = Adventure("wilds", seed=3)
        for _ in range(60):
            game.step({"player": ""})
        play, companion = game._game, game.companion
        play.x, play.y, companion.x, companion.y = x, 240.0, 100.0, 240.0
        _die(play)
        hold(game, "", game.rules.death.fall)
        late.append(companion.late)
    assert late[0] < late[1]
