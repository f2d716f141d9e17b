"""How fast do minds think? Soldiers of the arena, idle and fighting, beside a behaviour tree of like size, in one run.

    python benchmarks/agents.py [--seed 7] [--json] [--quick]

A mind-tick is a tenth of a second of one mind: sensing, attention, goals, planning and acting, all of it. Sensors are
read at the soldier's own periods, and nobody's planning is put off. The domain, the character, attention and beliefs
are the arena's; the battlefield is a light stand-in (``agents_field.py``), and what it does is off the clock. Fighters
each have an enemy that moves, hides, falls and comes back; they are shot at, driven out of cover, run empty and reload.
The idle know where they are, and that is all. The tree (``agents_tree.py``) is ticked as often, in the same world; it
only decides. Figures are medians over batches of whole seconds, in time of the processor, with the garbage collector
held off; "least" is the quickest batch. Where Numba is installed, the planner is compiled before the clock starts.
"""

import argparse
import gc
import json
import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from random import Random
from typing import Any

from agents_field import AIMED_AT, TICK, Field
from rich.console import Console
from rich.table import Table

import telos
from telos.agents.sensors import SensingMind, SensorSchedule
from telos.agents.trace import Chose, Dropped, Planned
from telos.core.plan import Answer
from telos.core.state import State
from telos.planning.planner import Planner
from telos.planning.scheduler import Scheduler
from telos.worlds.arena.ai.characters import load_arena_characters
from telos.worlds.arena.ai.facts import make_fact
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import CastMember, Scene, load_scene

SIZES, QUICK_SIZES = (10, 100, 1_000, 10_000), (10, 100, 1_000)
WARM = 40  # frames of minds before the clock starts: first plans and first sights are another question
SECOND = 10  # frames; every sensor is read at least once in it
MIND_TICKS = 20_000  # about so many are measured, in 3 to 7 batches of a second at least
IDLE_AIM, FIGHT_AIM = 2.0, 100.0  # µs a mind-tick; 1,000 fighting at 10 decisions a second leave 100 each
FASTER_AIM = 20.0  # times real time, 12 fighters in the arena

Figures = dict[str, Any]
Say = Callable[[str], None]
clock = time.process_time  # machines are shared, and what others do is no business of ours


class TimedRota(SensorSchedule):
    """A rota that notes how long sensing takes."""

    spent = 0.0

    def poll(self, now: float) -> list[SensingMind]:
        start = clock()
        learned = super().poll(now)
        self.spent += clock() - start
        return learned


class TimedScheduler(Scheduler):
    """A scheduler that notes how long searching and remembering take."""

    spent = 0.0

    def run(self, microseconds: float | None = None, *, expansions: int | None = None) -> int:
        start = clock()
        answered = super().run(microseconds, expansions=expansions)
        self.spent += clock() - start
        return answered

    def recall(self, state: State, goal: Any, planner: Planner | None = None) -> Answer | None:
        start = clock()
        answer = super().recall(state, goal, planner)
        self.spent += clock() - start
        return answer


