"""The Score panel (`ScorePanel`): accuracy and confusion matrix of each recogniser, and a condition to pause on."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from nicegui import ui

from telos.core.errors import TelosError
from telos.core.values import Value
from telos.studio.page.designer.comparison import format_percent
from telos.studio.page.widgets import (
    box,
    empty_label,
    heading,
    make_table,
    set_class,
    show_rows,
    show_text,
    text_button,
)
from telos.studio.session import Session
from telos.studio.watchpoint import Watchpoint

Rows: TypeAlias = list[dict[str, Any]]

_NOBODY = "This world has no recognisers, so there is nothing to score."
_UNJUDGED = (
    "Nothing to score yet: that needs a player whose goal is known, such as a simulated one, or you in a game that "
    "says what to do."
)
_HOW_TO_READ = (
    "A row is what the player wanted, a column what was believed, in per cent of the row. The diagonal is right; all "
    "else are mistakes."
)
_MAX_EXAMPLES = 5
_THRESHOLD = 0.9
_MAX_COLUMNS = 5  # columns that fit side by side
_ACCURACY = (
    '<span class="ts-meter ts-meter-wide"><i :style="{width: props.row.share + \'%\'}"></i></span>'
    '<span class="ts-number">{{ props.row.accuracy }}</span>'
)
TINT = 42  # % of a cell's colour at most, so that its number stands out (test_widgets.py)
_MATRIX = """
<q-tr :props="props">
  <q-td v-for="col in props.cols" :key="col.name" :props="props"
        :style="col.name === 'truth' ? {} : {
          background: 'color-mix(in srgb, var(--telos-' + (col.name === props.row.key ? 'good' : 'danger') + ') '
                      + SHARE * (props.row['share ' + col.name] || 0) + '%, transparent)'}"
        :class="col.name === 'truth' ? 'ts-row-name' : 'ts-cell'">{{ props.row[col.name] }}</q-td>
</q-tr>
""".replace("SHARE", str(TINT / 100))


class ScorePanel:
    """The panel, refreshed about once a second while visible."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._scores = has_scores(session)
        with box("ts-panel-body ts-scroll ts-score"):
            if self._scores:
                self._build()
            elif session.world.runs_here:
                empty_label(_NOBODY)
            self._watch()
        self.refresh()

    def _build(self) -> None:
        self._heading = heading("Accuracy", about="How often the goal that a recogniser believed most was the player's")
        self._accuracy = make_table(
            [("title", "recogniser"), ("accuracy", "right"), ("judged", "of judgements")],
            key="name",
            cells={"accuracy": _ACCURACY},
            narrow="title accuracy judged",
        )
        self._unjudged = empty_label(_UNJUDGED)
        with box("ts-row") as self._confusion:
            heading("Confusion", about="What was taken for what")
            recognizers = self._session.recognizers
            self._reader = ui.select(recognizers.titles, value=self._session.headline, on_change=self.refresh)
            self._reader.props("dense borderless options-dense").classes("ts-select")
            self._reader.props["aria-label"] = "Recogniser"
        self._how = ui.label(_HOW_TO_READ).classes("ts-hint")
        self._mistake = ui.label().classes("ts-hint")
        self._matrix = make_table([], key="key")
        self._matrix.add_slot("body", _MATRIX)
        self._matrix.classes("ts-matrix")

    def _watch(self) -> None:
        self._shown: Watchpoint | None = None
        heading("Pause when", about="The game pauses when the condition becomes true")
        with box("ts-row"):
            self._condition = ui.input(placeholder="a condition").props("dense outlined").classes("ts-grow")
            self._condition.props["aria-label"] = "Pause when this condition becomes true"
            self._condition.on("keydown.enter", self._set)
            text_button("Set", "Pause when this becomes true", self._set).classes("ts-main")
            text_button("Clear", "Do not pause any more", self._clear)
        self._said = ui.label().classes("ts-hint")
        with box("ts-chips"):
            for example in example_conditions(self._session):
                ui.button(example, on_click=lambda words=example: self._try(words), color=None).props(
                    "flat dense no-caps"
                ).classes("ts-chip ts-code")

    def refresh(self) -> None:
        """Show the current counts."""
        watchpoint = self._session.watchpoint
        if watchpoint is not None and watchpoint is not self._shown:  # it was set elsewhere
            self._condition.set_value(watchpoint.text)
            self._show(f"Pauses when {watchpoint.text}")
        self._shown = watchpoint
        if self._scores:
            show_rows(self._accuracy, accuracy_rows(self._session))
            judged = any(self._session.scoreboard.judged(name) for name in self._session.recognizers.names)
            self._unjudged.set_visibility(not judged)
            for part in (self._heading, self._accuracy, self._confusion, self._how, self._matrix):
                part.set_visibility(judged)
            self._show_matrix()

    def _show_matrix(self) -> None:
        counts = self._session.scoreboard.confusion[self._reader.value]
        show_text(self._mistake, worst_mistake(counts))
        columns, rows = confusion_table(counts, self._session.recognizers.goals)
        if self._matrix.columns != columns:
            self._matrix.columns = columns
            set_class(self._matrix, "ts-many", len(columns) > _MAX_COLUMNS)  # vertical column names
        show_rows(self._matrix, rows)

    def _try(self, words: str) -> None:
        self._condition.set_value(words)
        self._set()

    def _set(self) -> None:
        words = (self._condition.value or "").strip()
        try:
            self._session.pause_when(words)
        except TelosError as error:
            self._show(str(error), bad=True)
            return
        self._shown = watchpoint = self._session.watchpoint
        later = "; true already, so it waits for the next time" if watchpoint and watchpoint.holds_already else ""
        self._show(f"Pauses when {words}{later}" if words else "")

    def _clear(self) -> None:
        self._condition.set_value("")
        self._set()

    def _show(self, words: str, *, bad: bool = False) -> None:
        set_class(self._said, "ts-bad", bad)
        show_text(self._said, words)


