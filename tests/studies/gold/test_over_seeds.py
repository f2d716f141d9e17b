"""The studies after Gold over seeds: without sentences they are those as before, with all of them those of the text."""

import json
from dataclasses import replace

import pytest

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.parallel import parallel_map
from telos.recognition.ffbm import FFBM
from telos.recognition.files.load import named_model
from telos.studies.gold import aiide, flairs
from telos.studies.gold.aiide_seeds import AIIDE, AiideTask, play_aiide, run_aiide_seeds
from telos.studies.gold.flairs_seeds import (
    FLAIRS,
    FlairsTask,
    flairs_session,
    play_flairs,
    run_flairs_seeds,
    score_moments,
)
from telos.studies.gold.over_seeds import TEXT, USUAL, plan_variants
from telos.studies.gold.variants import AIIDE_SENTENCES, FLAIRS_SENTENCES, aiide_variant, flairs_variant
from telos.studies.players import EXPERIMENTER, NOVICE, Phase, Session
from telos.studies.seeds import Reported, judge
from telos.worlds.adventure.map import DIRECTIONS
from telos.worlds.adventure.rules_file import load_rules

pytest.importorskip("scipy")
ALL, NONE = frozenset(FLAIRS_SENTENCES), frozenset[str]()


def nine() -> FFBM:
    model = named_model("flairs-text")
    assert isinstance(model, FFBM)
    return model


def seen(action: str, moving: str, **context: object) -> Event:
    return Event(action, {"moving": moving, **context})


# --- the model of the text --------------------------------------------------------------------------------------------


def test_the_outcomes_are_eight_directions_and_a_still_swing() -> None:
    assert nine().outcomes.names == ("swing_still", *DIRECTIONS)


@pytest.mark.parametrize("monsters", [0, 5])
@pytest.mark.parametrize("edges", [(), ("east",), ("north", "east"), ("west", "south", "north", "east")])
def test_chances_sum_to_one_over_the_nine_under_every_goal(monsters: int, edges: tuple[str, ...]) -> None:
    event = seen("up", "up", monsters=monsters, exits=edges, unvisited_exits=edges, exits_nearer_town=edges[:1])
    for goal in nine().goals:
        distribution = nine().distribution(goal, event)
        assert len(distribution) == 9
        assert sum(distribution.values()) == pytest.approx(1.0)


def test_the_numbers_are_those_of_the_paper() -> None:
    event = seen("swing", "stop", monsters=3, exits=("east", "south"), unvisited_exits=("east",))
    level, explore = nine().distribution("level", event), nine().distribution("explore", event)
    assert level == pytest.approx({"swing_still": 0.8, **dict.fromkeys(DIRECTIONS, 0.025)})
    # Nine ones, four more for the nearest edge, and two for each of the diagonals beside it.
    assert (explore["right"], explore["up_right"], explore["left"]) == pytest.approx((5 / 17, 3 / 17, 1 / 17))
    assert explore["swing_still"] == pytest.approx(1 / 17)
    assert nine().evidence(event).likelihood[:2] == pytest.approx((0.8, 1 / 17))  # type: ignore[union-attr]
    usual = named_model("flairs")
    assert isinstance(usual, FFBM)
    assert nine().transitions == usual.transitions
    assert nine().observations == usual.observations


def test_a_swing_on_the_way_is_the_direction_of_the_way() -> None:
    swing = nine().evidence(seen("swing", "left", monsters=3))
    walk = nine().evidence(seen("left", "left", monsters=3))
    assert swing == walk
    assert swing is not None
    assert swing.seen == "left"


def test_with_a_monster_in_the_room_no_step_makes_level_likelier_than_explore() -> None:
    """Record 0025 argues from this that the room of Figure 4 was empty."""
    for edges in [(), ("east",), ("north", "east"), ("west", "south", "north", "east")]:
        for way in DIRECTIONS:
            context = {"exits": edges, "unvisited_exits": edges, "cause": "input", "in_town": True}
            crowded = nine().evidence(seen(way, way, monsters=1, **context))
            assert crowded is not None
            level, explore, _ = crowded.likelihood
            assert level == pytest.approx(0.025)
            assert explore >= 1 / 29
            assert explore > level


