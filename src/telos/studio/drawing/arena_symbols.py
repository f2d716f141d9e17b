"""Who and what is to be seen in an arena from above. All face to the right; a fighter is about ten units in radius."""

from telos.studio.drawing.shapes import Symbols

_RIM = "page/80"
_SHADE = ("shadow", "M-8 3A9.5 9.5 0 1 0 11 3A9.5 9.5 0 1 0 -8 3Z", "", 0.0)
_HEAD = [
    ("tint", "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0Z", _RIM, 1.2),
    ("page/35", "M1.2 -3.6A4.4 4.4 0 0 1 1.2 3.6A6 6 0 0 0 1.2 -3.6Z", "", 0.0),
]
_SHOULDERS = ("tint", "M-4.5 -7Q-4.5 -10 -0.5 -10Q4 -10 4 -6.5L4 6.5Q4 10 -0.5 10Q-4.5 10 -4.5 7Z", _RIM, 1.2)
_ARMS = ("tint", "M1 -9.5L8 -1.2L6 1.4L-0.5 -5ZM1 9.5L10.5 4.6L9.5 1.6L-0.5 5.5Z", _RIM, 0.8)
_RIFLE = ("ink", "M1.5 0.8L17.5 0.8L17.5 2.9L9.5 2.9L8.8 5L6.8 5L7.2 3.2L1.5 3.4Z", _RIM, 0.6)

SYMBOLS: Symbols = {
    "soldier": [_SHADE, _RIFLE, _ARMS, _SHOULDERS, *_HEAD],
    "kneeling": [
        ("shadow", "M-7 2A8 8 0 1 0 9 2A8 8 0 1 0 -7 2Z", "", 0.0),
        ("ink", "M1 1.8L13 1.8L13 3.8L7 3.8L1 4Z", _RIM, 0.6),
        ("tint", "M-6 -5.5Q-5 -8 -0.5 -8Q5 -8 6.5 -3L6.5 3.5Q5 8 -0.5 8Q-5 8 -6 5.5Z", _RIM, 1.2),
        ("tint", "M-3 0A4.6 4.6 0 1 0 6.2 0A4.6 4.6 0 1 0 -3 0Z", _RIM, 1.2),
    ],
    "prowler": [
        _SHADE,
        ("ink", "M6 -6L15 -8.5L7.5 -3.8ZM6 6L15 8.5L7.5 3.8Z", _RIM, 0.5),
        ("tint", "M-9 0Q-6 -8 1 -9.5L8 -6L5 -3.5L5 3.5L8 6L1 9.5Q-6 8 -9 0Z", _RIM, 1.2),
        *_HEAD,
    ],
    "rat": [
        ("", "M-6 0C-10 -3 -11 3 -15 0", "tint", 1.6),
        ("tint", "M-7 0C-7 -4.5 0 -5 5 -2.5Q8 -1 9 0Q8 1 5 2.5C0 5 -7 4.5 -7 0Z", _RIM, 1.0),
        ("ink", "M6 -1.2A0.8 0.8 0 1 0 6 -1.3ZM6 1.2A0.8 0.8 0 1 0 6 1.3Z", "", 0.0),
    ],
    "drone": [
        ("shadow", "M-6 7A8 5 0 1 0 10 7A8 5 0 1 0 -6 7Z", "", 0.0),
        ("", "M-7 -7L7 7M-7 7L7 -7", "tint", 2.2),
        (
            "tint/40",
            "M-11 -7A4.2 4.2 0 1 0 -2.6 -7A4.2 4.2 0 1 0 -11 -7ZM2.6 -7A4.2 4.2 0 1 0 11 -7A4.2 4.2 0 1 0 2.6 -7Z"
            "M-11 7A4.2 4.2 0 1 0 -2.6 7A4.2 4.2 0 1 0 -11 7ZM2.6 7A4.2 4.2 0 1 0 11 7A4.2 4.2 0 1 0 2.6 7Z",
            "tint",
            1.0,
        ),
        ("tint", "M-5 -3.5L4 -3.5L8 0L4 3.5L-5 3.5Z", _RIM, 1.2),
    ],
    "fallen": [
        ("tint/35", "M-10 -3Q-11 0 -10 3L3 4.5L9 7.5L10 5.5L4.5 1.5L12 -3L11 -5L3 -4.5Z", "tint/55", 1.0),
        ("tint/35", "M-15 0A3.6 3.6 0 1 0 -7.8 0A3.6 3.6 0 1 0 -15 0Z", "tint/55", 1.0),
    ],
    "grenade": [
        ("leaf", "M-3.5 0.5A3.5 3.5 0 1 0 3.5 0.5A3.5 3.5 0 1 0 -3.5 0.5Z", "panel", 1.0),
        ("danger", "M-1.2 -3L-1.2 -5L2.6 -5L3.4 -2.6L2.2 -2.2L1.6 -3.4L1.2 -3Z", "", 0.0),
    ],
    "medkit": [
        ("panel", "M-7 -6L7 -6L7 6L-7 6Z", "line", 1.0),
        ("danger", "M-1.5 -4h3v2.5h2.5v3h-2.5v2.5h-3v-2.5h-2.5v-3h2.5Z", "", 0.0),
    ],
    "ammo": [
        ("leaf", "M-7 -5L7 -5L7 5L-7 5Z", "panel/70", 1.0),
        ("gold", "M-4 -3L-2.5 -3L-2.5 3L-4 3ZM-0.7 -3L0.8 -3L0.8 3L-0.7 3ZM2.6 -3L4.1 -3L4.1 3L2.6 3Z", "", 0.0),
    ],
    "desk": [("wood", "M-9 -5L9 -5L9 5L-9 5Z", "panel/60", 1.0)],
}  # fmt: skip
