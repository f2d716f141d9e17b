"""The library stays in its folder and overwrites no version that its author has not seen."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telos.core.errors import TelosError
from telos.studio.models.library import MAX_BYTES, Library

SECRET = "secret: do not read\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with files in it, and some that are out of bounds beside it."""
    return furnished(tmp_path)


def furnished(outside: Path) -> Path:
    folder = outside / "models"
    (folder / "guards").mkdir(parents=True)
    (folder / "flairs.yaml").write_text("recognizer: ffbm\n")
    (folder / "guards" / "private.yml").write_text("character: private\n")
    (folder / "notes.txt").write_text("no model")
    (outside / "secret.yaml").write_text(SECRET)
    (outside / "models-2").mkdir()
    (outside / "models-2" / "other.yaml").write_text(SECRET)
    (folder / "link.yaml").symlink_to(outside / "secret.yaml")
    (folder / "gone.yaml").symlink_to(outside / "new.yaml")
    (folder / "out").symlink_to(outside, target_is_directory=True)
    (folder / "round.yaml").symlink_to(folder / "round.yaml")
    (folder / "alias.yaml").symlink_to(folder / "flairs.yaml")
    return folder


def snapshot(outside: Path) -> dict[str, bytes]:
    """Everything that is not below the folder of the library."""
    files = (path for path in outside.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path): path.read_bytes() for path in files if not path.is_relative_to(outside / "models")}


def test_files_are_listed_without_links_that_lead_out(home: Path) -> None:
    assert Library(home).names() == ("alias.yaml", "flairs.yaml", "guards/private.yml")


def test_file_is_opened_by_name(home: Path) -> None:
    assert Library(home).open("guards/private.yml") == "character: private\n"
    with pytest.raises(TelosError, match=r"no file 'flair\.yaml' in the folder; did you mean 'flairs\.yaml'"):
        Library(home).open("flair.yaml")


@pytest.mark.parametrize(
    "name",
    [
        "../secret.yaml",
        "guards/../../secret.yaml",
        "/etc/passwd",
        "/tmp/a.yaml",
        "\\\\host\\share.yaml",
        "guards\\..\\x.yaml",
        "C:\\x.yaml",
        "C:x.yaml",
        "a\x00.yaml",
        "a\n.yaml",
        "./a.yaml",
        "guards//a.yaml",
        "guards/",
        "",
        ".yaml",
        ".hidden.yaml",
        "~/a.yaml",
        "con.yaml",
        "NUL.yaml",
        "com1/a.yaml",
        "a.yaml.",
        "a.yaml ",
        "a.py",
        "notes.txt",
        "a.yaml/b",
        "a" * 200 + ".yaml",
        "a/b/c/d/e/f.yaml",
        "link.yaml",
        "gone.yaml",
        "out/secret.yaml",
        "out/new.yaml",
        "round.yaml",
        "\ud800.yaml",
        "a\u2044b\u202e.yaml",
    ],
)
def test_hostile_names_are_refused_with_remedy(home: Path, name: str) -> None:
    library, before = Library(home), snapshot(home.parent)
    with pytest.raises(TelosError, match=";"):
        library.open(name)
    with pytest.raises(TelosError, match=";"):
        library.diff(name, "x")
    for replaces in (None, "0" * 64):
        with pytest.raises(TelosError, match=";"):
            library.save(name, "x", replaces=replaces)
    assert snapshot(home.parent) == before


WAYS = ["..", ".", "", "/", "//", "\\", "~", "$HOME", "%2e%2e", "\x00", " ", "C:", "con", "．．", "‥", "\ud800"]
FILES = [
    "models",
    "models-2",
    "secret.yaml",
    "other.yaml",
    "out",
    "link.yaml",
    "gone.yaml",
    "guards",
    "a.yaml",
    "new.yml",
]
PARTS = st.sampled_from([*WAYS, *FILES])
NAMES = st.one_of(
    st.text(max_size=40), st.lists(PARTS, max_size=6).map("/".join), st.lists(PARTS, max_size=5).map("".join)
)


@given(NAMES, st.sampled_from([None, "0" * 64]))
def test_no_name_reads_or_writes_outside_folder(name: str, replaces: str | None) -> None:
    with TemporaryDirectory() as place:
        library, outside = Library(furnished(Path(place))), Path(place)
        before = snapshot(outside)
        with suppress(TelosError):
            assert library.open(name) != SECRET
        with suppress(TelosError):
            assert SECRET not in library.diff(name, "mine")
        with suppress(TelosError):
            library.save(name, "mine", replaces=replaces)
            assert library.open(name) == "mine"
        assert snapshot(outside) == before
        assert not list(outside.rglob("*.part"))


@given(NAMES)
def test_saved_file_is_listed(name: str) -> None:
    with TemporaryDirectory() as place:
        library = Library(Path(place))
        try:
            library.save(name, "mine", replaces=None)
        except TelosError:
            assert library.names() == ()
        else:
            assert library.names() == (name,)


# --- saving -----------------------------------------------------------------------------------------------------------


