"""The text of a file that a person wrote, or what is wrong with the file."""

import os
from pathlib import Path

from telos.core.errors import DefinitionError, Fault, FaultCode

LARGEST = 4_000_000  # bytes; ten times the largest file that a person would keep


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file, or say why there is none."""
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST + 1)  # never more, even from a device that has no end
    except FileNotFoundError:
        raise _no_text(name, "no such file") from None
    except IsADirectoryError:
        raise _no_text(name, "this is a folder", "name a file in it") from None
    except OSError as error:
        raise _no_text(name, f"cannot be read: {error.strerror or error}") from None
    if len(content) > LARGEST:
        raise _no_text(name, f"larger than {LARGEST // 1_000_000} MB", "split it into several files")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        fault = Fault(
            "the file is not UTF-8",
            suggestion="save it as UTF-8",
            file=name,
            line=line,
            column=column,
            code=FaultCode.UNREADABLE,
        )
        raise DefinitionError([fault]) from None


def _no_text(name: str, message: str, suggestion: str = "") -> DefinitionError:
    return DefinitionError([Fault(message, suggestion=suggestion, file=name, code=FaultCode.UNREADABLE)])
