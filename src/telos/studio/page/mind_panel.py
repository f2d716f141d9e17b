"""The Mind panel (`MindPanel`): goals, plan and memory of one character, and answers to "why not?".

A name leads to its line in the Model panel, a number is changed in place, a reason is asked for (`ModelLinks`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from telos.core.errors import TelosError
from telos.studio.mind_view import FactLine, GoalLine, MindView
from telos.studio.models.resolved import ACTION, GOAL, ResolvedMind
from telos.studio.page.designer.plan_dialogs import show_graph, show_plan_choice
from telos.studio.page.designer.resolved_view import format_source
from telos.studio.page.score_panel import has_scores
from telos.studio.page.widgets import (
    box,
    empty_label,
    heading,
    icon_button,
    make_table,
    set_class,
    show_errors,
    show_note,
    show_rows,
    show_text,
    text_button,
)
from telos.studio.plan_drawing import plan_svg
from telos.studio.session import Session

# --- texts ------------------------------------------------------------------------------------------------------------


_MAX_FACTS = 120  # rows


def goal_rows(goals: Sequence[GoalLine], mind: ResolvedMind | None = None) -> list[dict[str, Any]]:
    """Return a table row per goal; its weight is also given as a share of the greatest.

    >>> goal_rows([GoalLine("cover", 20, True, True, "under fire"), GoalLine("patrol", 5, False, False, "")])[1]
    {'name': 'patrol', 'state': 'idle', 'weight': '5', 'share': 25, 'why': '', 'source': '', 'editable': False}
    """
    greatest = max((abs(goal.weight) for goal in goals), default=0) or 1
    return [
        {
            "name": goal.name,
            "state": "pursued" if goal.pursued else "relevant" if goal.relevant else "idle",
            "weight": format_number(goal.weight),
            "share": round(100 * abs(goal.weight) / greatest),
            "why": goal.why,
            **_links(mind, GOAL, goal.name, shown=goal.weight),
        }
        for goal in goals
    ]


def _links(mind: ResolvedMind | None, kind: str, name: str, shown: float | None = None) -> dict[str, Any]:
    """Return where a goal or an action is defined, and whether the number that is ``shown`` is written there."""
    trait = None if mind is None else mind.find(kind, name)
    source = "" if trait is None or trait.source is None else format_source(trait.source, {})
    is_level = trait is not None and shown is not None and format_number(shown) != (trait.value or "0")
    return {"source": source, "editable": trait is not None and trait.edit is not None and not is_level}


def action_rows(view: MindView, mind: ResolvedMind | None) -> list[dict[str, Any]]:
    """Return a table row per action: its cost, and whether it is a part of the plan.

    >>> from telos.studio.mind_view import StepLine
    >>> step = StepLine("goto(gate)", "now")
    >>> view = MindView("Ann", "", 0, "", plan=(step,), actions=("goto", "reload"))
    >>> [row["state"] for row in action_rows(view, None)]
    ['pursued', 'idle']
    """
    states = {step.name.partition("(")[0]: step.state for step in reversed(view.plan) if step.state != "done"}
    marks = {"now": "pursued", "next": "relevant"}
    costs = {name: trait.value for name in view.actions if mind and (trait := mind.find(ACTION, name)) is not None}
    return [
        {
            "name": name,
            "state": marks.get(states.get(name, ""), "idle"),
            "cost": format_cost(costs[name]) if name in costs else "",
            **_links(mind, ACTION, name),
        }
        for name in view.actions
    ]


def format_cost(written: str) -> str:
    """Return a cost for a narrow column.

    >>> format_cost("2.5"), format_cost("0.2 + distance(me, place)"), format_cost("")
    ('2.5', 'varies', '1')
    """
    return written if written.replace(".", "", 1).isdigit() else "varies" if written else "1"


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
_NAME = (
    '<button type="button" class="ts-ask" :title="props.row.source ? \'Open \' + props.row.source : \'Why not?\'" '
    "@click=\"$parent.$emit(props.row.source ? 'open' : 'ask', props.row.name)\">{{ props.row.name }}</button>"
)
_MARK = '<span :class="\'ts-mark ts-mark-\' + props.row.state" :title="props.row.state"></span>'
_WEIGHT = (
    '<span class="ts-meter"><i :style="{width: props.row.share + \'%\'}"></i></span>'
    '<button v-if="props.row.editable" type="button" class="ts-ask ts-number ts-value" title="Change the priority" '
    "@click=\"$parent.$emit('edit', props.row.name)\">{{ props.row.weight }}</button>"
    '<span v-else class="ts-number">{{ props.row.weight }}</span>'
)
_WHY = (
    '<button type="button" class="ts-ask ts-clamped ts-reason" :title="props.row.why" '
    "@click=\"$parent.$emit('ask', props.row.name)\">{{ props.row.why || 'why not?' }}</button>"
)
_COST = (
    '<button v-if="props.row.editable" type="button" class="ts-ask ts-number ts-value" title="Change the cost" '
    "@click=\"$parent.$emit('edit', props.row.name)\">{{ props.row.cost }}</button>"
    '<span v-else class="ts-number">{{ props.row.cost }}</span>'
)
_WHY_NOT = (
    '<button type="button" class="ts-ask ts-reason" @click="$parent.$emit(\'ask\', props.row.name)">why not?</button>'
)
_PAUSE = (
    '<button type="button" class="ts-ask ts-reason" title="Pause the game when this action begins" '
    "@click=\"$parent.$emit('pause', props.row.name)\">pause at it</button>"
)
_STEP_CLICK = """(event) => {
  const step = event.target.closest('[data-what]');
  if (step) emit(step.classList.contains('telos-plan-goal') ? 'goal' : 'action', step.dataset.what);
}"""


@dataclass(frozen=True, slots=True)
class ModelLinks:
    """What a click in the Mind panel does in the Model panel; all are given a character, a kind and a name."""

    open: Callable[[str, str, str], bool]  # show the line that defines it; return whether there is one
    edit: Callable[[str, str, str], None]  # ask for another priority or cost
    can_edit: Callable[[str], bool]  # whether numbers of a character can be changed


_SURE = (
    '<span class="ts-meter"><i :style="{width: props.row.share + \'%\'}"></i></span>'
    '<span class="ts-number">{{ props.row.sure }}</span>'
)


class MindPanel:
    """The panel, refreshed about once a second while visible; only differences are sent, so that nothing jumps."""

    def __init__(self, session: Session, links: ModelLinks | None = None) -> None:
        self._session, self._model_links = session, links
        self._who = ""
        self._names: tuple[str, ...] = ()
        self._version = session.version
        self._asked: tuple[str, str] = (GOAL, "")
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
        self._goals_heading = heading(
            "Goals", about="A name leads to its definition, a number can be changed, a reason asks why not"
        )
        self._goals = self._goal_table()
        with box("ts-row ts-plan-head"):
            heading("Plan", about="The steps; a precondition that no step makes true is marked with a cross")
            box("ts-grow")
            if self._session.world.runs_here:  # of a game that runs elsewhere, the rules are not known
                text_button("Why this plan?", "The plans that were rejected, with their costs", self._compare_plans)
                text_button("All actions", "All actions and goals as a graph", self._show_graph)
        self._plan = ui.html("", sanitize=False).classes("ts-plan")  # our own drawing, its texts escaped
        self._plan.on("click", self._open_step, js_handler=_STEP_CLICK)
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
        self._can_heading = heading("Can do", about="A name leads to its definition, a cost can be changed")
        self._can = make_table(
            [("state", ""), ("name", "action"), ("cost", "cost"), ("why", ""), ("pause", "")],
            key="name",
            cells={"state": _MARK, "name": _NAME, "cost": _COST, "why": _WHY_NOT, "pause": _PAUSE},
            narrow="state cost why pause",
        )
        self._watch(self._can, ACTION)

    def _goal_table(self) -> ui.table:
        table = make_table(
            [("state", ""), ("name", "goal"), ("weight", "weight"), ("why", "why")],
            key="name",
            cells={"state": _MARK, "name": _NAME, "weight": _WEIGHT, "why": _WHY},
            narrow="state name weight",
        )
        self._watch(table, GOAL)
        return table

    def _watch(self, table: ui.table, kind: str) -> None:
        """Connect the buttons in the rows of a table."""
        table.on("ask", lambda event: self._why_not(kind, str(event.args)))
        table.on("open", lambda event: self._open(kind, str(event.args)))
        table.on("edit", lambda event: self._edit(kind, str(event.args)))
        table.on("pause", lambda event: self._pause_when(kind, str(event.args)))

    def _answer_box(self) -> None:
        with box("ts-answer") as self._answer:
            with box("ts-row"):
                self._question = ui.label().classes("ts-strong")
                icon_button("close", "Close the answer", lambda: self._answer.set_visibility(False))
            self._words = ui.label().classes("ts-words")
            with box("ts-row ts-start"):
                self._to_line = text_button("Definition", "Show its line in the Model panel", self._open_asked)
                text_button("Pause when it begins", "Pause the game when this begins", self._pause_at_asked)
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
        elif view != self._view or self._version != self._session.version:
            self._show(view)
        self._view, self._version = view, self._session.version

    @property
    def who(self) -> str:
        """The character whose mind is shown."""
        return self._who

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
        mind = self._session.resolve(view.who)
        can_edit = self._model_links is not None and self._model_links.can_edit(self._who)
        self._show_goals(_only_editable(goal_rows(view.goals, mind), can_edit))
        self._plan.set_content(plan_svg(view))
        minding = format_pairs([*view.focus, *(("order", each) for each in view.orders)])
        show_text(self._minding, minding)
        self._minding_heading.set_visibility(bool(minding))
        show_rows(self._facts, fact_rows(view.facts))
        self._facts.set_visibility(bool(view.facts))
        self._no_facts.set_visibility(not view.facts)
        show_text(self._said, format_speech(view.lines))
        self._said_heading.set_visibility(bool(view.lines))
        self._can_heading.set_visibility(bool(view.actions))
        self._can.set_visibility(bool(view.actions))
        show_rows(self._can, _only_editable(action_rows(view, mind), can_edit))

    def _show_goals(self, rows: Sequence[dict[str, Any]]) -> None:
        """Show the goals that matter above the plan, and the others folded below it."""
        idle = [row for row in rows if row["state"] == "idle"]
        show_rows(self._goals, [row for row in rows if row["state"] != "idle"])
        show_rows(self._idle_goals, idle)
        for each in (self._goals_heading, self._goals):
            each.set_visibility(len(idle) < len(rows))
        self._fold.set_visibility(bool(idle))
        self._idle_goals.set_visibility(bool(idle) and self._unfolded)
        self._fold.set_text(format_idle(len(idle)))

    def _toggle_idle(self) -> None:
        self._unfolded = not self._unfolded
        set_class(self._fold, "ts-open", self._unfolded, aria="aria-expanded")
        self._idle_goals.set_visibility(self._unfolded)

    # --- what was clicked ---------------------------------------------------------------------------------------------

    def _open(self, kind: str, name: str) -> bool:
        if self._model_links is not None and self._model_links.open(self._who, kind, name):
            return True
        self._why_not(kind, name)
        return False

    def _open_step(self, event: GenericEventArguments) -> None:
        match event.args:
            case [str(kind), str(name)] if kind in (GOAL, ACTION):
                self._open(kind, name)

    def _edit(self, kind: str, name: str) -> None:
        if self._model_links is not None:
            self._model_links.edit(self._who, kind, name)

    def _pause_when(self, kind: str, name: str) -> None:
        with show_errors():
            self._session.pause_when(f"{self._who}.{kind} == {name}")
            panel = "Score" if has_scores(self._session) else "Pause"
            show_note(f"The game pauses when {self._who} begins {name}. To clear it: {panel}.")

    def _why_not(self, kind: str, what: str) -> None:
        self._asked = kind, what
        self._question.set_text(f"Why not {what}?")
        try:
            words = self._session.why_not(self._who, what)
        except TelosError as error:
            words = str(error)
        if self._session.shown not in (None, self._session.last):
            words = f"About the present, not the moment that is shown:\n{words}"
        self._words.set_text(words)
        self._to_line.set_visibility(bool(_links(self._session.resolve(self._who), kind, what)["source"]))
        self._answer.set_visibility(True)

    def _open_asked(self) -> None:
        self._open(*self._asked)

    def _pause_at_asked(self) -> None:
        self._pause_when(*self._asked)

    def _compare_plans(self) -> None:
        with show_errors():
            stage = self._session.stage
            show_plan_choice(stage.plan_choice(self._who), stage.planning(self._who))

    def _show_graph(self) -> None:
        moment = self._session.stage.planning(self._who)
        if moment is None:
            show_note(f"The actions of {self._who} are not known here.", bad=True)
        else:
            show_graph(self._who, moment, self._open)


def _only_editable(rows: list[dict[str, Any]], can_edit: bool) -> list[dict[str, Any]]:
    return rows if can_edit else [{**row, "editable": False} for row in rows]


def _chip(name: str, act: Callable[[str], None]) -> ui.button:
    chip = ui.button(name, on_click=lambda: act(name), color=None)
    return chip.props("flat dense no-caps").classes("ts-chip")
