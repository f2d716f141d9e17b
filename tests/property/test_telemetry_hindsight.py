"""Laws of hindsight in columns: what is found in a whole log is what is found in the events of each session alone."""

from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telemetry import random_logs
from telemetry.random_logs import Row, batches, to_frame
from telos.recognition import (
    LaggedReader,
    StyleReader,
    UnknownGoalReader,
    calibrate_threshold,
    copy_model,
    find_story,
    find_surprises,
    fit_em,
)
from telos.recognition.em import EMOptions
from telos.recognition.player_models import outcomes_of, threshold_of
from telos.telemetry.bulk import cross_validate, evaluate_frame, hindsight, train_frame
from telos.telemetry.bulk.em import SessionCoder, train_unlabelled
from telos.telemetry.bulk.folds import FOLD, FoldDealer

seeds = st.integers(0, 10**9)
KINDS = {"ffbm": random_logs.ffbm, "iohmm": random_logs.iohmm}


def sequences(rows: list[Row]) -> dict[tuple[str, str], list[Any]]:
    found: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        found.setdefault((row.event.player, row.session), []).append(row.event)
    return found


def drawn(kind: str, seed: int) -> tuple[Any, list[Row], hindsight.Sessions]:
    rng = Random(seed)
    model = KINDS[kind](rng)
    rows = random_logs.log(rng, model.goals)
    return model, rows, hindsight.read_sessions(to_frame(rows), model)


def by_session(table: Any) -> dict[tuple[str, str], list[dict[str, Any]]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in table.to_dicts():
        found.setdefault((row.pop("player"), row.pop("session") or ""), []).append(row)
    return found


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=30)
@given(seed=seeds)
def test_stories_in_columns_are_those_of_each_session(kind: str, seed: int) -> None:
    model, rows, sessions = drawn(kind, seed)
    told = by_session(hindsight.find_stories(sessions))
    for key, events in sequences(rows).items():
        spans = find_story(model, events)
        mine = [
            tuple(each[name] for name in ("goal", "from", "to", "updates", "achieved")) for each in told.get(key, [])
        ]
        assert mine == [(span.goal, span.start, span.end, span.updates, span.achieved) for span in spans]
        assert [each["certainty"] for each in told.get(key, [])] == pytest.approx([span.certainty for span in spans])


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=30)
@given(seed=seeds, threshold=st.sampled_from([0.0, 0.2, 0.5]))
def test_surprises_in_columns_are_those_of_each_session(kind: str, seed: int, threshold: float) -> None:
    model, rows, sessions = drawn(kind, seed)
    told = by_session(hindsight.find_surprises(sessions, threshold=threshold))
    for key, events in sequences(rows).items():
        mine = [(each["from"], each["to"], each["thought"], each["was"]) for each in told.get(key, [])]
        theirs = find_surprises(model, events, threshold=threshold)
        if mine != [(each.start, each.end, each.thought, each.was) for each in theirs]:
            assert any(abs(each["amount"] - threshold) < 1e-9 for each in told.get(key, [])) or _is_tie(sessions)


def _is_tie(sessions: hindsight.Sessions) -> bool:
    """Whether two goals are as likely but for rounding somewhere, so that the likeliest is a matter of digits."""
    ordered = [np.sort(beliefs, axis=1) for beliefs in (sessions.live, sessions.smoothed)]
    return any(bool((each[:, -1] - each[:, -2] < 1e-9).any()) for each in ordered)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=30)
