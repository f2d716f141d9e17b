"""The second study: rounds are coded once, and any model can be trained on them and scored by them."""

import json
from random import Random

import pytest

from studies.scoring_plays import some_play
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition.files.load import create_recognizer, named_model
from telos.recognition.filtering import Reader
from telos.recognition.hindsight import LaggedReader
from telos.recognition.iohmm import IOHMM, copy_model
from telos.studies.gold.aiide import (
    LESSONS,
    WEIGHTS,
    Game,
    Subject,
    Update,
    by_lag,
    by_lessons,
    by_weight,
    charts,
    count_symbols,
    create_player,
    encode_session,
    first_of_each,
    run_study,
    score_model,
    tallies,
    train_model,
    weighted_counts,
    what_players_do,
)
from telos.studies.players import Phase, Session
from telos.studies.scoring import read

pytest.importorskip("scipy")
GOALS = ("explore", "level", "return")


def a_session(seed: int) -> Session:
    """Random keys, with goals as if they had been given: both rounds of them."""
    events: list[Event] = []
    truths: list[str | None] = []
    phases = []
    played = [event for event, _ in some_play(seed, 1_800, rules="aiide")]
    size = len(played) // 6
    for number in range(6):
        part, goal = played[number * size : (number + 1) * size], GOALS[number % 3]
        start = len(events)
        events += part
        truths += [goal] * len(part)
        phases.append(Phase(goal, "training" if number < 3 else "test", start, len(events), 300, True))
    return Session(tuple(events), tuple(truths), tuple(phases))


def a_game(seed: int) -> Game:
    """A game whose goals can be told by what is done: every goal has its own two symbols."""
    rng = Random(seed)

    def a_round() -> tuple[Update, ...]:
        found = []
        for number, goal in enumerate(GOALS):
            for step in range(40):
                case = 1 + number % 2 if step == 0 else 0
                found.append(Update(case, rng.choice([number, number, number + 3, 8]), goal))
        return tuple(found)

    training, test = a_round(), a_round()
    return Game(training, test, tuple(rng.choice(GOALS) for _ in test), 60.0)


@pytest.mark.parametrize("seed", range(3))
def test_a_coded_round_is_learned_and_scored_as_a_live_one(seed: int) -> None:
    session = a_session(seed)
    game = encode_session(session, Random(9))
    teacher = Reader(untrained())
    half = session.phases[3].start
    for event, truth in zip(session.events[:half], session.truths[:half], strict=True):
        assert truth is not None
        teacher.learn(event, truth)
    assert isinstance(teacher.model, IOHMM)
    model = train_model(game.training)
    assert model.counts.seen == teacher.model.counts.seen
    moments = list(zip(session.events[half:], session.truths[half:], strict=True))
    rules = named_model("aiide-fsm")
    machine = rules.recognizer(Random(9))  # type: ignore[union-attr]
    reading = read({"trained": Reader(teacher.model), "fsm": machine}, moments, clock="trained")
    assert score_model(model, game.test) == reading.tally("trained")
    assert game.fsm == reading.tally("fsm")


def test_lags_score_what_a_lagged_reader_answers() -> None:
    session = a_session(4)
    game = encode_session(session, Random(1))
    model, lag = train_model(game.training), 3
    late, half = LaggedReader(model, lag), session.phases[3].start
    answers, clock = [], Reader(model)
    for event in session.events[half:]:
        before = clock.updates
        clock.observe(event)
        said = late.observe(event).top
        if clock.updates > before:
            answers.append(said)
    truths = [update.truth for update in game.test]
    right = sum(a == b for a, b in zip(answers[lag:], truths, strict=False))
    (accuracy,) = by_lag([game])[lag]
    assert right <= accuracy * len(truths) <= right + lag  # the last updates have only what is left of the session


def test_models_trained_on_clear_rounds_are_right_untrained_are_not() -> None:
    games = [a_game(seed) for seed in range(4)]
    said = tallies(games, train_model(games[0].training))
    for each, game in zip(said, games, strict=True):
        assert list(each) == ["trained", "fsm", "experimenter", "stranger", "pooled", "personal", "itself"]
        assert min(each["trained"].accuracy, each["pooled"].accuracy, each["personal"].accuracy) > 0.8
        assert score_model(untrained(), game.test).accuracy < 0.6
    assert said[1]["stranger"] == score_model(train_model(games[2].training), games[1].test)
    assert said[3]["stranger"] == score_model(train_model(games[0].training), games[3].test)  # the last takes the first
    assert said[1]["experimenter"] == score_model(train_model(games[0].training), games[1].test)


