"""One stage per world (`NAME.py`; a folder for `adventure`) and its pictures, made of the shapes in shapes.py.

`telos.studio.world(name)` finds the worlds. To draw a world of your own, start with the shapes exported here.
"""

from telos.studio.worlds.shapes import (
    GOALS,
    ROLES,
    Picture,
    Shape,
    Symbol,
    Symbols,
    circle,
    line,
    path,
    place,
    rect,
    text,
)

__all__ = [
    "GOALS",
    "ROLES",
    "Picture",
    "Shape",
    "Symbol",
    "Symbols",
    "circle",
    "line",
    "path",
    "place",
    "rect",
    "text",
]
