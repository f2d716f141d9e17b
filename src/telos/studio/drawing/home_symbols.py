"""Furniture and people of the house, seen from above. A unit is a pixel of the picture at its own size."""

from telos.studio.drawing.shapes import Symbol, Symbols


def _box(x: float, y: float, width: float, height: float, radius: float = 2) -> str:
    """Return the outline of a box with round corners, as path data."""
    w, h, r = width - 2 * radius, height - 2 * radius, radius
    return (
        f"M{x + r} {y}h{w}q{r} 0 {r} {r}v{h}q0 {r} {-r} {r}h{-w}q{-r} 0 {-r} {-r}v{-h}q0 {-r} {r} {-r}z"
    )  # fmt: skip


def _disc(x: float, y: float, radius: float) -> str:
    return f"M{x - radius} {y}a{radius} {radius} 0 1 0 {2 * radius} 0a{radius} {radius} 0 1 0 {-2 * radius} 0z"


def _oval(x: float, y: float, wide: float, high: float) -> str:
    return f"M{x - wide} {y}a{wide} {high} 0 1 0 {2 * wide} 0a{wide} {high} 0 1 0 {-2 * wide} 0z"


_BED: Symbol = [
    ("wood", _box(-18, -21, 36, 50, 4), "wall2", 1),
    ("floor2", _box(-15, -18, 30, 44, 3), "ink/10", 1),
    ("ink/25", _box(-11, -16, 22, 11, 4), "", 0),
]
_FRIDGE: Symbol = [
    ("shadow", _box(-11, -10, 25, 26, 3), "", 0),
    ("stone", _box(-13, -13, 26, 26, 3), "wall2", 1),
    ("ink/25", _box(-13, -13, 26, 8, 3), "", 0),
    ("", "M-13 5h26", "panel/70", 1.5),
    ("", "M8 8.5h-7", "ink/80", 2),
]

