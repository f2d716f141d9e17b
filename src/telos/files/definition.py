"""A file that was read and whose shape was checked: the entries that can be trusted, and the faults so far."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NoReturn

from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath
from telos.files.schema import FileModel, check_model
from telos.files.yaml import Document, read_yaml


class Definition:
    """The entries of an authored file. What is broken counts as not there, and its fault is told once."""

    def __init__(self, text: str, file: str, shape: type[FileModel], what: str) -> None:
        self.document: Document = read_yaml(text, file)
        self.faults: list[Fault] = list(self.document.faults)
        self._broken: set[KeyPath] = {fault.path for fault in self.faults if fault.path}
        if self.document.data is None:
            first = next(iter(shape.model_fields))
            # The reader of YAML knows no sort of file but domains.
            self.faults = [
                replace(each, suggestion=f"start with `{first}:`") if each.code is FaultCode.EMPTY else each
                for each in self.faults
            ]
            self._broken.add(())
            return
        findings = check_model(shape, self.document.data, what)
        meant = {finding.meant for finding in findings if finding.meant} - self.document.places.keys()
        for finding in findings:
            if finding.fault.path not in self._broken | meant:  # what is misspelt is not missing
                self.faults.append(self.document.located(finding.fault, at_key=finding.at_key))
                self._broken.add(finding.fault.path)
        self._broken |= meant

    @property
    def file(self) -> str:
        """Return the name of the file."""
        return self.document.file

    def is_touched(self, *path: str | int) -> bool:
        """Whether the entry, anything in it or anything around it has a fault."""
        return any(path[: len(each)] == each or each[: len(path)] == path for each in self._broken)

    def entry(self, *path: str | int, default: Any = None) -> Any:
        """Return the entry at ``path``, or ``default`` if it is not there or broken."""
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
        """Yield the good entries of the mapping or list at ``path``, each with its own path."""
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
        code: FaultCode = FaultCode.INVALID,
    ) -> None:
        """Add a fault of meaning; whatever hangs on the entry cannot be judged any more."""
        fault = Fault(message, suggestion=suggestion, path=path, code=code)
        self.faults.append(self.document.located(fault, at_key=at_key))
        self._broken.add(path)


def raise_faults(faults: Iterable[Fault]) -> NoReturn:
    """Raise all faults in the order in which they stand in their files, each of them once."""
    # An alias repeats what it points at, faults and all, and a file may be read on behalf of several others.
    told = {(each.file, each.line, each.column, each.message): each for each in faults}
    raise DefinitionError(sorted(told.values(), key=lambda fault: (fault.file, fault.line, fault.column)))
