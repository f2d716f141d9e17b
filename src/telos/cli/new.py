"""``telos new``: write a runnable game, or a domain, a recogniser or a character to start from.

The skeletons lie beside this module, under ``skeletons/``. They are complete and work where they lie; their name is
``hamlet``, for which the name of the new one is put.
"""

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from telos.cli.inspection import domains_beside
from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.files import load, temporary_folder, write_text
from telos.files.yaml import read_yaml

KINDS = ("game", "domain", "recognizer", "character")
_OTHER_WORDS = {"recogniser": "recognizer", "reader": "recognizer", "project": "game"}
_STAND_IN = "hamlet"  # the name in the skeletons
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}\Z")


def new(
    kind: Annotated[str, typer.Argument(help=f"What to write: {', '.join(KINDS)}.", show_default=False)],
    name: Annotated[
        Path,
        typer.Argument(help="Its name, or a path that ends with it: camp, games/camp.", show_default=False),
    ],
    domain: Annotated[
        Path | None,
        typer.Option(
            help="The domain of a new character; by default the one beside it, or in the folder above.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write something to start from: a whole game that runs, or a file.

    A game is a folder NAME with a domain, characters, a world with bodies, a main program, a test and a README; it
    runs, its test passes, and `telos check` finds it fine. A domain, a recogniser or a character is a file NAME.yaml;
    a character has all that its domain has. Nothing that exists is overwritten.

    Examples: telos new game camp && cd camp && python main.py; telos new character characters/guard
    """
    kind = _OTHER_WORDS.get(kind, kind)
    if kind not in KINDS:
        raise TelosError(f"there is no skeleton of a {kind!r}", name_hint(kind, KINDS))
    if domain is not None and kind != "character":
        raise TelosError(f"--domain is for characters, not for a {kind}", "leave it out")
    name = name.with_suffix("") if kind != "game" and name.suffix in (".yaml", ".yml") else name
    target = name if kind == "game" else name.with_name(f"{_checked_name(name)}.yaml")
    word = _checked_name(name)
    _check_target(target)
    if kind == "game":
        written = write_game(target, word)
    else:
        text = _character_text(target, word, domain) if kind == "character" else _skeleton_text(kind, word)
        write_text(target, text)
        written = [target]
    for file in written:
        typer.echo(f"wrote {file}")
    typer.echo(f"next: {_next_step(kind, target)}")


def _checked_name(path: Path) -> str:
    """Return the last part of a path, which must be fit for a folder, a file and a YAML word."""
    name = path.name
    if not _NAME.match(name):
        remedy = "take letters, digits, - and _, a letter first, at most 40: camp, or games/camp"
        raise TelosError(f"{name or str(path)!r} cannot be the name", remedy)
    if not isinstance((read_yaml(f"name: {name}").data or {}).get("name"), str):
        raise TelosError(f"{name!r} cannot be the name", "it means something else in YAML: take another one")
    return name


def _check_target(target: Path) -> None:
    if target.is_symlink() or target.exists():
        raise TelosError(f"{target} exists already", "take another name, or move it away")
    if not target.parent.is_dir():
        raise TelosError(f"{target}: there is no folder {str(target.parent)!r}", "make it first")


def _next_step(kind: str, target: Path) -> str:
    if kind == "game":
        return f"cd {target} && python main.py, python -m pytest, telos check ."
    return f"telos check {target}"


# --- skeletons --------------------------------------------------------------------------------------------------------


def write_game(folder: Path, name: str) -> list[Path]:
    """Write the skeleton of a game into a new folder, whole or not at all; return its files."""
    with temporary_folder(f".{name}.", beside=folder) as made:
        for parts, text in sorted(_skeleton_files(files("telos.cli") / "skeletons" / "game")):
            file = made.joinpath(*(_named(part, name) for part in parts))
            file.parent.mkdir(parents=True, exist_ok=True)
            write_text(file, _named(text, name))
        made.chmod(0o755)
        made.rename(folder)
    return sorted(file for file in folder.rglob("*") if file.is_file())


def _skeleton_files(folder: Traversable) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the parts of the path of each file of a skeleton, and its text."""
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from (((entry.name, *parts), text) for parts, text in _skeleton_files(entry))
        elif entry.name.endswith((".py", ".yaml", ".md")):
            yield (entry.name,), entry.read_text(encoding="utf-8")


def _skeleton_text(kind: str, name: str) -> str:
    ((_, text),) = _skeleton_files(files("telos.cli") / "skeletons" / kind)
    return _named(text, name)


def _named(text: str, name: str) -> str:
    return text.replace(_STAND_IN, name)


# --- characters -------------------------------------------------------------------------------------------------------


def _character_text(target: Path, name: str, domain: Path | None) -> str:
    """Return a character file with everything that a domain has."""
    candidates = [domain] if domain is not None else domains_beside(target)
    if not candidates:
        remedy = "begin with `telos new domain`, or name one: --domain FILE"
        raise TelosError(f"{target}: no domain file lies beside it, or in the folder above", remedy)
    return format_character(name, load(candidates[0]))


def format_character(name: str, domain: Domain) -> str:
    """Return the text of a file of a character that wants and can do everything in a domain."""
    lines = [
        f"character: {name}",
        f"about: Wants and can do all that {domain.name or 'the domain'} has; take out what it has not.",
    ]
    for section, names in (
        ("goals", [goal.name for goal in domain.goals]),
        ("actions", [*(action.name for action in domain.actions), *_posted(domain)]),
    ):
        lines += [f"{section}:", *(f"  - {each}" for each in names)] if names else []
    goal = next((goal.name for goal in domain.goals), "eat")
    lines += [
        f"# priorities: {{{goal}: 20}}    # in place of the domain's: a number, or an expression over variables",
        "# like: NAME                 # begins with all that another character has; then only what differs stands here",
    ]
    return "\n".join(lines) + "\n"


def _posted(domain: Domain) -> list[str]:
    """Return the actions of smart objects, those of a template once."""
    of_things = [action.name for thing in domain.objects for action in thing.actions]
    return list(dict.fromkeys(domain.common_name(name) for name in of_things))
