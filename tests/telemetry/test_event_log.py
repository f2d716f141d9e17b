"""Logs of any layout as canonical columns: formats, frames, faults of rows, order, duplicates, bounded sorting."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.recognition.files.load import named_model
from telos.telemetry import Columns, RowFault, loads_columns, open_log, return_like
from telos.telemetry.bulk import BeliefReader, LiveReader
from telos.telemetry.fields import Fields
from telos.telemetry.ordering import sort_rows

FARM = loads_columns("""\
columns: farm
time: ts
player: user
session: sid
action: event
achieved: {actions: {win: harvest}}
context:
  near: {column: params.near_water, type: bool}
  hp: int
  low: {value: hp / 10 < 0.5, type: bool}
  weather: {column: params.weather, type: [sun, rain]}
""")
NAMES = ("ts", "user", "sid", "event", "hp", "params")
ROWS = [
    (
        f"2026-03-01T12:{i // 60:02}:{i % 60:02}Z",
        f"p{i // 40}",
        f"s{i // 20 % 2}",
        ("walk", "water", "win")[i % 3],
        str(i % 10),
        {"near_water": i % 2 == 0, "weather": ("sun", "rain")[i % 2]},
    )
    for i in range(120)
]


def csv_text(rows: list[tuple[Any, ...]], delimiter: str = ",") -> str:
    quoted = [(*row[:5], '"' + json.dumps(row[5]).replace('"', '""') + '"') for row in rows]
    return "\n".join(delimiter.join(row) for row in [NAMES, *quoted]) + "\n"


def json_text(rows: list[tuple[Any, ...]]) -> str:
    return "\n".join(json.dumps(dict(zip(NAMES, row, strict=True))) for row in rows) + "\n"


def frame() -> pl.DataFrame:
    rows = [dict(zip(NAMES, row, strict=True)) | {"hp": int(row[4])} for row in ROWS]
    return pl.DataFrame(rows)


def test_every_format_and_frame_gives_the_same_events(tmp_path: Path) -> None:
    text = csv_text(ROWS)
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "crlf.csv").write_bytes(text.replace("\n", "\r\n").encode())
    (tmp_path / "semicolon.csv").write_text(csv_text(ROWS, ";"))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "a.csv.zst").write_bytes(zstandard.compress(text.encode()))
    (tmp_path / "a.jsonl").write_text(json_text(ROWS))
    (tmp_path / "a.jsonl.zst").write_bytes(zstandard.compress(json_text(ROWS).encode()))
    frame().write_parquet(tmp_path / "a.parquet")
    dated = frame().with_columns(pl.col("ts").str.to_datetime(time_zone="UTC"))
    files = sorted(tmp_path.iterdir())
    expected = open_log(frame(), FARM).collect()
    assert expected.row(0) == (
        *(0, 0, "p0", "s0", 1772366400.0, "walk", None, None),
        *(True, 0, True, "sun"),
    )
    assert expected["goal"].to_list().count("harvest") == 40
    for source in [*files, frame().lazy(), frame().to_pandas(), frame().to_arrow(), dated, frame().to_dict()]:
        log = open_log(source, FARM)
        found = log.collect()
        assert found.schema == log.schema
        assert found.equals(expected), source
        assert log.report.as_object()["faults"] == {}


def test_folders_and_patterns_are_read_in_the_order_of_names(tmp_path: Path) -> None:
    for number, part in enumerate((ROWS[:50], ROWS[50:90], ROWS[90:])):
        place = tmp_path / f"day={number}"
        place.mkdir()
        (place / "part.jsonl").write_text(json_text(part))
    (tmp_path / "_SUCCESS").write_text("")
    expected = open_log(frame(), FARM).collect()
    assert open_log(tmp_path, FARM).collect().equals(expected)
    assert open_log(str(tmp_path / "*" / "*.jsonl"), FARM).collect().equals(expected)
    with pytest.raises(TelosError, match="no log in this folder"):
        open_log(tmp_path / "day=0" / "..", FARM) and open_log(_empty(tmp_path), FARM)


def _empty(tmp_path: Path) -> Path:
    (tmp_path / "none").mkdir()
    return tmp_path / "none"


def _dirty_lines() -> list[str]:
    lines = csv_text(ROWS).splitlines()
    lines[9] = lines[9].replace("2026-03-01T12:00:08Z", "yesterday")
    lines[11] = lines[11].replace("2026-03-01T12:00:10Z", "nan")
    lines[15] = lines[15].replace("p0", "")
    lines[44] = lines[44].replace("water,", ",", 1)
    lines[50] = lines[50].replace("rain", "snow").replace("sun", "snow")
    lines[80] = lines[80].replace(",9,", ",many,")
    lines.insert(70, lines[65])  # late
    lines.insert(33, lines[32])  # twice
    lines.insert(30, "a,b")
    lines.insert(5, '2026-03-01T12:00:59Z,p0,s0,"walk,3,x')  # a quote that is never closed
    return lines


FAULTS = {
    "unreadable": ["6", "32"],
    "bad-time": ["11"],
    "nan-time": ["13"],
    "no-player": ["17"],
    "no-action": ["48"],
    "unknown-label": ["54"],
    "late": ["74"],
    "bad-value": ["85"],
}


def test_all_bad_rows_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    place = tmp_path / "dirty.csv"
    place.write_text("\n".join(_dirty_lines()))
    log = open_log(place, FARM)
    with pytest.raises(TelosError) as caught:
        log.collect()
    for fault, lines in FAULTS.items():
        found = log.report.faults[RowFault(fault)].examples
        assert [each[0].rpartition(":")[2] for each in found] == lines, fault
        assert fault in str(caught.value)
    assert "skip-bad" in caught.value.remedy


def test_bad_rows_are_skipped_and_counted_on_demand(tmp_path: Path) -> None:
    place = tmp_path / "dirty.csv"
    place.write_text("\n".join(_dirty_lines()))
    log = open_log(place, FARM, skip_bad=True)
    found = log.collect()
    assert (log.report.rows, log.report.bad_rows, log.report.duplicates, found.height) == (124, 9, 1, 115)
    once = open_log(place, FARM, skip_bad=True, drop_duplicates=True)
    assert once.collect().height == 114
    ordered = open_log(place, FARM, skip_bad=True, sort=True, drop_duplicates=True)
    assert ordered.collect().height == 114
    assert (ordered.report.late, ordered.report.most_late, ordered.report.duplicates) == (1, 4.0, 2)
    assert RowFault.LATE not in ordered.report.faults


def test_bad_lines_of_json_stand_alone(tmp_path: Path) -> None:
    lines = json_text(ROWS).splitlines()
    lines[3], lines[10], lines[20], lines[30] = "nope", lines[10][:-5], "[1, 2]", ""
    lines[40], lines[50] = '{"ts": NaN}', '{"user": "p1", "sid": "s0", "event": "y"}'
    (tmp_path / "dirty.jsonl").write_bytes("\n".join(lines).encode() + b'\n{"ts": "\xff"}\n')
    log = open_log(tmp_path / "dirty.jsonl", FARM, skip_bad=True)
    assert log.collect().height == 114
    counts = {fault: count.rows for fault, count in log.report.faults.items()}
    assert counts == {RowFault.UNREADABLE: 5, RowFault.NO_TIME: 1}
    places = [place.rpartition(":")[2] for place, _ in log.report.faults[RowFault.UNREADABLE].examples]
    assert places == ["121", "4", "11"] or places == ["4", "11", "21"]


def test_a_column_that_stands_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("player,time,action,action\na,1,x,y\n")
    with pytest.raises(TelosError, match="two columns are called 'action'"):
        open_log(tmp_path / "a.csv").collect()


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("2026-03-01T12:00:00.25+02:00", 1772359200.25),
        ("2026-03-01 12:00:00", 1772366400.0),
        ("2026-03-01T12:00:00.5", 1772366400.5),
        ("2026-03-01 12:00:00.125 UTC", 1772366400.125),
        ("2026-03-01", 1772323200.0),
        ("12.5", 12.5),
    ],
)
def test_times_are_read_in_the_usual_ways(written: str, seconds: float) -> None:
    log = open_log({"t": [written], "a": ["x"]}, Columns(action="a", time="t"))
    assert log.collect()["time"].item() == seconds


def test_missing_columns_are_named_together() -> None:
    with pytest.raises(TelosError, match=r"'event'.*'ts'|'ts'.*'event'"):
        open_log({"user": ["a"], "sid": ["b"]}, FARM)
    with pytest.raises(TelosError, match=r"'gold'.*'wood'"):
        open_log({"action": ["a"]}, context={"gold": "int", "wood": "int"})


def test_a_fact_may_be_called_as_an_own_column() -> None:
    log = open_log({"action": ["go"], "context": [{"time": 3}]}, context={"time": "int"})
    assert log.collect()[log.column("time")].item() == 3


CELLS = st.tuples(st.sampled_from("ab"), st.integers(0, 5), st.sampled_from("xyz"))


@settings(max_examples=60, deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=30))
def test_late_rows_and_duplicates_are_those_of_a_slow_check(rows: list[tuple[str, int, str]]) -> None:
    last: dict[str, int] = {}
    kept: list[tuple[str, int, str]] = []
    late = twice = 0
    for player, time, action in rows:
        if time < last.get(player, 0):
            late += 1
            continue
        last[player] = time
        if (player, time, action) in kept:
            twice += 1
        else:
            kept.append((player, time, action))
    table = pl.DataFrame(rows, schema=["player", "time", "action"], orient="row")
    for source in (table, pl.concat([table[:7].lazy(), table[7:].lazy()])):
        log = open_log(source, skip_bad=True, drop_duplicates=True)
        found = log.collect()
        assert found.select("player", pl.col("time").cast(int), "action").rows() == kept
        assert (log.report.late, log.report.duplicates) == (late, twice)


@settings(max_examples=30, deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=40), st.integers(1, 9))
def test_sorting_in_files_is_sorting(rows: list[tuple[str, int, str]], part: int) -> None:
    table = pl.DataFrame(
        {"sequence": pl.Series([ord(row[0]) - 97 for row in rows], dtype=pl.UInt32), "time": [row[1] for row in rows]}
    ).with_row_index("row")
    found = pl.concat(sort_rows(table.iter_slices(4), part))
    assert found.equals(table.sort("sequence", "time", "row"))


def test_results_come_back_as_the_kind_of_frame_that_was_given() -> None:
    table = pl.DataFrame({"a": [1]})
    for kind in (table, table.lazy(), table.to_pandas(), table.to_arrow(), table.to_dict(as_series=False)):
        assert type(return_like(table, kind)) is type(kind)


@pytest.mark.parametrize("kind", [BeliefReader, LiveReader])
@pytest.mark.parametrize("missing", ["player", "session"])
def test_beliefs_about_rows_without_a_player_or_session_are_those_of_one(kind: Any, missing: str) -> None:
    """Kernels use row numbers as they are: a frame that nobody has checked must not lead them astray."""
    model = named_model("aiide")
    count, gone = 200, [None] * 200
    rows: dict[str, Any] = {"player": ["ann"] * count, "session": ["one"] * count, "action": ["swing", "up"] * 100}
    rows |= {"time": [float(time) for time in range(count)], missing: gone}
    rows |= {fact: [True, False] * 100 for fact in ("gem", "monster", "town", "unexplored")}
    frame = pl.DataFrame(rows, schema_overrides={missing: pl.String}).rename(
        {fact: f"toward_{fact}" for fact in ("gem", "monster", "town", "unexplored")}
    )
    given = frame.with_columns(pl.lit("player" if missing == "player" else "").alias(missing))
    found, _ = kind(model, seed=1).beliefs(frame)
    assert np.array_equal(found, kind(model, seed=1).beliefs(given)[0])
    assert np.allclose(found.sum(axis=1), 1)


def test_players_are_names() -> None:
    with pytest.raises(TelosError, match="column 'player' holds List"):
        BeliefReader(named_model("aiide")).read(pl.DataFrame({"time": [0.0], "action": ["up"], "player": [["a"]]}))


def test_a_long_dotted_name_is_looked_up_in_linear_time() -> None:
    fields = Fields({"a": pl.Struct({"b": pl.Int64(), "b.c": pl.String()}), "a.b": pl.Float64(), "t": pl.String()})
    assert [fields.get(name) for name in ("a.b", "a.b.c", "a.b.c.d", "t.x.y", "b.a", "t" + ".x" * 40)] == [
        pl.Float64(), None, None, pl.String(), None, None,
    ]  # fmt: skip
    long = ".".join("a" * 2_000_000)
    assert long not in fields
    assert f"t.{long}" not in fields


def test_half_a_character_in_the_name_of_an_entry_is_no_column(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"time": 0, "action": "up", "\\ud800": 1}\n')
    assert open_log(tmp_path / "log.jsonl").collect()["action"].to_list() == ["up"]


def test_an_over_long_cell_in_the_first_line_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("time,action," + "x" * 200_000 + "\n0,up,1\n")
    with pytest.raises(TelosError, match=r"log\.csv:1: field larger than field limit"):
        open_log(tmp_path / "log.csv")
