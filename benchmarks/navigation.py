"""Grid or mesh? Ways over the maps of the arena, found on both, in one run; and what ways cost a fight.

    python benchmarks/navigation.py [--seed 7] [--pairs 200] [--json]

Pairs of free cells are drawn at random on every map of the package. Each way is searched anew, without the caches of
the grid: A* over cells and straightening, against A* over links of the mesh and the funnel. "Length" is the cost of the
mesh's way (metres, and what doors and low obstacles cost) as a share of the grid's; "expanded" are entries taken from
the queue. Below, fights of twelve tell how much of their time goes into searching ways and distances at all. Times are
of the processor, medians over three rounds.
"""

import argparse
import heapq
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any
from unittest.mock import patch

from rich.console import Console
from rich.table import Table

from agents import twelve
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import load_scene
from telos.worlds.arena.sim.arena import _map_services
from telos.worlds.arena.sim.map import Point, cell_centre, load_map, map_names
from telos.worlds.arena.sim.mesh import NavigationMesh
from telos.worlds.arena.sim.navigation import CRAWL_COST, DOOR_COST, Navigator

ROUNDS = 3
FIGHTS, SECONDS = 3, 60.0
PLACE_SIDE = 5  # metres: areas of the beliefs about hidden enemies
clock = time.process_time

Figures = dict[str, Any]


def measure_map(name: str, pairs: int, seed: int) -> Figures:
    """Return how long ways and searches are on one map."""
    drawn = load_map(name)
    start = clock()
    mesh = NavigationMesh(drawn)
    built = clock() - start
    navigator, rng, cells = Navigator(drawn), Random(seed), sorted(drawn.floor)
    drawn_pairs = [(cell_centre(rng.choice(cells)), cell_centre(rng.choice(cells))) for _ in range(pairs)]
    ways = [(here, goal) for here, goal in drawn_pairs if navigator.is_connected(here, goal) and here != goal]

    def on_grid(here: Point, goal: Point) -> object:
        navigator._cells.cache_clear()
        return navigator.find_path(here, goal)

    gates = {door.cell: DOOR_COST for door in drawn.doors.values()} | {
        low.cell: CRAWL_COST for low in drawn.lows.values()
    }
    lengths, expanded = [], []
    for here, goal in ways:
        path, cells_of_grid = mesh.find_path(here, goal), navigator.find_cells(here, goal)
        points = navigator.find_path(here, goal)
        if path is None or cells_of_grid is None or points is None:
            raise SystemExit(f"{name}: only one of the two finds a way from {here} to {goal}")
        walked = sum(math.dist(one, two) for one, two in pairwise((here, *points)))
        lengths.append(path.metres / (walked + sum(gates.get(cell, 0.0) for cell in cells_of_grid[1:])))
        expanded.append((count_pops(partial(on_grid, here, goal)), path.expanded))
    return {
        "cells": len(cells),
        "areas": len(mesh.areas),
        "places": len(NavigationMesh(drawn, max_side=PLACE_SIDE).areas),
        "build_ms": built * 1e3,
        "grid_us": per_way(on_grid, ways),
        "mesh_us": per_way(mesh.find_path, ways),
        "grid_expanded": statistics.mean(each for each, _ in expanded),
        "mesh_expanded": statistics.mean(each for _, each in expanded),
        "length": statistics.mean(lengths),
        "longest": max(lengths),
    }


def per_way(find: Callable[[Point, Point], object], ways: list[tuple[Point, Point]]) -> float:
    """Return the microseconds of a search, the median over rounds."""
    rounds = []
    for _ in range(ROUNDS):
        start = clock()
        for here, goal in ways:
            find(here, goal)
        rounds.append((clock() - start) / len(ways) * 1e6)
    return statistics.median(rounds)


def count_pops(search: Callable[[], object]) -> int:
    """Return how many entries a search takes from its queue; not on the clock."""
    with patch("heapq.heappop", wraps=heapq.heappop) as pop:
        search()
    return pop.call_count


def measure_fights(scene_name: str, seed: int) -> Figures:
    """Return what part of a fight's time goes into searches: of ways over cells, and of distance fields."""
    scene, spent = twelve(load_scene(scene_name)), {"_search": 0.0, "_distance_field": 0.0}
    calls = dict.fromkeys(spent, 0)

    def timed(name: str) -> Callable[..., Any]:
        original: Callable[..., Any] = getattr(Navigator, name)

        def run(*arguments: Any) -> Any:
            start = clock()
            try:
                return original(*arguments)
            finally:
                spent[name] += clock() - start
                calls[name] += 1

        return run

    with ExitStack() as stack:
        for name in spent:
            stack.enter_context(patch.object(Navigator, name, timed(name)))
        total = simulated = 0.0
        for number in range(FIGHTS):
            _map_services.cache_clear()  # no ways remembered from before
            battle, start = Battle(scene, seed=seed + number), clock()
            simulated += [*battle.seconds(SECONDS)][-1].time
            total += clock() - start
    shares = {name: seconds / total for name, seconds in spent.items()}
    return {"x": simulated / total, "shares": shares, "a_second": {name: calls[name] / simulated for name in calls}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    heads = (
        "map",
        "cells",
        "areas",
        "places",
        "build ms",
        "grid µs",
        "mesh µs",
        "faster",
        "expanded",
        "length",
        "longest",
    )
    table = Table(*heads)
    maps = {}
    for name in map_names():
        maps[name] = each = measure_map(name, options.pairs, options.seed)
        print(f"... {name}", file=sys.stderr)
        table.add_row(
            name, str(each["cells"]), str(each["areas"]), str(each["places"]), f"{each['build_ms']:.1f}",
            f"{each['grid_us']:.0f}", f"{each['mesh_us']:.0f}", f"{each['grid_us'] / each['mesh_us']:.1f}×",
            f"{each['grid_expanded']:.0f} : {each['mesh_expanded']:.0f}",
            f"{each['length']:.3f}", f"{each['longest']:.2f}",
        )  # fmt: skip
    faster = statistics.geometric_mean(each["grid_us"] / each["mesh_us"] for each in maps.values())
    length, longest = (
        statistics.mean(each["length"] for each in maps.values()),
        max(each["longest"] for each in maps.values()),
    )
    fights = {scene: measure_fights(scene, options.seed) for scene in ("skirmish", "quarry", "street")}
    figures = {"maps": maps, "faster": faster, "length": length, "longest": longest, "fights": fights}
    if options.json:
        print(json.dumps(figures))
        return 0
    Console(width=120).print(table)
    print(
        f"All maps: the mesh is {faster:.1f} times as fast; "
        f"its ways have {length:.3f} of the length, {longest:.2f} at most."
    )
    for scene, each in fights.items():
        ways, fields = each["shares"]["_search"], each["shares"]["_distance_field"]
        often, seldom = each["a_second"]["_search"], each["a_second"]["_distance_field"]
        print(
            f"{scene}, twelve fighters, {each['x']:.0f}× real time: {ways:.1%} of the time in {often:.1f} ways "
            f"a second, {fields:.1%} in {seldom:.1f} distance fields a second"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
