"""Time to get to where an action starts, when a straight line is a good enough guess."""

import math
from collections.abc import Callable, Mapping

from telos.core.action import Action
from telos.core.errors import TelosError, name_hint
from telos.core.numbers import finite


def straight_line(
    here: tuple[float, float], places: Mapping[str, tuple[float, float]], *, speed: float = 1.0
) -> Callable[[Action], float]:
    """Return a travel time that is the distance to an action's object divided by ``speed``.

    An action that belongs to no object starts where the character stands. A path-finder takes the same place: any
    function from an action to a time.

    >>> from telos.core.smart_object import SmartObject
    >>> fridge = SmartObject("fridge", actions=[Action("get-snack", changes={"eat": -2})])
    >>> straight_line((0, 0), {"fridge": (3, 4)}, speed=2)(fridge.actions[0])
    2.5
    """
    if finite("speed", speed) <= 0:
        raise TelosError(f"speed must be above zero, got {speed!r}")

    def time_to(action: Action) -> float:
        if action.on is None:
            return 0.0
        if action.on not in places:
            raise TelosError(f"no place is known for {action.on!r}", name_hint(action.on, places))
        return math.dist(here, places[action.on]) / speed

    return time_to
