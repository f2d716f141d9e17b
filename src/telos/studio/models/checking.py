"""What is wrong with a model file while it is written: every fault at its line, whatever the text."""

from collections.abc import Sequence
from dataclasses import replace

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError
from telos.studio.models.library import LARGEST
from telos.studio.stage import Model

MOST_TOLD = 200  # faults: nobody mends more before looking again
BROKEN = "this text cannot be read at all"


def faults_of(model: Model, text: str) -> tuple[Fault, ...]:
    """Return all faults of a text as a model, in the order of their lines; none if it can be put into force.

    Lines and columns count from 1 and lie inside of the text. What is said about the whole stands at its start.
    """
    size = len(text.encode("utf-8", "replace"))
    if size > LARGEST:
        split = "split it into several files"
        return (
            Fault(
                f"the text is larger than {LARGEST // 1024} KiB",
                suggestion=split,
                line=1,
                column=1,
                code=FaultCode.TOO_LARGE,
            ),
        )
    lines = text.split("\n")
    found = sorted((_inside(fault, lines) for fault in _found(model, text)), key=lambda each: (each.line, each.column))
    return tuple(found[:MOST_TOLD])


def _found(model: Model, text: str) -> Sequence[Fault]:
    try:
        if model.check is not None:
            return model.check(text)
        if model.make is not None:
            model.make(text)
    except DefinitionError as error:
        return error.faults
    except TelosError as error:
        return (Fault(error.message, suggestion=error.remedy),)
    except Exception as error:  # a model comes from a world, and whoever edits it must not lose the page over that
        return (
            Fault(
                f"{BROKEN}: {type(error).__name__}: {error}",
                suggestion="take back the last change",
                code=FaultCode.UNREADABLE,
            ),
        )
    return ()


def _inside(fault: Fault, lines: Sequence[str]) -> Fault:
    """Return the fault at a place that is there: a file that was cut short is wrong behind its end."""
    line = min(max(fault.line, 1), len(lines))
    column = min(max(fault.column, 1), len(lines[line - 1]) + 1) if line == fault.line else 1
    return replace(fault, line=line, column=column)
