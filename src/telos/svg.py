"""The SVG writer: elements, escaping, documents, and the shapes that figures and drawings are made of.

`element` writes any element and `document` the root. Shapes of figures are coloured by classes of `STYLE_SHEET`, which
suits light and dark pages; shapes of drawings are coloured by roles of the palette of the studio.
"""

import html
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

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

_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML cannot hold
_MARKS = {  # around (0, 0), ten pixels wide; each has its own shape, for readers who cannot tell colours apart
    "tick": "M-4 0.5L-1.2 3.5L4.5 -3.5",
    "cross": "M-3.5 -3.5L3.5 3.5M3.5 -3.5L-3.5 3.5",
    "soon": "M0 -4.5A4.5 4.5 0 1 1 -0.01 -4.5M0 -2.4V0L2 1.4",
    "brings": "M-4 0H4M1 -3L4 0L1 3",
}

# --- elements and documents -------------------------------------------------------------------------------------------


def element(name: str, content: str | None = None, /, **attributes: str | float) -> str:
    """Return an element; without ``content`` it closes itself.

    ``class_`` becomes ``class``, and in other names ``_`` becomes ``-``. Values and content are not escaped.

    >>> element("line", x1=0, y1=0.5, class_="axis", stroke_width=2)
    '<line x1="0" y1="0.5" class="axis" stroke-width="2"/>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{value if isinstance(value, str) else f"{value:g}"}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}/>" if content is None else f"<{name}{written}>{content}</{name}>"


def document(content: str, **attributes: str | float) -> str:
    """Return the root element around ``content``."""
    return element("svg", content, xmlns="http://www.w3.org/2000/svg", **attributes)


def escape_text(text: str) -> str:
    """Return a text as it may stand in an element or an attribute.

    >>> escape_text('a < b & "c"')
    'a &lt; b &amp; &quot;c&quot;'
    """
    return html.escape(_UNFIT.sub("\ufffd", text))


def clip_text(text: str, longest: int) -> str:
    """Return a text, cut to ``longest`` characters.

    >>> clip_text("at == cover_node", 9)
    'at == co…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def tenths(value: float) -> str:
    """Return a coordinate with one decimal."""
    return f"{value:.1f}"


def to_points(points: Iterable[tuple[float, float]]) -> str:
    """Return the ``points`` of a polyline or a polygon."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def title(text: str) -> str:
    """Return a tooltip: the title of the element around it; nothing for an empty text."""
    return element("title", escape_text(text)) if text else ""


# --- figures: scales, and shapes with a class of the style sheet ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear or logarithmic scale, from values to pixels.

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


def figure(width: float, height: float, parts: Iterable[str], *, label: str) -> str:
    """Return a figure for a page that has the style sheet; ``label`` is for screen readers."""
    inside = "\n".join(parts)
    return document(
        f"\n{inside}\n",
        class_="fig",
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_label=escape_text(label),
    )


def standalone_figure(picture: str) -> str:
    """Return a figure as the text of a file, with the style sheet and a background."""
    start = picture.index(">") + 1
    background = element("rect", width="100%", height="100%", fill="var(--paper)")
    return f"{picture[:start]}{element('style', STYLE_SHEET)}{background}{picture[start:]}\n"


def text(x: float, y: float, words: str, *, anchor: str = "start", look: str = "") -> str:
    """Return a text; ``anchor`` is the end that stands at ``x``."""
    return element("text", escape_text(words), x=tenths(x), y=tenths(y), text_anchor=anchor, class_=look)


def segment(x1: float, y1: float, x2: float, y2: float, look: str) -> str:
    """Return a straight line."""
    return element("line", x1=tenths(x1), y1=tenths(y1), x2=tenths(x2), y2=tenths(y2), class_=look)


def box(x: float, y: float, width: float, height: float, look: str, tip: str = "") -> str:
    """Return a rectangle with a tooltip."""
    size = {"width": tenths(max(0.0, width)), "height": tenths(max(0.0, height))}
    return element("rect", title(tip), x=tenths(x), y=tenths(y), **size, rx=2, class_=look)


def dot(x: float, y: float, look: str, tip: str = "", radius: float = 3.0) -> str:
    """Return a small disc with a tooltip."""
    return element("circle", title(tip), cx=tenths(x), cy=tenths(y), r=radius, class_=look)


def diamond(x: float, y: float, tip: str, size: float = 6.0) -> str:
    """Return the mark of a published figure."""
    points = to_points([(x, y - size), (x + size, y), (x, y + size), (x - size, y)])
    return element("polygon", title(tip), points=points, class_="published")


def curve(points: Iterable[tuple[float, float]], look: str) -> str:
    """Return a line through points."""
    return element("polyline", points=to_points(points), class_=look)


def band(points: Iterable[tuple[float, float]], look: str) -> str:
    """Return the area inside of points."""
    return element("polygon", points=to_points(points), class_=look)


# --- drawings: shapes with colours of the studio's palette ------------------------------------------------------------


def role_colour(role: str) -> str:
    """Return the colour of a role; ``"role/40"`` is the role at 40 %.

    >>> role_colour("danger/14")
    'color-mix(in srgb, var(--telos-danger) 14%, transparent)'
    """
    name, _, share = role.partition("/")
    if not name:
        return "none"
    return f"color-mix(in srgb, var(--telos-{name}) {share}%, transparent)" if share else f"var(--telos-{name})"


def mono_width(words: str) -> float:
    """Return the estimated width of words in fixed-width letters of 11 pixels."""
    return 6.7 * len(words)


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
    colours = {"fill": role_colour(fill), "stroke": role_colour(stroke)}
    edge = _dashes(dashed)
    stroke_width = 1.8 if bold else 1
    return element(
        "rect", x=x, y=y, width=width, height=height, rx=radius, **colours, stroke_width=stroke_width, **edge
    )


def disc(x: float, y: float, radius: float, fill: str, stroke: str) -> str:
    """Return a disc with an edge."""
    return element("circle", cx=x, cy=y, r=radius, fill=role_colour(fill), stroke=role_colour(stroke), stroke_width=1.5)


def path(data: str, *, fill: str = "", stroke: str = "", width: float = 1, dashed: bool = False) -> str:
    """Return any outline."""
    edge: dict[str, str | float] = {"stroke": role_colour(stroke), "stroke_width": width} if stroke else {}
    return element("path", d=data, fill=role_colour(fill), **edge, **_dashes(dashed))


def mark(name: str, x: float, y: float, role: str) -> str:
    """Return a mark: ``tick``, ``cross``, ``soon`` (a clock) or ``brings`` (an arrow)."""
    round_ends = {"stroke_linecap": "round", "stroke_linejoin": "round"}
    return element(
        "path",
        transform=f"translate({x:g} {y:g})",
        d=_MARKS[name],
        fill="none",
        stroke=role_colour(role),
        stroke_width=1.6,
        **round_ends,
    )


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
    weight: dict[str, str] = {"font_weight": "600"} if bold else {}
    return element(
        "text",
        escape_text(words),
        x=x,
        y=y,
        fill=role_colour(role),
        font_size=size,
        font_family=family,
        text_anchor=anchor,
        **weight,
    )


def _dashes(dashed: bool) -> dict[str, str]:
    return {"stroke_dasharray": "4 3"} if dashed else {}
