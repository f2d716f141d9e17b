"""Shapes: what a picture is made of, as plain lists that fit JSON. The browser has one painter for all worlds.

Coordinates are the stage's own units (``Stage.size``), x to the right and y down; the painter fits them to the page.
Colours are the names of roles in ``palette.py``, so that one picture serves both themes; ``"role/40"`` is the role at
40 % opacity, and ``""`` draws nothing.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

Shape: TypeAlias = list[Any]
Picture: TypeAlias = list[Shape]
Symbol: TypeAlias = list[tuple[str, str, str, float]]  # parts: fill, SVG path data around (0, 0), stroke, its width


def rect(x: float, y: float, width: float, height: float, fill: str, *, radius: float = 0, stroke: str = "") -> Shape:
    """Return a rectangle; ``x`` and ``y`` are its upper left corner."""
    return ["r", _short(x), _short(y), _short(width), _short(height), fill, radius, stroke]


def circle(x: float, y: float, radius: float, fill: str, *, stroke: str = "", width: float = 1) -> Shape:
    """Return a circle around a point."""
    return ["c", _short(x), _short(y), _short(radius), fill, stroke, width]


def line(x: float, y: float, to_x: float, to_y: float, stroke: str, *, width: float = 1, dashed: bool = False) -> Shape:
    """Return a straight line."""
    return ["l", _short(x), _short(y), _short(to_x), _short(to_y), stroke, width, int(dashed)]


def path(data: str, *, fill: str = "", stroke: str = "", width: float = 1) -> Shape:
    """Return any outline, as SVG path data (``M0 0L10 0Z``)."""
    return ["p", data, fill, stroke, width]


def text(x: float, y: float, words: str, fill: str = "ink", *, size: float = 14, align: str = "center") -> Shape:
    """Return a line of text; ``y`` is its middle."""
    return ["t", _short(x), _short(y), words, fill, size, align]


def place(
    name: str, symbol: str, x: float, y: float, *, angle: float = 0, scale: float = 1, **more: str | float | None
) -> Shape:
    """Return a symbol that is somewhere, turned by ``angle`` radians, clockwise. Its ``name`` is the same from frame to
    frame, so that it moves smoothly.

    More, all optional: ``pick`` (the character that a click on it opens), ``label`` (a name below it), ``tint`` (a role
    in place of the symbol's ``tint``), ``bar`` (a share, drawn above it), ``alpha`` (0 to 1), ``says`` (a speech
    bubble), ``glow`` (a role, for whoever is pointed out).
    """
    options = {key: value for key, value in more.items() if value is not None}
    return ["s", name, symbol, _short(x), _short(y), _short(angle), scale, options]


def _short(value: float) -> float:
    """Round to what can be seen: a frame is sent thirty times a second."""
    return round(value, 2)


Symbols: TypeAlias = Mapping[str, Symbol]
