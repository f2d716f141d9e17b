"""Chances and durations as people write them: `0.8`, `1/3`, `100 updates`."""

import math
import re
from fractions import Fraction
from typing import Annotated, Any, TypeAlias

from telos.core.files.leaves import Leaf

# Nine digits at most: more is no chance that a person has in mind, and reading it would take time.
_FRACTION = "[0-9]{1,9} ?/ ?(?=[0-9]*[1-9])[0-9]{1,9}"
_UPDATES = r"(?:0*[1-9][0-9]{0,8}(?:\.[0-9]{1,9})?) updates?"
_IS_FRACTION = re.compile(rf"{_FRACTION}\Z")
_IS_UPDATES = re.compile(rf"{_UPDATES}\Z")


def chance_of(said: Any) -> Fraction | None:
    """Return a written chance exactly, whatever binary makes of it; None if it is none.

    >>> chance_of("1/3"), chance_of(0.1), chance_of(1.5), chance_of("much"), chance_of("4/3")
    (Fraction(1, 3), Fraction(1, 10), Fraction(3, 2), None, Fraction(4, 3))
    """
    if isinstance(said, str) and _IS_FRACTION.match(said):
        return Fraction(said.replace(" ", ""))
    if isinstance(said, int | float) and not isinstance(said, bool) and math.isfinite(said):
        return Fraction(repr(said))
    return None


def _is_chance(value: Any) -> bool:
    chance = chance_of(value)
    # A fraction above one is for the loader to tell: a pattern cannot compare.
    return chance is not None and (isinstance(value, str) or 0 <= chance <= 1)


def written(chance: float) -> float | str:
    """Return a chance as a person would write it; reading it again gives the very same number.

    >>> written(1 / 3), written(0.25), written(0.005), written(1.0)
    ('1/3', 0.25, 0.005, 1)
    """
    if chance == int(chance):
        return int(chance)
    near = Fraction(chance).limit_denominator(99)
    is_round = len(repr(chance)) <= 8
    return f"{near.numerator}/{near.denominator}" if not is_round and float(near) == chance else chance


def updates_of(said: Any) -> float | None:
    """Return how many updates a goal is said to last; None if that cannot be.

    >>> updates_of("100 updates"), updates_of(10), updates_of("0 updates"), updates_of("a while")
    (100.0, 10.0, None, None)
    """
    if isinstance(said, str) and _IS_UPDATES.match(said):
        return float(said.split()[0])
    if isinstance(said, int | float) and not isinstance(said, bool) and math.isfinite(said) and said >= 1:
        return float(said)
    return None


_CHANCE_SCHEMA = {
    "anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "string", "pattern": f"^{_FRACTION}$"}],
    "examples": [0.8, "1/3"],
}
ChanceOrShared: TypeAlias = Annotated[
    float | str,
    Leaf(
        "a chance from 0 to 1, such as 0.8 or 1/3",
        lambda value: value == "shared" or _is_chance(value),
        {"anyOf": [*_CHANCE_SCHEMA["anyOf"], {"const": "shared"}], "examples": [0.8, "1/3"]},
        "`shared` stands after `others`",
    ),
]
Updates: TypeAlias = Annotated[
    float | str,
    Leaf(
        "a number of updates, 1 or more, such as `100 updates`",
        lambda value: updates_of(value) is not None,
        {"anyOf": [{"type": "number", "minimum": 1}, {"type": "string", "pattern": f"^{_UPDATES}$"}]},
    ),
]
Count: TypeAlias = Annotated[
    float,
    Leaf(
        "a count, zero or more",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf,
        {"type": "number", "minimum": 0},
    ),
]
MOST_PAY = 1000  # so that no product of factors runs out of numbers
Factor: TypeAlias = Annotated[
    float,
    Leaf(
        "a factor from 0 to 1000, such as 0.5",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_PAY,
        {"type": "number", "minimum": 0, "maximum": MOST_PAY, "examples": [0.5]},
    ),
]
