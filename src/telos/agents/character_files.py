"""Character files: a new kind of character is a new file, and often a short one that starts from another."""

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from telos.agents.character import Character
from telos.agents.character_shape import CharacterShape
from telos.agents.character_traits import EVERYTHING, Traits, Vocabulary, changed
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, name_hint
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
    reader = _Reader(Vocabulary(domain, sensors, body), _Files())
    traits = reader.read(Path(path))
    reader.refuse()
    return _character(traits, domain)


def characters_in(
    folder: str | os.PathLike[str],
    domain: Domain,
    *,
    sensors: Collection[str] | None = None,
    body: Collection[str] | None = None,
) -> dict[str, Character]:
    """Read all character files of a folder, by name; the faults of all files are told at once."""
    reader = _Reader(Vocabulary(domain, sensors, body), _Files())
    read = {file: reader.read(file) for file in sorted(Path(folder).glob("*.yaml"))}
    for file, traits in read.items():
        # Others find a character by its file: `like` does, and so does the cast of a scene.
        if traits.name and traits.name != file.stem:
            message = f"the character is called {traits.name!r}, and its file {file.name}"
            reader.faults.append(
                Fault(message, suggestion="rename one of them", file=os.fspath(file), code=FaultCode.CONFLICT)
            )
    reader.refuse()
    return {traits.name: _character(traits, domain) for traits in read.values()}


def characters_from(
    texts: Mapping[str, str],
    domain: Domain,
    *,
    sensors: Collection[str] | None = None,
    body: Collection[str] | None = None,
    check: Callable[[str, Sheet], None] = lambda name, sheet: None,
) -> dict[str, Character]:
    """Read characters from texts, by the names that they are known by; ``like`` names another of them, never a file.

    ``check`` may add to the faults of a sheet what the world minds in a character of that name.
    """
    reader = _Reader(Vocabulary(domain, sensors, body), _Texts(texts), lambda file, sheet: check(file.stem, sheet))
    read = {name: reader.read(Path(f"{name}.yaml")) for name in texts}
    reader.refuse()
    return {name: _character(traits, domain) for name, traits in read.items()}


class _Shelf(Protocol):
    """Where characters are found."""

    def text(self, file: Path) -> str:
        """Return what is written in ``file``."""

    def find(self, like: str, file: Path) -> Path | None:
        """Return the file of the character that ``file`` is like; None if there is none."""

    def remedy(self, like: str, file: Path) -> str:
        """Say what may have been meant."""


class _Files:
    """Characters on disk: one is found by its name in the same folder, or by a path from there."""

    def text(self, file: Path) -> str:
        return read_text(file)

    def find(self, like: str, file: Path) -> Path | None:
        found = file.parent / (f"{like}.yaml" if _is_name(like) else like)
        return found if found.is_file() else None

    def remedy(self, like: str, file: Path) -> str:
        if not _is_name(like):
            return "a path starts at the folder of this file"
        return name_hint(like, [each.stem for each in file.parent.glob("*.yaml") if each != file])


class _Texts:
    """Characters in memory, each under a name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._names = tuple(texts)
        self._texts = {Path(f"{name}.yaml"): text for name, text in texts.items()}

    def text(self, file: Path) -> str:
        return self._texts[file]

    def find(self, like: str, file: Path) -> Path | None:
        return Path(f"{like}.yaml") if like in self._names else None

    def remedy(self, like: str, file: Path) -> str:
        return name_hint(like, self._names)


def _is_name(like: str) -> bool:
    return "/" not in like and not like.endswith(".yaml")


class _Reader:
    """Reads characters and those that they are like, each file once, and gathers the faults of them all."""

    def __init__(
        self, words: Vocabulary, shelf: _Shelf, check: Callable[[Path, Sheet], None] = lambda file, sheet: None
    ) -> None:
        self.faults: list[Fault] = []
        self._words, self._shelf, self._check = words, shelf, check
        self._read: dict[Path, Traits] = {}

    def refuse(self) -> None:
        """Raise the faults, if there are any."""
        if self.faults:
            refuse(self.faults)

    def read(self, file: Path, likes: tuple[Path, ...] = ()) -> Traits:
        """Return what the character in ``file`` has; ``likes`` are the files that led here."""
        whole = _whole(file)
        if whole not in self._read:
            self._read[whole] = self._fresh(file, (*likes, whole))
        return self._read[whole]

    def _fresh(self, file: Path, likes: tuple[Path, ...]) -> Traits:
        try:
            sheet = Sheet(self._shelf.text(file), os.fspath(file), CharacterShape, "a character file")
        except DefinitionError as error:
            self.faults += error.faults
            return Traits(unsure=EVERYTHING)
        traits = changed(self._parent(sheet, file, likes), sheet, self._words)
        self._check(file, sheet)
        self.faults += sheet.faults
        return traits

    def _parent(self, sheet: Sheet, file: Path, likes: tuple[Path, ...]) -> Traits:
        like = sheet.entry("like")
        if like is None:
            return Traits(unsure=EVERYTHING if sheet.is_touched("like") else frozenset())
        parent = self._shelf.find(like, file)
        if parent is None:
            sheet.fault(
                f"unknown character {like!r}", ("like",), self._shelf.remedy(like, file), code=FaultCode.UNKNOWN_NAME
            )
        elif _whole(parent) in likes:
            circle = " is like ".join(each.stem for each in (*likes[likes.index(_whole(parent)) :], parent))
            sheet.fault(f"a circle: {circle}", ("like",), "leave one `like` out", code=FaultCode.CIRCULAR)
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
