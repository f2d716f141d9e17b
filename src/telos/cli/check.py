"""``telos check``: report every fault of authored files, or summarise what is in them."""

import json
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, printable
from telos.files.domain_file import load
from telos.files.formats import FORMATS, find_kind, schema_text
from telos.files.reading import MAX_BYTES, normalize_line_ends, open_input

ENDINGS = (".yaml", ".yml", ".mln")
FORMULAS = "formulas"  # .mln files, the one kind that is not YAML
_SEARCHED = 20_000  # bytes: the key that identifies a file is near its top

MAX_SHOWN = 50  # faults per file; --json has them all
_WIDTH = 100  # characters shown of a source line
_KINDS = ", ".join(FORMATS)
_ARENA = "arena.yaml"  # the domain that characters without one of their own are checked with


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file and what was found in it: a domain, a summary of something else, or faults."""

    file: Path
    kind: str = "domain"
    domain: Domain | None = None
    summary: str = ""
    faults: tuple[Fault, ...] = ()


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Files of the kinds named above, or folders of them.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of lines.")] = False,
    schema: Annotated[
        bool,
        typer.Option(
            "--schema", help=f"Print the JSON Schema of a kind of file and exit: {_KINDS}; domain by default."
        ),
    ] = False,
) -> None:
    """Check authored files and report every fault, with its line and a remedy.

    Domains, characters, recognisers, plan grammars, scenes, rules, dialogue, columns and formulas (.mln) are recognised
    by their first key. A character is checked with the domain file in its folder or the one above, or else with that of
    the arena. Exits 0 if all files are right and 2 if any has faults.

    Examples: telos check soldier.yaml examples/domains; telos check --schema scene
    """
    if schema:
        typer.echo(schema_text(str(paths[0]) if paths else "domain"))
        return
    if not paths:
        raise TelosError("nothing to check", "name a file or a folder, as in: telos check soldier.yaml")
    checked = [_check_file(file) for path in paths for file in _files(path)]
    if as_json:
        typer.echo(json.dumps({"files": [_to_json(each) for each in checked]}, indent=2))
    else:
        _print_checked(checked)
    if any(each.faults for each in checked):
        raise typer.Exit(2)


def _files(path: Path) -> Iterator[Path]:
    if not _is(stat.S_ISDIR, path):
        yield path
        return
    found = sorted(file for file in path.rglob("*") if file.suffix in ENDINGS and _is(stat.S_ISREG, file))
    if not found:
        raise TelosError(f"{path}: no .yaml files in this folder", "name a folder that has some")
    yield from found


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    """Whether a path leads to a file of a kind; not if there is none or it cannot be looked up."""
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _check_file(file: Path) -> CheckedFile:
    if not _is(stat.S_ISREG, file) and _is(bool, file):  # a device or a pipe may not end, and can be read only once
        fault = Fault(
            "this is not a regular file", suggestion="copy it to one", file=str(file), code=FaultCode.UNREADABLE
        )
        return CheckedFile(file, faults=(fault,))
    kind = _find_kind(file)
    try:
        if kind == "domain":
            return CheckedFile(file, domain=load(file))
        return CheckedFile(file, kind, summary=_SUMMARIES[kind](file))
    except DefinitionError as error:
        return CheckedFile(file, kind, faults=error.faults)
    except TelosError as error:
        return CheckedFile(file, kind, faults=(Fault(error.message, suggestion=error.remedy),))


def _find_kind(file: Path) -> str:
    """Return the kind of a file by its first key; ``domain`` for one that cannot be read or identified."""
    if file.suffix == ".mln":
        return FORMULAS
    try:
        with open_input(file) as opened:
            head = opened.read(_SEARCHED).decode("utf-8-sig", errors="replace")
    except DefinitionError:
        return "domain"  # whose loader reports why it cannot be read
    kind = find_kind(normalize_line_ends(head))
    return kind if kind in _SUMMARIES else "domain"


def _load(kind: str, file: Path) -> Any:
    return FORMATS[kind].load_function()(file)


def _summarise_recognizer(file: Path) -> str:
    from telos.recognition.files.load import named_model

    model: Any = named_model(file)
    return f"a recogniser of {', '.join(model.goals)}"


def _summarise_character(file: Path) -> str:
    from telos.agents.character import load_character
    from telos.worlds.arena.ai.characters import load_arena_character

    own = _domain_beside(file)  # the arena's own lies beside its characters
    character = load_arena_character(file) if own is None else load_character(file, load(own))
    return f"a character with {_count(len(character.goals), 'goal')} and {_count(len(character.actions), 'action')}"


def _domain_beside(file: Path) -> Path | None:
    """Return the only domain file in the folder of a file or, if there is none, in the folder above."""
    for folder in (file.absolute().parent, file.absolute().parent.parent):
        found = [each for each in sorted(folder.glob("*.y*ml")) if _is(stat.S_ISREG, each) and _is_domain(each)]
        if found:
            return found[0] if len(found) == 1 and found[0].name != _ARENA else None
    return None


def _is_domain(file: Path) -> bool:
    try:
        with open_input(file) as opened:
            return find_kind(opened.read(_SEARCHED).decode("utf-8-sig", errors="replace")) == "domain"
    except DefinitionError:
        return False


def _summarise_rules(file: Path) -> str:
    _load("rules", file)
    return "rules of the adventure"


def _summarise_formulas(file: Path) -> str:
    from telos.logic.syntax import load_mln

    model = load_mln(file)
    weights = sum(len(rule.weights) for rule in model.rules)
    return f"{_count(len(model.rules), 'formula')}, {_count(weights, 'weight')}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


# Each loads a file, which raises its faults, and returns a few words on what is in it.
_SUMMARIES: dict[str, Callable[[Path], str]] = {
    "recognizer": _summarise_recognizer,
    "grammar": _summarise_recognizer,
    "character": _summarise_character,
    "scene": lambda file: f"a scene with {_count(len(_load('scene', file).cast), 'fighter')}",
    "rules": _summarise_rules,
    "lines": lambda file: f"dialogue, {_count(len(_load('lines', file)), 'exchange')}",
    "corpus": lambda file: f"columns of the corpus {_load('corpus', file).name}",
    "columns": lambda file: f"columns of the log {_load('columns', file).name}",
    FORMULAS: _summarise_formulas,
}


def _counts(domain: Domain) -> dict[str, int]:
    posted = sum(len(thing.actions) for thing in domain.objects)
    return {
        "variables": len(domain.layout.variables),
        "actions": len(domain.actions) + posted,
        "goals": len(domain.goals),
    }


def _to_json(checked: CheckedFile) -> dict[str, Any]:
    domain = checked.domain
    counts = _counts(domain) if domain else dict.fromkeys(("variables", "actions", "goals"))
    shown = ("line", "column", "text", "message", "suggestion")
    return {
        "file": str(checked.file),
        "ok": not checked.faults,
        **({} if checked.kind == "domain" else {"sort": _first_key(checked.kind)}),
        "domain": domain.name if domain else None,
        **counts,
        "functions_needed": list(domain.functions_needed) if domain else None,
        "faults": [
            {**{key: getattr(fault, key) for key in shown}, "path": list(fault.path)} for fault in checked.faults
        ],
    }


def _first_key(kind: str) -> str:
    return FORMATS[kind].key if kind in FORMATS else kind


def _print_checked(checked: list[CheckedFile]) -> None:
    for each in checked:
        typer.echo("\n".join(_fault_lines(each)) if each.faults else _format_summary(each))
    total = sum(len(each.faults) for each in checked)
    faulty = sum(1 for each in checked if each.faults)
    if total:
        files = f"{faulty} of {len(checked)} files" if len(checked) > 1 else "1 file"
        typer.secho(f"{total} {'fault' if total == 1 else 'faults'} in {files}", fg=typer.colors.RED)


def _format_summary(checked: CheckedFile) -> str:
    summary = checked.summary if checked.domain is None else _summarise_domain(checked.domain)
    return f"{_shown(checked.file)}: {typer.style('fine', fg=typer.colors.GREEN)}: {summary}"


def _summarise_domain(domain: Domain) -> str:
    counts = ", ".join(f"{count} {word if count != 1 else word[:-1]}" for word, count in _counts(domain).items())
    needs = f"; needs from the game: {', '.join(domain.functions_needed)}" if domain.functions_needed else ""
    return f"{domain.name}, {counts}{needs}"


def _fault_lines(checked: CheckedFile) -> Iterator[str]:
    lines = _read_lines(checked.file) if any(fault.line for fault in checked.faults) else []
    for fault in checked.faults[:MAX_SHOWN]:
        yield typer.style(str(replace(fault, file=_shown(fault.file))), bold=True)
        if 0 < fault.line <= len(lines):
            yield from _with_caret(lines[fault.line - 1], fault.column)
    if len(checked.faults) > MAX_SHOWN:
        yield f"… and {len(checked.faults) - MAX_SHOWN} more in {_shown(checked.file)}"


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
