"""The ground of an area of the adventure: meadow and paths, woods where there is no way on, houses in town."""

import math
from collections.abc import Iterator
from functools import lru_cache
from random import Random

from telos.studio.drawing.shapes import Picture, Shape, circle, path, place, rect

_STEP = 33  # pixels from one tree of a wall to the next
_PATH = 58  # pixels that a path is wide
_PLAZA = 44  # pixels, the radius of the trodden ground in the middle
_MEADOW = (("tuft", 38), ("flower", 10), ("pebbles", 5))  # what is scattered, and how much of it
_WOODS = (
    ("tree", "tree", "tree", "bush"),
    ("pine", "pine", "tree"),
    ("rock", "rock", "bush"),
    ("tree", "pine", "rock"),
)
_BLOSSOMS = ("accent", "gold", "foe", "ink")
_NORMAL = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


@lru_cache(maxsize=128)  # every game shows the same areas, and each is drawn once
def ground(area: str, size: tuple[int, int], exits: tuple[str, ...], *, town: bool, chest: bool) -> Picture:
    """Return all that stands still in an area; the same area always looks the same."""
    rng = Random(f"area {area}")  # a look, not a chance of the game
    width, height = size
    drawn = [rect(0, 0, width, height, "grass"), *_patches(size, rng), *_paths(size, exits, rng)]
    drawn += _scattered(size, exits, rng)
    standing = [*_walls(size, exits, rng), *(_houses(size, exits) if town else ())]
    drawn += sorted(standing, key=lambda shape: float(shape[4]))  # what is farther down stands in front
    if town:
        drawn += [circle(width / 2, height / 2, 32, "", stroke="gold/60", width=2)]
        drawn += [place("banner", "banner", width / 2 + 38, height / 2 - 14)]
    if chest:
        drawn += [place("chest", "chest", width / 2, height / 2)]
    return drawn


def _patches(size: tuple[int, int], rng: Random) -> Iterator[Shape]:
    """Let the green vary a little."""
    for _ in range(7):
        x, y = rng.uniform(0, size[0]), rng.uniform(0, size[1])
        yield circle(x, y, rng.uniform(40, 120), rng.choice(("leaf/4", "ground2/10", "leaf/6")))


def _paths(size: tuple[int, int], exits: tuple[str, ...], rng: Random) -> Iterator[Shape]:
    """Draw a path from the middle over each open edge: a border first, so that crossings have none."""
    x, y = size[0] / 2, size[1] / 2
    ways = []
    for edge in exits:
        across, down = _NORMAL[edge]
        end_x, end_y = x + across * (x + 20), y + down * (y + 20)
        bend = rng.uniform(-26, 26)
        middle = (x + end_x) / 2 + down * bend, (y + end_y) / 2 + across * bend
        ways.append(f"M{x:g} {y:g}Q{middle[0]:.0f} {middle[1]:.0f} {end_x:g} {end_y:g}")
    trodden = "".join(ways)
    yield path(trodden, stroke="wood/22", width=_PATH + 6)
    yield circle(x, y, _PLAZA + 3, "wood/22")
    yield path(trodden, stroke="path", width=_PATH)
    yield circle(x, y, _PLAZA, "path")


def _scattered(size: tuple[int, int], exits: tuple[str, ...], rng: Random) -> Iterator[Shape]:
    blossom = rng.choice(_BLOSSOMS)
    for symbol, number in _MEADOW:
        for i in range(number):
            x, y = rng.uniform(30, size[0] - 30), rng.uniform(30, size[1] - 30)
            if symbol == "pebbles" or not _is_trodden(x, y, size, exits):
                tint = blossom if symbol == "flower" else None
                yield place(f"{symbol}{i}", symbol, x, y, scale=round(rng.uniform(0.7, 1.1), 2), tint=tint)


def _is_trodden(x: float, y: float, size: tuple[int, int], exits: tuple[str, ...]) -> bool:
    across, down = x - size[0] / 2, y - size[1] / 2
    if math.sqrt(across * across + down * down) < _PLAZA + 12:
        return True
    for edge in exits:
        right, below = _NORMAL[edge]
        if across * right + down * below > 0 and abs(across * below - down * right) < _PATH / 2 + 22:
            return True
    return False


def _walls(size: tuple[int, int], exits: tuple[str, ...], rng: Random) -> Iterator[Shape]:
    """Stand trees or rocks on the edges that do not lead on, half outside, so that nobody has to walk on them."""
    woods = rng.choice(_WOODS)
    for edge, (across, down) in _NORMAL.items():
        if edge in exits:
            continue
        length = size[0] if down else size[1]
        for i in range(math.ceil(length / _STEP) + 1):
            along = i * _STEP + rng.uniform(-5, 5)
            x = along if down else size[0] * (across > 0) + across * rng.uniform(-7, 2)
            y = along if across else size[1] * (down > 0) + (rng.uniform(0, 6) if down < 0 else rng.uniform(-4, 3))
            yield place(f"{edge}{i}", rng.choice(woods), x, y, scale=round(rng.uniform(0.92, 1.2), 2))


def _houses(size: tuple[int, int], exits: tuple[str, ...]) -> Iterator[Shape]:
    """Build houses into the corners, and along the edges that do not lead on."""
    width, height = size
    spots = [(0.15, 0.17), (0.85, 0.17), (0.15, 0.83), (0.85, 0.83)]
    spots += [(0.34, 0.15), (0.66, 0.15)] if "north" not in exits else []
    spots += [(0.34, 0.85), (0.66, 0.85)] if "south" not in exits else []
    for i, (across, down) in enumerate(spots):
        yield place(f"house{i}", "house", across * width, down * height, scale=0.9)