SYMBOLS: Symbols = {
    "fridge": _FRIDGE,
    "oven": [
        ("shadow", _box(-12, -10, 28, 26, 3), "", 0),
        ("stone", _box(-14, -13, 28, 26, 3), "wall2", 1),
        ("panel", _disc(-6.5, -6, 4.2) + _disc(6.5, -6, 4.2) + _disc(-6.5, 5, 4.2) + _disc(6.5, 5, 4.2), "ink/30", 1),
    ],
    "oven_hot": [("fire", _disc(-6.5, 5, 3.4) + _disc(6.5, 5, 3.4), "gold", 1.2), ("fire/30", _disc(0, 4, 20), "", 0)],
    "table": [
        ("shadow", _box(-17, -25, 38, 54, 6), "", 0),
        ("wood", _box(-18, -27, 36, 54, 6), "wall2", 1),
        ("", "M-6 -27v54M6 -27v54", "page/15", 1),
        ("stone", _disc(-9, -13, 5) + _disc(9, -13, 5) + _disc(-9, 13, 5) + _disc(9, 13, 5), "page/40", 1),
    ],
    "chair": [("wood", _box(-7, -7, 14, 14, 4), "wall2", 1), ("page/15", _box(-4.5, -4.5, 9, 9, 3), "", 0)],
    "television": [("wood", _box(-36, -9, 72, 12, 2), "wall2", 1), ("panel", _box(-26, -5, 52, 6, 1), "faint", 1)],
    "television_on": [
        ("gem", _box(-26, -5, 52, 6, 1), "ink/60", 1),
        ("gem/20", "M-26 1L-46 44H46L26 1z", "", 0),
    ],
    "sofa": [
        ("shadow", _box(-44, -11, 92, 32, 7), "", 0),
        ("leaf", _box(-46, -14, 92, 32, 7), "wall2", 1),
        ("page/20", _box(-46, 9, 92, 9, 4), "", 0),
        ("ink/15", _box(-38, -11, 24, 19, 4) + _box(-12, -11, 24, 19, 4) + _box(14, -11, 24, 19, 4), "", 0),
    ],
    "console": [
        ("wood", _box(-13, -12, 24, 20, 3), "wall2", 1),
        ("panel", _box(-9, -9, 16, 10, 2), "faint", 1),
        ("accent", _disc(-6, 5, 1.8) + _disc(4, 5, 1.8), "", 0),
    ],
    "console_on": [("accent", _box(-9, -9, 16, 10, 2), "ink/60", 1), ("accent/20", _disc(-1, 2, 22), "", 0)],
    "shelf": [
        ("wood", _box(-9, -11, 18, 13, 1), "wall2", 1),
        ("roof", _box(-7, -9, 3.4, 9, 0.5), "", 0),
        ("player", _box(-3, -9, 3, 9, 0.5), "", 0),
        ("gold", _box(0.6, -9, 2.6, 9, 0.5), "", 0),
        ("leaf", _box(3.8, -9, 3.4, 9, 0.5), "", 0),
    ],
    "armchair": [
        ("shadow", _box(-13, -10, 30, 28, 8), "", 0),
        ("roof", _box(-15, -13, 30, 28, 8), "wall2", 1),
        ("page/20", _box(-15, 7, 30, 8, 4), "", 0),
        ("ink/15", _box(-9, -10, 18, 17, 5), "", 0),
    ],
    "phone": [
        ("wood", _disc(0, 0, 10), "wall2", 1),
        ("wall2", _box(-6, -3, 12, 8, 2), "", 0),
        ("stone", "M-7 -4q7 -5 14 0v2q-3 1 -4 -1q-3 -1 -6 0q-1 2 -4 1z", "", 0),
    ],
    "toilet": [
        ("stone", _box(-8, -14, 16, 8, 2), "wall2", 1),
        ("stone", _oval(0, 2, 8, 10), "wall2", 1),
        ("water", _oval(0, 2, 4.6, 6.4), "wall2/60", 1),
    ],
    "basin": [
        ("stone", _box(-11, -13, 22, 15, 4), "wall2", 1),
        ("water", _oval(0, -5, 7, 4.4), "wall2/60", 1),
        ("", "M0 -12v5", "wall2", 2),
    ],
    "shower": [
        ("water", _box(-17, -15, 34, 34, 3), "ink/50", 1.5),
        ("ink/40", _disc(0, 2, 3), "", 0),
        ("", "M-12 -10l5 5M12 -10l-5 5M-12 14l5 -5M12 14l-5 -5", "ink/25", 1.2),
    ],
    "water": [("", "M-10 -10v5M-3 -13v5M4 -11v5M11 -9v5M-7 -2v5M8 0v5M0 6v5", "gem", 1.6)],
    "bed": _BED,
    "padlock": [
        ("", "M-4 -2v-3a4 4 0 0 1 8 0v3", "danger", 2.2),
        ("danger", _box(-6.5, -2, 13, 10, 2), "page", 1),
        ("page", _disc(0, 2.4, 1.6), "", 0),
    ],
    "person": [
        ("shadow", _oval(1, 3, 10, 7), "", 0),
        ("tint", _oval(0, 1, 10, 6.5), "page", 1.2),
        ("wood", _disc(0, -1, 5.4), "page", 1.2),
    ],
    "sleeper": [
        ("wood", _disc(0, -10, 5), "page", 1),
        ("tint", "M-14 -4q14 -4 28 0v25q0 3 -3 3h-22q-3 0 -3 -3z", "page/60", 1),
        ("page/15", "M-14 -4q14 -4 28 0v5q-14 -4 -28 0z", "", 0),
    ],
    "meal": [("stone", _disc(0, 0, 4.6), "page", 1), ("fire", _disc(0, 0, 2.4), "", 0)],
    "raw": [("leaf", "M-4 4l-1 -8h10l-1 8z", "page", 1), ("roof", _disc(-1.5, -4.5, 2) + _disc(2, -4.5, 1.7), "", 0)],
}
