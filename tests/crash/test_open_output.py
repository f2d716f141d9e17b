"""The one writer, killed at each step of its code and on a full disk: the old file or the new one, and no stump."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crash.writers import OLD, WRITERS, environment, fill, run
from telos.core.errors import TelosError
from telos.files import open_output

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
SMALL = 4096  # bytes that a file may have on the full disk


@pytest.mark.parametrize("grain", ["lines", pytest.param("opcodes", marks=pytest.mark.slow)])
def test_writer_killed_at_any_step_leaves_a_whole_file(grain: str, tmp_path: Path) -> None:
    script = Path(__file__).with_name("step_killer.py")
    told = subprocess.run(
        [sys.executable, script, tmp_path, grain], env=environment(), capture_output=True, text=True, check=True
    )
    steps, damaged, is_written = map(int, told.stdout.split())
    assert steps > 30
    assert (damaged, is_written) == (0, 1)


@pytest.fixture
def full_disk() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("full_disk")
@pytest.mark.parametrize("old", [None, b"old"])
def test_full_disk_leaves_the_old_file_and_no_stump(old: bytes | None, tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    if old is not None:
        target.write_bytes(old)
    with pytest.raises(TelosError, match="cannot be written"), open_output(target) as file:
        file.write("xxxx" * 2 * SMALL)
    assert [each.read_bytes() for each in tmp_path.iterdir()] == ([] if old is None else [old])


def limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))


@pytest.mark.parametrize(
    "name",
    [each if each in ("train", "prepare parquet") else pytest.param(each, marks=pytest.mark.slow) for each in WRITERS],
)
def test_command_on_a_full_disk_keeps_the_old_file(name: str, tmp_path: Path) -> None:
    writer = WRITERS[name]
    fill(tmp_path)
    (tmp_path / writer.output).write_bytes(OLD)
    before = {each.name for each in tmp_path.iterdir()}
    code, said = run(writer.arguments, tmp_path, preexec_fn=limit_files, env=environment(NUMBA_DISABLE_JIT="1"))
    assert (tmp_path / writer.output).read_bytes() == OLD
    assert {each.name for each in tmp_path.iterdir()} == before
    assert code == 2, said
    assert b"Traceback" not in said
    assert b"internal error" not in said
