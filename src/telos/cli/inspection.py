"""What a file is and what is wrong with it: its kind, a summary, faults, and notes. Start with ``inspect``."""

import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, Note, NoteCode, TelosError
from telos.files.definition import Definition
from telos.files.domain_file import DomainShape, load
from telos.files.formats import FORMATS, ForeignFile, find_foreign, find_kind, guess_kind
from telos.files.reading import normalize_line_ends, open_input, read_text
from telos.files.schema import unit_notes
from telos.files.yaml import Document, read_yaml
from telos.recognition.files.schema import FfbmShape, FsmShape, IohmmShape

ENDINGS = (".yaml", ".yml", ".mln")
FORMULAS = "formulas"  # .mln files
ENSEMBLE = "ensemble"  # .json files of trained recognisers
UNKNOWN = "unknown"
_SEARCHED = 20_000  # bytes: the key that identifies a file is near its top
_NEIGHBOURS, _NEIGHBOUR_BYTES = 200, 100_000  # files beside a domain that are searched for its names
_ARENA = "arena.yaml"  # the domain that characters without one of their own are checked with
_ENSEMBLE_HEAD = re.compile(r'\s*\{\s*"recognizer"\s*:\s*"ensemble"')
_WORDS = re.compile(r"[A-Za-z_][\w-]*")


@dataclass(frozen=True, slots=True)
class InspectedFile:
    """A file and what was found: its kind, a summary (or the domain), or faults; and notes if there are no faults."""

    file: Path
    kind: str = "domain"
    domain: Domain | None = None
    summary: str = ""
    faults: tuple[Fault, ...] = ()
    notes: tuple[Note, ...] = ()


def find_files(path: Path) -> Iterator[Path]:
    """Yield a file, or the authored files in a folder and below."""
    if not _is(stat.S_ISDIR, path):
        yield path
        return
    files = sorted(file for file in path.rglob("*") if _is(stat.S_ISREG, file))
    found = [file for file in files if file.suffix in ENDINGS or is_ensemble(file)]
    if not found and not any(map(identify_foreign, files)):
        raise TelosError(f"{path}: no .yaml files in this folder", "name a folder that has some")
    yield from found


def find_foreign_files(path: Path) -> dict[ForeignFile, list[Path]]:
    """Return the files of a folder that other commands read, by what they are."""
    found: dict[ForeignFile, list[Path]] = {}
    for file in sorted(path.rglob("*")) if _is(stat.S_ISDIR, path) else ():
        if file.suffix not in (*ENDINGS, ".py", ".json") and _is(stat.S_ISREG, file):
            foreign = identify_foreign(file)
            if foreign is not None:
                found.setdefault(foreign, []).append(file)
    return found


def identify_foreign(file: Path) -> ForeignFile | None:
    """Return what a file is that is not authored for Telos."""
    return find_foreign(file.name, _head(file) if file.suffix.lower() == ".pddl" else "")


def inspect(file: Path, *, domain: Path | None = None, is_named: bool = True) -> InspectedFile:
    """Load a file and return what it is and what is wrong with it.

    ``domain`` is the domain file of characters, performances and tasks; by default the one beside them. A file that is
    not ``is_named`` was found in a folder, and may be of a kind that Telos does not know.
    """
    if not _is(stat.S_ISREG, file) and _is(bool, file):  # a device or a pipe may not end, and can be read only once
        remedy = "copy it to one"
        fault = Fault("this is not a regular file", suggestion=remedy, file=str(file), code=FaultCode.UNREADABLE)
        return InspectedFile(file, faults=(fault,))
    if is_ensemble(file):
        return _inspect_ensemble(file)
    foreign = None if file.suffix in ENDINGS else identify_foreign(file)
    if foreign is not None and _is(stat.S_ISREG, file):
        message = f"this is {foreign.title}, which is not checked here"
        fault = Fault(message, suggestion=foreign.remedy, file=str(file), code=FaultCode.WRONG_FILE)
        return InspectedFile(file, UNKNOWN, faults=(fault,))
    kind = identify(file)
    if kind == UNKNOWN:
        return _unknown(file, is_named)
    try:
        return _inspect_kind(file, kind, domain)
    except DefinitionError as error:
        return InspectedFile(file, kind, faults=error.faults)
    except TelosError as error:
        fault = Fault(error.message, suggestion=error.remedy, code=FaultCode.INVALID)
        return InspectedFile(file, kind, faults=(fault,))


def is_ensemble(file: Path) -> bool:
    """Return whether a file is a trained ensemble, or meant to be one, by how it begins."""
    if file.suffix.lower() != ".json" or not _is(stat.S_ISREG, file):
        return False
    try:
        return _ENSEMBLE_HEAD.match(_head(file)) is not None
    except DefinitionError:
        return False


