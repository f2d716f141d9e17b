"""Walking on a map of places by arrow keys: `ARROW_KEYS`, `place_towards`, and `draw_arrows`, which shows the ways."""

import math
from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias

from telos.studio.worlds.shapes import Shape, circle, line, text

Point: TypeAlias = tuple[float, float]

ARROW_KEYS: tuple[tuple[str, str, str], ...] = (
    ("ArrowUp", "up", "walk up the map"),
    ("ArrowDown", "down", "walk down"),
    ("ArrowLeft", "left", "walk left"),
    ("ArrowRight", "right", "walk right"),
)
ARROWS = {"up": "↑", "down": "↓", "left": "←", "right": "→"}
_VECTORS: Mapping[str, Point] = {"up": (0.0, -1.0), "down": (0.0, 1.0), "left": (-1.0, 0.0), "right": (1.0, 0.0)}
_MIN_COSINE = 0.35  # the least cosine of the angle between an arrow and the path that it chooses
_FROM = 34.0  # picture units between the walker and the arrow


def place_towards(arrows: Collection[str], here: Point, near: Mapping[str, Point]) -> str | None:
    """Return the one of the places ``near`` that lies in the direction of the held arrows.

    >>> place_towards({"right"}, (0, 0), {"inn": (50, 10), "well": (0, 40)})
    'inn'
    """
    right = sum(_VECTORS[arrow][0] for arrow in arrows if arrow in _VECTORS)
    down = sum(_VECTORS[arrow][1] for arrow in arrows if arrow in _VECTORS)
    if not (right or down):
        return None
    best: tuple[float, str] | None = None
    for name, (x, y) in near.items():
        across, along = x - here[0], y - here[1]
        cosine = (across * right + along * down) / math.hypot(across, along) / math.hypot(right, down)
        if cosine >= _MIN_COSINE and (best is None or cosine > best[0]):
            best = cosine, name
    return None if best is None else best[1]


def places_by_arrow(here: Point, near: Mapping[str, Point]) -> dict[str, str]:
    """Return the place that each arrow leads to.

    >>> places_by_arrow((0, 0), {"inn": (50, 10), "well": (0, 40)})
    {'down': 'well', 'right': 'inn'}
    """
    found = {arrow: place_towards((arrow,), here, near) for arrow in ARROWS}
    return {arrow: name for arrow, name in found.items() if name is not None}


def pressed_arrows(before: Collection[str], held: Collection[str]) -> frozenset[str]:
    """Return the arrows that are held now and were not before."""
    return frozenset(held) & _VECTORS.keys() - frozenset(before)


def draw_arrows(here: Point, ways: Mapping[str, Point], *, room: float = 15.0) -> Iterator[Shape]:
    """Yield an arrow on the way to each place; ``ways`` are the places by arrow, ``room`` is the radius of a place."""
    x, y = here
    for arrow, (u, v) in ways.items():
        part = min(0.5, _FROM / (math.hypot(u - x, v - y) or 1.0))
        at_x, at_y = x + (u - x) * part, y + (v - y) * part
        yield line(at_x, at_y, u, v, "accent/70", width=2, dashed=True)
        yield circle(at_x, at_y, 9, "panel/90", stroke="accent", width=1.2)
        yield text(at_x, at_y, ARROWS[arrow], "accent", size=11)
        yield circle(u, v, room, "", stroke="accent/70", width=1.5)
