"""``telos new``: what it writes runs, passes its own test and has no faults; what exists is never overwritten."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from telos.cli.main import app
from telos.core.errors import TelosError

SOURCES = Path(__file__).parents[2] / "src"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def telos(*words: str) -> str:
    answer = CliRunner().invoke(app, list(words))
    if isinstance(answer.exception, TelosError):
        raise answer.exception
    assert answer.exit_code == 0, answer.output
    return answer.stdout


@pytest.fixture
def camp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    told = telos("new", "game", "camp").splitlines()
    assert told[-1] == "next: cd camp && python main.py, python -m pytest, telos check ."
    files = [file for file in sorted((tmp_path / "camp").rglob("*")) if file.is_file()]
    assert [tmp_path / line.removeprefix("wrote ") for line in told[:-1]] == files
    return tmp_path / "camp"


def test_new_game_runs_and_passes_its_own_test(camp: Path) -> None:
    done = run(camp, "main.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Ann: goto(oakwood), for stock" in done.stdout
    assert "stoke, for warm" in done.stdout
    tested = run(camp, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert tested.returncode == 0, tested.stdout
    assert "3 passed" in tested.stdout


def test_new_game_has_no_faults_and_no_notes(camp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not [file for file in camp.rglob("*") if file.is_file() and "hamlet" in file.read_text() + file.name]
    told = telos("check", str(camp)).splitlines()
    assert len(told) == 3
    assert all(": fine: " in line for line in told)
    monkeypatch.chdir(camp)
    for line in (camp / "README.md").read_text().splitlines():
        if line.startswith("telos "):  # the commands that it advises
            telos(*line.partition("#")[0].split()[1:])


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("mypy", "--strict", "."),
        ("ruff", "check", "--isolated", "--line-length=120", "."),
        ("ruff", "format", "--check", "--line-length=120", "."),
    ],
)
def test_new_game_is_typed_and_formatted(camp: Path, words: tuple[str, ...]) -> None:
    if importlib.util.find_spec(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    done = run(camp, "-m", *words)
    assert done.returncode == 0, done.stdout + done.stderr


def test_new_character_has_all_that_its_domain_has(camp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(camp)
    assert telos("new", "character", "characters/guard") == (
        "wrote characters/guard.yaml\nnext: telos check characters/guard.yaml\n"
    )
    assert "fine: a character with 3 goals and 4 actions" in telos("check", "characters/guard.yaml")


@pytest.mark.parametrize(
    "domain", sorted((SOURCES.parent / "examples" / "domains").glob("*.yaml")), ids=lambda f: f.stem
)
def test_characters_of_every_domain_are_fine(domain: Path, tmp_path: Path) -> None:
    file = tmp_path / "ann.yaml"
    telos("new", "character", str(tmp_path / "ann"), "--domain", str(domain))
    assert "ann.yaml: fine" in telos("check", str(file), "--domain", str(domain))


@pytest.mark.parametrize(("kind", "word"), [("domain", "4 actions"), ("recognizer", "fish"), ("recogniser", "fish")])
def test_new_files_are_fine_as_they_are(kind: str, word: str, tmp_path: Path) -> None:
    telos("new", kind, str(tmp_path / "farm.yaml"))
    told = telos("check", str(tmp_path / "farm.yaml"))
    assert told.count("\n") == 1
    assert "fine: " in told
    assert word in told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("game", "camp"), "camp exists already"),
        (("game", "link"), "link exists already"),
        (("game", "note"), "note exists already"),
        (("domain", "farm"), "farm.yaml exists already"),
        (("game", "no/camp"), "there is no folder 'no'"),
        (("game", "9lives"), "'9lives' cannot be the name"),
        (("game", "my game"), "cannot be the name"),
        (("game", "."), "cannot be the name"),
        (("game", ".."), "cannot be the name"),
        (("game", ""), "cannot be the name"),
        (("game", "x" * 41), "at most 40"),
        (("game", "caf\u00e9"), "letters, digits"),
        (("game", "a\nb"), "cannot be the name"),
        (("domain", "true"), "in YAML"),
        (("domain", "farm/"), "farm.yaml exists already"),
        (("gmae", "x"), "did you mean 'game'?"),
        (("character", "guard"), "no domain file"),
        (("game", "x", "--domain", "farm.yaml"), "is for characters"),
        (("character", "x", "--domain", "none.yaml"), "no such file"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_line(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "camp").mkdir()
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "note").write_text("x")
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("camp", "link", "note"):
        (tmp_path / name).rename(folder / name)
    if words[0] == "domain":
        (folder / "farm.yaml").write_text("mine")
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    with pytest.raises(TelosError, match=said) as raised:
        telos("new", *words)
    assert "\n" not in str(raised.value)
    assert sorted(folder.rglob("*")) == before


def test_nothing_stays_of_a_game_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("telos.cli.new.write_text", lambda file, text: (_ for _ in ()).throw(TelosError("disk full")))
    with pytest.raises(TelosError, match="disk full"):
        telos("new", "game", str(tmp_path / "camp"))
    assert not list(tmp_path.iterdir())
