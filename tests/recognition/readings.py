"""Models and events that the tests of recognition share."""

from random import Random
from typing import Any

from telos.core.event import Event
from telos.recognition.ffbm import FFBM
from telos.recognition.filtering import Clock
from telos.recognition.observations import FixedObservation, HeadingObservation, ObservationRules
from telos.recognition.recognizer import Evidence, Matrix
from telos.recognition.transitions import TransitionRules
from telos.recognition.vocabulary import ADVENTURE, DIRECTIONS

EDGES = ("north", "east", "south", "west")


def flairs(**changed: Any) -> FFBM:
    """Return the model of the first paper."""
    parts: dict[str, Any] = {
        "transitions": TransitionRules(
            lasts=100,
            cases=[
                ("chest_taken", {"explore": {"level": 1 / 3, "explore": 1 / 3, "town": 1 / 3}}),
                ("in_town", {"any": {"level": 0.5, "explore": 0.5, "town": 0}}),
            ],
        ),
        "observations": {
            "level": ObservationRules(
                [("monsters > 0", FixedObservation({"swing_still": 0.8})), (None, HeadingObservation("exits"))]
            ),
            "explore": HeadingObservation("unvisited_exits"),
            "town": HeadingObservation("exits_nearer_town"),
        },
        "clock": Clock(),
    }
    return FFBM(["level", "explore", "town"], **{**parts, **changed})


def play(count: int, seed: int = 0, **fixed: Any) -> list[Event]:
    """Return events such as the adventure emits, at random."""
    rng, events = Random(seed), []
    for number in range(count):
        exits = tuple(rng.sample(EDGES, rng.randint(1, 4)))
        moving = rng.choice(["stop", *DIRECTIONS])
        context: dict[str, Any] = {
            "cause": rng.choice(["input", "input", "area", "tick"]),
            "area": f"{rng.randint(1, 5)},{rng.randint(1, 4)}",
            "x": round(rng.uniform(0, 640), 1),
            "y": round(rng.uniform(0, 480), 1),
            "monsters": rng.randint(0, 5),
            "gems": 0,
            "in_town": rng.random() < 0.1,
            **{name: rng.random() < 0.1 for name in ADVENTURE.moments},
            "moved": moving != "stop",
            "moving": moving,
            "exits": exits,
            "unvisited_exits": exits[: rng.randint(0, len(exits))],
            "exits_nearer_town": exits[rng.randint(0, len(exits)) :],
            **{f"toward_{what}": rng.random() < 0.3 for what in ("unexplored", "town", "monster", "gem")},
            **fixed,
        }
        action = "swing" if rng.random() < 0.3 else moving
        events.append(Event(action, context, time=number / 2))
    return events


def random_row(rng: Random, size: int) -> tuple[float, ...]:
    """Return random chances that sum to 1."""
    weights = [rng.random() + 0.01 for _ in range(size)]
    return tuple(weight / sum(weights) for weight in weights)


def random_evidence(rng: Random, goals: int) -> Evidence:
    """Return random evidence."""
    matrix: Matrix = tuple(random_row(rng, goals) for _ in range(goals))
    return Evidence(matrix, tuple(rng.random() for _ in range(goals)), "something")
