"""`write_value`: change one entry of a YAML text in place, and leave comments and all other lines as they are."""

import math
from typing import Any

from telos.core.errors import KeyPath, TelosError
from telos.files.reading import normalize_line_ends
from telos.files.yaml import Document, Position, read_yaml

MAX_VALUE = 1e9  # of a priority or a cost


def parse_number(written: str, *, least: float = -MAX_VALUE) -> float:
    """Return a number that a user has written, or raise with what is wrong.

    >>> parse_number(" 2,5 "), parse_number("-3")
    (2.5, -3.0)
    """
    try:
        value = float(written.strip().replace(",", "."))
    except ValueError:
        raise TelosError(f"{written.strip()[:40]!r} is not a number", "write one such as 20 or 2.5") from None
    if not math.isfinite(value) or not least <= value <= MAX_VALUE:
        raise TelosError(f"{written.strip()[:40]} is out of range", f"use {least:g} to {MAX_VALUE:g}")
    return value


def write_value(text: str, path: KeyPath, value: float) -> str:
    r"""Return a YAML text with a number at a path; what is missing on the way there is added.

    >>> print(write_value("character: a  # ours\npriorities: {dodge: 5}\n", ("priorities", "cover"), 99))
    character: a  # ours
    priorities: {cover: 99, dodge: 5}
    <BLANKLINE>
    """
    text = normalize_line_ends(text)
    document = read_yaml(text)
    if document.faults or not isinstance(document.data, dict):
        raise TelosError("the text has faults, so it cannot be changed in place", "correct them first")
    wanted = _with_value(document.data, path, value)
    changed = _write(text, document, path, format_value(value))
    after = read_yaml(changed)
    if after.faults or after.data != wanted:  # an anchor, a tag or a text over several lines
        raise TelosError(f"{' › '.join(map(str, path))} cannot be changed in place", "change it in the text")
    return changed


def format_value(value: float) -> str:
    """Return a number as it is written in a file.

    >>> format_value(20.0), format_value(2.5)
    ('20', '2.5')
    """
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _with_value(data: Any, path: KeyPath, value: float) -> Any:
    if not path:
        return value
    inside = data if isinstance(data, dict) else {}
    return {**inside, path[0]: _with_value(inside.get(path[0]), path[1:], value)}


def _write(text: str, document: Document, path: KeyPath, value: str) -> str:
    lines = text.split("\n")
    known = path
    while known and known not in document.positions:
        known = known[:-1]
    if known == path:
        return _replace(lines, document.positions[path].value, value)
    entry = "".join(f"{part}: {{" for part in path[len(known) : -1]) + f"{path[-1]}: {value}"
    entry += "}" * (len(path) - len(known) - 1)
    if not known:
        head, _, rest = entry.partition(": ")
        entry = f"{head}: {rest}"
        body = text if text.endswith("\n") else f"{text}\n"
        return f"{body}{entry}\n"
    return _insert(lines, document, known, entry)


def _replace(lines: list[str], place: Position, value: str) -> str:
    line, start = lines[place.line - 1], place.column - 1
    lines[place.line - 1] = f"{line[:start]}{value}{line[start + len(place.source) :]}"
    return "\n".join(lines)


def _insert(lines: list[str], document: Document, around: KeyPath, entry: str) -> str:
    """Insert an entry into a mapping: after its opening brace, before its first key, or below its own key."""
    place = document.positions[around]
    line, start = lines[place.value.line - 1], place.value.column - 1
    if line[start : start + 1] == "{":
        rest = line[start + 1 :].lstrip()
        comma = "" if rest.startswith("}") else ", "
        lines[place.value.line - 1] = f"{line[: start + 1]}{entry}{comma}{rest}"
        return "\n".join(lines)
    inside = [each.key for path, each in document.positions.items() if path[:-1] == around and each.key is not None]
    if inside:
        first = min(inside, key=lambda each: each.line)
        lines.insert(first.line - 1, f"{lines[first.line - 1][: first.column - 1]}{entry}")
    elif place.key is not None:
        lines.insert(place.key.line, f"{' ' * (place.key.column + 1)}{entry}")
    return "\n".join(lines)
