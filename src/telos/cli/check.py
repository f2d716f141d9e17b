"""Check."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, TelosError
from telos.files.domain_file import load, schema_text
from telos.files.yaml import MAX_BYTES

# --- check sorts ------------------------------------------------------------------------------------------------------
# What sort of file ``telos check`` is looking at, and how each sort is read.


ENDINGS = (".yaml", ".yml", ".mln")
_FIRST_KEYS = re.compile(r"^(recognizer|scene|rules|exchanges|corpus):", re.MULTILINE)
_LOOKED_AT = 20_000  # characters: the key that says what a file is stands near its top


def sort_of(file: Path) -> str:
    """Return what a file is by the key that only its sort has: ``recognizer``, ``scene``, … or ``domain``."""
    if file.suffix == ".mln":
        return "formulas"
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            found = _FIRST_KEYS.search(opened.read(_LOOKED_AT))
    except OSError:
        return "domain"  # whose loader says why it cannot be read
    return found[1] if found else "domain"


def read(sort: str, file: Path) -> str:
    """Read a file that is no domain, and say in a few words what is in it; a bad one raises its faults."""
    return _READERS[sort](file)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _recognizer(file: Path) -> str:
    from telos.recognition.files.load import named_model  # each reader is loaded when it is needed

    model: Any = named_model(file)
    return f"a recogniser of {', '.join(model.goals)}"


def _scene(file: Path) -> str:
    from telos.worlds.arena.scene import load_scene

    return f"a scene with {_counted(len(load_scene(file).cast), 'fighter')}"


def _rules(file: Path) -> str:
    from telos.worlds.adventure.rules_file import load_rules

    load_rules(file)
    return "rules of the adventure"


def _exchanges(file: Path) -> str:
    from telos.squads.dialogue.lines import load_lines

    return f"dialogue, {_counted(len(load_lines(file)), 'exchange')}"


def _corpus(file: Path) -> str:
    from telos.telemetry.columns import load_columns

    return f"columns of the corpus {load_columns(file).name}"


def _formulas(file: Path) -> str:
    from telos.logic.syntax import load_mln

    model = load_mln(file)
    weights = sum(len(rule.weights) for rule in model.rules)
    return f"{_counted(len(model.rules), 'formula')}, {_counted(weights, 'weight')}"


_READERS: dict[str, Callable[[Path], str]] = {
    "recognizer": _recognizer,
    "scene": _scene,
    "rules": _rules,
    "exchanges": _exchanges,
    "corpus": _corpus,
    "formulas": _formulas,
}


# --- check ------------------------------------------------------------------------------------------------------------
# ``telos check``: whether authored files are right, and if not, where and why.


MOST_SHOWN = 50  # faults of one file; --json has them all
_WIDTH = 100  # characters of a source line that are shown


@dataclass(frozen=True, slots=True)
class Checked:
    """One file, and what is in it: a domain, something else in a few words, or faults."""

    file: Path
    sort: str = "domain"
    domain: Domain | None = None
    words: str = ""
    faults: tuple[Fault, ...] = ()


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Files of the sorts named above, or folders of them.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of lines.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of domain files, for editors, and exit.")
    ] = False,
) -> None:
    """Check authored files and report every fault, with its line and a remedy.

    Domains, recognisers, plan grammars, scenes, rules, dialogue, columns and formulas (.mln) are told apart by what is
    in them. Exits 0 if all files are right and 2 if any has faults.

    Example: telos check soldier.yaml examples/domains
    """
    if schema:
        typer.echo(schema_text())
        return
    if not paths:
        raise TelosError("nothing to check", "name a file or a folder, as in: telos check soldier.yaml")
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
    found = sorted(file for file in path.rglob("*") if file.suffix in ENDINGS and file.is_file())
    if not found:
        raise TelosError(f"{path}: no .yaml files in this folder", "name a folder that has some")
    yield from found


def _checked(file: Path) -> Checked:
    sort = sort_of(file)
    try:
        if sort != "domain":
            return Checked(file, sort, words=read(sort, file))
        return Checked(file, domain=load(file))
    except DefinitionError as error:
        return Checked(file, sort, faults=error.faults)


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
        **({} if checked.sort == "domain" else {"sort": checked.sort}),
        "domain": domain.name if domain else None,
        **counts,
        "functions_needed": list(domain.functions_needed) if domain else None,
        "faults": [
            {**{key: getattr(fault, key) for key in shown}, "path": list(fault.path)} for fault in checked.faults
        ],
    }


def _tell(checked: list[Checked]) -> None:
    for each in checked:
        typer.echo("\n".join(_fault_lines(each)) if each.faults else _summary(each))
    total = sum(len(each.faults) for each in checked)
    faulty = sum(1 for each in checked if each.faults)
    if total:
        files = f"{faulty} of {len(checked)} files" if len(checked) > 1 else "1 file"
        typer.secho(f"{total} {'fault' if total == 1 else 'faults'} in {files}", fg=typer.colors.RED)


def _summary(checked: Checked) -> str:
    said = checked.words if checked.domain is None else _described(checked.domain)
    return f"{checked.file}: {typer.style('fine', fg=typer.colors.GREEN)}: {said}"


def _described(domain: Domain) -> str:
    counts = ", ".join(f"{count} {word if count != 1 else word[:-1]}" for word, count in _counts(domain).items())
    needs = f"; needs from the game: {', '.join(domain.functions_needed)}" if domain.functions_needed else ""
    return f"{domain.name}, {counts}{needs}"


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
            return opened.read(MAX_BYTES).decode("utf-8-sig", errors="replace").split("\n")
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
