"""The registry of authored file formats: which key identifies each, where its loader and its JSON Schema are.

Formats of upper layers are named by import strings (``package.module:name``), which are imported when they are needed.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from typing import Any

from telos.core.errors import TelosError, name_hint
from telos.files.schema import schema_text as to_schema_text


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A kind of authored YAML file.

    ``key`` is the top-level key that only this kind has, and ``value`` the value of that key where two kinds share it.
    ``loader`` and ``model`` are import strings; ``schema_file`` is a package and the name of the JSON Schema in it, and
    a format without one has its schema generated from ``model``. Files that ``needs_domain`` are loaded with a domain.
    """

    kind: str
    title: str
    key: str
    loader: str
    model: str = ""
    schema_file: str = ""
    value: str = ""
    needs_domain: bool = False

    def load_function(self) -> Callable[..., Any]:
        """Import and return the loader."""
        found: Callable[..., Any] = _import(self.loader)
        return found

    def schema_text(self) -> str:
        """Return the JSON Schema of such files."""
        if self.schema_file:
            package, _, name = self.schema_file.partition(":")
            return files(package).joinpath(name).read_text(encoding="utf-8").rstrip("\n")
        return to_schema_text(_import(self.model), self.title)


def _import(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


FORMATS: dict[str, FileFormat] = {
    each.kind: each
    for each in (
        FileFormat(
            "domain",
            "Telos domain file",
            key="domain",
            loader="telos.files.domain_file:load",
            model="telos.files.domain_file:DomainShape",
            schema_file="telos.files:domain.schema.json",
        ),
        FileFormat(
            "tasks",
            "Telos task file",
            key="tasks",
            loader="telos.planning.htn.files:load_tasks",
            model="telos.planning.htn.files:TasksShape",
            needs_domain=True,
        ),
        FileFormat(
            "grammar",
            "Telos grammar file",
            key="recognizer",
            value="grammar",
            loader="telos.recognition.grammar.files:load_grammar",
            model="telos.recognition.grammar.files:GrammarShape",
            schema_file="telos.recognition.grammar:grammar.schema.json",
        ),
        FileFormat(
            "recognizer",
            "Telos recogniser file",
            key="recognizer",
            loader="telos.recognition.files.load:load_model",
            schema_file="telos.recognition:recognizer.schema.json",
        ),
        FileFormat(
            "character",
            "Telos character file",
            key="character",
            loader="telos.agents.character:load_character",
            model="telos.agents.character:CharacterShape",
            schema_file="telos.agents:character.schema.json",
            needs_domain=True,
        ),
        FileFormat(
            "performances",
            "Telos performance file",
            key="performances",
            loader="telos.agents.body:load_performances",
            model="telos.agents.body:PerformancesShape",
            needs_domain=True,
        ),
        FileFormat(
            "lines",
            "Telos lines file",
            key="exchanges",
            loader="telos.squads.dialogue.lines:load_lines",
            model="telos.squads.dialogue.lines:LinesShape",
            schema_file="telos.squads.dialogue:lines.schema.json",
        ),
        FileFormat(
            "scene",
            "Telos scene file",
            key="scene",
            loader="telos.worlds.arena.scene:load_scene",
            model="telos.worlds.arena.scene:SceneShape",
            schema_file="telos.worlds.arena:scene.schema.json",
        ),
        FileFormat(
            "rules",
            "Telos adventure rules",
            key="rules",
            loader="telos.worlds.adventure.rules_file:load_rules",
            model="telos.worlds.adventure.rules_file:RulesShape",
            schema_file="telos.worlds.adventure:rules.schema.json",
        ),
        FileFormat(
            "corpus",
            "Telos corpus file",
            key="corpus",
            loader="telos.telemetry.columns:load_columns",
            model="telos.telemetry.columns:CorpusShape",
            schema_file="telos.telemetry:columns.schema.json",
        ),
        FileFormat(
            "columns",
            "Telos column file",
            key="columns",
            loader="telos.telemetry.columns:load_columns",
            model="telos.telemetry.columns:ColumnsShape",
        ),
    )
}

_FIRST_KEY = re.compile(
    rf"^({'|'.join(dict.fromkeys(each.key for each in FORMATS.values()))}):[ \t]*(\S*)", re.MULTILINE
)


def file_format(kind: str) -> FileFormat:
    """Return the format of that kind.

    >>> file_format("scene").key
    'scene'
    """
    if kind not in FORMATS:
        raise TelosError(f"unknown kind of file {kind!r}", name_hint(kind, FORMATS))
    return FORMATS[kind]


def schema_text(kind: str) -> str:
    """Return the JSON Schema of a kind of file, for editors."""
    return file_format(kind).schema_text()


def find_kind(text: str) -> str | None:
    r"""Return the kind of an authored file by the first key that identifies one; None if there is no such key.

    >>> find_kind("recognizer: grammar"), find_kind("# a rat\ncharacter: rat"), find_kind("ammo: 3")
    ('grammar', 'character', None)
    """
    first = _FIRST_KEY.search(text)
    if first is None:
        return None
    return next(
        each.kind for each in FORMATS.values() if each.key == first[1] and each.value in ("", first[2].strip("\"'"))
    )
