"""Corpora do not depend on how they are made, and are close to the published counts."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest

from telos.core.errors import TelosError
from telos.worlds.island.playthrough import IslandRecording, record_player, record_players
from telos.worlds.island.story import GOALS

# Tables 3 and 4 of the chapter: per cent of 893 goals, reached by 137 players with 77,182 actions.
PUBLISHED = {
    "talk-nurse": 6.4, "talk-patient": 11.0, "talk-virus-expert": 11.2, "talk-bacteria-expert": 12.5,
    "talk-cook": 15.2, "submit-diagnosis": 17.1, "test-contaminated": 26.6,
}  # fmt: skip


def prepared(games: Sequence[IslandRecording]) -> tuple[int, Counter[str]]:
    """Count as the chapter does: actions up to the last goal, without those that achieve one; and the goals."""
    goals: Counter[str] = Counter()
    actions = 0
    for game in games:
        achieved = [number for number, event in enumerate(game.events) if event.goal]
        goals.update(game.events[number].goal or "" for number in achieved)
        actions += achieved[-1] + 1 - len(achieved) if achieved else 0
    return actions, goals


def test_corpus_does_not_depend_on_number_of_jobs() -> None:
    alone, shared = record_players(5, seed=4), record_players(5, seed=4, jobs=2)
    assert alone == shared
    assert alone[3] == record_player(3, seed=4)
    assert len({game.events for game in alone}) == 5


def test_progress_is_reported_per_game() -> None:
    told: list[tuple[int, int]] = []
    record_players(3, seed=1, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_recording_holds_one_event_per_action_in_time_order() -> None:
    game = record_player(0, seed=9)
    times = [event.time for event in game.events]
    assert times == sorted(times)
    assert times[-1] < 3600 + 60
    assert {event.player for event in game.events} == {game.player}
    assert len(game.intentions) == len(game.events)
    assert game.solved == (game.events[-1].goal == "submit-diagnosis")


def test_tests_need_a_test_and_milestones_are_never_lost() -> None:
    for game in record_players(6, seed=12):
        states = [str(event.context["state"]) for event in game.events]
        assert all(a <= b for one, two in pairwise(states) for a, b in zip(one, two, strict=True))
        assert all(event.context["tests"] >= (event.action == "test-object") for event in game.events)


@pytest.mark.parametrize(("players", "jobs"), [(0, 1), (-1, 1), (True, 1), (2.5, 1), (3, 0), (3, None)])
def test_invalid_numbers_are_rejected(players: object, jobs: object) -> None:
    with pytest.raises(TelosError, match="at least 1"):
        record_players(players, seed=1, jobs=jobs)  # type: ignore[arg-type]


def test_small_corpus_contains_all_goals() -> None:
    actions, goals = prepared(record_players(20, seed=1))
    assert set(goals) == set(GOALS)
    assert 60 < actions / goals.total() < 120


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "margin"), [(1, 0.03), (2, 0.10), (3, 0.10)])
def test_corpus_of_137_players_is_close_to_published_counts(seed: int, margin: float) -> None:
    games = record_players(137, seed=seed)
    actions, goals = prepared(games)
    assert actions == pytest.approx(77_182, rel=margin)
    assert goals.total() == pytest.approx(893, rel=margin)
    assert actions / goals.total() == pytest.approx(86.4, rel=margin)
    for goal, share in PUBLISHED.items():
        assert 100 * goals[goal] / goals.total() == pytest.approx(share, abs=3.0)
    assert sum(game.solved for game in games) < 137 / 2
