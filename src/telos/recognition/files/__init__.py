"""Recogniser files: models of players that designers write in YAML, read with the position of every fault.

    YAML text ──▶ data + positions ──▶ schema ──▶ RecognizerDefinition ──▶ model ──▶ Recognizer
                  telos.files.yaml    schema.py      definition.py      builders.py   load.py

Start with `recognizer` (load.py): it takes a file, the name of a built-in model or a planning domain. `load_model` and
`save_model` read and write models. A new kind of recogniser is one row of the table `KINDS` (kinds.py).
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.recognition.files.kinds import KINDS, RecognizerKind, recognizer_schema
    from telos.recognition.files.load import (
        RecognizerModel,
        built_in_names,
        context_read,
        create_recognizer,
        format_model,
        load_model,
        loads_model,
        named_model,
        parse_model,
        recognizer,
        save_model,
    )

__all__ = [
    "KINDS",
    "RecognizerKind",
    "RecognizerModel",
    "built_in_names",
    "context_read",
    "create_recognizer",
    "format_model",
    "load_model",
    "loads_model",
    "named_model",
    "parse_model",
    "recognizer",
    "recognizer_schema",
    "save_model",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "KINDS": "kinds",
        "RecognizerKind": "kinds",
        "RecognizerModel": "load",
        "built_in_names": "load",
        "context_read": "load",
        "create_recognizer": "load",
        "format_model": "load",
        "load_model": "load",
        "loads_model": "load",
        "named_model": "load",
        "parse_model": "load",
        "recognizer": "load",
        "recognizer_schema": "kinds",
        "save_model": "load",
    },
)
