"""The studio's own keys, as far as the world does not want them for itself and nobody is typing."""

import json
from collections.abc import Collection, Mapping

from nicegui import ui
from nicegui.events import GenericEventArguments

from telos.studio.page.parts import Act

_TOLD: tuple[tuple[str, str, str], ...] = (  # a key, and how the help tells it
    ("p", "P", "pause and go on"),
    (".", ".", "one step"),
    ("1", "1 – 4", "beliefs, mind, model, score"),
    ("Escape", "Esc", "back to the live game"),
    ("t", "T", "dark or light"),
    ("?", "?", "this help"),
)
_CODES = {"p": "KeyP", ".": "Period", "t": "KeyT", "1": "Digit1", "2": "Digit2", "3": "Digit3", "4": "Digit4"}

# Listening in the browser, and not with ``ui.keyboard``: that would send the server each arrow key of the game as well,
# and does not know that an editor is being typed in.
_LISTEN = """
(() => {
  if (window.telosKeys) document.removeEventListener("keydown", window.telosKeys);
  const wanted = %s;
  window.telosKeys = (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!wanted.includes(key) || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable=true], .q-dialog, .q-menu")) return;
    if (key === "Escape" && document.querySelector(".q-dialog, .q-menu")) return;
    event.preventDefault();
    emitEvent("telos-key", key);
  };
  document.addEventListener("keydown", window.telosKeys);
  document.addEventListener("click", (event) => {
    // who clicks on Pause and goes on playing does not want Space to press it again; who came by Tab stays there
    if (event.detail && event.target.closest?.(".ts-strip .q-btn, .ts-tab")) {
      document.querySelector(".telos-stage canvas")?.focus({ preventScroll: true });
    }
  });
})();
"""


def listen(acts: Mapping[str, Act], taken: Collection[str]) -> None:
    """Act on keys (``"p"``, ``"?"``, ``"Escape"``), except those whose codes are ``taken`` by the world."""
    wanted = free_keys(acts, taken)

    def press(event: GenericEventArguments) -> None:
        if event.args in wanted:
            acts[str(event.args)]()

    ui.on("telos-key", press)
    ui.run_javascript(_LISTEN % json.dumps(wanted))


def free_keys(keys: Collection[str], taken: Collection[str]) -> list[str]:
    """Return the keys that the world leaves to the studio.

    >>> free_keys(["p", "1", "?"], taken=["Digit1", "ArrowUp"])
    ['p', '?']
    """
    return [key for key in keys if _CODES.get(key, key) not in taken]


def studio_keys(taken: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Return what the help tells about the keys that are free.

    >>> studio_keys(taken=["Digit1", "Period", "KeyT", "Escape"])
    (('P', 'pause and go on'), ('?', 'this help'))
    """
    return tuple((name, words) for key, name, words in _TOLD if free_keys([key], taken))
