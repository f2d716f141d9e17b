"""The bulk kernel in both of its forms: the Python that it is, and compiled by Numba; one edition a number of goals.

Numba is an extra. Where it is missing, the kernel runs as it is written, slowly, with the same results.
"""

import math
import types
from functools import cache
from typing import Any

from telos.core import kernels
from telos.recognition import kernel, kernel_backward

# In this order, and in that of the files, a function is compiled before those that call it.
_MODULES = (kernel, kernel_backward)
_FUNCTIONS = kernels.functions_of(_MODULES)
ENTRIES = ("filter_players", "update_players", "smooth_players", "explain_players")
SELDOM = ("faint", "settle", "look_back_faintly")  # called rarely: inside the hot loop they would only be in its way


def is_installed() -> bool:
    """Whether Numba can be had."""
    return kernels.is_installed()


@cache
def plain(goals: int) -> Any:
    """Return the kernel for so many goals as the Python that it is; it works on lists."""
    names = _names(goals)
    for name, function in _FUNCTIONS.items():
        names[name] = types.FunctionType(function.__code__, names, name)
    return types.SimpleNamespace(**names)


@cache
def compiled(goals: int) -> Any:
    """Return the kernel for so many goals, compiled; it works on arrays.

    Numba reads the number of goals as a constant, so every loop over goals is written out. It compiles a function when
    it is first called, or takes it from its cache on disk.
    """
    names, edition = _names(goals), kernels.edition_of(_MODULES)
    for name, function in _FUNCTIONS.items():
        copied = types.FunctionType(function.__code__, names, name)
        copied.__qualname__ = f"{name}_{goals}_{edition}"
        names[name] = kernels.compile_one(copied, forceinline=name not in (*ENTRIES, *SELDOM))
    return types.SimpleNamespace(**names)


def _names(goals: int) -> dict[str, Any]:
    """Return the constants that the functions refer to."""
    constants = {name: each for module in _MODULES for name, each in vars(module).items() if name.isupper()}
    return {**constants, "GOALS": goals, "math": math, "__name__": kernel.__name__}
