"""The island in the studio: simulated and human playthroughs, the mind of the visitor, and the map."""

import json
from pathlib import Path

import pytest

from studio.pictures import roles_of
from telos.core.errors import DefinitionError, TelosError
from telos.studio.explanation import explain
from telos.studio.session import Session
from telos.studio.stage import Happening, Inputs
from telos.studio.worlds.island import ISLAND, IslandStage
from telos.studio.worlds.island import stage as island_module
from telos.studio.worlds.island.drawing import HEIGHT, WIDTH, position
from telos.studio.worlds.shapes import ROLES
from telos.telemetry.logs import read_log
from telos.worlds.island.playthrough import record_player
from telos.worlds.island.story import GOALS, load_story
from telos.worlds.island.styles import load_styles


def stage(seed: int = 7, **given: str) -> IslandStage:
    made = ISLAND.make(seed, ISLAND.complete_settings(given))
    assert isinstance(made, IslandStage)
    return made


def play(on: IslandStage, seconds: int, *asked: str) -> list[Happening]:
    told = list(on.step(Inputs("", asked)))
    for _ in range(seconds - 1):
        told += on.step(Inputs())
    return told


def test_playthrough_matches_study_with_intentions() -> None:
    pytest.importorskip("numpy")
    game = record_player(0, 7)
    session = Session(ISLAND, 7)
    for _ in range(1200):
        session.advance()
    seen = session.recognizers.events
    meant = [goal if goal in GOALS else None for goal in game.intentions]
    assert len(seen) > 200
    assert [each.event for each in seen] == list(game.events[: len(seen)])
    assert [each.truth for each in seen] == meant[: len(seen)]
    assert session.scoreboard.accuracy("mln") is not None


def test_reached_goals_are_marked_on_timeline_and_map() -> None:
    on = stage()
    told = play(on, 1800)
    reached = [each for each in told if each.kind == "goal"]
    assert reached
    assert all(each.event is not None and each.label.endswith(f"achieves {each.event.goal}") for each in reached)
    stars = [shape for shape in on.picture() if shape[0] == "s" and shape[2] == "star"]
    assert 0 < len(stars) <= len(reached) == on.facts()["goals"]


def test_person_plays_by_commands_and_has_no_truth() -> None:
    on = stage(plays="you")
    assert "move gate" in on.commands()
    assert on.hud().message.startswith("Click a place to walk there")
    told = play(on, 12, "move gate", "move south-square")
    assert [each.label for each in told] == ["goes to gate", "goes to south square"]
    assert on.facts()["place"] == "south-square"
    assert (on.truth, on.lesson, on.bands(), on.curves(), list(on.characters())) == (None, None, {}, {}, [])
    assert on.hud().task.startswith("Find out why people")
    assert on.hud().message == ""
    with pytest.raises(TelosError, match="there is no place 'mars'"):
        on.step(Inputs("", ("move mars",)))
    with pytest.raises(TelosError, match="simulated"):
        on.why_not("player", "explore")


def test_question_of_nurse_is_shown_before_answer() -> None:
    on = stage(plays="you")
    ways = ("move gate", "move south-square", "open infirmary-door", "move infirmary-entrance", "move nurses-desk")
    play(on, 60, *ways, "talk nurse", "ask questions")
    assert on.hud().message.startswith("The nurse asks about")
    answers = [each for each in on.commands() if each.startswith("answer ")]
    assert len(answers) > 1
    tests = on.facts()["tests"]
    assert isinstance(tests, int)
    play(on, 20, answers[0])
    assert not on.hud().message.startswith("The nurse asks")
    assert on.facts()["tests"] in (tests, tests + 1)


def click(on: IslandStage, name: str, *, seconds: int = 60) -> list[str]:
    """Click a target, and return the labels of what happened in the time after it."""
    (target,) = [each for each in on.targets() if each.name == name]
    assert len(target.choices) == 1
    return [each.label for each in play(on, seconds, target.choices[0].command)]


def choose(on: IslandStage, title: str, *, seconds: int = 30) -> list[str]:
    (choice,) = [each for each in on.choices() if each.title == title]
    return [each.label for each in play(on, seconds, choice.command)]


def test_first_goal_is_reached_by_clicks_alone() -> None:
    on = stage(plays="you")
    assert click(on, "nurse")[-1] == "greets nurse"
    assert [each.title for each in on.choices()[:2]] == ["Ask about illness", "Ask about camp"]
    told = [choose(on, "Ask about illness", seconds=6) for _ in range(6)]
    assert told[-1] == ["asks about illness: achieves talk-nurse"]
    assert on.choices()[-1].title == "Note down what you learned" or on.choices()[0].title.startswith("Ask")
    choose(on, "Say goodbye")
    assert click(on, "dock")[-1] == "goes to dock"
    assert on.facts()["place"] == "dock"


