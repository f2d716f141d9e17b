"""Actions: what a character can do."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from telos.core.conditions import Condition, ConditionLike, Effect, EffectsLike, apply
from telos.core.errors import TelosError
from telos.core.expressions import Expression, Literal, substitute
from telos.core.frozen import FrozenMap
from telos.core.numbers import finite, not_negative
from telos.core.parser import parse_expression
from telos.core.state import State
from telos.core.values import Type, TypeLike, Value, checked_name


@dataclass(frozen=True, slots=True, init=False)
class Action:
    """One thing a character can do: when it is possible, what it changes, what it costs and how long it takes.

    ``changes`` says how much the action raises or lowers each goal (a motive) by the time it is done. ``promises`` are
    changes that arrive only through later actions: raw food promises to still hunger, though picking it up does not.
    ``parameters`` are handles that are left open (which door?); ``bind`` closes them, and ``arguments`` then holds what
    they were bound to. ``on`` names the smart object that posts the action, if one does.

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
        put(self, "name", checked_name("action", name))
        put(self, "preconditions", Condition.of(preconditions))
        put(self, "effects", Effect.all_of(effects))
        put(self, "cost", _cost(name, cost))
        put(self, "duration", not_negative(f"action {name!r}: duration", duration))
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
        """Write the action with what it was bound to: ``goto(gate)``."""
        return f"{self.name}({', '.join(map(str, self.arguments.values()))})" if self.arguments else self.name

    def is_possible(self, state: State) -> bool:
        """Whether the preconditions hold in ``state``."""
        return self.preconditions.holds(state)

    def result(self, state: State) -> State:
        """Return the state afterwards."""
        return apply(self.effects, state)


def _cost(name: str, cost: float | str | Expression) -> Expression:
    if isinstance(cost, str):
        return parse_expression(cost)
    if isinstance(cost, int | float):
        return Literal(not_negative(f"action {name!r}: cost", cost))
    return cost


def _changes(name: str, what: str, changes: Mapping[str, float] | None) -> FrozenMap[str, float]:
    if changes is not None and not isinstance(changes, Mapping):
        raise TelosError(f"action {name!r}: changes are a dictionary of goal to number, got {changes!r}")
    each = {goal: finite(f"action {name!r}: {what} of {goal!r}", by) for goal, by in (changes or {}).items()}
    return FrozenMap(each)
