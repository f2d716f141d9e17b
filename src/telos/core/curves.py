"""How much discontent a level of insistence causes."""

from collections.abc import Callable
from typing import TypeAlias

from telos.core.errors import TelosError, name_hint

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
