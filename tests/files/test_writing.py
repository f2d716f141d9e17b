"""The writer: whole or not at all, never over an input, no part left behind."""

import os
import stat
from pathlib import Path

import pytest

from telos.core.errors import TelosError
from telos.files import add_end_mark, check_output, open_output, read_text, write_bytes, write_text


def files_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_new_file_is_written_whole(tmp_path: Path) -> None:
    write_text(tmp_path / "new.yaml", "goals: [rest]\nwords: ä\r\n")
    assert (tmp_path / "new.yaml").read_bytes() == "goals: [rest]\nwords: ä\r\n".encode()
    assert files_in(tmp_path) == ["new.yaml"]


def test_target_is_unchanged_until_the_block_ends(tmp_path: Path) -> None:
    target = tmp_path / "model.yaml"
    target.write_text("old")
    with open_output(target) as file:
        file.write("new")
        file.flush()
        assert target.read_text() == "old"
    assert target.read_text() == "new"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_after_an_error_the_old_file_is_intact_and_nothing_else_is_left(
    tmp_path: Path, error: type[BaseException]
) -> None:
    target = tmp_path / "model.yaml"
    target.write_text("old")

    def fail_halfway() -> None:
        with open_output(target) as file:
            file.write("half")
            raise error

    with pytest.raises(error):
        fail_halfway()
    assert target.read_text() == "old"
    assert files_in(tmp_path) == ["model.yaml"]


def test_full_device_is_one_error_that_names_it() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with pytest.raises(TelosError, match=r"^/dev/full: cannot be written: No space left on device$"):
        write_bytes("/dev/full", b"x" * 100_000)
    with pytest.raises(TelosError, match=r"^/dev/full: cannot be written"), open_output("/dev/full") as file:
        file.write("x")


def test_full_disk_leaves_the_old_file_and_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")  # a limit on the size of files acts as a full disk
    target = tmp_path / "table.csv"
    target.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(TelosError, match=r"table.csv: cannot be written: File too large"):
            write_bytes(target, b"x" * 100_000)
        with pytest.raises(TelosError, match="cannot be written"), open_output(target) as file:
            file.write("x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert target.read_text() == "old"
    assert files_in(tmp_path) == ["table.csv"]


def test_output_that_is_an_input_is_refused_under_every_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "play.jsonl"
    log.write_text("events")
    (tmp_path / "soft").symlink_to(log)
    os.link(log, tmp_path / "hard")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("play.jsonl", str(log), "soft", "hard", "folder/../play.jsonl"):
        with pytest.raises(TelosError, match="this file is an input; name another file"):
            check_output(name, inputs=[None, "missing", log])
        with pytest.raises(TelosError, match="this file is an input"):
            write_text(name, "beliefs", inputs=[log])
        with pytest.raises(TelosError, match="this file is an input"):
            check_output(log, inputs=[name])
    assert log.read_text() == "events"
    check_output(tmp_path / "other.jsonl", inputs=[log, "soft"])


def test_link_stays_a_link_and_its_file_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "file", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_mode_of_the_old_file_is_kept_and_a_new_one_follows_the_umask(tmp_path: Path) -> None:
    target = tmp_path / "private"
    target.write_text("old")
    target.chmod(0o600)
    write_text(target, "new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "fresh", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("missing/out.yaml", "there is no folder"),
        (".", "this is a folder"),
        ("file/out.yaml", "cannot be written|there is no folder"),
        ("n" * 300, "cannot be written: File name too long"),
        ("zero\0byte", "this is not the name of a file"),
        ("circle", "cannot be written"),
    ],
)
def test_impossible_targets_are_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    (tmp_path / "circle").symlink_to("circle")
    before = files_in(tmp_path)
    with pytest.raises(TelosError, match=says):
        check_output(name)
    with pytest.raises(TelosError, match=says):
        write_text(name, "text")
    assert files_in(tmp_path) == before


def test_pipe_is_written_directly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text(pipe, "events")
    assert os.read(reader, 100) == b"events"
    os.close(reader)
    assert files_in(tmp_path) == ["pipe"]


@pytest.mark.parametrize("comment", ["#", "//"])
def test_every_proper_prefix_of_a_marked_text_is_refused_or_without_content(tmp_path: Path, comment: str) -> None:
    body = f"{comment} words\ngoals: [rest]\ncounts: 12"
    whole = add_end_mark(body, comment)
    path = tmp_path / "model"
    refused = 0
    for length in range(len(whole)):
        path.write_text(whole[:length])
        try:
            text = read_text(path)
        except TelosError as error:
            refused += "cut short" in str(error)
        else:
            lines = [line for line in text.split("\n") if not line.startswith(comment[0])]
            assert not "".join(lines) or text == whole[:-1], "only comments, or all but the last line end"
    assert refused > len(body)
    path.write_text(body)
    assert read_text(path) == body, "a file without the mark still loads"


def test_end_mark_follows_the_line_that_editors_look_for() -> None:
    marked = add_end_mark("# yaml-language-server: $schema=x.json\nname: a\n")
    assert marked.split("\n")[0] == "# yaml-language-server: $schema=x.json"
    assert marked.split("\n")[1].startswith("# complete if")
