"""The registry of authored file formats, and what a file seems to be.

Each format has the key that identifies it, its loader and its JSON Schema.

Formats of upper layers are named by import strings (``package.module:name``), which are imported when they are needed.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.resources import files
from pathlib import PurePath
from typing import Any

from telos.core.errors import Fault, FaultCode, Note, TelosError, name_hint
from telos.files.schema import FileModel
from telos.files.schema import schema_text as to_schema_text


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A kind of authored YAML file.

    ``key`` is the top-level key that only this kind has, and ``value`` the value of that key where two kinds share it.
    ``loader``, ``model`` and ``notes`` are import strings; ``schema_file`` is a package and the name of the JSON Schema
    in it, and a format without one has its schema generated from ``model``. Files that ``needs_domain`` are loaded with
    a domain. ``use`` is what reads such files. ``notes`` yields what an author should know about a loaded file.
    """

    kind: str
    title: str
    key: str
    loader: str
    model: str = ""
    schema_file: str = ""
    value: str = ""
    needs_domain: bool = False
    use: str = ""
    notes: str = ""

    def load_function(self) -> Callable[..., Any]:
        """Import and return the loader."""
        found: Callable[..., Any] = _import(self.loader)
        return found

    def find_notes(self, loaded: Any, data: Any) -> list[Note]:
        """Return the notes about a file, each with its path; ``data`` is what the file says."""
        return list(_import(self.notes)(loaded, data)) if self.notes else []

    def find_model(self) -> type[FileModel] | None:
        """Return the model of such files, if there is one for all of them."""
        found: type[FileModel] | None = _import(self.model) if self.model else None
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
            use="telos.load",
            notes="telos.files.domain_notes:domain_notes",
        ),
        FileFormat(
            "tasks",
            "Telos task file",
            key="tasks",
            loader="telos.planning.htn.files:load_tasks",
            model="telos.planning.htn.files:TasksShape",
            needs_domain=True,
            use="telos.planning.htn.load_tasks",
        ),
        FileFormat(
            "grammar",
            "Telos grammar file",
            key="recognizer",
            value="grammar",
            loader="telos.recognition.grammar.files:load_grammar",
            model="telos.recognition.grammar.files:GrammarShape",
            schema_file="telos.recognition.grammar:grammar.schema.json",
            use="telos.recognizer",
        ),
        FileFormat(
            "concurrent",
            "Telos concurrent recogniser file",
            key="recognizer",
            value="concurrent",
            loader="telos.recognition.files.concurrent:load_concurrent",
            model="telos.recognition.files.concurrent:ConcurrentShape",
            use="telos.recognizer",
        ),
        FileFormat(
            "recognizer",
            "Telos recogniser file",
            key="recognizer",
            loader="telos.recognition.files.load:load_model",
            schema_file="telos.recognition:recognizer.schema.json",
            use="telos.recognizer",
            notes="telos.recognition.files.notes:recognizer_notes",
        ),
        FileFormat(
            "character",
            "Telos character file",
            key="character",
            loader="telos.agents.character:load_character",
            model="telos.agents.character:CharacterShape",
            schema_file="telos.agents:character.schema.json",
            needs_domain=True,
            use="telos.load_character",
        ),
        FileFormat(
            "performances",
            "Telos performance file",
            key="performances",
            loader="telos.agents.body:load_performances",
            model="telos.agents.body:PerformancesShape",
            needs_domain=True,
            use="telos.agents.load_performances",
        ),
        FileFormat(
            "lines",
            "Telos lines file",
            key="exchanges",
            loader="telos.squads.dialogue.lines:load_lines",
            model="telos.squads.dialogue.lines:LinesShape",
            schema_file="telos.squads.dialogue:lines.schema.json",
            use="telos.squads.load_lines",
            notes="telos.squads.dialogue.exchanges:exchange_notes",
        ),
        FileFormat(
            "manoeuvre",
            "Telos manoeuvre file",
            key="manoeuvre",
            loader="telos.squads.manoeuvres.files:load_manoeuvre",
            model="telos.squads.manoeuvres.files:ManoeuvreShape",
            schema_file="telos.squads.manoeuvres:manoeuvre.schema.json",
            use="telos.squads.load_manoeuvre",
        ),
        FileFormat(
            "scene",
            "Telos scene file",
            key="scene",
            loader="telos.worlds.arena.scene:load_scene",
            model="telos.worlds.arena.scene:SceneShape",
            schema_file="telos.worlds.arena:scene.schema.json",
            use="telos play arena --scene",
        ),
        FileFormat(
            "rules",
            "Telos adventure rules",
            key="rules",
            loader="telos.worlds.adventure.rules_file:load_rules",
            model="telos.worlds.adventure.schema:RulesShape",
            schema_file="telos.worlds.adventure:rules.schema.json",
            use="telos play adventure --rules",
        ),
        FileFormat(
            "corpus",
            "Telos corpus file",
            key="corpus",
            loader="telos.telemetry.columns:load_columns",
            model="telos.telemetry.columns:CorpusShape",
            schema_file="telos.telemetry:columns.schema.json",
            use="telos corpus prepare --columns",
        ),
        FileFormat(
            "columns",
            "Telos column file",
            key="columns",
            loader="telos.telemetry.columns:load_columns",
            model="telos.telemetry.columns:ColumnsShape",
            schema_file="telos.telemetry:log.schema.json",
            use="telos recognize --columns",
        ),
        # what the worlds of the package are made of
        FileFormat(
            "village",
            "Telos forge village",
            key="village",
            loader="telos.worlds.forge.domain:read_village",
            model="telos.worlds.forge.domain:VillageShape",
        ),
        FileFormat(
            "utterances",
            "Telos forge utterances",
            key="utterances",
            loader="telos.worlds.forge.speech:read_utterances",
            model="telos.worlds.forge.speech:UtterancesShape",
        ),
        FileFormat(
            "forge-lines",
            "Telos forge lines",
            key="unclear",
            loader="telos.worlds.forge.speech:read_companion_lines",
            model="telos.worlds.forge.speech:ForgeLinesShape",
        ),
        FileFormat(
            "companion-lines",
            "Telos adventure companion lines",
            key="companion",
            loader="telos.worlds.adventure.companion:read_lines",
            model="telos.worlds.adventure.companion:CompanionLinesShape",
        ),
        FileFormat(
            "motives",
            "Telos household motives",
            key="motives",
            loader="telos.worlds.home.motives_file:read_motives",
            model="telos.worlds.home.motives_file:MotivesShape",
        ),
        FileFormat(
            "island",
            "Telos island",
            key="island",
            loader="telos.worlds.island.story:read_story",
            model="telos.worlds.island.story:StoryShape",
        ),
        FileFormat(
            "long-form",
            "Telos island long form",
            key="long-form",
            loader="telos.worlds.island.long_form:read_long_form",
            model="telos.worlds.island.long_form:LongFormShape",
        ),
        FileFormat(
            "tutor",
            "Telos island tutor",
            key="tutor",
            loader="telos.worlds.island.tutor:read_tutor",
            model="telos.worlds.island.tutor:TutorShape",
        ),
        FileFormat(
            "players",
            "Telos island players",
            key="styles",
            loader="telos.worlds.island.styles:read_styles",
            model="telos.worlds.island.styles:PlayersShape",
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


def editor_schema_text() -> str:
    """Return one JSON Schema for all authored files, in which the key that identifies a file decides its kind.

    A file without such a key is not described, so that the schema can be mapped to all YAML files of a folder.
    """
    kinds = {kind: json.loads(each.schema_text()) for kind, each in FORMATS.items()}
    shapes: dict[str, Any] = {}
    for kind, shape in kinds.items():
        del shape["$schema"]
        # what a kind calls #/$defs/X is #/$defs/KIND/$defs/X here
        shapes[kind] = json.loads(json.dumps(shape).replace('"#/$defs/', f'"#/$defs/{kind}/$defs/'))
    first_keys = {each.key: {"description": f"A {each.title}."} for each in reversed(FORMATS.values())}
    keys: dict[str, set[str]] = {}
    for kind, each in FORMATS.items():
        keys[each.key] = keys.get(each.key, set()) | _own_keys(kinds[kind])
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Telos files",
        "type": ["object", "array", "string", "number", "boolean", "null"],  # of a file of another program
        "properties": first_keys,
        "allOf": [{"if": _is_kind(each, keys), "then": {"$ref": f"#/$defs/{kind}"}} for kind, each in FORMATS.items()],
        "$defs": shapes,
    }
    return json.dumps(schema, indent=1, ensure_ascii=False)


