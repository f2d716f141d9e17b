"""Laws of measures: columns agree with live readers, which agree with Bayes' rule written out with scipy."""

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telemetry.measured_logs import FFBM_TEXT, IOHMM_TEXT, TEXTS, draw_frame
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.recognition import Reader, copy_model, fit_em, loads_model
from telos.recognition.em import EMOptions
from telos.telemetry.bulk import BeliefReader, read_frame, train_frame
from telos.telemetry.bulk.em import SessionCoder
from telos.telemetry.bulk.hindsight import read_sessions
from telos.telemetry.bulk.live import LiveReader
from telos.telemetry.bulk.training import train_batches

scipy_stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize("kind", TEXTS)
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**9))
def test_columns_are_what_live_readers_say(kind: str, seed: int) -> None:
    model, frame = loads_model(TEXTS[kind]), draw_frame(seed)
    live, _ = LiveReader(model).beliefs(frame.with_columns(session=pl.lit("")))
    bulk = read_frame(frame, model)
    assert np.abs(bulk.select("a", "b", "c").to_numpy() - live).max() < 1e-12
    halves = [frame[:30], frame[30:]]
    reader = BeliefReader(model)
    parts = np.concatenate([reader.read(half).select("a", "b", "c").to_numpy() for half in halves])
    assert np.abs(parts - live).max() < 1e-12


def oracle_density(goal: str, row: dict[str, Any], quick: bool) -> float:
    """The product of densities, from scipy, as the file says it."""
    found = 0.0
    if row["speed"] is not None and quick:
        mean, deviation = {"a": (2, 1), "b": (5, 1.5), "c": (1, 2)}[goal]
        gamma = scipy_stats.gamma((mean / deviation) ** 2, scale=deviation**2 / mean)
        found += max(-50.0, gamma.logpdf(max(row["speed"], 0.005)))
    if row["height"] is not None:
        found += max(
            -50.0,
            scipy_stats.norm(4, 1).logpdf(row["height"])
            if goal == "b"
            else scipy_stats.norm(0, 3).logpdf(row["height"]),
        )
    if row["heading"] is not None:
        angle = math.radians(row["heading"])
        if goal == "c":
            found += scipy_stats.vonmises(1, loc=math.pi / 2).logpdf(angle) + math.log(math.pi / 180)
        elif goal == "a" and row["door"] is not None:
            there = math.radians(10 + row["door"])
            found += scipy_stats.vonmises(3, loc=there).logpdf(angle) + math.log(math.pi / 180)
        else:
            found -= math.log(360)
    return math.exp(found)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10**9))
def test_a_reader_follows_bayes_rule(seed: int) -> None:
    model = loads_model(FFBM_TEXT)
    frame = draw_frame(seed, 12).with_columns(player=pl.lit("ann"), cause=pl.lit("input"))
    reader, belief = Reader(model), dict.fromkeys("abc", 1 / 3)
    for row in frame.iter_rows(named=True):
        said = {name: row[name] for name in ("speed", "height", "heading", "door", "quick", "chest_taken")}
        said = {name: value for name, value in said.items() if value is not None}
        reader.observe(Event(row["action"], said, time=row["time"], player="ann"))
        moved = {}
        for to in "abc":
            stay = {(one, to): 7 / 8 if one == to else 1 / 16 for one in "abc"}
            if row["chest_taken"]:
                stay = {(one, to): 0.6 if to == "a" else 0.2 for one in "abc"}
            hit = {"a": 0.7, "b": 0.4, "c": 0.1}[to]
            outcome = hit if row["action"] == "hit" else 1 - hit
            moved[to] = (
                sum(belief[one] * stay[one, to] for one in "abc") * outcome * oracle_density(to, row, row["quick"])
            )
        total = sum(moved.values())
        belief = {goal: value / total for goal, value in moved.items()}
        assert dict(reader.belief) == pytest.approx(belief, rel=1e-8, abs=1e-12)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10**9), discount=st.sampled_from([1.0, 0.9]))
def test_training_in_columns_is_that_of_lessons(seed: int, discount: float) -> None:
    model, frame = copy_model(loads_model(IOHMM_TEXT), discount=discount), draw_frame(seed)
    if frame["truth"].null_count() == frame.height:
        return
    taught, readers = copy_model(model), dict[str, Reader]()
    for row in frame.iter_rows(named=True):
        names = ("cause", "speed", "height", "heading", "door", "quick", "chest_taken")
        event = Event(
            row["action"],
            {name: row[name] for name in names if row[name] is not None},
            time=row["time"],
            player=row["player"],
        )
        reader = readers.setdefault(row["player"], Reader(taught))
        counted = reader._lesson_gate.admit(event)  # every event is seen, as a log has them all
        if counted is not None and row["truth"] is not None:
            taught.learn(counted, row["truth"])
    for found in (train_frame(frame, model), train_batches([frame[:17], frame[17:]], model)):
        for measure in ("speed", "height", "heading"):
            for goal, sums in taught.measures.seen.get(measure, {}).items():
                assert found.measures.seen[measure][goal] == pytest.approx(sums, rel=1e-9, abs=1e-9)


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 10**9))
def test_expected_sums_in_columns_are_those_of_events(seed: int) -> None:
    model, frame = loads_model(IOHMM_TEXT), draw_frame(seed).sort("player", maintain_order=True)
    coder = SessionCoder(model)
    coder.add(frame)
    expected = coder.sessions(np.ones(len(coder.players), np.bool_)).expect(model)
    sessions = []
    for part in frame.partition_by("player", maintain_order=True):
        names = ("cause", "speed", "height", "heading", "door", "quick", "chest_taken")
        sessions.append(
            [
                Event(
                    row["action"],
                    {name: row[name] for name in names if row[name] is not None},
                    time=row["time"],
                    player=row["player"],
                )
                for row in part.iter_rows(named=True)
            ]
        )
    slow = fit_em(model, sessions, anchored=0, rounds=1)
    assert expected.log_likelihood == pytest.approx(slow.log_likelihoods[0], rel=1e-9)
    for measure, rows in slow.model.measures.seen.items():
        for goal, sums in rows.items():
            assert expected.measured.seen[measure][goal] == pytest.approx(sums, rel=1e-7, abs=1e-7)
    assert EMOptions().rounds == 50


def test_hindsight_reads_measures_too() -> None:
    model, frame = loads_model(FFBM_TEXT), draw_frame(3)
    sessions = read_sessions(frame, model)
    assert np.allclose(sessions.live.sum(axis=1), 1)
    assert (sessions.likelihoods > 0).all()
    assert np.allclose(sessions.smoothed.sum(axis=1), 1)


@pytest.mark.parametrize(("value", "row"), [(math.nan, 5), (math.inf, 7), (-0.5, 9)])
def test_a_wrong_value_is_refused_with_its_row_and_column(value: float, row: int) -> None:
    frame = draw_frame(1).with_row_index("n")
    speed = pl.when(pl.col("n") == row - 1).then(value).otherwise(pl.col("speed").clip(0))
    frame = frame.with_columns(speed=speed).drop("n")
    with pytest.raises(TelosError, match=f"row {row}: column 'speed' holds {value}"):
        read_frame(frame, loads_model(FFBM_TEXT))


def test_a_missing_column_is_refused() -> None:
    with pytest.raises(TelosError, match="there is no column 'height'"):
        read_frame(draw_frame(1).drop("height"), loads_model(FFBM_TEXT))
