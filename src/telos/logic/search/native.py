"""The kernels of search in both of their forms: the Python that they are, and compiled by Numba.

Numba is an extra. Where it is missing, the kernels run as they are written, slowly, with the same results.
"""

import hashlib
import inspect
import math
import types
from functools import cache
from importlib.util import find_spec
from typing import Any

from telos.logic.search import kernel, kernel_sampling, kernel_walking

# In this order, and in that of the files, a function is compiled before those that call it.
_MODULES = (kernel, kernel_walking, kernel_sampling)
_FUNCTIONS: dict[str, types.FunctionType] = {
    name: each
    for module in _MODULES
    for name, each in vars(module).items()
    if isinstance(each, types.FunctionType) and each.__module__ == module.__name__
}
_CONSTANTS = {name: each for module in _MODULES for name, each in vars(module).items() if name.isupper()}


def kernels() -> Any:
    """Return the kernels, compiled if Numba can be had."""
    return compiled() if find_spec("numba") is not None else plain()


@cache
def plain() -> Any:
    """Return the kernels as the Python that they are."""
    return types.SimpleNamespace(**_FUNCTIONS)


@cache
def compiled() -> Any:
    """Return the kernels compiled; Numba does that when they are first called, or takes them from its cache."""
    import numba  # heavy: half a second, so only when asked for

    names: dict[str, Any] = {**_CONSTANTS, "math": math, "__name__": kernel.__name__}
    edition = _edition()
    for name, function in _FUNCTIONS.items():
        copied = types.FunctionType(function.__code__, names, name)
        copied.__qualname__ = f"{name}_{edition}"
        names[name] = _jit(numba, copied)
    return types.SimpleNamespace(**{name: names[name] for name in _FUNCTIONS})


def _edition() -> str:
    """Return what tells this edition from others: Numba's cache looks only at the file that a function stands in."""
    sources = (inspect.getsource(module) for module in _MODULES)
    return hashlib.sha256("".join(sources).encode()).hexdigest()[:12]


def _jit(numba: Any, function: types.FunctionType) -> Any:
    options = {"nogil": True, "boundscheck": False, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # nowhere to keep a cache, as in a read-only install: compile anew in each process
        return numba.njit(**options)(function)
