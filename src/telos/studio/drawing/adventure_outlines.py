"""Parts of symbols in short words: an area that is filled, a line that is drawn, ellipses and circles."""

from typing import TypeAlias

Part: TypeAlias = tuple[str, str, str, float]


def area(fill: str, *outlines: str) -> Part:
    """Return a part that is filled."""
    return fill, "".join(outlines), "", 0.0


def drawn(stroke: str, width: float, *outlines: str) -> Part:
    """Return a part that is drawn with a pen."""
    return "", "".join(outlines), stroke, width


def ellipse(x: float, y: float, across: float, down: float) -> str:
    """Return the outline of an ellipse around a point, by its two radii.

    >>> ellipse(0, 0, 4, 2)
    'M-4 0a4 2 0 1 0 8 0a4 2 0 1 0 -8 0Z'
    """
    half = f"a{across:g} {down:g} 0 1 0"
    return f"M{x - across:g} {y:g}{half} {2 * across:g} 0{half} {-2 * across:g} 0Z"


def disc(x: float, y: float, radius: float) -> str:
    """Return the outline of a circle around a point."""
    return ellipse(x, y, radius, radius)
