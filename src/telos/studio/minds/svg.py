"""The few shapes that drawings of minds are made of, as text; colours are roles of the palette."""

import re
from xml.sax.saxutils import escape

_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML has no place for
_MARKS = {  # around (0, 0), ten pixels wide; each has a shape of its own, since colour alone tells some people nothing
    "tick": "M-4 0.5L-1.2 3.5L4.5 -3.5",
    "cross": "M-3.5 -3.5L3.5 3.5M3.5 -3.5L-3.5 3.5",
    "soon": "M0 -4.5A4.5 4.5 0 1 1 -0.01 -4.5M0 -2.4V0L2 1.4",
    "brings": "M-4 0H4M1 -3L4 0L1 3",
}


def safe(words: str) -> str:
    """Return words as they may stand in an element or an attribute.

    >>> safe('a < b & "c"')
    'a &lt; b &amp; &quot;c&quot;'
    """
    return escape(_UNFIT.sub("\ufffd", words), {'"': "&quot;", "'": "&#39;"})


def clipped(words: str, longest: int) -> str:
    """Return words, cut if there are too many of them.

    >>> clipped("at == cover_node", 9)
    'at == co…'
    """
    return words if len(words) <= longest else f"{words[: longest - 1]}…"


def mono_width(words: str) -> float:
    """Return how wide words are in fixed-width letters of 11 pixels: a picture that is text cannot measure."""
    return 6.7 * len(words)


def ink(role: str) -> str:
    """Return the colour of a role; ``"role/40"`` is the role at 40 %.

    >>> ink("danger/14")
    'color-mix(in srgb, var(--telos-danger) 14%, transparent)'
    """
    name, _, share = role.partition("/")
    if not name:
        return "none"
    return f"color-mix(in srgb, var(--telos-{name}) {share}%, transparent)" if share else f"var(--telos-{name})"


def box(
    x: float,
    y: float,
    width: float,
    height: float,
    fill: str,
    stroke: str,
    radius: float = 8,
    dashed: bool = False,
    bold: bool = False,
) -> str:
    """Return a rounded box."""
    edge = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{ink(fill)}" '
        f'stroke="{ink(stroke)}" stroke-width="{1.8 if bold else 1:g}"{edge}/>'
    )


def disc(x: float, y: float, radius: float, fill: str, stroke: str) -> str:
    """Return a disc with an edge."""
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{ink(fill)}" stroke="{ink(stroke)}" stroke-width="1.5"/>'
    )


def path(data: str, *, fill: str = "", stroke: str = "", width: float = 1, dashed: bool = False) -> str:
    """Return any outline."""
    edge = f' stroke="{ink(stroke)}" stroke-width="{width:g}"' if stroke else ""
    edge += ' stroke-dasharray="4 3"' if dashed else ""
    return f'<path d="{data}" fill="{ink(fill)}"{edge}/>'


def mark(name: str, x: float, y: float, role: str) -> str:
    """Return one of the marks: a tick, a cross, a clock for what comes soon, an arrow for what is brought about."""
    style = f'fill="none" stroke="{ink(role)}" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"'
    return f'<path transform="translate({x:g} {y:g})" d="{_MARKS[name]}" {style}/>'


def label(
    x: float,
    y: float,
    words: str,
    role: str,
    *,
    size: float = 12,
    anchor: str = "start",
    mono: bool = False,
    bold: bool = False,
) -> str:
    """Return a line of text; ``y`` is its base line."""
    family = "ui-monospace, Menlo, Consolas, monospace" if mono else "system-ui, sans-serif"
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" fill="{ink(role)}" font-size="{size:g}" font-family="{family}" '
        f'text-anchor="{anchor}"{weight}>{safe(words)}</text>'
    )
