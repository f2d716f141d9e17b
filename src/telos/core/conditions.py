"""Conditions and effects: what must hold before an action, and what it changes in the state."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from telos.core.errors import TelosError
from telos.core.expressions import (
    TRUE,
    And,
    Bound,
    Expression,
    Slots,
    bind,
    parse_assignments,
    parse_expression,
    to_text,
)
from telos.core.state import Layout, State
from telos.core.values import BOOL, MAX_FLOAT, Value, ValueKind


@dataclass(frozen=True, slots=True)
class Condition:
    """A boolean expression over a state, such as ``weapon_loaded and ammo >= 1``.

    >>> Condition.of("ammo >= 1").holds(State.of({"ammo": 0}))
    False
    """

    expression: Expression = TRUE

    @classmethod
    def of(cls, spec: "ConditionLike") -> "Condition":
        """Return the condition of a text, of several texts that must all hold, or of None (always holds)."""
        if isinstance(spec, Condition):
            return spec
        if spec is None:
            return ALWAYS
        if isinstance(spec, str):
            return cls(parse_expression(spec))
        parts = [cls.of(each).expression for each in spec]
        return cls(parts[0] if len(parts) == 1 else And(tuple(parts))) if parts else ALWAYS

    @property
    def parts(self) -> tuple["Condition", ...]:
        """Return the conditions that must all hold; none if the condition always holds."""
        if self.expression == TRUE:
            return ()
        if isinstance(self.expression, And):
            return tuple(inner for part in self.expression.parts for inner in Condition(part).parts)
        return (self,)

    def holds(self, state: State) -> bool:
        return bool(bind(self.expression, state.layout, BOOL)(state.array))

    def unmet(self, state: State) -> tuple["Condition", ...]:
        """Return the parts that do not hold in ``state``; one that an earlier part guards may have no value there.

        >>> guarded = Condition.of("wolves > 0 and sheep / wolves > 2")
        >>> [str(part) for part in guarded.unmet(State.of({"wolves": 0, "sheep": 5}))]
        ['wolves > 0']
        """
        missing: list[Condition] = []
        for part in self.parts:
            try:
                if not part.holds(state):
                    missing.append(part)
            except TelosError:
                if not missing:
                    raise
        return tuple(missing)

    def __str__(self) -> str:
        """Return the condition as a domain file writes it."""
        return to_text(self.expression)


ConditionLike: TypeAlias = Condition | str | Iterable[Condition | str] | None
ALWAYS = Condition()


@dataclass(frozen=True, slots=True)
class Effect:
    """A variable and its new value, computed from the state before: ``ammo -= 1``, ``health = min(health + 5, 100)``.

    >>> [str(effect) for effect in Effect.all_of("weapon_loaded = true, ammo -= 1")]
    ['weapon_loaded = true', 'ammo -= 1']
    """

    variable: str
    value: Expression
    written: str = field(default="", compare=False)
    column: int = field(default=0, compare=False)

    @classmethod
    def all_of(cls, spec: "EffectsLike") -> tuple["Effect", ...]:
        """Return the effects of a text, with commas between several, or of any number of texts."""
        if spec is None:
            return ()
        if isinstance(spec, Effect):
            return (spec,)
        if isinstance(spec, str):
            found = parse_assignments(spec)
            return tuple(cls(each.variable, each.value, each.text, each.column) for each in found)
        return tuple(effect for each in spec for effect in cls.all_of(each))

    def __str__(self) -> str:
        """Return the effect as a domain file writes it."""
        return self.written or f"{self.variable} = {to_text(self.value)}"


EffectsLike: TypeAlias = Effect | str | Iterable[Effect | str] | None


def bind_effects(effects: Iterable[Effect], layout: Layout) -> tuple[tuple[int, Bound], ...]:
    """Return for each effect its slot and the function from a state's array to the new value."""
    return tuple((layout.slot(effect.variable), _bind_effect(effect, layout)) for effect in effects)


def _bind_effect(effect: Effect, layout: Layout) -> Bound:
    kind = layout.variable(effect.variable).type
    value_of = bind(effect.value, layout, kind)
    if kind.kind is not ValueKind.NUMBER:
        return value_of

    def finite_value(array: Slots) -> Value:
        value = value_of(array)
        if not -MAX_FLOAT <= value <= MAX_FLOAT:  # an int may be larger than any float
            raise TelosError(f"effect `{effect}` makes {effect.variable!r} {value}", "numbers stay finite")
        return value

    return finite_value


def apply_effects(effects: Iterable[Effect], state: State) -> State:
    """Return the state after all ``effects`` at once: each reads the state before."""
    array = list(state.array)
    for slot, value_of in bind_effects(effects, state.layout):
        array[slot] = value_of(state.array)
    return State(state.layout, tuple(array))
