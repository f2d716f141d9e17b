"""Tables in and out: formats, event logs, and files that cannot be read."""

import csv
import gzip
import io
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.telemetry.columns import Columns, usual_columns
from telos.telemetry.corpus import prepare
from telos.telemetry.logs import LogRow, align_rows, iter_play_rows, write_log
from telos.telemetry.raw_lines import check_lines
from telos.telemetry.tables import from_events, read_table
from telos.telemetry.writing import FORMATS, write_rows, write_table

TABLE = pl.DataFrame(
    {
        "player": ["ann", "bo"],
        "step": [0, 1],
        "near": [0.5, None],
        "action": ["walk", 'say "hi, you"'],
        "won": [None, "x"],
    }
)
EVENTS = [
    Event("walk", {"loc": "camp", "tests": 3}, player="ann", time=0.0),
    Event("talk", {"loc": "hall", "whom": "nurse"}, player="ann", time=1.5, goal="nurse"),
]


def refusal(path: Path) -> str:
    with pytest.raises(TelosError) as caught:
        read_table(path).collect()
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(path), "LOG")


@pytest.mark.parametrize("ending", FORMATS)
def test_what_is_written_is_read_again(ending: str, tmp_path: Path) -> None:
    write_table(TABLE, tmp_path / f"t{ending}")
    assert read_table(tmp_path / f"t{ending}").collect().equals(TABLE)


@pytest.mark.parametrize("ending", FORMATS)
def test_rows_are_written_without_a_data_frame(ending: str, tmp_path: Path) -> None:
    write_rows(TABLE.to_dicts(), tmp_path / f"t{ending}")
    assert read_table(tmp_path / f"t{ending}").collect().equals(TABLE)


def test_the_context_of_an_event_log_becomes_columns(tmp_path: Path) -> None:
    write_log(iter([LogRow(event, session="s1") for event in EVENTS]), tmp_path / "log.jsonl")
    table = read_table(tmp_path / "log.jsonl").collect()
    assert table.columns == ["player", "session", "time", "action", "goal", "loc", "tests", "whom"]
    corpus = prepare(table, usual_columns(table.columns), folds=0)
    assert corpus.frame.rows() == [("ann", "s1", 0, "walk", "camp", 3, None, "nurse", 0)]


def test_context_entry_and_column_of_the_same_name_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"action": "walk", "context": {"action": "old"}}\n')
    assert read_table(tmp_path / "log.jsonl").collect().row(0) == ("walk", "old")
    assert read_table(tmp_path / "log.jsonl").collect().columns == ["action", "context_action"]


def test_events_become_a_table() -> None:
    table = from_events(EVENTS)
    assert table.columns == ["player", "time", "action", "loc", "tests", "whom", "goal"]
    assert table.row(1) == ("ann", 1.5, "talk", "hall", None, "nurse", "nurse")
    assert from_events([]).columns == ["player", "time", "action", "goal"]
    with pytest.raises(TelosError, match="entry 'goal'"):
        from_events([Event("walk", {"goal": "x"})])


def test_recorded_plays_become_rows_with_the_same_keys() -> None:
    class Game:
        player, style, events = "ann", "methodical", EVENTS

    rows = align_rows(iter_play_rows([Game()]))
    assert [list(row) for row in rows] == [
        ["player", "style", "step", "time", "action", "loc", "tests", "whom", "achieved"]
    ] * 2
    assert rows[1]["step"] == 1
    assert (rows[0]["achieved"], rows[1]["achieved"]) == (None, "nurse")


def test_a_column_that_starts_with_numbers_may_go_on_with_words(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 10_500 + "x,2\n")
    table = read_table(tmp_path / "t.csv").collect()
    assert table["a"][-1] == "x"
    assert table["b"].sum() == 2 * 10_501


def test_names_that_look_like_numbers_stay_names(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("player,action,state,n\n007,1,0010,10\n7,2,1000,5\n")
    columns = Columns(action="action", player="player")
    assert read_table(tmp_path / "t.csv", columns).collect().row(0) == ("007", "1", "0010", 10)


def test_empty_lines_of_a_table_are_no_rows(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\r\n1,2\r\n\r\n3,4\r\n\r\n")
    assert read_table(tmp_path / "t.csv").collect().rows() == [(1, 2), (3, 4)]


# Files that cannot be read


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.csv", b"", "LOG: the table is empty"),
        ("t.csv", b"a,b\n", "LOG: the table is empty"),
        ("t.csv", b"a,b\n1,2\n3\n", "LOG:3: the line has 1 cells, and the first line has 2"),
        ("t.csv", b"a,b\n1,2\n3,4\n5,6,7\n", "LOG:4: the line has 3 cells, and the first line has 2"),
        ("t.csv", b'a,b\n1,"2,\n3"\n3\n', "LOG:3: the line has 1 cells"),
        ("t.csv", b'a,b\n1,2\n"3,4\n5,6\n', "LOG:3: a quote is opened and never closed"),
        ("t.csv", "a,b\nü,1\n".encode("latin-1"), "LOG:2: the line is not UTF-8"),
        ("t.csv.gz", b"a,b\n1,2\n", "LOG: not a whole gzip file"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-9], "LOG: not a whole gzip file"),
        ("t.csv", b"\n1,2\n", "LOG: the first line is empty"),
        ("t.jsonl", b"", "LOG: the table is empty"),
        ("t.jsonl", b" \n\n", "LOG: the table is empty"),
        ("t.jsonl", b'{"a": 1}\n{"a": 2,\n', "LOG:2: this is not JSON"),
        ("t.jsonl", b'{"a": 1}\n[3]\n', "LOG:2: a line is one JSON object, got [3]"),
        ("t.parquet", b"hello", "LOG: cannot be read as parquet: "),
        ("t.parquet", b"PAR1" + b"x" * 100 + b"PAR1", "LOG: cannot be read as parquet: "),
        ("t.xlsx", b"hello", "LOG: what sort of table is this? name a file that ends in .csv"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_one_line(
    name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    assert refusal(tmp_path / name).startswith(said)


def test_what_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.csv").startswith("LOG: no such file")
    (tmp_path / "folder.csv").mkdir()
    assert refusal(tmp_path / "folder.csv").startswith("LOG: this is a folder")
    with pytest.raises(TelosError, match="in which format"):
        write_table(TABLE, tmp_path / "t.txt")
    with pytest.raises(TelosError, match="there is no folder"):
        write_table(TABLE, tmp_path / "nowhere" / "t.csv")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.text('ab,"\n', max_size=3), min_size=1, max_size=4), max_size=8), st.integers(1, 9))
def test_ragged_lines_are_found_wherever_the_blocks_are_cut(rows: list[list[str]], size: int) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([["x", "y"], *rows])
    data = text.getvalue().encode()
    blocks = [data[start : start + size] for start in range(0, len(data), size)]
    # A single empty cell is written in quotes, so that only rows of two cells are right.
    if all(len(row) == 2 for row in rows):
        assert check_lines(blocks, "t.csv") == (len(rows), 0)
    else:
        with pytest.raises(TelosError, match="cells, and the first line has 2"):
            check_lines(blocks, "t.csv")


def test_json_lines_may_differ_in_what_they_know(tmp_path: Path) -> None:
    lines = [{"action": "a", "context": {"n": 1}}, {"action": "b", "context": {"n": 0.5, "m": True}}, {"action": "c"}]
    (tmp_path / "t.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    assert read_table(tmp_path / "t.jsonl").collect().rows() == [("a", 1.0, None), ("b", 0.5, True), ("c", None, None)]
