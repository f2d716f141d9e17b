"""Variables of a domain file."""

from typing import Any

from telos.core.errors import Fault, FaultCode, Path, TelosError, name_hint
from telos.core.files.doubt import Doubt
from telos.core.values import Kind, Variable

# Words of other languages, which would otherwise pass for a kind of handle.
_FOREIGN = {"boolean": "bool", "integer": "int", "float": "number", "double": "number", "real": "number"}
_FOREIGN |= dict.fromkeys(("str", "string", "text", "enum"), "a list of labels, as in [alive, dead]")


def read_variable(doubt: Doubt, path: Path) -> tuple[Variable | None, list[Fault]]:
    """Return the variable at ``path``, or None if its name or type are faulty, and the faults of its meaning."""
    name, body = str(path[-1]), doubt.section(*path[:-1])[path[-1]]
    said: Any = body.get("type") if isinstance(body, dict) else body
    type_path = (*path, "type")
    if doubt.is_broken(*path) or doubt.is_touched(*(type_path if isinstance(body, dict) else path)):
        return None, []
    if isinstance(said, str) and said in _FOREIGN and said not in doubt.section("handles"):
        return None, [
            Fault(
                f"unknown type {said!r}",
                suggestion=f"write {_FOREIGN[said]}",
                path=type_path,
                code=FaultCode.UNKNOWN_NAME,
            )
        ]
    try:
        variable = Variable(name, said)
    except TelosError as error:
        return None, [Fault(str(error), path=type_path)]
    start_path = (*path, "start")
    if not isinstance(body, dict) or "start" not in body or doubt.is_broken(*start_path):
        return variable, []
    return _started(variable, body["start"], start_path, doubt)


def _started(variable: Variable, start: Any, path: Path, doubt: Doubt) -> tuple[Variable, list[Fault]]:
    kind = variable.type.handle
    if variable.type.kind is Kind.HANDLE:
        if start == "none":
            return variable, []
        known = [each for each in doubt.section("handles", kind, kind=list) if isinstance(each, str)]
        if start not in known and not doubt.is_touched("handles"):
            remedy = name_hint(str(start), known) or f"list it, as in `handles: {{{kind}: [{start}]}}`"
            return variable, [
                Fault(f"unknown {kind} {start!r}", suggestion=remedy, path=path, code=FaultCode.UNKNOWN_NAME)
            ]
    try:
        return Variable(variable.name, variable.type, start), []
    except TelosError as error:
        return variable, [
            Fault(
                str(error),
                suggestion=name_hint(str(start), variable.type.labels),
                path=path,
                code=FaultCode.UNKNOWN_NAME,
            )
        ]
