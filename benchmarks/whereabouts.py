"""What does it cost to infer where hidden enemies are? Twelve fight as soldiers, and as hunters, in one run.

    python benchmarks/whereabouts.py [--seed 7] [--fights 3] [--json]

A hunter is a soldier with the sensor ``whereabouts``, read twice a second, and the goal ``hunt``. The table has the
places of each map, the time to make them (once a map), and what one reading costs while fighters look for each other:
spreading the beliefs, looking at what is in view, choosing nodes. Times are of the processor; fights start without
remembered lines of sight.

Then one is looked for by a soldier and by a hunter, both unarmed: she runs into each room of the scene ``hunt`` in turn
and stays there. Printed is how often she is seen again within a minute, and after how long; never counts as a minute.
"""

import argparse
import itertools
import json
import statistics
import sys
import time
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from rich.console import Console
from rich.table import Table

from agents import twelve
from telos.core.values import FrozenMap
from telos.worlds.arena.ai.whereabouts import WhereaboutsSensor, places_of
from telos.worlds.arena.battle import Battle
from telos.worlds.arena.scene import Cue, Scene, load_scene

SCENES = ("skirmish", "quarry", "street")
SECONDS = 60.0
AIM = 20.0  # times real time
clock = time.process_time

Figures = dict[str, Any]


def fight(scene: Scene, seed: int, fights: int) -> Figures:
    """Return the speed of some fights, and what readings of the sensor cost in them."""
    ratios, readings, original = [], [], WhereaboutsSensor.read

    def timed(self: WhereaboutsSensor, *arguments: Any) -> Any:
        start = clock()
        facts = list(original(self, *arguments))
        if facts:
            readings.append(clock() - start)
        return facts

    with patch.object(WhereaboutsSensor, "read", timed):
        for number in range(fights):
            battle = Battle(scene, seed=seed + number)
            battle.arena.state.sight._doors_between.clear()
            start = clock()
            simulated = [*battle.seconds(SECONDS)][-1].time
            ratios.append(simulated / (clock() - start))
    readings.sort()
    found = {"x": statistics.median(ratios), "least": min(ratios), "readings": len(readings)}
    if readings:
        found |= {"us": statistics.median(readings) * 1e6, "us_99": readings[int(len(readings) * 0.99)] * 1e6}
    return found


def look_for_her(character: str, seeds: range) -> Figures:
    """Return how long it takes to find somebody in each room of the scene, in seconds."""
    scene, times = load_scene("hunt"), []
    rooms = [node.position for node in scene.map.nodes.values() if node.kind == "ambush"]
    sam, eve = scene.cast
    searcher = replace(sam, character=character, body=FrozenMap({"weapon": "none", "magazines": 0}))
    for (x, y), seed in itertools.product(rooms, seeds):
        hider = replace(eve, body=FrozenMap({"health": 9000.0}), script=(Cue(1.5, f"goto {x},{y}"),))
        battle, was_hidden, found = Battle(replace(scene, cast=(searcher, hider)), seed=seed), False, SECONDS
        for view in battle.seconds(SECONDS):
            is_seen = battle.arena.sees(sam.name, eve.name)
            was_hidden |= view.time > 3 and not is_seen
            if was_hidden and is_seen:
                found = view.time
                break
        times.append(found)
    return {"looked": len(times), "found": sum(each < SECONDS for each in times), "seconds": statistics.mean(times)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--fights", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    table = Table(
        "scene", "places", "made in ms", "µs a reading", "99 %", "soldiers × real time", "hunters × real time"
    )
    figures: Figures = {}
    for name in SCENES:
        scene = twelve(load_scene(name))
        places_of.cache_clear()
        start = clock()
        places = places_of(scene.map)
        places.rows(5)
        made = (clock() - start) * 1e3
        hunters = replace(scene, cast=tuple(replace(each, character="hunter") for each in scene.cast))
        soldiers, hunting = fight(scene, options.seed, options.fights), fight(hunters, options.seed, options.fights)
        figures[name] = {"places": len(places.areas), "made_ms": made, "soldiers": soldiers, "hunters": hunting}
        print(f"... {name}", file=sys.stderr)
        table.add_row(
            name, str(len(places.areas)), f"{made:.0f}", f"{hunting['us']:.0f}", f"{hunting['us_99']:.0f}",
            f"{soldiers['x']:.0f} (least {soldiers['least']:.0f})",
            f"{hunting['x']:.0f} (least {hunting['least']:.0f})",
        )  # fmt: skip
    search = {character: look_for_her(character, range(options.fights)) for character in ("soldier", "hunter")}
    if options.json:
        print(json.dumps({"fights": figures, "search": search}))
        return 0
    Console(width=120).print(table)
    for name, each in figures.items():
        x = each["hunters"]["x"]
        print(f"  {'met   ' if x >= AIM else 'MISSED'} {name}, twelve hunters: ≥ {AIM:g}× real time: {x:.0f}×")
    for character, each in search.items():
        found = f"{each['found']} times of {each['looked']}"
        print(f"A {character} finds her {found}, after {each['seconds']:.1f} s on average")
    return 0


if __name__ == "__main__":
    sys.exit(main())