def test_more_lessons_come_closer_to_the_whole_round() -> None:
    games = [a_game(seed) for seed in range(3)]
    accuracies = by_lessons(games)
    assert list(accuracies) == list(LESSONS)
    assert sum(accuracies[1]) < sum(accuracies[30])
    assert accuracies[100] == [score_model(train_model(game.training), game.test).accuracy for game in games]


def test_first_lessons_are_counted_by_goal() -> None:
    kept = first_of_each(a_game(1).training, 5)
    assert [update.truth for update in kept] == ["explore"] * 5 + ["level"] * 5 + ["return"] * 5


def test_lessons_of_a_first_run_count_by_their_weight() -> None:
    first, later = a_game(1), a_game(2)
    both = weighted_counts([(first.training, 0.5), (later.training, 1.0)])
    one, other = count_symbols(first.training), count_symbols(later.training)
    names = {name for counts in (one, other) for name in counts["level"]}
    for name in names:
        assert both["level"][name] == 0.5 * one["level"].get(name, 0) + other["level"].get(name, 0)
    accuracies = by_weight([(first, later)])
    assert list(accuracies) == list(WEIGHTS)
    assert accuracies[0.0] == [score_model(train_model(later.training), later.test).accuracy]
    kept = copy_model(untrained(), counts=count_symbols([*first.training, *later.training]))
    assert accuracies[1.0] == [score_model(kept, later.test).accuracy]


def test_charts_and_tables_cover_both_runs() -> None:
    firsts, later = [a_game(seed) for seed in range(2)], [a_game(seed) for seed in (7, 8)]
    rows = charts(firsts, list(zip(firsts, later, strict=True)), seed=1)
    assert [chart.key for row in rows for chart in row] == ["training", "first_lessons", "lag", "sensitivity"]
    grid = what_players_do(firsts, later)
    assert [name for name, _ in grid.rows][:2] == ["first run, explore", "first run, level"]
    assert all(sum(shares) == pytest.approx(1) for _, shares in grid.rows)


def test_who_comes_back_has_learned_and_the_experimenter_has_not() -> None:
    player, one, other = (
        create_player(Subject(2, 1)),
        create_player(Subject(0, 1, is_experimenter=True)),
        create_player(Subject(4, 1, is_experimenter=True)),
    )
    before = player.experience
    player.after_run()
    assert player.experience > before
    assert (one.experience, one.style) == (other.experience, other.style)
    assert (one.runs, other.runs) == (0, 4)


@pytest.mark.slow
def test_aiide_study_depends_on_its_seed_and_shows_published_figures() -> None:
    small = run_study(players=3, runs=2, returning=3, seed=2)
    said = json.loads(json.dumps(small.data))
    assert said == json.loads(json.dumps(run_study(players=3, runs=2, returning=3, seed=2, jobs=2).data))
    conditions = said["conditions"]
    assert conditions["first-time"]["trained"]["published"] == 66
    assert conditions["first-time"]["fsm"]["published"] == 54
    assert conditions["returning, first run"]["trained"]["published"] == 60
    assert conditions["returning, later run"]["experimenter"]["published"] == 63
    assert conditions["experimenter"]["trained"]["published"] == 87
    tested = {(test["condition"], test["a"], test["b"]): test["published_p"] for test in said["tests"]}
    assert tested["first-time", "trained", "fsm"] == 0.01
    assert tested["first-time", "trained", "experimenter"] == 0.18
    assert tested["returning", "later", "first"] == 0.01
    assert tested["returning, later run", "trained", "experimenter"] == 0.03


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, "at least 2 players and 1 run of the experimenter, got 1 and 12"),
        ({"runs": 0}, "got 40 and 0"),
        ({"players": 5, "returning": 6}, "at most all 5 players can come back, got 6"),
        ({"returning": 1}, "at least 2 and at most all 40 players can come back, got 1"),
        ({"seed": -1}, "zero or more, got -1"),
    ],
)
def test_bad_numbers_are_refused_before_anything_is_played(options: dict[str, int], message: str) -> None:
    with pytest.raises(TelosError, match=message):
        run_study(**options)


def untrained() -> IOHMM:
    reader = create_recognizer(named_model("aiide"))
    assert isinstance(reader, Reader)
    assert isinstance(reader.model, IOHMM)
    return reader.model
