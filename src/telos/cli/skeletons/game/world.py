"""The world of hamlet, and the bodies of those who live in it: one method for each action of hamlet.yaml."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import telos

HERE = Path(__file__).parent
PLACES = {"hearth": 0, "bed": 3, "oakwood": 9, "pinewood": -14}  # on one road, in steps
FRAME = 0.1  # seconds


class World:
    """The truth: a road with places, a fire that burns down, trees that grow again, and the people."""

    def __init__(self) -> None:
        self.time, self.fire = 0.0, 20.0
        self.trees = {"oakwood": 3.0, "pinewood": 6.0}
        functions = {"distance": telos.constant(lambda here, there: abs(PLACES[here] - PLACES[there]))}
        domain = telos.load(HERE / "hamlet.yaml", functions=functions)
        self.crowd = telos.Crowd(domain, characters=HERE / "characters", handles={"place": PLACES})
        self.people = {"Ann": Villager(self, "hearth", tired=0.0), "Bob": Villager(self, "bed", tired=25.0)}
        self.crowd.add("Ann", self.people["Ann"], character="villager")
        self.crowd.add("Bob", self.people["Bob"], character="sleepyhead")

    def tick(self) -> None:
        """Run one frame: the world moves on, then minds and bodies do."""
        self.time = round(self.time + FRAME, 6)
        self.fire = max(0.0, self.fire - FRAME)
        for place, standing in self.trees.items():
            self.trees[place] = min(6.0, standing + FRAME / 10)
        for villager in self.people.values():
            villager.tired += FRAME
        self.crowd.tick(self.time)  # in a game that must go on: telos.Crowd(..., strict=False)

    def save(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return {"time": self.time, "fire": self.fire, "trees": self.trees, "crowd": self.crowd.save()}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.time, self.fire, self.trees = saved["time"], saved["fire"], dict(saved["trees"])
        self.crowd.restore(saved["crowd"])


class Villager(telos.Body):
    """A body: what it senses, and how it does each action. A method that takes time yields once a frame."""

    saves = ("at", "wood", "tired")  # what a saved game keeps of it

    def __init__(self, world: World, at: str, tired: float) -> None:
        self.world, self.at, self.wood, self.tired = world, at, 0, tired

    def sense(self, now: float) -> dict[str, Any]:
        """Return what it believes, by variable of the domain."""
        standing = [place for place, trees in self.world.trees.items() if trees >= 1]
        forest = min(standing, key=lambda place: abs(PLACES[place] - PLACES[self.at]), default=None)
        return {"at": self.at, "forest": forest, "wood": self.wood, "fire": round(self.world.fire), "tired": self.tired}

    def goto(self, place: str) -> Iterator[Any]:
        """Walk for a while; your path finder and animations go here."""
        yield from telos.wait(abs(PLACES[place] - PLACES[self.at]) / 4)  # four steps a second
        self.at = place

    def chop(self) -> Iterator[Any]:
        yield from telos.wait(1)
        if self.world.trees[self.at] < 1:
            raise telos.Failed("somebody was faster")  # is remembered for a while, and planned around
        self.world.trees[self.at] -= 1
        self.wood += 1

    def stoke(self) -> None:
        self.wood, self.world.fire = self.wood - 1, self.world.fire + 20

    def sleep(self) -> Iterator[Any]:
        yield from telos.wait(6)
        self.tired = 0.0  # at the end: `relevant: tired > 40` shall hold until then
