"""``telos check``: say what authored files are, report every fault, and note what is probably not meant."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from telos.cli.inspection import InspectedFile, find_files, find_foreign_files, inspect
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, Note, TelosError, printable
from telos.files.formats import FORMATS, schema_text
from telos.files.reading import MAX_BYTES, normalize_line_ends, open_input

MAX_SHOWN = 50  # faults per file; --json has them all
_WIDTH = 100  # characters shown of a source line
_KINDS = ", ".join(FORMATS)


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Files of the kinds named above, or folders of them.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of lines.")] = False,
    domain: Annotated[
        Path | None,
        typer.Option(
            help="The domain of characters, performances and tasks; by default the one beside them.", show_default=False
        ),
    ] = None,
    schema: Annotated[
        bool,
        typer.Option(
            "--schema", help=f"Print the JSON Schema of a kind of file and exit: {_KINDS}; domain by default."
        ),
    ] = False,
) -> None:
    """Check authored files: what each is, every fault with its line and a remedy, and notes.

    Domains, characters, performances, tasks, recognisers, plan grammars, scenes, manoeuvres, rules, dialogue, columns
    and formulas (.mln) are recognised by their first key, trained ensembles (.json) by how they begin. Characters,
    performances and tasks are checked with the domain file in their folder or the one above; a character without any,
    with that of the arena. Notes say what is allowed and probably not meant: a goal out of reach, a rule that never
    holds, a number without its unit. Exits 0 if all files are right, with or without notes, and 2 if any has faults.

    Examples: telos check soldier.yaml examples/domains; telos check --schema scene
    """
    if schema:
        typer.echo(schema_text(str(paths[0]) if paths else "domain"))
        return
    if not paths:
        raise TelosError("nothing to check", "name a file or a folder, as in: telos check soldier.yaml")
    checked = [inspect(file, domain=domain, is_named=file == path) for path in paths for file in find_files(path)]
    if as_json:
        typer.echo(json.dumps({"files": [_to_json(each) for each in checked]}, indent=2))
    else:
        _print_checked(checked)
        _print_foreign(paths)
    if any(each.faults for each in checked):
        raise typer.Exit(2)


def _counts(domain: Domain) -> dict[str, int]:
    posted = sum(len(thing.actions) for thing in domain.objects)
    return {
        "variables": len(domain.layout.variables),
        "actions": len(domain.actions) + posted,
        "goals": len(domain.goals),
    }


def _to_json(checked: InspectedFile) -> dict[str, Any]:
    domain = checked.domain
    counts = _counts(domain) if domain else dict.fromkeys(("variables", "actions", "goals"))
    return {
        "file": str(checked.file),
        "ok": not checked.faults,
        "kind": checked.kind,
        **({} if checked.kind == "domain" else {"sort": _first_key(checked.kind)}),
        "domain": domain.name if domain else None,
        **counts,
        "functions_needed": list(domain.functions_needed) if domain else None,
        "faults": [_fault_json(fault) for fault in checked.faults],
        "notes": [_fault_json(note) for note in checked.notes],
    }


def _fault_json(fault: Fault) -> dict[str, Any]:
    shown = ("line", "column", "text", "message", "suggestion")
    return {"code": str(fault.code), **{key: getattr(fault, key) for key in shown}, "path": list(fault.path)}


def _first_key(kind: str) -> str:
    return FORMATS[kind].key if kind in FORMATS else kind


# --- text -------------------------------------------------------------------------------------------------------------


def _print_checked(checked: list[InspectedFile]) -> None:
    for each in checked:
        typer.echo("\n".join(_fault_lines(each)) if each.faults else _format_summary(each))
        for line in _note_lines(each):
            typer.echo(line)
    for word, found, colour in (
        ("fault", [each.faults for each in checked if each.faults], typer.colors.RED),
        ("note", [each.notes for each in checked if each.notes], typer.colors.YELLOW),
    ):
        total = sum(map(len, found))
        if total:
            files = f"{len(found)} of {len(checked)} files" if len(checked) > 1 else "1 file"
            typer.secho(f"{total} {word}{'' if total == 1 else 's'} in {files}", fg=colour)


def _print_foreign(paths: Iterable[Path]) -> None:
    for path in paths:
        for foreign, files in find_foreign_files(path).items():
            more = f" and {len(files) - 1} more" if len(files) > 1 else ""
            typer.echo(f"{_shown(files[0])}{more}: {foreign.title}; {foreign.remedy}")


def _format_summary(checked: InspectedFile) -> str:
    summary = checked.summary if checked.domain is None else _summarise_domain(checked.domain)
    return f"{_shown(checked.file)}: {typer.style('fine', fg=typer.colors.GREEN)}: {summary}"


def _summarise_domain(domain: Domain) -> str:
    counts = ", ".join(f"{count} {word if count != 1 else word[:-1]}" for word, count in _counts(domain).items())
    needs = f"; needs from the game: {', '.join(domain.functions_needed)}" if domain.functions_needed else ""
    return f"{domain.name}, {counts}{needs}"


def _fault_lines(checked: InspectedFile) -> Iterator[str]:
    lines = _read_lines(checked.file) if any(fault.line for fault in checked.faults) else []
    for fault in checked.faults[:MAX_SHOWN]:
        yield typer.style(str(replace(fault, file=_shown(fault.file))), bold=True)
        yield from _source_lines(fault, lines)
    if len(checked.faults) > MAX_SHOWN:
        yield f"… and {len(checked.faults) - MAX_SHOWN} more in {_shown(checked.file)}"


def _note_lines(checked: InspectedFile) -> Iterator[str]:
    lines = _read_lines(checked.file) if checked.notes else []
    for note in checked.notes[:MAX_SHOWN]:
        yield typer.style(_format_note(note), fg=typer.colors.YELLOW)
        yield from _source_lines(note, lines)
    if len(checked.notes) > MAX_SHOWN:
        yield f"… and {len(checked.notes) - MAX_SHOWN} more notes on {_shown(checked.file)}"


def _format_note(note: Note) -> str:
    return str(replace(note, file=_shown(note.file), message=f"note: {note.message}"))


def _source_lines(fault: Fault, lines: list[str]) -> Iterator[str]:
    if 0 < fault.line <= len(lines):
        yield from _with_caret(lines[fault.line - 1], fault.column)


def _shown(file: str | Path) -> str:
    """Return the name of a file in one line, whatever characters it has."""
    return printable(str(file).replace("\n", "\\n"))


def _read_lines(file: Path) -> list[str]:
    try:
        with open_input(file) as opened:
            return normalize_line_ends(opened.read(MAX_BYTES).decode("utf-8-sig", errors="replace")).split("\n")
    except DefinitionError:
        return []


def _with_caret(line: str, column: int) -> Iterator[str]:
    """Yield the part of a source line around ``column``, and a caret under it."""
    # Unprintable characters are replaced: they could control the terminal, and a tab would shift the caret.
    shown = "".join(each if each.isprintable() else " " for each in line.rstrip())
    start = max(0, column - 1 - _WIDTH // 2) if len(shown) > _WIDTH else 0
    if shown:
        yield f"    {shown[start : start + _WIDTH]}"
        yield f"    {' ' * (column - 1 - start)}{typer.style('^', fg=typer.colors.RED)}"