@given(seed=seeds, lag=st.integers(0, 6))
def test_lagged_beliefs_in_columns_are_those_of_live_readers(kind: str, seed: int, lag: int) -> None:
    model, rows, sessions = drawn(kind, seed)
    readers: dict[tuple[str, str], LaggedReader] = {}
    found = hindsight.read_lagged(sessions, lag)
    for mine, row in zip(found, rows, strict=True):
        reader = readers.setdefault((row.event.player, row.session), LaggedReader(model, lag))
        assert list(mine) == pytest.approx(list(reader.observe(row.event).values()), abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(seed=seeds)
def test_styles_in_columns_are_those_of_live_readers(seed: int) -> None:
    rng = Random(seed)
    model = random_logs.iohmm(rng)
    other = copy_model(model, counts={goal: {model.symbols.names[0]: 7.0} for goal in model.goals})
    rows = random_logs.log(rng, model.goals)
    models = {"one": model, "two": other}
    table = hindsight.compare_styles(
        {name: hindsight.read_sessions(to_frame(rows), each) for name, each in models.items()}
    )
    for told, events in zip(table.to_dicts(), sequences(rows).values(), strict=True):
        reader = StyleReader(models)
        for event in events:
            reader.observe(event)
        assert [told["one"], told["two"]] == pytest.approx(list(reader.belief.values()), abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(seed=seeds)
def test_styles_with_other_outcomes_in_columns_are_those_of_live_readers(seed: int) -> None:
    rng = Random(seed)
    model = random_logs.iohmm(rng)
    seen = {goal: {"close": rng.uniform(0, 9), "far": rng.uniform(0, 9)} for goal in model.goals}
    symbols = [("close", "near and wolves > 0"), ("far", None)]
    models = {"one": model, "two": copy_model(model, symbols=symbols, counts=seen, pseudo_counts=1.0)}
    rows = random_logs.log(rng, model.goals)
    read = {name: hindsight.read_sessions(to_frame(rows), each) for name, each in models.items()}
    table = hindsight.compare_styles(read, outcomes={name: len(outcomes_of(each)) for name, each in models.items()})
    for told, events in zip(table.to_dicts(), sequences(rows).values(), strict=True):
        reader = StyleReader(models)
        for event in events:
            reader.observe(event)
        assert [told["one"], told["two"]] == pytest.approx(list(reader.belief.values()), abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(seed=seeds, window=st.integers(1, 5))
def test_unknown_goals_in_columns_are_those_of_live_readers(seed: int, window: int) -> None:
    model, rows, sessions = drawn("iohmm", seed)
    played = sequences(rows)
    worst = hindsight.worst_windows(sessions, window)
    threshold = threshold_of(worst.tolist(), 0.5, window)
    assert threshold.value == pytest.approx(
        calibrate_threshold(model, list(played.values()), false_alarms=0.5, window=window).value
    )
    threshold = threshold_of([value - 1e-6 for value in worst], 0.5, window)  # away from ties
    told = by_session(hindsight.find_unknown(sessions, threshold))
    for key, events in played.items():
        reader, alarms = UnknownGoalReader(model, threshold), 0
        for event in events:
            before = reader.reader.updates
            reader.observe(event)
            alarms += reader.is_unknown and reader.reader.updates > before
        assert sum(each["updates"] for each in told.get(key, [])) == alarms


@settings(deadline=None, max_examples=25)
@given(seed=seeds)
def test_em_in_columns_is_em_on_the_events(seed: int) -> None:
    rng = Random(seed)
    model = random_logs.iohmm(rng)
    rows = random_logs.log(rng, model.goals)
    coder = SessionCoder(model)
    for batch in batches(rng, to_frame(rows)):
        coder.add(batch)
    coded = coder.sessions(np.ones(len(coder.players), np.bool_))
    if not coded.updates:
        return
    strength = None if model.learned is None else model.learned.strength
    theirs = fit_em(model, list(sequences(rows).values()), transitions=strength, rounds=4)
    mine = train_unlabelled([to_frame(rows)], model, options=EMOptions(transitions=strength, rounds=4), starts=1)
    if _counted(model):
        assert mine.result.log_likelihoods == pytest.approx(theirs.log_likelihoods, rel=1e-9)
    assert coded.expect(model).log_likelihood == pytest.approx(theirs.log_likelihoods[0], rel=1e-9)


def _counted(model: Any) -> bool:
    return any(count for row in model.counts.seen.values() for count in row.values())


@settings(deadline=None, max_examples=15)
@given(seed=seeds, folds=st.integers(2, 3), discount=st.sampled_from([1.0, 0.9]))
def test_cross_validation_trains_on_the_other_players_only(seed: int, folds: int, discount: float) -> None:
    rng = Random(seed)
    model = random_logs.iohmm(rng, discount=discount)
    frame = to_frame(random_logs.log(rng, model.goals))
    dealer = FoldDealer(folds, seed=3)
    dealt = frame.with_columns(pl.Series(FOLD, dealer.folds_of(frame["player"])))
    if dealer.players < folds or frame["truth"].null_count() == frame.height:
        return
    found = cross_validate(lambda: batches(Random(seed), frame), {"mine": model}, folds=folds, seed=3)["mine"]
    right = updates = 0
    for fold in range(folds):
        held, rest = dealt.filter(dealt[FOLD] == fold), dealt.filter(dealt[FOLD] != fold)
        if held["truth"].null_count() == held.height:
            continue
        trained = model if rest["truth"].null_count() == rest.height else train_frame(rest, model)
        score = evaluate_frame(held, {"mine": trained})["mine"]
        right += int(score.confusion.filter(score.confusion["truth"] == score.confusion["believed"])["updates"].sum())
        updates += score.updates
    assert found.updates == updates
    assert found.accuracy_of_updates == pytest.approx(right / max(1, updates))
