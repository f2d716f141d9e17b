"""Characters and domain of the arena, the arena of a scene, and fighters as members of squads."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from telos.agents.body import Performed, Procedure, load_performances
from telos.agents.character import Character, characters_from, characters_in, load_character
from telos.agents.memory import WorkingMemory
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.values import FrozenMap
from telos.files.definition import Definition
from telos.files.domain_file import load
from telos.files.reading import read_text
from telos.worlds.arena.ai.fighter_body import SPOKEN_ACTIONS
from telos.worlds.arena.ai.sensors import SENSORS
from telos.worlds.arena.scene import Scene, load_scene
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.fighter import BODY_KEYS, Fighter, FighterPlacement, ThingPlacement, check_property

DATA = Path(__file__).parents[1] / "data"
_LIKE = re.compile(r"^like: *([\w-]+) *$", re.MULTILINE)


@lru_cache(maxsize=1)
def load_arena_domain() -> Domain:
    """Load the domain of fighters, without the functions of a particular fight."""
    return load(DATA / "arena.yaml")


@lru_cache(maxsize=1)
def load_arena_characters() -> Mapping[str, Character]:
    """Load the characters of the package, by name."""
    return characters_in(DATA / "characters", load_arena_domain(), sensors=SENSORS, body=BODY_KEYS)


def load_arena_character(file: Path) -> Character:
    """Load one character file of the arena. What it is like stands beside it, or is a character of the package."""
    text = read_text(file)
    like = _LIKE.search(text)
    known = load_character_texts()
    if like is None or like[1] not in known or file.with_name(f"{like[1]}.yaml").exists():
        return load_character(file, load_arena_domain(), sensors=SENSORS, body=BODY_KEYS, check=_check_body)
    try:
        texts = {**known, file.stem: text}
        read = characters_from(texts, load_arena_domain(), sensors=SENSORS, body=BODY_KEYS, check=_check_body)
        return read[file.stem]
    except DefinitionError as error:
        here = f"{file.stem}.yaml"
        raise DefinitionError(
            [replace(each, file=os.fspath(file)) if each.file == here else each for each in error.faults]
        ) from None


def load_procedures() -> dict[str, Procedure]:
    """Load how bodies carry out each action; spoken requests wait for their effect."""
    performed = load_performances(DATA / "performances.yaml", load_arena_domain())
    return {name: SPOKEN_ACTIONS.get(name, Performed)(each) for name, each in performed.items()}


def make_arena(scene: Scene, characters: Mapping[str, Character] | None = None, *, seed: int = 0) -> Arena:
    """Return the arena of a scene, with all fighters placed.

    A body is as its character says, overridden by the scene. ``characters`` are the characters to choose from.
    """
    characters = load_arena_characters() if characters is None else characters
    bodies = [
        FighterPlacement(
            member.name,
            member.side,
            member.character,
            member.x,
            member.y,
            {**characters[member.character].body, "rank": member.rank, **member.body},
        )
        for member in scene.cast
    ]
    things = [ThingPlacement(each.name, each.kind, each.x, each.y) for each in scene.things]
    return Arena(scene.map, bodies, things, seed=seed)


def create_default_arena() -> Arena:
    """Create the arena of the scene ``skirmish``, which the registry of worlds offers as ``arena``."""
    return make_arena(load_scene("skirmish"))


# --- edited characters ---


@lru_cache(maxsize=1)
def load_character_texts() -> Mapping[str, str]:
    """Load the character files of the package, by name."""
    files = sorted((DATA / "characters").glob("*.yaml"))
    return FrozenMap({file.stem: read_text(file) for file in files})


def characters_with(overrides: Mapping[str, str]) -> Mapping[str, Character]:
    """Return the characters of the package, with those in ``overrides`` as written there.

    `like` finds other characters by name, never a file. A ``DefinitionError`` holds all faults of the overrides and of
    the characters like them.
    """
    known = load_character_texts()
    for name in overrides:
        if name not in known:
            raise TelosError(f"unknown character {name!r}", name_hint(name, known))
    texts = {**known, **overrides}
    return FrozenMap(characters_from(texts, load_arena_domain(), sensors=SENSORS, body=BODY_KEYS, check=_check))


def find_character_faults(name: str, text: str, overrides: Mapping[str, str] = FrozenMap()) -> tuple[Fault, ...]:
    """Return all faults if ``name`` is written as ``text``, beside other overrides.

    Faults in a character that is like it are reported at the first line, since this text is what can be corrected.
    """
    try:
        characters_with({**overrides, name: text})
    except DefinitionError as error:
        return tuple(each if each.file == f"{name}.yaml" else _as_conflict(each, name) for each in error.faults)
    return ()


def _as_conflict(fault: Fault, name: str) -> Fault:
    return Fault(
        f"this breaks another character: {fault}", file=f"{name}.yaml", line=1, column=1, code=FaultCode.CONFLICT
    )


def _check(name: str, sheet: Definition) -> None:
    """Add faults that only the arena knows: a name other than the file's, and invalid body properties."""
    written = sheet.entry("character", default=name)
    if written != name:
        message = f"the character is called {written!r}, but its file {name!r}"
        sheet.fault(message, ("character",), f"write `character: {name}`", code=FaultCode.CONFLICT)
    _check_body(name, sheet)


def _check_body(name: str, sheet: Definition) -> None:
    for where, value in [each for each in sheet.items("body") if each[0][-1] in BODY_KEYS]:
        try:
            check_property(str(where[-1]), value)
        except TelosError as error:
            sheet.fault(error.message, where, error.remedy, code=FaultCode.OUT_OF_RANGE)


# --- members of squads ---


@dataclass(frozen=True, slots=True)
class Comrade:
    """A fighter as its squad and its dialogue know it (`Member` and `Speaker`): its state and its memory.

    The simulation knows no memories, so this is not part of `Fighter`.
    """

    arena: Arena
    fighter: Fighter
    memory: WorkingMemory

    @property
    def name(self) -> str:
        return self.fighter.name

    @property
    def side(self) -> str:
        return self.fighter.side

    @property
    def rank(self) -> int:
        return self.fighter.rank

    @property
    def alive(self) -> bool:
        return self.fighter.alive

    @property
    def conscious(self) -> bool:
        """Whether the fighter can speak and hear; in the arena, all the living can."""
        return self.fighter.alive

    @property
    def health(self) -> float:
        return self.fighter.health

    @property
    def position(self) -> tuple[float, float]:
        return self.fighter.position

    @property
    def room(self) -> str:
        return self.arena.room_at(self.fighter.position)
