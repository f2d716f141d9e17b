"""``telos schema``: let an editor complete, explain and check authored files."""

import json
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from telos.core.errors import TelosError
from telos.files import editor_schema_text, parse_json, read_text, write_text

SETTINGS = Path(".vscode", "settings.json")
SCHEMA = Path(".vscode", "telos.schema.json")
MAPPING = "yaml.schemas"  # the setting of VS Code's YAML extension
_KEY = "./.vscode/telos.schema.json"  # relative to the folder that is opened, on every system
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)

schema = typer.Typer(
    name="schema",
    add_completion=False,
    no_args_is_help=True,
    help="Let an editor complete, explain and check the files that people write.",
)


@schema.callback()
def _group() -> None:
    """Let an editor complete, explain and check the files that people write."""


@schema.command()
def install(
    folder: Annotated[
        Path, typer.Argument(help="The folder that you open in the editor.", show_default="this one")
    ] = Path(),
    files: Annotated[
        list[str] | None,
        typer.Option(help="Which files, as in 'game/**/*.yaml'; may be repeated.", show_default="**/*.yaml, **/*.yml"),
    ] = None,
) -> None:
    """Write the JSON Schema of all authored files for VS Code, and the setting that maps files to it.

    A file is taken for what its first key says (domain, recognizer, character, …); other YAML files are left alone.
    Settings that exist stay as they are; settings with comments are not touched, and the line to add is printed. Other
    editors with a YAML language server take the same schema: .vscode/telos.schema.json.

    Examples: telos schema install; telos schema install camp --files 'minds/*.yaml'
    """
    if not folder.is_dir():
        raise TelosError(f"{str(folder)!r} is not a folder", "name the folder that you open in the editor")
    patterns = files or ["**/*.yaml", "**/*.yml"]
    settings = read_settings(folder / SETTINGS, patterns)
    (folder / SETTINGS).parent.mkdir(exist_ok=True)
    write_text(folder / SCHEMA, editor_schema_text() + "\n")
    text = merge_settings(settings, patterns)
    if text == settings:
        typer.echo(f"{folder / SETTINGS} maps {', '.join(patterns)} already")
    else:
        write_text(folder / SETTINGS, text)
        typer.echo(f"wrote {folder / SETTINGS}: {', '.join(patterns)}")
    typer.echo(f"wrote {folder / SCHEMA}")
    typer.echo("next: install the extension redhat.vscode-yaml, and open a file")


def read_settings(path: Path, patterns: list[str]) -> str:
    """Return the text of the settings, empty if there are none; refuse what cannot be merged without loss."""
    if not path.exists():
        return ""
    text = read_text(path)
    try:
        found = parse_json(text) if text.strip() else {}
    except TelosError as error:
        line = f'"{MAPPING}": {json.dumps({_KEY: patterns})}'
        remedy = f"comments would be lost, so add this line yourself: {line}"
        raise TelosError(f"{path}: {error.message}", remedy) from None
    for part, name in ((found, "the settings"), (found.get(MAPPING, {}) if isinstance(found, dict) else {}, MAPPING)):
        if not isinstance(part, dict):
            raise TelosError(f"{path}: {name} must be an object, got {json.dumps(part)[:40]}", "mend it in the editor")
    return text


def merge_settings(text: str, patterns: list[str]) -> str:
    """Return the settings with the mapping added, and all else as it was.

    >>> print(merge_settings('{"editor.rulers": [120]}', ["**/*.yaml"]))
    {
        "editor.rulers": [
            120
        ],
        "yaml.schemas": {
            "./.vscode/telos.schema.json": [
                "**/*.yaml"
            ]
        }
    }
    <BLANKLINE>
    """
    settings: dict[str, Any] = parse_json(text) if text.strip() else {}
    mapping = settings.get(MAPPING, {})
    if mapping.get(_KEY) == patterns:
        return text
    merged = {**settings, MAPPING: {**mapping, _KEY: patterns}}
    indent = _INDENT.search(text)
    return json.dumps(merged, indent=indent[1] if indent else 4, ensure_ascii=False) + "\n"
