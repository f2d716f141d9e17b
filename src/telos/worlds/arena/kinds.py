"""The characters of the arena with some of them written anew, from text: `like` finds others by name, never a file."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from telos.agents.character import Character
from telos.agents.character_shape import CharacterShape
from telos.agents.character_traits import EVERYTHING, Traits, Vocabulary, changed
from telos.core.errors import DefinitionError, Fault, TelosError, nearest
from telos.core.files.sheet import Sheet, refuse
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
            raise TelosError(f"the arena has no character {name!r}; {nearest(name, known)}")
    reader = _Reader({**known, **texts})
    read = {name: reader.read(name) for name in known}
    if reader.faults:
        refuse(reader.faults)
    return FrozenMap({name: _character(traits) for name, traits in read.items()})


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
    return Fault(f"this breaks another character: {fault}", file=f"{name}.yaml", line=1, column=1)


class _Reader:
    """Reads texts and those that they are like, each once, and gathers the faults of them all."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.faults: list[Fault] = []
        self._texts = texts
        self._words = Vocabulary(arena_domain(), SENSORS, BODY_KEYS)
        self._read: dict[str, Traits] = {}

    def read(self, name: str, likes: tuple[str, ...] = ()) -> Traits:
        """Return what a character has; ``likes`` are those that led here."""
        if name not in self._read:
            self._read[name] = self._fresh(name, (*likes, name))
        return self._read[name]

    def _fresh(self, name: str, likes: tuple[str, ...]) -> Traits:
        try:
            sheet = Sheet(self._texts[name], f"{name}.yaml", CharacterShape, "a character file")
        except DefinitionError as error:
            self.faults += error.faults
            return Traits(unsure=EVERYTHING)
        traits = changed(self._parent(sheet, likes), sheet, self._words)
        _check(name, sheet)
        self.faults += sheet.faults
        return traits

    def _parent(self, sheet: Sheet, likes: tuple[str, ...]) -> Traits:
        like = sheet.entry("like")
        if like is None:
            return Traits(unsure=EVERYTHING if sheet.is_touched("like") else frozenset())
        if like in likes:
            circle = " is like ".join((*likes[likes.index(like) :], like))
            sheet.fault(f"a circle: {circle}", ("like",), "leave one `like` out")
        elif like not in self._texts:
            sheet.fault(f"unknown character {like!r}", ("like",), nearest(like, self._texts))
        else:
            return self.read(like, likes)
        return Traits(unsure=EVERYTHING)


def _check(name: str, sheet: Sheet) -> None:
    """Add what the arena minds, though the file is well written: another name than it is known by, an odd body."""
    said = sheet.entry("character", default=name)
    if said != name:
        message = f"the character is called {said!r}, and others know it as {name!r}"
        sheet.fault(message, ("character",), f"write `character: {name}`")
    try:
        body_of({str(where[-1]): value for where, value in sheet.items("body")}, name)
    except TelosError as error:
        sheet.fault(str(error), ("body",))


def _character(traits: Traits) -> Character:
    domain, own = arena_domain(), traits.maps["priorities"]
    goals = (domain.goal(name) for name in traits.lists["goals"])
    return Character(
        traits.name,
        goals=tuple(replace(goal, priority=own.get(goal.name, goal.priority)) for goal in goals),
        actions=tuple(domain.action(name) for name in traits.lists["actions"]),
        sensors=FrozenMap(traits.maps["sensors"]),
        memory=FrozenMap(traits.maps["memory"]),
        body=FrozenMap(traits.maps["body"]),
        about=traits.about,
    )
