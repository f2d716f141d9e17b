"""Generated pages of the site's reference: packages, commands, and files that people write."""

import ast
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from telos.cli.app import app, load_command
from telos.files.formats import FORMATS

SOURCE = Path(__file__).resolve().parents[1] / "src"
# Packages that are parts of a program and not for use from outside.
INTERNAL = ("telos.cli", "telos.studio.page", "telos.studio.server", "telos.studio.models")


# --- packages ---------------------------------------------------------------------------------------------------------


def list_packages() -> list[tuple[str, str]]:
    """Return the public packages, those that export names and are not parts of a program.

    Each stands with its room, which is empty if it is alone in it.
    """
    found = ["telos", "telos.checks"]
    for path in sorted(SOURCE.glob("telos/**/__init__.py")):
        name = ".".join(path.parent.relative_to(SOURCE).parts)
        if name != "telos" and read_exports(path) and not any(f"{name}.".startswith(f"{each}.") for each in INTERNAL):
            found.append(name)
    rooms = Counter(map(_room, found))
    return [("" if rooms[_room(name)] == 1 else _room(name), name) for name in sorted(found)]


def _room(name: str) -> str:
    return ".".join(name.split(".")[:2])


def read_exports(path: Path) -> list[str]:
    """Return ``__all__`` of a module without importing it."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(getattr(each, "id", "") == "__all__" for each in node.targets):
            return list(ast.literal_eval(node.value))
    return []


def _module_path(name: str) -> Path:
    folder = SOURCE.joinpath(*name.split("."))
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


def write_package_page(name: str) -> str:
    """Return the page of a package: its docstring and its public names."""
    return f"# `{name}`\n\n::: {name}\n"


def write_reference_index() -> str:
    """Return the page that lists what there is to look up."""
    rows = []
    for _, name in list_packages():
        doc = ast.get_docstring(ast.parse(_module_path(name).read_text(encoding="utf-8"))) or ""
        rows.append(f"| [`{name}`]({name}.md) | {_first_sentence(doc)} |")
    return (
        "# Reference\n\nMade of the source: docstrings, the commands' own help, and the schemas of the files.\n\n"
        "- [Commands](commands.md): every command with its arguments and options.\n"
        "- [Files that people write](files.md): every kind of file, with every field.\n"
        "- [What you can rely on](../reliability.md), [glossary](../glossary.md).\n\n"
        "## Packages\n\nWhat a package exports is public; modules inside may move.\n\n"
        "| package | |\n|---|---|\n" + "\n".join(rows) + "\n"
    )


def _first_sentence(doc: str) -> str:
    paragraph = " ".join(doc.split("\n\n", 1)[0].split())
    return paragraph.replace("|", "\\|")


# --- commands ---------------------------------------------------------------------------------------------------------


def write_commands_page() -> str:
    """Return the page of all commands, from their own help."""
    parts = [
        "# Commands\n\nExit codes: 0 for success or yes, 1 for a negative answer, 2 for bad input; no traceback.\n"
    ]
    for words, command in walk_commands():
        parts.append(_show_command(words, command))
    return "\n".join(parts)


def walk_commands() -> Iterator[tuple[str, Any]]:
    """Yield every command with the words that call it."""
    group: Any = typer.main.get_command(app)
    for name in group.list_commands(None):
        command: Any = load_command(name)
        yield f"telos {name}", command
        inner = getattr(command, "commands", None) or {}
        for each in inner:
            yield f"telos {name} {each}", command.get_command(typer.Context(command), each)


def _show_command(words: str, command: Any) -> str:
    level = "##" if words.count(" ") == 1 else "###"
    help_text = _to_paragraphs(command.help or "")
    rows = []
    for param in command.params:
        if getattr(param, "hidden", False) or param.name == "help":
            continue
        is_argument = param.param_type_name == "argument"
        record = getattr(param, "help", None) or ""
        name = (param.metavar or param.name).upper() if is_argument else ", ".join([*param.opts, *param.secondary_opts])
        default = _show_default(param)
        rows.append(f"| `{name}` | {_cell(record)}{default} |")
    table = "| argument or option | |\n|---|---|\n" + "\n".join(rows) + "\n" if rows else ""
    return f"{level} `{words}`\n\n{help_text}\n\n{table}"


def _to_paragraphs(help_text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in help_text.replace("\b", "").split("\n\n")).replace("*", "\\*")


def _show_default(param: Any) -> str:
    if isinstance(getattr(param, "show_default", None), str):
        return f" Default: {param.show_default}."
    default = param.default
    if default in (None, False, True, (), "") or callable(default) or not isinstance(default, str | int | float):
        return ""
    return f" Default: `{default}`."


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


# --- files ------------------------------------------------------------------------------------------------------------


def write_files_page() -> str:
    """Return the page of all authored files, from their JSON Schemas."""
    parts = [
        "# Files that people write\n\nEvery kind is recognised by a key of its own. `telos check FILE` reports every"
        " fault with its line; `telos schema install` lets an editor complete and explain what is on this page.\n"
    ]
    for kind, each in FORMATS.items():
        schema = json.loads(each.schema_text())
        key = f"{each.key}: {each.value}" if each.value else f"{each.key}:"
        use = f" Read by `{each.use}`." if each.use else ""
        parts.append(f"## {each.title.removeprefix('Telos ').capitalize()}\n\n`{key}` (kind `{kind}`).{use}\n")
        parts.append(_show_fields(schema))
    return "\n".join(parts)


def _show_fields(schema: dict[str, Any]) -> str:
    shown = []
    tables = [("", schema), *schema.get("$defs", {}).items()]
    for name, shape in tables:
        fields = shape.get("properties", {})
        if not fields:
            continue
        required = shape.get("required", [])
        rows = "\n".join(
            f"| `{field}`{' (needed)' if field in required else ''} | {_cell(about.get('description', ''))} |"
            for field, about in fields.items()
        )
        title = f"**{name.removesuffix('Shape')}**" + (
            f": {_cell(shape['description'])}" if shape.get("description") else ""
        )
        shown.append(f"{title if name else ''}\n\n| field | |\n|---|---|\n{rows}\n")
    return "\n".join(shown)
