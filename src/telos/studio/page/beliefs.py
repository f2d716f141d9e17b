"""The Beliefs panel: all recognisers at once, and below them why one of them believes so after the clicked event."""

from nicegui import ui

from telos.core.errors import TelosError
from telos.studio.page.elements import Bars
from telos.studio.page.parts import box, empty, heading, show_text
from telos.studio.session import Noted, Session

_NOBODY = "Nobody's goals are read in this world. The Mind panel shows what its characters are after."
_NOTHING_CLICKED = "Click a tick of the timeline: what happened then, and what each recogniser made of it, in log-odds."


class BeliefsPanel:
    """Bars in the browser, fed by the link; the why on this side, because it takes a recogniser to say it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._number: int | None = None
        self._version = session.version
        with box("ts-panel-body ts-beliefs"):
            if not session.panel.names:
                empty(_NOBODY)
                return
            with box("ts-bars"):
                Bars()
            with box("ts-why"):
                with box("ts-row ts-sticky"):
                    heading("Why", about="Why a recogniser believes what it believes after the event that you clicked")
                    self._what = ui.label().classes("ts-what")
                    self._reader = ui.select(
                        session.panel.titles, value=session.panel.names[0], on_change=self._explain
                    ).props("dense borderless options-dense")
                    self._reader.props["aria-label"] = "Recogniser"
                    self._reader.classes("ts-select")
                self._words = ui.label().classes("ts-words")
                self._empty = empty(_NOTHING_CLICKED)
        self._explain()

    def explain(self, number: int) -> None:
        """Say why, for a happening by its number."""
        self._number = number
        if self._session.panel.names:
            self._explain()

    def refresh(self) -> None:
        """Say it again when another model is in force; nothing else changes what was believed then."""
        if self._session.panel.names and self._version != self._session.version:
            self._explain()

    def _explain(self) -> None:
        self._version = self._session.version
        words, what = "", ""
        if self._number is not None:
            try:
                words = self._session.why(self._number, self._reader.value)
                what = headline(self._session.happenings[self._number])
            except TelosError as refusal:
                words = str(refusal)
        show_text(self._what, what)
        show_text(self._words, words)
        self._empty.set_visibility(not words)


def headline(noted: Noted) -> str:
    """Return in a few words what happened.

    >>> from telos.studio.stage import Happening
    >>> headline(Noted(3, 41, Happening(1.42, "you", "swings")))
    '1.4 s  you swings'
    """
    told = noted.happening
    return f"{told.time:.1f} s  {told.who} {told.label}".rstrip()
