"""A recogniser's why, laid out: figures in a column of their own, words beside them with a hanging indent."""

import re
from typing import NamedTuple

from nicegui import ui

from telos.studio.page.parts import box, mark

_AHEAD = re.compile(r"([+-]\d+(?:\.\d+)?)\s+(?=\S)")  # "+0.85  done(t,talk-cook)"
_AT_THE_END = re.compile(r": ([+-]\d+(?:\.\d+)?) in log-odds$")
_BEHIND = re.compile(r"\s*\(([+-]\d+(?:\.\d+)?)\)(?:;\s*|$)")  # "speaks for explore (+0.55); the goal may have …"
_DEEPEST = 3  # steps of two blanks that are shown as such


class Line(NamedTuple):
    """A line of an explanation: how far it is set in, its figure if it has one, and its words."""

    depth: int
    figure: str
    words: str


def lines_of(text: str) -> list[Line]:
    r"""Return an explanation line by line. What has two figures becomes two lines: one compares them by going down.

    >>> for line in lines_of("a over b (+1.10)\n  2 s, up: speaks for a (+2.00); it may have changed (-0.90)"):
    ...     print(line.depth, line.figure, line.words)
    0 +1.10 a over b
    1 +2.00 2 s, up: speaks for a
    2 −0.90 it may have changed
    >>> lines_of("  +0.85  done(t,cook)")
    [Line(depth=1, figure='+0.85', words='done(t,cook)')]
    """
    return [line for each in text.splitlines() for line in _split(each)]


def _split(text: str) -> list[Line]:
    words = text.lstrip()
    depth = min((len(text) - len(words)) // 2, _DEEPEST)
    if ahead := _AHEAD.match(words):
        return [Line(depth, _signed(ahead[1]), words[ahead.end() :])]
    if at_the_end := _AT_THE_END.search(words):
        return [Line(depth, _signed(at_the_end[1]), f"{words[: at_the_end.start()]}, in log-odds")]
    found: list[Line] = []
    start = 0
    for behind in _BEHIND.finditer(words):
        found.append(Line(depth + bool(found), _signed(behind[1]), words[start : behind.start()]))
        start = behind.end()
    if start < len(words) or not found:
        found.append(Line(depth + bool(found), "", words[start:]))
    return found


def _signed(figure: str) -> str:
    return figure.replace("-", "\N{MINUS SIGN}")  # as wide as the plus, so that figures stay below one another


class Explanation:
    """The lines on the page. Only those that say something else are sent again, so that nothing flickers."""

    def __init__(self) -> None:
        self._rows: list[tuple[ui.element, ui.label, ui.label]] = []
        self._text = ""
        self._box = box("ts-explanation")

    def show(self, text: str) -> None:
        """Show another text; the empty one shows nothing."""
        if text == self._text:
            return
        self._text = text
        lines = lines_of(text)
        mark(self._box, "ts-figures", any(line.figure for line in lines))
        while len(self._rows) < len(lines):
            self._rows.append(self._row())
        for (row, figure, words), line in zip(self._rows, lines, strict=False):
            _show(row, figure, words, line)
        for row, _, _ in self._rows[len(lines) :]:
            row.set_visibility(False)

    def _row(self) -> tuple[ui.element, ui.label, ui.label]:
        with self._box, box("ts-line") as row:
            return row, ui.label().classes("ts-figure"), ui.label().classes("ts-said")


def _show(row: ui.element, figure: ui.label, words: ui.label, line: Line) -> None:
    row.classes(replace=f"ts-line ts-depth{line.depth}")
    figure.set_text(line.figure)
    words.set_text(line.words)
    row.set_visibility(True)
