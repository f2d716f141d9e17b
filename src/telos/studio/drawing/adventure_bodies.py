"""The symbols of those who move in the adventure, each drawn around (0, 0) for a body of 24 pixels.

Those who turn look to the right at angle 0, seen from above. Monsters look out of the picture, whichever way they go.
"""

from telos.studio.drawing.adventure_outlines import area, disc, drawn, ellipse
from telos.studio.drawing.shapes import Symbol

BODY = 24  # pixels

_IMP: Symbol = [
    area("shadow", ellipse(0, 10, 12, 4)),
    area(
        "stone",
        "M-9 -7C-14 -9 -14 -14 -11.5 -16C-11 -12.5 -8.5 -10.8 -5.4 -10.4ZM9 -7",
        "C14 -9 14 -14 11.5 -16C11 -12.5 8.5 -10.8 5.4 -10.4Z",
    ),
    area(
        "tint",
        "M-11 1C-11 -8 -6 -12 0 -12C6 -12 11 -8 11 1C11 7 8 11.5 4.5 11.5L2.5 9.5L0 11.8",
        "L-2.5 9.5L-4.5 11.5C-8 11.5 -11 7 -11 1Z",
    ),
]
BODIES: dict[str, Symbol] = {
    "hero": [
        area("shadow", disc(-1, 1.5, 14)),
        area("player/70", "M-3 -9C-12 -8 -16 -3 -16 0C-16 3 -12 8 -3 9Z"),  # the cape
        area("tint", ellipse(0, 0, 7.5, 11.5)),
        area("shadow", ellipse(-2.5, 0, 5, 10)),
        area("wood", disc(6.5, 9.5, 3)),
        area("wood", disc(6.5, -9.5, 3)),
        ("stone", "M5 -15C10 -15 13 -12 13 -9C13 -6 10 -4 6 -4Z", "gold", 1.2),  # the shield
        area("gold", ellipse(0.5, 0, 7, 6.6)),
        area("wood", "M3.5 -5.4C6.6 -4.4 7.9 -2.2 7.9 0C7.9 2.2 6.6 4.4 3.5 5.4C4.8 2 4.8 -2 3.5 -5.4Z"),  # the face
        area("shadow", "M-6.4 -2.6C-3 -4.6 0 -4.6 2.4 -3.8C-1 -2.6 -4 -1.6 -6.2 1Z"),
    ],
    "sword": [
        area("gold", "M12 -3.6h2.6v7.2h-2.6z"),
        area("ink", "M14.6 -2.4L42 -1.7L48 0L42 1.7L14.6 2.4Z"),
        area("stone", "M14.6 0L47 0L42 1.7L14.6 2.4Z"),
    ],
    "sweep": [
        area("ink/22", "M0 0L24 -41.6A48 48 0 0 1 24 41.6Z"),
        drawn("ink/50", 1.5, "M28 -39A48 48 0 0 1 28 39"),
    ],
    "companion": [
        area("shadow", disc(-1, 1.5, 13)),
        area("tint/70", "M-2 -9C-11 -8 -14 -4 -14 0C-14 4 -11 8 -2 9Z"),
        area("tint", ellipse(0, 0, 7, 10.5)),
        area("shadow", ellipse(-2.5, 0, 4.6, 9)),
        area("wood", disc(6.5, 8.6, 2.6)),
        area("wood", disc(6.5, -8.6, 2.6)),
        drawn("wood", 2.4, "M2 12.5L17 8"),  # a staff
        area("gem", disc(18, 7.7, 2.6)),
        area("tint", "M-8 0C-8 -6 -3 -8 1 -7.4C6 -6.6 10 -2 12.5 0C10 2 6 6.6 1 7.4C-3 8 -8 6 -8 0Z"),  # the hood
        area("shadow", "M1.5 -4.6C5 -4 7.6 -1.6 8.6 0C7.6 1.6 5 4 1.5 4.6C3.4 1.6 3.4 -1.6 1.5 -4.6Z"),
    ],
    "slime": [
        area("shadow", ellipse(0, 10, 12, 4)),
        area(
            "tint",
            "M-12.5 8C-13 -3 -7 -12 0 -12C7 -12 13 -3 12.5 8C12 11.5 7 10 4 11.5",
            "C1.5 12.6 -2 12.6 -4 11.5C-7 10 -12 11.5 -12.5 8Z",
        ),
        area("ink/22", "M-8.6 0C-8 -5 -4.5 -9 -0.5 -9.4C-4 -6.6 -6 -3.4 -6.4 0.6Z"),
        area("ink", ellipse(-4, 0.5, 2.1, 3)),
        area("ink", ellipse(4, 0.5, 2.1, 3)),
        drawn("ink", 1.3, "M-3 6C-1 7.6 1 7.6 3 6"),
    ],
    "imp": [
        *_IMP,
        area(
            "shadow",
            "M-10.6 3C-7 6 7 6 10.6 3C10 8 7.6 11.5 4.5 11.5L2.5 9.5L0 11.8L-2.5 9.5L-4.5 11.5",
            "C-7.6 11.5 -10 8 -10.6 3Z",
        ),
        area(
            "gold", "M-7.6 -4.6L-1.6 -1.6C-2.2 1.2 -6.6 1.2 -7.6 -4.6ZM7.6 -4.6L1.6 -1.6", "C2.2 1.2 6.6 1.2 7.6 -4.6Z"
        ),
        area("ink", "M-5 5.4L-3.4 3.6L-1.7 5.4L0 3.6L1.7 5.4L3.4 3.6L5 5.4L3.4 7.2L-3.4 7.2Z"),
    ],
    "imp-asleep": [
        *_IMP,
        area(
            "shadow",
            "M-11 1C-11 -8 -6 -12 0 -12C6 -12 11 -8 11 1C11 7 8 11.5 4.5 11.5L2.5 9.5L0 11.8",
            "L-2.5 9.5L-4.5 11.5C-8 11.5 -11 7 -11 1Z",
        ),
        drawn("ink/70", 1.4, "M-7 -1.6C-5.4 -0.2 -3.4 -0.2 -2 -1.6M7 -1.6C5.4 -0.2 3.4 -0.2 2 -1.6"),
    ],
    "wolf": [
        area("shadow", ellipse(0, 10, 12, 4)),
        area(
            "tint",
            "M-12 -13L-5 -9C-2 -10 2 -10 5 -9L12 -13L10.5 -3C12 2 9 7 5.5 9L3.4 12",
            "C1.6 13 -1.6 13 -3.4 12L-5.5 9C-9 7 -12 2 -10.5 -3Z",
        ),
        area("shadow", "M-10 -10.4L-6.6 -8L-8.6 -5.4ZM10 -10.4L6.6 -8L8.6 -5.4Z"),
        area("ink/20", "M0 -9C2.6 -9 3.4 0 5.4 4C4 8 1.6 12.6 0 12.6C-1.6 12.6 -4 8 -5.4 4C-3.4 0 -2.6 -9 0 -9Z"),
        area("gold", "M-8 -2.4L-2.8 -0.6C-3.6 1.6 -6.8 1.2 -8 -2.4ZM8 -2.4L2.8 -0.6C3.6 1.6 6.8 1.2 8 -2.4Z"),
        area("ink", "M-2.2 8.6C-2 7.4 2 7.4 2.2 8.6C2 10.4 0.8 11 0 11C-0.8 11 -2 10.4 -2.2 8.6Z"),
    ],
    "golem": [
        area("shadow", ellipse(0, 10, 12, 4)),
        area("stone", "M-13 -1L-9.5 -4L-8 8L-11.5 10.5L-14 6ZM13 -1L9.5 -4L8 8L11.5 10.5L14 6Z"),
        area("stone", "M-9 -9L-4 -13L5 -12.5L9.6 -7.6L9 6L5.4 11.6L-5.6 11.6L-9.4 6Z"),
        area("shadow", "M9.6 -7.6L9 6L5.4 11.6L-5.6 11.6L-7 9.4C0 9.4 5 5 5 -12.5Z"),
        area("tint", "M-6.6 -3.6h4.6v3.2h-4.6zM2 -3.6h4.6v3.2h-4.6z"),
        area("tint", "M-2.4 4.4L0 2L2.4 4.4L0 6.8Z"),
        area("leaf", "M-9 -9L-4 -13L1 -12.7C-1 -9.6 -5 -10.4 -6.4 -7Z"),
    ],
    "shade": [
        area("shadow", ellipse(0, 11, 11, 3.6)),
        area(
            "tint", "M0 -14C7 -13 11 -6 11 2C11 6 13 9 12 12L7 9.6L4 13L0 10L-4 13L-7 9.6L-12 12C-13 9 -11 6 -11 2", "Z"
        ),
        area("shadow", "M0 -14C7 -13 11 -6 11 2C11 6 13 9 12 12L7 9.6L4 13L0 10C4 6 6 -6 0 -14Z"),
        area("shadow", ellipse(0, -2, 7, 7.6), ellipse(0, -2, 6, 6.6)),
        area("gold", ellipse(-2.9, -2.4, 1.7, 2.3), ellipse(2.9, -2.4, 1.7, 2.3)),
    ],
    "stars": [area("gold", disc(-9, 0, 2), disc(4.5, 7.8, 2), disc(4.5, -7.8, 2))],
}
BODIES["hero-armed"] = [
    *BODIES["hero"],
    area("ink/85", "M8 8.6L19 8.9L21.5 9.8L19 10.7L8 10.9Z"),
    area("wood", "M7.4 6.8h2v6h-2z"),
]