def test_new_file_is_saved_and_old_one_only_with_digest(home: Path) -> None:
    library = Library(home)
    first = library.save("mine/new.yaml", "one\n", replaces=None)
    with pytest.raises(TelosError, match="exists already"):
        library.save("mine/new.yaml", "two\n", replaces=None)
    second = library.save("mine/new.yaml", "two\n", replaces=first)
    with pytest.raises(TelosError, match="has changed meanwhile"):
        library.save("mine/new.yaml", "three\n", replaces=first)
    held = library.held("mine/new.yaml")
    assert held is not None
    assert (held.text, held.digest) == ("two\n", second)


def test_deleted_file_is_not_restored_unasked(home: Path) -> None:
    library = Library(home)
    digest = library.save("new.yaml", "one\n", replaces=None)
    (home / "new.yaml").unlink()
    with pytest.raises(TelosError, match="deleted meanwhile; save it as a new file"):
        library.save("new.yaml", "two\n", replaces=digest)
    assert library.held("new.yaml") is None


def test_save_keeps_permissions(home: Path) -> None:
    library = Library(home)
    digest = library.save("new.yaml", "one\n", replaces=None)
    (home / "new.yaml").chmod(0o640)
    library.save("new.yaml", "two\n", replaces=digest)
    assert (home / "new.yaml").stat().st_mode & 0o777 == 0o640


def test_failed_save_leaves_old_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library(home)
    digest = library.save("new.yaml", "one\n", replaces=None)

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for name, replaces in (("new.yaml", digest), ("newer.yaml", None)):
        with pytest.raises(TelosError, match="cannot be written: No space left"):
            library.save(name, "two\n", replaces=replaces)
    assert library.open("new.yaml") == "one\n"
    assert "newer.yaml" not in library.names()
    assert not list(home.rglob("*.part"))


def test_too_large_or_binary_file_is_refused(home: Path) -> None:
    library = Library(home)
    with pytest.raises(TelosError, match="larger than 256 KiB; split it"):
        library.save("new.yaml", "x" * (MAX_BYTES + 1), replaces=None)
    with pytest.raises(TelosError, match="character 3 of the text cannot be written"):
        library.save("new.yaml", "ab\ud800", replaces=None)
    (home / "big.yaml").write_bytes(b"x" * (MAX_BYTES + 1))
    (home / "latin.yaml").write_bytes(b"caf\xe9")
    for name, match in (("big.yaml", "larger than"), ("latin.yaml", "not UTF-8 at byte 3")):
        with pytest.raises(TelosError, match=match):
            library.open(name)


def test_pipe_is_refused(home: Path) -> None:
    os.mkfifo(home / "pipe.yaml")
    (home / "folder.yaml").mkdir()
    for name in ("pipe.yaml", "folder.yaml"):
        with pytest.raises(TelosError, match="is not a file"):
            Library(home).open(name)
    assert "pipe.yaml" not in Library(home).names()


def test_folder_must_exist(home: Path) -> None:
    for folder in (home / "nowhere", home / "flairs.yaml"):
        with pytest.raises(TelosError, match="name "):
            Library(folder)


# --- comparing --------------------------------------------------------------------------------------------------------


def test_diff_shows_changes_and_is_empty_without_any(home: Path) -> None:
    library = Library(home)
    assert library.diff("flairs.yaml", "recognizer: ffbm\n") == ""
    assert library.diff("flairs.yaml", "recognizer: fsm\n").splitlines() == [
        "--- flairs.yaml",
        "+++ flairs.yaml",
        "@@ -1 +1 @@",
        "-recognizer: ffbm",
        "+recognizer: fsm",
    ]
    assert library.diff("new.yaml", "a\n").startswith("--- /dev/null\n+++ new.yaml\n")


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n"]), max_size=12).map("".join)


def applied(before: str, diff: str) -> str:
    """Return the output of ``patch``, as an independent oracle."""
    with TemporaryDirectory() as place:
        (Path(place) / "f").write_text(before)
        subprocess.run(["patch", "-s", "f"], cwd=place, input=diff, text=True, check=True)
        return (Path(place) / "f").read_text() if (Path(place) / "f").exists() else ""


def diffs() -> Iterator[tuple[str, str]]:
    yield "a\nb\n", "a\nc"
    yield "a", "a\n"
    yield "".join(f"{i}\n" for i in range(3000)), "".join(f"{i}\n" for i in range(1, 2500))


@pytest.mark.skipif(not any((Path(p) / "patch").exists() for p in os.get_exec_path()), reason="there is no `patch`")
def test_diff_can_be_applied(home: Path) -> None:
    library = Library(home)
    for number, (before, after) in enumerate(diffs()):
        library.save(f"f{number}.yaml", before, replaces=None)
        assert applied(before, library.diff(f"f{number}.yaml", after)) == after


@given(LINES, LINES)
def test_diff_is_empty_only_between_equals(before: str, after: str) -> None:
    with TemporaryDirectory() as place:
        library = Library(Path(place))
        library.save("f.yaml", before, replaces=None)
        assert (library.diff("f.yaml", after) == "") == (before == after)
