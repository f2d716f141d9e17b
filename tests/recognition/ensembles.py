"""A small ensemble of random trees and weights, and random events for it."""

from random import Random

import numpy as np

from telos.core.event import Event
from telos.recognition.ensemble import (
    CodedEntry,
    EnsembleModel,
    EnsemblePart,
    FeatureGroup,
    FeatureProgram,
    FilterTables,
    LinearScores,
    NumberEntry,
    PathScores,
    TreeScores,
)

ACTIONS, GOALS = ("left", "right", "use", "wait"), ("eat", "rest", "cook")
PROGRAM = FeatureProgram(
    (NumberEntry("far", -1.0), NumberEntry("time")),
    (
        CodedEntry("act", (("action",),), ("left", "right", "use oven", "use bed"), {"use": ("front",)}),
        CodedEntry("achieved", (), GOALS),
        CodedEntry("used", (("action", "front"),), ("use oven", "use bed"), lag=1),
        CodedEntry("spot", (("action", "room"), ("action",)), ("left hall", "left", "right")),
    ),
    (
        FeatureGroup("number", "far"),
        FeatureGroup("present", "far"),
        FeatureGroup("since", "far"),
        FeatureGroup("change", "far", depth=2),
        FeatureGroup("trend", "far", half_life=2.0),
        FeatureGroup("gain", "time"),
        FeatureGroup("now", "act"),
        FeatureGroup("recent", "act", half_life=1.0),
        FeatureGroup("count", "act"),
        FeatureGroup("total", "achieved"),
        FeatureGroup("latest", "used", depth=2),
        FeatureGroup("age"),
        FeatureGroup("rows"),
        FeatureGroup("filter", "used", seen="spot"),
        FeatureGroup("number", "time"),
    ),
    ("wait",),
    FilterTables(
        np.array([0.5, 0.3, 0.2]),
        np.array([[[0.1, 0.6, 0.3]] * 3, [[0.8, 0.1, 0.1]] * 3]),
        np.array([[0.9, 0.2, 0.2], [0.5, 0.5, 0.1], [0.1, 0.4, 0.8]]),
    ),
    GOALS,
    ((0, 2.0), (10, 0.5)),
)


def events_of(seed: int, count: int = 30) -> list[Event]:
    """Return a random sequence of one player."""
    rng = Random(seed)
    found = []
    for time in range(count):
        context = {"far": rng.choice([-1, 0, 1, 2, 5]), "front": rng.choice(["oven", "bed", "wall"])}
        goal = rng.choice(GOALS) if rng.random() < 0.1 else None
        context |= {"room": rng.choice(["hall", "den"]), "side": "home"}
        found.append(Event(rng.choice(ACTIONS), context, player="ann", time=float(time), goal=goal))
    return found


def random_paths(seed: int = 1, cases: int = 5) -> PathScores:
    """Return paths of random cases over the features of ``PROGRAM``."""
    rng = np.random.default_rng(seed)
    columns = np.array([place for place, name in enumerate(PROGRAM.names) if name.startswith("total: achieved ")])
    return PathScores(
        columns,
        rng.random(len(columns)) * 2.0,
        rng.random((cases, len(columns))),
        rng.random(cases) * 20.0,
        rng.random(cases) * 10.0,
        rng.integers(3, size=cases),
        rng.random(3) + 0.01,
        PROGRAM.names.index("number: time"),
        PROGRAM.names.index("gain: time"),
        7.0,
        2.0,
    )


def random_model(
    seed: int = 1, *, once: bool = True, paths: bool = True, requires: dict[str, tuple[str, ...]] | None = None
) -> EnsembleModel:
    """Return a model of random trees and weights."""
    rng = np.random.default_rng(seed)
    size, plain = len(PROGRAM.names), PROGRAM.plain_size
    links, thresholds, values, roots, goals = [], [], [], [], []
    for tree in range(9):
        root = len(links)
        roots.append(root)
        goals.append(tree % 3)
        links += [[int(rng.integers(plain)), root + 1, root + 2, tree % 2], [-1, 0, 0, 0], [-1, 0, 0, 0]]
        thresholds += [float(rng.normal()), 0.0, 0.0]
        values += [0.0, *rng.normal(size=2).tolist()]
    trees = TreeScores(
        np.array(links), np.array(thresholds), np.array(values), np.array(roots), np.array(goals), rng.normal(size=3)
    )
    linear = LinearScores(rng.normal(size=size), rng.random(size), rng.normal(size=(size, 3)), rng.normal(size=3))
    offsets = rng.normal(size=3)
    found, weights = (random_paths(seed), (0.4, 0.7, 0.6)) if paths else (None, (0.4, 0.7))
    part = EnsemblePart("home", (0, 1, 2), linear, trees, weights, offsets, found)
    return EnsembleModel(GOALS, PROGRAM, (part,), "side", once, "random", requires or {})
