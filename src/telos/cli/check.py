"""``telos check``: whether domain files are right, and if not, where and why."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, TelosError
from telos.core.files.load import load
from telos.core.files.shape import schema_text
from telos.core.files.text import LARGEST

MOST_SHOWN = 50  # faults of one file; --json has them all
_WIDTH = 100  # characters of a source line that are shown


@dataclass(frozen=True, slots=True)
class Checked:
    """One file, and what is in it: a domain or faults."""

    file: Path
    domain: Domain | None = None
    faults: tuple[Fault, ...] = ()


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Domain files, or folders with domain files in them.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of lines.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of domain files, for editors, and exit.")
    ] = False,
) -> None:
    """Check domain files and report every fault, with its line and a remedy.

    Exits 0 if all files are right and 2 if any has faults.

    Example: telos check soldier.yaml examples/domains
    """
    if schema:
        typer.echo(schema_text())
        return
    if not paths:
        raise TelosError("nothing to check; name a file or a folder, as in: telos check soldier.yaml")
    checked = [_checked(file) for path in paths for file in _files(path)]
    if as_json:
        typer.echo(json.dumps({"files": [_as_json(each) for each in checked]}, indent=2))
    else:
        _tell(checked)
    if any(each.faults for each in checked):
        raise typer.Exit(2)


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    found = sorted(file for file in path.rglob("*") if file.suffix in (".yaml", ".yml") and file.is_file())
    if not found:
        raise TelosError(f"{path}: no .yaml files in this folder; name a folder that has some")
    yield from found


def _checked(file: Path) -> Checked:
    try:
        return Checked(file, load(file))
    except DefinitionError as error:
        return Checked(file, faults=error.faults)


def _counts(domain: Domain) -> dict[str, int]:
    posted = sum(len(thing.actions) for thing in domain.objects)
    return {
        "variables": len(domain.layout.variables),
        "actions": len(domain.actions) + posted,
        "goals": len(domain.goals),
    }


def _as_json(checked: Checked) -> dict[str, Any]:
    domain = checked.domain
    counts = _counts(domain) if domain else dict.fromkeys(("variables", "actions", "goals"))
    shown = ("line", "column", "text", "message", "suggestion")
    return {
        "file": str(checked.file),
        "ok": not checked.faults,
        "domain": domain.name if domain else None,
        **counts,
        "functions_needed": list(domain.functions_needed) if domain else None,
        "faults": [
            {**{key: getattr(fault, key) for key in shown}, "path": list(fault.path)} for fault in checked.faults
        ],
    }


def _tell(checked: list[Checked]) -> None:
    for each in checked:
        typer.echo(_summary(each.file, each.domain) if each.domain else "\n".join(_fault_lines(each)))
    total = sum(len(each.faults) for each in checked)
    faulty = sum(1 for each in checked if each.faults)
    if total:
        files = f"{faulty} of {len(checked)} files" if len(checked) > 1 else "1 file"
        typer.secho(f"{total} {'fault' if total == 1 else 'faults'} in {files}", fg=typer.colors.RED)


def _summary(file: Path, domain: Domain) -> str:
    counts = ", ".join(f"{count} {word if count != 1 else word[:-1]}" for word, count in _counts(domain).items())
    needs = f"; needs from the game: {', '.join(domain.functions_needed)}" if domain.functions_needed else ""
    return f"{file}: {typer.style('fine', fg=typer.colors.GREEN)}: {domain.name}, {counts}{needs}"


def _fault_lines(checked: Checked) -> Iterator[str]:
    lines = _source(checked.file)
    for fault in checked.faults[:MOST_SHOWN]:
        yield typer.style(str(fault), bold=True)
        if 0 < fault.line <= len(lines):
            yield from _pointed(lines[fault.line - 1], fault.column)
    if len(checked.faults) > MOST_SHOWN:
        yield f"… and {len(checked.faults) - MOST_SHOWN} more in {checked.file}"


def _source(file: Path) -> list[str]:
    try:
        with file.open("rb") as opened:
            return opened.read(LARGEST).decode("utf-8-sig", errors="replace").split("\n")
    except OSError:
        return []


def _pointed(line: str, column: int) -> Iterator[str]:
    """Yield the part of a source line around ``column``, and a caret under it."""
    # A terminal must not obey what stands in a file, and a tab or an unprintable character takes one column here.
    shown = "".join(each if each.isprintable() else " " for each in line.rstrip())
    start = max(0, column - 1 - _WIDTH // 2) if len(shown) > _WIDTH else 0
    if shown:
        yield f"    {shown[start : start + _WIDTH]}"
        yield f"    {' ' * (column - 1 - start)}{typer.style('^', fg=typer.colors.RED)}"
