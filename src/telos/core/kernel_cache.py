"""Compiled kernels on disk: the cache of a function that Numba compiles, checked when it is read.

Numba's own cache raises whatever a damaged file makes ``pickle`` raise, stops if the disk is full, and its index can
name the wrong file if two processes write at the same time. Here each compiled signature is one file that begins with
a digest of the rest, and is replaced atomically. A file that cannot be read or written is a warning, once a process:
the function is compiled anew, and the damaged file is replaced if possible.

Numba decides in which folder the files are: ``NUMBA_CACHE_DIR``, ``__pycache__`` or the user's cache.
"""

import hashlib
import os
import pickle
import types
import uuid
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, serialize
from numba.core import config as numba_config

from telos.core.errors import TelosError

MAX_FILE_BYTES = 64_000_000  # of one compiled function; the largest kernel has a hundredth of that
_DIGEST_BYTES = hashlib.sha256().digest_size

_config: Any = numba_config
_caching: Any = caching
_serialize: Any = serialize

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
    try:
        cache = KernelCache(function)
    except Exception as error:  # whatever a folder that is a file, or a missing home, makes Numba raise
        warn_once(_config.CACHE_DIR or Path(function.__code__.co_filename).parent / "__pycache__", error)
        return None
    if _config.CACHE_DIR and not cache.folder.is_relative_to(_config.CACHE_DIR):
        warn_once(_config.CACHE_DIR, "it is not a writable folder")
    return cache


class KernelCache:
    """The compiled signatures of one function; has the methods that Numba's dispatcher calls."""

    def __init__(self, function: types.FunctionType) -> None:
        self._numba = _caching.CompileResultCacheImpl(function)
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
                _write_checked(self._path(signature, result.codegen), _serialize.dumps(self._numba.reduce(result)))
        except Exception as error:  # no permission, no space, or a folder that has gone
            warn_once(self.folder, error)

    def _path(self, signature: Any, codegen: Any) -> Path:
        versions = (numba.__version__, _config.PYVERSION, codegen.magic_tuple())
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
