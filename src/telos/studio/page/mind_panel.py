"""The Mind panel (`MindPanel`): goals, plan and memory of one character, and answers to "why not?"."""

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from telos.core.errors import TelosError
from telos.studio.mind_view import FactLine, GoalLine, MindView
from telos.studio.page.widgets import (
    box,
    empty_label,
    heading,
    icon_button,
    make_table,
    set_class,
    show_rows,
    show_text,
)
from telos.studio.plan_drawing import plan_svg
from telos.studio.session import Session

# --- texts ------------------------------------------------------------------------------------------------------------


_MAX_FACTS = 120  # rows


def goal_rows(goals: Sequence[GoalLine]) -> list[dict[str, Any]]:
    """Return a table row per goal; its weight is also given as a share of the greatest.

    >>> goal_rows([GoalLine("cover", 20, True, True, "under fire"), GoalLine("patrol", 5, False, False, "")])[1]
    {'name': 'patrol', 'state': 'idle', 'weight': '5', 'share': 25, 'why': ''}
    """
    greatest = max((abs(goal.weight) for goal in goals), default=0) or 1
    return [
        {
            "name": goal.name,
            "state": "pursued" if goal.pursued else "relevant" if goal.relevant else "idle",
            "weight": format_number(goal.weight),
            "share": round(100 * abs(goal.weight) / greatest),
            "why": goal.why,
        }
        for goal in goals
    ]


def fact_rows(facts: Sequence[FactLine]) -> list[dict[str, Any]]:
    """Return a table row per fact, with a stable key.

    >>> fact_rows([FactLine("enemy", "Bert", 2.34, 0.5, "at door")])
    [{'key': 'enemy Bert', 'about': 'enemy Bert', 'text': 'at door', 'age': '2 s', 'sure': '50 %', 'share': 50}]
    """
    rows, times = [], dict[str, int]()
    for fact in facts[:_MAX_FACTS]:
        about = f"{fact.kind} {fact.subject}".strip()
        times[about] = times.get(about, 0) + 1
        rows.append(
            {
                "key": about if times[about] == 1 else f"{about} {times[about]}",
                "about": about,
                "text": fact.text,
                "age": format_age(fact.age),
                "sure": f"{100 * fact.confidence:.0f} %",
                "share": round(100 * fact.confidence),
            }
        )
    return rows


def format_age(seconds: float) -> str:
    """Return an age as coarse text.

    >>> format_age(0.4), format_age(41.7), format_age(200)
    ('now', '42 s', '3 min')
    """
    if seconds < 1:
        return "now"
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def format_number(value: float) -> str:
    """Return a number with at most two decimals, so that columns keep their width.

    >>> format_number(20), format_number(3.14159), format_number(0.0512)
    ('20', '3.14', '0.05')
    """
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.2f}"


def format_idle(count: int) -> str:
    """Return the title of the goals that are not relevant.

    >>> format_idle(1), format_idle(9)
    ('1 goal does not matter now', '9 goals do not matter now')
    """
    return "1 goal does not matter now" if count == 1 else f"{count} goals do not matter now"


def format_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    r"""Return one line per pair.

    >>> format_pairs([("target", "Bert"), ("order", "cover Ann")])
    'target: Bert\norder: cover Ann'
    """
    return "\n".join(f"{name}: {words}" for name, words in pairs)


def format_speech(lines: Sequence[tuple[float, str]]) -> str:
    r"""Return spoken lines, the latest first.

    >>> format_speech([(1.0, "Flank!"), (2.5, "Take cover!")])
    '2.5 s  Take cover!\n1.0 s  Flank!'
    """
    return "\n".join(f"{time:.1f} s  {words}" for time, words in reversed(lines))


# --- the panel --------------------------------------------------------------------------------------------------------


