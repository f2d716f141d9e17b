"""The planner's benchmark, third part: functions of the game in costs, beside costs that are written out."""

import statistics
import time
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from planning_crowds import Effort, Figures, Say, judged
from planning_peers import span, without_gc

import telos
from telos.planning.planner import Planner, get_planner

PLACES = (20, 40, 100)
FRAME = 1e-3  # seconds
ERRAND = """
domain: errand
variables: {{at: place, tool: bool, wood: int, fed: bool}}
handles: {{place: [{places}]}}
actions:
{walk}
  take: {{preconditions: at == p3, effects: tool = true}}
  chop: {{preconditions: at == p7 and tool, effects: wood += 1}}
  sell: {{preconditions: at == p11 and wood >= 1, effects: [wood -= 1, fed = true]}}
goals: {{eat: {{wants: fed}}}}
"""
ASKED = '  goto: {parameters: {place: place}, effects: at = place, cost: "distance(at, place)"}'


class Town:
    """Places at random; how far it is from one to another, and how long the answers took."""

    def __init__(self, places: int, seed: int) -> None:
        rng = Random(seed)
        self.names = [f"p{number}" for number in range(places)]
        self._at = {name: (rng.random() * 30, rng.random() * 30) for name in self.names}
        self.seconds = 0.0

    def distance(self, one: str, other: str) -> float:
        (x, y), (u, v) = self._at[one], self._at[other]
        return abs(x - u) + abs(y - v)

    def distances(self, ones: list[str], others: list[str]) -> list[float]:
        return list(map(self.distance, ones, others))

    def written_out(self) -> telos.Domain:
        pairs = ((one, other) for one in self.names for other in self.names if one != other)
        walk = "\n".join(
            f"  {a}-{b}: {{preconditions: at == {a}, effects: at = {b}, cost: {self.distance(a, b)}}}" for a, b in pairs
        )
        return telos.loads(ERRAND.format(places=", ".join(self.names), walk=walk))

    def asking(self, function: Callable[..., Any]) -> telos.Domain:
        text = ERRAND.format(places=", ".join(self.names), walk=ASKED)
        return telos.loads(text, functions={"distance": function})


def functions(effort: Effort, seed: int, say: Say) -> Figures:
    """Return what a plan costs whose steps cost what the game says, by how the function is declared."""
    figures: Figures = {}
    for places in PLACES:
        town = Town(places, seed)
        ways: dict[str, telos.Domain] = {
            "written out": town.written_out(),
            "table": town.asking(telos.table(town.distance, town.names, town.names)),
            "constant": town.asking(telos.constant(town.distance)),
            "vectorised": town.asking(telos.vectorised(town.distances)),
            "asked": town.asking(town.distance),
        }
        base = cost = 0.0
        for way, made in ways.items():
            first, again, calls = _plan_times(made, effort)
            answer = telos.plan(made, {"at": "p0"}, "eat")
            base, cost = base or again, cost or answer.cost
            assert abs(answer.cost - cost) < 1e-9, f"{way}: {answer.cost} against {cost}"
            say(
                f"{places:>4} places, {way:12} first {span(first):>9}, then {span(again):>9}"
                f"  {again / base:6.2f}× written out; {answer.expanded} nodes; the game's own part {span(calls)}"
            )
            figures[f"{places} {way}"] = {"first": first, "again": again, "ratio": again / base, "game": calls}
            limit = {"table": 3.0, "constant": 3.0, "asked": 10.0, "vectorised": 10.0}.get(way)
            if limit:
                ratio = (again - calls) / base if limit == 10.0 else again / base
                judged(figures, say, f"{places} places, {way}: within {limit:g}×", ratio, limit, f"{ratio:.2f}×")
    figures["frames"] = _frames(effort, seed, say, figures)
    return figures


def _plan_times(made: telos.Domain, effort: Effort) -> tuple[float, float, float]:
    """Return the time of the first plan, the median of later ones, and how much of those the game's function takes."""
    planner = get_planner(made, None)
    start = time.perf_counter()
    telos.plan(made, {"at": "p0"}, "eat")
    first, times, game = time.perf_counter() - start, list[float](), list[float]()
    for _ in range(10 * effort.repeats):
        planner.forget()
        before = planner.functions.seconds
        with without_gc():
            start = time.perf_counter()
            telos.plan(made, {"at": "p0"}, "eat")
            times.append(time.perf_counter() - start)
        game.append(planner.functions.seconds - before)
    return first, statistics.median(times), statistics.median(game)


def _frames(effort: Effort, seed: int, say: Say, figures: Figures) -> Figures:
    """Return how well frames of a millisecond keep their budget when plans ask the game."""
    found: Figures = {}
    for places in PLACES:
        town = Town(places, seed)
        work = telos.Scheduler(Planner(town.asking(town.distance)))
        rng, over = Random(seed), list[float]()
        work.ask({"at": "p0"}, "eat")
        while len(work):
            work.run(100_000)  # the goal is compiled before the frames begin
        while len(over) < effort.frames // 2:
            if len(work) < 4:
                work.ask({"at": rng.choice(town.names), "wood": rng.randint(0, 5)}, "eat")
            with without_gc():
                start = time.perf_counter()
                work.run(FRAME * 1e6)
                used = time.perf_counter() - start
            if len(work):
                over.append(used / FRAME - 1.0)
        half, most, worst = (float(np.percentile(over, share)) for share in (50, 99, 100))
        found[str(places)] = {"p50": half, "p99": most, "max": worst, "game": work.function_seconds}
        say(f"{places:>4} places, frames of 1 ms: overshoot {half:.1%} at p50, {most:.1%} at p99, {worst:.0%} at most")
        judged(figures, say, f"{places} places, overshoot p99 < 10 %", most, 0.1, f"{most:.1%}")
    return found
