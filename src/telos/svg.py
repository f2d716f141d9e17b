"""The one SVG writer: escape, shapes, axes, document."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from xml.sax.saxutils import escape as escape_text

# --- figures svg ------------------------------------------------------------------------------------------------------
# The pencils of figures: scales, ticks and SVG elements, coloured by style sheet so that they suit light and dark.


COLOURS = 8
STYLE = """
.fig { --ink: #1f2430; --soft: #5f6773; --rule: #e3e6ea; --paper: #ffffff;
  --c0: #2f6fd0; --c1: #d9772b; --c2: #2a9d8f; --c3: #8e5ea2; --c4: #c8485f; --c5: #7d8793;
  --c6: #a78a12; --c7: #4a5a78; }
@media (prefers-color-scheme: dark) { .fig { --ink: #e8eaee; --soft: #a3abb8; --rule: #333a45; --paper: #171a20;
  --c0: #6ea2f0; --c1: #f0a060; --c2: #5cc9bb; --c3: #bd92d0; --c4: #ee8496; --c5: #9aa4b1;
  --c6: #d6bb4a; --c7: #93a7cf; } }
.fig text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.fig .soft { fill: var(--soft); } .fig .small { font-size: 11px; } .fig .title { font-size: 14px; font-weight: 600; }
.fig .rule { stroke: var(--rule); } .fig .axis { stroke: var(--soft); }
.fig .dash { stroke: var(--soft); stroke-dasharray: 4 4; }
.fig .whisker { stroke: var(--ink); stroke-width: 1.3; }
.fig .published { fill: var(--paper); stroke: var(--ink); stroke-width: 1.6; }
.fig .curve { fill: none; stroke-width: 2; stroke-linejoin: round; } .fig .band { stroke: none; opacity: .14; }
"""
_HUES = "".join(f".fig .f{i} {{ fill: var(--c{i}); }} .fig .s{i} {{ stroke: var(--c{i}); }}\n" for i in range(COLOURS))
STYLE_SHEET = STYLE + _HUES


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to pixels, along a line or by logarithm.

    >>> Scale(0, 10, 100, 200)(5)
    150.0
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        low, high, value = (math.log(each) if self.log else each for each in (self.low, self.high, value))
        return self.start + (value - low) / ((high - low) or 1.0) * (self.end - self.start)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers that cover a range.

    >>> ticks(0, 21)
    [0.0, 5.0, 10.0, 15.0, 20.0]
    """
    if high <= low:
        return [low]
    rough = (high - low) / max(1, most - 1)
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * each for each in (1, 2, 5, 10) if size * each >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(number * step, 10) for number in range(first, math.floor(high / step + 1e-9) + 1)]


def text(x: float, y: float, said: str, *, anchor: str = "start", look: str = "") -> str:
    """Return a text; ``anchor`` is the end that stands at ``x``."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{look}">{escape(said)}</text>'


def stroke(x1: float, y1: float, x2: float, y2: float, look: str) -> str:
    """Return a straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{look}"/>'


def box(x: float, y: float, width: float, height: float, look: str, tip: str = "") -> str:
    """Return a rectangle, with a text that appears under the pointer."""
    said = f"<title>{escape(tip)}</title>" if tip else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{max(0.0, height):.1f}" rx="2" '
        f'class="{look}">{said}</rect>'
    )


def dot(x: float, y: float, look: str, tip: str = "", radius: float = 3.0) -> str:
    """Return a small disc, with a text that appears under the pointer."""
    said = f"<title>{escape(tip)}</title>" if tip else ""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" class="{look}">{said}</circle>'


def diamond(x: float, y: float, tip: str, size: float = 6.0) -> str:
    """Return the mark of a published figure."""
    points = f"{x:.1f},{y - size:.1f} {x + size:.1f},{y:.1f} {x:.1f},{y + size:.1f} {x - size:.1f},{y:.1f}"
    return f'<polygon points="{points}" class="published"><title>{escape(tip)}</title></polygon>'


def curve(points: Iterable[tuple[float, float]], look: str) -> str:
    """Return a line through points."""
    return f'<polyline points="{_joined(points)}" class="{look}"/>'


def band(points: Iterable[tuple[float, float]], look: str) -> str:
    """Return the area inside of points."""
    return f'<polygon points="{_joined(points)}" class="{look}"/>'


def svg(width: float, height: float, parts: Iterable[str], *, says: str) -> str:
    """Return a picture; ``says`` is what a screen reader reads."""
    inside = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="fig" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{escape(says)}">\n{inside}\n</svg>'
    )


def alone(picture: str) -> str:
    """Return a picture as a file of its own: with its style, and a ground to stand on."""
    start = picture.index(">") + 1
    ground = '<rect width="100%" height="100%" fill="var(--paper)"/>'
    return f"{picture[:start]}<style>{STYLE_SHEET}</style>{ground}{picture[start:]}\n"


def _joined(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


# --- svg --------------------------------------------------------------------------------------------------------------
# The few shapes that drawings of minds are made of, as text; colours are roles of the palette.


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
    return escape_text(_UNFIT.sub("\ufffd", words), {'"': "&quot;", "'": "&#39;"})


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


def rounded_box(
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
