"""The symbols of what stands about in the adventure: trees and rocks, houses, treasure, and signs."""

from telos.studio.drawing.adventure_outlines import area, disc, drawn, ellipse
from telos.studio.drawing.shapes import Symbol

SCENERY: dict[str, Symbol] = {
    "gem": [
        area("shadow", ellipse(0, 8, 6, 2)),
        area("gem", "M0 -8L6.4 -2.4L0 8L-6.4 -2.4Z"),
        area("ink/35", "M0 -8L2.6 -2.4L0 8L-6.4 -2.4Z"),
        drawn("ink/50", 0.8, "M-6.4 -2.4H6.4"),
    ],
    "chest": [
        area("shadow", ellipse(0, 13, 19, 5)),
        area("wood", "M-16 -3h32v15c0 1 -1 2 -2 2h-28c-1 0 -2 -1 -2 -2z"),
        area("shadow", "M-16 -3h32v4h-32z"),
        area("wood", "M-16 -3C-16 -11 -11 -14 -8 -14H8C11 -14 16 -11 16 -3Z"),
        area("ink/15", "M-14.6 -5C-14 -10 -10.6 -12.4 -8 -12.4H8C10.6 -12.4 14 -10 14.6 -5Z"),
        area("gold", "M-12.6 -12.6h3.4v26.6h-3.4zM9.2 -12.6h3.4v26.6h-3.4zM-16 -4h32v2.4h-32z"),
        area("gold", "M-4 -6h8v7c0 2 -2 3.4 -4 3.4c-2 0 -4 -1.4 -4 -3.4z"),
        area("wood", disc(0, -1.6, 1.5)),
    ],
    "tree": [
        area("shadow", ellipse(3, 15, 19, 7)),
        area("wood", "M-3 4L-4 17H4L3 4Z"),
        area(
            "leaf",
            "M-19 2C-20 -6 -14 -11 -9 -11C-8 -18 7 -19 9 -11C15 -11 20 -6 19 1C18 9 9 11 5 8",
            "C2 12 -5 12 -8 8C-13 11 -18 8 -19 2Z",
        ),
        area("shadow", "M19 1C18 9 9 11 5 8C2 12 -5 12 -8 8C-13 11 -18 8 -19 2C-12 6 -6 4 -3 1C2 6 13 6 19 1Z"),
        area("ink/12", "M-13 -4C-12 -9 -8 -10 -6 -9C-5 -14 1 -16 4 -13C0 -13 -2 -10 -2 -7C-7 -8 -10 -7 -13 -4Z"),
    ],
    "pine": [
        area("shadow", ellipse(3, 15, 15, 6)),
        area("wood", "M-2.5 8h5v9h-5z"),
        area("leaf", "M0 -4L15 12C8 14 -8 14 -15 12Z"),
        area("leaf", "M0 -13L12.5 3C6 5 -6 5 -12.5 3Z"),
        area("leaf", "M0 -21L9.5 -6C4 -4 -4 -4 -9.5 -6Z"),
        area("shadow", "M-9.5 -6C-4 -4 4 -4 9.5 -6L12.5 3C6 5 -6 5 -12.5 3ZM0 -21L9.5 -6C6.4 -4.9 3 -4.6 0 -4.5Z"),
        area("ink/10", "M0 -21L-9.5 -6C-6.4 -4.9 -3 -4.6 0 -4.5Z"),
    ],
    "rock": [
        area("shadow", ellipse(2, 11, 18, 5)),
        area("stone", "M-17 9L-14 -3L-6 -11L4 -10L13 -4L17 9C10 13 -11 13 -17 9Z"),
        area("shadow", "M17 9C10 13 -11 13 -17 9L-8 5L4 6L9 -1L13 -4Z"),
        area("ink/16", "M-14 -3L-6 -11L4 -10L-2 -4L-9 -1Z"),
    ],
    "bush": [
        area("shadow", ellipse(1, 8, 13, 4)),
        area("leaf", "M-13 5C-14 -2 -9 -5 -6 -5C-4 -10 5 -10 6 -5C11 -5 14 0 12 6C7 10 -8 10 -13 5Z"),
        area("shadow", "M12 6C7 10 -8 10 -13 5C-6 7 6 6 12.6 2Z"),
        area(
            "foe/80",
            disc(-5, 0, 1.5),
            disc(3, -3, 1.5),
            disc(6, 3, 1.5),
        ),
    ],
    "tuft": [
        drawn("leaf", 1.6, "M-5 4C-4.6 1 -5 -1 -6.4 -3M-1 4C-1 0 -0.6 -3 0 -6M3 4C3 1 4 -1.6 6 -3"),
    ],
    "flower": [
        drawn("leaf", 1.3, "M0 6C0 3 0.4 1.4 0 0"),
        area(
            "tint",
            disc(-2.4, -1.4, 2),
            disc(2.4, -1.4, 2),
            disc(0, -3.6, 2),
            disc(0, 0.8, 2),
        ),
        area("gold", disc(0, -1.4, 1.6)),
    ],
    "pebbles": [
        area(
            "stone/70",
            ellipse(-4, 1, 3.4, 2.4),
            ellipse(3, -1, 2.4, 1.8),
            ellipse(4, 3, 1.6, 1.2),
        ),
    ],
    "house": [
        area("shadow", ellipse(4, 33, 46, 10)),
        ("path", "M-34 -4h68v36h-68z", "wood", 1.5),
        area("wood", "M-7 10c0 -8 14 -8 14 0v22h-14z"),
        area("gold", disc(4, 21, 1.4)),
        ("gold/85", "M-27 6h12v11h-12zM15 6h12v11h-12z", "wood", 2),
        drawn("wood", 1.5, "M-21 6v11M21 6v11"),
        area("roof", "M-42 2L-28 -32H28L42 2Z"),
        area("shadow", "M-42 2L-39 -5H39L42 2ZM-36 -13L-33 -20H33L36 -13Z"),
        area("ink/12", "M-28 -32H28L30 -27H-30Z"),
        area("stone", "M14 -40h11v14h-11z"),
    ],
    "banner": [
        area("shadow", ellipse(2, 3, 9, 3)),
        area("wood", "M-1.6 -52h3.2v55h-3.2z"),
        area("gold", disc(0, -53, 3)),
        area("accent", "M1.6 -49C10 -53 16 -45 27 -49L24 -40L27 -31C16 -27 10 -35 1.6 -31Z"),
        area("gold", disc(12, -40.5, 3.6)),
    ],
    "puff": [
        drawn("warn", 2.5, disc(0, 0, 12)),
        drawn("warn", 2, "M0 -17v-6M0 17v6M-17 0h-6M17 0h6M-12 -12l-4 -4M12 12l4 4M12 -12l4 -4M-12 12l-4 4"),
    ],
    "ring": [
        ("player/15", disc(0, 0, 20), "player", 2),
    ],
    "chevron": [
        drawn("tint", 4, "M-5 -9L5 0L-5 9"),
    ],
    "you": [
        ("player", disc(0, 0, 4), "panel", 1.5),
    ],
    "halo": [area("player/16", disc(0, 0, 24)), area("player/14", disc(0, 0, 18))],
}
