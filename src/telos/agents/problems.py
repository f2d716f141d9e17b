"""What is wrong with a mind: parts that it lacks when it is made, and what the game's own code raises inside of it.

``mind_faults`` finds what is missing. ``Problems`` keeps exceptions, logs them once per place, and ``why`` tells them.
"""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from telos.agents.body import Animate, Goto, Performed, Procedure, UseSmartObject
from telos.agents.character import Character
from telos.agents.memory import Attends
from telos.core.domain import Domain
from telos.core.errors import Fault, FaultCode, TelosError, name_hint
from telos.core.expressions import BUILT_IN, Expression, functions_in

MAX_PROBLEMS = 100  # places of one mind that are kept; a sensor that raises stands for one of them

_LOG = logging.getLogger("telos.agents")


@dataclass(frozen=True, slots=True)
class Problem:
    """An exception of the game's code: where it was raised, the last one of that place, and how often."""

    place: str  # "sensor eyes", "believe", "planning for eat", "goto(inn)"
    error: Exception
    time: float
    count: int = 1

    def __str__(self) -> str:
        times = f", {self.count} times" if self.count > 1 else ""
        return f"{self.place} {format_error(self.error)} (last at {self.time:g} s{times})"


class Problems:
    """The exceptions of a mind by place. In strict mode, they are raised instead."""

    def __init__(self, who: str, *, strict: bool) -> None:
        self._who, self.strict = who, strict
        self._by_place: dict[str, Problem] = {}

    def note_step(self, step: str, error: Exception, now: float) -> None:
        """Keep an exception of a step, unless it is a ``TelosError`` that was raised on purpose.

        "There is no way to the inn" is an answer, not a problem.
        """
        if not isinstance(error, TelosError) or error.__cause__ is not None:
            self.note(step, error, now)

    def note(self, place: str, error: Exception, now: float) -> None:
        """Keep an exception and log it if it is the first of its place; in strict mode, raise it."""
        if self.strict:
            if not getattr(error, "__notes__", None):
                error.add_note(f"raised in {place} of {self._who} at {now:g} s (strict=True)")
            raise error
        known = self._by_place.get(place)
        if known is None:
            if len(self._by_place) >= MAX_PROBLEMS:
                del self._by_place[next(iter(self._by_place))]
            _LOG.error("%s: %s raised an exception; it counts as failed", self._who, place, exc_info=error)
            self._by_place[place] = Problem(place, error, now)
        else:
            self._by_place[place] = replace(known, error=error, time=now, count=known.count + 1)

    def __iter__(self) -> Iterator[Problem]:
        """Yield the problems, the latest last."""
        return iter(sorted(self._by_place.values(), key=lambda problem: problem.time))

    def __len__(self) -> int:
        return len(self._by_place)


def format_error(error: Exception) -> str:
    """Return the reason of a failure that was raised by the game's code."""
    return f"raised {type(error).__name__}: {error}"


# --- what is missing --------------------------------------------------------------------------------------------------


def mind_faults(
    character: Character, domain: Domain, procedures: Mapping[str, Procedure], attention: Sequence[Attends]
) -> Iterator[Fault]:
    """Yield everything that a mind needs for a character and does not have."""
    for action in character.actions:
        if action.name not in procedures:
            yield Fault(
                f"no procedure says how the body does {action.name!r}",
                path=("procedures", action.name),
                suggestion="add a performance for it",
                code=FaultCode.INCOMPLETE,
            )
    focuses = [getattr(each, "focus", None) for each in attention]
    known = None if None in focuses else [str(each) for each in focuses]
    yield from performance_faults(character, domain, procedures, known)
    yield from function_faults(character, domain)


def function_faults(character: Character, domain: Domain) -> Iterator[Fault]:
    """Yield the functions that the goals and actions of a character call, and the game has not registered."""
    missing: dict[str, str] = {}  # with who calls it first
    for path, expressions in _expressions(character):
        for name in sorted(set().union(*map(functions_in, expressions))):
            if name not in domain.layout.functions and name not in BUILT_IN:
                missing.setdefault(name, path)
    for name, user in missing.items():
        known = name_hint(name, [*domain.layout.functions, *BUILT_IN])
        yield Fault(
            f"{user!r} calls the function {name!r}, which is not registered",
            path=("functions", name),
            suggestion=f"pass functions={{{name!r}: ...}} when the domain is loaded ({known})",
            code=FaultCode.INCOMPLETE,
        )


def _expressions(character: Character) -> Iterator[tuple[str, list[Expression]]]:
    for action in character.actions:
        values = [effect.value for effect in action.effects]
        yield action.name, [action.preconditions.expression, action.cost, *values]
    for goal in character.goals:
        wants = [] if goal.wants is None else [goal.wants.expression]
        yield goal.name, [goal.relevant.expression, *wants]


def performance_faults(
    character: Character, domain: Domain, procedures: Mapping[str, Procedure], focuses: Collection[str] | None
) -> Iterator[Fault]:
    """Yield the names in performances that stand for nothing.

    ``focuses`` are what attention rests on; None, if that is not known.
    """
    if focuses is None:
        return
    common = {*focuses, *domain.layout.slots, *domain.layout.handles, *(each.name for each in domain.objects)}
    for action in character.actions:
        procedure = procedures.get(action.name)
        name = _name_in(procedure) if isinstance(procedure, Performed) else None
        template = domain.template_of.get(action.on or "")
        own = {*action.parameters, *(() if template is None else template.vocabulary)}
        if name is not None and name not in common and name not in own:
            yield Fault(
                f"the performance of {action.name!r} names {name!r}, which is nothing that the mind knows",
                path=("performances", action.name),
                suggestion=name_hint(name, [*common, *own]),
                code=FaultCode.UNKNOWN_NAME,
            )


def _name_in(procedure: Performed) -> str | None:
    """Return the name of an object in a performance, if it has one."""
    match procedure.performance.pattern:
        case Goto(str(name)) | UseSmartObject(str(name)) | Animate(_, str(name)):
            return name
    return None
