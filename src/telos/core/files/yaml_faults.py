"""What the YAML library says about a broken text, in words that help to mend it."""

from typing import Any

from telos.core.errors import Fault, FaultCode

_WORDS = {
    "mapping values are not allowed in this context": (
        "a ':' where none can be",
        "check the indentation, or put the text in quotes",
    ),
    "did not find expected key": ("expected a key here", "check the indentation and the brackets above"),
    "could not find expected ':'": ("no ':' after a key", "write `name: value`, or check the indentation"),
    "did not find expected '-' indicator": ("expected another `- item`", "check the indentation"),
    "block sequence entries are not allowed in this context": (
        "a '-' where no list can start",
        "start it on a new line",
    ),
    "found unknown escape character": ("unknown escape after \\", "use single quotes"),
    "did not find expected alphabetic or numeric character": (
        "& and * mark and repeat an entry in YAML",
        "write `and`, or put the text in quotes",
    ),
}


def syntax_fault(error: Any, text: str) -> Fault:
    """Return the one fault of a text that is not YAML."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return Fault("this is not YAML", suggestion="is it a text file?", line=1, column=1, code=FaultCode.BAD_YAML)
    lines = text.split("\n")
    line = lines[mark.line] if mark.line < len(lines) else ""
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" in indent:
        return _fault("tab used for indentation", "use spaces", mark.line, indent.index("\t"))
    problem = str(error.problem)
    opening: Any = getattr(error, "context_mark", None)
    if problem in ("did not find expected ',' or ']'", "did not find expected ',' or '}'"):
        bracket = "[" if problem.endswith("']'") else "{"
        remedy = f"close it, or put a ',' before line {mark.line + 1}, column {mark.column + 1}"
        return _fault(f"'{bracket}' is never closed", remedy, opening.line, opening.column)
    if problem == "found unexpected end of stream" and opening is not None:
        return _fault("the quotes are never closed", "close them", opening.line, opening.column)
    if problem == "found character that cannot start any token":
        character = line[mark.column : mark.column + 1]
        return _fault(f"a text cannot start with {character!r}", "put it in quotes", mark.line, mark.column)
    message, remedy = _WORDS.get(problem, (problem, "put the text in quotes"))
    return _fault(message, remedy, mark.line, mark.column)


def _fault(message: str, suggestion: str, line: int, column: int) -> Fault:
    return Fault(message, suggestion=suggestion, line=line + 1, column=column + 1, code=FaultCode.BAD_YAML)
