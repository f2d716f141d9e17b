"""The shapes that pictures are made of, as plain lists for JSON, and the palette of both themes.

Coordinates are in units of the stage (``Stage.size``), x to the right and y down; painter.js scales them to the page.
Colours are names of ``ROLES``, so that one picture serves both themes: ``"role/40"`` is 40 % opaque, ``""`` draws
nothing.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

# --- shapes -----------------------------------------------------------------------------------------------------------


Shape: TypeAlias = list[Any]
Picture: TypeAlias = list[Shape]
Symbol: TypeAlias = list[tuple[str, str, str, float]]  # parts: fill, SVG path data around (0, 0), stroke, stroke width


def rect(x: float, y: float, width: float, height: float, fill: str, *, radius: float = 0, stroke: str = "") -> Shape:
    """Return a rectangle with its upper left corner at (``x``, ``y``)."""
    return ["r", _short(x), _short(y), _short(width), _short(height), fill, radius, stroke]


def circle(x: float, y: float, radius: float, fill: str, *, stroke: str = "", width: float = 1) -> Shape:
    """Return a circle around (``x``, ``y``)."""
    return ["c", _short(x), _short(y), _short(radius), fill, stroke, width]


def line(x: float, y: float, to_x: float, to_y: float, stroke: str, *, width: float = 1, dashed: bool = False) -> Shape:
    """Return a straight line."""
    return ["l", _short(x), _short(y), _short(to_x), _short(to_y), stroke, width, int(dashed)]


def path(data: str, *, fill: str = "", stroke: str = "", width: float = 1) -> Shape:
    """Return an outline from SVG path data (``M0 0L10 0Z``)."""
    return ["p", data, fill, stroke, width]


def text(x: float, y: float, words: str, fill: str = "ink", *, size: float = 14, align: str = "center") -> Shape:
    """Return a line of text; ``y`` is its middle."""
    return ["t", _short(x), _short(y), words, fill, size, align]


def place(
    name: str, symbol: str, x: float, y: float, *, angle: float = 0, scale: float = 1, **more: str | float | None
) -> Shape:
    """Return a symbol at a point, turned clockwise by ``angle`` radians.

    Its ``name`` identifies it from frame to frame, so that it moves smoothly. Options: ``pick`` (the character that a
    click opens), ``label`` (text below it), ``tint`` (a role in place of the symbol's ``tint``), ``bar`` (a share,
    drawn above it), ``alpha`` (0 to 1), ``blink`` (it blinks, or is pale where movement is not wanted), ``says`` (a
    speech bubble), ``glow`` (a role, to highlight it).
    """
    options = {key: value for key, value in more.items() if value is not None}
    return ["s", name, symbol, _short(x), _short(y), _short(angle), scale, options]


def _short(value: float) -> float:
    """Round to what is visible: frames are sent thirty times a second."""
    return round(value, 2)


Symbols: TypeAlias = Mapping[str, Symbol]


# --- palette ----------------------------------------------------------------------------------------------------------


ROLES: dict[str, tuple[str, str]] = {  # role: (dark, light)
    "ground": ("#1b2430", "#eef1ea"),
    "ground2": ("#202b39", "#e5eadf"),
    "grass": ("#22382f", "#d5e5c8"),
    "path": ("#2d3340", "#e9dfc8"),
    "road": ("#5a4e3c", "#e4d0a4"),
    "floor": ("#262c38", "#f3eee4"),
    "floor2": ("#2b3240", "#ebe4d6"),
    "water": ("#17364d", "#b9dcef"),
    "wall": ("#4a566a", "#6d7889"),
    "wall2": ("#39445a", "#8b96a6"),
    "wood": ("#7a5b3c", "#a97f52"),
    "stone": ("#5d6778", "#a3acb9"),
    "leaf": ("#3f7a54", "#6fae6b"),
    "roof": ("#9c4f46", "#c4675b"),
    "fire": ("#f0883e", "#e36f1e"),
    "gold": ("#e3b341", "#c8921a"),
    "gem": ("#56c8d8", "#1796a8"),
    "player": ("#58a6ff", "#1769c9"),
    "friend": ("#56d364", "#238636"),
    "foe": ("#f0616d", "#c93c48"),
    "side0": ("#58a6ff", "#1769c9"),
    "side1": ("#f0616d", "#c93c48"),
    "danger": ("#ff7b72", "#cf222e"),
    "good": ("#56d364", "#1a7f37"),
    "warn": ("#e3b341", "#9a6700"),
    "ink": ("#e6edf3", "#1f2733"),
    "faint": ("#8b98a9", "#5b6675"),
    "line": ("#313c4d", "#d3d9e0"),
    "panel": ("#151c26", "#ffffff"),
    "page": ("#0e141c", "#f5f6f4"),
    "accent": ("#a78bfa", "#6d4fd6"),
    "shadow": ("#00000066", "#1f273326"),
    "tint": ("#8b98a9", "#5b6675"),  # replaced by the ``tint`` of a placed symbol
}
GOALS: tuple[tuple[str, str], ...] = (  # colours of goals; distinguishable by the colour-blind
    ("#f2a65a", "#c76a12"),
    ("#5aa9e6", "#1b6fb3"),
    ("#8fd694", "#2e8540"),
    ("#e57ba8", "#b83b74"),
    ("#b39ddb", "#6a4fb0"),
    ("#e6d36a", "#8a7400"),
    ("#6fd3c9", "#137f76"),
    ("#c9a27e", "#8a5a2b"),
)
# The colour of each goal, as its place in ``GOALS``: the same in every world, chart and panel.
GOAL_PLACES: dict[str, int] = {
    "level": 0, "explore": 1, "town": 2, "return": 2,
    "key": 5, "force": 0, "spare": 6,
    "talk-nurse": 0, "talk-patient": 1, "talk-cook": 2, "talk-virus-expert": 3, "talk-bacteria-expert": 4,
    "test-contaminated": 5, "submit-diagnosis": 6,
    "kill_enemy": 0, "cover": 1, "patrol": 2, "follow_order": 4, "check_noise": 5, "dodge": 3,
    "stay_near": 6, "keep_off": 3,
    "red": 3, "blue": 1, "kill": 0, "chest": 5,
}  # fmt: skip


def goal_place(goal: str) -> int:
    """Return the place of a goal's colour in ``GOALS``; that of an unknown goal is a hash of its name (FNV-1a).

    colours.js has the same function.

    >>> goal_place("explore"), goal_place("eat"), goal_place("eat")
    (1, 5, 5)
    """
    if goal in GOAL_PLACES:
        return GOAL_PLACES[goal]
    number = 2166136261
    for byte in goal.encode("utf-8", "replace"):
        number = (number ^ byte) * 16777619 % 2**32
    return number % len(GOALS)
