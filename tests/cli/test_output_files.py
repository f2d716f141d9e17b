"""Outputs of train, recognize and corpus: never over an input, whole or not at all, refused before the work begins."""

import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from cli.adventure_logs import log_lines, write_lines
from telos.cli.main import app
from telos.core.errors import TelosError
from telos.recognition.files.load import format_model, load_model, named_model
from telos.telemetry.tables import read_table

resource = pytest.importorskip("resource")  # a limit on the size of files acts as a full disk

COLUMNS = "corpus: log\naction: action\nplayer: player\nsession: time\norder: time\nachieved: goal\nfeatures: [loc]\n"
LOG_COLUMNS = "columns: log\ntime: t\naction: key\ntruth: truth\ncontext: {toward_town: bool, toward_monster: bool}\n"
TABLE = "player,time,action,loc,goal\n" + "".join(
    f"p{i % 3},{i},walk,camp,{'win' if i % 10 > 6 else ''}\n" for i in range(3000)
)
MLN = "loc(time, place)\ngoal(time, aim)\n1 loc(t, p) => goal(t, a)\n"


class Done(NamedTuple):
    """The end of a command, as the command line reports it."""

    returncode: int
    stdout: str
    stderr: str


def telos(folder: Path, *words: object, limit: int | None = None) -> Done:
    """Run a command in a folder; with a limit, no file can grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with chdir(folder):
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft if limit is None else limit, hard))
        try:
            done = CliRunner().invoke(app, [str(word) for word in words])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    if isinstance(done.exception, TelosError):
        return Done(2, done.stdout, f"{done.stderr}{done.exception}\n")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Done(done.exit_code, done.stdout, done.stderr)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_lines(tmp_path / "play.jsonl", log_lines(400))
    (tmp_path / "me.yaml").write_text(format_model(named_model("aiide")))  # type: ignore[arg-type]
    (tmp_path / "i.csv").write_text(TABLE)
    (tmp_path / "i.yaml").write_text(COLUMNS.replace("session: time\n", ""))
    (tmp_path / "keys.csv").write_text(
        "t,key,truth,toward_town,toward_monster\n" + "".join(f"{i},swing,level,0,1\n" for i in range(30))
    )
    (tmp_path / "keys.yaml").write_text(LOG_COLUMNS)
    (tmp_path / "m.mln").write_text(MLN)
    return tmp_path


def content(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


PREPARE = ("corpus", "prepare", "i.csv", "--columns", "i.yaml", "--folds", "0")


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (("recognize", "play.jsonl"), "play.jsonl"),
        (("recognize", "play.jsonl", "--model", "me.yaml"), "me.yaml"),
        (("recognize", "keys.csv", "--model", "me.yaml", "--columns", "keys.yaml"), "keys.csv"),
        (("recognize", "keys.csv", "--model", "me.yaml", "--columns", "keys.yaml"), "keys.yaml"),
        (("train", "play.jsonl"), "play.jsonl"),
        (("train", "play.jsonl", "--model", "me.yaml"), "me.yaml"),
        (("train", "keys.csv", "--columns", "keys.yaml"), "keys.yaml"),
        (PREPARE, "i.csv"),
        (("corpus", "prepare", "i.db", "--columns", "i.yaml"), "i.db"),
    ],
)
@pytest.mark.parametrize("link", ["", "symbolic", "hard"])
def test_an_output_that_is_an_input_is_refused_and_left_alone(
    words: tuple[str, ...], target: str, link: str, place: Path
) -> None:
    if target == "i.db":  # a log under the name of a database, which is no table, or formulas as the output
        (place / "i.db").hardlink_to(place / "m.mln")
        words = (*PREPARE, "--model", "m.mln")
    output = target
    if link:
        output = f"link{Path(target).suffix}"
        (place / output).symlink_to(target) if link == "symbolic" else (place / output).hardlink_to(place / target)
    before = content(place)
    done = telos(place, *words, "-o", output)
    assert done.returncode == 2, done
    assert done.stderr == f"{output}: this file is an input; name another file for the output\n"
    assert done.stdout == ""
    assert content(place) == before


OUTPUTS: list[Any] = [
    (("recognize", "play.jsonl"), "out.jsonl"),
    (("train", "play.jsonl", "--model", "me.yaml"), "out.yaml"),
    (PREPARE, "out.csv"),
    (PREPARE, "out.csv.gz"),
    (PREPARE, "out.jsonl"),
    (PREPARE, "out.jsonl.gz"),
    (PREPARE, "out.parquet"),
    ((*PREPARE, "--model", "m.mln"), "out.db"),
    (("corpus", "island", "--players", "1"), "out.csv"),
]


@pytest.mark.parametrize(("words", "output"), OUTPUTS)
def test_on_a_full_disk_the_old_output_stays(words: tuple[str, ...], output: str, place: Path) -> None:
    telos(place, *words, "-o", output)  # so that kernels are compiled, whose files could not be written either
    (place / output).write_text("old")
    before = content(place)
    done = telos(place, *words, "-o", output, limit=100)
    assert done.returncode == 2, done
    assert done.stderr.startswith(f"{output}: cannot be written: ")
    assert done.stderr.count("\n") == 1
    assert content(place) == before
    done = telos(place, *words, "-o", output)
    assert done.returncode == 0, done
    assert (place / output).read_bytes() != b"old"
    assert content(place).keys() == before.keys()


@pytest.mark.parametrize(("words", "output"), OUTPUTS)
def test_a_full_device_is_told_in_one_line(words: tuple[str, ...], output: str, place: Path, full_device: Path) -> None:
    (place / output).symlink_to(full_device)
    done = telos(place, *words, "-o", output)
    assert done.returncode == 2, done
    assert done.stderr.startswith(f"{output}: cannot be written: ")
    assert done.stderr.count("\n") == 1


def test_a_corpus_as_a_database_has_an_end_mark(place: Path) -> None:
    assert telos(place, *PREPARE, "--model", "m.mln", "-o", "out.db").returncode == 0
    lines = (place / "out.db").read_text().splitlines()
    assert lines[0].endswith(lines[-1])
    assert lines[-1] == "// end of file"


def test_outputs_are_refused_before_the_work(place: Path) -> None:
    for words, output in OUTPUTS:
        log = [place / "missing.jsonl" if word in ("play.jsonl", "i.csv") else word for word in words]
        done = telos(place, *log, "-o", f"nowhere/{output}")
        assert done.returncode == 2
        assert "there is no folder" in done.stderr
        assert done.stderr.count("\n") == 1


def test_trained_models_and_corpora_are_read_again(place: Path) -> None:
    assert telos(place, "train", "play.jsonl", "--model", "me.yaml", "-o", "again.yaml").returncode == 0
    assert load_model(place / "again.yaml") != load_model(place / "me.yaml")
    assert telos(place, *PREPARE, "-o", "out.csv.gz").returncode == 0
    assert read_table(place / "out.csv.gz").collect().height


@pytest.mark.parametrize(
    "words",
    [
        ("recognize", "play.jsonl", "--why", 10**23),
        ("corpus", "island", "--players", 10**23, "-o", "out.csv"),
        ("corpus", "prepare", "i.csv", "--columns", "i.yaml", "--folds", 10**23),
        ("recognize", "x" * 5000),
        ("train", "play.jsonl", "--model", "x" * 5000, "-o", "out.yaml"),
        ("train", "play.jsonl", "-o", "x" * 5000),
        ("corpus", "prepare", "i.csv", "--columns", "x" * 5000),
    ],
)
def test_absurd_values_are_refused_in_one_line(words: tuple[object, ...], place: Path) -> None:
    before = content(place)
    done = telos(place, *words)
    assert done.returncode == 2, done
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 2000
    assert "internal error" not in done.stderr
    assert content(place) == before


def test_a_full_device_ends_the_process_with_one_line(place: Path, full_device: Path) -> None:
    (place / "out.parquet").symlink_to(full_device)
    done = subprocess.run(
        [sys.executable, "-m", "telos", *PREPARE, "-o", "out.parquet"],
        cwd=place,
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("out.parquet: cannot be written: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("logs", ("recognize", "-o", "logs/day/b.jsonl")),
        ("logs/*/b.jsonl", ("recognize", "-o", "logs/day/b.jsonl")),
        ("logs", ("train", "--model", "aiide", "-o", "link.yaml")),
        ("logs", ("evaluate", "--report", "link.html")),
        ("logs", ("goals", "--report", "link.html")),
    ],
)
def test_a_log_in_a_folder_or_of_a_pattern_is_an_input_too(log: str, words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "logs" / "day").mkdir(parents=True)
    for name in ("a", "day/b"):
        write_lines(tmp_path / "logs" / f"{name}.jsonl", log_lines(60))
    for ending in ("yaml", "html"):
        (tmp_path / f"link.{ending}").symlink_to(tmp_path / "logs" / "day" / "b.jsonl")
    before = (tmp_path / "logs" / "day" / "b.jsonl").read_bytes()
    done = telos(tmp_path, words[0], log, *words[1:])
    assert (done.returncode, "this file is an input" in done.stderr) == (2, True), done
    assert (tmp_path / "logs" / "day" / "b.jsonl").read_bytes() == before


def test_a_full_folder_for_temporary_files_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from telos.telemetry.analytics import readings

    write_lines(tmp_path / "play.jsonl", log_lines(400))
    monkeypatch.setattr(readings.whole_sessions, "__kwdefaults__", {"rows_at_once": 50})
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = telos(tmp_path, "goals", "play.jsonl", limit=100)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
    assert "cannot be dealt by player" in done.stderr
    assert "TMPDIR" in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["play.jsonl"]
