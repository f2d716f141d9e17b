"""Actions, and smart objects: things in the world that offer actions while their own state allows them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from telos.core.conditions import Condition, ConditionLike, Effect, EffectsLike, apply_effects
from telos.core.errors import TelosError, name_hint
from telos.core.expressions import Expression, Literal, parse_expression, rename, substitute
from telos.core.state import Layout, State
from telos.core.values import (
    VARIABLE_NAME,
    FrozenMap,
    Type,
    TypeLike,
    Value,
    Variable,
    check_finite,
    check_name,
    check_not_negative,
)


@dataclass(frozen=True, slots=True, init=False)
class Action:
    """One thing a character can do: when it is possible, what it changes, what it costs and how long it takes.

    ``changes`` says how much the action raises or lowers each goal (a motive) by the time it is done. ``promises`` are
    changes that arrive only through later actions: raw food promises to still hunger, though picking it up does not.
    ``parameters`` are open handles (which door?); ``bind`` sets them, and ``arguments`` holds their values. ``on`` is
    the name of the smart object that posts the action, if one does.

    >>> soda = Action("drink-soda", changes={"eat": -2, "bathroom": +2})
    >>> soda.changes["bathroom"]
    2.0
    """

    name: str
    preconditions: Condition
    effects: tuple[Effect, ...]
    cost: Expression
    duration: float
    changes: FrozenMap[str, float]
    promises: FrozenMap[str, float]
    parameters: FrozenMap[str, Type]
    arguments: FrozenMap[str, Value]
    on: str | None

    def __init__(
        self,
        name: str,
        *,
        preconditions: ConditionLike = None,
        effects: EffectsLike = None,
        cost: float | str | Expression = 1.0,
        duration: float = 0.0,
        changes: Mapping[str, float] | None = None,
        promises: Mapping[str, float] | None = None,
        parameters: Mapping[str, TypeLike] | None = None,
        arguments: Mapping[str, Value] | None = None,
        on: str | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "name", check_name("action", name))
        put(self, "preconditions", Condition.of(preconditions))
        put(self, "effects", Effect.all_of(effects))
        put(self, "cost", _cost(name, cost))
        put(self, "duration", check_not_negative(f"action {name!r}: duration", duration))
        put(self, "changes", _changes(name, "change", changes))
        put(self, "promises", _changes(name, "promised change", promises))
        put(self, "parameters", FrozenMap({each: Type.of(of) for each, of in (parameters or {}).items()}))
        put(self, "arguments", FrozenMap(arguments))
        put(self, "on", on)

    def bind(self, arguments: Mapping[str, Value]) -> "Action":
        """Return the action with its parameters bound to handles.

        >>> goto = Action("goto", parameters={"place": "node"}, effects="at = place")
        >>> print(goto.bind({"place": "gate"}))
        goto(gate)
        """
        if arguments.keys() != self.parameters.keys():
            wanted, given = ", ".join(self.parameters), ", ".join(arguments)
            raise TelosError(f"action {self.name!r} is bound with ({wanted}), not with ({given})")
        if not arguments:
            return self
        effects = [replace(each, value=substitute(each.value, arguments), written="") for each in self.effects]
        return replace(
            self,
            preconditions=Condition(substitute(self.preconditions.expression, arguments)),
            effects=tuple(effects),
            cost=substitute(self.cost, arguments),
            parameters=FrozenMap(),
            arguments=FrozenMap(arguments),
        )

    def __str__(self) -> str:
        """Return the name with the arguments: ``goto(gate)``."""
        return f"{self.name}({', '.join(map(str, self.arguments.values()))})" if self.arguments else self.name

    def is_possible(self, state: State) -> bool:
        """Whether the preconditions hold in ``state``."""
        return self.preconditions.holds(state)

    def result(self, state: State) -> State:
        """Return the state after the action."""
        return apply_effects(self.effects, state)


def _cost(name: str, cost: float | str | Expression) -> Expression:
    if isinstance(cost, str):
        return parse_expression(cost)
    if isinstance(cost, int | float):
        return Literal(check_not_negative(f"action {name!r}: cost", cost))
    return cost


def _changes(name: str, what: str, changes: Mapping[str, float] | None) -> FrozenMap[str, float]:
    if changes is not None and not isinstance(changes, Mapping):
        raise TelosError(f"action {name!r}: changes are a dictionary of goal to number, got {changes!r}")
    each = {goal: check_finite(f"action {name!r}: {what} of {goal!r}", by) for goal, by in (changes or {}).items()}
    return FrozenMap(each)


@dataclass(frozen=True, slots=True, init=False)
class SmartObject:
    """An object such as an oven or a door, with its own variables; it posts the actions that its state allows.

    Inside the object, its variables and actions have short names; outside they are ``oven.contents`` and ``oven.cook``,
    so that a house can have two ovens.

    >>> kettle = SmartObject(
    ...     "kettle",
    ...     variables=[Variable("hot", "bool")],
    ...     actions=[Action("boil", preconditions="not hot", effects="hot = true"),
    ...              Action("make-tea", preconditions="hot", effects="hot = false", changes={"thirst": -3})],
    ... )
    >>> state = kettle.state()
    >>> [action.name for action in kettle.posts(state)]
    ['kettle.boil']
    >>> [action.name for action in kettle.posts(kettle.action("boil").result(state))]
    ['kettle.make-tea']
    """

    name: str
    variables: tuple[Variable, ...]
    actions: tuple[Action, ...]

    def __init__(self, name: str, *, variables: Iterable[Variable] = (), actions: Iterable[Action] = ()) -> None:
        if not VARIABLE_NAME.match(name):
            raise TelosError(f"{name!r} cannot name an object", f"use letters, digits and _, as in {_as_word(name)!r}")
        own = tuple(variables)
        short = frozenset(variable.name for variable in own)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "variables", tuple(Variable(f"{name}.{v.name}", v.type, v.start) for v in own))
        object.__setattr__(self, "actions", tuple(_to_posted(action, name, short) for action in actions))

    def posts(self, state: State) -> tuple[Action, ...]:
        """Return the actions on offer in ``state``."""
        return tuple(action for action in self.actions if action.is_possible(state))

    def action(self, name: str) -> Action:
        """Return the action with that name, short or long."""
        for action in self.actions:
            if action.name in (name, f"{self.name}.{name}"):
                return action
        short = [action.name.removeprefix(f"{self.name}.") for action in self.actions]
        raise TelosError(f"{self.name!r} has no action {name!r}", name_hint(name, short))

    def state(self) -> State:
        """Return the start state of the object alone."""
        return Layout(self.variables).state()


def _to_posted(action: Action, owner: str, short: frozenset[str]) -> Action:
    def long(name: str) -> str:
        return f"{owner}.{name}" if name in short else name

    effects = [replace(each, variable=long(each.variable), value=rename(each.value, long)) for each in action.effects]
    return replace(
        action,
        name=f"{owner}.{action.name}",
        preconditions=Condition(rename(action.preconditions.expression, long)),
        effects=tuple(effects),
        cost=rename(action.cost, long),
        on=owner,
    )


def _as_word(name: str) -> str:
    word = "".join(character if character.isalnum() else "_" for character in name).strip("_")
    return word if VARIABLE_NAME.match(word) else "oven"
