"""Games of somebody who presses keys at random, for tests that need events and no more."""

from random import Random

from telos.core.event import Event
from telos.worlds.adventure.adventure import Adventure

INPUTS = ("up", "down", "left", "right", "swing", "", "up+left", "right+swing")
GOALS = ("level", "explore", "town")


def some_play(seed: int, frames: int = 500, *, rules: str = "flairs") -> list[tuple[Event, str | None]]:
    """Return events with truths that change now and then, to None among others."""
    game, rng, held = Adventure(rules, seed=seed), Random(seed), ""
    truth: str | None = "explore"
    moments: list[tuple[Event, str | None]] = []
    for _ in range(frames):
        held = rng.choice(INPUTS) if rng.random() < 0.1 else held
        truth = rng.choice([*GOALS, None]) if rng.random() < 0.01 else truth
        game.step({"player": held})
        moments += [(event, truth) for event in game.events]
    return moments
