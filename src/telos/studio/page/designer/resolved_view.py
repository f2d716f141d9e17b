"""The resolved view of a character (`ResolvedView`): all that its files add up to, with the line of each entry.

`ask_value` is the dialog that changes a priority or a cost in place.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from telos.core.errors import TelosError
from telos.studio.models.resolved import ResolvedMind, SourceLine, Trait
from telos.studio.page.widgets import box, make_table, show_rows, show_text, text_button

_TITLES = {"goal": "Goals", "action": "Actions", "sensor": "Sensors", "memory": "Memory", "body": "Body"}
_ROW = """
<q-tr v-if="props.row.heading" :props="props" class="ts-part"><q-td colspan="3">{{ props.row.heading }}</q-td></q-tr>
<q-tr v-else :props="props">
  <q-td class="ts-trait">
    <button type="button" class="ts-ask" @click="$parent.$emit('open', props.row.key)">{{ props.row.name }}</button>
    <div v-for="line in props.row.details" class="ts-detail">{{ line }}</div>
  </q-td>
  <q-td class="ts-number">
    <button v-if="props.row.editable" type="button" class="ts-ask ts-value" :title="props.row.edits"
      @click="$parent.$emit('edit', props.row.key)">{{ props.row.value }}</button>
    <span v-else>{{ props.row.value }}</span>
  </q-td>
  <q-td class="ts-nowrap"><span v-for="(source, place) in props.row.sources">{{ place ? ', ' : '' }}
    <button type="button" class="ts-ask ts-source" :title="source.says"
      @click="$parent.$emit('line', source.at)">{{ source.text }}</button></span></q-td>
</q-tr>
"""
_MAX_VALUE_TEXT = 18  # characters of a value that is an expression

OpenLine = Callable[[str, int, int], None]
OpenTrait = Callable[[str, str], object]


class ResolvedView:
    """The table. ``on_trait`` and ``on_edit`` receive the kind and the name of an entry, ``on_line`` a place."""

    def __init__(self, *, on_trait: OpenTrait, on_edit: OpenTrait, on_line: OpenLine) -> None:
        self._table = make_table([("name", "name"), ("value", "value"), ("from", "from")], key="key")
        self._table.add_slot("body", _ROW)
        self._table.classes("ts-resolved")
        self._table.on("open", lambda event: _pass_key(event, on_trait))
        self._table.on("edit", lambda event: _pass_key(event, on_edit))
        self._table.on("line", lambda event: _pass_place(event, on_line))

    def show(self, mind: ResolvedMind | None, files: Mapping[str, str], editable: frozenset[str]) -> None:
        """Show the traits of a mind; ``files`` are the file names of models, ``editable`` those that may change."""
        show_rows(self._table, [] if mind is None else trait_rows(mind, files, editable))


def trait_rows(mind: ResolvedMind, files: Mapping[str, str], editable: frozenset[str]) -> list[dict[str, Any]]:
    """Return a table row per trait, and one above each kind.

    >>> mind = ResolvedMind(("rat",), (Trait("goal", "flee", "9", valued=SourceLine("rat", 3)),))
    >>> [row.get("heading") or (row["name"], row["value"]) for row in trait_rows(mind, {}, frozenset())]
    ['Goals', ('flee', '9')]
    """
    rows: list[dict[str, Any]] = []
    for kind, title in _TITLES.items():
        traits = [each for each in mind.traits if each.kind == kind]
        if traits:
            rows.append({"key": f"heading {kind}", "heading": title})
        rows += [_row(each, files, editable) for each in traits]
    return rows


def _row(trait: Trait, files: Mapping[str, str], editable: frozenset[str]) -> dict[str, Any]:
    can_edit = trait.edit is not None and trait.edit.model in editable
    value = trait.value or ("0" if trait.kind == "goal" else "1" if trait.kind == "action" else "")
    return {
        "key": f"{trait.kind} {trait.name}",
        "name": trait.name,
        "value": value if len(value) <= _MAX_VALUE_TEXT else "varies",
        "editable": can_edit,
        "edits": f"{value}: click to change it in {files.get(trait.edit.model, '')}"
        if can_edit and trait.edit
        else value,
        "details": [f"{name}: {words}" for name, words in trait.details],
        "sources": list(_sources(trait, files)),
    }


def _sources(trait: Trait, files: Mapping[str, str]) -> Any:
    says = (
        (trait.valued, "its value"),
        (trait.listed, "by which the character has it"),
        (trait.defined, "its definition"),
    )
    seen = set[tuple[str, int]]()
    for place, words in says:
        if place is not None and (place.model, place.line) not in seen:
            seen.add((place.model, place.line))
            at = [place.model, place.line, place.column]
            yield {"text": format_source(place, files), "at": at, "says": f"Show {words}"}


def format_source(place: SourceLine, files: Mapping[str, str]) -> str:
    """Return a place as text.

    >>> format_source(SourceLine("rat", 3), {"rat": "rat.yaml"})
    'rat:3'
    """
    return f"{files.get(place.model, place.model).removesuffix('.yaml')}:{place.line}"


def ask_value(title: str, value: str, about: str, act: Callable[[str], Awaitable[str]]) -> None:
    """Open a dialog that asks for a number; an error of ``act`` is shown in it, otherwise it closes."""
    with ui.dialog().props('aria-label="Change a value"') as dialog, box("ts-dialog ts-ask-value"):
        with box("ts-dialog-head"):
            ui.label(title)
        field = ui.input(value=value).props("dense outlined autofocus").classes("ts-value-field")
        field.props["aria-label"] = title
        note = ui.label(about).classes("ts-hint")

        async def apply() -> None:
            try:
                await act(str(field.value or ""))
            except TelosError as error:
                note.classes(add="ts-bad")
                show_text(note, str(error))
                return
            dialog.close()

        field.on("keydown.enter", apply)
        with box("ts-row ts-end"):
            text_button("Cancel", "Change nothing", dialog.close)
            text_button("Apply", "Write it into the file, and use it in the running game", apply).classes("ts-main")
    dialog.on("hide", dialog.delete, args=[])
    dialog.open()


def _pass_key(event: GenericEventArguments, handler: OpenTrait) -> None:
    kind, _, name = event.args.partition(" ") if isinstance(event.args, str) else ("", "", "")
    if kind in _TITLES and name:
        handler(kind, name)


def _pass_place(event: GenericEventArguments, handler: OpenLine) -> None:
    match event.args:
        case [str(model), int(line), int(column)]:
            handler(model, line, column)
