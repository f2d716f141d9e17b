"""What does it cost a game of 100 minds that the studio can look on?

    python benchmarks/attach.py                  # thirty frames a second, as a game runs
    python benchmarks/attach.py --rate 0         # frame after frame, without a pause

The village of the examples, with 100 people. In turns, a few seconds each: without `telos.studio.attach`, attached
while nobody looks on, and while a studio in a process of its own fetches and reads the traces. Printed is the time that
a frame of the game takes, and its work: processor time of all threads of the game, which is steadier where other
programs run. The ratio is that of work, to the frames without attach of the same round. Aims: 1.00 while nobody
looks on, and at most 1.05 while somebody does.
"""

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

import telos

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "village"))

from village import NAMES, Villager, World

MODES = ("without attach", "nobody looks on", "a studio looks on")
SETTLING = 60  # frames that are not counted at the begin of a turn
STUDIO = """
import sys, time
from telos.studio.attached import AttachedStage, LiveSource, parse_address
from telos.studio.stage import Inputs

source = LiveSource(parse_address(sys.argv[1]))
stage = AttachedStage(source)
while True:  # as a page does: take what has come, and draw it
    for _ in range(stage.backlog):
        stage.step(Inputs())
        stage.picture()
    stage.look_at("Ann")
    stage.mind("Ann")
    time.sleep(0.1)
"""


def build_world(minds: int) -> World:
    """Return a village of so many people; the homes are shared."""
    world = World()
    homes = cycle([each.home for each in world.people.values()])
    for number in range(len(NAMES), minds):
        name = f"{NAMES[number % len(NAMES)]} {number}"
        world.people[name] = Villager(world, name, next(homes))
        world.crowd.add(name, world.people[name])
    return world


@dataclass
class Turn:
    """What frames took: seconds of each, and of the processor in all of the game, its other threads included."""

    seconds: list[float]
    busy: float

    def __add__(self, other: "Turn") -> "Turn":
        return Turn(self.seconds + other.seconds, self.busy + other.busy)

    @property
    def work(self) -> float:
        """Seconds of the processor for a frame."""
        return self.busy / len(self.seconds)


def play(world: World, frames: int, rate: float) -> Turn:
    """Run frames at a rate (0: as fast as they go)."""
    taken = []
    due, busy = time.perf_counter(), time.process_time()
    for _ in range(frames):
        start = time.perf_counter()
        world.tick()
        taken.append(time.perf_counter() - start)
        due = max(due + 1 / rate, time.perf_counter()) if rate else 0.0
        time.sleep(max(0.0, due - time.perf_counter()))
    return Turn(taken, time.process_time() - busy)


def play_attached(world: World, frames: int, rate: float) -> tuple[Turn, Turn]:
    """Run frames while nobody looks on, and while a studio does."""
    with telos.studio.attach(world.crowd, name="village", quiet=True) as attached:
        alone = play(world, frames, rate)
        studio = subprocess.Popen([sys.executable, "-c", STUDIO, attached.address])
        try:
            while not attached.is_watched:
                time.sleep(0.05)
            play(world, SETTLING, rate)  # the studio gets all minds at first
            watched = play(world, frames, rate)
            assert attached.is_watched, "the studio has looked on all the time"
        finally:
            studio.kill()
            studio.wait(10)
    return alone, watched


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minds", type=int, default=100)
    parser.add_argument("--rate", type=float, default=30.0, help="frames a second; 0: as fast as they go")
    parser.add_argument("--frames", type=int, default=150, help="of a turn")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    world = build_world(options.minds)
    play(world, 300, 0)  # everybody has plans, and everything is compiled
    taken = {mode: Turn([], 0.0) for mode in MODES}
    ratios: dict[str, list[float]] = {mode: [] for mode in MODES[1:]}
    for _ in range(options.rounds):
        before = play(world, options.frames, options.rate)
        turns = play_attached(world, options.frames, options.rate)
        bare = before + play(world, options.frames, options.rate)  # before and after: the village changes
        taken[MODES[0]] += bare
        for mode, found in zip(MODES[1:], turns, strict=True):
            taken[mode] += found
            ratios[mode].append(found.work / bare.work)
    print_table(options, taken, ratios)


def print_table(options: Any, taken: dict[str, Turn], ratios: dict[str, list[float]]) -> None:
    pace = f"{options.rate:g} frames a second" if options.rate else "frame after frame"
    print(f"{options.minds} minds, {pace}, {options.rounds} rounds of {options.frames} frames; milliseconds a frame")
    print(f"{'':20}{'work':>8}{'mean':>8}{'median':>8}{'99th %':>8}   ratio of work: median of rounds (range)")
    for mode, turn in taken.items():
        each = [1e3 * value for value in turn.seconds]
        row = f"{mode:20}{1e3 * turn.work:8.2f}{mean(each):8.2f}{median(each):8.2f}{quantiles(each, n=100)[98]:8.2f}"
        if mode in ratios:
            row += f"   {median(ratios[mode]):.3f} ({min(ratios[mode]):.3f} to {max(ratios[mode]):.3f})"
        print(row)


if __name__ == "__main__":
    main()
