"""The Score panel: how often each recogniser was right, what it took for what, and a condition to pause on."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from nicegui import ui

from telos.core.errors import TelosError
from telos.core.values import Value
from telos.studio.page.model_panel import percent
from telos.studio.page.widgets import box, empty, heading, mark, show_rows, show_text, steady_table, text_button
from telos.studio.session import Session

Rows: TypeAlias = list[dict[str, Any]]

_NOBODY = "Nobody's goals are read in this world, so there is nothing to score."
_UNJUDGED = (
    "Nothing was judged so far: accuracy is counted while the player's goal is known, as it is in the directed games "
    "of the adventure."
)
_MOST_EXAMPLES = 5
_SURE = 0.9
_WIDEST = 5  # columns that fit side by side
_ACCURACY = (
    '<span class="ts-meter ts-meter-wide"><i :style="{width: props.row.share + \'%\'}"></i></span>'
    '<span class="ts-number">{{ props.row.accuracy }}</span>'
)
_MATRIX = """
<q-tr :props="props">
  <q-td v-for="col in props.cols" :key="col.name" :props="props"
        :style="col.name === 'truth' ? {} : {
          background: 'color-mix(in srgb, var(--telos-' + (col.name === props.row.key ? 'good' : 'danger') + ') '
                      + 0.55 * (props.row['share ' + col.name] || 0) + '%, transparent)'}"
        :class="col.name === 'truth' ? 'ts-row-name' : 'ts-cell'">{{ props.row[col.name] }}</q-td>
</q-tr>
"""


class ScorePanel:
    """Brought up to date about once a second while it is shown."""

    def __init__(self, session: Session) -> None:
        self._session = session
        with box("ts-panel-body ts-scroll ts-score"):
            if session.recognizers.names:
                self._build()
            else:
                empty(_NOBODY)
            self._watch()
        self.refresh()

    def _build(self) -> None:
        heading("Accuracy", about="Share of updates at which the likeliest goal was the player's")
        self._accuracy = steady_table(
            [("title", "recogniser"), ("accuracy", "accuracy"), ("judged", "judged"), ("updates", "updates"),
             ("rate", "updates/s")],
            key="name",
            cells={"accuracy": _ACCURACY},
            narrow="title accuracy judged updates",
        )  # fmt: skip
        self._unjudged = empty(_UNJUDGED)
        with box("ts-row") as self._confusion:
            heading("Confusion", about="Rows: the player's goal; columns: the likeliest goal, in per cent of the row")
            panel = self._session.recognizers
            self._reader = ui.select(panel.titles, value=panel.names[0], on_change=self.refresh)
            self._reader.props("dense borderless options-dense").classes("ts-select")
            self._reader.props["aria-label"] = "Recogniser"
        self._matrix = steady_table([], key="key")
        self._matrix.add_slot("body", _MATRIX)
        self._matrix.classes("ts-matrix")

    def _watch(self) -> None:
        heading("Pause when", about="The game stops at the moment at which the condition comes true")
        with box("ts-row"):
            self._condition = ui.input(placeholder="a condition").props("dense outlined").classes("ts-grow")
            self._condition.props["aria-label"] = "Pause when this condition comes true"
            self._condition.on("keydown.enter", self._set)
            text_button("Set", "Pause when this comes true", self._set).classes("ts-main")
            text_button("Clear", "Do not pause any more", self._clear)
        self._said = ui.label().classes("ts-hint")
        with box("ts-chips"):
            for example in examples(self._session):
                ui.button(example, on_click=lambda words=example: self._try(words), color=None).props(
                    "flat dense no-caps"
                ).classes("ts-chip ts-code")

    def refresh(self) -> None:
        """Show the counts as they are now."""
        watchpoint = self._session.watchpoint
        if watchpoint is not None and not self._said.text:
            self._tell(f"Pauses when {watchpoint.text}")
        if self._session.recognizers.names:
            show_rows(self._accuracy, accuracy_rows(self._session))
            judged = any(self._session.scoreboard.judged(name) for name in self._session.recognizers.names)
            self._unjudged.set_visibility(not judged)
            self._confusion.set_visibility(judged)
            self._matrix.set_visibility(judged)
            self._show_matrix()

    def _show_matrix(self) -> None:
        columns, rows = matrix(self._session.scoreboard.confusion[self._reader.value], self._session.recognizers.goals)
        if self._matrix.columns != columns:
            self._matrix.columns = columns
            mark(self._matrix, "ts-many", len(columns) > _WIDEST)  # names of columns that stand upright
        show_rows(self._matrix, rows)

    def _try(self, words: str) -> None:
        self._condition.set_value(words)
        self._set()

    def _set(self) -> None:
        words = (self._condition.value or "").strip()
        try:
            self._session.pause_when(words)
        except TelosError as refusal:
            self._tell(str(refusal), bad=True)
            return
        self._tell(f"Pauses when {words}" if words else "")

    def _clear(self) -> None:
        self._condition.set_value("")
        self._set()

    def _tell(self, words: str, *, bad: bool = False) -> None:
        mark(self._said, "ts-bad", bad)
        show_text(self._said, words)


def accuracy_rows(session: Session) -> list[dict[str, Any]]:
    """Return a row for each recogniser."""
    panel, board = session.recognizers, session.scoreboard
    return [
        {
            "name": name,
            "title": panel.titles[name],
            "accuracy": percent(share := board.accuracy(name)),
            "share": round(100 * (share or 0)),
            "judged": board.judged(name),
            "updates": panel.updates[name],
            "rate": rounded(panel.per_second[name]),
        }
        for name in panel.names
    ]


def matrix(counts: Mapping[tuple[str, str], int], goals: Sequence[str]) -> tuple[Rows, Rows]:
    """Return the columns and rows of a confusion matrix: per cent of each row, and a dash where it has nothing.

    >>> columns, rows = matrix({("a", "a"): 3, ("a", "b"): 1}, ("a", "b"))
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


