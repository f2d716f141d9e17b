"""The worlds of the studio, in the order of its tabs."""

from importlib import import_module

from telos.core.errors import TelosError, name_hint
from telos.studio.stage import World

NAMES = ("adventure", "arena", "home", "forge", "island")


def world(name: str) -> World:
    """Return a world by its name; only then is it imported, so that the first page does not wait for all of them."""
    found: World = getattr(import_module(f"telos.studio.stages.{known_world(name)}"), name.upper())
    return found


def known_world(name: str) -> str:
    """Return ``name`` if there is a world called so."""
    if name not in NAMES:
        raise TelosError(f"there is no world {name!r}", name_hint(name, NAMES))
    return name
