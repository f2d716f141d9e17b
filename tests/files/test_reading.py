"""The reader: limits, damaged archives, encodings, line ends, JSON."""

import gzip
import os
import zlib
from pathlib import Path
from random import Random

import pytest

from telos.core.errors import MAX_LINE, DefinitionError, Fault, FaultCode, TelosError
from telos.files import loads, open_input, parse_json, read_bytes, read_text, read_yaml
from telos.files.reading import MAX_RATIO, MAX_SMALL
from telos.files.yaml import source_width


def code_of(path: str | Path, **options: int) -> FaultCode:
    with pytest.raises(DefinitionError) as caught:
        read_text(path, **options)
    (fault,) = caught.value.faults
    assert fault.file == str(path)
    return fault.code


def test_file_over_the_limit_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"x" * 1001)
    assert code_of(path, limit=1000) is FaultCode.TOO_LARGE
    assert len(read_text(path, limit=1001)) == 1001
    if Path("/dev/zero").exists():
        assert code_of("/dev/zero") is FaultCode.TOO_LARGE


def test_inflated_size_counts(tmp_path: Path) -> None:
    path = tmp_path / "small.txt.gz"
    path.write_bytes(gzip.compress(b"x" * 100_000))
    assert code_of(path, limit=99_999) is FaultCode.TOO_LARGE
    assert len(read_text(path, limit=100_000)) == 100_000


def test_bomb_is_left_at_the_ratio_limit(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    packer = zlib.compressobj(9, wbits=31)
    piece = bytes(1_000_000)
    path.write_bytes(b"".join(packer.compress(piece) for _ in range(200)) + packer.flush())
    with open_input(path) as file:
        file.read(MAX_SMALL - 1_000_000)
        with pytest.raises(DefinitionError, match=f"inflates to more than {MAX_RATIO} times"):
            file.read(3_000_000)


def test_damaged_archives_are_refused(tmp_path: Path) -> None:
    whole = gzip.compress(bytes(Random(1).choices(range(97, 123), k=20_000)), mtime=0)
    path, random, refused = tmp_path / "log.gz", Random(2), 0
    for _ in range(300):
        damaged = bytearray(whole[: random.randrange(1, len(whole))] if random.random() < 0.3 else whole)
        damaged[random.randrange(len(damaged))] ^= 1 << random.randrange(8)
        path.write_bytes(damaged)
        try:
            read_bytes(path)
        except DefinitionError:
            refused += 1
    assert refused > 280


@pytest.mark.parametrize("name", ["missing", ".", "n" * 300, "zero\0byte", "file/inside"])
def test_names_that_are_not_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    assert code_of(name) is FaultCode.UNREADABLE


def test_pipe_that_nobody_writes_to_is_empty(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert read_text(tmp_path / "pipe") == ""


def test_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbfone\rtwo\r\nthree\n")
    assert read_text(path) == "one\ntwo\nthree\n"


@pytest.mark.parametrize(("data", "line"), [(b"one\ntwo \xff\n", 2), ("one".encode("utf-16"), 0)])
def test_other_encodings_are_refused(tmp_path: Path, data: bytes, line: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(DefinitionError, match="save it as UTF-8") as caught:
        read_text(path)
    assert caught.value.faults[0].line == line


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, '{"a":' * 100_000, "NaN", "[Infinity]", "1" * 5000, '{"a": ' + "9" * 5000 + "}"]
)
def test_every_failure_of_json_is_ours(text: str) -> None:
    with pytest.raises(TelosError) as caught:
        parse_json(text)
    assert caught.value.remedy
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_faults_have_the_same_line_for_all_line_ends(end: str) -> None:
    text = end.join(["domain: d", "variables:", "  ammo: int", "goals:", "  rest: {satisfied: 'amo > 1'}", ""])
    with pytest.raises(DefinitionError) as caught:
        loads(text)
    assert {fault.line for fault in caught.value.faults} == {5}


@pytest.mark.parametrize("separator", ["\x85", "\u2028", "\u2029"])
def test_line_ends_that_only_the_yaml_library_knows_are_refused(separator: str) -> None:
    (fault,) = read_yaml(f"a: 1\nb: x{separator}y\n").faults
    assert (fault.line, fault.code) == (2, FaultCode.BAD_YAML)


def test_places_in_one_text_are_found_by_one_pass() -> None:
    from telos.files.yaml import _source_columns

    source = '"' + r"\t{x}" * 5000 + '"'
    _source_columns.cache_clear()
    assert [source_width(source, 4 * index) for index in range(5000)] == [1 + 5 * index for index in range(5000)]
    assert _source_columns.cache_info().misses == 1


def test_messages_are_short_and_printable() -> None:
    error = TelosError("bad name " + "x\x1b[31m" * 10_000, "take another")
    assert len(str(error)) < 2 * MAX_LINE * 2
    assert str(error).isprintable()
    assert str(error).endswith("; take another")
    assert len(TelosError("\0" * 400).message) <= MAX_LINE, "escapes count"
    many = DefinitionError(Fault("bad" * 1000, "t" * 1000, file="f" * 1000, line=number) for number in range(1000))
    assert len(str(many)) < 6000
    assert len(many.faults) == 1000
    assert str(many).count("more") == 1
