"""Reading in bulk: the models of both papers, long games, crowds, and bad input."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from recognition.readings import flairs, play
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition import bulk
from telos.recognition.bulk.runner import split_players
from telos.recognition.ffbm import ConstantT
from telos.recognition.filtering import Reader
from telos.recognition.iohmm import IOHMM
from telos.recognition.recognizer import GoalModel

needs_numba = pytest.mark.skipif(not bulk.is_installed(), reason="no Numba")

STAY = [[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]]
LEAVE = [[0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]]
SEEN = [[0.8, 0.1, 0.1], [0.1, 0.6, 0.3], [0.1, 0.3, 0.6], [0.0, 0.0, 0.0]]


def three(**changed: Any) -> bulk.ModelArrays:
    parts: dict[str, Any] = {"goals": ["level", "explore", "town"], "transitions": [STAY, LEAVE], "likelihoods": SEEN}
    return bulk.ModelArrays(**{**parts, **changed})


def models() -> list[GoalModel]:
    return [flairs(), ConstantT.of(flairs()), IOHMM(counts={"level": {"swing": 7, "stop": 2}})]


@pytest.mark.parametrize("model", models(), ids=["ffbm", "constant-t", "iohmm"])
def test_the_models_of_both_papers_go_through_the_same_kernel(model: GoalModel) -> None:
    events = play(400, seed=3)
    coded = bulk.encode(model, events)
    found = bulk.filter(coded.model, coded.symbols, coded.inputs, offsets=coded.offsets, beliefs=True)
    reader = Reader(model)
    beliefs = []
    for event in events:
        before = reader.updates
        reader.observe(event)
        if reader.updates > before:
            beliefs.append(reader.chances)
    assert 0 < len(beliefs) == len(coded.rows) <= len(events)
    np.testing.assert_allclose(found.beliefs, beliefs, rtol=0, atol=1e-12)
    assert found.log_likelihoods[0] == pytest.approx(reader.log_likelihood, rel=1e-12)


def test_rows_say_which_events_counted() -> None:
    events = play(200, seed=5)
    coded = bulk.encode(flairs(), events)
    assert [row for row, event in enumerate(events) if event.context["cause"] != "tick"] == coded.rows.tolist()


def test_only_different_evidence_is_tabled() -> None:
    events = [Event("swing", {"monsters": 1, "x": float(at)}, time=at) for at in range(50)]
    coded = bulk.encode(flairs(), events)
    assert (coded.model.symbols, coded.model.inputs, len(coded.symbols)) == (1, 1, 50)


def test_no_events_are_no_players() -> None:
    coded = bulk.encode(flairs(), [])
    assert coded.players == ()
    for work in (bulk.filter, bulk.smooth, bulk.viterbi):
        first, *_ = work(coded.model, coded.symbols, coded.inputs, offsets=coded.offsets)
        assert len(first) == 0


def test_a_player_without_events_keeps_the_prior() -> None:
    model = three(prior=[0.5, 0.25, 0.25])
    found = bulk.filter(model, [0, 0], lengths=[0, 2, 0])
    assert found.beliefs[[0, 2]].tolist() == [[0.5, 0.25, 0.25]] * 2
    assert found.log_likelihoods[[0, 2]].tolist() == [0.0, 0.0]
    assert found.beliefs[1, 0] > 0.5


def test_impossible_event_is_ignored_and_counted() -> None:
    found = bulk.filter(three(), [0, 3, 3], [0, 0, 1], beliefs=True)
    assert found.ignored.tolist() == [2]
    np.testing.assert_allclose(found.beliefs[1], found.beliefs[0] @ np.array(STAY))
    np.testing.assert_allclose(found.beliefs[2], found.beliefs[1] @ np.array(LEAVE))
    assert found.log_likelihoods[0] == bulk.filter(three(), [0]).log_likelihoods[0]


def test_a_game_goes_on_where_it_stopped() -> None:
    rng = np.random.default_rng(1)
    symbols, inputs = rng.integers(0, 4, (20, 300)), rng.integers(0, 2, (20, 300))
    whole = bulk.filter(three(), symbols.ravel(), inputs.ravel(), lengths=[300] * 20)
    first = bulk.filter(three(), symbols[:, :90].ravel(), inputs[:, :90].ravel(), lengths=[90] * 20)
    rest = symbols[:, 90:].ravel(), inputs[:, 90:].ravel()
    then = bulk.filter(three(), *rest, lengths=[210] * 20, prior=first.beliefs)
    np.testing.assert_array_equal(whole.beliefs, then.beliefs)
    np.testing.assert_allclose(whole.log_likelihoods, first.log_likelihoods + then.log_likelihoods, rtol=1e-12)


@pytest.mark.parametrize("kind", ["uint8", "int8", "uint16", "int32", "uint32", "int64", "uint64"])
def test_any_whole_numbers_will_do(kind: str) -> None:
    symbols = np.random.default_rng(2).integers(0, 4, 100)
    expected = bulk.filter(three(), symbols, symbols % 2, beliefs=True).beliefs
    found = bulk.filter(three(), symbols.astype(kind), (symbols % 2).astype("uint16"), beliefs=True).beliefs
    np.testing.assert_array_equal(expected, found)


def test_more_than_256_symbols_are_allowed() -> None:
    rng = np.random.default_rng(8)
    rows = rng.random((300, 3))
    symbols, inputs = rng.integers(0, 300, 50), rng.integers(0, 2, 50).astype(np.uint8)
    found = bulk.filter(three(likelihoods=rows), symbols.astype(np.uint16), inputs).beliefs
    again = bulk.filter(three(likelihoods=rows[symbols]), np.arange(50), inputs).beliefs  # each with a row of its own
    np.testing.assert_array_equal(found, again)


def test_arrays_that_are_not_in_a_row_or_not_ours_to_change_will_do() -> None:
    symbols = np.random.default_rng(3).integers(0, 4, 200).astype(np.uint8)
    expected = bulk.filter(three(), symbols[::2].copy()).beliefs
    np.testing.assert_array_equal(bulk.filter(three(), symbols[::2]).beliefs, expected)
    locked = symbols[::2].copy()
    locked.flags.writeable = False
    np.testing.assert_array_equal(bulk.filter(three(), locked).beliefs, expected)


def test_beliefs_are_written_where_they_are_wanted() -> None:
    room = np.full((4, 3), np.nan)
    for work in (bulk.smooth, lambda *given, **said: bulk.filter(*given, **said, beliefs=True)):
        assert work(three(), [0, 1, 3, 2], out=room).beliefs is room
        np.testing.assert_array_equal(room, work(three(), [0, 1, 3, 2]).beliefs)


def test_given_priors_are_not_changed() -> None:
    prior = np.full((2, 3), 1 / 3)
    bulk.filter(three(), [0, 0], lengths=[1, 1], prior=prior)
    bulk.PlayersInBulk(three(), 2, prior=prior).update([0, 0])
    assert (prior == 1 / 3).all()


def test_a_model_that_has_learned_more_is_encoded_again() -> None:
    model, events = IOHMM(), [Event("swing", time=at) for at in range(5)]
    before = bulk.encode(model, events)
    for event in events:
        model.learn(event, "level")
    after = bulk.encode(model, events)
    assert not np.array_equal(before.model.likelihoods, after.model.likelihoods)


def long_game(steps: int) -> None:
    symbols = np.random.default_rng(4).integers(0, 3, steps).astype(np.uint8)
    model = three(likelihoods=[[each * 1e-3 for each in row] for row in SEEN])
    filtered, smoothed = bulk.filter(model, symbols), bulk.smooth(model, symbols)
    path = bulk.viterbi(model, symbols)
    assert filtered.ignored[0] == 0
    assert filtered.beliefs.sum() == pytest.approx(1.0, abs=1e-12)
    assert -20 * steps < path.log_likelihoods[0] < filtered.log_likelihoods[0] < -3 * np.log(10) * steps
    np.testing.assert_allclose(smoothed.beliefs.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(smoothed.beliefs[-1], filtered.beliefs[0], rtol=0, atol=1e-15)
    # The past is forgotten, so the end of a long game reads as if it had begun a little before.
    late = bulk.filter(model, symbols[-1000:])
    np.testing.assert_allclose(late.beliefs, filtered.beliefs, rtol=0, atol=1e-12)


@needs_numba
def test_a_hundred_thousand_steps_do_not_underflow() -> None:
    long_game(100_000)


@needs_numba
@pytest.mark.slow
def test_ten_million_steps_do_not_underflow() -> None:
    long_game(10_000_000)


@needs_numba
def test_a_million_players_are_updated_in_one_call() -> None:
    rng = np.random.default_rng(5)
    crowd = bulk.PlayersInBulk(three(), 1_000_000)
    symbols, inputs = rng.integers(0, 4, (3, 1_000_000)), rng.integers(0, 2, (3, 1_000_000))
    for seen, matrices in zip(symbols, inputs, strict=True):
        beliefs = crowd.update(seen, matrices)
    assert beliefs is crowd.beliefs
    np.testing.assert_allclose(beliefs.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    for player in (0, 499_999, 999_999):
        alone = bulk.filter(three(), symbols[:, player], inputs[:, player])
        np.testing.assert_array_equal(beliefs[player], alone.beliefs[0])
        assert crowd.ignored[player] == alone.ignored[0]


def test_a_player_named_twice_has_done_two_things() -> None:
    crowd = bulk.PlayersInBulk(three(), 3)
    crowd.update([0, 1], players=[2, 2])
    np.testing.assert_array_equal(crowd.beliefs[2], bulk.filter(three(), [0, 1]).beliefs[0])
    assert crowd.beliefs[0].tolist() == crowd.beliefs[1].tolist() == three().prior.tolist()
    assert crowd[2].top == "explore"


def test_players_can_be_forgotten() -> None:
    crowd = bulk.PlayersInBulk(three(), 3)
    crowd.update([0, 0, 3])
    crowd.reset([1, 2])
    assert crowd.beliefs[1].tolist() == three().prior.tolist()
    assert crowd.log_likelihoods.tolist()[1:] == [0.0, 0.0]
    assert crowd.ignored.tolist() == [0, 0, 0]
    assert crowd.beliefs[0, 0] > 0.5
    crowd.reset()
    assert crowd.beliefs.tolist() == [three().prior.tolist()] * 3


def test_blocks_cover_every_player_once() -> None:
    rng = np.random.default_rng(6)
    for count in (0, 1, 2, 50, 3000):
        for longest in (1, 5, 2000):
            offsets = np.concatenate([[0], np.cumsum(rng.integers(0, longest, count))]).astype(np.int64)
            bounds = split_players(offsets, 2)
            assert (bounds[0], bounds[-1]) == (0, count)
            assert bounds == sorted(bounds)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (lambda: three(goals=[]), "1 to 255 goals"),
        (lambda: three(transitions=[STAY[:2]]), "shape n × 3 × 3"),
        (lambda: three(transitions=[[[0.9, 0.05, 0.07], *STAY[1:]]]), "sums to 1.02"),
        (lambda: three(likelihoods=[[0.1, float("nan"), 0.2]]), "got nan"),
        (lambda: three(likelihoods=[[0.1, -0.5, 0.2]]), "got -0.5"),
        (lambda: three(likelihoods=[["often", 1, 1]]), "must be numbers"),
        (lambda: three(likelihoods=np.zeros((0, 3))), "must not be empty"),
        (lambda: three(likelihoods=[[1e200, 1, 1]]), "scale them down"),
        (lambda: three(prior=[0.5, 0.5, 0.5]), "sums to 1.5"),
        (lambda: bulk.filter(three(), [0, 4]), "symbols must be from 0 to 3"),
        (lambda: bulk.filter(three(), [0, -1]), "got -1"),
        (lambda: bulk.filter(three(), [0, 1], [0, 2]), "inputs must be from 0 to 1"),
        (lambda: bulk.filter(three(), [0, 1], [0]), "2 symbols and 1 inputs"),
        (lambda: bulk.filter(three(), [0.5, 1]), "integers, got float64"),
        (lambda: bulk.filter(three(), [[0, 1]]), "one flat array"),
        (lambda: bulk.filter(three(), [0, 1], lengths=[1]), "from 0 to 2"),
        (lambda: bulk.filter(three(), [0, 1], lengths=[3, -1]), "from 0 to 2"),
        (lambda: bulk.filter(three(), [0, 1], lengths=[1.0, 1.0]), "flat array of integers"),
        (lambda: bulk.filter(three(), [0, 1], lengths=[2], offsets=[0, 2]), "not both"),
        (lambda: bulk.filter(three(), [0, 1], offsets=[]), "nothing"),
        (lambda: bulk.filter(three(), [0, 1], prior=[0.5, 0.5]), "3 chances"),
        (lambda: bulk.filter(three(), [0, 1], prior=[0.5, 0.5, 0.5]), "sum to 1"),
        (lambda: bulk.filter(three(), [0, 1], threads=0), "at least 1, got 0"),
        (lambda: bulk.smooth(three(), [0, 1], out=np.zeros((3, 3))), "of shape \\(2, 3\\)"),
        (lambda: bulk.smooth(three(), [0, 1], out=np.zeros((2, 3), np.float32)), "64-bit floats"),
        (lambda: bulk.PlayersInBulk(three(), 0), "count"),
        (lambda: bulk.PlayersInBulk(three(), 2).update([0]), "each of 2 players, got 1"),
        (lambda: bulk.PlayersInBulk(three(), 2).update([0], players=[2]), "0 to 1, got 2"),
        (lambda: bulk.PlayersInBulk(three(), 2).update([0], players=[0.0]), "indices"),
        (lambda: bulk.encode(flairs(), [Event("swing", time=2), Event("stop", time=1)]), "time runs backwards"),
        (lambda: bulk.encode(flairs(), [Event("swong")]), "swong"),
    ],
)
def test_invalid_arguments_are_named(fault: Any, said: str) -> None:
    with pytest.raises(TelosError, match=said):
        fault()


def test_numba_is_loaded_only_when_something_is_compiled() -> None:
    code = (
        "import sys; from telos.recognition import bulk; m = bulk.ModelArrays('ab', [[[1, 0], [0, 1]]], [[1, 0]]);"
        "bulk.filter(m, [0], compiled=False); print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
