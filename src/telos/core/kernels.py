"""Kernels: hot loops in plain Python that Numba compiles where it is installed.

A kernel is a module of ordinary functions on numbers and arrays; in its file a function stands below those that it
calls. ``kernel`` gives it compiled if Numba can be had, and as it is written otherwise: slow, with the same results.
"""

import hashlib
import inspect
import types
from functools import cache
from importlib.util import find_spec
from typing import Any


def is_installed() -> bool:
    """Whether Numba can be had."""
    return find_spec("numba") is not None


def kernel(*modules: types.ModuleType) -> Any:
    """Return the functions of kernel modules, in the fastest form there is here."""
    return compiled(*modules) if is_installed() else plain(*modules)


@cache
def plain(*modules: types.ModuleType) -> Any:
    """Return the functions of kernel modules as the Python that they are."""
    return types.SimpleNamespace(**_functions(modules))


@cache
def compiled(*modules: types.ModuleType) -> Any:
    """Return the functions of kernel modules, compiled; a later module may call those before it.

    Numba compiles a function when it is first called, or takes it from its cache on disk.
    """
    import numba  # heavy: half a second, so only when asked for

    edition = _edition(modules)
    names = {name: each for module in modules for name, each in vars(module).items() if not name.startswith("__")}
    names["__name__"] = modules[-1].__name__
    functions = _functions(modules)
    for name, function in functions.items():
        copied = types.FunctionType(function.__code__, names, name, function.__defaults__)
        copied.__qualname__ = f"{name}_{edition}"
        names[name] = _jit(numba, copied)
    return types.SimpleNamespace(**{name: names[name] for name in functions})


def _functions(modules: tuple[types.ModuleType, ...]) -> dict[str, types.FunctionType]:
    return {
        name: each
        for module in modules
        for name, each in vars(module).items()
        if isinstance(each, types.FunctionType) and each.__module__ == module.__name__
    }


def _edition(modules: tuple[types.ModuleType, ...]) -> str:
    """Return what tells this edition of the modules from others.

    Numba's cache looks at the one file that a function stands in, and not at those whose functions are part of it.
    """
    sources = (inspect.getsource(module) for module in modules)
    return hashlib.sha256("".join(sources).encode()).hexdigest()[:12]


def _jit(numba: Any, function: types.FunctionType) -> Any:
    options = {"nogil": True, "boundscheck": False, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # nowhere to keep a cache, as in a read-only install: compile anew in each process
        return numba.njit(**options)(function)
