"""Conditions and effects: what must hold before an action, and what it changes."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from telos.core.binding import Bound, Slots, bind
from telos.core.errors import TelosError
from telos.core.expressions import TRUE, And, Expression, to_text
from telos.core.parser import parse_assignments, parse_expression
from telos.core.state import Layout, State
from telos.core.values import BOOL, Kind, Value


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that holds in a state or does not, such as ``weapon_loaded and ammo >= 1``.

    >>> Condition.of("ammo >= 1").holds(State.of({"ammo": 0}))
    False
    """

    expression: Expression = TRUE

    @classmethod
    def of(cls, said: "ConditionLike") -> "Condition":
        """Read a condition: text, several texts that must all hold, or nothing (always holds)."""
        if isinstance(said, Condition):
            return said
        if said is None:
            return ALWAYS
        if isinstance(said, str):
            return cls(parse_expression(said))
        parts = [cls.of(each).expression for each in said]
        return cls(parts[0] if len(parts) == 1 else And(tuple(parts))) if parts else ALWAYS

    @property
    def parts(self) -> tuple["Condition", ...]:
        """Return the conditions that must all hold; none if it always does."""
        if self.expression == TRUE:
            return ()
        if isinstance(self.expression, And):
            return tuple(inner for part in self.expression.parts for inner in Condition(part).parts)
        return (self,)

    def holds(self, state: State) -> bool:
        """Whether the condition is true in ``state``."""
        return bool(bind(self.expression, state.layout, BOOL)(state.array))

    def unmet(self, state: State) -> tuple["Condition", ...]:
        """Return the parts that do not hold in ``state``."""
        return tuple(part for part in self.parts if not part.holds(state))

    def __str__(self) -> str:
        """Write the condition as a domain file would."""
        return to_text(self.expression)


ConditionLike: TypeAlias = Condition | str | Iterable[Condition | str] | None
ALWAYS = Condition()


@dataclass(frozen=True, slots=True)
class Effect:
    """A variable and the value it gets, read off the state before: ``ammo -= 1``, ``health = min(health + 5, 100)``.

    >>> [str(effect) for effect in Effect.all_of("weapon_loaded = true, ammo -= 1")]
    ['weapon_loaded = true', 'ammo -= 1']
    """

    variable: str
    value: Expression
    written: str = field(default="", compare=False)
    column: int = field(default=0, compare=False)

    @classmethod
    def all_of(cls, said: "EffectsLike") -> tuple["Effect", ...]:
        """Read effects: one text, with commas between several, or any number of texts."""
        if said is None:
            return ()
        if isinstance(said, Effect):
            return (said,)
        if isinstance(said, str):
            found = parse_assignments(said)
            return tuple(cls(each.variable, each.value, each.text, each.column) for each in found)
        return tuple(effect for each in said for effect in cls.all_of(each))

    def __str__(self) -> str:
        """Write the effect as a domain file would."""
        return self.written or f"{self.variable} = {to_text(self.value)}"


EffectsLike: TypeAlias = Effect | str | Iterable[Effect | str] | None


def bind_effects(effects: Iterable[Effect], layout: Layout) -> tuple[tuple[int, Bound], ...]:
    """Return for each effect the slot that it sets and the function from a state's array to the value it gets."""
    return tuple((layout.slot(effect.variable), _bind_effect(effect, layout)) for effect in effects)


def _bind_effect(effect: Effect, layout: Layout) -> Bound:
    kind = layout.variable(effect.variable).type
    value_of = bind(effect.value, layout, kind)
    if kind.kind is not Kind.NUMBER:
        return value_of

    def finite_value(array: Slots) -> Value:
        value = value_of(array)
        if not math.isfinite(value):
            raise TelosError(f"effect `{effect}` makes {effect.variable!r} {value}", "numbers stay finite")
        return value

    return finite_value


def apply_effects(effects: Iterable[Effect], state: State) -> State:
    """Return the state after all ``effects`` at once: each reads the state before, never another's result."""
    array = list(state.array)
    for slot, value_of in bind_effects(effects, state.layout):
        array[slot] = value_of(state.array)
    return State(state.layout, tuple(array))
