"""Which of the eight ways to go: to a point, and round monsters. It is asked many times a second: plain arithmetic."""

import math
from typing import NamedTuple

from telos.studies.players.perception import OWN_SPEED, THEIR_SPEED, Scene
from telos.worlds.adventure.directions import DIRECTIONS, EDGES, PARTS, STOP, STRAIGHT, VECTORS

_AHEAD = (3.0, 8.0, 14.0)  # the frames that a way is thought through
_TOUCH = 48.0  # pixels; nearer than this is dead, or nearly
_WALL = 3.0  # how bad it is to run into a wall, or out by the wrong exit; a full turn round is 2
_CUNNING = 0.8  # they head for where one is, not for where one will be: so much of their speed counts
_STEADY = 0.3  # what is done already is better by so much: whoever dithers is caught
_MANY = 6  # monsters that one can keep an eye on


class Screen(NamedTuple):
    """Where one may go: the size of the screen, and the edges that one means to cross."""

    width: float
    height: float
    edges: tuple[str, ...] = ()


def eighth(across: float, down: float) -> str:
    """Return the direction nearest to a vector.

    >>> eighth(10, -1), eighth(5, 5)
    ('right', 'down_right')
    """
    turn = round(math.atan2(across, -down) / (math.pi / 4))
    return DIRECTIONS[turn % len(DIRECTIONS)]


def quarter(across: float, down: float) -> str:
    """Return the straight direction nearest to a vector.

    >>> quarter(10, -9)
    'right'
    """
    if abs(across) >= abs(down):
        return "right" if across >= 0 else "left"
    return "down" if down >= 0 else "up"


def toward(across: float, down: float, *, diagonals: float, slack: float, now: str = STOP) -> str:
    """Return the way to a point: slanting if that is one's habit, else along an axis, and the same one as before.

    >>> toward(100, 60, diagonals=0.9, slack=8), toward(100, 60, diagonals=0.1, slack=8)
    ('down_right', 'right')
    >>> toward(3, 2, diagonals=1, slack=8)
    'stop'
    """
    far, near = max(abs(across), abs(down)), min(abs(across), abs(down))
    if far <= slack:
        return STOP
    if near > slack and near > far * (1.0 - diagonals):
        return eighth(math.copysign(1, across), math.copysign(1, down))
    if now in STRAIGHT and near > slack:
        right, below = VECTORS[now]
        if across * right + down * below > slack:
            return now
    return quarter(across, down)


class Way(NamedTuple):
    """A direction, and how good it is: 1 leads straight there at no risk, far below zero leads into a monster."""

    direction: str
    worth: float


def around(scene: Scene, wanted: tuple[float, float], keep: float, screen: Screen, now: str = STOP) -> Way:
    """Return the way that leads best in the wanted direction without coming nearer to a monster than ``keep``."""
    length = math.sqrt(wanted[0] ** 2 + wanted[1] ** 2) or 1.0
    near = [(foe.across, foe.down) for foe in scene.foes[:_MANY] if foe.away < keep + 130]
    best = Way(STOP, -math.inf)
    for direction in DIRECTIONS:
        right, down = VECTORS[direction]
        worth = (right * wanted[0] + down * wanted[1]) / length + (_STEADY if direction == now else 0.0)
        worth -= _blocked(scene, direction, screen)
        if worth > best.worth:
            worth -= _risk(right, down, near, keep)
        if worth > best.worth:
            best = Way(direction, worth)
    return best


def _risk(right: float, down: float, near: list[tuple[float, float]], keep: float) -> float:
    """Return how dangerous a direction is in the next moments, with monsters coming on all the while."""
    risk = 0.0
    for across, below in near:
        closest = keep
        for ahead in _AHEAD:
            x, y = right * OWN_SPEED * ahead, down * OWN_SPEED * ahead
            away = math.sqrt((across - x) ** 2 + (below - y) ** 2) - _CUNNING * THEIR_SPEED * ahead
            closest = min(closest, away)
        risk += (3.0 if closest < _TOUCH else 0.0) + (keep - closest) / keep
    return risk


def _blocked(scene: Scene, direction: str, screen: Screen) -> float:
    right, down = VECTORS[direction]
    reach = OWN_SPEED * _AHEAD[1]
    x, y = scene.x + right * reach, scene.y + down * reach
    beyond = {"left": x < 0, "right": x > screen.width, "up": y < 0, "down": y > screen.height}
    return sum(_WALL for part in PARTS[direction] if beyond[part] and EDGES[part] not in screen.edges)
