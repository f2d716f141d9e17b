"""Keys that a shape cannot check well: `if` and its like, and those that hold a goal's name, as in `from explore`."""

from collections.abc import Iterator
from typing import Any

from telos.core.errors import Fault, FaultCode, Path, name_hint, nearest
from telos.core.files.shape import Finding
from telos.recognition.files.shape import FROM


def key_findings(data: Any) -> list[Finding]:
    """Return the keys of rules and transitions that are neither known nor `from` and a goal."""
    if not isinstance(data, dict):
        return []
    found: list[Finding] = []
    transitions = data.get("transitions")
    if isinstance(transitions, dict):
        found += _unknown(transitions, ("transitions",), ("lasts", "when"), rows=True)
        for path, case in _mappings(transitions.get("when"), ("transitions", "when")):
            found += _unknown(case, path, ("if",), rows=True)
    for path, rule in _mappings(data.get("rules"), ("rules",)):
        found += _unknown(rule, path, ("if", "then"))
    for path, rule in _mappings(data.get("director"), ("director",)):
        found += _unknown(rule, path, ("if", "until", "for", "pay", "say", "again after"))
    looks = data.get("observations")
    for goal, said in looks.items() if isinstance(looks, dict) else ():
        for path, rule in _mappings(said, ("observations", goal)):
            found += _unknown(rule, path, ("else",) if "else" in rule else ("if", "then", "else"))
    return found


def _mappings(said: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for i, each in enumerate(said if isinstance(said, list) else ()):
        if isinstance(each, dict):
            yield (*path, i), each


def _unknown(entries: dict[str, Any], path: Path, known: tuple[str, ...], *, rows: bool = False) -> Iterator[Finding]:
    for key in entries:
        if key in known or (rows and key.startswith(FROM) and len(key) > len(FROM)):
            continue
        row = f"{FROM}{key.partition(' ')[2] or 'any'}"
        possible = (*known, row) if rows else known
        near = nearest(key, possible)
        meant = near if near in known else None
        if rows and near is None:
            suggestion = f"write {', '.join(known)}, or `from` and a goal"
        else:
            suggestion = name_hint(key, possible)
        fault = Fault(f"unknown key {key!r}", suggestion=suggestion, path=(*path, key), code=FaultCode.UNKNOWN_KEY)
        yield Finding(fault, at_key=True, meant=(*path, meant) if meant else None)
