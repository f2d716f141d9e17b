"""The worlds there are, by name."""

from collections.abc import Callable

from telos.core.errors import TelosError, name_hint
from telos.worlds.adventure.adventure import Adventure
from telos.worlds.arena.ai.characters import arena_of
from telos.worlds.arena.scene import load_scene
from telos.worlds.forge.forge import Forge
from telos.worlds.home.home import Home
from telos.worlds.island.island import Island
from telos.worlds.world import World

WORLDS: dict[str, Callable[[], World]] = {
    "adventure": Adventure,
    "arena": lambda: arena_of(load_scene("skirmish")),
    "forge": Forge,
    "home": Home,
    "island": Island,
}


def world(name: str) -> World:
    """Make the world of that name, as it is after ``reset(0)``.

    >>> world("home").view().players
    ('Ada', 'Ben', 'Cleo')
    """
    return WORLDS[known_world(name)]()


def known_world(name: str) -> str:
    """Return ``name`` if there is a world called so."""
    if name not in WORLDS:
        raise TelosError(f"there is no world {name!r}", name_hint(name, WORLDS))
    return name
