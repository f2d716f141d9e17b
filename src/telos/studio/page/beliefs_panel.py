"""Beliefs panel."""

import asyncio
import re
from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

from nicegui import background_tasks, ui

from telos.core.errors import TelosError
from telos.studio.page.widgets import Bars, box, empty, heading, icon_button, mark, show_text
from telos.studio.recording import TimelineEntry
from telos.studio.session import Session

# --- explanation ------------------------------------------------------------------------------------------------------
# A recogniser's why, laid out: figures in a column of their own, words beside them with a hanging indent.


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


# --- beliefs ----------------------------------------------------------------------------------------------------------
# The Beliefs panel: all recognisers at once, and below them why one of them believes so: now, or after an event.


_NOBODY = "Nobody's goals are read in this world. The Mind panel shows what its characters are after."
_NOTHING_YET = "Nothing has been read yet. What speaks for which goal appears here as soon as something happens."
_ABOUT = "Why a recogniser believes so at the moment that is looked at, in log-odds; click a tick to ask about that one"


class _Asked(NamedTuple):
    """What is to be explained: as long as it is the same, so is the answer."""

    reader: str
    number: int | None  # of the happening, and -1 before the first; None: now
    told: int  # how much the recognisers were told when it was asked about now
    version: int


class BeliefsPanel:
    """Bars in the browser, fed by the link; the why on this side, because it takes a recogniser to say it.

    ``on_release`` hears that the clicked event is not the one that is explained any more.
    """

    def __init__(self, session: Session, on_release: Callable[[], None] = lambda: None) -> None:
        self._session, self._on_release = session, on_release
        self._pinned: int | None = None  # the event that was clicked
        self._asked: _Asked | None = None
        with box("ts-panel-body ts-beliefs"):
            if not session.recognizers.names:
                self._build_without_readers()
                return
            with box("ts-bars"):
                Bars()
            with box("ts-why"):
                self._build(session)
        self.refresh()

    def _build(self, session: Session) -> None:
        with box("ts-row ts-sticky"):
            heading("Why", about=_ABOUT)
            self._what = ui.label().classes("ts-what")
            self._release = icon_button("close", "Explain the present again", self.release)
            names, titles = session.recognizers.names, session.recognizers.titles
            self._reader = ui.select(titles, value=names[0], on_change=self.refresh)
            self._reader.props("dense borderless options-dense").classes("ts-select")
            self._reader.props["aria-label"] = "Recogniser"
        self._words = Explanation()
        self._empty = empty(_NOTHING_YET)

    def _build_without_readers(self) -> None:
        empty(_NOBODY)
        self._what = ui.label().classes("ts-what")
        self._words = Explanation()

    def explain(self, number: int) -> None:
        """Say why after a happening, by its number, until another one is clicked or this one is let go."""
        self._pinned = number
        if not self._session.recognizers.names:  # nobody reads, but the world itself may know why
            show_text(self._what, headline(self._session.happenings[number], self._session.stage.unit))
            self._words.show(self._session.why(number))
            return
        self.refresh()

    def release(self) -> None:
        """Explain the moment that is looked at again."""
        self._pinned = None
        self._on_release()
        self.refresh()

    def refresh(self) -> None:
        """Explain what is looked at now, if that was not done yet."""
        if not self._session.recognizers.names:
            return
        asked = self._to_explain()
        if asked == self._asked:
            return
        self._asked = asked
        self._release.set_visibility(self._pinned is not None)
        if asked.number is None:
            self._show(self._now(asked.reader) if asked.told else "", "now")
        elif asked.number < 0:
            self._show("", "")
        else:
            background_tasks.create(self._look_back(asked, asked.number))

    def _to_explain(self) -> _Asked:
        session, number = self._session, self._pinned
        if number is None and session.shown is not None and session.shown != session.last:
            number = last_upto(session.happenings, session.shown)
        told = len(session.recognizers.events) if number is None else 0
        return _Asked(self._reader.value, number, told, session.version)

    def _now(self, reader: str) -> str:
        """Return the recogniser's own account; it has it at hand."""
        panel = self._session.recognizers
        explain = getattr(panel.readers[reader], "why", None)
        return panel.beliefs[reader].why() if explain is None else str(explain())

    async def _look_back(self, asked: _Asked, number: int) -> None:
        """Explain a moment of the past beside the game: all that was told before has to be told again for it."""
        noted = self._session.happenings[number]
        try:
            words = await asyncio.to_thread(self._session.why, number, asked.reader)
        except TelosError as refusal:
            words = str(refusal)
        if asked == self._asked and not self._what.is_deleted:  # nobody has asked about something else meanwhile
            title = f"{self._session.recognizers.titles[asked.reader]}: "  # the menu says it already
            self._show("\n".join(line.removeprefix(title) for line in words.splitlines()), headline(noted))

    def _show(self, words: str, what: str) -> None:
        show_text(self._what, what if words else "")
        self._words.show(words)
        self._empty.set_visibility(not words)


def last_upto(happenings: list[TimelineEntry], frame: int) -> int:
    """Return the number of the last happening up to a frame, and -1 before the first."""
    return bisect_right(happenings, frame, key=lambda noted: noted.frame) - 1


def headline(noted: TimelineEntry, unit: str = "s") -> str:
    """Return in a few words what happened, and when, if the world's time is in seconds: days have a clock of their own.

    >>> from telos.studio.stage import Happening
    >>> headline(TimelineEntry(3, 41, Happening(1.42, "you", "swings")))
    '1.4 s  you swings'
    """
    told = noted.happening
    label = told.label or (told.event.action if told.event is not None else "")
    when = f"{told.time:.1f} s  " if unit == "s" else ""
    return f"{when}{told.who} {label}".rstrip()
