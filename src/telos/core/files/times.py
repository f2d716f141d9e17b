"""Times as people write them: `0.2 s`, `200 ms`, or a bare number of seconds."""

import math
import re
from typing import Annotated, Any, TypeAlias

from telos.core.files.leaves import Leaf

# At most nine digits on each side: no written time is infinite, and a billion seconds are thirty years.
_PATTERN = r"(?:[0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}) ?(?:s|ms)"
_TIME = re.compile(rf"({_PATTERN})\Z")
_ABOVE_ZERO = "(?=[^1-9]*[1-9])"  # in a schema there is only the pattern to say so


def seconds_of(said: Any) -> float | None:
    """Return a written time in seconds; None if it is no time.

    >>> seconds_of("200 ms"), seconds_of("12 s"), seconds_of(3), seconds_of("3 days"), seconds_of("-1 s")
    (0.2, 12.0, 3.0, None, None)
    """
    if isinstance(said, str) and _TIME.match(said):
        number = float(said.rstrip("ms "))
        return number / 1000 if said.endswith("ms") else number
    if isinstance(said, int | float) and not isinstance(said, bool) and math.isfinite(said) and said >= 0:
        return float(said)
    return None


def _is_time(value: Any) -> bool:
    return seconds_of(value) is not None


def _is_period(value: Any) -> bool:
    return (seconds_of(value) or 0.0) > 0


Moment: TypeAlias = Annotated[
    float | str,
    Leaf(
        "a time such as `3 s` or `500 ms`, zero or more",
        _is_time,
        {"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": f"^{_PATTERN}$"}]},
    ),
]
Period: TypeAlias = Annotated[
    float | str,
    Leaf(
        "a time above zero, such as `3 s` or `500 ms`",
        _is_period,
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                {"type": "string", "pattern": f"^{_ABOVE_ZERO}{_PATTERN}$"},
            ]
        },
    ),
]
