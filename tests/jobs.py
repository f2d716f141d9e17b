"""Functions for worker processes, which import them by this module's name."""

import os

from telos.core.errors import DefinitionError, Fault, TelosError


def fail(number: int) -> int:
    if number == 2:
        raise DefinitionError([Fault("two is one too many", file="numbers.yaml", line=2, column=1)])
    return number


def leave(number: int) -> int:
    os._exit(3)


def refuse() -> None:
    raise TelosError("not today")
