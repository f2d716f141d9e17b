"""The trained models that come along are what their command makes, and know more than before their lessons."""

import pytest

from telos.recognition.files.load import create_recognizer, loads_model, named_model
from telos.recognition.filtering import Reader
from telos.recognition.iohmm import IOHMM, copy_model
from telos.studies.players import EXPERIENCED, Player, play
from telos.studies.trained_models import COURSES, FLAIRS, Course, file_text, sessions, trained, untrained
from telos.worlds.adventure.adventure import Adventure


@pytest.mark.parametrize("course", COURSES, ids=lambda course: course.name)
def test_the_file_differs_from_the_untrained_model_by_its_counts_alone(course: Course) -> None:
    model = named_model(course.name)
    assert isinstance(model, IOHMM)
    assert copy_model(model, counts=None) == untrained(course)
    assert all(sum(row.values()) > 1000 for row in model.counts.seen.values())


def test_a_few_players_give_a_file_that_is_read_again_as_the_model() -> None:
    games = sessions(FLAIRS, players=1)
    model = trained(FLAIRS, games)
    lessons = sum(sum(row.values()) for row in model.counts.seen.values())
    reader, updates = Reader(untrained(FLAIRS)), 0
    for game in games:
        reader.reset()
        for event in game.events:
            reader.observe(event)
        updates += reader.updates
    assert lessons == updates
    text = file_text(FLAIRS, model, len(games))
    assert loads_model(text) == model
    assert "simulated players" in text


@pytest.mark.parametrize("course", COURSES, ids=lambda course: course.name)
def test_a_trained_model_foresees_a_new_player_better(course: Course) -> None:
    game = play(Adventure(course.rules, seed=77), Player(77, EXPERIENCED), max_frames=72_000)
    model = named_model(course.name)
    assert isinstance(model, IOHMM)
    before, after = Reader(untrained(course)), Reader(model)
    for event in game.events:
        before.observe(event)
        after.observe(event)
    assert after.log_likelihood > before.log_likelihood


@pytest.mark.parametrize("rules", ["flairs", "aiide"])
def test_four_recognisers_of_each_game_have_the_same_goals(rules: str) -> None:
    ffbm = "flairs" if rules == "flairs" else "aiide-ffbm"
    names = [f"{rules}-fsm", f"{rules}-constant", ffbm, f"{rules}-iohmm"]
    goals = [frozenset(create_recognizer(named_model(name)).goals) for name in names]
    assert set(goals) == {frozenset(Adventure(rules).rules.goals)}
