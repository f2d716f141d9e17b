"""The arena in the studio: watched and fought battles, minds, models and recordings."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from telos.cli.main import app
from telos.core.errors import DefinitionError, TelosError
from telos.studio.session import Session
from telos.studio.stage import Happening, Inputs
from telos.studio.worlds.arena import ARENA, ArenaStage
from telos.studio.worlds.arena_drawing import outline
from telos.studio.worlds.shapes import ROLES
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.replay import replay_fight
from telos.worlds.arena.scene import load_scene, scene_names


def run(stage: ArenaStage, steps: int, held: str = "") -> list[Happening]:
    """Let steps pass, and return what happened."""
    return [each for _ in range(steps) for each in stage.step(Inputs(held))]


def colours(shapes: Iterable[list[object]]) -> set[str]:
    """Return the colours of all shapes but symbols, without their opacity."""
    spots = {"r": (5, 7), "c": (4, 5), "l": (5,), "p": (2, 3), "t": (4,)}
    return {str(shape[at]).partition("/")[0] for shape in shapes for at in spots.get(str(shape[0]), ())} - {""}


# A fair sample: every third scene; all of them with --slow.
SCENES = [
    pytest.param(scene, marks=[pytest.mark.slow] if number % 3 else []) for number, scene in enumerate(scene_names())
]


@pytest.mark.parametrize("scene", SCENES)
def test_every_scene_can_be_watched_and_fits_json(scene: str) -> None:
    stage = ARENA.make(3, ARENA.complete_settings({"scene": scene}))
    for _ in range(30):
        stage.step(Inputs())
        key, backdrop = stage.backdrop()
        json.dumps([key, backdrop, stage.picture(), stage.bands(), stage.curves(), stage.facts()], allow_nan=False)
    assert colours([*backdrop, *stage.picture()]) <= ROLES.keys()
    used = {str(shape[2]) for shape in stage.picture() if shape[0] == "s"}
    assert used <= stage.symbols.keys()


def test_stage_plays_battle_of_package() -> None:
    stage, battle = ArenaStage("pincer", 4), Battle(load_scene("pincer"), seed=4)
    for view in battle.seconds():
        stage.step(Inputs())
        assert stage.battle.view == view
    assert stage.over
    assert stage.hud().over == "Red wins. Look back on the timeline, or fight them yourself, under New game."
    assert stage.step(Inputs()) == ()


def test_scene_without_fight_ends_with_its_time() -> None:
    stage = ArenaStage("lights", 1)
    run(stage, 400)
    assert stage.over
    assert stage.time == 30.0
    assert stage.hud().over.startswith("Time is up. Look back on the timeline")


def test_inspection_changes_nothing() -> None:
    looked, alone = ArenaStage("get-to-cover", 2), ArenaStage("get-to-cover", 2)
    for _ in range(80):
        looked.step(Inputs())
        alone.step(Inputs())
        for who in looked.characters():
            looked.mind(who)
            looked.why_not(who, "kill_enemy")
        looked.backdrop(), looked.picture(), looked.hud(), looked.models(), looked.facts(), looked.recording()
    assert looked.recording() == alone.recording()


def test_map_is_redrawn_only_when_it_changes() -> None:
    stage = ArenaStage("door-open", 1)
    keys, pictures = [], []
    for _ in range(60):
        stage.step(Inputs())
        key, picture = stage.backdrop()
        if key not in keys:
            keys.append(key)
            pictures.append(picture)
    assert len(keys) == 2  # the door opens
    assert pictures[0] != pictures[1]


def test_dark_room_is_darker_until_light_is_on() -> None:
    stage = ArenaStage("lights", 1)
    dark = len([shape for shape in stage.backdrop()[1] if shape[0] == "p" and shape[2] == "shadow"])
    run(stage, 200)
    assert stage.battle.view.dark_rooms == ()
    assert len([shape for shape in stage.backdrop()[1] if shape[0] == "p" and shape[2] == "shadow"]) < dark


def test_happenings_cover_orders_speech_goals_shots_and_deaths() -> None:
    stage = ArenaStage("skirmish", 7)  # which is fought out in 53 seconds
    told = run(stage, 700)
    kinds = {each.kind for each in told}
    assert kinds == {"event", "said", "game", "bad", "goal", "mind", "plan"}
    deaths = [each for each in told if each.kind == "bad"]
    assert len(deaths) == sum(not each.alive for each in stage.battle.view.fighters)
    assert all(each.why for each in told if each.label.startswith("takes up"))
    assert [each.time for each in told] == sorted(each.time for each in told)


def test_mark_is_shown_with_the_orders() -> None:
    stage = ArenaStage("skirmish", 2)
    for _ in range(120):
        run(stage, 1)
        minds = [view for who in stage.characters() if (view := stage.mind(who)) is not None]
        if any("is marked as the target" in order for view in minds for order in view.orders):
            return
    pytest.fail("nobody had a mark in 12 seconds")


def test_burst_of_shots_is_reported_once() -> None:
    stage = ArenaStage("layer-1-attack", 1)
    told = run(stage, 60)
    shots = json.loads(f"[{','.join(stage.recording()[1].decode().splitlines())}]")
    fired = [each for each in shots if each["kind"] == "event" and each["action"] == "shot"]
    assert len(fired) > 3
    assert [each.label for each in told if each.label.startswith("fires")] == ["fires at Pat"]


def test_speech_is_shown_for_three_seconds() -> None:
    stage = ArenaStage("get-to-cover", 1)
    for _ in range(100):
        said = [each for each in stage.step(Inputs()) if each.kind == "said"]
        if said:
            break
    shown = {str(shape[1]): shape[7].get("says") for shape in stage.picture() if shape[0] == "s"}
    assert f"“{shown[said[-1].who]}”" == said[-1].label
    words = shown[said[-1].who]
    run(stage, 31)
    assert words not in stage.timeline.speech(stage.time).values()


def test_bands_facts_and_characters_follow_living_fighters() -> None:
    stage = ArenaStage("pincer", 4)
    assert stage.facts()["alive.blue"] == 1
    run(stage, 600)
    assert stage.facts()["alive.blue"] == 0
    assert stage.bands()["Pat"] == "dead" == stage.facts()["Pat.goal"]


def test_fallen_stay_among_characters_with_last_thoughts() -> None:
    stage = ArenaStage("skirmish", 4)
    everybody = stage.characters()
    run(stage, 600)
    fallen = [name for name, label in stage.bands().items() if label == "dead"]
    assert fallen
    assert stage.characters() == everybody
    for name in fallen:
        mind_view = stage.mind(name)
        assert mind_view is not None
        assert mind_view.doing == "fallen"
        assert mind_view.about.startswith(f"fallen at {mind_view.time:.1f} s")
        assert stage.why_not(name, "cover") == f"cover: {name} has fallen."
    living = next(name for name in everybody if name not in fallen)
    assert "fallen" not in stage.mind(living).about  # type: ignore[union-attr]


def test_player_walks_and_shoots_by_clicks() -> None:
    stage = ArenaStage("skirmish", 1, fights=True)
    session = Session(ARENA, 1, {"play": "fight"})
    me = session.stage.battle.arena.fighter("Wes")  # type: ignore[attr-defined]
    x, y = stage._map.scale.at(me.x - 2, me.y)
    session.click(x, y)
    session.click(-5, -5)  # outside of the map
    for _ in range(30):
        session.advance()
    assert abs(me.x - stage._map.scale.to_map(x, y)[0]) < 0.3
    assert not session.refusals
    for target in session.stage.targets():
        assert [choice.command for choice in target.choices] == [f"shoot {target.name}"]
    assert ArenaStage("skirmish", 1).command_at(x, y) is None


def test_mind_view_has_orders_and_speech() -> None:
    stage = ArenaStage("get-to-cover", 1)
    run(stage, 15)
    mind_views = [mind_view for who in stage.characters() if (mind_view := stage.mind(who)) is not None]
    assert {mind_view.who for mind_view in mind_views} == {"Sam", "Tia", "Ugo", "Pat"}
    assert any("get-to-cover" in order for mind_view in mind_views for order in mind_view.orders)
    assert any(mind_view.lines for mind_view in mind_views)
    assert "soldier of red" in mind_views[0].about
    assert stage.why_not("Sam", "patrol")


# --- the player -------------------------------------------------------------------------------------------------------


def test_player_walks_by_keys_and_has_no_mind() -> None:
    stage = ArenaStage("skirmish", 1, fights=True)
    assert stage.player == "Wes"
    assert "Wes" not in stage.characters()
    before = stage.battle.arena.fighter("Wes").position
    run(stage, 5, "up")
    after = stage.battle.arena.fighter("Wes").position
    assert after[1] < before[1] - 1
    assert after[0] == pytest.approx(before[0])
    assert ("grenades", "0") in stage.hud().counts


def test_every_key_has_effect_and_watching_has_no_keys() -> None:
    from telos.worlds.arena.ai.player_control import KEYS

    assert {name for _, name, _ in ArenaStage("skirmish", 1, fights=True).keys} <= set(KEYS)
    assert ArenaStage("skirmish", 1).keys == ()


def test_commands_are_accepted_and_invalid_ones_change_nothing() -> None:
    stage = ArenaStage("layer-1-attack", 1, fights=True)
    with pytest.raises(TelosError, match="unknown command"):
        stage.step(Inputs("left", ("dance",)))
    assert stage.time == 0.0
    assert "shoot Sam" in stage.commands()
    told = [*stage.step(Inputs("", ("shoot Sam",))), *run(stage, 3)]
    assert ("Pat", "fires at Sam") in [(each.who, each.label) for each in told]
    with pytest.raises(TelosError, match="disabled while watching"):
        ArenaStage("flank", 1).step(Inputs("", ("shoot Ann",)))


def test_scene_without_opponents_can_only_be_watched() -> None:
    stage = ArenaStage("search", 1, fights=True)
    assert stage.player is None
    assert "only watch" in stage.hud().message


def test_only_blows_to_player_are_felt_as_such() -> None:
    stage = ArenaStage("flank", 1, fights=True)
    stage.battle.arena.fighter("Pat").health = 1
    told = []
    while not stage.over:
        told += stage.step(Inputs())
    felt = [each for each in told if each.cue in ("hurt", "death")]
    assert felt
    assert all("Pat" in (each.who, each.label.split()[-1]) for each in felt)
    watched = ArenaStage("flank", 1)
    cues = set()
    while not watched.over:
        cues |= {each.cue for each in watched.step(Inputs())}
    assert cues - {""} == {"shot", "hit", "kill"}


def test_fight_continues_after_death_of_player() -> None:
    stage = ArenaStage("skirmish", 1, fights=True)
    stage.battle.arena.fighter("Wes").health = 1
    for _ in range(900):
        stage.step(Inputs("left"))
        if not stage.battle.arena.fighter("Wes").alive:
            break
    assert stage.hud().message == "You are dead; the others fight on."
    assert not stage.over
    run(stage, 10, "left+shoot")
    assert stage.commands() == ()


def test_player_sees_how_fight_ended() -> None:
    stage = ArenaStage("flank", 1, fights=True)
    stage.battle.arena.fighter("Pat").health = 1
    while not stage.over:
        stage.step(Inputs("left"))
    said = stage.hud()
    assert said.over.startswith("Red wins. You stopped nobody and are dead. Look back")
    assert said.message.startswith("Pat is killed by"), "nobody fights on"


def test_paths_to_cover_are_known_before_fight() -> None:
    stage = ARENA.make(1, ARENA.complete_settings({"scene": "pincer"}))
    assert isinstance(stage, ArenaStage)
    arena = stage.battle.arena
    found = arena.navigator._field.cache_info()
    for node in arena.map.nodes.values():
        arena.navigator.distance((2.5, 2.5), node.position)
    assert arena.navigator._field.cache_info().misses == found.misses


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["", "up", "left+shoot", "down+left", "crouch", "use"]), st.integers(1, 15))))
def test_same_inputs_give_same_fight(runs: list[tuple[str, int]]) -> None:
    one, two = (ArenaStage("flank", 5, fights=True) for _ in range(2))
    for held, steps in runs:
        for _ in range(steps):
            assert one.step(Inputs(held)) == two.step(Inputs(held))
            assert one.picture() == two.picture()
    assert one.recording() == two.recording()


# --- files ------------------------------------------------------------------------------------------------------------


def test_recording_of_player_fight_is_replayed_by_command_line(tmp_path: Path) -> None:
    stage = ArenaStage("skirmish", 2, fights=True)
    views = []
    for number in range(300):
        stage.step(Inputs(("left", "left+shoot", "up+left", "shoot")[number // 20 % 4]))
        views.append(stage.battle.view)
    name, data = stage.recording()
    assert b'"Wes": "goto' in data
    again = list(replay_fight(data.decode().splitlines()))
    assert again == views[: len(again)]
    assert len(again) > 280
    (tmp_path / name).write_bytes(data)
    answer = CliRunner().invoke(app, ["watch", "arena", "--replay", str(tmp_path / name)])
    assert answer.exit_code == 0, answer.output


def test_models_are_characters_of_cast_and_check_their_texts() -> None:
    stage = ArenaStage("pincer", 1)
    models = {model.name: model for model in stage.models()}
    assert list(models)[:3] == ["soldier", "layer-5-blind-fire", "layer-7-talk"]  # the cast, then the parents
    assert list(models)[-3:] == ["layer-1-attack", "arena", "performances"]
    assert [name for name, model in models.items() if not model.editable] == ["arena", "performances"]
    soldier = stage.models()[0]
    assert soldier.check is not None
    assert soldier.check(soldier.text) == ()
    assert [fault.line for fault in soldier.check(soldier.text.replace("follow_order", "folow_order"))] == [5]


def test_minds_come_from_their_file_its_parents_and_domain() -> None:
    stage = ArenaStage("pincer", 1)
    who = next(name for name, mind in stage.battle.minds.items() if mind.character.name == "layer-5-blind-fire")
    assert stage.sources(who)[:2] == ("layer-5-blind-fire", "layer-4-cover")
    assert stage.sources(who)[-2:] == ("layer-1-attack", "arena")
    assert stage.sources("nobody") == ()
    stage.apply("layer-5-blind-fire", stage.models()[1].text.replace("like: layer-4-cover", "like: layer-3-melee"))
    assert stage.sources(who)[:2] == ("layer-5-blind-fire", "layer-3-melee")
    assert "layer-4-cover" not in [model.name for model in stage.models()]


def test_applied_parent_changes_all_that_are_like_it() -> None:
    stage = ArenaStage("pincer", 1)
    parent = next(model for model in stage.models() if model.name == "layer-1-attack")
    changed = stage.apply(parent.name, f"{parent.text}priorities: {{patrol: 41}}\n")
    assert all(name in changed for name in stage.battle.minds)
    patrols = {
        goal.priority for mind in stage.battle.minds.values() for goal in mind.arbiter.goals if goal.name == "patrol"
    }
    assert patrols == {41.0}
    with pytest.raises(TelosError, match="'arena'"):
        stage.apply("arena", "domain: arena\n")


def test_applied_character_is_used_and_invalid_one_changes_nothing() -> None:
    stage = ArenaStage("pincer", 1)
    run(stage, 20)
    soldier = stage.models()[0].text
    with pytest.raises(DefinitionError):
        stage.apply("soldier", soldier + "priorities: {covr: 99}\n")
    assert stage.models()[0].text == soldier
    with pytest.raises(TelosError, match="'rat'"):
        stage.apply("rat", soldier)
    said = stage.apply("soldier", soldier + "priorities: {cover: 99}\n")
    assert said == "Ann, Bob, Cal, Dee use the new soldier from now on."
    assert stage.models()[0].text != soldier
    mind_view = stage.mind("Ann")
    assert mind_view is not None
    assert mind_view.goals[0].name == "cover"
    before = stage.time
    run(stage, 20)
    assert stage.time > before
    assert list(replay_fight(stage.recording()[1].decode().splitlines()))
    assert stage.apply("soldier", soldier + "priorities: {cover: 99}\n") == "The new soldier changes no living fighter."


def test_session_plays_arena_and_scrubs() -> None:
    session = Session(ARENA, 3, {"scene": "flank", "play": "fight"})
    session.hold("up")
    for _ in range(25):
        session.advance()
    session.ask("dance")
    session.advance()
    assert session.refusals
    assert "write `shoot NAME`" in session.refusals[0]
    assert session.last == 26
    session.scrub(10)
    assert json.loads(session.frame())["n"] == 10
    assert session.mind("Ann") is not None


# --- drawing ----------------------------------------------------------------------------------------------------------


def winding(path: str, x: float, y: float) -> int:
    """Return the winding number of loops around a point, by brute force."""
    turns = 0
    for loop in path.split("Z")[:-1]:
        points = [tuple(map(float, point.split())) for point in loop.removeprefix("M").split("L")]
        for (x1, y1), (x2, y2) in zip(points, [*points[1:], points[0]], strict=True):
            if (y1 <= y) != (y2 <= y) and x1 + (y - y1) / (y2 - y1) * (x2 - x1) > x:
                turns += 1 if y2 > y1 else -1
    return turns


@settings(deadline=None)
@given(st.frozensets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30))
def test_outline_has_cells_inside_and_others_outside(cells: frozenset[tuple[int, int]]) -> None:
    path = outline(cells, 2.0)
    for x in range(-1, 8):
        for y in range(-1, 8):
            assert (winding(path, 2 * x + 1, 2 * y + 1) != 0) == ((x, y) in cells)


def test_watched_fight_invites_to_fight_if_there_are_opponents() -> None:
    assert [each.title for each in ArenaStage("flank", 1).invitations()] == ["Fight"]
    assert list(ArenaStage("lights", 1).invitations()) == []
    assert list(ArenaStage("flank", 1, fights=True).invitations()) == []
    (start,) = ARENA.starts
    assert ARENA.complete_settings({"scene": "flank", **start.settings})["play"] == "fight"


def test_scenes_have_titles_in_the_menu() -> None:
    setting = next(each for each in ARENA.settings if each.name == "scene")
    assert setting.title_of("get-to-cover") == "Run for cover"
    assert all(setting.title_of(option) != option for option in setting.options)


def test_places_where_a_hidden_enemy_may_be_are_shaded() -> None:
    stage = ArenaStage("hunt", 1)
    before = len(stage.picture())
    while stage.time < 6.0:
        stage.step(Inputs())
    suspected = stage._suspected()
    assert {side for _, _, side in suspected} == {"red"}
    assert 0.5 < sum(share for _, share, _ in suspected) <= 1.0
    shades = stage.picture()[: len(suspected)]
    assert all(shape[0] == "r" and str(shape[5]).startswith("side1/") for shape in shades)
    assert before < len(stage.picture())


def test_body_over_a_desk_has_a_picture_of_its_own() -> None:
    stage = ArenaStage("desk", 1)
    while not stage.over:
        stage.step(Inputs())
    looks = {shape[1]: shape[2] for shape in stage.picture() if shape[0] == "s"}
    assert (looks["Carl"], looks["Gus"], looks["Eve"]) == ("slumped", "fallen", "soldier")
