"""The editor of model files: CodeMirror with our completion, and faults shown where they are."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Literal

from nicegui import ui
from nicegui.events import GenericEventArguments

from telos.core.errors import Fault
from telos.studio.models.completion import Completion
from telos.studio.page.parts import Act

THEMES: dict[bool, Literal["vscodeDark", "vscodeLight"]] = {True: "vscodeDark", False: "vscodeLight"}
_MOST_OFFERED = 60

Complete = Callable[[str, int, int], Sequence[Completion]]  # text, line, column (from 1): what may stand there


class ModelEditor(ui.codemirror, esm={"telos-page": "scripts"}):
    """A text with faults at their lines. ``complete`` says what may stand at the cursor."""

    def __init__(self, complete: Complete, *, dark: bool, on_change: Act, keymap: dict[str, Any]) -> None:
        super().__init__("", language="YAML", theme=THEMES[dark], indent="  ", on_change=on_change, keymap=keymap)
        self._complete = complete
        self.on("complete", self._offer)
        self.classes("ts-editor")
        self._call(f"complete(getElement({self.id}))")

    def show_faults(self, faults: Sequence[Fault]) -> None:
        """Mark the lines of faults, and say each of them on hover."""
        lines = self.value.count("\n") + 1  # as the editor counts them
        said: dict[int, str] = {}
        for fault in faults:
            line = min(max(fault.line, 1), lines)
            said[line] = f"{said[line]}\n{sentence(fault)}" if line in said else sentence(fault)
        self.decorations = [{"kind": "line", "line": line, "class": "ts-fault-line"} for line in said]
        self.line_tooltips = said

    def jump(self, line: int, column: int = 1) -> None:
        """Put the cursor on a line, and show it."""
        self._call(f"jump(getElement({self.id}), {line:d}, {column:d})")

    def _offer(self, event: GenericEventArguments) -> None:
        asked = event.args if isinstance(event.args, dict) else {}
        number, line, column = (asked.get(key) for key in ("number", "line", "column"))
        if not (isinstance(number, int) and isinstance(line, int) and isinstance(column, int)):
            return  # a page may send anything
        found = self._complete(self.value, line, column)[:_MOST_OFFERED]
        options = [{"label": each.label, "info": each.info} for each in found]
        ui.run_javascript(f"window.telosCompleted?.({number:d}, {json.dumps(options)})")

    def _call(self, call: str) -> None:
        ui.run_javascript(f'import("telos-page/completion.js").then((module) => module.{call})')


def sentence(fault: Fault) -> str:
    """Return what is wrong and what to do about it, without its place.

    >>> sentence(Fault("there is no goal 'exlore'", suggestion="did you mean 'explore'?", line=3, column=7))
    "there is no goal 'exlore'; did you mean 'explore'?"
    """
    return f"{fault.message}; {fault.suggestion}" if fault.suggestion else fault.message
