"""Kernels: hot loops in plain Python that Numba compiles where it is installed.

A kernel is a module of ordinary functions on numbers and arrays, in which a function stands below those that it calls.
`kernel` returns the functions compiled if Numba is installed, and as plain Python otherwise: slower, with the same
results. A module may name in ``INLINED`` the functions that the compiler writes out wherever they are called.
`compile_functions` has the options: one signature a function, and constants that differ from those of the module.

Compiled functions are kept on disk (`KernelCache`). Numba's own cache raises whatever a damaged file makes ``pickle``
raise, stops if the disk is full, and its index can name the wrong file if two processes write at the same time. Here
each compiled signature is one file that begins with a digest of the rest, and is replaced atomically. A file that
cannot be read or written is a warning, once a process: the function is compiled anew, and the damaged file is replaced
if possible. Numba decides in which folder the files are: ``NUMBA_CACHE_DIR``, ``__pycache__`` or the user's cache.
"""

import hashlib
import inspect
import os
import pickle
import types
import uuid
import warnings
from collections.abc import Collection, Mapping
from contextlib import nullcontext, suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from telos.core.errors import TelosError

MAX_FILE_BYTES = 64_000_000  # of one compiled function; the largest kernel has a hundredth of that
_DIGEST_BYTES = hashlib.sha256().digest_size

Modules = tuple[types.ModuleType, ...]


@cache
def _numba(part: str = "") -> Any:
    """Return Numba or a module of it; importing it takes half a second, so only when it is needed."""
    errors: Any = import_module("numba.core.errors")
    if hasattr(errors, "ColorShell"):
        # If colorama is installed, Numba exchanges sys.stdout while it words a message, also in a thread of ours:
        # what the game redirects meanwhile would be undone.
        errors.ColorShell = nullcontext
    return import_module(f"numba{part}")


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
    made: Any = _numba().njit(nogil=True, boundscheck=False, error_model="numpy", forceinline=is_inlined)(function)
    if made is function:  # NUMBA_DISABLE_JIT is set
        return made
    on_disk = open_cache(function)
    if on_disk is not None:
        made._cache = on_disk  # in the place of Numba's, which stops at a damaged file or a full disk
    if signature is not None:
        made.compile(signature)
        made.disable_compile()
    return made


# --- compiled functions on disk ---------------------------------------------------------------------------------------

_has_warned = False


def warn_once(folder: str | os.PathLike[str], error: object) -> None:
    """Warn, once in a process, that a folder of compiled kernels is not used or only partly used."""
    global _has_warned
    if _has_warned:
        return
    _has_warned = True
    warnings.warn(
        f"compiled kernels in {os.fspath(folder)!r} cannot be used ({_describe(error)}); they are compiled again, "
        "which takes some seconds: delete that folder, free space on its disk, or set NUMBA_CACHE_DIR to another one",
        RuntimeWarning,
        stacklevel=2,
    )


def _describe(error: object) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return (str(error) or type(error).__name__).splitlines()[0][:200]


def open_cache(function: types.FunctionType) -> "KernelCache | None":
    """Return the cache of a function; None, with a warning, if there is no folder for it."""
    wanted = _numba(".core.config").CACHE_DIR
    try:
        opened = KernelCache(function)
    except Exception as error:  # whatever a folder that is a file, or a missing home, makes Numba raise
        warn_once(wanted or Path(function.__code__.co_filename).parent / "__pycache__", error)
        return None
    if wanted and not opened.folder.is_relative_to(wanted):
        warn_once(wanted, "it is not a writable folder")
    return opened


class KernelCache:
    """The compiled signatures of one function; has the methods that Numba's dispatcher calls."""

    def __init__(self, function: types.FunctionType) -> None:
        self._numba = _numba(".core.caching").CompileResultCacheImpl(function)
        self._code = hashlib.sha256(function.__code__.co_code).hexdigest()
        self._source = self._numba.locator.get_source_stamp()
        self.folder = Path(self._numba.locator.get_cache_path())

    @property
    def cache_path(self) -> str:
        """Return the folder, for Numba's statistics."""
        return str(self.folder)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the compiled function for a signature; None if it must be compiled."""
        context.refresh()
        path = self._path(signature, context.codegen())
        try:
            return self._numba.rebuild(context, pickle.loads(_read_checked(path)))
        except FileNotFoundError:
            return None
        except Exception as error:  # a damaged pickle raises anything
            warn_once(self.folder, error)
            with suppress(OSError):
                path.unlink()
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep the compiled function for a signature."""
        try:
            if self._numba.check_cachable(result):
                self._numba.locator.ensure_cache_path()
                data = _numba(".core.serialize").dumps(self._numba.reduce(result))
                _write_checked(self._path(signature, result.codegen), data)
        except Exception as error:  # no permission, no space, or a folder that has gone
            warn_once(self.folder, error)

    def _path(self, signature: Any, codegen: Any) -> Path:
        versions = (_numba().__version__, _numba(".core.config").PYVERSION, codegen.magic_tuple())
        key = repr((str(signature), versions, self._source, self._code))
        return self.folder / f"{self._numba.filename_base}.{hashlib.sha256(key.encode()).hexdigest()[:16]}.nbc"

    def enable(self) -> None:
        """Do nothing: the cache is always in use."""

    def disable(self) -> None:
        """Do nothing: the cache is always in use."""

    def flush(self) -> None:
        """Do nothing: files are replaced one by one."""


def _read_checked(path: Path) -> bytes:
    """Return the content of a file without its digest; raises if they do not fit."""
    if path.exists() and not path.is_file():
        raise TelosError(f"{path.name} is not a plain file")  # a pipe would never end
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES + 1)
    if len(data) > MAX_FILE_BYTES or hashlib.sha256(data[_DIGEST_BYTES:]).digest() != data[:_DIGEST_BYTES]:
        raise TelosError(f"{path.name} is damaged")
    return data[_DIGEST_BYTES:]


def _write_checked(path: Path, data: bytes) -> None:
    """Write a file with a digest; other processes see the old file or the whole new one."""
    draft = path.with_name(f"{path.name}.tmp.{uuid.uuid4().hex[:16]}")
    try:
        draft.write_bytes(hashlib.sha256(data).digest() + data)
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
