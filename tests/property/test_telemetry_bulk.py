"""Laws of reading logs in columns: any model, any log, any batches, and always what one event at a time gives."""

from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telemetry import random_logs
from telemetry.random_logs import MODELS, Row, batches, to_frame
from telos.recognition import EventGate, Reader, create_recognizer, load_model, save_model
from telos.recognition.em import EMOptions
from telos.telemetry.bulk import (
    BeliefReader,
    Evaluation,
    ScoreCounts,
    TrainingCounts,
    merge_counts,
    merge_scores,
    train_batches,
    trained_model,
)
from telos.telemetry.bulk.em import train_unlabelled

seeds = st.integers(0, 10**9)


def live_beliefs(model: Any, rows: list[Row]) -> list[list[float]]:
    """Return the belief after each row, by one recogniser for each player and session."""
    readers: dict[tuple[str, str], Any] = {}
    found = []
    for row in rows:
        key = (row.event.player, row.session)
        reader = readers.setdefault(key, create_recognizer(model))
        found.append(list(reader.observe(row.event).values()))
    return found


@pytest.mark.parametrize("kind", MODELS)
@settings(deadline=None, max_examples=40)
@given(seed=seeds)
def test_beliefs_in_columns_are_those_of_live_recognisers(kind: str, seed: int) -> None:
    rng = Random(seed)
    model = MODELS[kind](rng)
    rows = random_logs.log(rng, model.goals)
    reader = BeliefReader(model)
    found = pl.concat([reader.read(batch) for batch in batches(rng, to_frame(rows))])
    assert found["player"].to_list() == [row.event.player for row in rows]
    for mine, theirs in zip(found.select(model.goals).rows(), live_beliefs(model, rows), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-12, rel=0)


@pytest.mark.parametrize("kind", MODELS)
@settings(deadline=None, max_examples=30)
@given(seed=seeds)
def test_a_saved_state_continues_the_log(kind: str, seed: int) -> None:
    rng = Random(seed)
    model = MODELS[kind](rng)
    frame = to_frame(random_logs.log(rng, model.goals))
    cut = rng.randint(0, frame.height)
    whole = BeliefReader(model).read(frame)
    first = BeliefReader(model)
    begun = first.read(frame[:cut])
    rest = BeliefReader(model, state=first.state).read(frame[cut:])
    assert pl.concat([begun, rest]).equals(whole)


def live_training(model: Any, rows: list[Row]) -> None:
    gates: dict[tuple[str, str], tuple[EventGate, list[str | None]]] = {}
    for row in rows:
        gate, before = gates.setdefault((row.event.player, row.session), (EventGate(model), [None]))
        counted = gate.admit(row.event)
        if counted is None:
            continue
        if row.truth is not None:
            model.learn(counted, row.truth, before[0])
        before[0] = row.truth


def counts_of(model: Any) -> Any:
    return model.counts.seen, {} if model.learned is None else model.learned.seen


@settings(deadline=None, max_examples=40)
@given(seed=seeds, discount=st.sampled_from([1.0, 1.0, 0.9]))
def test_training_in_columns_is_counting_one_event_at_a_time(seed: int, discount: float) -> None:
    rng = Random(seed)
    model = random_logs.iohmm(rng, discount=discount)
    rows = [*random_logs.log(rng, model.goals), *[]]
    if all(row.truth is None for row in rows):
        return
    trained = train_batches(batches(rng, to_frame(rows)), model)
    live_training(model, rows)
    for mine, theirs in zip(counts_of(trained), counts_of(model), strict=True):
        assert mine.keys() == theirs.keys()
        for goal, counts in theirs.items():
            assert mine[goal] == pytest.approx(counts, rel=1e-12)


@settings(deadline=None, max_examples=30)
@given(seed=seeds, discount=st.sampled_from([1.0, 0.9]))
def test_counts_of_players_add_up_to_those_of_the_log(seed: int, discount: float) -> None:
    rng = Random(seed)
    model = random_logs.iohmm(rng, discount=discount)
    frame = to_frame(random_logs.log(rng, model.goals)).sort("player", maintain_order=True)
    parts = []
    for part in [frame, *frame.partition_by("player", maintain_order=True)]:
        counts = TrainingCounts(model)
        counts.count(part)
        parts.append(counts.table)
    whole, merged = trained_model(model, parts[0]), trained_model(model, merge_counts(parts[1:], model))
    for mine, theirs in zip(counts_of(merged), counts_of(whole), strict=True):
        assert mine.keys() == theirs.keys()
        for goal, counted in theirs.items():
            assert mine[goal] == pytest.approx(counted, rel=1e-12)


