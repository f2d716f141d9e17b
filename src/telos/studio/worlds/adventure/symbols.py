"""The symbols of the adventure: bodies and scenery, drawn around (0, 0) for a body of 24 pixels.

Heroes face right at angle 0, seen from above; monsters face the viewer.
"""

from typing import TypeAlias

from telos.studio.worlds.shapes import Symbol

# --- outlines ---------------------------------------------------------------------------------------------------------


SymbolPart: TypeAlias = tuple[str, str, str, float]


def fill_part(fill: str, *outlines: str) -> SymbolPart:
    """Return a filled part of a symbol."""
    return fill, "".join(outlines), "", 0.0


def stroke_part(stroke: str, width: float, *outlines: str) -> SymbolPart:
    """Return a stroked part of a symbol."""
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


# --- symbols of bodies ------------------------------------------------------------------------------------------------


BODY = 24  # pixels

_IMP: Symbol = [
    fill_part("shadow", ellipse(0, 10, 12, 4)),
    fill_part(
        "stone",
        "M-9 -7C-14 -9 -14 -14 -11.5 -16C-11 -12.5 -8.5 -10.8 -5.4 -10.4ZM9 -7",
        "C14 -9 14 -14 11.5 -16C11 -12.5 8.5 -10.8 5.4 -10.4Z",
    ),
    fill_part(
        "tint",
        "M-11 1C-11 -8 -6 -12 0 -12C6 -12 11 -8 11 1C11 7 8 11.5 4.5 11.5L2.5 9.5L0 11.8",
        "L-2.5 9.5L-4.5 11.5C-8 11.5 -11 7 -11 1Z",
    ),
]
BODIES: dict[str, Symbol] = {
    "hero": [
        fill_part("shadow", disc(-1, 1.5, 14)),
        fill_part("player/70", "M-3 -9C-12 -8 -16 -3 -16 0C-16 3 -12 8 -3 9Z"),  # the cape
        fill_part("tint", ellipse(0, 0, 7.5, 11.5)),
        fill_part("shadow", ellipse(-2.5, 0, 5, 10)),
        fill_part("wood", disc(6.5, 9.5, 3)),
        fill_part("wood", disc(6.5, -9.5, 3)),
        ("stone", "M5 -15C10 -15 13 -12 13 -9C13 -6 10 -4 6 -4Z", "gold", 1.2),  # the shield
        fill_part("gold", ellipse(0.5, 0, 7, 6.6)),
        fill_part(
            "wood", "M3.5 -5.4C6.6 -4.4 7.9 -2.2 7.9 0C7.9 2.2 6.6 4.4 3.5 5.4C4.8 2 4.8 -2 3.5 -5.4Z"
        ),  # the face
        fill_part("shadow", "M-6.4 -2.6C-3 -4.6 0 -4.6 2.4 -3.8C-1 -2.6 -4 -1.6 -6.2 1Z"),
    ],
    "hero-fallen": [
        fill_part("shadow", ellipse(0, 2, 19, 13)),
        fill_part("player/70", "M-4 -12C-15 -13 -21 -6 -20 1C-19 9 -11 13 -2 10C3 4 2 -6 -4 -12Z"),  # the cape
        fill_part("tint", ellipse(1, 0, 10.5, 6.5)),
        fill_part("shadow", ellipse(-1, 2, 9, 4)),
        fill_part("wood", disc(-3, -10, 3)),
        fill_part("wood", disc(4, 10, 3)),
        fill_part("gold", disc(12.5, -1, 6.4)),
        fill_part("wood", "M14.5 -6C17.6 -5 19 -3 19 -1C19 1 17.6 3 14.5 4C15.8 1 15.8 -3 14.5 -6Z"),  # the face
        ("stone", "M-2 -22C3 -22 6 -19 6 -16C6 -13 3 -11 -1 -11Z", "gold", 1.2),  # the shield
        fill_part("ink/85", "M4 15L20 18.4L22.4 20L19.6 20.6L3.6 17.2Z"),
    ],
    "sword": [
        fill_part("gold", "M12 -3.6h2.6v7.2h-2.6z"),
        fill_part("ink", "M14.6 -2.4L42 -1.7L48 0L42 1.7L14.6 2.4Z"),
        fill_part("stone", "M14.6 0L47 0L42 1.7L14.6 2.4Z"),
    ],
    "sweep": [
        fill_part("ink/22", "M0 0L24 -41.6A48 48 0 0 1 24 41.6Z"),
        stroke_part("ink/50", 1.5, "M28 -39A48 48 0 0 1 28 39"),
    ],
    "companion": [
        fill_part("shadow", disc(-1, 1.5, 13)),
        fill_part("tint/70", "M-2 -9C-11 -8 -14 -4 -14 0C-14 4 -11 8 -2 9Z"),
        fill_part("tint", ellipse(0, 0, 7, 10.5)),
        fill_part("shadow", ellipse(-2.5, 0, 4.6, 9)),
        fill_part("wood", disc(6.5, 8.6, 2.6)),
        fill_part("wood", disc(6.5, -8.6, 2.6)),
        stroke_part("wood", 2.4, "M2 12.5L17 8"),  # a staff
        fill_part("gem", disc(18, 7.7, 2.6)),
        fill_part("tint", "M-8 0C-8 -6 -3 -8 1 -7.4C6 -6.6 10 -2 12.5 0C10 2 6 6.6 1 7.4C-3 8 -8 6 -8 0Z"),  # the hood
        fill_part("shadow", "M1.5 -4.6C5 -4 7.6 -1.6 8.6 0C7.6 1.6 5 4 1.5 4.6C3.4 1.6 3.4 -1.6 1.5 -4.6Z"),
    ],
    "slime": [
        fill_part("shadow", ellipse(0, 10, 12, 4)),
        fill_part(
            "tint",
            "M-12.5 8C-13 -3 -7 -12 0 -12C7 -12 13 -3 12.5 8C12 11.5 7 10 4 11.5",
            "C1.5 12.6 -2 12.6 -4 11.5C-7 10 -12 11.5 -12.5 8Z",
        ),
        fill_part("ink/22", "M-8.6 0C-8 -5 -4.5 -9 -0.5 -9.4C-4 -6.6 -6 -3.4 -6.4 0.6Z"),
        fill_part("ink", ellipse(-4, 0.5, 2.1, 3)),
        fill_part("ink", ellipse(4, 0.5, 2.1, 3)),
        stroke_part("ink", 1.3, "M-3 6C-1 7.6 1 7.6 3 6"),
    ],
    "imp": [
        *_IMP,
        fill_part(
            "shadow",
            "M-10.6 3C-7 6 7 6 10.6 3C10 8 7.6 11.5 4.5 11.5L2.5 9.5L0 11.8L-2.5 9.5L-4.5 11.5",
            "C-7.6 11.5 -10 8 -10.6 3Z",
        ),
        fill_part(
            "gold", "M-7.6 -4.6L-1.6 -1.6C-2.2 1.2 -6.6 1.2 -7.6 -4.6ZM7.6 -4.6L1.6 -1.6", "C2.2 1.2 6.6 1.2 7.6 -4.6Z"
        ),
        fill_part("ink", "M-5 5.4L-3.4 3.6L-1.7 5.4L0 3.6L1.7 5.4L3.4 3.6L5 5.4L3.4 7.2L-3.4 7.2Z"),
    ],
    "imp-asleep": [
        *_IMP,
        fill_part(
            "shadow",
            "M-11 1C-11 -8 -6 -12 0 -12C6 -12 11 -8 11 1C11 7 8 11.5 4.5 11.5L2.5 9.5L0 11.8",
            "L-2.5 9.5L-4.5 11.5C-8 11.5 -11 7 -11 1Z",
        ),
        stroke_part("ink/70", 1.4, "M-7 -1.6C-5.4 -0.2 -3.4 -0.2 -2 -1.6M7 -1.6C5.4 -0.2 3.4 -0.2 2 -1.6"),
    ],
    "wolf": [
        fill_part("shadow", ellipse(0, 10, 12, 4)),
        fill_part(
            "tint",
            "M-12 -13L-5 -9C-2 -10 2 -10 5 -9L12 -13L10.5 -3C12 2 9 7 5.5 9L3.4 12",
            "C1.6 13 -1.6 13 -3.4 12L-5.5 9C-9 7 -12 2 -10.5 -3Z",
        ),
        fill_part("shadow", "M-10 -10.4L-6.6 -8L-8.6 -5.4ZM10 -10.4L6.6 -8L8.6 -5.4Z"),
        fill_part("ink/20", "M0 -9C2.6 -9 3.4 0 5.4 4C4 8 1.6 12.6 0 12.6C-1.6 12.6 -4 8 -5.4 4C-3.4 0 -2.6 -9 0 -9Z"),
        fill_part("gold", "M-8 -2.4L-2.8 -0.6C-3.6 1.6 -6.8 1.2 -8 -2.4ZM8 -2.4L2.8 -0.6C3.6 1.6 6.8 1.2 8 -2.4Z"),
        fill_part("ink", "M-2.2 8.6C-2 7.4 2 7.4 2.2 8.6C2 10.4 0.8 11 0 11C-0.8 11 -2 10.4 -2.2 8.6Z"),
    ],
    "golem": [
        fill_part("shadow", ellipse(0, 10, 12, 4)),
        fill_part("stone", "M-13 -1L-9.5 -4L-8 8L-11.5 10.5L-14 6ZM13 -1L9.5 -4L8 8L11.5 10.5L14 6Z"),
        fill_part("stone", "M-9 -9L-4 -13L5 -12.5L9.6 -7.6L9 6L5.4 11.6L-5.6 11.6L-9.4 6Z"),
        fill_part("shadow", "M9.6 -7.6L9 6L5.4 11.6L-5.6 11.6L-7 9.4C0 9.4 5 5 5 -12.5Z"),
        fill_part("tint", "M-6.6 -3.6h4.6v3.2h-4.6zM2 -3.6h4.6v3.2h-4.6z"),
        fill_part("tint", "M-2.4 4.4L0 2L2.4 4.4L0 6.8Z"),
        fill_part("leaf", "M-9 -9L-4 -13L1 -12.7C-1 -9.6 -5 -10.4 -6.4 -7Z"),
    ],
    "shade": [
        fill_part("shadow", ellipse(0, 11, 11, 3.6)),
        fill_part(
            "tint", "M0 -14C7 -13 11 -6 11 2C11 6 13 9 12 12L7 9.6L4 13L0 10L-4 13L-7 9.6L-12 12C-13 9 -11 6 -11 2", "Z"
        ),
        fill_part("shadow", "M0 -14C7 -13 11 -6 11 2C11 6 13 9 12 12L7 9.6L4 13L0 10C4 6 6 -6 0 -14Z"),
        fill_part("shadow", ellipse(0, -2, 7, 7.6), ellipse(0, -2, 6, 6.6)),
        fill_part("gold", ellipse(-2.9, -2.4, 1.7, 2.3), ellipse(2.9, -2.4, 1.7, 2.3)),
    ],
    "stars": [fill_part("gold", disc(-9, 0, 2), disc(4.5, 7.8, 2), disc(4.5, -7.8, 2))],
}
BODIES["hero-armed"] = [
    *BODIES["hero"],
    fill_part("ink/85", "M8 8.6L19 8.9L21.5 9.8L19 10.7L8 10.9Z"),
    fill_part("wood", "M7.4 6.8h2v6h-2z"),
]


