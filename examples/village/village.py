"""A village of twenty with minds of their own: own grid, own path finder, needs, tools, trees, shops, wolves, saves.

python examples/village/village.py             two minutes without a window, and why Ann does what she does
python examples/village/village.py --window    in a window (pip install "telos[pygame]"): click on somebody
"""

from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import telos

Cell = tuple[int, int]
HERE = Path(__file__).parent
NAMES: tuple[str, ...] = ("Ann", "Bob", "Cid", "Dot", "Eve", "Fay", "Gil", "Hal", "Ida", "Jon")
NAMES += ("Kim", "Lea", "Max", "Nan", "Oda", "Pip", "Ruy", "Sue", "Tim", "Una")
SHOPS = {"b": "bakery", "m": "market", "s": "smithy"}
SECONDS = 0.1  # a frame
FAR = 10_000  # where no path leads


class World:
    """The truth: a grid with a river, trees that grow again, shops, wolves, and who is where."""

    def __init__(self, seed: int = 1) -> None:
        self.rng, self.time = Random(seed), 0.0
        rows = (HERE / "map.txt").read_text(encoding="utf-8").split()
        self.ground = {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
        self.shops = {SHOPS[mark]: cell for cell, mark in self.ground.items() if mark in SHOPS}
        self.trees = {cell: 0.0 for cell, mark in self.ground.items() if mark == "t"}  # when it stands again
        self.axes: dict[Cell, str] = {}  # who is felling which tree
        self.wolves: list[Cell] = [(40, 4), (24, 18)]
        homes = [cell for cell, mark in self.ground.items() if mark == "h"]
        self.people = {name: Villager(self, name, home) for name, home in zip(NAMES, homes, strict=True)}
        self.steps_to = cache(self._steps_to)
        functions = {"path": telos.constant(self.distance)}
        self.crowd = telos.Crowd(telos.load(HERE / "village.yaml", functions=functions), handles={"place": self.shops})
        for name, villager in self.people.items():
            self.crowd.add(name, villager)

    def near(self, cell: Cell) -> list[Cell]:
        around = [(cell[0] + dx, cell[1] + dy) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        return [each for each in around if self.ground.get(each, "~") != "~"]

    def _steps_to(self, target: Cell) -> dict[Cell, int]:
        """Return how far it is to a cell from every other."""
        steps, waiting = {target: 0}, deque([target])
        while waiting:
            cell = waiting.popleft()
            for each in self.near(cell):
                if each not in steps:
                    steps[each] = steps[cell] + 1
                    waiting.append(each)
        return steps

    def cell(self, place: Any) -> Cell:
        found: Cell = self.shops.get(place, place)
        return found

    def distance(self, here: Any, there: Any) -> float:
        return self.steps_to(self.cell(there)).get(self.cell(here), FAR)

    def name_of(self, cell: Cell) -> Any:
        return next((name for name, where in self.shops.items() if where == cell), cell)

    def tick(self, microseconds: float | None = None) -> None:
        """Run a frame: the world moves on, then bodies and minds do."""
        self.time = round(self.time + SECONDS, 6)
        for villager in self.people.values():
            villager.hunger, villager.tired = villager.hunger + 0.12, villager.tired + 0.05
        self.wolves = [self.rng.choice(self.near(wolf)) if self.rng.random() < 0.3 else wolf for wolf in self.wolves]
        self.crowd.tick(self.time, microseconds)

    def save(self) -> dict[str, Any]:
        trees = [[*cell, until] for cell, until in self.trees.items()]
        axes = [[*cell, name] for cell, name in self.axes.items()]
        told = {"time": self.time, "rng": self.rng.getstate(), "trees": trees, "axes": axes, "wolves": self.wolves}
        return told | {"crowd": self.crowd.save()}

    def restore(self, saved: dict[str, Any]) -> None:
        version, numbers, gauss = saved["rng"]
        self.rng.setstate((version, tuple(numbers), gauss))
        self.time, self.wolves = saved["time"], [(x, y) for x, y in saved["wolves"]]
        self.trees = {(x, y): until for x, y, until in saved["trees"]}
        self.axes = {(x, y): name for x, y, name in saved["axes"]}
        self.crowd.restore(saved["crowd"])


class Felling:
    """Work at a tree; an action that is an object is saved in mid-step."""

    seconds, logs = 2.0, 4

    def begin(self, body: "Villager", now: float) -> None:
        self.tree, self.until = body.cell, now + self.seconds
        if body.world.axes.setdefault(self.tree, body.name) != body.name:
            raise telos.Failed("somebody else is at it", thing=body.cell)

    def progress(self, body: "Villager", now: float) -> bool:
        if now < self.until:
            return False
        body.wood, body.world.trees[self.tree] = body.wood + self.logs, now + body.world.rng.uniform(20, 60)
        self.end(body)
        return True

    def end(self, body: "Villager") -> None:
        body.world.axes.pop(self.tree, None)


class Gathering(Felling):
    """The same without an axe."""

    seconds, logs = 6.0, 1


class Sleeping:
    """A night's sleep is short here."""

    def begin(self, body: "Villager", now: float) -> None:
        self.until = now + 5.0

    def progress(self, body: "Villager", now: float) -> bool:
        body.tired = max(0.0, body.tired - 2.0)
        return now >= self.until


class Villager(telos.Body):
    """Somebody's body: what it senses, and a method for each action."""

    saves = ("cell", "axe", "wood", "gold", "bread", "hunger", "tired")
    chop, gather, sleep = Felling, Gathering, Sleeping

    def __init__(self, world: World, name: str, home: Cell) -> None:
        self.world, self.name, self.home, self.cell = world, name, home, home
        self.axe, self.wood, self.gold, self.bread = False, 0, world.rng.randint(1, 5), 0
        self.hunger, self.tired = world.rng.uniform(0, 40), world.rng.uniform(0, 40)

    def sense(self, now: float) -> dict[str, Any]:
        world, cell = self.world, self.cell
        busy = {tree for tree, name in world.axes.items() if name != self.name} | self.failed_things
        stands = [tree for tree, until in world.trees.items() if until <= now and tree not in busy]
        tree = min(stands, key=lambda each: abs(each[0] - cell[0]) + abs(each[1] - cell[1]), default=None)
        wolf_near = any(abs(x - cell[0]) + abs(y - cell[1]) < 6 for x, y in world.wolves)
        told = {"at": world.name_of(cell), "home": self.home, "tree": tree, "wolf_near": wolf_near, "axe": self.axe}
        needs = {"hunger": round(self.hunger), "tired": round(self.tired)}
        return told | needs | {"wood": self.wood, "gold": self.gold, "bread": self.bread}

    def goto(self, place: Any) -> Iterator[None]:
        steps = self.world.steps_to(self.world.cell(place))
        while steps[self.cell] > 0:
            self.cell = min(self.world.near(self.cell), key=steps.__getitem__)
            yield

    def buy_axe(self) -> None:
        self.axe, self.gold = True, self.gold - 3

    def sell(self) -> None:
        self.wood, self.gold = 0, self.gold + 2 * self.wood

    def buy_bread(self) -> None:
        self.bread, self.gold = self.bread + 1, self.gold - 2

    def eat(self) -> None:
        self.bread, self.hunger = self.bread - 1, 0.0

    def hide(self) -> Iterator[None]:
        while any(abs(x - self.cell[0]) + abs(y - self.cell[1]) < 6 for x, y in self.world.wolves):
            yield


def main() -> None:
    world = World()
    for _ in range(1200):
        world.tick()
    print(f"{sum(each.gold for each in world.people.values())} gold in the village after {world.time:g} s")
    print(world.crowd["Ann"].why())


if __name__ == "__main__":
    main()
