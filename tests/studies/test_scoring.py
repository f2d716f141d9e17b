"""Scoring counts, at each update of the clock, whether the likeliest goal is the true one: as an obvious count does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.scoring_plays import GOALS, some_play
from telos.core.errors import TelosError
from telos.recognition.ffbm import FFBM, ConstantT
from telos.recognition.files.load import create_recognizer, named_model
from telos.recognition.filtering import Reader
from telos.recognition.hindsight import LaggedReader, smooth
from telos.studies.scoring import SOON, changes, evidence_of, filtered_accuracy, lagged_accuracies, read, tally


def ffbm() -> FFBM:
    model = named_model("flairs")
    assert isinstance(model, FFBM)
    return model


@pytest.mark.parametrize("seed", range(4))
def test_methods_are_scored_at_the_updates_of_the_clock_and_nowhere_else(seed: int) -> None:
    moments = some_play(seed)
    methods = {"ffbm": Reader(ffbm()), "fsm": create_recognizer(named_model("flairs-fsm"), seed=seed)}
    reading = read(methods, moments, clock="ffbm")
    # The obvious count: ticks are no updates of this model, all else is.
    machine, reader, truths, tops = create_recognizer(named_model("flairs-fsm"), seed=seed), Reader(ffbm()), [], []
    for event, truth in moments:
        said, believed = machine.observe(event).top, reader.observe(event).top
        if event.context["cause"] != "tick" and truth is not None:
            truths.append(truth)
            tops.append((believed, said))
    assert reading.truths == tuple(truths)
    assert list(zip(reading.tops("ffbm"), reading.tops("fsm"), strict=True)) == tops
    right = sum(top == truth for (top, _), truth in zip(tops, truths, strict=True))
    assert reading.tally("ffbm").accuracy == right / len(truths)


@pytest.mark.parametrize("seed", range(3))
def test_filtering_alone_scores_a_model_as_its_reader_does(seed: int) -> None:
    moments = [(event, truth or "town") for event, truth in some_play(seed)]
    for model in (ffbm(), ConstantT.of(ffbm())):
        reading = read({"it": Reader(model)}, moments, clock="it")
        assert filtered_accuracy(model, moments) == reading.tally("it").accuracy


@given(st.lists(st.tuples(st.sampled_from(GOALS), st.sampled_from(GOALS)), min_size=1, max_size=60))
def test_a_tally_is_what_one_would_count_by_hand(pairs: list[tuple[str, str]]) -> None:
    truths, tops = [truth for truth, _ in pairs], [top for _, top in pairs]
    seen = tally(truths, tops)
    assert (seen.right, seen.updates) == (sum(a == b for a, b in pairs), len(pairs))
    for goal in set(truths):
        assert seen.by_goal[goal] == (sum(a == b == goal for a, b in pairs), truths.count(goal))
    since, soon, delays, waiting = None, [], [], False
    for now, (truth, top) in enumerate(pairs):
        if now and truths[now - 1] != truth:
            since, waiting = now, True
            delays.append(0)
        if since is not None and now - since < SOON:
            soon.append(truth == top)
        if waiting and truth == top:
            waiting = False
        elif waiting:
            delays[-1] += 1
    assert seen.soon == (sum(soon), len(soon))
    assert seen.delays == tuple(delays)
    assert len(changes(truths)) == len(delays)


def test_lag_zero_is_filtering_and_full_lag_is_smoothing() -> None:
    moments = [(event, truth or "town") for event, truth in some_play(5, 300)]
    model = ffbm()
    evidences, truths = evidence_of(model, moments)
    accuracies = lagged_accuracies(model, moments, lags=(0, len(truths)))
    assert accuracies[0] == filtered_accuracy(model, moments)
    whole = [model.goals[chances.index(max(chances))] for chances in smooth(model.prior, evidences)]
    assert accuracies[len(truths)] == sum(a == b for a, b in zip(whole, truths, strict=True)) / len(truths)


@pytest.mark.parametrize("lag", [1, 4])
def test_a_lag_scores_what_a_lagged_reader_answers(lag: int) -> None:
    moments = [(event, truth or "town") for event, truth in some_play(6, 300)]
    model, late = ffbm(), LaggedReader(ffbm(), lag)
    answers = [late.observe(event).top for event, _ in moments if event.context["cause"] != "tick"][lag:]
    evidences, truths = evidence_of(model, moments)
    tail = smooth(model.prior, evidences)[-lag:]  # the last updates have only what is left of the session
    answers += [model.goals[chances.index(max(chances))] for chances in tail]
    expected = sum(a == b for a, b in zip(answers, truths, strict=True)) / len(truths)
    assert lagged_accuracies(model, moments, lags=(lag,))[lag] == expected


def test_methods_without_a_clock_or_of_other_goals_are_refused() -> None:
    machine = create_recognizer(named_model("flairs-fsm"))
    with pytest.raises(TelosError, match="'fsm' has no clock to score by"):
        read({"fsm": machine}, [], clock="fsm")
    with pytest.raises(TelosError, match="same goals"):
        read({"a": Reader(ffbm()), "b": create_recognizer(named_model("aiide"))}, [], clock="a")


def test_nothing_to_score_is_said() -> None:
    with pytest.raises(TelosError, match="nothing to score"):
        read({"ffbm": Reader(ffbm())}, [(event, None) for event, _ in some_play(1, 50)], clock="ffbm")
    with pytest.raises(TelosError, match="nothing to score"):
        tally([], [])
