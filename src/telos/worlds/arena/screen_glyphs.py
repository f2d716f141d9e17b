"""What each thing in an arena looks like in a terminal, where a square metre has one column and where it has two."""

from typing import NamedTuple

from rich.style import Style


class Glyph(NamedTuple):
    """The look of one square metre."""

    narrow: str
    wide: str
    style: Style


def _glyph(narrow: str, wide: str, style: str) -> Glyph:
    return Glyph(narrow, wide, Style.parse(style))


_NODE = "#56707a"  # faint: nodes are for minds, and only the curious look for them

FLOOR = _glyph(" ", "  ", "none")
DARK = _glyph("░", "░░", "#2b3350")
WALL = _glyph("█", "██", "#4b5058")
MARKS = {
    "o": _glyph("▒", "▒▒", "#8d6e4a"),
    "_": _glyph("▂", "▂▂", "#8d6e4a"),
    "^": _glyph("▴", "▴ ", _NODE),
    "v": _glyph("▾", "▾ ", _NODE),
    "<": _glyph("◂", "◂ ", _NODE),
    ">": _glyph("▸", "▸ ", _NODE),
    "*": _glyph("∗", "∗ ", _NODE),
    "!": _glyph("¤", "¤ ", "#c9a94a"),
    **{digit: _glyph(digit, f"{digit} ", _NODE) for digit in "123456789"},
}

# Doors and windows: first as they lie in a wall that runs east and west, then in one that runs north and south.
WINDOW = (_glyph("═", "══", "#5fb3d3"), _glyph("║", "▕▏", "#5fb3d3"))
BROKEN = (_glyph("╌", "╌╌", "#5fb3d3"), _glyph("┆", "┆ ", "#5fb3d3"))
DOORS = {
    "closed": (_glyph("━", "━━", "#c98a4b"), _glyph("┃", "▐▌", "#c98a4b")),
    "locked": (_glyph("━", "━━", "#d1495b"), _glyph("┃", "▐▌", "#d1495b")),
    "held": (_glyph("━", "━━", "bold #ffd166"), _glyph("┃", "▐▌", "bold #ffd166")),
    "open": (_glyph("╱", "╱ ", "#c98a4b"), _glyph("╱", "╱ ", "#c98a4b")),
}
DRAWN_DOORS = {"+": "closed", "%": "locked", "/": "open"}

SHOT = _glyph("·", "··", "bold #ffe08a")
GRENADE = (_glyph("●", "● ", "bold #ff5d5d"), _glyph("○", "○ ", "bold #ffd166"))  # it blinks
BLAST = (_glyph("✶", "✶✶", "bold #ff9f43"), _glyph("∗", "∗∗", "#ff6b3d"))  # the front of it, and what is behind
ARROWS = "→↘↓↙←↖↑↗"  # from facing 0, clockwise
