"""The adventure on stage: what is played is the studies' own game, and looking at it changes nothing."""

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
from telos.studio.worlds.adventure_drawing import draw_ground, find_vanished
from telos.studio.worlds.shapes import ROLES, Picture
from telos.worlds.adventure.adventure import replay
from telos.worlds.adventure.map import STOP, Keys, format_keys, to_direction
from telos.worlds.adventure.recording import Recording, read_recording, recording_text
from telos.worlds.adventure.rules_file import load_rules

HELD = ("up", "down", "left", "right", "up+left", "down+right", "swing", "left+swing", "")
WATCHER = ffbm_text("wilds").replace("lasts: 100 updates", "lasts: 40 updates")


def stage(seed: int = 7, **given: str) -> AdventureStage:
    made = ADVENTURE.make(seed, ADVENTURE.complete_settings(given))
    assert isinstance(made, AdventureStage)
    return made


def play(on: AdventureStage, held: Iterable[str]) -> list[Happening]:
    return [happening for each in held for happening in on.step(Inputs(each))]


def some_keys(seed: int, number: int) -> list[str]:
    """Return what somebody holds who changes their mind every quarter of a second."""
    rng = Random(seed)
    return [held for _ in range(number // 8) for held in [rng.choice(HELD)] * 8]


def grinding(on: AdventureStage) -> str:
    """Return what somebody holds who goes for the nearest monster, and strikes it."""
    view = on.game.view()
    x, y = min(view.monsters, key=lambda spot: math.dist(spot, (view.x, view.y)), default=(view.x, view.y))
    way = to_direction(x - view.x, y - view.y)
    is_near = math.dist((x, y), (view.x, view.y)) <= 75
    held = Keys(STOP if is_near and view.facing == way else way, swing=is_near and view.frame % 8 < 3)
    return format_keys(held)


# --- playing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_the_keys_held_go_straight_to_the_game(rules: str) -> None:
    on = stage(rules=rules)
    keys = some_keys(1, 400)
    play(on, keys)
    recording = on.game.recording()
    assert list(recording.frame_inputs()) == keys
    assert (recording.rules, recording.seed, recording.directed) == (rules, 7, True)


def test_what_is_no_key_and_no_command_is_refused_and_no_frame_is_played() -> None:
    on = stage()
    for inputs in (Inputs("fly"), Inputs("", ("go forge",)), Inputs("up", ("poke bear",))):
        with pytest.raises(TelosError):
            on.step(inputs)
    assert on.game.frame == 0


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 1000), rules=st.sampled_from(RULES), plays=st.sampled_from(["you", "newcomer"]))
def test_looking_on_changes_nothing(seed: int, rules: str, plays: str) -> None:
    watched, alone = stage(seed, rules=rules, plays=plays), stage(seed, rules=rules, plays=plays)
    for held in some_keys(seed, 240):
        watched.backdrop(), watched.picture(), watched.hud(), watched.bands(), watched.facts(), watched.curves()
        for who in watched.characters():
            watched.mind(who)
        assert watched.step(Inputs(held)) == alone.step(Inputs(held))
    assert watched.picture() == alone.picture()
    assert watched.recording() == alone.recording()


def test_a_simulated_player_reaches_all_goals_and_the_timeline_tells_of_them() -> None:
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


def test_every_event_reaches_recognisers_and_going_on_is_not_told() -> None:
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


def test_a_death_is_told_in_the_picture_on_the_timeline_and_in_a_notice() -> None:
    on = stage(rules="flairs", monsters="15")
    told: list[Happening] = []
    while not any(each.kind == "bad" for each in told):
        told = list(on.step(Inputs()))
    assert on.hud().message == "You fell, and start again in town."
    assert any(shape[0] == "s" and shape[2] == "ring" for shape in on.picture())
    play(on, ["left", "right"] * 10)


