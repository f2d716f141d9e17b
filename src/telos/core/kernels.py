"""Kernels: hot loops in plain Python that Numba compiles where it is installed.

A kernel is a module of ordinary functions on numbers and arrays; in its file a function stands below those that it
calls. ``kernel`` gives it compiled if Numba can be had, and as it is written otherwise: slow, with the same results. A
module may name in ``INLINED`` functions that the compiler is to write out wherever they are called.
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
    return types.SimpleNamespace(**functions_of(modules))


@cache
def compiled(*modules: types.ModuleType) -> Any:
    """Return the functions of kernel modules, compiled; a later module may call those before it.

    Numba compiles a function when it is first called, or takes it from its cache on disk.
    """
    names = {name: each for module in modules for name, each in vars(module).items() if not name.startswith("__")}
    names["__name__"] = modules[-1].__name__
    functions, edition = functions_of(modules), edition_of(modules)
    inlined = {name for module in modules for name in getattr(module, "INLINED", ())}
    for name, function in functions.items():
        copied = types.FunctionType(function.__code__, names, name, function.__defaults__)
        copied.__qualname__ = f"{name}_{edition}"
        names[name] = compile_one(copied, forceinline=name in inlined)
    return types.SimpleNamespace(**{name: names[name] for name in functions})


def functions_of(modules: tuple[types.ModuleType, ...]) -> dict[str, types.FunctionType]:
    """Return the functions that stand in kernel modules, in their order."""
    return {
        name: each
        for module in modules
        for name, each in vars(module).items()
        if isinstance(each, types.FunctionType) and each.__module__ == module.__name__
    }


def edition_of(modules: tuple[types.ModuleType, ...]) -> str:
    """Return what tells this edition of the modules from others.

    Numba's cache looks at the one file that a function stands in, and not at those whose functions are part of it.
    """
    sources = (inspect.getsource(module) for module in modules)
    return hashlib.sha256("".join(sources).encode()).hexdigest()[:12]


def compile_one(function: types.FunctionType, **more: bool) -> Any:
    """Compile one function with Numba, with ``more`` of Numba's options; what it calls must be compiled before."""
    import numba  # heavy: half a second, so only when asked for

    options: dict[str, Any] = {"nogil": True, "boundscheck": False, "error_model": "numpy", **more}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # nowhere to keep a cache, as in a read-only install: compile anew in each process
        return numba.njit(**options)(function)