def live_scores(models: dict[str, Any], rows: list[Row]) -> dict[str, list[tuple[str, str, str]]]:
    """Return player, truth and likeliest goal at each update of the first model with a clock."""
    readers: dict[tuple[str, str], dict[str, Any]] = {}
    found: dict[str, list[tuple[str, str, str]]] = {name: [] for name in models}
    for row in rows:
        mine = readers.setdefault(
            (row.event.player, row.session), {name: create_recognizer(model) for name, model in models.items()}
        )
        clocked = next((reader for reader in mine.values() if isinstance(reader, Reader)), None)
        before = 0 if clocked is None else clocked.updates
        beliefs = {name: reader.observe(row.event) for name, reader in mine.items()}
        is_update = clocked is None or clocked.updates > before
        for name, belief in beliefs.items():
            if is_update and row.truth is not None:
                found[name].append((row.event.player, row.truth, belief.top))
    return found


@settings(deadline=None, max_examples=40)
@given(seed=seeds)
def test_scores_in_columns_are_those_of_live_recognisers(seed: int) -> None:
    rng = Random(seed)
    models: dict[str, Any] = {kind: MODELS[kind](rng) for kind in rng.sample(list(MODELS), rng.randint(1, 3))}
    goals = min((model.goals for model in models.values()), key=len)
    rows = random_logs.log(rng, goals)
    counts = ScoreCounts(models)
    for batch in batches(rng, to_frame(rows)):
        counts.count(batch)
    for name, scored in live_scores(models, rows).items():
        mine = Evaluation(name, counts.table)
        assert mine.updates == len(scored)
        cells: dict[tuple[str, str], int] = {}
        for _, truth, believed in scored:
            cells[truth, believed] = cells.get((truth, believed), 0) + 1
        assert {(row[0], row[1]): row[2] for row in mine.confusion.rows()} == cells
        right = {player: [t == b for who, t, b in scored if who == player] for player, _, _ in scored}
        assert {row[0]: row[1] for row in mine.players.rows()} == pytest.approx(
            {player: sum(each) / len(each) for player, each in right.items()}
        )


@settings(deadline=None, max_examples=20)
@given(seed=seeds)
def test_scores_of_players_add_up_to_those_of_the_log(seed: int) -> None:
    rng = Random(seed)
    model = random_logs.iohmm(rng)
    frame = to_frame(random_logs.log(rng, model.goals))
    tables = []
    for part in [frame, *frame.partition_by("player")]:
        counts = ScoreCounts({"mine": model})
        counts.count(part)
        tables.append(counts.table)
    whole, merged = Evaluation("mine", tables[0]), Evaluation("mine", merge_scores(tables[1:]))
    assert whole.players.equals(merged.players)
    assert whole.confusion.equals(merged.confusion)
    assert whole.log_loss == pytest.approx(merged.log_loss)
    assert whole.brier_score == pytest.approx(merged.brier_score)


# Trained models


@settings(deadline=None, max_examples=60)
@given(seed=seeds, discount=st.sampled_from([1.0, 0.9]), unlabelled=st.booleans())
def test_every_trained_model_loads_and_believes_the_same(
    seed: int, discount: float, unlabelled: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever model was trained on whatever log, by counting or without labels: its file is fine, and is the model."""
    rng = Random(seed)
    model = random_logs.iohmm(rng, discount=discount)
    frame = to_frame(random_logs.log(rng, model.goals))
    file = tmp_path_factory.mktemp("trained") / "trained.yaml"
    if unlabelled:
        trained = train_unlabelled([frame], model, starts=1, seed=seed % 1000, options=EMOptions(rounds=2)).model
    elif frame["truth"].null_count() == frame.height:
        return
    else:
        trained = train_batches([frame], model)
    save_model(trained, file)
    loaded = load_model(file)
    assert loaded.goals == trained.goals
    one, other = (BeliefReader(each).read(frame).select(trained.goals) for each in (loaded, trained))
    for mine, theirs in zip(one.rows(), other.rows(), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-12, rel=0)