def test_the_model_of_the_second_paper_differs_in_what_unexplored_is() -> None:
    text, usual = named_model("aiide-text"), named_model("aiide")
    event = Event("up", {"moving": "up", "onward": True, "toward_unexplored": False, "moved": True})
    assert text.evidence(event).seen == "approach_unexplored"  # type: ignore[union-attr]
    assert usual.evidence(event).seen == "other_movement"  # type: ignore[union-attr]
    assert text.transitions == usual.transitions  # type: ignore[union-attr]


# --- variants ---------------------------------------------------------------------------------------------------------


def test_without_sentences_the_variants_are_the_studies_as_before() -> None:
    first, second = flairs_variant(NONE), aiide_variant(NONE)
    assert first.rules.fingerprint == load_rules("flairs").fingerprint
    assert second.rules.fingerprint == load_rules("aiide").fingerprint
    assert (first.model, second.model, first.scores_new_goal) == ("flairs", "aiide", False)
    assert dict(first.presets) == {"experienced": EXPERIMENTER, "new": NOVICE}
    assert dict(second.presets) == {"experimenter": EXPERIMENTER, "new": NOVICE}


def test_with_all_sentences_the_rules_are_those_of_the_files() -> None:
    first, second = flairs_variant(FLAIRS_SENTENCES), aiide_variant(AIIDE_SENTENCES)
    assert replace(first.rules, about="") == replace(load_rules("flairs-text"), about="")
    assert replace(second.rules, about="") == replace(load_rules("aiide-text"), about="")
    assert (first.model, second.model) == ("flairs-text", "aiide-text")


@pytest.mark.parametrize("sentence", FLAIRS_SENTENCES)
def test_every_sentence_of_the_first_paper_changes_something(sentence: str) -> None:
    assert flairs_variant(ALL - {sentence}) != flairs_variant(ALL)


@pytest.mark.parametrize("sentence", AIIDE_SENTENCES)
def test_every_sentence_of_the_second_paper_changes_something(sentence: str) -> None:
    assert aiide_variant(set(AIIDE_SENTENCES) - {sentence}) != aiide_variant(AIIDE_SENTENCES)


def test_an_unknown_sentence_or_variant_is_refused() -> None:
    with pytest.raises(TelosError, match=r"no sentence 'rooms'.*room"):
        flairs_variant(["rooms"])
    with pytest.raises(TelosError, match=r"no rules 'txt'.*text"):
        run_flairs_seeds(rules="txt")
    with pytest.raises(TelosError, match="0 to 3 of the seeds, got 4"):
        run_flairs_seeds(seeds=3, ablation=4)
    with pytest.raises(TelosError, match="only the variant from the text"):
        run_aiide_seeds(rules="usual", ablation=1)
    with pytest.raises(TelosError, match="got 1 and 10"):
        run_flairs_seeds(players=1)
    with pytest.raises(TelosError, match="got 19, 1 and 6"):
        run_aiide_seeds(returning=1)


# --- runs -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "number"), [("experienced", 1), ("new", 0)])
def test_without_sentences_a_run_is_that_of_the_study_with_one_seed(kind: str, number: int) -> None:
    run = flairs.Run(next(each for each in flairs.KINDS if each.name == kind), number, seed=4, draws=1)
    before, now = flairs.play_run(run), play_flairs(FlairsTask(NONE, 4, kind, number))
    assert before.tallies is not None
    assert now.tallies == {name: before.tallies[name] for name in ("ffbm", "fsm", "constant")}


def test_without_sentences_a_subject_is_that_of_the_study_with_one_seed() -> None:
    subject = aiide.Subject(0, seed=2)
    assert play_aiide(AiideTask(NONE, subject)) == aiide.play_games(subject)


def test_a_moment_at_which_a_goal_is_reached_belongs_to_the_goal_that_begins() -> None:
    events = tuple(Event("up", {"cause": "input"}, time=frame / 30) for frame in (3, 10, 14, 20, 30))
    phases = (
        Phase("explore", "", 0, 2, 10, True),
        Phase("town", "", 2, 3, 7, True),
        Phase("level", "", 3, 5, 13, True),
    )
    session = Session(events, ("explore", "explore", "town", "level", "level"), phases)
    assert [truth for _, truth in score_moments(session, new_goal=False)] == list(session.truths)
    # The chest is taken in frame 10, with an event; the town is reached in 17, without one; the last kill is in 30.
    scored = [truth for _, truth in score_moments(session, new_goal=True)]
    assert scored == ["explore", "town", "town", "level", None]


