"""Goal-recognition problems are read from both layouts, and hostile or broken files are refused in one line."""

import io
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from telos.core.errors import TelosError
from telos.recognition.strips.benchmark import RecognitionSettings, recognize_all, score_groups
from telos.recognition.strips.problem import read_cases, read_labels, read_shared_problem, read_true_goal

DATA = Path(__file__).parent / "data"
FILES = ("domain.pddl", "template.pddl", "hyps.dat")


def archive(path: Path, change: Callable[[tarfile.TarInfo], None] = lambda member: None) -> Path:
    """Pack the grid as one problem in the original layout; ``change`` makes its last member hostile."""
    texts = {name: (DATA / "grid" / name).read_text(encoding="utf-8") for name in FILES}
    texts |= {"obs.dat": "(MOVE PLACE_0_0 PLACE_0_1)\n", "real_hyp.dat": "(AT-ROBOT  place_0_4)\n"}
    with tarfile.open(path, "w:bz2") as packed:
        for name, text in texts.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(text.encode())
            if name == "real_hyp.dat":
                change(member)
            packed.addfile(member, io.BytesIO(text.encode()) if member.isfile() else None)
    return path


def refused(path: Path) -> str:
    with pytest.raises(TelosError) as caught:
        [read_shared_problem(case.place) for case in read_cases(path)]
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_collection_and_its_instance_folder_hold_the_same_problems() -> None:
    collection, instance = read_cases(DATA), read_cases(DATA / "grid")
    assert [case.id for case in collection] == [case.id for case in instance]
    assert collection[0].domain == "easy-ipc-grid"
    assert all(case.observations == other.observations for case, other in zip(collection, instance, strict=True))


def test_an_archive_is_read_without_touching_the_disk(tmp_path: Path) -> None:
    packed = archive(tmp_path / "grid_p1.tar.bz2")
    before = sorted(tmp_path.iterdir())
    [case] = read_cases(packed)
    assert case.id == "grid_p1"
    assert case.observations == ("(MOVE PLACE_0_0 PLACE_0_1)",)
    assert len(read_shared_problem(packed).goals) == 5
    label = read_true_goal(packed)
    assert label is not None
    assert label.real == {1}
    assert sorted(tmp_path.iterdir()) == before


def test_an_original_folder_reads_as_its_archive_does(tmp_path: Path) -> None:
    with tarfile.open(archive(tmp_path / "a.tar.bz2")) as packed:
        packed.extractall(tmp_path / "a", filter="data")
    assert read_cases(tmp_path / "a")[0].observations == read_cases(tmp_path / "a.tar.bz2")[0].observations


def renamed(name: str) -> Callable[[tarfile.TarInfo], None]:
    return lambda member: setattr(member, "name", name)


def linked(member: tarfile.TarInfo) -> None:
    member.type, member.linkname, member.size = tarfile.SYMTYPE, "/etc/passwd", 0


@pytest.mark.parametrize("name", ["../real_hyp.dat", "/etc/real_hyp.dat", "a/../../real_hyp.dat", "..\\real_hyp.dat"])
def test_an_archive_with_a_path_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    assert "leads out of the archive" in refused(archive(tmp_path / "bad.tar.bz2", renamed(name)))


def test_an_archive_with_a_link_is_refused(tmp_path: Path) -> None:
    assert "is a link" in refused(archive(tmp_path / "bad.tar.bz2", linked))


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.tar.bz2").write_text("hello", encoding="utf-8")
    assert "archive" in refused(tmp_path / "bad.tar.bz2")


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DATA / "grid", tmp_path / "grid"))


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(grid: Path, name: str) -> None:
    (grid / name).unlink()
    assert f"{grid / name}: no such file" in refused(grid)


def test_a_folder_without_problems_says_what_is_looked_for(tmp_path: Path) -> None:
    assert "has no index.csv, observations.jsonl or obs.dat" in refused(tmp_path)
    assert "not a folder" in refused(tmp_path / "nowhere")


def test_a_goal_with_an_unknown_predicate_is_refused(grid: Path) -> None:
    (grid / "hyps.dat").write_text("(at-robott place_0_4)\n", encoding="utf-8")
    assert "did you mean 'at-robot'?" in refused(grid)


def test_no_goals_are_refused(grid: Path) -> None:
    (grid / "hyps.dat").write_text("\n", encoding="utf-8")
    assert "no goals" in refused(grid)


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "a"}', '{"id": "a", "obs": "(move)"}'])
def test_a_bad_line_of_observations_is_named(grid: Path, line: str) -> None:
    (grid / "observations.jsonl").write_text(f"\n{line}\n", encoding="utf-8")
    assert "observations.jsonl:2:" in refused(grid)


def test_an_index_cannot_lead_out_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "index.csv").write_text("id,dir\nd1,../elsewhere\n", encoding="utf-8")
    assert "outside of the folder" in refused(tmp_path)


def test_only_the_problems_that_a_table_names_are_read(tmp_path: Path) -> None:
    wanted = read_cases(DATA)[2].id
    table = tmp_path / "some.csv"
    table.write_text(f"id,dir\n{wanted},grid\n", encoding="utf-8")
    assert [case.id for case in read_cases(DATA, table)] == [wanted]
    assert [case.id for case in read_cases(DATA / "grid", table)] == [wanted]
    table.write_text("id\nd99999\n", encoding="utf-8")
    with pytest.raises(TelosError, match="'d99999'"):
        read_cases(DATA, table)


def test_an_archive_that_does_not_tell_its_goal_is_read_all_the_same(tmp_path: Path) -> None:
    packed = archive(tmp_path / "blind.tar.bz2", renamed("notes.txt"))
    assert read_true_goal(packed) is None
    assert len(read_shared_problem(packed).goals) == 5


def test_answers_come_in_order_and_score_as_counted_by_hand() -> None:
    cases, labels = read_cases(DATA), read_labels(DATA / "labels.jsonl")
    answers = list(recognize_all(cases, RecognitionSettings(budget=0)))
    assert [answer.case for answer in answers] == list(cases)
    scores = score_groups([(answer, labels[answer.case.id]) for answer in answers])
    clean = [answer for answer in answers if not answer.case.noisy]
    hits = [bool(labels[answer.case.id].real & set(answer.reading.chosen)) for answer in clean]
    assert scores["gpr clean"][0].accuracy == sum(hits) / len(hits)
    assert scores["gpr clean"][0].spread == sum(len(answer.reading.chosen) for answer in clean) / len(clean)
    assert {row.name for row in scores["gpr clean"]} == {"all", "10 % seen", "50 % seen", "100 % seen", "easy-ipc-grid"}


def test_a_label_without_its_goal_is_named(tmp_path: Path) -> None:
    (tmp_path / "labels.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    with pytest.raises(TelosError, match=r"labels.jsonl:1: a label has"):
        read_labels(tmp_path / "labels.jsonl")
