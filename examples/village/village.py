"""A village of twenty with minds of their own: own grid, own path finder, needs, tools, trees, shops, wolves, saves.

python examples/village/village.py             two minutes of it, and why Ann does what she does
python examples/village/village.py --window    in a window (pip install "telos[pygame]")
"""

import sys
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


def apart(one: Cell, other: Cell) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


class World:
    """The truth: a grid with a river, trees that grow again, shops, wolves, and who is where."""

    def __init__(self) -> None:
        self.time, self.loaves, self.wolves = 0.0, 5.0, [(40, 4), (24, 18)]
        rows = (HERE / "map.txt").read_text(encoding="utf-8").split()
        self.ground = {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
        self.shops = {SHOPS[mark]: cell for cell, mark in self.ground.items() if mark in SHOPS}
        self.trees = {cell: 0.0 for cell, mark in self.ground.items() if mark == "t"}  # when it stands again
        self.steps_to = cache(self._steps_to)
        homes = [cell for cell, mark in self.ground.items() if mark == "h"]
        self.people = {name: Villager(self, name, home) for name, home in zip(NAMES, homes, strict=True)}
        self.add_minds()

    def add_minds(self) -> None:
        functions = {"path": telos.constant(lambda here, there: self.steps_to(there)[self.shops.get(here) or here])}
        self.crowd = telos.Crowd(telos.load(HERE / "village.yaml", functions=functions), handles={"place": self.shops})
        for name, villager in self.people.items():
            self.crowd.add(name, villager)

    def beside(self, cell: Cell) -> list[Cell]:
        around = [(cell[0] + dx, cell[1] + dy) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        return [each for each in around if self.ground.get(each, "~") != "~"]

    def _steps_to(self, place: Any) -> dict[Cell, int]:
        """Return how many steps it is to a place from every cell."""
        steps = {self.shops.get(place, place): 0}
        waiting = deque(steps)
        while waiting:
            for each in self.beside(cell := waiting.popleft()):
                if each not in steps:
                    steps[each] = steps[cell] + 1
                    waiting.append(each)
        return steps

    def tick(self, microseconds: float | None = None) -> None:
        """Run a frame: the world moves on, then bodies and minds do."""
        self.time = round(self.time + SECONDS, 6)
        chance, self.loaves = Random(f"wolves {self.time}"), min(9.0, self.loaves + SECONDS / 3)
        self.wolves = [chance.choice(self.beside(wolf)) if chance.random() < 0.3 else wolf for wolf in self.wolves]
        for villager in self.people.values():
            villager.hunger, villager.tired = villager.hunger + 0.12, villager.tired + 0.05
        self.crowd.tick(self.time, microseconds)

    def save(self) -> dict[str, Any]:
        told = {"time": self.time, "loaves": self.loaves, "trees": list(self.trees.items()), "wolves": self.wolves}
        return told | {"crowd": self.crowd.save()}

    def restore(self, saved: dict[str, Any]) -> None:
        self.time, self.loaves, self.wolves = saved["time"], saved["loaves"], [(x, y) for x, y in saved["wolves"]]
        self.trees = {(x, y): until for (x, y), until in saved["trees"]}
        self.crowd.restore(saved["crowd"])


class Felling:
    """Work at a tree. An action that is an object is saved in mid-step."""

    def begin(self, body: "Villager", now: float) -> None:
        self.until = now + 2

    def progress(self, body: "Villager", now: float) -> bool:
        if now >= self.until:
            body.wood, body.world.trees[body.cell] = body.wood + 4, now + 40
        return now >= self.until


class Villager(telos.Body):
    """Somebody's body: what it senses, and how it does each action."""

    saves = ("cell", "axe", "wood", "gold", "bread", "hunger", "tired")
    chop = Felling

    def __init__(self, world: World, name: str, home: Cell) -> None:
        self.world, self.name, self.home, self.cell, chance = world, name, home, home, Random(name)
        self.axe, self.wood, self.gold, self.bread = False, 0, chance.randint(3, 9), 0
        self.hunger, self.tired = chance.uniform(0, 40), chance.uniform(0, 40)

    def sense(self, now: float) -> dict[str, Any]:
        world, cell = self.world, self.cell
        trees = [each for each, until in world.trees.items() if until <= now]
        tree = min(trees, key=lambda each: world.steps_to(each)[cell], default=None)
        at = next((name for name, place in world.shops.items() if place == cell), cell)
        told = {"at": at, "home": self.home, "tree": tree, "wolf_near": self.is_wolf_near(), "axe": self.axe}
        has = {"wood": self.wood, "gold": self.gold, "bread": self.bread}
        return {**told, **has, "hunger": round(self.hunger), "tired": round(self.tired)}

    def is_wolf_near(self) -> bool:
        return any(apart(wolf, self.cell) <= 6 for wolf in self.world.wolves)

    def goto(self, place: Any) -> Iterator[None]:
        steps = self.world.steps_to(place)
        while steps[self.cell] > 0:
            self.cell = min(self.world.beside(self.cell), key=steps.__getitem__)
            yield

    def buy_axe(self) -> None:
        self.axe, self.gold = True, self.gold - 3

    def sell(self) -> None:
        self.wood, self.gold = 0, self.gold + 2 * self.wood

    def buy_bread(self) -> None:
        if self.world.loaves < 1:
            raise telos.Failed("sold out")  # remembered for a while; the mind plans around it
        self.world.loaves, self.bread, self.gold = self.world.loaves - 1, self.bread + 1, self.gold - 2

    def eat(self) -> None:
        self.bread, self.hunger = self.bread - 1, 0.0

    def sleep(self) -> Iterator[None]:
        while self.tired > 0:
            self.tired = max(0.0, self.tired - 1)
            yield

    def hide(self) -> Iterator[None]:
        while self.is_wolf_near():
            yield


if __name__ == "__main__":
    world = World()
    if "--window" in sys.argv:
        from window import show

        show(world)
    else:
        for _ in range(1200):
            world.tick()
        print(f"{sum(each.gold for each in world.people.values())} gold in the village after {world.time:g} s")
        print(world.crowd["Ann"].why(), world.crowd["Ann"].why_not("rested"), sep="\n")
