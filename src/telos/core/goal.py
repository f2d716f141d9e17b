"""Goals, and the curves that turn insistence into discontentment."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import TelosError, name_hint
from telos.core.values import check_finite, check_name, check_not_negative

Curve: TypeAlias = Callable[[float], float]


def linear(level: float) -> float:
    """Every point counts the same, so that several mild needs can outweigh a severe one."""
    return level


def square(level: float) -> float:
    """Severe needs count more than in proportion: the default."""
    return level * level


def cube(level: float) -> float:
    """Severe needs dominate: for goals such as staying alive."""
    return level * level * level


# All of these rise with the level, which the branch-and-bound look-ahead relies on.
CURVES: dict[str, Curve] = {"linear": linear, "square": square, "cube": cube}


def curve_of(curve: str | Curve) -> Curve:
    """Return the curve of that name; a function is returned as it is.

    >>> curve_of("cube")(2.0)
    8.0
    """
    if callable(curve):
        return curve
    if curve not in CURVES:
        raise TelosError(f"unknown curve {curve!r}", f"{name_hint(curve, CURVES)}, or pass a function")
    return CURVES[curve]


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
        curve_of(curve)  # an unknown name is an error here, not in the middle of a game
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
        """Return the discontentment that this goal causes at ``level`` (default: its insistence)."""
        return self.weight * curve_of(self.curve)(self.insistence if level is None else level)

    def at(self, insistence: float) -> "Goal":
        return replace(self, insistence=insistence)
