"""Domains: the variables, actions, goals and objects of a character, checked when they are put together."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from telos.core.action import Action, SmartObject
from telos.core.errors import DefinitionError, Fault, FaultCode, KeyPath, TelosError, name_hint
from telos.core.expressions import BUILT_IN, Expression, Scope, check_expression, functions_in
from telos.core.goal import Goal
from telos.core.state import Layout, State
from telos.core.template import ObjectTemplate
from telos.core.values import BOOL, NUMBER, FrozenMap, Type, Value, ValueKind, Variable

Named = TypeVar("Named", Action, Goal, SmartObject)


class Domain:
    """Variables, actions and goals, with named sets of actions and goals.

    The constructor checks everything, and reports every fault at once.

    >>> Domain(variables=[Variable("ammo", "int")],
    ...        actions=[Action("reload", preconditions="amo >= 1", effects="ammo = true")])
    Traceback (most recent call last):
    ...
    telos.core.errors.DefinitionError: actions › reload › preconditions: unknown variable 'amo'; did you mean 'ammo'?
    actions › reload › effects › 0: 'true' is true or false, where int is wanted
    """

    def __init__(
        self,
        name: str = "domain",
        *,
        variables: Iterable[Variable] = (),
        actions: Iterable[Action] = (),
        goals: Iterable[Goal] = (),
        objects: Iterable[SmartObject | ObjectTemplate] = (),
        handles: Mapping[str, Iterable[str]] | None = None,
        action_sets: Mapping[str, Iterable[str]] | None = None,
        goal_sets: Mapping[str, Iterable[str]] | None = None,
        functions: Mapping[str, Callable[..., Any]] | None = None,
        wording: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.variables = tuple(variables)
        self.actions = tuple(actions)
        self.goals = tuple(goals)
        given = tuple(objects)
        self.templates = tuple(each for each in given if isinstance(each, ObjectTemplate))
        self.objects = tuple(
            thing for each in given for thing in (each.objects() if isinstance(each, ObjectTemplate) else (each,))
        )
        self.template_of = FrozenMap({name: each for each in self.templates for name in each.names})
        self.handles = _all_handles(handles or {}, self.templates)
        self.action_sets = FrozenMap({key: tuple(names) for key, names in (action_sets or {}).items()})
        self.goal_sets = FrozenMap({key: tuple(names) for key, names in (goal_sets or {}).items()})
        # What explanations say instead of the text of a condition or the name of an action: `(holding b3)`.
        self.wording = FrozenMap(wording or {})
        self.layout = Layout(
            [*self.variables, *(variable for each in self.objects for variable in each.variables)],
            handles={
                name: Type(ValueKind.HANDLE, handle=kind) for kind, names in self.handles.items() for name in names
            },
            functions=functions,
            kinds={name: each.name for name, each in self.template_of.items()},
        )
        self.cache: dict[object, Any] = {}  # what planning and other packages have computed about this domain
        faults = list(_faults(self))
        if faults:
            raise DefinitionError(faults)

    def state(self, values: Mapping[str, Value] | None = None) -> State:
        """Return the state with ``values``; every other variable has its start value."""
        return self.layout.state(values)

    @property
    def all_actions(self) -> tuple[Action, ...]:
        """Return the character's own actions, then those of every object."""
        return (*self.actions, *(action for each in self.objects for action in each.actions))

    def action(self, name: str) -> Action:
        return _find("action", name, self.all_actions)

    def goal(self, name: str) -> Goal:
        return _find("goal", name, self.goals)

    def object(self, name: str) -> SmartObject:
        return _find("object", name, self.objects)

    def actions_of(self, action_set: str) -> tuple[Action, ...]:
        """Return the actions in the set of that name."""
        members = _members("action set", action_set, self.action_sets)
        return tuple(self.action(each) for name in members for each in self.template_actions.get(name, (name,)))

    @property
    def template_actions(self) -> dict[str, tuple[str, ...]]:
        """Return the actions of all instances by the name that they have in the template: ``tree.chop``."""
        return {
            f"{each.name}.{action.name}": tuple(f"{name}.{action.name}" for name in each.names)
            for each in self.templates
            for action in each.actions
        }

    def common_name(self, action: str) -> str:
        """Return the name of an action in its template: ``tree.chop`` for ``tree_7.chop``; of others, their own."""
        owner, dot, own = action.partition(".")
        template = self.template_of.get(owner)
        return action if template is None else f"{template.name}{dot}{own}"

    def goals_of(self, goal_set: str) -> tuple[Goal, ...]:
        """Return the goals in the set of that name."""
        return tuple(self.goal(name) for name in _members("goal set", goal_set, self.goal_sets))

    def possible(self, state: State) -> tuple[Action, ...]:
        """Return every action that ``state`` allows: the character's own, then those that objects post."""
        own = (action for action in self.actions if not action.parameters and action.is_possible(state))
        return (*own, *(action for each in self.objects for action in each.posts(state)))

    @property
    def functions_needed(self) -> tuple[str, ...]:
        """Return the names of the functions that the game must register."""
        used = frozenset[str]().union(*(functions_in(each) for _, each, _, _ in _expressions(self)))
        return tuple(sorted(used - BUILT_IN.keys()))

    def users_of(self, function: str) -> tuple[str, ...]:
        """Return the names of the actions and goals whose expressions call a function."""
        found = (where for where, each, _, _ in _expressions(self) if function in functions_in(each))
        return tuple(dict.fromkeys(str(where[-2] if where[-1] != "effects" else where[-3]) for where in found))

    def __repr__(self) -> str:
        counts = (("variables", self.layout.variables), ("actions", self.actions), ("goals", self.goals))
        return f"Domain({self.name!r}, {', '.join(f'{len(each)} {word}' for word, each in counts)})"


