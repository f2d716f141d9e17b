"""The Beliefs panel: all recognisers at once, and below them why one of them believes so: now, or after an event."""

import asyncio
from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

from nicegui import background_tasks, ui

from telos.core.errors import TelosError
from telos.studio.frames import Noted
from telos.studio.page.elements import Bars
from telos.studio.page.explanation import Explanation
from telos.studio.page.parts import box, empty, heading, icon_button, show_text
from telos.studio.session import Session

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
            if not session.panel.names:
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
            names, titles = session.panel.names, session.panel.titles
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
        if not self._session.panel.names:  # nobody reads, but the world itself may know why
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
        if not self._session.panel.names:
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
        told = len(session.panel.seen) if number is None else 0
        return _Asked(self._reader.value, number, told, session.version)

    def _now(self, reader: str) -> str:
        """Return the recogniser's own account; it has it at hand."""
        panel = self._session.panel
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
            title = f"{self._session.panel.titles[asked.reader]}: "  # the menu says it already
            self._show("\n".join(line.removeprefix(title) for line in words.splitlines()), headline(noted))

    def _show(self, words: str, what: str) -> None:
        show_text(self._what, what if words else "")
        self._words.show(words)
        self._empty.set_visibility(not words)


def last_upto(happenings: list[Noted], frame: int) -> int:
    """Return the number of the last happening up to a frame, and -1 before the first."""
    return bisect_right(happenings, frame, key=lambda noted: noted.frame) - 1


def headline(noted: Noted, unit: str = "s") -> str:
    """Return in a few words what happened, and when, if the world's time is in seconds: days have a clock of their own.

    >>> from telos.studio.stage import Happening
    >>> headline(Noted(3, 41, Happening(1.42, "you", "swings")))
    '1.4 s  you swings'
    """
    told = noted.happening
    label = told.label or (told.event.action if told.event is not None else "")
    when = f"{told.time:.1f} s  " if unit == "s" else ""
    return f"{when}{told.who} {label}".rstrip()
