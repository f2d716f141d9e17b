"""The adventure in the studio: the game of the studies, its minds, models, recordings and pictures."""

import json
import math
import re
from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio.pictures import roles_of
from telos.core.errors import DefinitionError, TelosError
from telos.recognition.director import Advice
from telos.studies.players import session_of
from telos.studio.session import Session
from telos.studio.stage import Happening, Inputs
from telos.studio.worlds.adventure import ADVENTURE, RULES, AdventureStage, adventure_models, ffbm_text, from_recording
from telos.studio.worlds.adventure.drawing import draw_ground
from telos.studio.worlds.adventure.effects import find_vanished
from telos.studio.worlds.shapes import ROLES, Picture
from telos.worlds.adventure.adventure import replay
from telos.worlds.adventure.map import STOP, Keys, format_keys, to_direction
from telos.worlds.adventure.recognizer import LEARNING, MEASURING, READERS
from telos.worlds.adventure.recording import Recording, read_recording, recording_text
from telos.worlds.adventure.rules_file import load_rules

HELD = ("up", "down", "left", "right", "up+left", "down+right", "swing", "left+swing", "")
WATCHER = ffbm_text("wilds").replace("lasts: 120 updates", "lasts: 40 updates")


def stage(seed: int = 7, **given: str) -> AdventureStage:
    made = ADVENTURE.make(seed, ADVENTURE.complete_settings(given))
    assert isinstance(made, AdventureStage)
    return made


def play(on: AdventureStage, held: Iterable[str]) -> list[Happening]:
    return [happening for each in held for happening in on.step(Inputs(each))]


def leave_town(on: AdventureStage) -> list[Happening]:
    """Walk east until monsters are about; the town of wilds has none."""
    told = []
    while not on.facts()["monsters"]:
        told += play(on, ["right"])
    return told


def some_keys(seed: int, number: int) -> list[str]:
    """Return random keys that change four times a second."""
    rng = Random(seed)
    return [held for _ in range(number // 8) for held in [rng.choice(HELD)] * 8]


def grinding(on: AdventureStage) -> str:
    """Return keys that walk to the nearest monster and strike it."""
    view = on.game.view()
    if not view.monsters:
        return "right"  # out of town, after a restart
    x, y = min(view.monsters, key=lambda spot: math.dist(spot, (view.x, view.y)))
    way = to_direction(x - view.x, y - view.y)
    is_near = math.dist((x, y), (view.x, view.y)) <= 75
    held = Keys(STOP if is_near and view.facing == way else way, swing=is_near and view.frame % 8 < 3)
    return format_keys(held)


# --- playing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_held_keys_reach_game(rules: str) -> None:
    on = stage(rules=rules)
    keys = some_keys(1, 400)
    play(on, keys)
    recording = on.game.recording()
    assert list(recording.frame_inputs()) == keys
    assert (recording.rules, recording.seed, recording.directed) == (rules, 7, True)


def test_unknown_command_is_refused_and_plays_no_frame() -> None:
    on = stage()
    for inputs in (Inputs("fly"), Inputs("", ("go forge",)), Inputs("up", ("poke bear",))):
        with pytest.raises(TelosError):
            on.step(inputs)
    assert on.game.frame == 0


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 1000), rules=st.sampled_from(RULES), plays=st.sampled_from(["you", "newcomer"]))
def test_inspection_changes_nothing(seed: int, rules: str, plays: str) -> None:
    watched, alone = stage(seed, rules=rules, plays=plays), stage(seed, rules=rules, plays=plays)
    for held in some_keys(seed, 240):
        watched.backdrop(), watched.picture(), watched.hud(), watched.bands(), watched.facts(), watched.curves()
        for who in watched.characters():
            watched.mind(who)
        assert watched.step(Inputs(held)) == alone.step(Inputs(held))
    assert watched.picture() == alone.picture()
    assert watched.recording() == alone.recording()