def test_every_target_and_choice_is_possible() -> None:
    on = stage(plays="you")
    names = [each.name for each in on.targets()]
    assert len(names) == len(set(names))
    assert set(load_story().map.places) | set(load_story().people) <= set(names)
    play(on, 60, "go serving-counter")
    for target in on.targets():
        for choice in target.choices:
            trial = stage(plays="you")
            play(trial, 60, "go serving-counter")
            trial.step(Inputs("", (choice.command,)))


def test_things_at_place_are_drawn_and_can_be_clicked() -> None:
    on = stage(plays="you")
    seen = {shape[1]: shape for shape in on.picture() if str(shape[1]).startswith("seen ")}
    assert set(seen) == {"seen rope", "seen crate-lid"}
    rope = next(each for each in on.targets() if each.name == "rope")
    assert [rope.x, rope.y] == seen["seen rope"][3:5]
    assert [each.title for each in rope.choices] == ["Take the rope", "Examine the rope"]
    play(on, 3, "take rope")
    assert on.facts()["hands"] == "rope"


def test_worksheet_is_form_with_three_lines() -> None:
    on = stage(plays="you")
    assert not any(each.command.startswith("fill") for each in on.choices())
    assert not any(each.startswith("fill") for each in on.commands())
    (form,) = on.forms()
    assert [(field.title, field.value) for field in form.fields] == [("Disease", ""), ("Source", ""), ("Treatment", "")]
    assert form.submit is None
    play(on, 20, *(field.choices[0].command for field in form.fields))
    (form,) = on.forms()
    assert [field.value for field in form.fields] == [field.choices[0].title for field in form.fields]
    assert form.submit is not None
    assert [each.label for each in play(on, 90, form.submit.command)][-1].startswith("hands in the worksheet")
    assert stage().forms() == ()


def test_arrow_walks_to_next_place_and_on_while_held() -> None:
    on = stage(plays="you")
    on.step(Inputs("left"))
    for _ in range(7):
        on.step(Inputs())
    assert on.facts()["place"] == "gate"
    for _ in range(30):
        on.step(Inputs("up"))
    assert on.facts()["place"] in ("north-square", "north-path", "rock-steps")
    ways = stage(plays="you")._controls
    assert ways is not None
    assert ways.places_by_arrow() == {"left": "gate"}


def test_end_says_what_was_achieved() -> None:
    on = stage(plays="you")
    sheet = ("disease=salmonellosis", "source=milk", "treatment=antibiotics")
    play(on, 120, *(f"fill {line}" for line in sheet), "submit")
    assert on.over
    assert "salmonellosis, from the milk, to be treated with antibiotics" in on.hud().over


def test_simulated_visitor_takes_no_commands() -> None:
    on = stage()
    assert on.commands() == ()
    assert (on.targets(), on.choices(), on.forms()) == ((), (), ())
    with pytest.raises(TelosError, match="simulated"):
        on.step(Inputs("", ("look-around",)))


def test_settings_list_existing_styles() -> None:
    options = next(setting.options for setting in ISLAND.settings if setting.name == "style")
    assert set(options) == {"any", *load_styles().share}
    for style in load_styles().share:
        mind_view = stage(style=style).mind("player-000")
        assert mind_view is not None
        assert mind_view.about.startswith(style)


def test_inspection_changes_nothing() -> None:
    watched, alone = stage(5), stage(5)
    for _ in range(600):
        (who,) = watched.characters()
        mind_view = watched.mind(who)
        assert mind_view is not None
        watched.picture(), watched.hud(), watched.facts(), watched.curves()
        for goal in mind_view.goals[:3]:
            watched.why_not(who, goal.name)
        assert watched.step(Inputs()) == alone.step(Inputs())


def test_mind_view_has_wishes_plan_and_memory() -> None:
    on = stage()
    play(on, 300)
    while on.bands()["mind"] == "":
        on.step(Inputs())
    mind_view = on.mind("player-000")
    assert mind_view is not None
    assert [goal.weight for goal in mind_view.goals] == sorted((goal.weight for goal in mind_view.goals), reverse=True)
    assert sum(goal.pursued for goal in mind_view.goals) <= 1
    assert [step.state for step in mind_view.plan] == ["now"] * bool(mind_view.plan) + ["next"] * (
        len(mind_view.plan) - 1
    )
    assert {fact.kind for fact in mind_view.facts} >= {"visited", "thing"}
    assert all(fact.age >= 0 and 0 < fact.confidence <= 1 for fact in mind_view.facts)
    for name in (*(goal.name for goal in mind_view.goals), *mind_view.actions):
        assert on.why_not("player-000", name).startswith(name)
    with pytest.raises(TelosError, match="neither a goal nor an action"):
        on.why_not("player-000", "fly")