def test_which_monster_it_was_is_told_with_what_it_does() -> None:
    kinds = set()
    for seed in range(12):
        on = stage(seed, monsters="15")
        told: list[Happening] = []
        while not any(each.kind == "bad" for each in told) and on.time < 20:
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
def test_before_the_first_key_one_reads_which_keys_there_are(rules: str, goals: str) -> None:
    on = stage(rules=rules, goals=goals, monsters="3")
    assert "Arrow keys" in on.hud().message
    assert "space" in on.hud().message


def test_what_the_game_says_does_not_stand_in_the_way_for_ever() -> None:
    on = stage(rules="flairs", monsters="3")
    on.game.adapt(Advice({}, ""))
    tip = on.hud().message
    while on.time < 19.9:
        play(on, ["up", "down"])
        assert on.hud().message == tip or on.hud().message.startswith("You fell")
    play(on, ["up", "down"] * 90)
    assert on.hud().message == "" or on.hud().message.startswith("You fell")


# --- truth ------------------------------------------------------------------------------------------------------------


def test_lessons_are_for_the_training_round_only() -> None:
    on = stage(2, rules="aiide", plays="experienced", monsters="3")
    seen = set()
    while not on.over and on.time < 1800:
        seen.add((on.facts()["round"], on.lesson is None, on.truth))
        assert on.lesson in (None, on.truth)
        on.step(Inputs())
    assert seen == {
        (round_, round_ == "test", goal) for round_ in ("training", "test") for goal in ("level", "explore", "return")
    }


def test_the_session_gives_each_event_the_truth_of_the_study() -> None:
    game = Session(ADVENTURE, 5, {"rules": "flairs", "plays": "experienced", "monsters": "3"})
    for _ in range(1500):
        game.advance()
    name, data = game.stage.recording() or ("", b"")
    studied = session_of(from_recorded(data))
    assert name == "adventure-flairs-seed5.jsonl"
    assert [(seen.event, seen.truth) for seen in game.recognizers.events] == list(
        zip(studied.events, studied.truths, strict=True)
    )


def test_in_free_play_only_simulated_players_give_their_goal_away() -> None:
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
def test_four_recognisers_read_the_goals_of_the_rules(rules: str) -> None:
    models = adventure_models(rules)
    assert [model.name for model in models] == ["ffbm", "iohmm", "constant", "fsm"]
    for model in models:
        assert model.make is not None
        one, two = model.make(model.text), model.make(model.text)
        assert set(one.belief) == set(load_rules(rules).goals)
        assert getattr(one, "model", one) is not getattr(two, "model", two)  # what one learns is not told to the other


def test_a_faulty_text_is_answered_with_its_line() -> None:
    model = adventure_models("wilds")[0]
    assert model.make is not None
    with pytest.raises(DefinitionError) as refused:
        model.make(model.text.replace("goals: [level,", "goals: [levle,"))
    assert all(fault.line and fault.file == "wilds.yaml" for fault in refused.value.faults)


def test_companion_and_director_go_by_a_model_that_is_applied() -> None:
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


def test_whoever_has_a_mind_can_be_looked_into_and_asked() -> None:
    on = stage(plays="newcomer")
    play(on, [""] * 20)
    who = list(on.characters())
    assert who[0] == "companion"
    assert who[-1] == "player"
    assert len(who) == 2 + 5
    for name in who:
        sheet = on.mind(name)
        assert sheet is not None
        assert sheet.who == name
        assert all(on.why_not(name, goal.name) for goal in sheet.goals)
    picks = {shape[7].get("pick") for shape in on.picture() if shape[0] == "s"} - {None}
    assert picks <= set(who)
    assert on.mind("nobody") is None
    with pytest.raises(TelosError, match="with a mind"):
        on.why_not("nobody", "hunt")