def batches(
    minds: int, frame: Callable[[], float], *, warm: int, begin: Callable[[], None] = lambda: None
) -> tuple[float, float]:
    """Return the median and the least microseconds of a mind-tick, from batches of frames that time themselves.

    The clock starts after ``warm`` frames; ``begin`` is called then.
    """
    count = max(3, min(7, MIND_TICKS // minds // SECOND))
    frames = max(1, MIND_TICKS // minds // count // SECOND) * SECOND
    for _ in range(warm):
        frame()
    begin()
    gc.collect()
    gc.disable()
    times = [sum(frame() for _ in range(frames)) / frames / minds * 1e6 for _ in range(count)]
    gc.enable()
    return statistics.median(times), min(times)


def minds_run(minds: int, *, fights: bool, seed: int) -> Figures:
    """Return how long minds take, and which share of that is sensing and which planning."""
    field = Field(minds, fights=fights, seed=seed)
    rota, scheduler = TimedRota(field.sensors, budget=math.inf), TimedScheduler(Planner(field.domain), clock=None)
    crowd, felt, whole = field.crowd(rota, scheduler), field.step(), 0.0

    def begin() -> None:
        nonlocal whole
        whole = rota.spent = scheduler.spent = 0.0

    def frame() -> float:
        nonlocal felt, whole
        start = clock()
        for name, each in felt:
            crowd.stimulate(name, each)
        crowd.tick(field.time)
        took = clock() - start
        whole += took
        felt = field.step()
        return took

    middle, least = batches(minds, frame, warm=WARM, begin=begin)
    return {"us": middle, "least": least, "sensing": rota.spent / whole, "planning": scheduler.spent / whole}


def tree_run(minds: int, *, fights: bool, seed: int) -> Figures:
    """Return how long as many trees take in the same world."""
    from agents_tree import Soldier, size_of, tree_of  # only where py_trees is installed

    field, rng = Field(minds, fights=fights, seed=seed), Random(seed)
    soldiers = {name: Soldier(field, name) for name in field.bodies}
    trees = [tree_of(soldier) for soldier in soldiers.values()]

    def frame() -> float:
        for name, each in field.step():
            soldiers[name].feel(each)
        for soldier in soldiers.values() if fights else ():
            if soldier.sees_foe() and rng.random() < AIMED_AT / 2:  # a soldier looks every other frame
                soldier.feel(make_fact("aimed_at", "me", field.time))
        start = clock()
        for tree in trees:
            tree.tick_once()
        return clock() - start

    middle, least = batches(minds, frame, warm=3)  # a tree is the same from the first tick on
    nodes, leaves = size_of(trees[0])
    return {"us": middle, "least": least, "nodes": nodes, "leaves": leaves}


def decisions(minds: int, seed: int, seconds: float = 30.0) -> dict[str, float]:
    """Return how often in a second a fighting mind chooses a goal, makes a plan and drops one; off the clock."""
    counted = Counter[type]()
    field = Field(minds, fights=True, seed=seed, trace=lambda record: counted.update([type(record)]))
    crowd = field.crowd(SensorSchedule(field.sensors, budget=math.inf), Scheduler(Planner(field.domain), clock=None))
    thoughts = 0
    while field.time < seconds:
        for name, each in field.step():
            crowd.stimulate(name, each)
        thoughts += crowd.tick(field.time)
    kinds = {"chosen": Chose, "planned": Planned, "dropped": Dropped}
    rates = {word: counted[kind] / minds / seconds for word, kind in kinds.items()}
    return {"thought": thoughts / minds / seconds, **rates}


def arena_run(fights: int, seed: int) -> Figures:
    """Return how many times faster than real time twelve fight in the arena, with squads, talk and lines of sight."""
    scene, ratios = twelve(load_scene("skirmish")), []
    for each in range(fights):
        battle, start = Battle(scene, seed=seed + each), clock()
        view = [*battle.seconds(60.0)][-1]
        ratios.append(view.time / (clock() - start))
    return {"fighters": len(scene.cast), "x": statistics.median(ratios), "least": min(ratios)}


def twelve(scene: Scene) -> Scene:
    """Return the skirmish with two more on each side."""
    more = [scene.cast[0], scene.cast[2], scene.cast[4], scene.cast[6]]
    return replace(scene, cast=(*scene.cast, *(_beside(each, scene) for each in more)))


def _beside(member: CastMember, scene: Scene) -> CastMember:
    towards = 2.0 if member.x < scene.map.width / 2 else -2.0
    return replace(member, name=f"{member.name}2", x=member.x + towards, rank=0)


def compared(sizes: tuple[int, ...], seed: int, has_peer: bool, show: Callable[[Any], None]) -> Figures:
    """Measure all sizes; show the table."""
    figures: Figures = {}
    table = Table("minds", "", "µs a mind-tick", "least", "sensing", "planning", "× real time", "py_trees µs", "ratio")
    for state in ("idle", "fighting"):
        for minds in sizes:
            ours = minds_run(minds, fights=state == "fighting", seed=seed)
            print(f"... {minds:,} {state}: {ours['us']:.2f} µs a mind-tick", file=sys.stderr)
            peer = tree_run(minds, fights=state == "fighting", seed=seed) if has_peer else None
            gc.collect()
            speed = TICK / (ours["us"] * 1e-6 * minds)
            beside = (f"{peer['us']:.1f}", f"{peer['us'] / ours['us']:.1f}×") if peer else ("-", "-")
            shares = (f"{ours['sensing']:.0%}", f"{ours['planning']:.0%}")
            table.add_row(
                f"{minds:,}", state, f"{ours['us']:.2f}", f"{ours['least']:.2f}", *shares, f"{speed:,.1f}", *beside
            )
            figures[f"{minds} {state}"] = {**ours, "x": speed, "py_trees": peer}
    show(table)
    return figures


def aims(figures: Figures, say: Say) -> list[Figures]:
    """Set the figures beside what was aimed at."""
    idle, fighting = (figures["minds"][f"1000 {state}"]["us"] for state in ("idle", "fighting"))
    x = figures["arena"]["x"]
    rows = [
        (f"1,000 idle: ≤ {IDLE_AIM:g} µs a mind-tick", idle <= IDLE_AIM, f"{idle:.2f} µs"),
        (f"1,000 fighting: ≤ {FIGHT_AIM:g} µs a mind-tick", fighting <= FIGHT_AIM, f"{fighting:.1f} µs"),
        (f"the arena, 12 fighters: ≥ {FASTER_AIM:g}× real time", x >= FASTER_AIM, f"{x:.0f}×"),
    ]
    for aim, met, shown in rows:
        say(f"  {'met   ' if met else 'MISSED'} {aim}: {shown}")
    return [{"aim": aim, "met": met, "value": shown} for aim, met, shown in rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="at most 1,000 minds and fewer fights, about a minute")
    options = parser.parse_args()
    say: Say = (lambda line: None) if options.json else print
    show: Callable[[Any], None] = (lambda table: None) if options.json else Console(width=120).print
    say("The planner is compiled." if telos.warm_up() else "The planner runs as Python.")
    has_peer = find_spec("py_trees") is not None
    if not has_peer:
        say("py_trees is not installed, and left out (pip install py_trees)")
    figures: Figures = {}
    figures["minds"] = compared(QUICK_SIZES if options.quick else SIZES, options.seed, has_peer, show)
    if has_peer:
        tree, soldier = figures["minds"]["10 idle"]["py_trees"], load_arena_characters()["soldier"]
        has = f"A soldier has {len(soldier.goals)} goals and {len(soldier.actions)} actions"
        say(f"{has}; the tree {tree['nodes']} nodes, {tree['leaves']} of them leaves.")
    figures["decisions"] = rates = decisions(100, options.seed)
    say("A fighting mind, each second: " + ", ".join(f"{word} {rate:.2f}" for word, rate in rates.items()))
    figures["arena"] = arena = arena_run(2 if options.quick else 5, options.seed)
    say(f"The arena, {arena['fighters']} fighters: {arena['x']:.1f}× real time, {arena['least']:.1f}× at least\n")
    figures["aims"] = aims(figures, say)
    if options.json:
        print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
