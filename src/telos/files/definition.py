"""A parsed file with its validated model, the position of every entry, and its faults.

A loader reads `Definition.model`, adds what it finds wrong with `Definition.fault`, and ends with
`Definition.raise_if_faulty`: a file is loaded whole, or all its faults are raised at once.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, NoReturn

from typing_extensions import TypeVar  # a dependency of pydantic; typing has defaults of type variables from 3.13 on

from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, NoteCode
from telos.files.formats import find_foreign, wrong_file_fault
from telos.files.reading import normalize_line_ends
from telos.files.schema import FileModel, empty_remedy, validate, validate_parts
from telos.files.yaml import Document, read_yaml

MAX_DRAWN = 250_000  # marks of a drawing: 500 by 500 metres of an arena
_BLOCK = re.compile(r"(?:&\S+\s+)?\|")  # starts a text whose lines stay lines, after an anchor if it has one

Model = TypeVar("Model", bound=FileModel, default=Any)
Item = TypeVar("Item")


class Definition(Generic[Model]):
    """An authored file: its validated entries and the faults so far.

    ``model`` holds the entries without a fault: a faulty one is left out, and a default or, for a required field at
    the top, an example stands in its place. So a loader can go on and report what is wrong with the rest. It is None
    if nothing can be read. ``what`` is what such a file is called in messages.
    """

    def __init__(self, text: str, file: str, model: type[Model], what: str) -> None:
        text = normalize_line_ends(text)
        self.document: Document = read_yaml(text, file)
        self.faults: list[Fault] = list(self.document.faults)
        self._shape, self._text = model, text
        self._valid: Model | None = None
        self._left_out: set[KeyPath] = {()}
        self._broken: set[KeyPath] = {fault.path for fault in self.faults if fault.path}
        self._around: set[KeyPath] = set()  # the paths of all entries that have a fault in them
        foreign = find_foreign(file, text) if not isinstance(self.document.data, dict) else None
        if foreign is not None:
            message = f"this is {foreign.title}, and {what} is wanted"
            fault = Fault(message, suggestion=foreign.remedy, code=FaultCode.WRONG_FILE, line=1, column=1)
            self.faults = [replace(fault, file=file)]
            self._broken.add(())
            return
        if self.document.data is None:
            remedy = empty_remedy(model)
            self.faults = [
                replace(each, suggestion=remedy) if each.code is FaultCode.EMPTY else each for each in self.faults
            ]
            self._broken.add(())
            return
        self._valid, findings = validate(model, self.document.data, what)
        wrong = wrong_file_fault(self.document.data, model, what) if findings else None
        if wrong is not None:
            self.faults = [*self.document.faults, self.document.locate(wrong)]
            self._broken.add(())
            self._valid = None
            return
        self._left_out = self._unreadable() | {
            each.fault.path for each in findings if each.fault.code is not FaultCode.BAD_NAME
        }
        meant = {finding.meant for finding in findings if finding.meant} - self.document.positions.keys()
        hidden = self._broken | meant  # a misspelt key is not reported as missing too
        reported: set[tuple[KeyPath, bool]] = set()  # a key and its value may both have a fault
        for finding in findings:
            fault, place = finding.fault, (finding.fault.path, finding.at_key)
            if fault.path not in hidden and place not in reported:
                self.faults.append(self.document.locate(fault, at_key=finding.at_key))
                self._broken.add(fault.path)
                reported.add(place)
        self._broken |= meant
        self._around = {path[:length] for path in self._broken for length in range(len(path))}

    @property
    def file(self) -> str:
        return self.document.file

    @property
    def model(self) -> Model | None:
        return self._validated[0]

    @cached_property
    def _validated(self) -> tuple[Model | None, set[KeyPath]]:
        if self._valid is not None and not self._left_out:
            return self._valid, self._left_out
        return validate_parts(self._shape, self.document.data, self._left_out)

    def _unreadable(self) -> set[KeyPath]:
        """Return the scalars with a fault of the YAML itself; what is in mappings and lists can still be checked."""
        return {path for path in self._broken if not isinstance(self._written(path), dict | list)}

    def _written(self, path: KeyPath) -> Any:
        found: Any = self.document.data
        for part in path:
            found = self._child(found, part)
        return found

    def items_at(self, path: KeyPath, items: Sequence[Item]) -> Iterator[tuple[KeyPath, Item]]:
        """Yield the items of a list of the model, each with the path that it has in the file."""
        if not items:
            return
        left_out = self._validated[1]
        places = (index for index in range(len(self._written(path) or ())) if (*path, index) not in left_out)
        for index, item in zip(places, items, strict=True):
            yield (*path, index), item

    @property
    def broken(self) -> Collection[KeyPath]:
        """Return the paths of all entries that have a fault."""
        return self._broken

    def is_broken(self, *path: str | int) -> bool:
        """Whether the entry itself has a fault."""
        return path in self._broken

    def is_usable(self, *path: str | int) -> bool:
        """Whether neither the entry nor anything around it has a fault; something in it may have one."""
        return not any(path[:length] in self._broken for length in range(len(path) + 1))

    def is_touched(self, *path: str | int) -> bool:
        """Whether the entry, anything in it or anything around it has a fault."""
        return path in self._around or not self.is_usable(*path)

    def entry(self, *path: str | int, default: Any = None) -> Any:
        """Return the entry at ``path`` as it is written, or ``default`` if it is missing or faulty."""
        found: Any = self.document.data
        for length in range(len(path) + 1):
            if path[:length] in self._broken:
                return default
            if length < len(path):
                found = self._child(found, path[length])
        return default if found is None else found

    @staticmethod
    def _child(found: Any, part: str | int) -> Any:
        if isinstance(found, dict):
            return found.get(part)
        return found[part] if isinstance(found, list) and isinstance(part, int) and part < len(found) else None

    def items(self, *path: str | int) -> Iterator[tuple[KeyPath, Any]]:
        """Yield the entries without a fault of the mapping or list at ``path``, each with its own path."""
        inside = self.entry(*path, default=())
        keys = inside if isinstance(inside, dict) else range(len(inside))
        for key in keys:
            if (*path, key) not in self._broken:
                yield (*path, key), inside[key]

    def fault(
        self,
        message: str,
        path: KeyPath,
        suggestion: str = "",
        *,
        at_key: bool = False,
        code: FaultCode | NoteCode = FaultCode.INVALID,
    ) -> None:
        """Add a fault of meaning; the entry counts as faulty from now on."""
        if path[:1] in self._broken and path[:1] not in self.document.positions:
            return  # a missing entry, in whose place the model has an example
        fault = Fault(message, suggestion=suggestion, path=path, code=code)
        self.faults.append(self.document.locate(fault, at_key=at_key))
        self._broken.add(path)
        self._around.update(path[:length] for length in range(len(path)))

    def is_block(self, *path: str | int) -> bool:
        """Whether the entry is a text of several lines, or written with ``|`` or ``>``."""
        return not self.document.positions[path].value.source or "\n" in self._written(path)

    def drawing(self, *path: str | int) -> "FileDrawing | None":
        """Return the drawing below ``key: |``; None if there is none. Lines that run together are a fault."""
        text = self.entry(*path)
        if text is None:
            return None
        place, lines = self.document.positions[path].value, self._text.split("\n")
        if not _BLOCK.match(lines[place.line - 1], place.column - 1):
            message = "the lines of this drawing run together"
            self.fault(message, path, f"write `{path[-1]}: |`, and draw below it", code=FaultCode.BAD_SYNTAX)
            return None
        indent = _indentation(lines[place.line :]) - _indentation(text.split("\n"))
        return FileDrawing(text, self.file, place.line, indent)

    def raise_if_faulty(self) -> None:
        """Raise a ``DefinitionError`` with all faults, if there are any."""
        if self.faults:
            raise_faults(self.faults)


@dataclass(frozen=True, slots=True)
class FileDrawing:
    """A drawing in a file: its text, the number of lines above it and of columns left of it."""

    text: str
    file: str
    lines_above: int = 0
    indent: int = 0

    def in_file(self, fault: Fault) -> Fault:
        """Return a fault of the drawing with its position in the file; one without a line is about the whole."""
        if fault.line:
            line, column = fault.line + self.lines_above, fault.column + self.indent
        else:
            line, column = max(self.lines_above, 1), 1
        return replace(fault, file=self.file, line=line, column=column)


def fill_lines(lines: Sequence[str], mark: str = " ", file: str = "") -> tuple[str, ...]:
    """Return the lines of a drawing, all as long as the longest, filled up with a mark.

    A small file may describe a large drawing, with one long line and many short ones: it is refused.

    >>> fill_lines(["##", "#"], ".")
    ('##', '#.')
    """
    width, height = max(map(len, lines), default=0), len(lines)
    if width * height > MAX_DRAWN:
        message = f"the drawing is {width} marks wide and {height} lines high, more than {MAX_DRAWN} marks"
        raise DefinitionError([Fault(message, suggestion="draw a smaller one", file=file, code=FaultCode.TOO_LARGE)])
    return tuple(line.ljust(width, mark) for line in lines)


def _indentation(lines: Iterable[str]) -> int:
    """Return the number of spaces in front of the first line that is not blank."""
    first = next((line for line in lines if line.strip()), "")
    return len(first) - len(first.lstrip(" "))


def raise_faults(faults: Iterable[Fault]) -> NoReturn:
    """Raise all faults in the order of their files and positions, each of them once."""
    # An alias repeats the faults of the entry that it points at, and several files may refer to one.
    unique = {(each.file, each.line, each.column, each.message): each for each in faults}
    raise DefinitionError(sorted(unique.values(), key=lambda fault: (fault.file, fault.line, fault.column)))
