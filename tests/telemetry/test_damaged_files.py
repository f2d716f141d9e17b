"""Damaged, hostile and odd files: every one is read or refused in one line that names it, whatever polars does."""

import gzip
import io
import json
import os
import threading
import time
from pathlib import Path
from random import Random

import polars as pl
import pytest

from telos.core.errors import TelosError
from telos.telemetry import raw_lines
from telos.telemetry.columns import loads_columns, usual_columns
from telos.telemetry.corpus import prepare
from telos.telemetry.logs import read_log
from telos.telemetry.tables import guard_polars, read_table

COLUMNS = loads_columns("columns: log\ntime: time\naction: action\ncontext: {n: text}\n")
CSV = "time,action,n\n" + "".join(f"{i},walk,{i}\n" for i in range(200))
JSONL = "".join(f'{{"time": {i}, "action": "walk", "context": {{"n": {i}}}}}\n' for i in range(200))
BOTH = ("table", "log")


def read(path: Path, how: str) -> int:
    """Read a file as a table or row by row; return the number of rows."""
    if how == "table":
        return read_table(path).collect().height
    return len(list(read_log(path, columns=COLUMNS if ".csv" in path.name else None)))


def refusal(path: Path, how: str) -> str:
    with pytest.raises(TelosError) as caught:
        read(path, how)
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 2000
    assert said.startswith(str(path))
    return said.replace(str(path), "LOG")


@pytest.mark.parametrize("how", BOTH)
@pytest.mark.parametrize(("name", "text"), [("t.csv.gz", CSV), ("t.jsonl.gz", JSONL)])
def test_gzip_damaged_in_any_way_is_refused(name: str, text: str, how: str, tmp_path: Path) -> None:
    whole, rng = gzip.compress(text.encode(), mtime=0), Random(1)
    damaged = [whole[:cut] for cut in range(1, len(whole), 29)]
    damaged += [whole + b"garbage", whole + whole[:30], b"\x1f\x8b", whole[:-8] + bytes(4) + whole[-4:]]
    for _ in range(60):  # any byte behind the header, which may hold a time and a name
        at = rng.randrange(10, len(whole))
        damaged.append(whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :])
    for data in damaged:
        (tmp_path / name).write_bytes(data)
        assert "not a whole gzip file" in refusal(tmp_path / name, how)


@pytest.mark.parametrize("how", BOTH)
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.jsonl", b'{"time": %s, "action": "up"}\n' % (b"1" * 5000), "LOG:1: a number has too many digits"),
        ("t.jsonl", JSONL.encode() + b'{"time": 1, "action": "u', "LOG:201: this is not JSON"),
        ("t.jsonl", b'{"time": 1, "action": "up", "context": {"x": %s}}' % (b"[" * 99_999), "LOG:1: this is nested"),
        ("t.jsonl", JSONL.encode("utf-16"), "LOG: the file is UTF-16"),
        ("t.jsonl", JSONL.encode("utf-16-le"), "LOG:1: the line has a zero byte"),
        (
            "t.jsonl",
            '{"time": 0, "action": "a"}\n{"time": 1, "action": "ü"}\n'.encode("latin-1"),
            "LOG:2: the line is ",
        ),
        ("t.jsonl", b'{"time": NaN, "action": "up"}\n', "LOG:1: NaN is not a value"),
        ("t.jsonl", b"\n" * 1000, "LOG: the "),
        ("t.jsonl", b'{"time": 1, "action": "a"}, {\n"time": 1, "action": "a"}\n', "LOG:1: this is not JSON"),
        ("t.jsonl", b'{"time": 1, "action": "a"}]\n', "LOG:1: this is not JSON"),
        ("t.jsonl", JSONL.encode() + b'{"time": 1, "action": "a"} x\n', "LOG:201: this is not JSON"),
        ("t.jsonl", JSONL.encode() + b"\n\n[]\n", "LOG:203: a line is one JSON object, got []"),
        ("t.csv", CSV.encode("utf-16"), "LOG: the file is UTF-16"),
        ("t.csv", CSV.encode("utf-16-le"), "LOG:1: the line has a zero byte"),
        ("t.csv", "time,action,n\n0,up,1\n1,ü,1\n".encode("latin-1"), "LOG:3: the line is not UTF-8"),
        ("t.csv", b"time,action,n\n1,walk,\0\n", "LOG:2: the line has a zero byte"),
        ("t.csv", b"time,action,n,action\n1,walk,1,run\n", "LOG:1: two columns are called 'action'"),
        ("t.csv", b"time,action," + b"n" * 140_000 + b"\n1,walk,1\n", "LOG:1: "),
        ("t.csv", b",".join(b"c%d" % i for i in range(6000)) + b"\n", "LOG:1: there are 6,000 columns"),
        ("t.csv", CSV.encode() + b"5,wa", "LOG:202: the line has "),
        ("t.csv", b"", "LOG: the "),
    ],
)
def test_damaged_text_is_refused_with_file_and_line(
    how: str, name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    assert refusal(tmp_path / name, how).startswith(said)


def test_cells_over_the_limit_of_the_csv_module_are_refused_or_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"time,action,n\n1,walk,{'x' * 140_000}\n")
    assert refusal(tmp_path / "t.csv", "log").startswith("LOG:2: field larger than field limit")
    assert read(tmp_path / "t.csv", "table") == 1


