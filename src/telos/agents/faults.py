"""Functions of the game and names in performances that a mind needs and does not have."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from telos.agents.body import Animate, Goto, Performed, Procedure, UseSmartObject
from telos.agents.character import Character
from telos.agents.memory import Attends
from telos.core.binding import BUILT_IN
from telos.core.domain import Domain
from telos.core.errors import Fault, FaultCode, name_hint
from telos.core.expressions import Expression, functions_in


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
