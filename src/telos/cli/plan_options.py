"""Reading the options of ``telos plan``: values, goals, handles and answers, each checked against the domain."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.core.values import Kind, Value, Variable


def split_values(files: Sequence[str], values: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Tell files from values: ``--set ammo=3 at=gate`` is read as it is meant, though only the first is an option's."""
    more = [each for each in files if values and "=" in each and not Path(each).exists()]
    return [Path(each) for each in files if each not in more], [*values, *more]


def _pairs(option: str, given: Sequence[str], example: str) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for each in given:
        name, equals, value = (part.strip() for part in each.partition("="))
        if not (name and equals and value) or not each.isprintable():
            raise TelosError(f"{option} {each!r} is not of the form name=value", f"write {option} {example}")
        if name in seen:
            raise TelosError(f"{option} {each}: {name!r} is given twice", "keep one")
        seen.add(name)
        yield name, value


def read_state(given: Sequence[str], domain: Domain) -> dict[str, Value]:
    slots, state = domain.layout.slots, dict[str, Value]()
    for name, value in _pairs("--set", given, "ammo=3"):
        if name not in slots:
            raise TelosError(f"--set {name}={value}: unknown variable {name!r}", name_hint(name, slots))
        state[name] = _value(domain.layout.variable(name), value)
    return state


def _value(variable: Variable, text: str) -> Value:
    """Read a value as the variable's type has it."""
    kind, remedy = variable.type.kind, ""
    if kind is Kind.BOOL:
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        remedy = "write true or false"
    elif kind is Kind.INT:
        if re.fullmatch(r"[+-]?[0-9]{1,30}", text):
            return int(text)
        remedy = "write a whole number"
    elif kind is Kind.NUMBER:
        number = _number(text)
        if number is not None:
            return number
        remedy = "write a finite number"
    elif kind is Kind.ENUM:
        if text in variable.type.labels:
            return text
        remedy = name_hint(text, variable.type.labels)
    else:
        return None if text == "none" else text
    raise TelosError(f"--set {variable.name}={text}: variable {variable.name!r} holds {variable.type}", remedy)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def read_answers(given: Sequence[str], needed: Sequence[str]) -> dict[str, Callable[..., Value]]:
    answers: dict[str, Callable[..., Value]] = {}
    for name, text in _pairs("--function", given, "distance=4"):
        if name not in needed:
            known = name_hint(name, needed) or "this domain asks the game for nothing"
            raise TelosError(f"--function {name}={text}: the domain calls no function {name!r}", known)
        value = {"true": True, "false": False}.get(text.lower(), _number(text))
        if value is None:
            raise TelosError(f"--function {name}={text}: a function answers with a finite number, true or false")
        answers[name] = lambda *_, value=value: value
    return answers


def read_handles(given: Sequence[str], domain: Domain) -> dict[str, list[Value]]:
    types = [variable.type for variable in domain.layout.variables]
    types += [of for action in domain.all_actions for of in action.parameters.values()]
    kinds = {*domain.handles, *(of.handle for of in types if of.kind is Kind.HANDLE)}
    found: dict[str, list[Value]] = {}
    for kind, names in _pairs("--handle", given, "node=gate,yard"):
        if kind not in kinds:
            known = name_hint(kind, kinds) or "this domain has no handles"
            raise TelosError(f"--handle {kind}={names}: unknown kind of handle {kind!r}", known)
        found[kind] = [name.strip() for name in names.split(",")]
        if not all(found[kind]) or "none" in found[kind]:
            raise TelosError(f"--handle {kind}={names}: write names with commas between them, and not none")
    return found


def read_goals(given: Sequence[str], domain: Domain) -> str | list[str] | None:
    known = {goal.name for goal in domain.goals} | domain.goal_sets.keys()
    for each in given:
        if each not in known:
            raise TelosError(f"--goal {each}: unknown goal or goal set {each!r}", name_hint(each, known))
    if len(given) < 2:
        return given[0] if given else None
    return list(dict.fromkeys(name for each in given for name in domain.goal_sets.get(each, (each,))))
