"""``ObjectTemplate``: one description of many things of a kind, such as twelve trees."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from telos.core.action import Action, SmartObject
from telos.core.conditions import Condition
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import And, Name, substitute
from telos.core.values import VARIABLE_NAME, FrozenMap, Type, TypeLike, Value, ValueKind, Variable

PRESENT = "present"  # the variable of every instance that says whether the thing is there
MAX_SLOTS = 1_000


@dataclass(frozen=True, slots=True, init=False)
class ObjectTemplate:
    """A kind of smart object: ``instances`` that exist from the start, and ``slots`` for things of the running game.

    ``parameters`` are handles that differ between the instances, such as a place. Every instance is a smart object of
    its own, with the variables and actions of the template, its parameters, and ``present``: its actions are possible
    only while it is there. A slot has no thing at first; a mind puts those in that it knows of.

    >>> chop = Action("chop", preconditions="at == place", effects="wood += 1")
    >>> tree = ObjectTemplate("tree", parameters={"place": "node"}, actions=[chop], slots=1,
    ...                       instances={"oak": {"place": "hill"}})
    >>> for each in tree.objects():
    ...     print(each.name, *(f"{variable.name}={variable.start}" for variable in each.variables))
    ...     print(each.action("chop").preconditions)
    oak oak.present=True oak.place=hill
    oak.present and at == hill
    tree_2 tree_2.present=False tree_2.place=None
    tree_2.present and at == tree_2.place
    """

    name: str
    parameters: FrozenMap[str, Type]
    variables: tuple[Variable, ...]
    actions: tuple[Action, ...]
    instances: FrozenMap[str, FrozenMap[str, Value]]
    slots: tuple[str, ...]

    def __init__(
        self,
        name: str,
        *,
        parameters: Mapping[str, TypeLike] | None = None,
        variables: Iterable[Variable] = (),
        actions: Iterable[Action] = (),
        instances: Mapping[str, Mapping[str, Value]] | None = None,
        slots: int = 0,
    ) -> None:
        if not VARIABLE_NAME.match(name):
            raise TelosError(f"{name!r} cannot name an object", "use letters, digits and _")
        put = object.__setattr__
        put(self, "name", name)
        put(self, "parameters", FrozenMap({each: Type.of(of) for each, of in (parameters or {}).items()}))
        put(self, "variables", tuple(variables))
        put(self, "actions", tuple(actions))
        put(self, "instances", FrozenMap({each: FrozenMap(given) for each, given in (instances or {}).items()}))
        put(self, "slots", tuple(self._slot_names(slots)))
        self._check()

    def _slot_names(self, count: int) -> Iterator[str]:
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MAX_SLOTS:
            raise TelosError(f"object {self.name!r}: slots must be a whole number up to {MAX_SLOTS}, got {count!r}")
        numbers = itertools.count(len(self.instances) + 1)
        names = (name for name in (f"{self.name}_{number}" for number in numbers) if name not in self.instances)
        return itertools.islice(names, count)

    def _check(self) -> None:
        if not self.instances and not self.slots:
            raise TelosError(
                f"object {self.name!r} has parameters but neither instances nor slots",
                "list the instances, or say how many slots there are for things of the running game",
            )
        taken = [PRESENT, *(variable.name for variable in self.variables)]
        for name, kind in self.parameters.items():
            if name in taken:
                raise TelosError(f"object {self.name!r}: {name!r} is also a variable", "rename one of them")
            if kind.kind is not ValueKind.HANDLE:
                raise TelosError(
                    f"object {self.name!r}: parameter {name!r} is {kind}, and parameters are handles",
                    "name a kind of handle, such as node, or make it a variable",
                )
        if PRESENT in taken[1:]:
            raise TelosError(f"object {self.name!r}: {PRESENT!r} is there already", "every instance has that variable")
        for name, given in self.instances.items():
            self._check_instance(name, given)

    def _check_instance(self, name: str, given: Mapping[str, Value]) -> None:
        if not VARIABLE_NAME.match(name):
            raise TelosError(f"{name!r} cannot name an object", "use letters, digits and _")
        unknown = [each for each in given if each not in self.parameters]
        if unknown:
            raise TelosError(
                f"{name!r} has {unknown[0]!r}, which is not a parameter of {self.name!r}",
                name_hint(unknown[0], self.parameters) or "declare it under `parameters`",
            )
        missing = [each for each in self.parameters if given.get(each) is None]
        if missing:
            raise TelosError(f"{name!r} lacks {missing[0]!r}", f"every {self.name!r} has one")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all instances and slots."""
        return (*self.instances, *self.slots)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Return the names of what may differ between the things: the thing itself, its parameters and variables."""
        return (self.name, *self.parameters, *(variable.name for variable in self.variables))

    @property
    def handles(self) -> dict[str, list[Value]]:
        """Return the handles that the instances have, by kind."""
        found: dict[str, list[Value]] = {}
        for given in self.instances.values():
            for name, value in given.items():
                found.setdefault(self.parameters[name].handle, []).append(value)
        return found

    def objects(self) -> tuple[SmartObject, ...]:
        """Return the smart objects: the instances, then the slots."""
        instances = [self._object(name, given) for name, given in self.instances.items()]
        return (*instances, *(self._object(name, None) for name in self.slots))

    def _object(self, name: str, given: Mapping[str, Value] | None) -> SmartObject:
        own = [Variable(PRESENT, "bool", given is not None)]
        own += [Variable(each, kind, (given or {}).get(each)) for each, kind in self.parameters.items()]
        actions = [_while_present(action) for action in self.actions]
        if given:  # as constants, which the planner estimates better than variables
            actions = [_with_handles(action, given) for action in actions]
        return SmartObject(name, variables=[*own, *self.variables], actions=actions)

    def example(self) -> SmartObject:
        """Return one of the objects with its parameters open, for checks of its expressions."""
        actions = [
            replace(action, parameters=FrozenMap({**self.parameters, **action.parameters})) for action in self.actions
        ]
        variables = [Variable(PRESENT, "bool"), *self.variables]
        return SmartObject(self.names[0], variables=variables, actions=actions)


def _while_present(action: Action) -> Action:
    condition = action.preconditions
    parts = (Name(PRESENT), *(part.expression for part in condition.parts))
    return replace(action, preconditions=Condition(parts[0] if len(parts) == 1 else And(parts)))


def _with_handles(action: Action, given: Mapping[str, Value]) -> Action:
    effects = []
    for each in action.effects:
        value = substitute(each.value, given)
        effects.append(each if value == each.value else replace(each, value=value, written=""))
    return replace(
        action,
        preconditions=Condition(substitute(action.preconditions.expression, given)),
        effects=tuple(effects),
        cost=substitute(action.cost, given),
    )