def test_simulated_player_reaches_all_goals_on_timeline() -> None:
    on = stage(3, rules="flairs", plays="experienced", monsters="3")
    told: list[Happening] = []
    while not on.over and on.time < 1200:
        told += on.step(Inputs())
    assert on.over
    assert [each.label for each in told if each.kind == "goal"] == [
        "achieves explore",
        "achieves town",
        "achieves level",
    ]
    assert [each.label for each in told if each.kind == "game"] == [
        "Return to town",
        "Kill 10 monsters",
        "all goals are reached",
    ]
    assert sum(each.kind == "bad" for each in told) == on.facts()["deaths"]
    assert sum(each.label == "kills a monster" for each in told) >= 10
    assert on.hud().over.startswith("All goals are reached")
    assert "New game" in on.hud().over
    assert on.truth is None


def test_every_event_reaches_recognizers_and_ticks_have_no_label() -> None:
    on = stage(rules="flairs", monsters="3")
    told = play(on, ["right"] * 60 + ["right+swing"] * 10 + [""] * 5)
    events = [each.event for each in told if each.event is not None]
    assert events == list(replay(on.game.recording()))
    labels = {each.event.context["cause"]: each.label for each in told if each.event is not None}
    assert labels["tick"] == ""
    assert labels["area"] == "enters 3,2"
    assert [each.label for each in told if each.event is not None and each.event.context["cause"] == "input"] == [
        "walks right",
        "swings",
        "stops",
    ]


def test_death_appears_in_picture_timeline_and_notice() -> None:
    on = stage(rules="flairs", monsters="15")
    told: list[Happening] = []
    while not any(each.kind == "bad" for each in told):
        told = list(on.step(Inputs()))
    assert on.hud().message.startswith("You fell, and start again in town.")
    assert any(shape[0] == "s" and shape[2] == "ring" for shape in on.picture())
    play(on, ["left", "right"] * 10)


def test_notice_of_death_names_kind_of_monster() -> None:
    kinds = set()
    for seed in range(12):
        on = stage(seed, monsters="15")
        told = leave_town(on)
        while not any(each.kind == "bad" for each in told) and on.time < 30:
            told = play(on, some_keys(seed, 8))
        if on.facts()["deaths"]:
            why = next(each.why for each in told if each.kind == "bad")
            kind = why.split()[1]
            kinds.add(kind)
            assert on.hud().message.startswith(f"A {kind} ")
            assert on.hud().message.endswith("You start again in town.")
    assert kinds >= {"hunter"}
    assert kinds <= {"hunter", "guard", "stalker"}


@pytest.mark.parametrize("goals", ["directed", "free"])
@pytest.mark.parametrize("rules", RULES)
def test_keys_are_shown_before_first_key_press(rules: str, goals: str) -> None:
    on = stage(rules=rules, goals=goals, monsters="3")
    assert "Arrow keys" in on.hud().message
    assert "space" in on.hud().message


def test_game_message_disappears_after_a_while() -> None:
    on = stage(rules="flairs", monsters="3")
    on.game.adapt(Advice({}, ""))
    tip = on.hud().message
    while on.time < 19.9:
        play(on, ["up", "down"])
        assert on.hud().message == tip or on.hud().message.startswith("You fell")
    play(on, ["up", "down"] * 90)
    assert on.hud().message == "" or on.hud().message.startswith("You fell")


# --- truth ------------------------------------------------------------------------------------------------------------


def test_lesson_exists_only_in_training_round() -> None:
    on = stage(2, rules="aiide", plays="experienced", monsters="3")
    seen = set()
    while not on.over and on.time < 1800:
        seen.add((on.facts()["round"], on.lesson is None, on.truth))
        assert on.lesson in (None, on.truth)
        on.step(Inputs())
    assert seen == {
        (round_, round_ == "test", goal) for round_ in ("training", "test") for goal in ("level", "explore", "return")
    }


