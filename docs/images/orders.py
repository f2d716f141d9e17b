"""Draw where soldiers went with an order and without it, for read-a-fight.md and write-a-manoeuvre.md.

    python docs/images/orders.py [FOLDER]

Every picture has two panels, the continuations of one fight from the moment before a squad behaviour began.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from telos.files import write_text
from telos.worlds.arena import load_scene
from telos.worlds.arena.counterfactuals import OrderlessBattle, OrderMoment, find_order_moments
from telos.worlds.arena.scene import Scene
from telos.worlds.arena.sim.map import FURNITURE, WALL, ArenaMap, Point

SEED, DICE = 1, 0
# The scenes, how many seconds of each are drawn, and the behaviours in them.
SCENES = (("pincer", 8.0, ("get-to-cover", "advance-cover")), ("flank-and-hold", 5.0, ("flank-and-hold",)))
CELL = 13  # pixels
COLOURS = {"red": "#c8443c", "blue": "#3a6ea8"}


@dataclass(frozen=True, slots=True)
class Track:
    """Where a fighter was at every step, and whether it was alive at the end."""

    name: str
    side: str
    points: tuple[Point, ...]
    alive: bool


def follow(scene: Scene, moment: OrderMoment, unheard: tuple[str, ...], seconds: float) -> list[Track]:
    """Continue a fight, and return everybody's track."""
    battle = OrderlessBattle(replace(scene, talk=False), seed=SEED, unheard=unheard, since=moment.time)
    battle.restore(moment.saved)
    battle.arena.state.rng = Random(DICE)
    points = {name: [fighter.position] for name, fighter in battle.arena.fighters.items()}
    while not battle.arena.over and battle.arena.time < moment.time + seconds:
        battle.step()
        for name in battle.arena.living():
            points[name].append(battle.arena.fighter(name).position)
    return [
        Track(name, fighter.side, tuple(points[name]), fighter.alive) for name, fighter in battle.arena.fighters.items()
    ]


def draw_panel(drawn: ArenaMap, tracks: list[Track], title: str, left: float) -> Iterator[str]:
    """Yield the elements of one panel: the map, the tracks, and the names at their ends."""
    yield f'<g transform="translate({left},28)"><text x="0" y="-10" class="title">{title}</text>'
    yield f'<rect width="{len(drawn.rows[0]) * CELL}" height="{len(drawn.rows) * CELL}" fill="#f6f4ef"/>'
    for y, row in enumerate(drawn.rows):
        for x, mark in enumerate(row):
            if mark in (WALL, FURNITURE):
                colour = "#5b5b5b" if mark == WALL else "#c9a36a"
                yield f'<rect x="{x * CELL}" y="{y * CELL}" width="{CELL}" height="{CELL}" fill="{colour}"/>'
    for track in tracks:
        colour, path = COLOURS[track.side], " ".join(f"{x * CELL:.0f},{y * CELL:.0f}" for x, y in track.points)
        (x, y), (x0, y0) = track.points[-1], track.points[0]
        yield f'<circle cx="{x0 * CELL:.0f}" cy="{y0 * CELL:.0f}" r="3" fill="none" stroke="{colour}"/>'
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"/>'
        yield f'<circle cx="{x * CELL:.0f}" cy="{y * CELL:.0f}" r="5" fill="{colour if track.alive else "#ffffff"}" '
        yield f'stroke="{colour}" stroke-width="1.5"/>'
        yield f'<text x="{x * CELL + 7:.0f}" y="{y * CELL + 4:.0f}" fill="{colour}">{track.name}</text>'
    yield "</g>"


def draw(scene: Scene, moment: OrderMoment, seconds: float) -> str:
    """Return a picture of a moment: with all its orders on the left, without them on the right."""
    width, height = len(scene.map.rows[0]) * CELL, len(scene.map.rows) * CELL
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * width + 44} {height + 40}" '
        f'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="#ffffff"/><style>.title{font-size:13px;font-weight:bold}</style>',
        *draw_panel(
            scene.map,
            follow(scene, moment, (), seconds),
            f"{moment.behaviour} at {moment.time:g} s: with the orders",
            12,
        ),
        *draw_panel(scene.map, follow(scene, moment, tuple(moment.orders), seconds), "without them", width + 32),
        "</svg>\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for name, shown, behaviours in SCENES:
        loaded = load_scene(name)
        for found in find_order_moments(loaded, seed=SEED):
            if found.behaviour in behaviours:
                write_text(folder / f"orders-{found.behaviour}.svg", draw(loaded, found, shown))