def _inspect_ensemble(file: Path) -> InspectedFile:
    from telos.recognition.ensemble.files import load_ensemble

    try:
        model = load_ensemble(file)
    except DefinitionError as error:
        return InspectedFile(file, ENSEMBLE, faults=error.faults)
    except TelosError as error:
        fault = Fault(error.message, suggestion=error.remedy, code=FaultCode.INVALID)
        return InspectedFile(file, ENSEMBLE, faults=(fault,))
    counted = f"{count(len(model.goals), 'goal')} from {count(len(model.program.names), 'feature')}"
    parts = f", in {count(len(model.parts), 'part')} by {model.parted_by}" if model.parted_by else ""
    return InspectedFile(file, ENSEMBLE, summary=f"a trained ensemble that reads {counted}{parts}")


def identify(file: Path) -> str:
    """Return the kind of a file: of its first key, or of what its keys resemble; ``domain`` if it cannot be read."""
    if file.suffix == ".mln":
        return FORMULAS
    try:
        head = normalize_line_ends(_head(file))
    except DefinitionError:
        return "domain"  # whose loader reports why it cannot be read
    kind = guess_kind(head)
    if kind is not None:
        return kind
    data = read_yaml(head).data
    if not isinstance(data, dict):
        return "domain"
    return next((kind for kind, keys in _OWN_KEYS.items() if keys & data.keys()), UNKNOWN)


def _keys(*models: Any) -> frozenset[str]:
    return frozenset(field.alias or name for model in models for name, field in model.model_fields.items())


# Keys by which a file without its first key can still be identified; a recogniser has goals and actions as well.
_OWN_KEYS = {
    "recognizer": _keys(FfbmShape, IohmmShape, FsmShape) - _keys(DomainShape) - {"name", "about", "start"},
    "domain": _keys(DomainShape),
}


def _unknown(file: Path, is_named: bool) -> InspectedFile:
    message = "no key says what this file is"
    remedy = f"start with one of {', '.join(dict.fromkeys(f'{each.key}:' for each in FORMATS.values() if each.use))}"
    if is_named:
        fault = Fault(message, suggestion=remedy, file=str(file), line=1, column=1, code=FaultCode.WRONG_FILE)
        return InspectedFile(file, UNKNOWN, faults=(fault,))
    note = Note(f"{message}: it was not checked", suggestion=remedy, file=str(file), line=1, column=1)
    return InspectedFile(file, UNKNOWN, summary="not a Telos file, by its keys", notes=(note,))


def _inspect_kind(file: Path, kind: str, domain: Path | None) -> InspectedFile:
    if kind == FORMULAS:
        return InspectedFile(file, kind, summary=_summarise_formulas(file))
    notes: list[Note] = []
    loaded = _load(file, kind, domain, notes)
    document = read_yaml(read_text(file), str(file))
    notes = sorted([*notes, *_notes(file, kind, loaded, document)], key=lambda note: (note.line, note.column))
    if kind == "domain":
        return InspectedFile(file, kind, domain=loaded, notes=tuple(notes))
    return InspectedFile(file, kind, summary=_SUMMARIES[kind](loaded), notes=tuple(notes))


def _load(file: Path, kind: str, domain: Path | None, notes: list[Note]) -> Any:
    """Load a file, which raises its faults."""
    if kind == "recognizer":
        from telos.recognition.files.load import loads_model

        return loads_model(read_text(file), name=str(file))
    if not FORMATS[kind].needs_domain:
        return FORMATS[kind].load_function()(file)
    candidates = [domain] if domain else domains_beside(file)
    if not candidates:
        return _load_without_domain(file, kind, notes)
    return _load_with_domain(file, kind, candidates)


def _load_with_domain(file: Path, kind: str, candidates: list[Path]) -> Any:
    """Load a file with the first domain that suits it, or else with the one that leaves the fewest faults."""
    errors: list[DefinitionError] = []
    for candidate in candidates:
        try:
            if kind == "character" and candidate.name == _ARENA:
                return _load_arena_character(file)
            return FORMATS[kind].load_function()(file, load(candidate))
        except DefinitionError as error:
            errors.append(error)
    raise min(errors, key=lambda error: len(error.faults))


def _load_without_domain(file: Path, kind: str, notes: list[Note]) -> Any:
    if kind == "character":
        return _load_arena_character(file)
    found = FORMATS[kind]
    model = found.find_model()
    assert model is not None  # formats with a domain have one
    definition = Definition(read_text(file), str(file), model, f"a {found.title}")
    definition.raise_if_faulty()
    message, remedy = "its names were not checked: no domain file lies beside it", "name one: --domain FILE"
    notes.append(Note(message, suggestion=remedy, file=str(file), line=1, column=1, code=NoteCode.NOT_CHECKED))
    return definition.model


def _load_arena_character(file: Path) -> Any:
    from telos.worlds.arena.ai.characters import load_arena_character

    return load_arena_character(file)


