"""The broken files, and the faults that each one says it has.

A fault is written in a comment where it occurs, ``# fault: message`` or ``# fault: message; remedy``, with ``|``
between several; or anywhere as ``# fault at line: message`` or ``# fault at line:column: message``.
"""

import re
from pathlib import Path

from telos.core.errors import Fault

BROKEN = Path(__file__).parents[2] / "broken"
FILES = sorted(BROKEN.glob("*.yaml"))
_FAULT = re.compile(r"fault(?: at (?P<line>\d+)(?::(?P<column>\d+))?)?: (?P<said>.*?)\s*(?=\| fault|$)")

# These cannot hold a comment: one has no content, the other no encoding.
ELSEWHERE = {
    "empty.yaml": [(1, 1, "the file is empty; start with `domain: name`")],
    "not-utf8.yaml": [(3, 27, "the file is not UTF-8; save it as UTF-8")],
}

Expected = tuple[int, int | None, str]


def expected(file: Path) -> list[Expected]:
    """Return the line, the column (if it is said) and the words of every fault that a file should have."""
    if file.name in ELSEWHERE:
        return list(ELSEWHERE[file.name])
    found: list[Expected] = []
    for number, line in enumerate(file.read_text().split("\n"), start=1):
        _, _, comment = line.partition("#")
        for each in _FAULT.finditer(comment):
            found.append((int(each["line"] or number), int(each["column"]) if each["column"] else None, each["said"]))
    return sorted(found, key=lambda each: each[0])


def matches(fault: Fault, line: int, column: int | None, said: str) -> bool:
    """Whether a fault is the expected one: the remedy counts only where it is written down."""
    words = (fault.message, f"{fault.message}; {fault.suggestion}")
    return fault.line == line and column in (None, fault.column) and said in words
