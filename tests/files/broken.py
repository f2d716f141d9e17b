"""The broken files, and the faults that each one says it has.

A fault is written in a comment where it occurs, as its code and a word of its message, and a word of its remedy if that
matters: ``# fault: unknown-name amo; ammo``, with ``|`` between several; or anywhere as ``# fault at line: …`` or
``# fault at line:column: …``.
"""

import re
from pathlib import Path

from telos.core.errors import Fault

BROKEN = Path(__file__).parents[1] / "broken"
FILES = sorted(BROKEN.glob("*.yaml"))
_FAULT = re.compile(r"fault(?: at (?P<line>\d+)(?::(?P<column>\d+))?)?: (?P<said>.*?)\s*(?=\| fault|$)")

# These cannot hold a comment: one has no content, the other no encoding.
ELSEWHERE = {
    "empty.yaml": [(1, 1, "empty; domain")],
    "not-utf8.yaml": [(3, 27, "unreadable UTF-8")],
}

Expected = tuple[int, int | None, str]


def expected(file: Path) -> list[Expected]:
    """Return the line, the column (if it is said), the code and the words of every fault that a file should have."""
    if file.name in ELSEWHERE:
        return list(ELSEWHERE[file.name])
    found: list[Expected] = []
    for number, line in enumerate(file.read_text().split("\n"), start=1):
        _, _, comment = line.partition("#")
        for each in _FAULT.finditer(comment):
            found.append((int(each["line"] or number), int(each["column"]) if each["column"] else None, each["said"]))
    return sorted(found, key=lambda each: each[0])


def is_said(fault: Fault, said: str) -> bool:
    """Whether a fault has the code, the word of its message and the word of its remedy that ``said`` has."""
    about, _, remedy = said.partition("; ")
    code, _, word = about.partition(" ")
    return fault.code == code and word in fault.message and remedy in fault.suggestion


def matches(fault: Fault, line: int, column: int | None, said: str) -> bool:
    """Whether a fault is the expected one at the expected place."""
    return fault.line == line and column in (None, fault.column) and is_said(fault, said)