def test_session_labels_events_with_truth_of_study() -> None:
    game = Session(ADVENTURE, 5, {"rules": "flairs", "plays": "experienced", "monsters": "3"})
    for _ in range(1500):
        game.advance()
    name, data = game.stage.recording() or ("", b"")
    studied = session_of(from_recorded(data))
    assert name == "adventure-flairs-seed5.jsonl"
    assert [(seen.event, seen.truth) for seen in game.recognizers.events] == list(
        zip(studied.events, studied.truths, strict=True)
    )


def test_free_play_has_truth_only_for_simulated_players() -> None:
    mine, theirs = stage(goals="free"), stage(goals="free", plays="newcomer", rules="aiide")
    seen = set()
    for _ in range(300):
        mine.step(Inputs("left"))
        theirs.step(Inputs())
        seen.add(theirs.truth)
        assert mine.truth is None
        assert mine.lesson is None
    assert seen - {None} <= {"level", "explore", "return"}
    assert seen - {None}
    assert mine.hud().task.startswith("Free play")


# --- models -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_recognizers_have_goals_of_rules(rules: str) -> None:
    models = adventure_models(rules)
    measuring = ["measures"] if rules in MEASURING else []
    assert [model.name for model in models] == [*{**READERS, **LEARNING}[rules], *measuring]
    for model in models:
        assert model.make is not None
        one, two = model.make(model.text), model.make(model.text)
        assert set(one.belief) == set(load_rules(rules).goals)
        assert getattr(one, "model", one) is not getattr(two, "model", two)  # what one learns is not told to the other


def test_faulty_text_is_reported_with_its_line() -> None:
    model = adventure_models("wilds")[0]
    assert model.make is not None
    with pytest.raises(DefinitionError) as refused:
        model.make(model.text.replace("goals: [level,", "goals: [levle,"))
    assert all(fault.line and fault.file == "wilds.yaml" for fault in refused.value.faults)


def test_applied_model_is_used_by_companion_and_director() -> None:
    on = stage()
    play(on, some_keys(4, 200))
    assert on.game.reading is not None
    assert on.apply("fsm", "whatever it is, nobody in the game goes by it") == ""
    assert on.game.reading.text == ffbm_text("wilds") != WATCHER
    assert on.apply("ffbm", WATCHER).startswith("Wren uses the new model")
    assert on.game.reading.text == WATCHER
    with pytest.raises(DefinitionError):
        on.apply("ffbm", "recognizer: ffbm\ngoals: []")
    assert on.game.reading.text == WATCHER
    assert stage(rules="flairs").apply("ffbm", WATCHER) == ""


# --- company ----------------------------------------------------------------------------------------------------------


def test_minds_can_be_inspected_and_asked() -> None:
    on = stage(plays="newcomer")
    leave_town(on)
    play(on, [""] * 20)
    who = list(on.characters())
    assert who[0] == "companion"
    assert who[-1] == "player"
    assert len(who) == 2 + 5
    for name in who:
        mind_view = on.mind(name)
        assert mind_view is not None
        assert mind_view.who == name
        assert all(on.why_not(name, goal.name) for goal in mind_view.goals)
    picks = {shape[7].get("pick") for shape in on.picture() if shape[0] == "s"} - {None}
    assert picks <= set(who)
    assert on.mind("nobody") is None
    with pytest.raises(TelosError, match="with a mind"):
        on.why_not("nobody", "hunt")


def test_companion_speech_and_adaptation_have_reasons() -> None:
    on = stage(8)
    told = leave_town(on)
    while on.time < 60 and not any(each.who == "game" and each.why for each in told):
        told += on.step(Inputs(grinding(on)))
    said = [each for each in told if each.kind == "said"]
    assert said
    assert all(each.who == "Wren" and "Belief" in each.why for each in said)
    adapted = next(each for each in told if each.who == "game" and each.why)
    assert adapted.kind == "game"
    assert "in force" in adapted.why
    assert on.hud().message == adapted.label == "The monsters here have little left to give."
    pays = on.curves()["pays"]["kill"]
    assert 0.2 <= pays < 0.5, "the surer, the less"
    assert ("a kill pays", f"{pays:.0%}") in on.hud().counts
    assert "which is `1 - 0.8 * belief.level`" in adapted.why


