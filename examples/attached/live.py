"""The village of examples/village lives at the pace of people, and the studio looks on.

python examples/attached/live.py           # prints the command that shows it: telos play --attach …
"""

import sys
import time
from pathlib import Path
from typing import Any

import telos

VILLAGE = Path(__file__).parents[1] / "village"
sys.path.insert(0, str(VILLAGE))

from village import SECONDS, SHOPS, Cell, World  # noqa: E402

MAP = {"rows": (VILLAGE / "map.txt").read_text(encoding="utf-8").split(), "legend": {"h": "roof", **SHOPS}}


def way_ahead(world: World, name: str) -> list[Cell]:
    """Return the cells that somebody still has to walk."""
    execution = world.crowd[name].mind.execution
    if execution is None or execution.index >= len(execution.plan.steps) or execution.step.name != "goto":
        return []
    steps, way = world.steps_to(execution.step.arguments["place"]), [world.people[name].cell]
    while steps[way[-1]] > 0:
        way.append(min(world.beside(way[-1]), key=steps.__getitem__))
    return way


def draw(attached: telos.studio.Attachment, world: World) -> None:
    """Draw what the minds do not tell: where the wolves frighten people, and where everybody walks."""
    wolves = [{"kind": "circle", "x": x, "y": y, "radius": 6, "colour": "danger"} for x, y in world.wolves]
    ways: list[dict[str, Any]] = [
        {"kind": "path", "points": way} for each in world.crowd if (way := way_ahead(world, each))
    ]
    attached.draw("wolves", wolves)
    attached.draw("ways", ways)
    attached.set_values(loaves=int(world.loaves), fleeing=sum(world.crowd[each].goal == "safe" for each in world.crowd))


def main(seconds: float) -> None:
    world, end = World(), time.monotonic() + seconds
    with telos.studio.attach(world.crowd, name="village", map={**MAP, "centred": True}) as attached:
        while time.monotonic() < end:
            attached.wait()  # while the studio asks for a pause
            world.tick(microseconds=5000)
            if attached.is_watched:
                draw(attached, world)
            time.sleep(SECONDS)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 3600.0)
