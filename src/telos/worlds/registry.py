"""The ``World`` protocol and the registry of the worlds that come with Telos.

To add a world, write a class that meets ``World`` and add a row to ``WORLDS``: the commands, the studio and the
contract tests read this table. Rows name their parts as ``module:name``, so that listing the worlds imports none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from telos.core.errors import TelosError, name_hint
from telos.core.event import Event


class View(Protocol):
    """What is visible of a world at one moment: frozen, comparable data."""

    @property
    def time(self) -> float:
        """The current time in the world's own unit; it never decreases."""

    @property
    def players(self) -> Sequence[str]:
        """The names that ``World.step`` accepts commands for."""


class World(Protocol):
    """A game that advances one step at a time; ``telos.checks.check_world`` tests this contract."""

    @property
    def events(self) -> Sequence[Event]:
        """The events of the last step, oldest first; empty after a reset."""

    def reset(self, seed: int) -> None:
        """Return to the initial state; the seed and the commands determine everything that follows."""

    def step(self, commands: Mapping[str, str]) -> None:
        """Advance by one unit of time. A player without a command continues; an invalid command raises a
        ``TelosError`` and leaves the world unchanged.
        """

    def view(self) -> View:
        """Return the visible state; this changes nothing."""


@dataclass(frozen=True, slots=True)
class WorldEntry:
    """One row of the registry; calling it creates the world in its initial state (``reset(0)``)."""

    description: str
    factory: str  # "module:callable" without arguments
    stage: str  # "module:name" of the studio's world
    text_log: str | None = None  # "module:name" of what turns trace records into lines; None: not in `telos watch`

    def __call__(self) -> World:
        made: World = load_object(self.factory)()
        return made


WORLDS: dict[str, WorldEntry] = {  # in the order of the studio's tabs
    "adventure": WorldEntry(
        "an action-adventure whose player's goal is recognised: areas, monsters, a town, treasure",
        factory="telos.worlds.adventure.adventure:Adventure",
        stage="telos.studio.worlds.adventure:ADVENTURE",
    ),
    "arena": WorldEntry(
        "squad combat on a drawn map: soldiers, assassins and rats that plan",
        factory="telos.worlds.arena.ai.characters:create_default_arena",
        stage="telos.studio.worlds.arena:ARENA",
        text_log="telos.worlds.arena.replay:FightLog",
    ),
    "home": WorldEntry(
        "a house whose inhabitants act on their motives",
        factory="telos.worlds.home.home:Home",
        stage="telos.studio.worlds.home:HOME",
        text_log="telos.worlds.home.trace:HomeLog",
    ),
    "forge": WorldEntry(
        "a village scene in which a companion recognises the player's plan and helps",
        factory="telos.worlds.forge.forge:Forge",
        stage="telos.studio.worlds.forge:FORGE",
        text_log="telos.worlds.forge.trace:describe",
    ),
    "island": WorldEntry(
        "a mystery on a research island, played by simulated players of three styles",
        factory="telos.worlds.island.island:Island",
        stage="telos.studio.worlds.island:ISLAND",
        text_log="telos.worlds.island.trace:describe",
    ),
}


def world(name: str) -> World:
    """Create the world of that name in its initial state.

    >>> world("home").view().players
    ('Ada', 'Ben', 'Cleo')
    """
    return WORLDS[known_world(name)]()


def known_world(name: str) -> str:
    """Return ``name`` if a world has it; otherwise raise a ``TelosError`` that suggests one."""
    if name not in WORLDS:
        raise TelosError(f"there is no world {name!r}", name_hint(name, WORLDS))
    return name


def load_object(path: str) -> Any:
    """Import the object that a row of ``WORLDS`` names as ``module:name``."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