def test_the_style_of_a_player_is_told_when_enough_was_seen() -> None:
    on = stage(3, plays="experienced")
    assert on.style is None
    assert "plays like" not in on.curves()
    play(on, [""] * 900)
    assert on.style is not None
    assert sum(on.style.values()) == pytest.approx(1)
    assert on.curves()["plays like"] == on.style
    papers = stage(3, rules="flairs", plays="experienced")
    play(papers, [""] * 900)
    assert papers.style is None


def test_explorer_without_success_gets_hint() -> None:
    on = stage(1, monsters="3")
    text = ffbm_text("wilds").replace("if: explore > 0.8", "if: explore > 0.0001")  # who paces explores nothing
    on.apply("ffbm", text.replace("until: new_area or level > 0.8 or town > 0.8", "until: new_area"))
    told = play(on, ["right"] * 70)
    while on.time < 40 and not any(each.who == "game" for each in told):
        told += play(on, ["up"] * 12 + ["down"] * 12)
    hint = next(each for each in told if each.who == "game")
    assert (on.game.view().area, on.game.view().visited) == ("2,2", ("2,2", "3,2"))
    assert hint.label == "You have not been west of here yet." == on.hud().message
    assert 20 < hint.time < 30
    assert "explore > 0.0001" in hint.why


def test_rules_of_papers_have_no_companion() -> None:
    on = stage(rules="flairs")
    assert list(on.characters()) == []
    assert on.bands() == {}
    assert on.curves() == {}


# --- recordings -------------------------------------------------------------------------------------------------------


