"""Damaged and hostile problems of recognition are refused in one line, within limits of memory and time."""

import bz2
import gzip
import io
import json
import lzma
import shutil
import tarfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from telos.core.errors import TelosError
from telos.recognition.strips import read_cases, read_labels, read_shared_problem
from telos.recognition.strips.problem import read_archive

DATA = Path(__file__).parent / "data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DATA, tmp_path / "data"))


GOOD = (DATA / "index.csv").read_text(encoding="utf-8")


def test_index_with_other_line_ends_is_read(folder: Path) -> None:
    for ends in ("\r", "\r\n"):
        (folder / "index.csv").write_bytes(GOOD.replace("\n", ends).encode())
        assert len(read_cases(folder)) == len(read_cases(DATA))


@pytest.mark.parametrize(
    "text",
    [
        GOOD.rstrip() + "\nd1",
        GOOD.rstrip() + "\nd1,a,b,c,d,e,f,g,h,i,j,k",
        GOOD + '"d1',
        GOOD + "x" * 200_000 + ",a\n",
        "id,dir\nd1,\0\n",
        f"id,dir\nd1,{'x' * 5000}\n",
        f"id,dir\nd1,{'x/' * 5000}\n",
        "id,dir\nd1,../..\n",
        "id\nd1\n",
        "",
        "\n\n",
        "dir\nx\n",
    ],
)
def test_damaged_index_is_refused(folder: Path, text: str) -> None:
    (folder / "index.csv").write_text(text, encoding="utf-8")
    with pytest.raises(TelosError):
        read_cases(folder)


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        f'{{"id": "a", "real": {"1" * 5000}}}',
        '{"id": "a", "real": NaN}',
        '{"id": "a", "real": true}',
        '{"id": "a", "real": -1}',
        '{"id": {}, "real": 1}',
        '{"id": "a", "real": 1, "equal": 5}',
        '{"id": "a", "real": 1, "equal": [[1]]}',
        '{"id": "a", "real": 1, "reference_set": {"b": 1}}',
        '{"id": "a", "real": 1, "reference_set": ["b"]}',
        "[]",
        "1",
        "\0",
    ],
)
def test_damaged_labels_are_refused_with_their_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(f'{{"id": "d1", "real": 0}}\n{line}\n', encoding="utf-8")
    with pytest.raises(TelosError, match=r"labels\.jsonl:2") as caught:
        read_labels(path)
    assert len(str(caught.value)) < 5000


@pytest.mark.parametrize(
    "change", [{"id": []}, {"obs": "x"}, {"obs": [1]}, {"observability": {}}, {"noisy": 3}, {"plan": []}]
)
def test_observations_of_wrong_types_are_refused(tmp_path: Path, change: dict[str, object]) -> None:
    entry = {"id": "a", "obs": ["(go)"], "observability": 10, "noisy": False, "plan": "p", **change}
    (tmp_path / "observations.jsonl").write_text(json.dumps(entry), encoding="utf-8")
    with pytest.raises(TelosError, match=r"observations\.jsonl:1"):
        read_cases(tmp_path)


def test_names_that_are_too_long_are_refused() -> None:
    with pytest.raises(TelosError):
        read_cases(Path("x" * 5000))
    with pytest.raises(TelosError):
        read_labels(Path("x" * 5000))
    with pytest.raises(TelosError):
        read_cases(Path("a\0b"))


def test_endless_files_end(tmp_path: Path) -> None:
    (tmp_path / "obs.dat").write_text("(go)\n", encoding="utf-8")
    for name in ("domain.pddl", "template.pddl", "hyps.dat"):
        (tmp_path / name).symlink_to("/dev/zero")
    with pytest.raises(TelosError, match="larger"):
        read_shared_problem(tmp_path)


def archive(path: Path, *members: tarfile.TarInfo, pack: Callable[[bytes], bytes] = bytes) -> Path:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as file:
        for member in members:
            file.addfile(member, io.BytesIO(bytes(member.size)) if member.isreg() else None)
    path.write_bytes(pack(data.getvalue()))
    return path


def member(name: str, size: int = 0, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.size, made.type, made.linkname = size, kind, "/etc/passwd"
    return made


PACKERS = {".tar.gz": gzip.compress, ".tgz": gzip.compress, ".tar.bz2": bz2.compress, ".tar.xz": lzma.compress}


@pytest.mark.parametrize("suffix", PACKERS)
def test_bombs_are_refused(tmp_path: Path, suffix: str) -> None:
    many = [member(f"a{i}", 8_000_000) for i in range(12)]
    path = archive(tmp_path / f"bomb{suffix}", *many, pack=PACKERS[suffix])
    with pytest.raises(TelosError, match=r"large|times its size"):
        read_archive(path)


@pytest.mark.parametrize("suffix", [*PACKERS, ".tar"])
def test_damaged_archives_are_refused_or_read(tmp_path: Path, suffix: str) -> None:
    good = archive(tmp_path / f"a{suffix}", member("obs.dat", 3000), pack=PACKERS.get(suffix, bytes)).read_bytes()
    bad = tmp_path / f"bad{suffix}"
    for place in range(0, len(good), max(1, len(good) // 60)):
        for damaged in (good[:place], good[:place] + bytes([good[place] ^ 255]) + good[place + 1 :]):
            bad.write_bytes(damaged)
            with suppress(TelosError):
                read_archive(bad)


@pytest.mark.parametrize(
    "bad",
    [
        [member("../x", 3)],
        [member("/x", 3)],
        [member("a\\b", 3)],
        [member("x", 0, tarfile.SYMTYPE)],
        [member("x", 0, tarfile.LNKTYPE)],
        [member("x", 0, tarfile.CHRTYPE)],
        [member("x", 0, tarfile.FIFOTYPE)],
        [member("x", 17_000_000)],
        [member(f"a{i}") for i in range(1001)],
    ],
)
def test_archives_with_odd_members_are_refused(tmp_path: Path, bad: list[tarfile.TarInfo]) -> None:
    with pytest.raises(TelosError):
        read_archive(archive(tmp_path / "a.tar", *bad))