def _own_keys(schema: dict[str, Any]) -> set[str]:
    """Return the keys at the top of files with this schema."""
    own = set(schema.get("properties", {}))
    for branch in [*schema.get("anyOf", []), *schema.get("oneOf", [])]:
        shape = schema.get("$defs", {}).get(branch.get("$ref", "").rpartition("/")[2], branch)
        own |= set(shape.get("properties", {}))
    return own


def _is_kind(found: FileFormat, keys: dict[str, set[str]]) -> dict[str, Any]:
    """Return a condition of JSON Schema that holds for files of the kind; ``keys`` are those of each kind, by its own.

    A file is of another kind if it has the key of that kind, and this one is an ordinary key there.
    """
    values = [each.value for each in FORMATS.values() if each.key == found.key and each.value]
    value: dict[str, Any] = {"const": found.value} if found.value else {"not": {"enum": values}} if values else {}
    others = [{"required": [key]} for key, own in keys.items() if key != found.key and found.key in own]
    no_other = {"not": {"anyOf": others}} if others else {}
    return {"type": "object", "required": [found.key], "properties": {found.key: value}, **no_other}


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


ALIKE = 0.85  # how much a misspelt key resembles the right one
_TOP_KEY = re.compile(r"^([A-Za-z][\w-]*):", re.MULTILINE)