def test_faults_of_formulas_are_reported_by_line() -> None:
    pytest.importorskip("numpy")
    model = stage().models()[0]
    assert model.make is not None
    assert set(model.make(model.text).belief) == set(GOALS)
    with pytest.raises(DefinitionError) as refused:
        model.make(f"{model.text}\naction(t, +a) => gaol(t, +g)\n")
    assert refused.value.faults[0].line == len(model.text.splitlines()) + 2
    with pytest.raises(DefinitionError, match="goal"):
        model.make("action(time, action)\n1.0 action(t, look)\n")


def test_recognizer_is_left_out_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(island_module, "find_spec", lambda name: None)
    assert [model.name for model in stage().models()] == ["island", "islander", "players", "tutor"]  # to be read


def test_log_is_read_by_other_commands(tmp_path: Path) -> None:
    on = stage()
    told = play(on, 300)
    name, data = on.recording() or ("", b"")
    path = tmp_path / name
    path.write_bytes(data)
    rows = list(read_log(path))
    assert name == "island-seed7.jsonl"
    assert [row.event for row in rows] == [each.event for each in told]
    assert {row.truth for row in rows} <= {None, *GOALS}


def test_every_place_has_distinct_position_in_picture() -> None:
    spots = [position(place) for place in load_story().map.places.values()]
    assert len(spots) == 39
    assert all(30 < x < WIDTH - 30 and 60 < y < HEIGHT - 30 for x, y in spots)
    pairs = [(one, other) for i, one in enumerate(spots) for other in spots[:i]]
    assert min(max(abs(x - to_x), abs(y - to_y)) for (x, y), (to_x, to_y) in pairs) > 40


def test_pictures_use_known_symbols_and_colours() -> None:
    on = stage()
    key, behind = on.backdrop()
    assert roles_of(behind, on.symbols) <= set(ROLES)
    for _ in range(400):
        on.step(Inputs())
        picture = on.picture()
        assert roles_of(picture, on.symbols) <= set(ROLES)
        assert json.loads(json.dumps(picture)) == picture
    assert on.backdrop() == (key, behind)


def test_visitor_is_interpolated_while_walking_and_leaves_trail() -> None:
    on = stage(plays="you")
    play(on, 3, "move gate")
    visitor = next(shape for shape in on.picture() if shape[1] == "visitor")
    places = load_story().map
    start, end = position(places.place("dock")), position(places.place("gate"))
    assert end[0] < visitor[3] < start[0]
    assert [shape[0] for shape in on.picture()].count("l") == 1
    play(on, 5)
    assert next(shape for shape in on.picture() if shape[1] == "visitor")[3] == end[0]


def test_end_is_shown() -> None:
    on = stage(plays="you")
    play(on, 3600)
    assert on.over
    assert on.hud().over.startswith("The hour is up, and the mystery is unsolved. You had not begun")


def test_the_bars_of_several_goals_need_not_sum_to_one() -> None:
    pytest.importorskip("numpy")
    session, sums = Session(ISLAND, 7), []
    for _ in range(900):
        session.advance()
        sums.append(sum(session.recognizers.beliefs["goals"].values()))
        assert sum(session.recognizers.beliefs["mln"].values()) == pytest.approx(1.0)
    assert max(sums) > 1.01
    assert min(sums) < 0.99
    lines = explain(session.recognizers.readers["goals"], session.recognizers.beliefs["goals"])
    assert lines[0].words.endswith("each by itself")
    assert lines[1].words.startswith("what was just done serves: ")
    one, several = session.stage.models()[:2]
    assert several.make is not None
    with pytest.raises(TelosError, match="its goals exclude one another; write goal"):
        several.make(one.text)


def test_people_of_the_camp_speak_if_there_is_a_tutor() -> None:
    on, quiet = stage(plays="you", tutor="yes"), stage(plays="you")
    told = play(on, 1, "hint")
    (line,) = [each for each in told if each.kind == "said"]
    assert (line.who, line.label) == ("lead scientist", "The nurse in the infirmary knows how it began. Hear her out.")
    assert line.why == "The tutor (hint): a hint was asked for."
    assert on.hud().message == f"lead scientist: “{line.label}”"
    assert [each.label for each in play(on, 60 * 7) if each.kind == "said"] == [
        "You look lost. The nurse in the infirmary knows how it began. Hear her out."
    ]
    assert "Ask for a hint" in [each.title for each in on.choices()]
    assert "Ask for a hint" not in [each.title for each in quiet.choices()]
    assert on.facts()["tutor"] == 2
    with pytest.raises(TelosError):
        play(quiet, 1, "hint")
