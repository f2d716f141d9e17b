"""Kernels: hot loops in plain Python that Numba compiles where it is installed.

A kernel is a module of ordinary functions on numbers and arrays, in which a function stands below those that it calls.
`kernel` returns the functions compiled if Numba is installed, and as plain Python otherwise: slower, with the same
results. A module may name in ``INLINED`` the functions that the compiler writes out wherever they are called.
`compile_functions` has the options: one signature a function, and constants that differ from those of the module.
"""

import hashlib
import inspect
import types
from collections.abc import Collection, Mapping
from functools import cache
from importlib.util import find_spec
from typing import Any

Modules = tuple[types.ModuleType, ...]


@cache
def is_installed() -> bool:
    """Whether Numba is installed."""
    return find_spec("numba") is not None


def kernel(*modules: types.ModuleType) -> Any:
    """Return the functions of kernel modules: compiled if Numba is installed, else plain."""
    return compiled(*modules) if is_installed() else plain(*modules)


@cache
def plain(*modules: types.ModuleType) -> Any:
    """Return the functions of kernel modules as plain Python."""
    return types.SimpleNamespace(**functions_of(modules))


@cache
def compiled(*modules: types.ModuleType) -> Any:
    """Return the functions of kernel modules, compiled; a later module may call those before it."""
    inlined = {name for module in modules for name in getattr(module, "INLINED", ())}
    return compile_functions(modules, inlined=inlined)


def compile_functions(
    modules: Modules,
    *,
    inlined: Collection[str] = (),
    types_of: Mapping[Any, str] | None = None,
    constants: Mapping[str, Any] | None = None,
) -> Any:
    """Return the functions of kernel modules, compiled by Numba or taken from its cache on disk.

    With ``types_of`` (annotation to Numba type) a function is compiled now, for the one signature that its annotations
    state; otherwise when it is called, for the types that it is called with. ``constants`` replace module-level names,
    and Numba writes them into the machine code.
    """
    functions, names = functions_of(modules), _names(modules, constants)
    edition = "_".join([*map(str, (constants or {}).values()), _edition(modules)])
    for name, function in functions.items():
        copied = types.FunctionType(function.__code__, names, name, function.__defaults__)
        copied.__qualname__ = f"{name}_{edition}"
        signature = None if types_of is None else _signature(function, types_of)
        names[name] = _compile(copied, signature, is_inlined=name in inlined)
    return types.SimpleNamespace(**{name: names[name] for name in functions})


def plain_functions(modules: Modules, constants: Mapping[str, Any]) -> Any:
    """Return the functions of kernel modules as plain Python, with ``constants`` in place of names of the modules."""
    names = _names(modules, constants)
    functions = functions_of(modules)
    names |= {
        name: types.FunctionType(function.__code__, names, name, function.__defaults__)
        for name, function in functions.items()
    }
    return types.SimpleNamespace(**{name: names[name] for name in functions})


def functions_of(modules: Modules) -> dict[str, types.FunctionType]:
    """Return the functions that are defined in kernel modules, in their order."""
    return {
        name: each
        for module in modules
        for name, each in vars(module).items()
        if isinstance(each, types.FunctionType) and each.__module__ == module.__name__
    }


def _names(modules: Modules, constants: Mapping[str, Any] | None) -> dict[str, Any]:
    names = {name: each for module in modules for name, each in vars(module).items() if not name.startswith("__")}
    return {**names, **(constants or {}), "__name__": modules[-1].__name__}


def _edition(modules: Modules) -> str:
    """Return a hash of the sources, as part of the names in Numba's cache.

    Numba checks only the file of a function, and not the files of the functions that it calls.
    """
    sources = (inspect.getsource(module) for module in modules)
    return hashlib.sha256("".join(sources).encode()).hexdigest()[:12]


def _signature(function: types.FunctionType, types_of: Mapping[Any, str]) -> str:
    kinds = function.__annotations__
    arguments = (types_of[kind] for name, kind in kinds.items() if name != "return")
    return f"{types_of[kinds['return']]}({', '.join(arguments)})"


def _compile(function: types.FunctionType, signature: str | None, *, is_inlined: bool) -> Any:
    import numba  # takes half a second, so only when it is needed

    from telos.core.kernel_cache import open_cache

    made: Any = numba.njit(nogil=True, boundscheck=False, error_model="numpy", forceinline=is_inlined)(function)
    if made is function:  # NUMBA_DISABLE_JIT is set
        return made
    cache = open_cache(function)
    if cache is not None:
        made._cache = cache  # in the place of Numba's, which stops at a damaged file or a full disk
    if signature is not None:
        made.compile(signature)
        made.disable_compile()
    return made
