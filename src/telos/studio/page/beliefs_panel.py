"""The Beliefs panel (`BeliefsPanel`): the bars of all recognisers, and why one of them believes so."""

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from nicegui import background_tasks, ui

from telos.core.belief import Belief
from telos.core.errors import TelosError
from telos.studio.explanation import ExplanationLine, explain, explain_text
from telos.studio.page.widgets import BeliefBars, box, empty_label, heading, icon_button, set_class, show_text
from telos.studio.recording import TimelineEntry
from telos.studio.session import Session

# --- explanations -----------------------------------------------------------------------------------------------------


class ExplanationBox:
    """An explanation on the page, with a column of figures. Only changed lines are sent, so that nothing flickers."""

    def __init__(self) -> None:
        self._rows: list[tuple[ui.element, ui.label, ui.label]] = []
        self._lines: Sequence[ExplanationLine] = ()
        self._box = box("ts-explanation")

    def show(self, lines: Sequence[ExplanationLine]) -> None:
        """Show an explanation."""
        if lines == self._lines:
            return
        self._lines = lines
        set_class(self._box, "ts-figures", any(line.figure for line in lines))
        while len(self._rows) < len(lines):
            self._rows.append(self._row())
        for (row, figure, words), line in zip(self._rows, lines, strict=False):
            _show(row, figure, words, line)
        for row, _, _ in self._rows[len(lines) :]:
            row.set_visibility(False)

    def _row(self) -> tuple[ui.element, ui.label, ui.label]:
        with self._box, box("ts-line") as row:
            return row, ui.label().classes("ts-figure"), ui.label().classes("ts-said")


def _show(row: ui.element, figure: ui.label, words: ui.label, line: ExplanationLine) -> None:
    row.classes(replace=f"ts-line ts-depth{line.depth}")
    figure.set_text(line.figure)
    words.set_text(line.words)
    row.set_visibility(True)


# --- the panel --------------------------------------------------------------------------------------------------------


_NOBODY = "This world has no recognisers. The Mind panel shows the goals of its characters."
_STYLE = "Which of several ways to play foresees the keys best: each is a recogniser of its own, and all read at once"
_NOTHING_YET = "No event has been observed yet. The evidence for each goal appears here after the first one."
_ABOUT = "The evidence at the moment that is shown, in log-odds; click an event of the timeline to explain that one"


class _Asked(NamedTuple):
    """What to explain; equal requests have equal answers."""

    reader: str
    number: int | None  # of the happening; -1 before the first; None: now
    observed: int  # the number of observed events, if it is about now
    version: int


class BeliefsPanel:
    """The panel: bars, which the browser draws from frames, and the explanation, which needs the recogniser.

    ``on_release`` is called when the explanation of a clicked event is closed.
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
                BeliefBars()
            self._style = ui.label().classes("ts-style")
            self._style.set_visibility(False)
            self._style.tooltip(_STYLE)
            with box("ts-why"):
                self._build(session)
        self.refresh()

    def _build(self, session: Session) -> None:
        with box("ts-row ts-sticky"):
            heading("Why", about=_ABOUT)
            self._what = ui.label().classes("ts-what")
            self._release = icon_button("close", "Explain the present again", self.release)
            self._reader = ui.select(session.recognizers.titles, value=session.headline, on_change=self.refresh)
            self._reader.props("dense borderless options-dense").classes("ts-select")
            self._reader.props["aria-label"] = "Recogniser"
        self._words = ExplanationBox()
        self._empty = empty_label(_NOTHING_YET)

    def _build_without_readers(self) -> None:
        empty_label(_NOBODY)
        self._what = ui.label().classes("ts-what")
        self._words = ExplanationBox()

    def explain(self, number: int) -> None:
        """Explain a happening, by its number, until another one is clicked or this one is released."""
        self._pinned = number
        if not self._session.recognizers.names:  # without recognisers, the world may still know the cause
            show_text(self._what, format_headline(self._session.happenings[number], self._session.stage.unit))
            self._words.show(explain_text(self._session.why(number)))
            return
        self.refresh()

    def release(self) -> None:
        """Explain the moment that is looked at."""
        self._pinned = None
        self._on_release()
        self.refresh()

    def refresh(self) -> None:
        """Update the explanation if what it explains has changed."""
        if not self._session.recognizers.names:
            return
        self._show_style()
        asked = self._to_explain()
        if asked == self._asked:
            return
        self._asked = asked
        self._release.set_visibility(self._pinned is not None)
        if asked.number is None:
            self._show(self._now(asked.reader) if asked.observed else (), f"now, {self._session.clock()}")
        elif asked.number < 0:
            self._show((), "")
        else:
            background_tasks.create(self._look_back(asked, asked.number))

    def _show_style(self) -> None:
        text = format_style(self._session.stage.style)
        if text != self._style.text:
            self._style.set_text(text)
            self._style.set_visibility(bool(text))

    def _to_explain(self) -> _Asked:
        session, number = self._session, self._pinned
        if number is None and session.shown is not None and session.shown != session.last:
            number = find_last_entry(session.happenings, session.shown)
        observed = len(session.recognizers.events) if number is None else 0
        return _Asked(self._reader.value, number, observed, session.version)

    def _now(self, reader: str) -> Sequence[ExplanationLine]:
        """Return the current explanation of a recogniser."""
        recognizers = self._session.recognizers
        return explain(recognizers.readers[reader], recognizers.beliefs[reader])

    async def _look_back(self, asked: _Asked, number: int) -> None:
        """Explain a past moment in a thread: the recogniser observes all earlier events again."""
        entry = self._session.happenings[number]
        try:
            lines = await asyncio.to_thread(self._session.explain, number, asked.reader)
        except TelosError as error:
            lines = explain_text(str(error))
        if asked == self._asked and not self._what.is_deleted:  # the request is still current
            self._show(lines, format_headline(entry))

    def _show(self, lines: Sequence[ExplanationLine], what: str) -> None:
        show_text(self._what, what if lines else "")
        self._words.show(lines)
        self._empty.set_visibility(not lines)


def format_style(style: Belief | None) -> str:
    """Return how somebody plays, the likeliest style first.

    >>> format_style(Belief({"cautious": 0.25, "bold": 0.75}))
    'Plays like: bold 75%, cautious 25%'
    """
    ranked = sorted(style.items(), key=lambda each: -each[1]) if style is not None else []
    return "Plays like: " + ", ".join(f"{name} {chance:.0%}" for name, chance in ranked) if ranked else ""


def find_last_entry(happenings: list[TimelineEntry], frame: int) -> int:
    """Return the number of the last happening up to a frame; -1 before the first."""
    return bisect_right(happenings, frame, key=lambda entry: entry.frame) - 1


def format_headline(entry: TimelineEntry, unit: str = "s") -> str:
    """Return a happening in a few words, with its time if the world's time is in seconds.

    >>> from telos.studio.stage import Happening
    >>> format_headline(TimelineEntry(3, 41, Happening(1.42, "you", "swings")))
    '1.4 s  you swings'
    """
    happening = entry.happening
    label = happening.label or (happening.event.action if happening.event is not None else "")
    when = f"{happening.time:.1f} s  " if unit == "s" else ""
    return f"{when}{happening.who} {label}".rstrip()
