"""Tables and logs are written whole or not at all: on a full disk the old file stays, and no part of a new one."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.telemetry.logs import LogRow, read_log, write_log
from telos.telemetry.tables import read_table
from telos.telemetry.writing import FORMATS, check_writable, write_rows, write_table

resource = pytest.importorskip("resource")  # a limit on the size of files acts as a full disk

# Values that do not compress, so that every format is longer than the limit below.
TABLE = pl.DataFrame({"player": [f"p{i * 7919 % 10007}" for i in range(20_000)], "x": [i**0.5 for i in range(20_000)]})


@contextmanager
def disk_full_after(size: int) -> Iterator[None]:
    """Let every file that is written grow to ``size`` bytes at most."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("write", [write_table, lambda table, path: write_rows(table.to_dicts(), path)])
def test_on_a_full_disk_the_old_table_stays(ending: str, write: object, tmp_path: Path) -> None:
    file = tmp_path / f"t{ending}"
    file.write_bytes(b"old")
    with disk_full_after(4096), pytest.raises(TelosError, match="cannot be written") as caught:
        write(TABLE, file)  # type: ignore[operator]
    assert "\n" not in str(caught.value)
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]
    write(TABLE, file)  # type: ignore[operator]
    assert read_table(file).collect().equals(TABLE)


@pytest.mark.parametrize("ending", FORMATS)
def test_a_full_device_is_told_in_one_line(ending: str, tmp_path: Path, full_device: Path) -> None:
    (tmp_path / f"t{ending}").symlink_to(full_device)
    with pytest.raises(TelosError, match="cannot be written") as caught:
        write_table(TABLE, tmp_path / f"t{ending}")
    assert "\n" not in str(caught.value)


def test_a_log_that_fails_midway_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    write_log([LogRow(Event("walk", time=1.0))], file)

    def rows() -> Iterator[LogRow]:
        yield LogRow(Event("run", time=2.0))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_log(rows(), file)
    for value in (float("nan"), object()):
        with pytest.raises(TelosError, match=r"log\.jsonl:1: cannot be written as JSON"):
            write_log([LogRow(Event("run", {"x": value}, time=2.0))], file)
    with disk_full_after(4096), pytest.raises(TelosError, match="cannot be written"):
        write_log((LogRow(Event("run", time=float(i))) for i in range(10_000)), file)
    assert [row.event.action for row in read_log(file)] == ["walk"]
    assert list(tmp_path.iterdir()) == [file]


def test_compressed_tables_are_closed_and_repeatable(tmp_path: Path) -> None:
    for name in ("a.csv.gz", "b.jsonl.gz"):
        write_table(TABLE, tmp_path / name)
        first = (tmp_path / name).read_bytes()
        assert gzip.decompress(first).count(b"\n") >= 20_000
        write_table(TABLE, tmp_path / name)
        assert (tmp_path / name).read_bytes() == first


def test_an_output_that_is_an_input_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "t.csv"
    log.write_text("a,b\n1,2\n")
    (tmp_path / "link.csv").symlink_to(log)
    (tmp_path / "hard.csv").hardlink_to(log)
    for name in ("t.csv", "link.csv", "hard.csv", f"../{tmp_path.name}/t.csv"):
        with pytest.raises(TelosError, match="is an input"):
            check_writable(tmp_path / name, inputs=[None, tmp_path / "missing", log])
        with pytest.raises(TelosError, match="is an input"):
            write_table(TABLE, tmp_path / name, inputs=[log])
    assert log.read_text() == "a,b\n1,2\n"