def from_recorded(data: bytes) -> Recording:
    """Read a recording as the command line does."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        path.write_bytes(data)
        return read_recording(path)


@pytest.mark.parametrize("given", [{}, {"rules": "aiide", "goals": "free", "monsters": "8"}])
def test_uploaded_recording_replays_exactly(given: dict[str, str]) -> None:
    on = stage(11, **given)
    play(on, some_keys(2, 304))
    if not given:
        on.apply("ffbm", WATCHER)
    play(on, some_keys(3, 304))
    _, data = on.recording() or ("", b"")
    log = from_recording(data)
    again = Session(ADVENTURE, log.seed, log.settings, script=log.entries())
    while again.is_scripted:
        again.advance()
    assert again.refusals == []
    assert again.stage.facts() == on.facts()
    assert again.stage.picture() == on.picture()
    assert from_recorded(data).frames == 608
    if not given:
        assert again.recognizers.texts["ffbm"] == WATCHER


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"rules": "/etc/passwd"}, "the studio has wilds"),
        ({"monsters": 4}, "4 monsters"),
        ({"fingerprint": "0123456789ab"}, "have changed"),
        ({"seed": -1}, "too large"),
        ({"inputs": (("up", 10**7),)}, "too large"),
    ],
)
def test_unsupported_recording_is_refused(changed: dict[str, object], told: str) -> None:
    recording = Recording(**{"rules": "flairs", "seed": 1, "inputs": (("up", 3),), **changed})  # type: ignore[arg-type]
    with pytest.raises(TelosError, match=told):
        from_recording(recording_text(recording).encode())


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_arbitrary_upload_does_not_break_studio(data: st.DataObject) -> None:
    good = recording_text(Recording("flairs", 1, inputs=(("up", 3), ("swing", 2)), models=((2, WATCHER),))).encode()
    at = data.draw(st.integers(0, len(good)))
    cut = data.draw(st.integers(0, 30))
    crafted = good[:at] + data.draw(st.binary(max_size=30)) + good[at + cut :]
    told = "played"
    try:
        assert from_recording(crafted).world == "adventure"
    except TelosError as error:
        told = str(error)
    assert told
    assert "/tmp" not in told  # errors must not reveal local paths


# --- pictures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_pictures_use_known_symbols_and_colours(rules: str) -> None:
    on = stage(5, rules=rules, plays="newcomer")
    keys = dict[str, Picture]()
    while len(keys) < 3 and on.time < 300:
        on.step(Inputs())
        key, behind = on.backdrop()
        assert keys.setdefault(key, behind) == behind
        picture = on.picture()
        assert roles_of(picture, on.symbols) <= set(ROLES)
    assert len(keys) == 3
    for behind in keys.values():
        assert roles_of(behind, on.symbols) <= set(ROLES)
    assert json.loads(json.dumps(picture)) == picture


@pytest.mark.parametrize("rules", RULES)
def test_woods_stand_exactly_on_closed_edges(rules: str) -> None:
    played = load_rules(rules)
    for area in played.map.reachable:
        exits = tuple(sorted(played.map.exits[area]))
        drawn = draw_ground(played.map.name(area), (played.width, played.height), exits, town=False, chest=False)
        edges = {
            found[1] for shape in drawn if shape[0] == "s" and (found := re.match(r"(north|east|south|west)", shape[1]))
        }
        assert edges == {"north", "east", "south", "west"} - set(exits)


def test_chest_is_drawn_until_taken() -> None:
    on = stage(3, rules="flairs", plays="experienced", monsters="3")
    seen = []
    while not on.facts()["carrying"] and on.time < 300:
        key, behind = on.backdrop()
        seen.append(("chest" in key, any(shape[0] == "s" and shape[2] == "chest" for shape in behind)))
        on.step(Inputs())
    assert (True, True) in seen
    assert all(one == other for one, other in seen)
    assert "chest" not in on.backdrop()[0]
    assert any(shape[1] == "carried" for shape in on.picture())


def test_bodies_are_drawn_over_minimap() -> None:
    on = stage()
    leave_town(on)
    names = [shape[1] for shape in on.picture() if shape[0] == "s"]
    assert names.index("map") < names.index("hunter-1")
    assert names.index("map") < names.index("hero")


def test_names_are_shown_at_start() -> None:
    on = stage(plays="newcomer")
    leave_town(on)
    while "Wren" not in (labels := {shape[7].get("label") for shape in on.picture() if shape[0] == "s"}):
        on.step(Inputs())
    labels -= {None}
    assert labels == {"hunter", "guard", "stalker", "Wren"}
    while on.time < 20:
        on.step(Inputs())
    assert {shape[7].get("label") for shape in on.picture() if shape[0] == "s"} == {None}


def test_minimap_shows_visited_areas() -> None:
    on = stage(rules="flairs", monsters="3")
    been: object = 0
    while been != 3 and on.time < 60:
        shown = [shape[1] for shape in on.picture() if shape[0] == "p" and shape[2] == "ink/45"]
        been = on.facts()["visited"]
        assert [cells.count("h17v13") for cells in shown] == [been]
        on.step(Inputs("right"))
    assert been == 3


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), unique=True, max_size=8),
    st.data(),
)
def test_vanished_monster_is_found_though_others_moved(spots: list[tuple[int, int]], data: st.DataObject) -> None:
    before = [(x * 40.0, y * 40.0) for x, y in spots]  # farther apart than anybody moves in a frame
    gone = data.draw(st.sets(st.integers(0, max(0, len(before) - 1))))
    step = st.floats(-6, 6)
    after = [(x + data.draw(step), y + data.draw(step)) for i, (x, y) in enumerate(before) if i not in gone]
    assert find_vanished(tuple(before), tuple(after)) == [each for i, each in enumerate(before) if i in gone]


def test_simulated_player_has_neither_keys_nor_pads() -> None:
    assert Session(ADVENTURE, 1).stage.keys
    assert Session(ADVENTURE, 1, {"plays": "newcomer"}).stage.keys == ()
