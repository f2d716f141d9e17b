"""A YAML text that has been read: its data, and the place of every entry in it."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from telos.core.errors import Fault, Path
from telos.core.files.scalars import width

LONGEST = 300  # characters of a message: it may quote a name, and a hostile one has megabytes


class Place(NamedTuple):
    """Where a key or a value stands. Lines and columns count from 1; ``source`` is a one-line scalar as written."""

    line: int
    column: int
    text: str = ""
    source: str = ""


class Entry(NamedTuple):
    """Where an entry's key (if it has one) and value stand."""

    key: Place | None
    value: Place


@dataclass(frozen=True, slots=True)
class Document:
    """What a YAML text says, and where it says it. ``faults`` are those of the YAML itself.

    ``data`` is to be trusted only where no fault's path leads; it is None if nothing could be read.
    """

    file: str
    data: Any
    places: dict[Path, Entry]
    faults: tuple[Fault, ...] = ()

    def located(self, fault: Fault, *, at_key: bool = False) -> Fault:
        """Return the fault with the file, line, column and text that its path and offset lead to."""
        path, offset = fault.path, fault.offset
        while path and path not in self.places:
            path, offset = path[:-1], 0  # an entry that is missing is missed where it should stand
        entry = self.places.get(path)
        if entry is None:
            return replace(fault, file=self.file)
        place, inside = (entry.key, 0) if at_key and entry.key else (entry.value, width(entry.value.source, offset))
        text = fault.text or place.text
        message = fault.message if len(fault.message) <= LONGEST else f"{fault.message[: LONGEST - 3]}..."
        return replace(
            fault,
            message=message,
            file=self.file,
            line=place.line,
            column=place.column + inside,
            text=in_one_line(text),
        )


def in_one_line(text: str) -> str:
    r"""Return ``text`` fit for one line of a terminal: no line breaks, and no control characters to steer it.

    >>> in_one_line("ammo >= 1\n  and alive")
    'ammo >= 1 and alive'
    """
    if not text.isprintable():
        text = " ".join(text.split())
        text = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
    return text