def domains_beside(file: Path) -> list[Path]:
    """Return the domain files in the folder of a file or, if there are none, in the folder above."""
    for folder in (file.absolute().parent, file.absolute().parent.parent):
        found = [each for each in sorted(folder.glob("*.y*ml")) if _is(stat.S_ISREG, each) and _is_domain(each)]
        if found:
            return found
    return []


def _is_domain(file: Path) -> bool:
    try:
        return find_kind(_head(file)) == "domain"
    except DefinitionError:
        return False


# --- notes ------------------------------------------------------------------------------------------------------------


def _notes(file: Path, kind: str, loaded: Any, document: Document) -> Iterator[Note]:
    """Yield the notes about a loaded file, each with its place."""
    model = FORMATS[kind].find_model()
    found = [*FORMATS[kind].find_notes(loaded, document.data), *(unit_notes(model, document.data) if model else ())]
    for note in found:
        is_name = note.code in (NoteCode.UNUSED_VARIABLE, NoteCode.UNUSED_ACTION)
        if is_name and note.path[-1] in _words_beside(file.absolute()):
            continue
        at_key = is_name or note.code in (NoteCode.NO_CATCH_ALL, NoteCode.ZERO_PRIOR)
        yield replace(document.locate(note, at_key=at_key), text="")


def _words_beside(file: Path) -> frozenset[str]:
    """Return the words in the other authored files and programs of a folder, which may use the names of a domain."""
    patterns = (f"{depth}*{ending}" for depth in ("", "*/") for ending in (".yaml", ".yml", ".py"))
    files = chain.from_iterable(sorted(file.parent.glob(pattern)) for pattern in patterns)
    others = islice((each for each in files if each != file and _is(stat.S_ISREG, each)), _NEIGHBOURS)
    return frozenset(word for each in others for word in _WORDS.findall(_head(each, _NEIGHBOUR_BYTES)))


def _head(file: Path, size: int = _SEARCHED) -> str:
    with open_input(file) as opened:
        return opened.read(size).decode("utf-8-sig", errors="replace")


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    """Whether a path leads to a file of a kind; not if there is none or it cannot be looked up."""
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):
        return False


# --- summaries --------------------------------------------------------------------------------------------------------


def _summarise_formulas(file: Path) -> str:
    from telos.logic.syntax import load_mln

    model = load_mln(file)
    weights = sum(len(rule.weights) for rule in model.rules)
    return f"{count(len(model.rules), 'formula')}, {count(weights, 'weight')}"


def count(number: int, word: str) -> str:
    """Return a number and a word, in the plural if need be."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def _summarise_character(character: Any) -> str:
    return f"a character with {count(len(character.goals), 'goal')} and {count(len(character.actions), 'action')}"


def _summarise_tasks(network: Any) -> str:
    return f"a task network with {count(len(network.tasks or ()), 'task')}"


def _summarise_performances(found: Any) -> str:
    return f"performances of {count(len(getattr(found, 'performances', found)), 'action')}"


def _summarise_manoeuvre(found: Any) -> str:
    return f"a manoeuvre with {count(len(found.stages), 'stage')} and {count(len(found.network.tasks), 'task')}"


# A few words on what is in a loaded file.
_SUMMARIES: dict[str, Callable[[Any], str]] = {
    "recognizer": lambda model: f"a recogniser of {', '.join(model.goals)}",
    "grammar": lambda model: f"a recogniser of {', '.join(model.goals)}",
    "concurrent": lambda model: f"a recogniser of {', '.join(model.goals)}, each by itself",
    "character": _summarise_character,
    "performances": _summarise_performances,
    "tasks": _summarise_tasks,
    "manoeuvre": _summarise_manoeuvre,
    "scene": lambda scene: f"a scene with {count(len(scene.cast), 'fighter')}",
    "rules": lambda _: "rules of the adventure",
    "lines": lambda lines: f"dialogue, {count(len(lines), 'exchange')}",
    "corpus": lambda columns: f"columns of the corpus {columns.name}",
    "columns": lambda columns: f"columns of the log {columns.name}",
    "village": lambda village: f"the village of the forge, {count(len(village.places), 'place')}",
    "utterances": lambda found: f"what the player of the forge may say, {count(len(found), 'utterance')}",
    "forge-lines": lambda lines: f"lines of the companion of the forge, for {count(len(lines.goals), 'goal')}",
    "companion-lines": lambda lines: f"lines of the companion of the adventure, for {count(len(lines), 'goal')}",
    "motives": lambda table: f"motives of a household, {count(len(table.motives), 'motive')}",
    "island": lambda story: f"an island with {count(len(story.map.places), 'place')}",
    "long-form": lambda story: f"the long form of an island, {count(len(story.protocol), 'step')} of a test",
    "tutor": lambda tutor: f"a tutor of the island, {count(len(tutor.suggestions), 'suggestion')}",
    "players": lambda styles: f"players of the island, {count(len(styles.traits), 'style')}",
}
