"""Event logs are read row by row from JSON Lines and tables, and a bad line is named with its remedy."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from files.broken import matches
from recognition.readings import play
from telos.core.errors import DefinitionError, TelosError
from telos.core.event import Event
from telos.telemetry.columns import loads_columns
from telos.telemetry.logs import LogRow, read_log, to_object, write_log

COLUMNS = loads_columns("""
columns: kitchen
time: {column: step, unit: 150 ms}
action: action
player: player
session: trial
goal: event
truth: goal
context: {x: int, near: {column: d_pot, type: number}, held: [dish, onion], open: bool, where: text, exits: edges}
actions: {interact: swing}
""")
TABLE = """player,trial,step,action,x,d_pot,held,open,where,exits,event,goal
G1,a,0,stay,3,2,dish,true,"left, below",north east,,get_onion
G1,a,1,interact,4,1.5,onion,0,,,get_onion,
"""


def written(tmp_path: Path, text: str, name: str = "log.jsonl") -> Path:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def refused(file: Path, **options: Any) -> str:
    with pytest.raises(TelosError) as caught:
        list(read_log(file, **options))
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(file), "LOG")


def test_a_line_is_an_event_with_session_and_truth(tmp_path: Path) -> None:
    line = (
        '{"player": "p1", "session": "1", "time": 12.3, "action": "swing", '
        '"context": {"monsters": 2, "exits": ["north"]}, "goal": null, "truth": "level"}'
    )
    (row,) = read_log(written(tmp_path, line))
    event = Event("swing", {"monsters": 2, "exits": ("north",)}, player="p1", time=12.3)
    assert row == LogRow(event, "1", "level", 1)
    assert row.sequence == ("p1", "1")


def test_optional_columns_and_empty_lines_are_skipped(tmp_path: Path) -> None:
    file = written(tmp_path, '\ufeff{"time": 0, "action": "stop"}\n\n  \n{"time": 1, "action": "up", "session": 3}')
    rows = list(read_log(file))
    assert [(row.event.player, row.session, row.truth, row.line) for row in rows] == [
        ("player", "", None, 1),
        ("player", "3", None, 4),
    ]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 1000), st.sampled_from([None, "level"]), st.sampled_from(["", "2"]))
def test_written_rows_are_read_back_equal(tmp_path_factory: Any, seed: int, truth: str | None, session: str) -> None:
    file = tmp_path_factory.mktemp("logs") / "log.jsonl"
    rows = [LogRow(event, session, truth, line) for line, event in enumerate(play(5, seed=seed), start=1)]
    assert write_log(iter(rows), file) == 5
    assert list(read_log(file)) == rows
    assert json.loads(file.read_text().splitlines()[0])["time"] == to_object(rows[0])["time"]


def test_a_table_is_read_through_its_columns(tmp_path: Path) -> None:
    one, two = read_log(written(tmp_path, TABLE, "log.csv"), columns=COLUMNS)
    context = {"x": 3, "near": 2.0, "held": "dish", "open": True, "where": "left, below", "exits": ("north", "east")}
    assert one == LogRow(Event("stay", context, player="G1", time=0.0), "a", "get_onion", 2)
    assert (two.event.action, two.event.time, two.event.goal, two.truth) == ("swing", 0.15, "get_onion", None)
    assert two.event.context["open"] is False
    assert two.event.context["where"] is None


def test_a_table_may_be_compressed(tmp_path: Path) -> None:
    file = tmp_path / "log.csv.gz"
    file.write_bytes(gzip.compress(TABLE.encode()))
    assert len(list(read_log(file, columns=COLUMNS))) == 2
    file.write_bytes(gzip.compress(TABLE.encode())[:40])
    assert refused(file, columns=COLUMNS) == "LOG: not a whole gzip file; compress it again"


def test_progress_is_told_in_bytes(tmp_path: Path) -> None:
    file = written(tmp_path, '{"time": 0, "action": "stop"}\n' * 5000)
    told: list[int] = []
    assert len(list(read_log(file, progress=told.append))) == 5000
    assert len(told) == 5
    assert told == sorted(told)
    assert 0 < told[0] <= told[-1] <= file.stat().st_size


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "LOG: the log is empty; record one event a line"),
        ("\n \n", "LOG: the log is empty; record one event a line"),
        ("swing", "LOG:1: this is not JSON: Expecting value at column 1; write one JSON value"),
        ("[1]", "LOG:1: a line is one JSON object, got [1]; as in"),
        ('{"time": 1, "action": "up"}\n{"action": "up"}', "LOG:2: 'time' is missing; as in"),
        ('{"time": 1}', "LOG:1: 'action' is missing; as in"),
        ('{"time": 1, "action": "up", "trut": "level"}', "LOG:1: unknown key 'trut'; did you mean 'truth'?"),
        ('{"time": NaN, "action": "up"}', "LOG:1: NaN is not a value; numbers must be finite"),
        ('{"time": 1e999, "action": "up"}', "LOG:1: an event's time must be a finite number, got inf"),
        ('{"time": "1", "action": "up"}', "LOG:1: an event's time must be a finite number, got '1'"),
        ('{"time": 1, "action": 3}', "LOG:1: an event's action is a name, got 3"),
        ('{"time": 1, "action": "up", "context": {"x": Infinity}}', "LOG:1: Infinity is not a value"),
        ('{"time": 1, "action": "up", "context": {"x": -1e999}}', "LOG:1: 'x' in the context must be a plain"),
        ('{"time": 1, "action": "up", "context": {"x": {}}}', "LOG:1: 'x' in the context must be a plain"),
        ('{"time": 1, "action": "up", "context": [1]}', "LOG:1: a context is a mapping of names to values, got [1]"),
        ('{"time": 1, "action": "up", "player": true}', "LOG:1: 'player' must be a name, got True"),
        ('{"time": 1, "action": "up", "truth": ""}', "LOG:1: 'truth' must be the name of a goal or null, got ''"),
        ("[" * 100_000, "LOG:1: this is nested too deeply"),
    ],
)
def test_a_bad_line_is_told_with_its_number(tmp_path: Path, text: str, said: str) -> None:
    assert refused(written(tmp_path, text)).startswith(said)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.jsonl") == "LOG: no such file"
    assert refused(tmp_path) == "LOG: this is a folder; name a file in it"
    (tmp_path / "odd.jsonl").write_bytes(b'{"time": 1, "action": "\xff"}')
    assert refused(tmp_path / "odd.jsonl") == "LOG:1: the line is not UTF-8; save the file as UTF-8"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("d_pot", "d_pott"), "LOG:1: there is no column 'd_pot'; did you mean 'd_pott'?"),
        (("G1,a,0,stay,3", "G1,a,0,stay,three"), "LOG:2: column 'x': 'three' is not a whole number"),
        (("4,1.5", "4,nan"), "LOG:3: column 'd_pot': 'near' in the context must be a plain, finite value"),
        (("4,1.5", "4,"), "LOG:3: column 'd_pot': '' is not a number"),
        (("onion,0", "soup,0"), "LOG:3: column 'held': 'soup' is not one of dish, onion"),
        (("onion,0", "onion,maybe"), "LOG:3: column 'open': 'maybe' is not true or false"),
        (("a,1,interact", "a,late,interact"), "LOG:3: column 'step': 'late' is not a time; give a number"),
        ((",get_onion,\n", "\n"), "LOG:3: the line has not 12 cells as the first line has"),
    ],
)
def test_a_bad_cell_is_told_with_its_line_and_column(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    assert refused(written(tmp_path, TABLE.replace(*change), "log.csv"), columns=COLUMNS).startswith(said)


def test_tables_need_columns_and_only_tables_do(tmp_path: Path) -> None:
    assert "a table needs a file that says what its columns are" in refused(written(tmp_path, TABLE, "log.csv"))
    assert "leave --columns out" in refused(written(tmp_path, "{}"), columns=COLUMNS)
    assert refused(written(tmp_path, "", "no.csv"), columns=COLUMNS) == "LOG: the log is empty; record one event a line"


def test_a_broken_column_file_is_answered_with_all_its_faults() -> None:
    text = "columns: k\ntimes: t\naction: [a]\ncontext:\n"
    text += "  x: integer\n  y: {column: z}\n  z: []\n  w: {column: a, type: bol}"
    with pytest.raises(DefinitionError) as caught:
        loads_columns(text)
    faults = list(caught.value.faults)
    for line, said in [
        (2, "unknown-key times; time"),
        (3, "wrong-type action"),
        (5, "unknown-name integer; int"),
        (6, "missing-key type"),
        (7, "empty"),
        (8, "unknown-name bol; bool"),
    ]:
        found = next((fault for fault in faults if matches(fault, line, None, said)), None)
        assert found is not None, f"{line}: {said}\n" + "\n".join(map(str, faults))
        faults.remove(found)
    assert not faults
