"""Character files of the arena, cast, squad member adapter."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from telos.agents.body import Performed, Procedure, load_performances
from telos.agents.character import Character, characters_from, characters_in
from telos.agents.memory import WorkingMemory
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError, name_hint
from telos.core.values import FrozenMap
from telos.files.definition import Definition
from telos.files.domain_file import load
from telos.files.yaml import read_text
from telos.worlds.arena.ai.fighter_body import SPEECH
from telos.worlds.arena.ai.sensors import SENSORS
from telos.worlds.arena.scene import Scene, load_scene
from telos.worlds.arena.sim.arena import Arena
from telos.worlds.arena.sim.fighter import BODY_KEYS, Fighter, Placed, ThingPlaced, body_of

# --- cast -------------------------------------------------------------------------------------------------------------
# The cast of a fight: for each fighter of a scene a body in the arena, and for those without a script a mind.


DATA = Path(__file__).parents[1] / "data"


@lru_cache(maxsize=1)
def arena_domain() -> Domain:
    """Return what fighters can know, do and want, without the answers that a particular fight gives."""
    return load(DATA / "arena.yaml")


@lru_cache(maxsize=1)
def characters() -> Mapping[str, Character]:
    """Return the kinds of character that come with the arena, by name."""
    return characters_in(DATA / "characters", arena_domain(), sensors=SENSORS, body=BODY_KEYS)


def procedures() -> dict[str, Procedure]:
    """Return how bodies carry out each action: as the performance file says, and words wait for their effect."""
    performed = load_performances(DATA / "performances.yaml", arena_domain())
    return {name: SPEECH.get(name, Performed)(each) for name, each in performed.items()}


def arena_of(scene: Scene, kinds: Mapping[str, Character] | None = None, *, seed: int = 0) -> Arena:
    """Return the arena of a scene: everybody in their places, and nobody to tell them what to do.

    A body is what its character says, changed by what the scene says. ``kinds`` are the characters to choose from.
    """
    kinds = characters() if kinds is None else kinds
    bodies = [
        Placed(
            member.name,
            member.side,
            member.character,
            member.x,
            member.y,
            {**kinds[member.character].body, "rank": member.rank, **member.body},
        )
        for member in scene.cast
    ]
    things = [ThingPlaced(each.name, each.kind, each.x, each.y) for each in scene.things]
    return Arena(scene.map, bodies, things, seed=seed)


def create_default_arena() -> Arena:
    """Create the arena of the scene ``skirmish``, which the registry of worlds offers as ``arena``."""
    return arena_of(load_scene("skirmish"))


# --- kinds ------------------------------------------------------------------------------------------------------------
# The characters of the arena with some of them written anew, from text: `like` finds others by name, never a file.


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


def _check(name: str, sheet: Definition) -> None:
    """Add what the arena minds, though the file is well written: another name than it is known by, an odd body."""
    said = sheet.entry("character", default=name)
    if said != name:
        message = f"the character is called {said!r}, and others know it as {name!r}"
        sheet.fault(message, ("character",), f"write `character: {name}`", code=FaultCode.CONFLICT)
    try:
        body_of({str(where[-1]): value for where, value in sheet.items("body")}, name)
    except TelosError as error:
        sheet.fault(str(error), ("body",))


# --- comrades ---------------------------------------------------------------------------------------------------------
# A fighter as its squad and its conversations know it.


@dataclass(frozen=True, slots=True)
class Comrade:
    """Both a member of a squad and somebody who can speak."""

    arena: Arena
    fighter: Fighter
    memory: WorkingMemory

    @property
    def name(self) -> str:
        """Return who it is."""
        return self.fighter.name

    @property
    def side(self) -> str:
        """Return whom it fights for."""
        return self.fighter.side

    @property
    def rank(self) -> int:
        """Return its rank; the higher gives the orders."""
        return self.fighter.rank

    @property
    def alive(self) -> bool:
        """Whether it lives."""
        return self.fighter.alive

    @property
    def conscious(self) -> bool:
        """Whether it can speak and hear; here, all the living can."""
        return self.fighter.alive

    @property
    def health(self) -> float:
        """Return 0 to 100."""
        return self.fighter.health

    @property
    def position(self) -> tuple[float, float]:
        """Return where it is, in metres."""
        return self.fighter.position

    @property
    def room(self) -> str:
        """Return the room it is in."""
        return self.arena.room_at(self.fighter.position)
