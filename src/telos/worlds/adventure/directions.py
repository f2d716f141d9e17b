"""Eight ways to go, and what a player holds down: directions and the sword."""

import math
from functools import lru_cache
from typing import NamedTuple

from telos.core.errors import TelosError, name_hint

STOP = "stop"
# The straight directions that each way is made of; y grows downwards, as on every screen.
PARTS: dict[str, tuple[str, ...]] = {
    "up": ("up",),
    "up_right": ("up", "right"),
    "right": ("right",),
    "down_right": ("down", "right"),
    "down": ("down",),
    "down_left": ("down", "left"),
    "left": ("left",),
    "up_left": ("up", "left"),
    STOP: (),
}
DIRECTIONS = tuple(each for each in PARTS if each != STOP)
STRAIGHT = ("up", "right", "down", "left")
EDGES = {"up": "north", "right": "east", "down": "south", "left": "west"}

_SLANT = math.sqrt(0.5)  # a diagonal step is as long as a straight one
VECTORS: dict[str, tuple[float, float]] = {
    "up": (0.0, -1.0),
    "up_right": (_SLANT, -_SLANT),
    "right": (1.0, 0.0),
    "down_right": (_SLANT, _SLANT),
    "down": (0.0, 1.0),
    "down_left": (-_SLANT, _SLANT),
    "left": (-1.0, 0.0),
    "up_left": (-_SLANT, -_SLANT),
    STOP: (0.0, 0.0),
}
_WAY_OF = {frozenset(parts): direction for direction, parts in PARTS.items()}
_SWING = "swing"


class Keys(NamedTuple):
    """What is held down during a frame."""

    direction: str = STOP
    swing: bool = False


NO_KEYS = Keys()


@lru_cache(maxsize=1024)  # there are few inputs, and one is read every frame
def read_keys(text: str) -> Keys:
    """Read an input: directions and ``swing``, joined by ``+``; opposite directions cancel out.

    >>> read_keys("left+up"), read_keys("swing"), read_keys("left+right")
    (Keys(direction='up_left', swing=False), Keys(direction='stop', swing=True), Keys(direction='stop', swing=False))
    """
    words = text.split("+") if isinstance(text, str) and text else []
    unknown = next((word for word in words if word not in (*STRAIGHT, _SWING)), None)
    if unknown is not None or not isinstance(text, str):
        remedy = name_hint(str(unknown), (*STRAIGHT, _SWING)) if unknown else "join directions and `swing` by `+`"
        raise TelosError(f"{text!r} is no input of the adventure", remedy)
    held = set(words) - {_SWING}
    for one, other in (("up", "down"), ("left", "right")):
        if {one, other} <= held:
            held -= {one, other}
    return Keys(_WAY_OF[frozenset(held)], _SWING in words)


def keys_text(keys: Keys) -> str:
    """Return the shortest input that means ``keys``.

    >>> keys_text(Keys("up_left", swing=True)), keys_text(NO_KEYS)
    ('up+left+swing', '')
    """
    return "+".join((*PARTS[keys.direction], *((_SWING,) if keys.swing else ())))


def direction_of(across: float, down: float) -> str:
    """Return a direction for a way: a diagonal one if neither part of it is twice the other or more.

    >>> direction_of(5.0, 0.0), direction_of(3.0, -3.0), direction_of(0.0, 0.0)
    ('right', 'up_right', 'stop')
    """
    flat, steep = abs(across) * 2 > abs(down), abs(down) * 2 > abs(across)
    parts = (("left" if across < 0 else "right") if flat else None, ("up" if down < 0 else "down") if steep else None)
    return _WAY_OF[frozenset(part for part in parts if part is not None)]
