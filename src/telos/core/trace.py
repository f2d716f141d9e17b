"""Tracing: records of what happened, as data. A trace never changes what happens."""

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, TypeAlias

Trace: TypeAlias = Callable[[object], None]


def silent(record: object) -> None:
    """Ignore a record: the default trace."""


def as_json(record: Any) -> str:
    """Return a trace record as one line of JSON, with its ``kind`` first.

    >>> @dataclasses.dataclass
    ... class Woke:
    ...     time: float
    ...     who: str
    >>> as_json(Woke(7.5, "Ada"))
    '{"kind": "woke", "time": 7.5, "who": "Ada"}'
    """
    fields = {field.name: _to_plain(getattr(record, field.name)) for field in dataclasses.fields(record)}
    return json.dumps({"kind": record_kind(type(record)), **fields}, allow_nan=False)


def record_kind(record_class: type) -> str:
    """Return the ``kind`` under which records of a class are written: its ``KIND``, or its name in lower case."""
    kind: str = getattr(record_class, "KIND", record_class.__name__.lower())
    return kind


def _to_plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _to_plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | frozenset | set | Iterator):
        return [_to_plain(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    return round(value, 6) if isinstance(value, float) else value
