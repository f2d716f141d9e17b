"""The tutorial: the companion learns from what the player does while the game says what the goal is."""

import json

import pytest

from telos.core.errors import DefinitionError, TelosError
from telos.recognition import IOHMM, Reader, loads_model
from telos.studies.players import EXPERIENCED, Player, play
from telos.worlds.adventure.adventure import Adventure, replay_frames
from telos.worlds.adventure.recognizer import load_model_text
from telos.worlds.adventure.recording import loads_recording, recording_text
from telos.worlds.adventure.rules_file import DATA, load_rules, parse_rules


def learned_game(seed: int = 3, frames: int = 1200, **options: object) -> Adventure:
    game = Adventure("tutorial", seed=seed, **options)  # type: ignore[arg-type]
    play(game, Player(seed, EXPERIENCED), max_frames=frames)
    return game


def test_the_companion_learns_while_the_game_says_the_goal() -> None:
    game = learned_game()
    reading = game.reading
    assert reading is not None
    assert reading.learned > 50
    assert set(filter(None, reading.lessons)) <= set(game.rules.goals)
    assert reading.learned == sum(
        count
        for row in reading.recognizer.model.counts.seen.values()
        for count in row.values()  # type: ignore[attr-defined]
    )


def test_what_it_learned_is_what_counting_the_events_gives() -> None:
    game = learned_game()
    assert game.reading is not None
    model = loads_model(load_model_text("wilds-learner"))
    assert isinstance(model, IOHMM)
    reader = Reader(model)
    for event, lesson in zip(game.reading.heard, game.reading.lessons, strict=True):
        reader.observe(event)
        if lesson is not None:
            reader.learn(event, lesson)
    again = loads_model(game.reading.model_text())
    assert isinstance(again, IOHMM)
    assert again.counts.seen == model.counts.seen
    assert dict(reader.belief) == dict(game.belief or {})


def test_a_belief_never_knows_the_lesson_beforehand() -> None:
    game, other = learned_game(frames=1), learned_game(frames=1)
    assert game.reading is not None
    assert other.reading is not None
    heard = learned_game(frames=200).reading
    assert heard is not None
    event = heard.heard[0]
    game.reading.observe(event, "level")
    other.reading.observe(event, "town")
    assert dict(game.reading.belief) == dict(other.reading.belief)


def test_the_next_game_goes_on_with_what_was_learned() -> None:
    first = learned_game()
    assert first.reading is not None
    free = Adventure("tutorial", directed=False, seed=4, model=first.reading.model_text())
    assert free.reading is not None
    assert free.reading.learned == first.reading.learned
    play(free, Player(4, EXPERIENCED), max_frames=300)
    assert free.lesson is None, "nobody says what the goal is"
    assert free.reading.learned == first.reading.learned
    second = learned_game(seed=5, frames=300, model=first.reading.model_text())
    assert second.reading is not None
    assert second.reading.learned > first.reading.learned


def test_recordings_and_saved_games_have_what_was_learned() -> None:
    model = learned_game(frames=600).reading
    assert model is not None
    game = learned_game(seed=6, frames=700, model=model.model_text())
    recording = loads_recording(recording_text(game.recording()))
    *_, last = replay_frames(recording)
    assert last.reading is not None
    assert game.reading is not None
    assert last.reading.model_text() == game.reading.model_text()
    assert last.reading.lessons == game.reading.lessons
    assert last.view() == game.view()
    again = Adventure("tutorial", seed=6, model=model.model_text())
    again.restore(json.loads(json.dumps(game.save())))
    assert again.reading is not None
    assert again.reading.model_text() == game.reading.model_text()
    saved = json.loads(json.dumps(game.save()))
    saved["reading"]["lessons"].pop()
    with pytest.raises(TelosError, match="not one for each event"):
        again.restore(saved)


def test_another_model_is_taught_the_same_lessons() -> None:
    game = learned_game(frames=600)
    assert game.reading is not None
    learned = game.reading.learned
    game.use(load_model_text("wilds-learner"))
    assert game.reading.learned == learned
    game.use(load_model_text("wilds"))
    assert game.reading.learned == 0, "it is written by hand"


def test_only_trained_recognisers_can_learn() -> None:
    text = (DATA / "tutorial.yaml").read_text(encoding="utf-8").replace("wilds-learner", "wilds")
    with pytest.raises(DefinitionError, match="'wilds' is written by hand and learns nothing"):
        parse_rules(text)


def test_games_that_learn_have_other_rules_than_those_that_do_not() -> None:
    assert load_rules("tutorial").fingerprint != load_rules("wilds").fingerprint
    assert Adventure("wilds").lesson is None
