"""Every broken file is answered with exactly the faults that it has."""

import json
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from files.broken import FILES, expected, is_said, matches
from files.work import calls_in
from telos.cli.main import app
from telos.core.errors import DefinitionError, Fault
from telos.files import load, loads

MANY_CALLS = 100_000  # the largest of the files takes fewer than 5,000


def faults_of(file: Path) -> tuple[Fault, ...]:
    with pytest.raises(DefinitionError) as caught:
        load(file)
    return caught.value.faults


def attempt(text: str) -> None:
    with suppress(DefinitionError):
        loads(text)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_broken_file_has_exactly_its_expected_faults(file: Path) -> None:
    found, wanted = list(faults_of(file)), expected(file)
    assert wanted, f"{file} says no faults"
    for line, column, said in wanted:
        match = next((fault for fault in found if matches(fault, line, column, said)), None)
        assert match is not None, f"no fault in line {line}: {said}\nfound: {'; '.join(map(str, found))}"
        found.remove(match)
    assert not found, "unexpected: " + "\n".join(str(fault) for fault in found)


def test_broken_files_take_few_calls() -> None:
    faults_of(FILES[0])  # so that what is made only once is there
    calls = {file.name: calls_in(partial(faults_of, file)) for file in FILES}
    assert max(calls.values()) < MANY_CALLS, calls


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_command_line_reports_the_same_faults(file: Path) -> None:
    faults = faults_of(file)
    plain = CliRunner().invoke(app, ["check", str(file)])
    assert plain.exit_code == 2
    lines = plain.stdout.splitlines()
    assert [line for line in lines if line.startswith(f"{file}:")] == [str(fault) for fault in faults]
    assert lines[-1] == f"{len(faults)} fault{'s' if len(faults) > 1 else ''} in 1 file"
    as_json = CliRunner().invoke(app, ["check", "--json", str(file)])
    assert as_json.exit_code == 2
    (told,) = json.loads(as_json.stdout)["files"]
    assert not told["ok"]
    assert [(each["line"], each["message"]) for each in told["faults"]] == [(f.line, f.message) for f in faults]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_fault_positions_are_inside_the_file(file: Path) -> None:
    lines = file.read_bytes().split(b"\n")
    for fault in faults_of(file):
        assert 1 <= fault.line <= len(lines)
        assert 1 <= fault.column <= len(lines[fault.line - 1]) + 1
        assert fault.file == str(file)
        assert "\n" not in str(fault)


def only_fault(file: Path) -> Fault:
    (fault,) = faults_of(file)
    return fault


def test_file_of_ten_megabytes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "huge.yaml"
    file.write_bytes(b"domain: huge\n" + b"# filler\n" * 1_200_000)
    assert is_said(only_fault(file), "too-large 4 MB")


def test_nesting_limit_stops_reading_at_once(tmp_path: Path) -> None:
    file = tmp_path / "brackets.yaml"
    file.write_text("domain: deep\nactions: " + "[" * 200_000)
    fault = only_fault(file)
    assert matches(fault, 2, 41, "too-large nested")


@pytest.mark.parametrize(
    "text",
    ["(" * 10_000 + "ammo" + ")" * 10_000, "not " * 10_000 + "ammo", "ammo + " * 10_000 + "1", "-" * 10_000 + "ammo"],
    ids=["parentheses", "not", "sum", "minus"],
)
def test_endless_expression_is_a_fault(tmp_path: Path, text: str) -> None:
    file = tmp_path / "expression.yaml"
    file.write_text(f"domain: deep\nvariables: {{ammo: int}}\nactions:\n  wait:\n    preconditions: '{text}'\n")
    assert is_said(only_fault(file), "bad-syntax 500")


def test_missing_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "nowhere.yaml"
    assert str(only_fault(file)) == f"{file}: no such file"


def test_folder_in_place_of_a_file_is_refused(tmp_path: Path) -> None:
    assert str(only_fault(tmp_path)) == f"{tmp_path}: this is a folder; name a file in it"


def long_lists(count: int) -> str:
    names = ", ".join(f"n{i % (count * 7 // 8)}" for i in range(count))
    return f"domain: long\nhandles: {{node: [{names}]}}\nvariables: {{at: [{names}]}}"


@pytest.mark.parametrize("count", [20_000, pytest.param(80_000, marks=pytest.mark.slow)])
def test_long_lists_take_linear_work(count: int) -> None:
    with pytest.raises(DefinitionError) as caught:
        loads(long_lists(count))
    assert {fault.line for fault in caught.value.faults} == {2, 3}
    few, many = long_lists(1_000), long_lists(4_000)
    assert calls_in(lambda: attempt(many)) < 4.4 * calls_in(lambda: attempt(few))  # four times as much to do


def test_error_text_is_limited_and_faults_are_complete() -> None:
    actions = "\n".join(f"  act{i}: {{preconditions: ammo > 1}}" for i in range(80))
    with pytest.raises(DefinitionError) as caught:
        loads(f"domain: long\nactions:\n{actions}")
    assert len(caught.value.faults) == 80
    assert str(caught.value).splitlines()[-1] == "… and 30 more"
