"""Houses, trees, people and things of the village. A unit is a pixel of the picture at its own size."""

from telos.studio.drawing.shapes import Symbol, Symbols


def _disc(x: float, y: float, radius: float) -> str:
    return f"M{x - radius} {y}a{radius} {radius} 0 1 0 {2 * radius} 0a{radius} {radius} 0 1 0 {-2 * radius} 0z"


def _house(roof: str, wide: float, *more: tuple[str, str, str, float]) -> Symbol:
    """Return a house whose foot is at (0, 0), with more of its own."""
    return [
        ("shadow", f"M{-wide} 3h{2 * wide + 8}l-6 -9h{-2 * wide}z", "", 0),
        ("floor2", f"M{-wide + 4} 0v-24h{2 * wide - 8}v24z", "wall2", 1),
        (roof, f"M{-wide - 2} -20L{-wide + 10} -42H{wide - 10}L{wide + 2} -20z", "wall2", 1),
        ("page/15", f"M{-wide + 3} -29h{2 * wide - 6}M{-wide + 7} -36h{2 * wide - 14}", "page/25", 1),
        *more,
    ]


_DOOR = ("wood", "M-5 0v-13q5 -4 10 0v13z", "wall2", 1.0)
_LIT = ("gold/80", "M-20 -15h8v8h-8zM12 -15h8v8h-8z", "wall2", 1.0)

SYMBOLS: Symbols = {
    "inn": _house(
        "roof",
        34,
        _DOOR,
        ("gold/80", "M-27 -15h8v8h-8zM-15 -15h7v8h-7zM10 -15h7v8h-7zM20 -15h7v8h-7z", "wall2", 1),
        ("wood", "M33 -30h10v2h-4v3h-2v-3h-4z", "", 0),
        ("gold", "M34 -25h9v7h-9z", "wall2", 1),
    ),
    "cottage": _house(
        "fire",
        26,
        _DOOR,
        _LIT,
        ("stone", "M10 -50h7v12h-7z", "wall2", 1),
        ("leaf", _disc(-24, -2, 5) + _disc(25, -2, 5), "", 0),
    ),
    "shed": _house("wood", 22, ("wall2", "M-9 0v-16h18v16z", "page/40", 1), ("", "M-9 -16L9 0M9 -16L-9 0", "wood", 2)),
    "smithy": _house(
        "stone",
        34,
        ("panel", "M-24 0v-17h48v17z", "wall2", 1),
        ("stone", "M14 -56h11v20h-11z", "wall2", 1),
        ("wall2", "M-14 0v-8h14v8z", "page/40", 1),  # the hearth
        ("stone", "M8 -7h14q-2 4 -6 4v3h3v2h-10v-2h3v-3q-4 0 -4 -4z", "page/40", 1),  # the anvil
    ),
    "bellows": [("wood", "M-9 0l11 -5v10zM2 -2h6v4h-6z", "page/50", 1)],
    "flame": [
        ("fire", "M0 6q-8 0 -8 -7q0 -5 4 -8q0 3 2 4q0 -6 4 -9q0 5 3 8q3 3 3 6q0 6 -8 6z", "", 0),
        ("gold", "M0 6q-4 0 -4 -4q0 -3 3 -6q1 3 3 4q2 2 2 3q0 3 -4 3z", "", 0),
    ],
    "smoke": [("faint/30", _disc(0, 0, 5) + _disc(5, -8, 7) + _disc(13, -17, 9), "", 0)],
    "pine": [
        ("shadow", "M-9 2q9 4 20 0l-2 -4h-16z", "", 0),
        ("wood", "M-2 2v-7h4v7z", "", 0),
        ("leaf", "M-11 -4L0 -21L11 -4z", "page/30", 1),
        ("leaf", "M-8.500 -13L0 -29L8.500 -13z", "page/30", 1),
    ],
    "apple_tree": [
        ("shadow", "M-12 2q12 4 26 0l-2 -4h-22z", "", 0),
        ("wood", "M-2.500 2v-10h5v10z", "", 0),
        ("leaf", _disc(-7, -14, 8) + _disc(7, -14, 8) + _disc(0, -20, 9), "page/25", 1),
        ("leaf", _disc(0, -15, 9), "", 0),
        ("danger", _disc(-8, -15, 2) + _disc(3, -21, 2) + _disc(8, -12, 2) + _disc(-1, -12, 2), "", 0),
    ],
    "well": [
        ("stone", _disc(0, 0, 9), "wall2", 1),
        ("water", _disc(0, 0, 5.500), "wall2", 1),
        ("", "M-9 0v-13M9 0v-13", "wood", 2),
        ("roof", "M-13 -12L0 -21L13 -12z", "wall2", 1),
    ],
    "gate": [
        ("wall2", "M-13 26v-48q13 -14 26 0v48z", "page/40", 1),
        ("wood", "M-9 26v-45q9 -10 18 0v45z", "page/50", 1),
        ("", "M-3 -23v49M3 -23v49", "page/30", 1),
        ("stone", "M-9 -8h18v3h-18zM-9 14h18v3h-18z", "", 0),
        ("gold", _disc(-5, 4, 2.600), "page", 1),
    ],
    "gate_open": [
        ("wall2", "M-13 26v-48q13 -14 26 0v48z", "page/40", 1),
        ("gold/50", "M-9 26v-45q9 -10 18 0v45z", "", 0),
        ("wood", "M-9 26v-45l-7 -3v44z", "page/50", 1),
    ],
    "figure": [
        ("shadow", "M-9 11a9 3.500 0 1 0 18 0a9 3.500 0 1 0 -18 0z", "", 0),
        ("tint", "M-8 11q-1 -13 8 -13q9 0 8 13q-8 3 -16 0z", "page", 1.200),
        ("wood", _disc(0, -7, 5.500), "page", 1.200),
    ],
    "wood": [("wood", "M-7 -3h14v3h-14zM-6 0h13v3h-13zM-7 3h14v3h-14z", "page", 0.800)],
    "hammer": [("wood", "M-1.300 -3h2.600v11h-2.600z", "page", 0.600), ("stone", "M-6 -7h12v5h-12z", "page", 0.800)],
    "apples": [
        ("danger", _disc(-3, -2, 2.600) + _disc(3, -2, 2.600) + _disc(0, -4, 2.600), "", 0),
        ("wood", "M-7 -1h14l-2 8h-10z", "page", 0.800),
    ],
    "gold": [("gold", "M-5 3l2 -6l5 -1l4 4l-2 4h-7z", "page", 0.800)],
    "key": [("", "M-1 0h8M4 0v3M7 0v3", "gold", 2), ("", _disc(-4, 0, 3), "gold", 2)],
    "spare": [("", "M-1 0h8M4 0v3M7 0v3", "stone", 2), ("", _disc(-4, 0, 3), "stone", 2)],
}
