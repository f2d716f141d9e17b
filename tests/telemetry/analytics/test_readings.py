"""Readings of whole sessions equal those of the functions for one player; large logs are dealt into files."""

from itertools import groupby
from random import Random

import polars as pl
import pytest

from telos import Event
from telos.recognition import loads_model
from telos.recognition.filtering import counted_evidence, forward
from telos.recognition.hindsight import belief_distance, smooth
from telos.telemetry.analytics import find_readings, whole_sessions

MODEL = loads_model("""
recognizer: ffbm
goals: [level, town]
actions: [swing, stop]
context: {}
transitions: {lasts: 10 updates}
outcomes: {swung: action == swing, other: true}
observations: {level: {swung: 0.9, other: 0.1}, town: {swung: 0.1, other: 0.9}}
""")


def random_log(rng: Random, players: int, events: int) -> pl.DataFrame:
    rows = [
        (f"p{rng.randrange(players)}", f"s{rng.randrange(2)}", float(time), rng.choice(["swing", "stop"]), rng.random())
        for time in range(events)
    ]
    return pl.DataFrame(rows, schema=["player", "session", "time", "action", "x"], orient="row")


def test_readings_equal_smoothing_player_by_player() -> None:
    log = random_log(Random(1), players=4, events=120)
    found = find_readings(log, MODEL, keep=["x"])
    rows = found.rows(named=True)
    for (player, session), group in groupby(rows, key=lambda row: (row["player"], row["session"])):
        mine = list(group)
        own = log.filter(pl.col("player") == player, pl.col("session") == session).rows(named=True)
        assert [row["x"] for row in mine] == [row["x"] for row in own]
        evidence = [
            each for _, each in counted_evidence(MODEL, [Event(row["action"], time=row["time"]) for row in own])
        ]
        late, live = smooth(MODEL.prior, evidence), [after for _, after, _ in forward(MODEL.prior, evidence)]
        for row, smoothed, filtered in zip(mine, late, live, strict=True):
            assert row["certainty"] == pytest.approx(max(smoothed), abs=1e-12)
            assert row["read"] == MODEL.goals[smoothed.index(max(smoothed))]
            assert row["surprise"] == pytest.approx(belief_distance(filtered, smoothed), abs=1e-12)


@pytest.mark.parametrize("rows_at_once", [10_000, 100, 30, 1])
def test_whole_sessions_keep_every_row_and_player_together(rows_at_once: int) -> None:
    log = random_log(Random(2), players=9, events=300)
    batches = [log.slice(start, 37) for start in range(0, 300, 37)]
    frames = list(whole_sessions(batches, rows_at_once=rows_at_once))
    assert pl.concat(frames).sort("time").equals(log)
    for player in log["player"].unique():
        holders = [frame for frame in frames if player in frame["player"]]
        assert len(holders) == 1
        assert holders[0].filter(pl.col("player") == player)["time"].is_sorted()
    assert (len(frames) == 1) == (rows_at_once >= log.height)
