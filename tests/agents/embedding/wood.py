"""A wood for bodies: trees that can be taken, axes that chop, and a market."""

from collections.abc import Iterator
from typing import Any

import telos

WOOD = """
domain: wood
variables:
  at: {type: place, start: home}
  tree: place
  wood: int
  gold: int
  alarm: bool
  rested: bool
handles: {place: [home, market]}
actions:
  goto: {parameters: {place: place}, effects: at = place, cost: 2}
  chop: {preconditions: at == tree and tree != none, effects: wood += 1, cost: 3}
  buy: {preconditions: at == market and gold >= 1, effects: [wood += 1, gold -= 1], cost: 9}
  hide: {preconditions: at == home, effects: alarm = false}
  rest: {effects: rested = true}
goals:
  safe: {wants: not alarm, relevant: alarm, priority: 9}
  fire: {wants: wood >= 2, priority: 5}
  leisure: {wants: rested, priority: 1}
action_sets: {cutter: [goto, chop, buy]}
goal_sets: {cutter: [fire]}
"""

TREES = {"oak": 2, "ash": 4, "elm": 7}  # with their distances


class Wood:
    """The truth: which trees are taken, and by whom."""

    def __init__(self) -> None:
        self.owner: dict[str, str] = {}
        self.log: list[str] = []


class Chop:
    """Chopping as an object: three seconds, and a log of wood."""

    def begin(self, body: "Cutter", now: float) -> None:
        self.tree, self.until = body.tree, now + 3.0
        body.claim(self.tree)

    def progress(self, body: "Cutter", now: float) -> bool:
        if now < self.until:
            return False
        body.wood += 1
        return True

    def end(self, body: "Cutter") -> None:
        body.wood_world.log.append(f"{body.label} stops")


class Cutter(telos.Body):
    """A woodcutter who goes as far as the place lies, a second each."""

    saves = ("at", "wood", "gold", "rested", "alarm")

    def __init__(self, world: Wood, label: str = "ann") -> None:
        self.wood_world, self.label = world, label
        self.at, self.wood, self.gold, self.rested, self.alarm = "home", 0, 1, False, False

    @property
    def tree(self) -> str | None:
        """The nearest tree that is not known to be taken."""
        return next((tree for tree in sorted(TREES, key=TREES.__getitem__) if tree not in self.failed_things), None)

    def claim(self, tree: str | None) -> None:
        assert tree is not None
        if self.wood_world.owner.setdefault(tree, self.label) != self.label:
            raise telos.Failed("taken", thing=tree)

    def sense(self, now: float) -> dict[str, Any]:
        told = {"at": self.at, "tree": self.tree, "wood": self.wood, "gold": self.gold, "rested": self.rested}
        return told | {"alarm": self.alarm}

    def goto(self, place: str) -> Iterator[Any]:
        yield from telos.wait(TREES.get(place, 1))
        self.at = place

    def chop(self) -> Iterator[Any]:
        self.claim(self.tree)
        yield from telos.wait(3)
        self.wood += 1

    def buy(self) -> None:
        self.gold, self.wood = self.gold - 1, self.wood + 1

    def hide(self) -> None:
        self.alarm = False

    def rest(self) -> Iterator[Any]:
        try:
            yield from telos.wait(100)
            self.rested = True
        finally:
            self.wood_world.log.append(f"{self.label} gets up")


class SteadyCutter(Cutter):
    """The same with chopping that is saved in mid-step."""

    chop = Chop  # type: ignore[assignment]


def live(crowd: telos.Crowd, frames: int, *, start: float = 0.0, seconds: float = 0.5) -> None:
    """Run frames from ``start`` on."""
    for frame in range(frames):
        crowd.tick(start + frame * seconds)
