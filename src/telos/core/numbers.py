"""Checks on numbers that people pass in."""

import sys

from telos.core.errors import TelosError

LARGEST = sys.float_info.max


def finite(what: str, value: float) -> float:
    """Return ``value`` as a float; refuse NaN, infinities and what is not a number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not -LARGEST <= value <= LARGEST:
        raise TelosError(f"{what} must be a finite number, got {value!r}")
    return float(value)


def not_negative(what: str, value: float) -> float:
    """Return ``value`` as a float; refuse what is below zero as well."""
    if finite(what, value) < 0:
        raise TelosError(f"{what} must be zero or more, got {value!r}")
    return float(value)
