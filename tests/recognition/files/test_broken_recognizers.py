"""A broken recogniser file is answered with all its faults; each file says in its comments what they are."""

from pathlib import Path

import pytest

from files.broken import expected, matches
from telos.core.errors import DefinitionError
from telos.recognition.files.load import load_model

BROKEN = Path(__file__).parents[2] / "broken_recognizers"
FILES = sorted(BROKEN.glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_broken_file_has_exactly_the_faults_that_it_says(file: Path) -> None:
    with pytest.raises(DefinitionError) as caught:
        load_model(file)
    found = list(caught.value.faults)
    for line, column, said in expected(file):
        match = next((fault for fault in found if matches(fault, line, column, said)), None)
        assert match is not None, f"no fault in line {line}: {said}\nfound: " + "\n".join(map(str, found))
        found.remove(match)
    assert not found, "unexpected: " + "\n".join(str(fault) for fault in found)


def test_every_fault_points_into_its_file() -> None:
    for file in FILES:
        with pytest.raises(DefinitionError) as caught:
            load_model(file)
        lines = file.read_text(encoding="utf-8").split("\n")
        for fault in caught.value.faults:
            assert fault.file == str(file)
            assert 1 <= fault.line <= len(lines)
            assert 1 <= fault.column <= len(lines[fault.line - 1]) + 1
            assert "\n" not in str(fault)


def test_a_file_that_is_not_there_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="no such file"):
        load_model(tmp_path / "nobody.yaml")
