"""The Mind panel: one character at the moment that is looked at, goals and plan and memory, and why not."""

from collections.abc import Callable, Sequence

from nicegui import ui
from nicegui.events import GenericEventArguments

from telos.core.errors import TelosError
from telos.studio.minds.plan_graph import plan_svg
from telos.studio.minds.sheet import MindSheet
from telos.studio.page.parts import box, empty, heading, icon_button, mark, show_rows, show_text, steady_table
from telos.studio.page.sheets import fact_rows, goal_rows, pairs_text, spoken
from telos.studio.session import Session

_NOBODY = "Nobody here has a mind to look into. In other worlds, click a character in the picture."
_GONE = "{who} is not there at this moment."
_ASK = (
    '<button type="button" class="ts-ask" @click="$parent.$emit(\'ask\', props.row.name)">{{ props.row.name }}</button>'
)
_MARK = '<span :class="\'ts-mark ts-mark-\' + props.row.state" :title="props.row.state"></span>'
_WEIGHT = (
    '<span class="ts-meter"><i :style="{width: props.row.share + \'%\'}"></i></span>'
    '<span class="ts-number">{{ props.row.weight }}</span>'
)
_WHY = '<span class="ts-clamped" :title="props.row.why">{{ props.row.why }}</span>'
_SURE = (
    '<span class="ts-meter"><i :style="{width: props.row.share + \'%\'}"></i></span>'
    '<span class="ts-number">{{ props.row.sure }}</span>'
)


class MindPanel:
    """Patched about once a second while it is shown: only what differs is sent, so nothing jumps under the pointer."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._who = ""
        self._names: tuple[str, ...] = ()
        self._actions: tuple[str, ...] = ()
        self._sheet: MindSheet | None = None
        with box("ts-panel-body ts-mind"):
            self._chips = box("ts-chips")
            self._nothing = empty(_NOBODY)
            with box("ts-scroll") as self._body:
                self._build()
            self._answer_box()
        self.refresh()

    def _build(self) -> None:
        with box("ts-doing"):
            self._doing = ui.label().classes("ts-strong")
            self._about = ui.label().classes("ts-faint")
        heading("Goals", about="Click a goal to hear why it is not pursued")
        self._goals = steady_table(
            [("state", ""), ("name", "goal"), ("weight", "weight"), ("why", "why")],
            key="name",
            cells={"state": _MARK, "name": _ASK, "weight": _WEIGHT, "why": _WHY},
            narrow="state name weight",
        )
        self._goals.on("ask", self._ask)
        heading("Plan", about="What comes next; a condition that nothing provides is marked with a cross")
        self._plan = ui.html("", sanitize=False).classes("ts-plan")  # our own drawing, its texts escaped
        self._minding_heading = heading("Attention", about="What it is taken up with, and what it was told to do")
        self._minding = ui.label().classes("ts-list")
        heading("Memory", about="What the character believes, how old that is, and how sure")
        self._facts = steady_table(
            [("about", "about"), ("text", "fact"), ("age", "age"), ("sure", "sure")],
            key="key",
            cells={"sure": _SURE},
            narrow="age sure",
        )
        self._no_facts = empty("It keeps nothing in mind now.")
        self._said_heading = heading("Said")
        self._said = ui.label().classes("ts-list")
        self._can_heading = heading("Can do", about="Click an action to hear why it is not done")
        self._can = box("ts-chips")

    def _answer_box(self) -> None:
        with box("ts-answer") as self._answer:
            with box("ts-row"):
                self._question = ui.label().classes("ts-strong")
                icon_button("close", "Close the answer", lambda: self._answer.set_visibility(False))
            self._words = ui.label().classes("ts-words")
        self._answer.set_visibility(False)

    def open(self, who: str) -> None:
        """Look into somebody's mind."""
        if who != self._who:
            self._who = who
            self._answer.set_visibility(False)
        self.refresh()

    def refresh(self) -> None:
        """Show the mind as it is at the moment that is looked at."""
        self._show_names(self._session.minds())
        sheet = self._session.mind(self._who) if self._who else None
        self._body.set_visibility(sheet is not None)
        self._nothing.set_visibility(sheet is None)
        if sheet is None:
            show_text(self._nothing, _GONE.format(who=self._who) if self._who else _NOBODY)
        elif sheet != self._sheet:
            self._show(sheet)
        self._sheet = sheet

    def _show_names(self, names: tuple[str, ...]) -> None:
        if not self._who and names:
            self._who = names[0]
        shown = (*names, self._who) if self._who and self._who not in names else names
        if shown != self._names:
            self._names = shown
            self._chips.clear()
            with self._chips:
                for name in shown:
                    _chip(name, self.open)
        for chip in self._chips:
            mark(chip, "ts-on", chip.props["label"] == self._who, aria="aria-pressed")

    def _show(self, sheet: MindSheet) -> None:
        show_text(self._doing, sheet.doing or "doing nothing")
        show_text(self._about, f"{sheet.who}, {sheet.about}" if sheet.about else sheet.who)
        show_rows(self._goals, goal_rows(sheet.goals))
        self._plan.set_content(plan_svg(sheet))
        minding = pairs_text([*sheet.focus, *(("order", each) for each in sheet.orders)])
        show_text(self._minding, minding)
        self._minding_heading.set_visibility(bool(minding))
        show_rows(self._facts, fact_rows(sheet.facts))
        self._facts.set_visibility(bool(sheet.facts))
        self._no_facts.set_visibility(not sheet.facts)
        show_text(self._said, spoken(sheet.lines))
        self._said_heading.set_visibility(bool(sheet.lines))
        self._show_actions(sheet.actions)

    def _show_actions(self, actions: Sequence[str]) -> None:
        self._can_heading.set_visibility(bool(actions))
        if tuple(actions) != self._actions:
            self._actions = tuple(actions)
            self._can.clear()
            with self._can:
                for name in actions:
                    _chip(name, self._why_not)

    def _ask(self, event: GenericEventArguments) -> None:
        self._why_not(str(event.args))

    def _why_not(self, what: str) -> None:
        self._question.set_text(f"Why not {what}?")
        try:
            words = self._session.why_not(self._who, what)
        except TelosError as refusal:
            words = str(refusal)
        if self._session.shown not in (None, self._session.last):
            words = f"As things are now, not at the moment that is looked at:\n{words}"
        self._words.set_text(words)
        self._answer.set_visibility(True)


def _chip(name: str, act: Callable[[str], None]) -> ui.button:
    chip = ui.button(name, on_click=lambda: act(name), color=None)
    return chip.props("flat dense no-caps").classes("ts-chip")