def rounded(rate: float) -> str:
    """Return a rate with as many digits as one compares.

    >>> rounded(0), rounded(412_345.0), rounded(87.2)
    ('–', '412,000', '87')
    """
    if not rate:
        return "–"
    digits = max(0, len(str(int(rate))) - 3)
    return f"{round(rate, -digits):,.0f}"


def examples(session: Session) -> tuple[str, ...]:
    """Return conditions that make sense in this world, and that do not hold yet: each can be waited for."""
    found = []
    if session.recognizers.names:
        name = session.recognizers.names[0]
        belief, goals = session.recognizers.beliefs[name], session.recognizers.goals
        other = next((goal for goal in reversed(goals) if goal != belief.top), goals[-1])
        unsure = next((goal for goal in goals if belief.get(goal, 0.0) < _SURE), goals[0])
        untrue = next((goal for goal in goals if goal != session.stage.truth), goals[0])
        found = [f"{name}.top == {other}", f"{name}.{unsure} >= {_SURE:g}", f"truth == {untrue}"]
    facts = [change_of(name, value) for name, value in session.stage.facts().items()]
    return (*found, *[fact for fact in facts if fact][: _MOST_EXAMPLES - len(found)], _later(session.stage.time))


def change_of(name: str, value: Value) -> str:
    """Return a condition that comes true when a fact changes, or nothing where that takes more than a word to write.

    What there is none of, or one, is counted upwards; of what there is plenty, half is waited for.

    >>> change_of("gems", 0), change_of("day", 1), change_of("food", 24), change_of("Sam.goal", "cover")
    ('gems >= 1', 'day >= 2', 'food <= 12', 'Sam.goal != cover')
    >>> change_of("in_town", True), change_of("locked", False), change_of("area", "2,2"), change_of("hunger", 2.616)
    ('not in_town', 'locked', '', '')
    """
    if isinstance(value, bool):
        return f"not {name}" if value else name
    if isinstance(value, int | float):
        if not float(value).is_integer():
            return ""  # a measure: who does not know its scale cannot say what is much
        return f"{name} <= {value // 2:g}" if value > 1 else f"{name} >= {value + 1:g}"
    return f"{name} != {value}" if str(value).replace("_", "").isalnum() else ""


def _later(time: float) -> str:
    """Return a condition on the time that is still to come: whole minutes."""
    return f"time >= {60 * (int(time) // 60 + 1)}"
