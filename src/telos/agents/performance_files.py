"""Performance files: how bodies carry out the actions of a domain, in YAML, read with every fault named by line."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from telos.agents.body import Animate, BodyState, Goto, UseSmartObject
from telos.agents.performance import Performance
from telos.core.domain import Domain
from telos.core.errors import FaultCode, Path, name_hint
from telos.core.files.models import FileShape, text_leaf
from telos.core.files.sheet import Sheet, refuse
from telos.core.files.text import read_text
from telos.core.frozen import FrozenMap

_Name: TypeAlias = Annotated[str, text_leaf("a name: a parameter, what attention rests on, or a variable")]
_Word: TypeAlias = Annotated[str, text_leaf("a word")]


class PerformanceShape(FileShape):
    """How an action is carried out: exactly one of `goto`, `animate` and `use`."""

    goto: _Name = ""
    """Head for the place of that name; `pace` says how."""
    pace: _Word = "run"
    animate: _Word = ""
    """Play this animation; `at` names what it is aimed at."""
    at: _Name = ""
    use: _Name = ""
    """Use the thing of that name; `how` says what for."""
    how: _Word = ""


class PerformancesShape(FileShape):
    """A performance file."""

    performances: dict[str, PerformanceShape] = Field(examples=[{"reload": {"animate": "reload"}}])
    """By the name of the action: `reload: {animate: reload}`."""


# Each state's keys, the first of which tells the state, and the pattern that they make.
_STATES: dict[str, tuple[tuple[str, ...], Callable[[Mapping[str, Any]], BodyState]]] = {
    "goto": (("goto", "pace"), lambda said: Goto(said["goto"], said.get("pace", "run"))),
    "animate": (("animate", "at"), lambda said: Animate(said["animate"], said.get("at"))),
    "use": (("use", "how"), lambda said: UseSmartObject(said["use"], said["how"])),
}


def load_performances(
    path: str | os.PathLike[str], domain: Domain, *, focus: Collection[str] | None = None
) -> FrozenMap[str, Performance]:
    """Read the performance file at ``path``, for actions of ``domain``.

    ``focus`` are the names under which attention rests on something. Where it is given, every name in the file must
    be one of these, a parameter of the action, or a variable of the domain.
    """
    return loads_performances(read_text(path), domain, focus=focus, name=os.fspath(path))


def loads_performances(
    text: str, domain: Domain, *, focus: Collection[str] | None = None, name: str = "<text>"
) -> FrozenMap[str, Performance]:
    r"""Read performances from the text of a performance file; ``name`` stands for it in faults.

    >>> from telos.core.action import Action
    >>> loads_performances("performances:\n  relaod: {animate: reload}", Domain(actions=[Action("reload")]))
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: <text>:2:3: unknown action 'relaod'; did you mean 'reload'?
    """
    sheet = Sheet(text, name, PerformancesShape, "a performance file")
    made = dict(_performances(sheet, domain, focus))
    if sheet.faults:
        refuse(sheet.faults)
    return FrozenMap(made)


def _performances(sheet: Sheet, domain: Domain, focus: Collection[str] | None) -> Iterator[tuple[str, Performance]]:
    actions = {action.name: action for action in domain.all_actions}
    for where, said in list(sheet.items("performances")):
        action = str(where[-1])
        performance = None if sheet.is_touched(*where) else _performance(sheet, where, said)
        if action not in actions:
            sheet.fault(
                f"unknown action {action!r}",
                where,
                name_hint(action, actions),
                at_key=True,
                code=FaultCode.UNKNOWN_NAME,
            )
        elif performance is not None:
            if focus is not None:
                _check_names(sheet, where, said, {*actions[action].parameters, *focus, *domain.layout.slots})
            yield action, performance


def _performance(sheet: Sheet, where: Path, said: Mapping[str, Any]) -> Performance | None:
    states = [state for state in _STATES if state in said]
    if len(states) != 1:
        given = " and ".join(states) or "none"
        sheet.fault(
            f"exactly one of goto, animate and use is wanted, got {given}",
            where,
            "as in `{animate: reload}`",
            code=FaultCode.WRONG_COUNT,
        )
        return None
    keys, make = _STATES[states[0]]
    strange = [key for key in said if key not in keys]
    for key in strange:
        sheet.fault(
            f"{key!r} does not go with {states[0]}",
            (*where, key),
            name_hint(key, keys),
            at_key=True,
            code=FaultCode.UNKNOWN_KEY,
        )
    if "use" in said and "how" not in said:
        sheet.fault(
            "'how' is missing", where, "say what for, as in `{use: door, how: open}`", code=FaultCode.MISSING_KEY
        )
        return None
    return None if strange else Performance(make(said))


def _check_names(sheet: Sheet, where: Path, said: Mapping[str, Any], known: Collection[str]) -> None:
    for key in (key for key in ("goto", "at", "use") if key in said and said[key] not in known):
        sheet.fault(
            f"unknown name {said[key]!r}", (*where, key), name_hint(said[key], known), code=FaultCode.UNKNOWN_NAME
        )
