"""Corpora on a cluster: the rows, steps, labels, folds and statistics of one machine."""

import json
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from spark.logs import written
from telos.cli.main import app
from telos.core.errors import TelosError
from telos.core.values import FrozenMap
from telos.spark import prepare, to_polars
from telos.telemetry import corpus
from telos.telemetry.columns import Columns

COLUMNS = Columns(
    action="action",
    achieved="achieved",
    player="player",
    session="session",
    order="time",
    sort=True,
    features=FrozenMap({"near": "distance", "place": "place"}),
    bins=FrozenMap({"near": (0, 1, 3)}),
)


def table(seed: int, rows: int = 600) -> pl.DataFrame:
    rng = Random(seed)
    return pl.DataFrame(
        {
            "player": [f"p{rng.randrange(14)}" for _ in range(rows)],
            "session": [rng.choice(["a", "b"]) for _ in range(rows)],
            "time": [rng.randrange(40) for _ in range(rows)],  # with ties, and out of order
            "action": [rng.choice(["walk", "shop", "fish"]) for _ in range(rows)],
            "achieved": [rng.choice([None, None, None, "food", "gold"]) for _ in range(rows)],
            "distance": [rng.randrange(-1, 6) for _ in range(rows)],
            "place": [rng.choice(["lake", "town", ""]) for _ in range(rows)],
        }
    )


def test_a_corpus_of_a_cluster_is_that_of_one_machine(spark: Any, tmp_path: Path) -> None:
    folder = written(table(4), tmp_path / "log")
    files = sorted(Path(folder).glob("*.parquet"))
    local = corpus.prepare(pl.concat([pl.read_parquet(file) for file in files]), COLUMNS, folds=4, seed=9)
    found = prepare(spark.read.parquet(folder), COLUMNS, folds=4, seed=9)
    keys = ["player", "session", "step"]
    assert to_polars(found.frame).sort(keys).equals(local.frame.sort(keys))
    achieved = ["player", "session", "goal", "fold"]
    assert to_polars(found.achieved).sort(achieved).equals(local.achieved.select(achieved).sort(achieved))
    assert found.statistics() == local.statistics()
    found.release()


@pytest.mark.slow  # what it calls is tested above
def test_the_command_prints_and_writes_the_same(spark: Any, tmp_path: Path) -> None:
    folder = Path(written(table(4), tmp_path / "log"))
    both = pl.concat([pl.read_parquet(file) for file in sorted(folder.glob("*.parquet"))])
    both.write_parquet(tmp_path / "log.parquet")
    described = tmp_path / "game.yaml"
    described.write_text(
        "columns: game\nplayer: player\nsession: session\naction: action\nachieved: achieved\n"
        "time: {column: time, unit: 500 ms}\norder: {column: time, sort: true}\nfeatures: {place: place}\n"
    )
    words = ["corpus", "prepare", "--columns", str(described), "--folds", "3", "--json"]
    here = CliRunner().invoke(app, [*words, str(tmp_path / "log.parquet"), "-o", str(tmp_path / "here.parquet")])
    there = CliRunner().invoke(app, [*words, str(folder), "-o", str(tmp_path / "there"), "--engine", "spark"])
    assert (here.exit_code, there.exit_code) == (0, 0), there.output or there.exception
    local, found = (json.loads(each.stdout) for each in (here, there))
    assert local.pop("rows_of_the_log")["bad_rows"] == 0  # what one machine tells beside the corpus
    assert {**found, "log": "", "output": ""} == {**local, "log": "", "output": ""}
    keys = ["player", "session", "step"]
    written_there = pl.read_parquet(f"{tmp_path}/there/*.parquet").sort(keys)
    assert written_there.equals(pl.read_parquet(tmp_path / "here.parquet").sort(keys))


def test_tables_that_are_no_corpus_are_refused_as_on_one_machine(spark: Any, tmp_path: Path) -> None:
    good = table(5, 200)
    number = pl.int_range(pl.len())
    nobody = good.with_columns(player=pl.when(number == 130).then(None).otherwise("player"))
    without = good.with_columns(achieved=pl.lit(None, pl.String))
    for name, bad, said in (
        ("nobody", nobody, r"part-3.parquet: row 31: column 'player' says nothing"),
        ("without", without, "no action achieves a goal"),
    ):
        with pytest.raises(TelosError, match=said):
            prepare(spark.read.parquet(written(bad, tmp_path / name)), COLUMNS)
    frame = spark.read.parquet(written(good, tmp_path / "good"))
    with pytest.raises(TelosError, match="runs backwards for player"):
        prepare(frame, Columns(action="action", achieved="achieved", player="player", session="session", order="time"))
    with pytest.raises(TelosError, match="99 folds need as many players"):
        prepare(frame, COLUMNS, folds=99)
    with pytest.raises(TelosError, match="no column 'deed'"):
        prepare(frame, Columns(action="deed", achieved="achieved"))
