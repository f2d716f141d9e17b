"""The front door takes Spark frames too: the same words, and the same beliefs as for a frame of one machine."""

from typing import Any

import polars as pl
import pytest

import telos
from telos.recognition import loads_model

MODEL = "{recognizer: iohmm, goals: [fish, sell], observations: {casts: action == cast, other: true}}"


def test_spark_frames_are_routed_to_spark(spark: Any) -> None:
    rows = [
        (player, float(time), ["cast", "offer"][time % 2], ["fish", "sell"][time % 2])
        for player in "ab"
        for time in range(8)
    ]
    local = pl.DataFrame(rows, schema=["player", "time", "action", "truth"], orient="row")
    far = spark.createDataFrame(rows, ["player", "time", "action", "truth"])
    model = telos.train(loads_model(MODEL), far)
    assert model.counts.seen == telos.train(loads_model(MODEL), local).counts.seen
    found = telos.recognize(model, far)
    assert type(found).__module__.startswith("pyspark")
    beliefs = {(row["player"], row["time"]): row["fish"] for row in found.collect()}
    expected = telos.read_frame(local, model)
    for player, time, fish in expected.select("player", "time", "fish").rows():
        assert beliefs[player, time] == pytest.approx(fish, abs=1e-12)
    report = telos.evaluate([model], far)
    assert report["model 1"].accuracy == telos.evaluate([model], local)["model 1"].accuracy
    with pytest.raises(telos.TelosError, match="folds="):
        telos.evaluate([model], far, folds=2)
    with pytest.raises(telos.TelosError, match="sort="):
        telos.recognize(model, far, sort=True)
