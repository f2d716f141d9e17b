"""What the author of a domain should know: goals out of reach, conditions that never hold, and what nothing uses.

Every note is certain for what the domain says: variables may start with any value of their type, and game functions may
return anything. What the game itself does with a variable is not known here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from telos.core.action import Action
from telos.core.conditions import Condition
from telos.core.domain import Domain
from telos.core.errors import KeyPath, Note, NoteCode
from telos.core.expressions import BUILT_IN, Expression, functions_in, names_in
from telos.core.expressions.ranges import (
    ANYTHING,
    Ranges,
    Values,
    evaluate,
    is_possible,
    join,
    narrow,
    ranges_of,
    widen,
)
from telos.core.goal import Goal

MAX_ROUNDS = 20  # of effects on a growing range, before it is taken to be unbounded


def domain_notes(domain: Domain, data: Mapping[str, Any]) -> Iterator[Note]:
    """Yield the notes on a domain; ``data`` is what its file says."""
    actions = dict(_located_actions(domain))
    yield from _condition_notes(domain, actions)
    yield from _goal_notes(domain)
    yield from _variable_notes(domain)
    yield from _action_notes(domain, actions)


def _located_actions(domain: Domain) -> Iterator[tuple[KeyPath, Action]]:
    """Yield all actions with their paths in the file; the things of a template share one."""
    for action in domain.actions:
        yield ("actions", action.name), action
    for thing in domain.objects:
        template = domain.template_of.get(thing.name)
        owner = thing.name if template is None else template.name
        for action in thing.actions:
            yield ("objects", owner, "actions", action.name.removeprefix(f"{thing.name}.")), action


def action_ranges(action: Action, ranges: Ranges) -> Ranges:
    """Return the values that the variables and the parameters of an action may have."""
    return {**ranges, **dict.fromkeys(action.parameters, ANYTHING)}


# --- conditions that never hold ---------------------------------------------------------------------------------------


def _condition_notes(domain: Domain, actions: Mapping[KeyPath, Action]) -> Iterator[Note]:
    ranges = ranges_of(domain.layout)
    conditions: list[tuple[KeyPath, Condition, Ranges]] = [
        ((*path, "preconditions"), action.preconditions, action_ranges(action, ranges))
        for path, action in actions.items()
    ]
    for goal in domain.goals:
        conditions.append((("goals", goal.name, "relevant"), goal.relevant, ranges))
        if goal.wants is not None:
            conditions.append((("goals", goal.name, "wants"), goal.wants, ranges))
    for path, condition, known in conditions:
        if not is_possible(condition.expression, known):
            remedy = "change it, or leave out what it belongs to"
            yield Note(f"`{condition}` can never hold", suggestion=remedy, path=path, code=NoteCode.NEVER_TRUE)


# --- goals out of reach -----------------------------------------------------------------------------------------------


def _goal_notes(domain: Domain) -> Iterator[Note]:
    ranges = ranges_of(domain.layout)
    for goal in domain.goals:
        if goal.wants is None:
            yield from _relief_notes(goal, domain.all_actions)
        elif is_possible(goal.wants.expression, ranges):
            for part in goal.wants.parts:
                if not can_bring_about(part.expression, domain.all_actions, ranges):
                    yield _unreachable(goal, part)


def _unreachable(goal: Goal, part: Condition) -> Note:
    names = ", ".join(sorted(names_in(part.expression)))
    return Note(
        f"no action brings about `{part}`",
        suggestion=f"add an action with a fitting effect on {names}, or leave it to the game to set",
        path=("goals", goal.name, "wants"),
        code=NoteCode.UNREACHABLE_GOAL,
    )


def _relief_notes(goal: Goal, actions: Iterable[Action]) -> Iterator[Note]:
    """Yield the note on a goal that is only an urge, and that no action relieves."""
    if not any(goal.name in {**action.changes, **action.promises} for action in actions):
        yield Note(
            f"nothing relieves {goal.name!r}: it wants nothing, and no action changes it",
            suggestion=f"add `wants:`, or `changes: {{{goal.name}: -2}}` to an action",
            path=("goals", goal.name),
            code=NoteCode.UNREACHABLE_GOAL,
        )


def can_bring_about(wanted: Expression, actions: Sequence[Action], ranges: Ranges) -> bool:
    """Whether actions may make a condition true that does not hold; if not, that is certain.

    Relaxed reachability: every variable keeps the values that it had, and gets those that effects may give it.
    """
    if functions_in(wanted) - BUILT_IN.keys():
        return True  # the game decides
    reached = narrow(wanted, ranges, wanted=False)
    if reached is None:
        return True  # it always holds
    read = names_in(wanted) & ranges.keys()
    if not any(effect.variable in read for action in actions for effect in action.effects):
        return False
    if is_possible(wanted, reached):
        return True  # several variables decide together: their ranges say too little
    for number in range(MAX_ROUNDS):
        grown = _apply_all(actions, reached, is_last=number >= MAX_ROUNDS // 2)
        if is_possible(wanted, grown):
            return True
        if grown == reached:
            return False
        reached = grown
    return True


def _apply_all(actions: Iterable[Action], reached: Ranges, *, is_last: bool) -> Ranges:
    """Return the values that variables have before or after one more action."""
    grown: dict[str, Values] = dict(reached)
    for action in actions:
        known = narrow(action.preconditions.expression, action_ranges(action, reached))
        if known is None:
            continue
        for effect in action.effects:
            before = grown[effect.variable]
            after = join(before, evaluate(effect.value, known))
            grown[effect.variable] = widen(before, after) if is_last else after
    return grown


# --- what nothing uses ------------------------------------------------------------------------------------------------


def _variable_notes(domain: Domain) -> Iterator[Note]:
    read = _names_read(domain)
    owners = {variable.name: thing.name for thing in domain.objects for variable in thing.variables}
    for variable in domain.layout.variables:
        owner = owners.get(variable.name)
        if variable.name not in read and owner not in domain.template_of:
            own = variable.name.removeprefix(f"{owner}.")
            yield _unread(variable.name, ("objects", owner, "variables", own) if owner else ("variables", own))
    for template in domain.templates:
        for variable in template.variables:
            if not any(f"{name}.{variable.name}" in read for name in template.names):
                path = ("objects", template.name, "variables", variable.name)
                yield _unread(f"{template.name}.{variable.name}", path)


def _unread(name: str, path: KeyPath) -> Note:
    remedy = "leave it out, unless the game itself reads it"
    return Note(f"nothing reads {name!r}", suggestion=remedy, path=path, code=NoteCode.UNUSED_VARIABLE)


def _names_read(domain: Domain) -> frozenset[str]:
    """Return the names in all expressions; what an effect adds to a variable does not count as reading it."""
    found: set[str] = set()
    for action in domain.all_actions:
        found |= _names_needed(action)
        for effect in action.effects:
            found |= names_in(effect.value) - {effect.variable}
    for goal in domain.goals:
        for expression in _goal_expressions(goal):
            found |= names_in(expression)
    return frozenset(found)


def _goal_expressions(goal: Goal) -> Iterator[Expression]:
    yield goal.relevant.expression
    if not isinstance(goal.priority, float):
        yield goal.priority
    if goal.wants is not None:
        yield goal.wants.expression


def _names_needed(action: Action) -> frozenset[str]:
    return names_in(action.preconditions.expression) | names_in(action.cost)


def _action_notes(domain: Domain, actions: Mapping[KeyPath, Action]) -> Iterator[Note]:
    if not domain.goals:
        return
    used = usable_actions(domain.all_actions, domain.goals)
    for path, action in actions.items():
        if action.name not in used:
            why = "it changes nothing" if not action.effects else "no goal needs what it changes"
            yield Note(
                f"no goal can use {path[-1]!r}: {why}",
                suggestion="add an effect or `changes:` that a goal needs, or leave it out",
                path=path,
                code=NoteCode.UNUSED_ACTION,
            )


def usable_actions(actions: Sequence[Action], goals: Iterable[Goal]) -> frozenset[str]:
    """Return the names of the actions that may be a step towards a goal, or relieve one."""
    needed = {name for goal in goals if goal.wants is not None for name in names_in(goal.wants.expression)}
    used = {action.name for action in actions if action.changes or action.promises}
    grows = True
    while grows:
        grows = False
        for action in actions:
            helpful = [effect for effect in action.effects if effect.variable in needed]
            if action.name not in used and helpful:
                used.add(action.name)
                grows = True
            if action.name in used:
                more = _names_needed(action).union(*(names_in(effect.value) for effect in helpful)) - needed
                needed |= more
                grows = grows or bool(more)
    return frozenset(used)
