"""Our own elements on the page: the stage, the bars and the timeline. The scripts under ``assets`` do the drawing.

They share one link to the game, which the stage opens; the others find it by themselves.
"""

from collections.abc import Callable
from pathlib import Path

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from telos.studio.drawing.palette import GOALS, ROLES

_ASSETS = Path(__file__).with_name("assets")
_ESM = {"telos-studio": "assets"}  # how the scripts import each other: so each is loaded once, and the link is one
_LONGEST_NAME = 200


class StageCanvas(Element, component="assets/stage.js", esm=_ESM):
    """The picture of a game, with the lines around it, small belief bars in its corner, and the player's keys.

    It connects to ``link_url`` (``"/link/…"``). ``on_pick`` hears the name of a character that was clicked, and
    ``on_again`` that a game that is over shall be played again.
    """

    def __init__(
        self,
        link_url: str,
        *,
        corner: bool = True,
        on_pick: Callable[[str], None] | None = None,
        on_again: Callable[[], None] | None = None,
    ) -> None:
        super().__init__()
        self._props["link-url"] = link_url
        self._props["corner"] = corner
        if on_pick is not None:
            self.on("pick", lambda event: _with_name(event, on_pick))
        if on_again is not None:
            self.on("again", lambda _: on_again(), args=[])


class Timeline(Element, component="assets/timeline.js", esm=_ESM):
    """Beliefs, truth and happenings along the game. ``on_event`` hears the number of a happening that was clicked."""

    def __init__(self, *, on_event: Callable[[int], None] | None = None) -> None:
        super().__init__()
        if on_event is not None:
            self.on("event", lambda event: _with_number(event, on_event))

    def release(self) -> None:
        """Mark no happening as clicked any more."""
        self.run_method("release")


class Bars(Element, component="assets/bars.js", esm=_ESM):
    """What every recogniser believes now, side by side, with the truth marked where it is known."""


def _with_name(event: GenericEventArguments, hear: Callable[[str], None]) -> None:
    if isinstance(event.args, str) and len(event.args) <= _LONGEST_NAME:  # a page may send anything
        hear(event.args)


def _with_number(event: GenericEventArguments, hear: Callable[[int], None]) -> None:
    if type(event.args) is int and event.args >= 0:
        hear(event.args)


def theme_css() -> str:
    """Return the style of the elements: the palette as variables (``--telos-ink``, ``--telos-goal0``), and their looks.

    A page is light unless its body has the class ``body--dark``, as NiceGUI's dark mode sets it.
    """
    return "\n".join(
        [_variables(":root", 1), _variables("body.body--dark", 0), (_ASSETS / "studio.css").read_text("utf-8")]
    )


def _variables(selector: str, side: int) -> str:
    lines = [f"  --telos-{role}: {pair[side]};" for role, pair in ROLES.items()]
    lines += [f"  --telos-goal{at}: {pair[side]};" for at, pair in enumerate(GOALS)]
    return "\n".join([f"{selector} {{", *lines, "}"])
