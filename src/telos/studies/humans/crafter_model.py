"""How a player of Crafter is read: by what was done and approached, given what was achieved before."""

from collections.abc import Mapping

from telos.core.values import Value
from telos.recognition.features import Changes, Feature
from telos.recognition.features_model import FeatureIOHMM
from telos.recognition.logs import LogRow
from telos.studies.humans.plays import Source

THINGS = ("tree", "water", "stone", "coal", "iron", "table", "furnace", "cow", "zombie", "skeleton", "plant")
TILES = (*THINGS, "grass", "sand", "path", "other")
KEYS = (
    *("sleep", "place_stone", "place_table", "place_furnace", "place_plant", "make_wood_pickaxe"),
    *("make_stone_pickaxe", "make_iron_pickaxe", "make_wood_sword", "make_stone_sword", "make_iron_sword"),
)
GOALS = (
    *("collect_coal", "collect_drink", "collect_iron", "collect_sapling", "collect_stone", "collect_wood"),
    *("defeat_skeleton", "defeat_zombie", "eat_cow", "make_stone_pickaxe", "make_wood_pickaxe"),
    *("make_wood_sword", "place_furnace", "place_plant", "place_table", "wake_up"),
)
MOVES = ("move_left", "move_right", "move_up", "move_down")
SIGHTS = (*KEYS, *(f"do_{tile}" for tile in TILES), *(f"approach_{thing}" for thing in THINGS), "other_movement")
WAYS = ("unseen", "new", "nearer", "same", "farther")
MUCH_WOOD = 6  # more makes no difference
HAS = "has_"
IDLE = "noop"

# What follows is known from what is done already. Which goal was believed in makes no difference: the game knows which
# one was achieved.
CHANGES = Changes(
    "achieved",
    given=(("achieved", "done"), ("done",), ("achieved", "many"), ("achieved",)),
    strength=3.0,
    from_any=True,
)


def look(before: LogRow | None, now: LogRow) -> Mapping[str, Value]:
    """Return what the game knows at a row, and the second paper's kind of observation: done to what, or approached."""
    here = now.event.context
    there = None if before is None else before.event.context
    ways = {thing: _way(thing, there, here) for thing in THINGS}
    done = tuple(name.removeprefix(HAS) for name in here if name.startswith(HAS) and here[name])
    is_idle = now.event.action == IDLE  # most ticks have no key, and say the same thing once more
    return {
        **{f"way_{thing}": None if is_idle else way for thing, way in ways.items()},
        "facing_tile": here["facing_tile"],
        "seen": None if is_idle else _seen(now.event.action, ways, here),
        "wood": None if is_idle else min(int(here["wood"]), MUCH_WOOD),
        "has_table": here["has_place_table"],
        "achieved": None if before is None else before.event.goal,
        "done": done,
        "many": len(done),
        "phase": here["phase"],
    }


def _way(thing: str, there: Mapping[str, Value] | None, here: Mapping[str, Value]) -> str:
    now, past = here[f"d_{thing}"], -1 if there is None else there[f"d_{thing}"]
    if now < 0:
        return "unseen"
    if past < 0:
        return "new"
    return "nearer" if now < past else "same" if now == past else "farther"


def _seen(action: str, ways: Mapping[str, str], here: Mapping[str, Value]) -> str:
    if action == "do":
        tile = here["facing_tile"]
        return f"do_{tile if tile in TILES else 'other'}"
    if action not in MOVES:
        return action
    nearer = [thing for thing in THINGS if ways[thing] == "nearer"]
    return f"approach_{min(nearer, key=lambda thing: here[f'd_{thing}'])}" if nearer else "other_movement"


SOURCE = Source("crafter", idle=IDLE, look=look)


def papers() -> FeatureIOHMM:
    """Return the second paper's kind of model: one observation, and every sighting in full.

    The pseudo-counts are as many as Laplace's law has, but go to what players do whatever their goal: of sixteen goals,
    many are hardly ever seen in a part of one player's play, and even chances would be far from what anybody does.
    """
    sight = Feature("seen", SIGHTS, strength=float(len(SIGHTS)))
    return FeatureIOHMM(GOALS, [sight], CHANGES, done="done")


def features() -> FeatureIOHMM:
    """Return a model that looks at the key, at every thing in view, and at the wood; each with a low weight.

    Sightings of one walk repeat one another, and there are many of them between two achievements.
    """
    keys = Feature("action", (*MOVES, "do", *KEYS), (("facing_tile",), ()), 0.2, 5.0, ignores=(IDLE,))
    wood = Feature("wood", tuple(range(MUCH_WOOD + 1)), (("has_table",), ()), 0.1, 5.0)
    ways = [Feature(f"way_{thing}", WAYS, weight=0.05, strength=5.0) for thing in THINGS]
    return FeatureIOHMM(GOALS, [keys, wood, *ways], CHANGES, done="done")
