"""The characters of the arena with some of them written anew, from text: `like` finds others by name, never a file."""

from collections.abc import Mapping
from functools import lru_cache

from telos.agents.character import Character
from telos.agents.character_files import characters_from
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.files.sheet import Sheet
from telos.core.files.text import read_text
from telos.core.frozen import FrozenMap
from telos.worlds.arena.cast import DATA, arena_domain
from telos.worlds.arena.fighter import BODY_KEYS, body_of
from telos.worlds.arena.senses import SENSORS


@lru_cache(maxsize=1)
def character_texts() -> Mapping[str, str]:
    """Return the files of the characters that come with the arena, by name."""
    files = sorted((DATA / "characters").glob("*.yaml"))
    return FrozenMap({file.stem: read_text(file) for file in files})


def kinds_with(texts: Mapping[str, str]) -> Mapping[str, Character]:
    """Return the characters of the package, those in ``texts`` as they are written there.

    All faults of what was written anew, and of what is like it, are told at once in a ``DefinitionError``.
    """
    known = character_texts()
    for name in texts:
        if name not in known:
            raise TelosError(f"the arena has no character {name!r}", name_hint(name, known))
    written = {**known, **texts}
    return FrozenMap(characters_from(written, arena_domain(), sensors=SENSORS, body=BODY_KEYS, check=_check))


def faults_in(name: str, text: str, texts: Mapping[str, str] = FrozenMap()) -> tuple[Fault, ...]:
    """Return all that is wrong if ``name`` is written as ``text``, beside the others that are written anew.

    What that breaks in a character that is like it is told at the first line: the text is what can be mended.
    """
    try:
        kinds_with({**texts, name: text})
    except DefinitionError as error:
        return tuple(each if each.file == f"{name}.yaml" else _elsewhere(each, name) for each in error.faults)
    return ()


def _elsewhere(fault: Fault, name: str) -> Fault:
    return Fault(
        f"this breaks another character: {fault}", file=f"{name}.yaml", line=1, column=1, code=FaultCode.CONFLICT
    )


def _check(name: str, sheet: Sheet) -> None:
    """Add what the arena minds, though the file is well written: another name than it is known by, an odd body."""
    said = sheet.entry("character", default=name)
    if said != name:
        message = f"the character is called {said!r}, and others know it as {name!r}"
        sheet.fault(message, ("character",), f"write `character: {name}`", code=FaultCode.CONFLICT)
    try:
        body_of({str(where[-1]): value for where, value in sheet.items("body")}, name)
    except TelosError as error:
        sheet.fault(str(error), ("body",))
