"""Character files: a new kind of character is a new file, and often a short one that starts from another."""

import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from telos.agents.character import Character
from telos.agents.character_shape import CharacterShape
from telos.agents.character_traits import EVERYTHING, Traits, Vocabulary, changed
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, nearest
from telos.core.files.sheet import Sheet, refuse
from telos.core.files.text import read_text
from telos.core.frozen import FrozenMap


def load_character(
    path: str | os.PathLike[str],
    domain: Domain,
    *,
    sensors: Collection[str] | None = None,
    body: Collection[str] | None = None,
) -> Character:
    """Read the character file at ``path``, whose goals and actions are those of ``domain``.

    ``sensors`` and ``body`` are the sensors and the keys of a body that the world knows; None leaves them unchecked.
    A bad file raises a ``DefinitionError`` that holds all its faults, and those of the characters that it is like.
    """
    reader = _Reader(Vocabulary(domain, sensors, body))
    traits = reader.read(Path(path))
    if reader.faults:
        refuse(reader.faults)
    return _character(traits, domain)


def characters_in(
    folder: str | os.PathLike[str],
    domain: Domain,
    *,
    sensors: Collection[str] | None = None,
    body: Collection[str] | None = None,
) -> dict[str, Character]:
    """Read all character files of a folder, by name; the faults of all files are told at once."""
    reader = _Reader(Vocabulary(domain, sensors, body))
    read = {file: reader.read(file) for file in sorted(Path(folder).glob("*.yaml"))}
    for file, traits in read.items():
        # Others find a character by its file: `like` does, and so does the cast of a scene.
        if traits.name and traits.name != file.stem:
            message = f"the character is called {traits.name!r}, and its file {file.name}"
            reader.faults.append(Fault(message, suggestion="rename one of them", file=os.fspath(file)))
    if reader.faults:
        refuse(reader.faults)
    return {traits.name: _character(traits, domain) for traits in read.values()}


class _Reader:
    """Reads files and the characters that they are like, each file once, and gathers the faults of them all."""

    def __init__(self, words: Vocabulary) -> None:
        self.faults: list[Fault] = []
        self._words = words
        self._read: dict[Path, Traits] = {}

    def read(self, file: Path, likes: tuple[Path, ...] = ()) -> Traits:
        """Return what the character in ``file`` has; ``likes`` are the files that led here."""
        whole = _whole(file)
        if whole not in self._read:
            self._read[whole] = self._fresh(file, (*likes, whole))
        return self._read[whole]

    def _fresh(self, file: Path, likes: tuple[Path, ...]) -> Traits:
        try:
            sheet = Sheet(read_text(file), os.fspath(file), CharacterShape, "a character file")
        except DefinitionError as error:
            self.faults += error.faults
            return Traits(unsure=EVERYTHING)
        traits = changed(self._parent(sheet, file, likes), sheet, self._words)
        self.faults += sheet.faults
        return traits

    def _parent(self, sheet: Sheet, file: Path, likes: tuple[Path, ...]) -> Traits:
        like = sheet.entry("like")
        if like is None:
            return Traits(unsure=EVERYTHING if sheet.is_touched("like") else frozenset())
        is_name = "/" not in like and not like.endswith(".yaml")
        parent = file.parent / (f"{like}.yaml" if is_name else like)
        if _whole(parent) in likes:
            circle = " is like ".join(each.stem for each in (*likes[likes.index(_whole(parent)) :], parent))
            sheet.fault(f"a circle: {circle}", ("like",), "leave one `like` out")
        elif not parent.is_file():
            others = [each.stem for each in file.parent.glob("*.yaml") if each != file]
            remedy = nearest(like, others) if is_name else "a path starts at the folder of this file"
            sheet.fault(f"unknown character {like!r}", ("like",), remedy)
        else:
            return self.read(parent, likes)
        return Traits(unsure=EVERYTHING)


def _whole(file: Path) -> Path:
    return Path(os.path.abspath(file))


def _character(traits: Traits, domain: Domain) -> Character:
    own = traits.maps["priorities"]
    goals = [domain.goal(name) for name in traits.lists["goals"]]
    return Character(
        traits.name,
        goals=tuple(replace(goal, priority=own.get(goal.name, goal.priority)) for goal in goals),
        actions=tuple(domain.action(name) for name in traits.lists["actions"]),
        sensors=FrozenMap(traits.maps["sensors"]),
        memory=FrozenMap(traits.maps["memory"]),
        body=FrozenMap(traits.maps["body"]),
        about=traits.about,
    )
