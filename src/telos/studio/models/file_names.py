"""Names of files that may be asked for through a page: plain ones, that mean the same on every system."""

import re

from telos.core.errors import TelosError

SUFFIXES = (".yaml", ".yml", ".mln")
LONGEST = 120
DEEPEST = 4  # folders inside of each other

# Letters, digits, _ - + . and spaces, but no dot or space at either end: a leading dot hides, trailing ones are lost.
_PART = re.compile(r"\w(?:[\w .+-]*[\w+-])?")
# Devices on Windows, with whatever ending.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?\Z", re.IGNORECASE)


def is_file_name(name: str) -> bool:
    """Whether a file of a library may have that name."""
    return _flaw(name) is None


def checked_file_name(name: str) -> str:
    """Return the name of a file in a library, if it can be one.

    >>> checked_file_name("guards/private.yaml")
    'guards/private.yaml'
    >>> checked_file_name("../a")
    Traceback (most recent call last):
    ...
    telos.core.errors.TelosError: '../a' cannot name a file here: '..' is no plain name; use letters, digits, - and _
    """
    flaw = _flaw(name)
    if flaw is not None:
        shown = name if isinstance(name, str) and len(name) <= LONGEST else f"{str(name)[:40]}…"
        raise TelosError(f"{shown!r} cannot name a file here: {flaw}")
    return name


def _flaw(name: object) -> str | None:
    if not isinstance(name, str) or not name:
        return "it is no text; write a name such as mine.yaml"
    if len(name) > LONGEST or len(name.encode("utf-8", "replace")) > 2 * LONGEST:
        return f"it is too long; use at most {LONGEST} characters"
    parts = name.split("/")
    if len(parts) > DEEPEST + 1:
        return f"it has too many folders; use at most {DEEPEST}"
    for part in parts:
        if not _PART.fullmatch(part):
            return f"{part!r} is no plain name; use letters, digits, - and _"
        if _RESERVED.match(part):
            return f"{part!r} is the name of a device on some systems; choose another"
    if not name.endswith(SUFFIXES):
        return f"it has another ending; end it with {', '.join(SUFFIXES)}"
    return None
