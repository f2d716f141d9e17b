"""Goal and discontentment curves."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import TelosError, name_hint
from telos.core.values import check_finite, check_name, check_not_negative

# --- curves -----------------------------------------------------------------------------------------------------------
# How much discontent a level of insistence causes.


Curve: TypeAlias = Callable[[float], float]


def linear(level: float) -> float:
    """Every point counts the same, so several mild needs can outweigh a desperate one."""
    return level


def square(level: float) -> float:
    """High needs count more than their share: the usual choice."""
    return level * level


def cube(level: float) -> float:
    """For what must never be let slip, such as staying alive."""
    return level * level * level


# All of these rise with the level, which the branch-and-bound look-ahead relies on.
CURVES: dict[str, Curve] = {"linear": linear, "square": square, "cube": cube}


def curve_of(said: str | Curve) -> Curve:
    """Return the curve of that name; a function is its own curve.

    >>> curve_of("cube")(2.0)
    8.0
    """
    if callable(said):
        return said
    if said not in CURVES:
        raise TelosError(f"unknown curve {said!r}", f"{name_hint(said, CURVES)}, or pass a function")
    return CURVES[said]


# --- goal -------------------------------------------------------------------------------------------------------------
# Goals: what a character is after, and how badly.


@dataclass(frozen=True, slots=True, init=False)
class Goal:
    """Something a character wants.

    A goal of goal-oriented *behaviour* (a motive) has an ``insistence`` that drifts by ``drift`` per unit of time and
    causes discontent along a ``curve``, times its ``weight``. A goal of goal-oriented action *planning* says what it
    ``wants`` to hold, its ``priority``, and when it is ``relevant``. One goal may be both.

    >>> Goal("eat", insistence=4).discontentment()
    16.0
    """

    name: str
    insistence: float
    drift: float
    curve: str | Curve
    weight: float
    wants: Condition | None
    priority: float
    relevant: Condition

    def __init__(
        self,
        name: str,
        insistence: float = 0.0,
        *,
        drift: float = 0.0,
        curve: str | Curve = "square",
        weight: float = 1.0,
        wants: ConditionLike = None,
        priority: float = 0.0,
        relevant: ConditionLike = None,
    ) -> None:
        curve_of(curve)  # an unknown name is an error now, not in the middle of a game
        put = object.__setattr__
        put(self, "name", check_name("goal", name))
        put(self, "insistence", check_not_negative(f"goal {name!r}: insistence", insistence))
        put(self, "drift", check_finite(f"goal {name!r}: drift", drift))
        put(self, "curve", curve)
        put(self, "weight", check_not_negative(f"goal {name!r}: weight", weight))
        put(self, "wants", None if wants is None else Condition.of(wants))
        put(self, "priority", check_finite(f"goal {name!r}: priority", priority))
        put(self, "relevant", Condition.of(relevant))

    def discontentment(self, level: float | None = None) -> float:
        """Return the discontent that this goal causes at ``level`` (by default, as insistent as it is)."""
        return self.weight * curve_of(self.curve)(self.insistence if level is None else level)

    def at(self, insistence: float) -> "Goal":
        """Return the goal with another insistence."""
        return replace(self, insistence=insistence)
