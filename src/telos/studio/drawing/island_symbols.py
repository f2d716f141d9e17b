"""The symbols of the island: its visitor, the people of the camp, and what makes its places easy to know."""

from telos.studio.drawing.adventure_outlines import area, disc, drawn, ellipse
from telos.studio.drawing.adventure_scenery import SCENERY
from telos.studio.drawing.shapes import Symbol, Symbols

_PERSON: Symbol = [
    area("shadow", ellipse(0, 9, 8, 3)),
    area("tint", "M-7 9C-7 1 -4 -2 0 -2C4 -2 7 1 7 9C4 10.5 -4 10.5 -7 9Z"),
    area("shadow", "M0 -2C4 -2 7 1 7 9C5 10 3 10.2 1 10.2C3 6 2 1 0 -2Z"),
    area("wood", disc(0, -6.5, 4.6)),
    area("tint", "M-4.6 -7C-4.6 -10 -2.4 -11.6 0 -11.6C2.4 -11.6 4.6 -10 4.6 -7C2 -8.4 -2 -8.4 -4.6 -7Z"),
]
_PATIENT: Symbol = [
    area("shadow", ellipse(1, 7, 15, 3.5)),
    area("wood", "M-15 -7h3v14h-3zM12 -2h3v9h-3z"),
    area("panel", "M-13 -1h26v6h-26z"),
    area("ink/30", "M-12 -5h8v5h-8z"),
    area("wood", disc(-7, -3.5, 3.4)),
    area("tint", "M-3 -4C2 -6 10 -4 13 -1V3H-3Z"),
]
_VISITOR: Symbol = [
    area("player/18", disc(0, 0, 19)),
    area("shadow", ellipse(0, 12, 10, 3.6)),
    area("player", "M-9 12C-9 2 -5 -2 0 -2C5 -2 9 2 9 12C5 14 -5 14 -9 12Z"),
    area("shadow", "M0 -2C5 -2 9 2 9 12C6.6 13.2 4 13.5 1.4 13.5C4 8 3 1 0 -2Z"),
    area("wood", "M-11 2C-11 0 -8 0 -7 2V10C-9 11 -11 10 -11 8ZM-8 3L6 11L7 9.4L-6 1.4Z"),
    area("wood", disc(0, -7.5, 5.8)),
    area("gold", "M-9 -8.4C-6 -10 -5 -14.6 0 -14.6C5 -14.6 6 -10 9 -8.4C5 -6.8 -5 -6.8 -9 -8.4Z"),
    area("roof", "M-5.6 -10.4C-3 -9.4 3 -9.4 5.6 -10.4L6.2 -8.8C3 -7.8 -3 -7.8 -6.2 -8.8Z"),
]
_FIRE: Symbol = [
    area("shadow", ellipse(0, 6, 15, 5)),
    area("stone", disc(-11, 5, 3), disc(-6, 8, 3), disc(0, 9, 3), disc(6, 8, 3), disc(11, 5, 3)),
    area("wood", "M-9 4L8 8L9 5L-8 1ZM9 4L-8 8L-9 5L8 1Z"),
    area("fire", "M-7 4C-9 -3 -3 -5 -3 -12C2 -9 2 -6 3 -5C4 -6 4 -7 4 -8C8 -4 8 1 6 4C3 7 -5 7 -7 4Z"),
    area("gold", "M-3.5 4C-4.4 0 -1 -1 -0.6 -5C2.4 -3 4 1 3 4C2 6 -2.6 6 -3.5 4Z"),
]
_PALM: Symbol = [
    area("shadow", ellipse(3, 17, 16, 5)),
    drawn("wood", 4, "M2 17C-1 8 -2 0 0 -8"),
    area("leaf", "M0 -8C-8 -16 -18 -13 -20 -5C-13 -10 -7 -9 0 -8ZM0 -8C8 -16 18 -13 20 -5C13 -10 7 -9 0 -8Z"),
    area("leaf", "M0 -8C-9 -8 -16 -1 -15 7C-11 0 -6 -4 0 -8ZM0 -8C9 -8 16 -1 15 7C11 0 6 -4 0 -8Z"),
    area("shadow", "M0 -8C-9 -8 -16 -1 -15 7C-11 0 -6 -4 0 -8ZM0 -8C9 -8 16 -1 15 7C11 0 6 -4 0 -8Z"),
    area("leaf", "M0 -8C-6 -17 -3 -22 4 -24C2 -19 3 -13 0 -8Z"),
    area("wood", disc(-2, -6, 2), disc(2.4, -5.4, 2)),
]
_WAVE: Symbol = [drawn("ink/16", 1.6, "M-14 0C-10 -5 -6 -5 -3 0C0 -5 4 -5 7 0C10 -5 13 -4 15 -1")]
_BED: Symbol = [
    area("wood/70", "M-22 -5q0 -3 3 -3h38q3 0 3 3v10q0 3 -3 3h-38q-3 0 -3 -3z"),
    drawn("leaf", 2.4, "M-16 4V-2M-16 0L-19 -4M-16 0L-13 -4M-5 4V-2M-5 0L-8 -4M-5 0L-2 -4"),
    drawn("leaf", 2.4, "M6 4V-2M6 0L3 -4M6 0L9 -4M16 4V-2M16 0L13 -4M16 0L19 -4"),
]
_CAVE: Symbol = [
    area("shadow", ellipse(2, 18, 34, 7)),
    area("stone", "M-34 18C-36 0 -22 -24 2 -24C22 -24 36 -4 34 18C20 22 -20 22 -34 18Z"),
    area("ink/12", "M-28 2C-24 -14 -10 -22 2 -22C-4 -12 -16 -8 -28 2Z"),
    area("shadow", "M-15 20C-17 4 -9 -6 0 -6C9 -6 17 4 15 20Z", "M-12 20C-13 6 -7 -2 0 -2C7 -2 13 6 12 20Z"),
]
_STAR: Symbol = [
    ("gold", "M0 -8L2.3 -2.8L8 -2.2L3.8 1.6L5 7.2L0 4.3L-5 7.2L-3.8 1.6L-8 -2.2L-2.3 -2.8Z", "panel", 1.4),
]
_AIM: Symbol = [drawn("accent", 2, "M-15 -7C-13 -12 -8 -15 -3 -15.6M15 -7C13 -12 8 -15 3 -15.6"),
                drawn("accent", 2, "M-15 7C-13 12 -8 15 -3 15.6M15 7C13 12 8 15 3 15.6")]  # fmt: skip

SYMBOLS: Symbols = {
    **{name: SCENERY[name] for name in ("tree", "pine", "rock", "bush", "tuft", "flower")},
    "person": _PERSON,
    "patient": _PATIENT,
    "visitor": _VISITOR,
    "fire": _FIRE,
    "palm": _PALM,
    "wave": _WAVE,
    "bed": _BED,
    "cave": _CAVE,
    "star": _STAR,
    "aim": _AIM,
}
