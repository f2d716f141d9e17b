"""How a cook in Overcooked is read from keys and position alone."""

from collections.abc import Mapping, Sequence

from telos.core.values import Value
from telos.recognition.features import Changes, Feature
from telos.recognition.features_model import FeatureIOHMM
from telos.recognition.logs import LogRow
from telos.studies.humans.plays import Source

PLACE = ("layout", "x", "y", "facing")
TILES = ("onions", "dishes", "pot", "serving")
WEIGHT, STRENGTH = 0.6, 10.0  # settled on five of the ten pairs, before the others were looked at

# Which goal follows which depends on what was used, and on where: beside a pot or in a far corner of this very kitchen.
CHANGES = Changes("used", given=(("used", "layout", "x", "y"), ("used", "layout"), ("used",)))


def look(before: LogRow | None, now: LogRow) -> Mapping[str, Value]:
    """Return what keys and position say: where the player is, what was used just before, what has come nearer."""
    here = now.event.context
    shown = {name: here[name] for name in (*PLACE, "facing_tile")}
    shown["used"] = None
    for tile in TILES:
        shown[f"nearer_{tile}"] = False
    if before is not None:
        there = before.event.context
        # Whether it worked is in the log, but is not looked at: it could not be told from keys and position.
        shown["used"] = there["facing_tile"] if before.event.action == "interact" else None
        for tile in TILES:
            shown[f"nearer_{tile}"] = here[f"d_{tile}"] < there[f"d_{tile}"]
    return shown


SOURCE = Source("overcooked", idle="stay", look=look, group="pair")


def cook(goals: Sequence[str], *, is_placed: bool = True) -> FeatureIOHMM:
    """Return an untrained model: the key pressed, given the place in this kitchen (or only what is in front)."""
    finer = (PLACE,) if is_placed else ()
    keys = Feature(
        "action",
        ("up", "down", "left", "right", "interact"),
        given=(*finer, ("facing_tile",), ()),
        weight=WEIGHT,
        strength=STRENGTH,
        ignores=("stay",),  # how long players wait says more about them than about their goal
    )
    return FeatureIOHMM(goals, [keys], CHANGES)
