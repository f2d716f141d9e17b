"""The kernel, compiled: every function of ``machine``, ``kernel`` and ``keeping`` goes through Numba as it is.

Numba is an extra. Where it is missing, or not loaded yet, the kernel runs as the Python that it is.
"""

import hashlib
import inspect
import math
import types
from functools import cache
from importlib.util import find_spec
from typing import Any

from telos.planning import heads, keeping, kernel, machine

# In this order, and in that of the files, a function is compiled before those that call it.
_MODULES = (machine, kernel, keeping)
_FUNCTIONS: dict[str, types.FunctionType] = {
    name: each
    for module in _MODULES
    for name, each in vars(module).items()
    if isinstance(each, types.FunctionType) and each.__module__ == module.__name__
}

plain = types.SimpleNamespace(**_FUNCTIONS)  # the kernel as the Python that it is

ENTRIES = ("begin_search", "search", "search_many", "repair", "advance", "settle")

_compiled: types.SimpleNamespace | None = None


@cache
def is_installed() -> bool:
    """Whether Numba can be had."""
    return find_spec("numba") is not None


def is_loaded() -> bool:
    """Whether the compiled kernel is ready."""
    return _compiled is not None


def load() -> Any:
    """Return the compiled kernel: from Numba's cache on disk if it was compiled before, else compiled now."""
    global _compiled
    if _compiled is None:
        import numba  # heavy: half a second, so only when a search asks for it

        names: dict[str, Any] = {name: each for name, each in vars(heads).items() if not name.startswith("__")}
        names.update(math=math, __name__=kernel.__name__)
        edition = _edition()
        for name, function in _FUNCTIONS.items():
            copied = types.FunctionType(function.__code__, names, name)
            copied.__qualname__ = f"{name}_{edition}"
            names[name] = _jit(numba, copied, function.__annotations__, inner=name not in ENTRIES)
        _compiled = types.SimpleNamespace(**names)
    return _compiled


def _edition() -> str:
    """Return what tells this edition of the kernel from others.

    Numba's cache looks at the one file that a function stands in, and not at those whose functions are part of it.
    """
    sources = (inspect.getsource(module) for module in (heads, *_MODULES))
    return hashlib.sha256("".join(sources).encode()).hexdigest()[:12]


def as_array(values: list[Any]) -> Any:
    """Return a flat sequence as the compiled kernel takes it."""
    import numpy as np

    return np.array(values, dtype=np.int64 if values and isinstance(values[0], int) else np.float64)


def zeros(count: int, zero: int | float) -> Any:
    """Return an array of zeros, whole numbers or not."""
    import numpy as np

    return np.zeros(count, dtype=np.int64 if isinstance(zero, int) else np.float64)


def as_list(values: Any) -> list[Any]:
    """Return part of an array as a list of plain numbers."""
    return values.tolist()  # type: ignore[no-any-return]


def _jit(numba: Any, function: types.FunctionType, kind: dict[str, Any], *, inner: bool) -> Any:
    # One signature for each function, read off its annotations: left to itself, Numba would compile several of each.
    to, *arguments = (_NUMBA_TYPES[kind[name]] for name in ("return", *(each for each in kind if each != "return")))
    options = {"nogil": True, "boundscheck": False, "error_model": "numpy", "forceinline": inner}
    signature = f"{to}({', '.join(arguments)})"
    try:
        return numba.njit(signature, cache=True, **options)(function)
    except RuntimeError:  # nowhere to keep a cache, as in a read-only install: compile anew in each process
        return numba.njit(signature, **options)(function)


_NUMBA_TYPES: dict[Any, str] = {
    heads.Ints: "int64[::1]",
    heads.Floats: "float64[::1]",
    int: "int64",
    float: "float64",
    bool: "boolean",
    None: "void",
}