def test_on_reaching_the_town_the_new_goal_counts_in_a_real_game() -> None:
    session = flairs_session(FlairsTask(ALL, 1, "experienced", 0))
    arrival = session.phases[1].end - 1
    assert session.events[arrival].context["in_town"]
    truths = [truth for _, truth in score_moments(session, new_goal=True)]
    assert (session.truths[arrival], truths[arrival]) == ("town", "level")


def test_all_kinds_of_players_finish_the_game_of_the_text_without_stops_among_the_events() -> None:
    for kind in ("experienced", "new"):
        session = flairs_session(FlairsTask(ALL, 1, kind, 0))
        assert session.is_done
        assert all(event.action != "stop" for event in session.events)


# --- results ----------------------------------------------------------------------------------------------------------


def test_reported_figures_are_those_of_the_papers() -> None:
    figures = {each.key: (each.value, each.p) for each in FLAIRS.reported}
    assert figures["experienced/ffbm"] == (90.0, None)
    assert figures["new/constant"] == (44.0, None)
    assert figures["experienced-new"] == (31.0, None)
    assert figures["experienced/ffbm-fsm"] == (20.0, 0.0003)
    assert figures["new/constant-fsm"] == (-2.0, 0.66)
    assert len(figures) == 13
    second = {each.key: (each.value, each.p) for each in AIIDE.reported}
    assert second["first/trained-fsm"] == (12.0, 0.01)
    assert second["experimenter/trained"] == (87.0, None)
    assert second["later-first"] == (10.0, 0.01)


def test_the_plan_leaves_out_one_sentence_at_a_time_with_the_first_seeds() -> None:
    plan = plan_variants(FLAIRS, "both", (1, 2, 3), 2)
    assert plan[0] == (TEXT, ALL, (1, 2, 3))
    assert plan[1] == (USUAL, NONE, (1, 2, 3))
    assert [(name, ALL - sentences, seeds) for name, sentences, seeds in plan[2:]] == [
        (name, frozenset({name}), (1, 2)) for name in FLAIRS_SENTENCES
    ]


def test_a_result_has_every_reported_figure_with_its_verdict_and_the_changes_of_every_sentence() -> None:
    result = run_flairs_seeds(seeds=2, players=2, runs=2, ablation=1)
    said = json.loads(json.dumps(result.data))
    assert said["seeds"] == [1, 2]
    for name in (TEXT, USUAL):
        assert set(said["variants"][name]) == {each.key for each in FLAIRS.reported}
        assert {each["verdict"] for each in said["variants"][name].values()} == {"cannot be told"}  # two seeds only
        assert len(said["variants"][name]["new/ffbm-fsm"]["p"]) == 2
    assert set(said["changes"]) == set(FLAIRS_SENTENCES)
    assert set(said["changes"]["maze"]) == {"experienced/ffbm", "experienced/fsm", "experienced/constant"}
    assert set(said["changes"]["newcomers"]) == {"new/ffbm", "new/fsm", "new/constant"}
    assert result.warnings
    assert set(said["shown"][TEXT]) == set(FLAIRS.shown)
    figure = said["variants"][TEXT]["experienced/ffbm"]
    assert 0 <= min(figure["values"]) <= figure["mean"] <= max(figure["values"]) <= 100


@pytest.mark.slow
def test_the_second_study_over_seeds_has_every_reported_figure() -> None:
    result = run_aiide_seeds(rules="text", seeds=2, players=2, runs=1, returning=2)
    said = result.data["variants"][TEXT]
    assert set(said) == {each.key for each in AIIDE.reported}
    assert all(len(each["values"]) == 2 for each in said.values())


def test_several_jobs_do_not_change_runs() -> None:
    tasks = [FlairsTask(ALL, 3, kind, 0) for kind in ("experienced", "new")]
    assert list(parallel_map(play_flairs, tasks, jobs=2)) == [play_flairs(task) for task in tasks]


def test_a_figure_that_is_not_printed_cannot_be_told() -> None:
    from telos.studies.seeds import Measured

    assert judge(Reported("a", "b", None), Measured((1.0, 2.0, 3.0))).verdict == "cannot be told"
