"""The bulk kernel in both of its forms: the Python that it is, and compiled by Numba; one edition a number of goals.

Numba is an extra. Where it is missing, the kernel runs as it is written, slowly, with the same results.
"""

import hashlib
import inspect
import math
import types
from functools import cache
from importlib.util import find_spec
from typing import Any

from telos.recognition import kernel, kernel_backward

# In this order, and in that of the files, a function is compiled before those that call it.
_MODULES = (kernel, kernel_backward)
_FUNCTIONS: dict[str, types.FunctionType] = {
    name: each
    for module in _MODULES
    for name, each in vars(module).items()
    if isinstance(each, types.FunctionType) and each.__module__ == module.__name__
}
ENTRIES = ("filter_players", "update_players", "smooth_players", "explain_players")
SELDOM = ("faint", "settle", "look_back_faintly")  # called rarely: inside the hot loop they would only be in its way


def is_installed() -> bool:
    """Whether Numba can be had."""
    return find_spec("numba") is not None


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
    import numba  # heavy: half a second, so only when asked for

    names = _names(goals)
    edition = _edition()
    for name, function in _FUNCTIONS.items():
        copied = types.FunctionType(function.__code__, names, name)
        copied.__qualname__ = f"{name}_{goals}_{edition}"
        names[name] = _jit(numba, copied, inner=name not in (*ENTRIES, *SELDOM))
    return types.SimpleNamespace(**names)


def _names(goals: int) -> dict[str, Any]:
    """Return the constants that the functions refer to."""
    constants = {name: each for module in _MODULES for name, each in vars(module).items() if name.isupper()}
    return {**constants, "GOALS": goals, "math": math, "__name__": kernel.__name__}


def _edition() -> str:
    """Return what tells this edition of the kernel from others.

    Numba's cache looks at the one file that a function stands in, and not at those whose functions are part of it.
    """
    sources = (inspect.getsource(module) for module in _MODULES)
    return hashlib.sha256("".join(sources).encode()).hexdigest()[:12]


def _jit(numba: Any, function: types.FunctionType, *, inner: bool) -> Any:
    options = {"nogil": True, "boundscheck": False, "error_model": "numpy", "forceinline": inner}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # nowhere to keep a cache, as in a read-only install: compile anew in each process
        return numba.njit(**options)(function)
