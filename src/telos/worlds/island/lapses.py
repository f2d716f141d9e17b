"""Lapses: what gets between a player and their plan. Each returns a command, or None if nothing does."""

from random import Random

from telos.worlds.island import story as words
from telos.worlds.island.map import IslandMap
from telos.worlds.island.recollection import Recollection
from telos.worlds.island.tempers import Traits
from telos.worlds.island.views import IslandView


def distraction(view: IslandView, known: Recollection, traits: Traits, rng: Random) -> str | None:
    """Turn to something in sight that is new, or no longer remembered."""
    if view.talking or rng.random() >= traits.curiosity:
        return None
    now = view.time
    new = [f"{words.READ_POSTER} {name}" for name in view.posters if not known.knows("read", name, now)]
    new += [f"{words.READ_BOOK} {name}" for name in view.books if not known.knows("read", name, now)]
    new += [f"{words.EXAMINE} {name}" for name in view.things if not known.knows("handled", name, now)]
    new += [f"{words.OPEN} {name}" for name in view.closed if not known.knows("handled", name, now)]
    return rng.choice(new) if new else None


def tidying(view: IslandView, doors: frozenset[str], traits: Traits, rng: Random) -> str | None:
    """Close what stands open."""
    left = [name for name in view.open if name not in doors] if not view.talking else []
    return f"{words.CLOSE} {left[0]}" if left and rng.random() < traits.tidiness else None


def wrong_turn(view: IslandView, the_map: IslandMap, meant: str, traits: Traits, rng: Random) -> str | None:
    """Return a place beside this one that was not meant."""
    if rng.random() >= traits.wandering:
        return None
    others = [way.to for way in the_map.ways[view.place] if way.to != meant and way.door not in view.closed]
    return rng.choice(others) if others else None