@pytest.mark.parametrize("how", BOTH)
@pytest.mark.parametrize(("name", "text"), [("t.csv", CSV), ("t.jsonl", JSONL)])
@pytest.mark.parametrize("end", ["\r", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_other_line_ends_and_a_byte_order_mark_are_read(
    mark: str, end: str, name: str, text: str, how: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes((mark + text.replace("\n", end)).encode())
    assert read(tmp_path / name, how) == 200
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress((mark + text.replace("\n", end)).encode()))
    assert read(tmp_path / f"{name}.gz", how) == 200


def test_a_carriage_return_in_quotes_is_part_of_the_cell(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b'time,action,n\r1,walk,"a\rb"\r2,run,c')
    assert read_table(tmp_path / "t.csv").collect().rows() == [(1, "walk", "a\rb"), (2, "run", "c")]
    assert [row.event.context["n"] for row in read_log(tmp_path / "t.csv", columns=COLUMNS)] == ["a\rb", "c"]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_lone_carriage_returns_are_found_wherever_the_blocks_are_cut(size: int) -> None:
    def blocks(data: bytes) -> list[bytes]:
        return [data[start : start + size] for start in range(0, len(data), size)]

    for data in (b"a,b\r1,2\r", b"a\r\nb\rc", b"\r", b"a\r", b"\r\r\n"):
        assert raw_lines.has_lone_returns(blocks(data)), data
    for data in (b"", b"a,b\r\n1,2\r\n", b"a\nb\n", b"\r\n"):
        assert not raw_lines.has_lone_returns(blocks(data)), data


@pytest.mark.parametrize("how", BOTH)
@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_device_that_does_not_end_is_refused_at_once(name: str, how: str, tmp_path: Path) -> None:
    (tmp_path / name).symlink_to("/dev/zero")
    assert refusal(tmp_path / name, how).startswith("LOG")


@pytest.mark.parametrize("how", BOTH)
def test_archives_that_inflate_to_gigabytes_are_refused_early(how: str, tmp_path: Path) -> None:
    file = tmp_path / "bomb.csv.gz"
    with gzip.open(file, "wb") as packed:
        packed.write(b"time,action,n\n")
        for _ in range(100):
            packed.write((b"1,walk," + b"x" * 99_992 + b"\n") * 15)  # 150 MB
    assert "inflates to more than" in refusal(file, how)


def test_json_lines_that_differ_without_limit_are_refused(tmp_path: Path) -> None:
    lines = (json.dumps({"time": i, "action": "up", "context": {f"k{i}": 1}}) for i in range(30_000))
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    assert "different entries" in refusal(tmp_path / "t.jsonl", "table")


@pytest.mark.parametrize("value", ["1e999", "9" * 400])
def test_numbers_that_no_column_holds_are_refused_with_their_line(value: str, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(f'{{"time": 1, "action": "up"}}\n{{"time": {value}, "action": "up"}}\n')
    assert refusal(tmp_path / "t.jsonl", "table").startswith("LOG:2: a number is too large")
    assert refusal(tmp_path / "t.jsonl", "log").startswith("LOG:2: an event's time must be a finite number")


@pytest.mark.parametrize("value", ["9" * 400, "-" + "9" * 400])
def test_context_that_no_float_holds_is_refused(value: str, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(f'{{"time": 1, "action": "up", "context": {{"n": {value}}}}}\n')
    assert refusal(tmp_path / "t.jsonl", "log").startswith("LOG:1: 'n' in the context must be a plain, finite value")
    (tmp_path / "t.jsonl").write_text(f'{{"time": 1, "action": "up", "context": {{"n": {2**70}}}}}\n')
    assert next(read_log(tmp_path / "t.jsonl")).event.context["n"] == 2**70
    assert read(tmp_path / "t.jsonl", "table") == 1


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_times_that_are_not_finite_are_refused(value: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"time,action,n,goal\n1.5,walk,1,\n{value},walk,1,\n3.5,walk,1,x\n")
    assert "LOG:3: an event's time must be a finite number" in refusal(tmp_path / "t.csv", "log")
    table = read_table(tmp_path / "t.csv")
    with pytest.raises(TelosError, match="nan-time: 1 row"):
        prepare(table, usual_columns(table.collect_schema()), folds=0)


# Parquet


@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "zstd"])
def test_parquet_with_flipped_bits_is_read_or_refused_silently(
    compression: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    table = pl.DataFrame({"time": range(500), "action": ["walk", "run"] * 250, "goal": [None, "x"] * 250})
    whole, rng = io.BytesIO(), Random(compression)
    table.write_parquet(whole, compression=compression)  # type: ignore[arg-type]
    refusals = []
    for _ in range(150):
        data = bytearray(whole.getvalue())
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        (tmp_path / "t.parquet").write_bytes(data)
        try:
            found = read_table(tmp_path / "t.parquet")
            prepare(found, usual_columns(found.collect_schema()), folds=0).statistics()
        except TelosError as error:
            refusals.append(str(error))
    assert refusals
    assert not [said for said in refusals if "\n" in said and "rows are bad" not in said]
    assert capfd.readouterr().err == ""


def test_parquet_of_few_bytes_and_many_cells_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"a": pl.repeat(1, 60_000_000, dtype=pl.Int8, eager=True)}).write_parquet(tmp_path / "t.parquet")
    assert "60,000,000 rows" in refusal(tmp_path / "t.parquet", "table")
    pl.DataFrame({"a": [f"{'x' * 1_000_000}{i}" for i in range(100)]}).write_parquet(tmp_path / "t.parquet")
    assert "inflates to more than" in refusal(tmp_path / "t.parquet", "table")


# The guard


def test_a_panic_becomes_one_error_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    @guard_polars("the log", "mend it")
    def panic() -> None:
        os.write(2, b"thread '<unnamed>' panicked at somewhere\n")
        raise pl.exceptions.PanicException("index out of bounds")

    with pytest.raises(TelosError, match="the log: the data is damaged; mend it"):
        panic()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "error", [pl.exceptions.ComputeError("no"), OSError(28, "no"), MemoryError(), OverflowError("no")]
)
def test_every_failure_of_polars_becomes_one_error(error: Exception) -> None:
    with pytest.raises(TelosError, match=r"^the log: .*"), guard_polars("the log"):
        raise error


def test_other_errors_pass_the_guard(capfd: pytest.CaptureFixture[str]) -> None:
    for error in (KeyboardInterrupt(), TelosError("x"), AssertionError()):
        with pytest.raises(type(error)), guard_polars("the log"):
            raise error
    with guard_polars("the log"):
        os.write(2, b"a warning\n")
    assert capfd.readouterr().err == "a warning\n"


def test_guards_in_several_threads_give_standard_error_back(capfd: pytest.CaptureFixture[str]) -> None:
    before = os.fstat(2)

    def work(seed: int) -> None:
        rng = Random(seed)
        for _ in range(50):
            with guard_polars("one"), guard_polars("two"):
                time.sleep(rng.random() / 1000)
                os.write(2, b".")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (os.fstat(2).st_dev, os.fstat(2).st_ino) == (before.st_dev, before.st_ino)
    assert capfd.readouterr().err == "." * 300
