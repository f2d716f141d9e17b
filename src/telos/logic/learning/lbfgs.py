"""Limited-memory BFGS: minimising a smooth function of many weights, one step at a time.

Why our own: the state of a search is plain data here, so that learning can stop, be saved, and go on as if it had never
stopped. Nocedal & Wright, *Numerical Optimization*, algorithm 7.4; the line search halves and doubles until the step
meets the weak Wolfe conditions (Lewis & Overton 2013).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from telos.logic.network import Floats

REMEMBERED = 8  # steps from which the curvature is guessed
MOST_TRIED = 30  # step lengths in one line search
ENOUGH, STEEP = 1e-4, 0.9  # Wolfe: how much a step must gain, and how much flatter it must end

Function = Callable[[Floats], tuple[float, Floats]]  # its value and its gradient


@dataclass(frozen=True, slots=True)
class Descent:
    """Where a search stands. ``steps`` and ``turns`` are the last changes of the place and of the gradient."""

    place: Floats
    value: float
    gradient: Floats
    steps: tuple[Floats, ...] = ()
    turns: tuple[Floats, ...] = ()
    is_over: bool = False  # no step makes it better


def dot(left: Floats, right: Floats) -> float:
    """Return the inner product, in this thread: BLAS would wake others for it, and mostly wait for them."""
    return float(np.einsum("i,i->", left, right))


def begin(function: Function, place: Floats) -> Descent:
    """Return the search that starts at a place."""
    value, gradient = function(place)
    return Descent(place, value, gradient)


def advance(function: Function, descent: Descent, *, tolerance: float = 1e-5) -> Descent:
    """Take one step; the search is over when the steepest slope is below ``tolerance``, or nothing improves.

    >>> bowl = lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3))
    >>> descent = begin(bowl, np.zeros(2))
    >>> for _ in range(5):
    ...     descent = advance(bowl, descent)
    >>> descent.place.round(6).tolist(), descent.is_over
    ([3.0, 3.0], True)
    """
    if np.abs(descent.gradient).max(initial=0.0) <= tolerance:
        return replace(descent, is_over=True)
    downhill = direction(descent)
    found = _search(function, descent, downhill)
    if found is None and descent.steps:  # the guess of the curvature misled: straight down, and guess anew
        descent = replace(descent, steps=(), turns=())
        found = _search(function, descent, direction(descent))
    if found is None:
        return replace(descent, is_over=True)
    step, turn = found.place - descent.place, found.gradient - descent.gradient
    if dot(step, turn) <= 1e-10 * dot(turn, turn):  # hardly any curvature along this step: nothing to learn from it
        return replace(found, steps=descent.steps, turns=descent.turns)
    return replace(
        found,
        steps=(*descent.steps, step)[-REMEMBERED:],
        turns=(*descent.turns, turn)[-REMEMBERED:],
    )


def direction(descent: Descent) -> Floats:
    """Return the way that leads to the bottom of the bowl that the last steps suggest."""
    heading = descent.gradient.copy()
    if not descent.steps:
        return -heading / max(1.0, math.sqrt(dot(heading, heading)))
    pulls = []
    for step, turn in zip(reversed(descent.steps), reversed(descent.turns), strict=True):
        pull = dot(step, heading) / dot(step, turn)
        heading -= pull * turn
        pulls.append(pull)
    step, turn = descent.steps[-1], descent.turns[-1]
    heading *= dot(step, turn) / dot(turn, turn)
    for step, turn, pull in zip(descent.steps, descent.turns, reversed(pulls), strict=True):
        heading += (pull - dot(turn, heading) / dot(step, turn)) * step
    return -heading


def _search(function: Function, descent: Descent, downhill: Floats) -> Descent | None:
    """Find a step along a direction that gains enough and ends flat enough, or None."""
    slope = dot(descent.gradient, downhill)
    if slope >= 0.0:
        return None
    length, low, high = 1.0, 0.0, np.inf
    kept: Descent | None = None
    for _ in range(MOST_TRIED):
        place = descent.place + length * downhill
        value, gradient = function(place)
        if not value <= descent.value + ENOUGH * length * slope:  # also if it is no number
            high = length
        else:
            kept = Descent(place, value, gradient)
            if dot(gradient, downhill) >= STEEP * slope:
                break
            low = length
        length = (low + high) / 2 if high < np.inf else 2 * length
    return kept