def guess_kind(text: str) -> str | None:
    r"""Return the kind of an authored file, also if the key that identifies it is misspelt.

    >>> guess_kind("recogniser: ffbm"), guess_kind("exchange: {}"), guess_kind("ammo: 3")
    ('recognizer', 'lines', None)
    """
    known = {each.key for each in FORMATS.values()}
    for written in _TOP_KEY.findall(text):
        meant = get_close_matches(written.lower(), known, n=1, cutoff=ALIKE)
        if meant:
            return find_kind(re.sub(rf"^{written}:", f"{meant[0]}:", text, count=1, flags=re.MULTILINE))
    return None


# --- files of other kinds ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ForeignFile:
    """A file that is not authored for Telos, but read by one of its commands."""

    title: str
    remedy: str


_PDDL = re.compile(r"\s*(?:;[^\n]*\n\s*)*\(\s*define\s*\(\s*(domain|problem)\b", re.IGNORECASE)
_LOG = ForeignFile("an event log", "telos recognize LOG reads it, and telos corpus prepare LOG")
_BY_SUFFIX = {
    ".csv": _LOG,
    ".tsv": _LOG,
    ".jsonl": _LOG,
    ".parquet": _LOG,
    ".db": ForeignFile("evidence for Markov logic", "telos logic infer reads it"),
    ".py": ForeignFile("a Python program", "python runs it"),
    ".json": ForeignFile("a JSON file", "a saved game is read by restore(), a JSON Schema by an editor"),
}


def find_foreign(name: str, head: str) -> ForeignFile | None:
    """Return what a file is by how its name ends or how it begins, if it is not authored for Telos.

    >>> find_foreign("blocks.pddl", "(define (domain blocks)").title
    'a PDDL domain'
    """
    pddl = _PDDL.match(head)
    suffix = PurePath(name).suffix.lower()
    if pddl or suffix == ".pddl":
        part = pddl[1].lower() if pddl else "file"
        return ForeignFile(f"a PDDL {part}", "telos plan --pddl DOMAIN PROBLEM reads it")
    if suffix == ".hddl":
        return ForeignFile("an HDDL file", "telos.recognition.strips reads it")
    return _BY_SUFFIX.get(suffix)


def wrong_file_fault(data: Any, model: type[FileModel], what: str) -> Fault | None:
    """Return the fault of a file of another kind than ``model`` describes; None if it has a key of this kind."""
    if not isinstance(data, dict):
        return None
    own = {field.alias or name for name, field in model.model_fields.items()}
    identifying = own & {each.key for each in FORMATS.values()}
    if any(get_close_matches(key, identifying, cutoff=ALIKE) for key in data):
        return None
    kind = guess_kind(_keys_text(data))
    if kind is None or FORMATS[kind].key in own:
        return None
    found = FORMATS[kind]
    remedy = f"{found.use} reads it" if found.use else "telos check tells what is in it"
    message = f"{what} is wanted, and this is another kind: {found.title}"
    return Fault(message, suggestion=remedy, code=FaultCode.WRONG_FILE)


def _keys_text(data: dict[str, Any]) -> str:
    return "\n".join(f"{key}: {value if isinstance(value, str) else ''}" for key, value in data.items())