# --- symbols of scenery -----------------------------------------------------------------------------------------------


_HEART = "M0 5.6C-7.4 0.6 -6.4 -5 -3.2 -5C-1.4 -5 -0.4 -3.9 0 -2.8C0.4 -3.9 1.4 -5 3.2 -5C6.4 -5 7.4 0.6 0 5.6Z"
SCENERY: dict[str, Symbol] = {
    "gem": [
        fill_part("shadow", ellipse(0, 8, 6, 2)),
        fill_part("gem", "M0 -8L6.4 -2.4L0 8L-6.4 -2.4Z"),
        fill_part("ink/35", "M0 -8L2.6 -2.4L0 8L-6.4 -2.4Z"),
        stroke_part("ink/50", 0.8, "M-6.4 -2.4H6.4"),
    ],
    "chest": [
        fill_part("shadow", ellipse(0, 13, 19, 5)),
        fill_part("wood", "M-16 -3h32v15c0 1 -1 2 -2 2h-28c-1 0 -2 -1 -2 -2z"),
        fill_part("shadow", "M-16 -3h32v4h-32z"),
        fill_part("wood", "M-16 -3C-16 -11 -11 -14 -8 -14H8C11 -14 16 -11 16 -3Z"),
        fill_part("ink/15", "M-14.6 -5C-14 -10 -10.6 -12.4 -8 -12.4H8C10.6 -12.4 14 -10 14.6 -5Z"),
        fill_part("gold", "M-12.6 -12.6h3.4v26.6h-3.4zM9.2 -12.6h3.4v26.6h-3.4zM-16 -4h32v2.4h-32z"),
        fill_part("gold", "M-4 -6h8v7c0 2 -2 3.4 -4 3.4c-2 0 -4 -1.4 -4 -3.4z"),
        fill_part("wood", disc(0, -1.6, 1.5)),
    ],
    "tree": [
        fill_part("shadow", ellipse(3, 15, 19, 7)),
        fill_part("wood", "M-3 4L-4 17H4L3 4Z"),
        fill_part(
            "leaf",
            "M-19 2C-20 -6 -14 -11 -9 -11C-8 -18 7 -19 9 -11C15 -11 20 -6 19 1C18 9 9 11 5 8",
            "C2 12 -5 12 -8 8C-13 11 -18 8 -19 2Z",
        ),
        fill_part("shadow", "M19 1C18 9 9 11 5 8C2 12 -5 12 -8 8C-13 11 -18 8 -19 2C-12 6 -6 4 -3 1C2 6 13 6 19 1Z"),
        fill_part("ink/12", "M-13 -4C-12 -9 -8 -10 -6 -9C-5 -14 1 -16 4 -13C0 -13 -2 -10 -2 -7C-7 -8 -10 -7 -13 -4Z"),
    ],
    "pine": [
        fill_part("shadow", ellipse(3, 15, 15, 6)),
        fill_part("wood", "M-2.5 8h5v9h-5z"),
        fill_part("leaf", "M0 -4L15 12C8 14 -8 14 -15 12Z"),
        fill_part("leaf", "M0 -13L12.5 3C6 5 -6 5 -12.5 3Z"),
        fill_part("leaf", "M0 -21L9.5 -6C4 -4 -4 -4 -9.5 -6Z"),
        fill_part("shadow", "M-9.5 -6C-4 -4 4 -4 9.5 -6L12.5 3C6 5 -6 5 -12.5 3ZM0 -21L9.5 -6C6.4 -4.9 3 -4.6 0 -4.5Z"),
        fill_part("ink/10", "M0 -21L-9.5 -6C-6.4 -4.9 -3 -4.6 0 -4.5Z"),
    ],
    "rock": [
        fill_part("shadow", ellipse(2, 11, 18, 5)),
        fill_part("stone", "M-17 9L-14 -3L-6 -11L4 -10L13 -4L17 9C10 13 -11 13 -17 9Z"),
        fill_part("shadow", "M17 9C10 13 -11 13 -17 9L-8 5L4 6L9 -1L13 -4Z"),
        fill_part("ink/16", "M-14 -3L-6 -11L4 -10L-2 -4L-9 -1Z"),
    ],
    "bush": [
        fill_part("shadow", ellipse(1, 8, 13, 4)),
        fill_part("leaf", "M-13 5C-14 -2 -9 -5 -6 -5C-4 -10 5 -10 6 -5C11 -5 14 0 12 6C7 10 -8 10 -13 5Z"),
        fill_part("shadow", "M12 6C7 10 -8 10 -13 5C-6 7 6 6 12.6 2Z"),
        fill_part(
            "foe/80",
            disc(-5, 0, 1.5),
            disc(3, -3, 1.5),
            disc(6, 3, 1.5),
        ),
    ],
    "tuft": [
        stroke_part("leaf", 1.6, "M-5 4C-4.6 1 -5 -1 -6.4 -3M-1 4C-1 0 -0.6 -3 0 -6M3 4C3 1 4 -1.6 6 -3"),
    ],
    "flower": [
        stroke_part("leaf", 1.3, "M0 6C0 3 0.4 1.4 0 0"),
        fill_part(
            "tint",
            disc(-2.4, -1.4, 2),
            disc(2.4, -1.4, 2),
            disc(0, -3.6, 2),
            disc(0, 0.8, 2),
        ),
        fill_part("gold", disc(0, -1.4, 1.6)),
    ],
    "pebbles": [
        fill_part(
            "stone/70",
            ellipse(-4, 1, 3.4, 2.4),
            ellipse(3, -1, 2.4, 1.8),
            ellipse(4, 3, 1.6, 1.2),
        ),
    ],
    "house": [
        fill_part("shadow", ellipse(4, 33, 46, 10)),
        ("path", "M-34 -4h68v36h-68z", "wood", 1.5),
        fill_part("wood", "M-7 10c0 -8 14 -8 14 0v22h-14z"),
        fill_part("gold", disc(4, 21, 1.4)),
        ("gold/85", "M-27 6h12v11h-12zM15 6h12v11h-12z", "wood", 2),
        stroke_part("wood", 1.5, "M-21 6v11M21 6v11"),
        fill_part("roof", "M-42 2L-28 -32H28L42 2Z"),
        fill_part("shadow", "M-42 2L-39 -5H39L42 2ZM-36 -13L-33 -20H33L36 -13Z"),
        fill_part("ink/12", "M-28 -32H28L30 -27H-30Z"),
        fill_part("stone", "M14 -40h11v14h-11z"),
    ],
    "banner": [
        fill_part("shadow", ellipse(2, 3, 9, 3)),
        fill_part("wood", "M-1.6 -52h3.2v55h-3.2z"),
        fill_part("gold", disc(0, -53, 3)),
        fill_part("accent", "M1.6 -49C10 -53 16 -45 27 -49L24 -40L27 -31C16 -27 10 -35 1.6 -31Z"),
        fill_part("gold", disc(12, -40.5, 3.6)),
    ],
    "puff": [
        stroke_part("warn", 2.5, disc(0, 0, 12)),
        stroke_part("warn", 2, "M0 -17v-6M0 17v6M-17 0h-6M17 0h6M-12 -12l-4 -4M12 12l4 4M12 -12l4 -4M-12 12l-4 4"),
    ],
    "burst": [
        fill_part("tint/45", disc(0, 0, 15)),
        stroke_part("tint", 3, "M0 -19v-8M0 19v8M-19 0h-8M19 0h8M-13.5 -13.5l-5.5 -5.5M13.5 13.5l5.5 5.5"),
        stroke_part("tint", 3, "M13.5 -13.5l5.5 -5.5M-13.5 13.5l-5.5 5.5"),
    ],
    "glitter": [
        fill_part(
            "gold",
            *(f"M{x} {y}l2 5l5 2l-5 2l-2 5l-2 -5l-5 -2l5 -2z" for x, y in ((-24, -18), (22, -26), (0, -38), (30, 4))),
        ),
    ],
    "heart": [("tint", _HEART, "page", 1)],
    "heart-empty": [("page/60", _HEART, "tint/70", 1)],
    "footprint": [fill_part("gold/60", ellipse(2.4, 0, 4.2, 2.8), ellipse(-4.4, 0, 2.4, 2.2))],
    "grave": [
        fill_part("shadow", ellipse(1, 6, 12, 4)),
        fill_part("wood/80", ellipse(0, 5, 10, 3.2)),
        fill_part("stone", "M-7 5V-7C-7 -17 7 -17 7 -7V5Z"),
        fill_part("shadow", "M2 -14C5 -13 7 -11 7 -7V5H2Z"),
        stroke_part("page/80", 2, "M-1 -10v9M-4 -6.5h6"),
    ],
    "ring": [
        ("player/15", disc(0, 0, 20), "player", 2),
    ],
    "chevron": [
        stroke_part("tint", 4, "M-5 -9L5 0L-5 9"),
    ],
    "you": [
        ("player", disc(0, 0, 4), "panel", 1.5),
    ],
    "halo": [fill_part("player/16", disc(0, 0, 24)), fill_part("player/14", disc(0, 0, 18))],
}