def _all_handles(
    named: Mapping[str, Iterable[str]], templates: Iterable[ObjectTemplate]
) -> FrozenMap[str, tuple[str, ...]]:
    """Return the handles that a domain names, and those that the instances of its templates have."""
    found = {kind: list(names) for kind, names in named.items()}
    for template in templates:
        for kind, handles in template.handles.items():
            known = found.setdefault(kind, [])
            known += [handle for handle in dict.fromkeys(handles) if handle not in known]
    return FrozenMap({kind: tuple(names) for kind, names in found.items()})


def _find(what: str, name: str, among: Iterable[Named]) -> Named:
    each = {one.name: one for one in among}
    if name not in each:
        raise TelosError(f"unknown {what} {name!r}", name_hint(name, each))
    return each[name]


def _members(what: str, name: str, sets: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    if name not in sets:
        raise TelosError(f"unknown {what} {name!r}", name_hint(name, sets))
    return sets[name]


def _located_actions(domain: Domain) -> Iterator[tuple[KeyPath, Action]]:
    for action in domain.actions:
        yield ("actions", action.name), action
    for each in domain.objects:
        if each.name not in domain.template_of:
            for action in each.actions:
                yield ("objects", each.name, "actions", action.name.removeprefix(f"{each.name}.")), action
    for template in domain.templates:
        for own, posted in zip(template.actions, template.example().actions, strict=True):
            yield ("objects", template.name, "actions", own.name), posted


def _expressions(domain: Domain) -> Iterator[tuple[KeyPath, Expression, Type, Mapping[str, Type]]]:
    """Yield every expression of a domain: its path, the type it must have, and the parameters it may use."""
    for where, action in _located_actions(domain):
        yield (*where, "preconditions"), action.preconditions.expression, BOOL, action.parameters
        yield (*where, "cost"), action.cost, NUMBER, action.parameters
        for i, effect in enumerate(action.effects):
            if effect.variable in domain.layout.slots:
                kind = domain.layout.variable(effect.variable).type
                yield (*where, "effects", i), effect.value, kind, action.parameters
    for goal in domain.goals:
        yield ("goals", goal.name, "relevant"), goal.relevant.expression, BOOL, {}
        if goal.wants is not None:
            yield ("goals", goal.name, "wants"), goal.wants.expression, BOOL, {}
        if not isinstance(goal.priority, float):
            yield ("goals", goal.name, "priority"), goal.priority, NUMBER, {}


def _faults(domain: Domain) -> Iterator[Fault]:
    yield from _duplicates(domain)
    for where, expression, wanted, parameters in _expressions(domain):
        scope = Scope(domain.layout, parameters)
        yield from (fault.at(*where) for fault in check_expression(expression, scope, wanted))
    for goal in domain.goals:
        yield from (fault.at("goals", goal.name, "priority") for fault in priority_faults(goal.priority))
    goals = {goal.name for goal in domain.goals}
    for where, action in _located_actions(domain):
        yield from (fault.at(*where) for fault in _action_faults(action, domain, goals))
    for section, sets, known in (
        (
            "action_sets",
            domain.action_sets,
            {action.name for action in domain.all_actions} | {*domain.template_actions},
        ),
        ("goal_sets", domain.goal_sets, goals),
    ):
        for key, names in sets.items():
            for i, name in enumerate(names):
                if name not in known:
                    word = section.split("_")[0]
                    yield Fault(
                        f"unknown {word} {name!r}",
                        suggestion=name_hint(name, known),
                        path=(section, key, i),
                        code=FaultCode.UNKNOWN_NAME,
                    )


def priority_faults(priority: float | Expression) -> Iterator[Fault]:
    """Yield the faults of a priority that its types do not show: it is compared too often to call the game."""
    called = frozenset[str]() if isinstance(priority, float) else functions_in(priority)
    for name in sorted(called - BUILT_IN.keys()):
        yield Fault(
            f"a priority cannot call {name!r}",
            suggestion="let the game keep the value in a variable; min, max and abs are built in",
            code=FaultCode.INVALID,
        )


def _action_faults(action: Action, domain: Domain, goals: set[str]) -> Iterator[Fault]:
    slots = domain.layout.slots
    first = {effect.variable: effect for effect in reversed(action.effects)}
    for i, effect in enumerate(action.effects):
        here: KeyPath = ("effects", i)
        if effect.variable in action.parameters:
            message = f"{effect.variable!r} is a parameter, and effects set variables"
            yield Fault(message, text=str(effect), path=here, offset=effect.column, code=FaultCode.WRONG_TYPE)
        elif effect.variable not in slots:
            message = f"unknown variable {effect.variable!r}"
            yield Fault(
                message,
                suggestion=name_hint(effect.variable, slots),
                path=here,
                offset=effect.column,
                code=FaultCode.UNKNOWN_NAME,
            )
        elif effect is not first[effect.variable]:
            message = f"{effect.variable!r} is set twice by one action"
            yield Fault(
                message,
                suggestion="effects happen at once, so keep one",
                path=here,
                offset=effect.column,
                code=FaultCode.DUPLICATE,
            )
    for parameter, kind in action.parameters.items():
        if parameter in slots:
            message = f"parameter {parameter!r} is also a variable"
            yield Fault(
                message, suggestion="rename one of them", path=("parameters", parameter), code=FaultCode.DUPLICATE
            )
        if kind.kind is not ValueKind.HANDLE:
            message = f"parameter {parameter!r} is {kind}, and parameters are handles"
            yield Fault(
                message,
                suggestion="name a kind of handle, such as node",
                path=("parameters", parameter),
                code=FaultCode.WRONG_TYPE,
            )
    for section in ("changes", "promises"):
        for goal in getattr(action, section):
            if goal not in goals:
                yield Fault(
                    f"unknown goal {goal!r}",
                    suggestion=name_hint(goal, goals),
                    path=(section, goal),
                    code=FaultCode.UNKNOWN_NAME,
                )


def _duplicates(domain: Domain) -> Iterator[Fault]:
    sections: dict[str, list[str]] = {
        "variables": [variable.name for variable in domain.layout.variables],
        "actions": [action.name for _, action in _located_actions(domain)],
        "goals": [goal.name for goal in domain.goals],
        "objects": [*(each.name for each in domain.objects), *(each.name for each in domain.templates)],
    }
    for section, names in sections.items():
        for name in (name for name, count in Counter(names).items() if count > 1):
            yield Fault(
                f"{name!r} is defined twice",
                path=(section, name),
                suggestion="rename one of them",
                code=FaultCode.DUPLICATE,
            )
    slots = domain.layout.slots
    for variable in domain.layout.variables:
        for label in (label for label in variable.type.labels if label in slots):
            message = (
                f"label {label!r} of {variable.name!r} is also a variable, so `{variable.name} == {label}` is unclear"
            )
            yield Fault(
                message, path=("variables", variable.name), suggestion="rename one of them", code=FaultCode.DUPLICATE
            )
    for kind, handles in domain.handles.items():
        seen: set[str] = set()
        for i, name in enumerate(handles):
            if name in slots or name in seen:
                also = "a variable" if name in slots else "in the list already"
                yield Fault(
                    f"handle {name!r} is {also}",
                    path=("handles", kind, i),
                    suggestion="rename one of them",
                    code=FaultCode.DUPLICATE,
                )
            seen.add(name)