def has_scores(session: Session) -> bool:
    """Return whether readers can be scored: a game that runs elsewhere does not tell what its player really wants."""
    return bool(session.recognizers.names) and session.world.runs_here


def accuracy_rows(session: Session) -> list[dict[str, Any]]:
    """Return a table row per recogniser."""
    recognizers, scoreboard = session.recognizers, session.scoreboard
    return [
        {
            "name": name,
            "title": recognizers.titles[name],
            "accuracy": format_percent(share := scoreboard.accuracy(name)),
            "share": round(100 * (share or 0)),
            "judged": scoreboard.judged(name),
        }
        for name in recognizers.names
    ]


def confusion_table(counts: Mapping[tuple[str, str], int], goals: Sequence[str]) -> tuple[Rows, Rows]:
    """Return the columns and rows of a confusion matrix, in per cent of each row; a dash in an empty row.

    >>> columns, rows = confusion_table({("a", "a"): 3, ("a", "b"): 1}, ("a", "b"))
    >>> rows[0]["goal a"], rows[0]["goal b"], rows[1]["goal a"]
    ('75', '25', '–')
    """
    columns: Rows = [{"name": "truth", "label": "goal ╲ believed", "field": "truth", "align": "left"}]
    columns += [{"name": f"goal {goal}", "label": goal, "field": f"goal {goal}", "align": "right"} for goal in goals]
    rows = []
    for truth in goals:
        total = sum(counts.get((truth, believed), 0) for believed in goals)
        row: dict[str, Any] = {"key": f"goal {truth}", "truth": truth}
        for believed in goals:
            share = 100 * counts.get((truth, believed), 0) / total if total else 0.0
            row[f"goal {believed}"] = f"{share:.0f}" if total else "–"
            row[f"share goal {believed}"] = round(share)
        rows.append(row)
    return columns, rows


def worst_mistake(counts: Mapping[tuple[str, str], int]) -> str:
    """Return the most frequent mistake as a sentence; the empty text where there is none.

    >>> worst_mistake({("level", "level"): 9, ("level", "explore"): 3, ("town", "explore"): 1, ("town", "town"): 0})
    'The most frequent mistake: while the player wanted level, explore was believed in 25 % of the judgements.'
    >>> worst_mistake({("level", "level"): 9})
    ''
    """
    mistakes = {pair: count for pair, count in counts.items() if count and pair[0] != pair[1]}
    if not mistakes:
        return ""
    truth, believed = max(mistakes, key=lambda pair: mistakes[pair])
    total = sum(count for pair, count in counts.items() if pair[0] == truth)
    share = round(100 * mistakes[truth, believed] / total)
    return (
        f"The most frequent mistake: while the player wanted {truth}, {believed} was believed in {share} % of the "
        "judgements."
    )


def example_conditions(session: Session) -> tuple[str, ...]:
    """Return conditions that fit this world and do not hold yet."""
    found = []
    if session.recognizers.names:
        name = session.recognizers.names[0]
        belief, goals = session.recognizers.beliefs[name], session.recognizers.goals
        other = next((goal for goal in reversed(goals) if goal != belief.top), goals[-1])
        unsure = next((goal for goal in goals if belief.get(goal, 0.0) < _THRESHOLD), goals[0])
        untrue = next((goal for goal in goals if goal != session.stage.truth), goals[0])
        found = [f"{name}.top == {other}", f"{name}.{unsure} >= {_THRESHOLD:g}", f"truth == {untrue}"]
    facts = [change_condition(name, value) for name, value in session.stage.facts().items()]
    return (*found, *[fact for fact in facts if fact][: _MAX_EXAMPLES - len(found)], _later(session.stage.time))


def change_condition(name: str, value: Value) -> str:
    """Return a condition that becomes true when a fact changes; the empty text where it cannot be written simply.

    A count of 0 or 1 must rise by one; a larger count must fall to half.

    >>> [change_condition(*fact) for fact in (("gems", 0), ("day", 1), ("food", 24), ("Sam.goal", "cover"))]
    ['gems >= 1', 'day >= 2', 'food <= 12', 'Sam.goal != cover']
    >>> [change_condition(*fact) for fact in (("in_town", True), ("locked", False), ("area", "2,2"), ("hunger", 2.6))]
    ['not in_town', 'locked', '', '']
    """
    if isinstance(value, bool):
        return f"not {name}" if value else name
    if isinstance(value, int | float):
        if not float(value).is_integer():
            return ""  # a measure of unknown scale
        return f"{name} <= {value // 2:g}" if value > 1 else f"{name} >= {value + 1:g}"
    return f"{name} != {value}" if str(value).replace("_", "").isalnum() else ""


def _later(time: float) -> str:
    """Return a condition on the next whole minute."""
    return f"time >= {60 * (int(time) // 60 + 1)}"
