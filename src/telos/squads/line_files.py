"""Files of lines: what is said, and when, in YAML; read with every fault named by line."""

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path as File
from typing import Any

from telos.core.conditions import ALWAYS, Condition
from telos.core.errors import DefinitionError, Fault, FaultCode, Path
from telos.core.expressions import Literal
from telos.core.files.sheet import Sheet, refuse
from telos.core.files.text import read_text
from telos.core.files.times import seconds_of
from telos.core.parser import parse_expression
from telos.squads.lines import Lines
from telos.squads.lines_exchange import COOLDOWN, PAUSE, Exchange, Turn
from telos.squads.lines_faults import exchange_faults
from telos.squads.lines_shape import LinesShape
from telos.squads.lines_words import TURN_KEYS

BUILT_IN = File(__file__).with_name("lines.yaml")


def load_lines(path: str | os.PathLike[str]) -> Lines:
    """Read the file of lines at ``path``.

    A bad file raises a ``DefinitionError`` that holds all its faults, each with line, column and remedy.
    """
    return loads_lines(read_text(path), name=os.fspath(path))


@lru_cache(maxsize=1)
def builtin_lines() -> Lines:
    """Return the combat lines that Telos brings along."""
    return load_lines(BUILT_IN)


def loads_lines(text: str, *, name: str = "<text>") -> Lines:
    r"""Read lines from the text of a file; ``name`` stands for it in faults.

    >>> loads_lines("exchanges: {ouch: {on: hti, roles: {hurt: who}, lines: [{hurt: Ouch!}]}}")
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:1:24: unknown occasion 'hti'; did you mean 'hit'?
    """
    sheet = Sheet(text, name, LinesShape, "a file of lines")
    exchanges = [_exchange(sheet, path) for path, _ in sheet.items("exchanges")]
    if sheet.entry("exchanges") == {}:
        sheet.fault(
            "there are no exchanges",
            ("exchanges",),
            "add one, as in `status: {on: hit, …}`",
            at_key=True,
            code=FaultCode.EMPTY,
        )
    if sheet.faults:
        refuse(sheet.faults)
    return Lines(exchanges)


def _exchange(sheet: Sheet, path: Path) -> Exchange:
    """Return the exchange as far as it can be made; what is wrong with it is noted in the sheet."""
    exchange = Exchange(
        name=str(path[-1]),
        on=sheet.entry(*path, "on", default=""),
        roles={str(where[-1]): way for where, way in sheet.items(*path, "roles")},
        turns=tuple(_turns(sheet, (*path, "lines"))),
        condition=_condition(sheet, (*path, "if")),
        cooldown=_seconds(sheet.entry(*path, "cooldown", default=COOLDOWN)),
        chance=sheet.entry(*path, "chance", default=1.0),
        unanswered=tuple(_turns(sheet, (*path, "unanswered"))),
    )
    # Roles and occasions that could not be read must not make everything that uses them unknown.
    if not any(sheet.is_touched(*path, key) for key in ("on", "roles")):
        faults = (fault.at(*path) for fault in exchange_faults(exchange))
        for fault in [each for each in faults if not sheet.is_touched(*each.path)]:
            _tell(sheet, fault)
    return exchange


def _turns(sheet: Sheet, path: Path) -> Iterator[Turn]:
    for i in range(len(sheet.entry(*path, default=()))):
        where = (*path, i)
        roles = [key for key in sheet.entry(*where, default={}) if key not in TURN_KEYS]
        if len(roles) != 1:
            if not sheet.is_touched(*where):
                message = "several speak in one turn" if roles else "nobody speaks"
                sheet.fault(message, where, "a turn has one role, as in `- asker: Status?`", code=FaultCode.WRONG_COUNT)
            yield Turn("", ())  # keeps the count of the others
            continue
        yield Turn(
            role=roles[0],
            variations=tuple(_texts(sheet, (*where, roles[0]))),
            to=sheet.entry(*where, "to", default=""),
            condition=_condition(sheet, (*where, "if")),
            after=_seconds(sheet.entry(*where, "after", default=PAUSE)),
        )


def _texts(sheet: Sheet, path: Path) -> list[str]:
    said = sheet.entry(*path, default=[])
    # What is no text has been told off; something must stand for it, as faults count the texts.
    return [each if isinstance(each, str) else "…" for each in ([said] if isinstance(said, str) else said)]


def _seconds(said: Any) -> float:
    return seconds_of(said) or 0.0


def _condition(sheet: Sheet, path: Path) -> Condition:
    said = sheet.entry(*path, default=True)
    if isinstance(said, bool):
        return ALWAYS if said else Condition(Literal(False))
    try:
        return Condition(parse_expression(said))
    except DefinitionError as error:
        for fault in error.faults:
            _tell(sheet, replace(fault, path=path))
        return ALWAYS


def _tell(sheet: Sheet, fault: Fault) -> None:
    """Note a fault where it stands: in a text, or at the role of a turn, which is a key that the author chose."""
    *around, last = fault.path
    if fault.path not in sheet.document.places and isinstance(last, int):
        fault = replace(fault, path=tuple(around))  # one text in place of a list has no first item
    at_key = isinstance(last, str) and last not in TURN_KEYS and isinstance(around[-1], int)
    sheet.faults.append(sheet.document.located(fault, at_key=at_key))