_NOBODY = "No character here has a mind to inspect. In other worlds, click a character in the picture."
_GONE = "{who} does not exist at this moment."
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
    """The panel, refreshed about once a second while visible; only differences are sent, so that nothing jumps."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._who = ""
        self._names: tuple[str, ...] = ()
        self._actions: tuple[str, ...] = ()
        self._view: MindView | None = None
        self._unfolded = False  # whether the goals that do not matter are shown
        with box("ts-panel-body ts-mind"):
            self._chips = box("ts-chips")
            self._nothing = empty_label(_NOBODY)
            with box("ts-scroll") as self._body:
                self._build()
            self._answer_box()
        self.refresh()

    def _build(self) -> None:
        with box("ts-doing"):
            self._doing = ui.label().classes("ts-strong")
            self._about = ui.label().classes("ts-faint")
        heading("Goals", about="Click a goal to ask why it is not pursued")
        self._goals = self._goal_table()
        heading("Plan", about="The steps; a precondition that no step makes true is marked with a cross")
        self._plan = ui.html("", sanitize=False).classes("ts-plan")  # our own drawing, its texts escaped
        self._fold = ui.button(on_click=self._toggle_idle, color=None).props("flat dense no-caps align=left")
        self._fold.classes("ts-fold").props["aria-expanded"] = "false"
        self._idle_goals = self._goal_table()
        self._idle_goals.set_visibility(False)
        self._minding_heading = heading("Attention", about="The focus of attention, and the orders")
        self._minding = ui.label().classes("ts-list")
        heading("Memory", about="Facts in memory, with age and confidence")
        self._facts = make_table(
            [("about", "about"), ("text", "fact"), ("age", "age"), ("sure", "sure")],
            key="key",
            cells={"sure": _SURE},
            narrow="age sure",
        )
        self._no_facts = empty_label("The memory is empty.")
        self._said_heading = heading("Said")
        self._said = ui.label().classes("ts-list")
        self._can_heading = heading("Can do", about="Click an action to ask why it is not performed")
        self._can = box("ts-chips")

    def _goal_table(self) -> ui.table:
        table = make_table(
            [("state", ""), ("name", "goal"), ("weight", "weight"), ("why", "why")],
            key="name",
            cells={"state": _MARK, "name": _ASK, "weight": _WEIGHT, "why": _WHY},
            narrow="state name weight",
        )
        table.on("ask", self._ask)
        return table

    def _answer_box(self) -> None:
        with box("ts-answer") as self._answer:
            with box("ts-row"):
                self._question = ui.label().classes("ts-strong")
                icon_button("close", "Close the answer", lambda: self._answer.set_visibility(False))
            self._words = ui.label().classes("ts-words")
        self._answer.set_visibility(False)

    def open(self, who: str) -> None:
        """Show the mind of a character."""
        if who != self._who:
            self._who = who
            self._answer.set_visibility(False)
        self.refresh()

    def refresh(self) -> None:
        """Show the mind at the moment that is looked at."""
        self._show_names(self._session.minds())
        view = self._session.mind(self._who) if self._who else None
        self._body.set_visibility(view is not None)
        self._nothing.set_visibility(view is None)
        if view is None:
            show_text(self._nothing, _GONE.format(who=self._who) if self._who else _NOBODY)
        elif view != self._view:
            self._show(view)
        self._view = view

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
            set_class(chip, "ts-on", chip.props["label"] == self._who, aria="aria-pressed")

    def _show(self, view: MindView) -> None:
        show_text(self._doing, view.doing or "doing nothing")
        show_text(self._about, f"{view.who}, {view.about}" if view.about else view.who)
        self._show_goals(goal_rows(view.goals))
        self._plan.set_content(plan_svg(view))
        minding = format_pairs([*view.focus, *(("order", each) for each in view.orders)])
        show_text(self._minding, minding)
        self._minding_heading.set_visibility(bool(minding))
        show_rows(self._facts, fact_rows(view.facts))
        self._facts.set_visibility(bool(view.facts))
        self._no_facts.set_visibility(not view.facts)
        show_text(self._said, format_speech(view.lines))
        self._said_heading.set_visibility(bool(view.lines))
        self._show_actions(view.actions)

    def _show_goals(self, rows: Sequence[dict[str, Any]]) -> None:
        """Show the goals that matter above the plan, and the others folded below it."""
        idle = [row for row in rows if row["state"] == "idle"]
        show_rows(self._goals, [row for row in rows if row["state"] != "idle"])
        show_rows(self._idle_goals, idle)
        self._goals.set_visibility(len(idle) < len(rows))
        self._fold.set_visibility(bool(idle))
        self._idle_goals.set_visibility(bool(idle) and self._unfolded)
        self._fold.set_text(format_idle(len(idle)))

    def _toggle_idle(self) -> None:
        self._unfolded = not self._unfolded
        set_class(self._fold, "ts-open", self._unfolded, aria="aria-expanded")
        self._idle_goals.set_visibility(self._unfolded)

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
        except TelosError as error:
            words = str(error)
        if self._session.shown not in (None, self._session.last):
            words = f"About the present, not the moment that is shown:\n{words}"
        self._words.set_text(words)
        self._answer.set_visibility(True)


def _chip(name: str, act: Callable[[str], None]) -> ui.button:
    chip = ui.button(name, on_click=lambda: act(name), color=None)
    return chip.props("flat dense no-caps").classes("ts-chip")
