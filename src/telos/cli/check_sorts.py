"""What sort of file ``telos check`` is looking at, and how each sort is read."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

ENDINGS = (".yaml", ".yml", ".mln")
_FIRST_KEYS = re.compile(r"^(recognizer|scene|rules|exchanges|corpus):", re.MULTILINE)
_LOOKED_AT = 20_000  # characters: the key that says what a file is stands near its top


def sort_of(file: Path) -> str:
    """Return what a file is by the key that only its sort has: ``recognizer``, ``scene``, … or ``domain``."""
    if file.suffix == ".mln":
        return "formulas"
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            found = _FIRST_KEYS.search(opened.read(_LOOKED_AT))
    except OSError:
        return "domain"  # whose loader says why it cannot be read
    return found[1] if found else "domain"


def read(sort: str, file: Path) -> str:
    """Read a file that is no domain, and say in a few words what is in it; a bad one raises its faults."""
    return _READERS[sort](file)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _recognizer(file: Path) -> str:
    from telos.recognition.files.front import named_model  # each reader is loaded when it is needed

    model: Any = named_model(file)
    return f"a recogniser of {', '.join(model.goals)}"


def _scene(file: Path) -> str:
    from telos.worlds.arena.scenes import load_scene

    return f"a scene with {_counted(len(load_scene(file).cast), 'fighter')}"


def _rules(file: Path) -> str:
    from telos.worlds.adventure.rules_files import load_rules

    load_rules(file)
    return "rules of the adventure"


def _exchanges(file: Path) -> str:
    from telos.squads.line_files import load_lines

    return f"dialogue, {_counted(len(load_lines(file)), 'exchange')}"


def _corpus(file: Path) -> str:
    from telos.telemetry.columns_files import load_columns

    return f"columns of the corpus {load_columns(file).name}"


def _formulas(file: Path) -> str:
    from telos.logic.syntax import load_mln

    model = load_mln(file)
    weights = sum(len(rule.weights) for rule in model.rules)
    return f"{_counted(len(model.rules), 'formula')}, {_counted(weights, 'weight')}"


_READERS: dict[str, Callable[[Path], str]] = {
    "recognizer": _recognizer,
    "scene": _scene,
    "rules": _rules,
    "exchanges": _exchanges,
    "corpus": _corpus,
    "formulas": _formulas,
}