def test_the_companion_is_heard_and_the_game_says_why_it_adapts() -> None:
    on = stage(7)
    told: list[Happening] = []
    while on.time < 60 and not any(each.who == "game" and each.why for each in told):
        told += on.step(Inputs(grinding(on)))
    said = [each for each in told if each.kind == "said"]
    assert said
    assert all(each.who == "Wren" and "Belief" in each.why for each in said)
    adapted = next(each for each in told if each.who == "game" and each.why)
    assert adapted.kind == "game"
    assert "in force" in adapted.why
    assert on.hud().message == adapted.label == "The monsters here have little left to give."
    assert ("a kill pays", "50%") in on.hud().counts
    assert on.curves()["pays"]["kill"] == 0.5


def test_who_explores_and_finds_nothing_new_is_told_where_they_have_not_been() -> None:
    on = stage(1, monsters="3")
    told = play(on, ["right"] * 70)
    while on.time < 40 and not any(each.who == "game" for each in told):
        told += play(on, ["up"] * 12 + ["down"] * 12)
    hint = next(each for each in told if each.who == "game")
    assert (on.game.view().area, on.game.view().visited) == ("2,2", ("2,2", "3,2"))
    assert hint.label == "You have not been west of here yet." == on.hud().message
    assert 20 < hint.time < 30
    assert "explore > 0.8" in hint.why


def test_papers_games_have_no_company() -> None:
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
def test_a_recording_that_is_brought_along_plays_as_it_was(given: dict[str, str]) -> None:
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
        ({"inputs": (("up", 10**12),)}, "too large"),
    ],
)
def test_a_recording_that_cannot_be_played_here_is_refused(changed: dict[str, object], told: str) -> None:
    recording = Recording(**{"rules": "flairs", "seed": 1, "inputs": (("up", 3),), **changed})  # type: ignore[arg-type]
    with pytest.raises(TelosError, match=told):
        from_recording(recording_text(recording).encode())


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_nothing_that_somebody_brings_along_breaks_the_studio(data: st.DataObject) -> None:
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
    assert "/tmp" not in told  # nobody is to learn where things are kept here


# --- pictures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
def test_pictures_are_plain_data_in_known_symbols_and_colours(rules: str) -> None:
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
def test_woods_stand_exactly_on_the_edges_that_do_not_lead_on(rules: str) -> None:
    played = load_rules(rules)
    for area in played.map.reachable:
        exits = tuple(sorted(played.map.exits[area]))
        drawn = draw_ground(played.map.name(area), (played.width, played.height), exits, town=False, chest=False)
        edges = {
            found[1] for shape in drawn if shape[0] == "s" and (found := re.match(r"(north|east|south|west)", shape[1]))
        }
        assert edges == {"north", "east", "south", "west"} - set(exits)


def test_the_chest_is_there_until_it_is_taken() -> None:
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


def test_whoever_walks_below_the_little_map_is_drawn_over_it() -> None:
    names = [shape[1] for shape in stage().picture() if shape[0] == "s"]
    assert names.index("map") < names.index("hunter-1")
    assert names.index("map") < names.index("hero")


def test_at_first_names_stand_below_everybody() -> None:
    on = stage(plays="newcomer")
    labels = {shape[7].get("label") for shape in on.picture() if shape[0] == "s"} - {None}
    assert labels == {"hunter", "guard", "stalker", "Wren"}
    while on.time < 20:
        on.step(Inputs())
    assert {shape[7].get("label") for shape in on.picture() if shape[0] == "s"} == {None}


def test_the_little_map_shows_where_one_has_been() -> None:
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
def test_whoever_vanishes_is_found_though_the_others_have_moved(
    spots: list[tuple[int, int]], data: st.DataObject
) -> None:
    before = [(x * 40.0, y * 40.0) for x, y in spots]  # farther apart than anybody moves in a frame
    gone = data.draw(st.sets(st.integers(0, max(0, len(before) - 1))))
    step = st.floats(-6, 6)
    after = [(x + data.draw(step), y + data.draw(step)) for i, (x, y) in enumerate(before) if i not in gone]
    assert find_vanished(tuple(before), tuple(after)) == [each for i, each in enumerate(before) if i in gone]
