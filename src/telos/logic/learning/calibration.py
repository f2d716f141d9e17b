"""How sure to be: mistake-driven learners find weights up to a common factor, and beliefs depend on that factor.

The most probable world is the same under weights twice as large. The belief about it is not: too small a factor and it
hardly leaves the even chance, too large a one and it is certain of everything.
"""

import math
from collections.abc import Sequence

from telos.logic.learning.worlds import Worlds
from telos.logic.network import Floats

LEAST, MOST = -12.0, 8.0  # logarithms of the factors that are tried
GOLDEN = (math.sqrt(5) - 1) / 2
STEPS = 18  # of golden-section search: the factor is known to a quarter of a percent then


def sure_factor(worlds: Worlds, chosen: Sequence[int], weights: Floats, *, is_prefix: bool) -> float:
    """Return the factor under which the truth of these worlds is likeliest.

    The likelihood of whole worlds has one top; golden-section search finds it, or for prefixes one of the tops.
    """
    if not weights.any():
        return 1.0

    def surprise(log_factor: float) -> float:
        return -worlds.log_chance(chosen, weights * math.exp(log_factor), is_prefix=is_prefix)

    low, high = LEAST, MOST
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = surprise(left), surprise(right)
    for _ in range(STEPS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = surprise(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = surprise(right)
    return math.exp((low + high) / 2)
