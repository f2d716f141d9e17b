"""Absurd values of options are refused before any work: exit code 2, a few lines, no traceback, for every command."""

import inspect
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from telos.cli.common import in_range
from telos.cli.main import COMMANDS, app, load_command
from telos.core.errors import TelosError

TELOS = [sys.executable, "-c", "from telos.cli.main import run; run()"]
ABSURD = (str(10**23), str(-(10**23)), "9" * 5000, "nan", "-inf", "1e400", "", "ten", "1\x1b[31m")


def walk(name: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield a command, or the sub-commands of a group, with the words that call each."""
    command = load_command(name)
    found = getattr(command, "commands", None)
    yield from (((name, each), found[each]) for each in found) if found else [((name,), command)]


EVERY = [pair for name in COMMANDS for pair in walk(name)]


def declared(command: Any) -> Iterator[tuple[str, set[Any], Any]]:
    """Yield the parameters of a command: name, types, and how Typer is told about it."""
    for name, hint in typing.get_type_hints(inspect.unwrap(command.callback), include_extras=True).items():
        if typing.get_origin(hint) is typing.Annotated:
            kind, about, *_ = typing.get_args(hint)
            yield name, {kind, *typing.get_args(kind)}, about


def numeric(command: Any) -> list[tuple[str, Any]]:
    """Return the numeric options of a command, and their callbacks."""
    names = {each.name: max(each.opts, key=len) for each in command.params}
    return [(names[name], about.callback) for name, kinds, about in declared(command) if kinds & {int, float}]


def arguments(command: Any) -> list[str]:
    """Return a value for each argument and required option, so that the parser gets as far as the option's value."""
    words = []
    for each in command.params:
        if each.param_type_name == "argument" and each.required:
            words.append("no-such-file")
        elif each.param_type_name == "option" and each.required:
            words += [each.opts[0], "no-such-file"]
    return words


@pytest.mark.parametrize(("words", "command"), EVERY, ids=lambda each: " ".join(each) if type(each) is tuple else "")
def test_numeric_options_are_bounded_and_refuse_absurd_values(words: tuple[str, ...], command: Any) -> None:
    for option, callback in numeric(command):
        assert hasattr(callback, "bounds"), f"{' '.join(words)} {option} has no in_range"
        for value in ABSURD:
            result = CliRunner().invoke(app, [*words, *arguments(command), f"{option}={value}"])
            refused = isinstance(result.exception, TelosError) and option in str(result.exception)
            assert refused or result.exit_code == 2, (option, value, result.output)
            assert len(result.output) < 2000


def test_bounds_belong_to_the_range_unless_it_is_open() -> None:
    class Param:
        opts: typing.ClassVar = ["-n", "--number"]

    closed, opened = in_range(0, 3), in_range(0, 3, is_open=True)
    assert [closed(Param, each) for each in (0, 3, None)] == [0, 3, None]
    assert opened(Param, 0.5) == 0.5
    for check, value in ((closed, -1), (closed, 4), (closed, 10**400), (opened, 0), (opened, float("nan"))):
        with pytest.raises(TelosError, match="--number must be"):
            check(Param, value)


@pytest.mark.parametrize(("words", "command"), EVERY, ids=lambda each: " ".join(each) if type(each) is tuple else "")
def test_over_long_names_are_refused_in_a_few_lines(words: tuple[str, ...], command: Any) -> None:
    name = "x" * 5000
    given = [each if each != "no-such-file" else name for each in arguments(command)] or [name]
    result = CliRunner().invoke(app, [*words, *given])
    refused = isinstance(result.exception, TelosError | OSError)  # `run` prints both in a line
    assert refused or result.exit_code == 2, result.exception
    assert len(result.output) < 3000


@pytest.mark.parametrize(
    "words",
    [
        ["--" + "x" * 5000],
        ["plan", "--\x1b[31mred"],
        ["plan", "x" * 5000],
        ["check", "x" * 5000],
        ["study", "x" * 5000],
        ["recognize", "a" * 300 + "/" + "b" * 5000],
        ["corpus", "island", "-o", "x" * 5000 + ".csv"],
        ["tournament", "--jobs", str(10**23)],
    ],
)
def test_refusals_are_short_and_printable(words: list[str], tmp_path: Path) -> None:
    done = subprocess.run([*TELOS, *words], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    said = done.stdout + done.stderr
    assert len(said) < 2000
    assert "Traceback" not in said
    assert "internal error" not in said
    assert "\x1b[31mred" not in said
    assert not list(tmp_path.iterdir())
