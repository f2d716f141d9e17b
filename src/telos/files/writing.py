"""The one way in which Telos writes files: whole or not at all, and never over an input.

A file is written under a temporary name beside its target, forced to the disk, and then renamed over the target in one
step. Until then the old file is intact; after an error nothing of the new one stays. `check_output` reports before the
work begins what would fail after it. `add_end_mark` is for formats in which the first half of a file is a valid file.
"""

import errno
import io
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal, overload

from telos.core.errors import TelosError
from telos.exits import temporary_files
from telos.files.reading import FilePath, announce_end, end_line

_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EROFS}  # file systems and devices without fsync


def check_output(path: FilePath, *, inputs: Iterable[FilePath | None] = ()) -> None:
    """Refuse a target that cannot be written, or that is one of the inputs under any name or link.

    Inputs that are None or do not exist are skipped.
    """
    name = os.fspath(path)
    with _reporting(name):
        target = _resolve(name)
        found = _status(target)
        if found is not None and stat.S_ISDIR(found.st_mode):
            raise TelosError(f"{name}: this is a folder", "name a file in it")
        if found is None or stat.S_ISREG(found.st_mode):
            _check_folder(name, target.parent)
        if found is not None and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    for each in inputs:
        if each is not None and _is_same_file(target, each):
            raise TelosError(f"{name}: this file is an input", "name another file for the output")


@overload
def open_output(
    path: FilePath, *, inputs: Iterable[FilePath | None] = ..., binary: Literal[False] = ...
) -> AbstractContextManager[IO[str]]: ...
@overload
def open_output(
    path: FilePath, *, inputs: Iterable[FilePath | None] = ..., binary: Literal[True]
) -> AbstractContextManager[IO[bytes]]: ...
def open_output(
    path: FilePath, *, inputs: Iterable[FilePath | None] = (), binary: bool = False
) -> AbstractContextManager[IO[Any]]:
    """Open a file for writing, as UTF-8 text or as bytes; the target changes when the block ends without an error.

    A target that is not a regular file, such as a pipe, cannot be replaced and is written directly.
    """
    check_output(path, inputs=inputs)
    return _open_bytes(os.fspath(path)) if binary else _open_text(os.fspath(path))


def write_text(path: FilePath, text: str, *, inputs: Iterable[FilePath | None] = ()) -> None:
    """Replace a file by a text, encoded as UTF-8."""
    write_bytes(path, text.encode("utf-8", errors="replace"), inputs=inputs)


def write_bytes(path: FilePath, data: bytes, *, inputs: Iterable[FilePath | None] = ()) -> None:
    """Replace a file by the data."""
    with open_output(path, inputs=inputs, binary=True) as file:
        file.write(data)


@contextmanager
def temporary_folder(prefix: str, *, beside: FilePath | None = None) -> Iterator[Path]:
    """Make a folder that is gone at the end of the block, and also if a signal or an error ends the process.

    It is made in the folder for temporary files, or ``beside`` a path that it is to be renamed to.
    """
    place = Path(tempfile.gettempdir()) if beside is None else Path(beside).absolute().parent
    folder = place / f"{prefix}{secrets.token_hex(6)}"
    temporary_files.add(str(folder))  # before it is there: a signal may come at any moment
    try:
        with _reporting(str(folder)):
            folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        temporary_files.discard(str(folder))


@contextmanager
def _open_text(name: str) -> Iterator[IO[str]]:
    with _open_bytes(name) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
        try:
            yield text
            text.flush()
        finally:
            with suppress(OSError):  # flush has raised it already
                text.detach()


@contextmanager
def _open_bytes(name: str) -> Iterator[IO[bytes]]:
    with _reporting(name):
        target = _resolve(name)  # a link stays a link
        found = _status(target)
        if found is not None and not stat.S_ISREG(found.st_mode):
            with target.open("wb") as file:
                yield file
            return
        part = target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.part")
        temporary_files.add(str(part))  # before it is there: a signal may come at any moment
        try:
            handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666)
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                _sync(handle)
            if found is not None:
                part.chmod(stat.S_IMODE(found.st_mode))
            os.replace(part, target)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
        finally:
            temporary_files.discard(str(part))
        _sync_folder(target.parent)


@contextmanager
def _reporting(name: str) -> Iterator[None]:
    """Turn an error of the operating system into one that names the file."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader of a pipe has seen enough
    except OSError as error:
        raise TelosError(f"{name}: cannot be written: {error.strerror or error}") from None


def _resolve(name: str) -> Path:
    try:
        return Path(name).resolve()
    except (ValueError, RuntimeError):  # a zero byte, or a circle of links
        raise OSError(errno.EINVAL, "this is not the name of a file") from None


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _check_folder(name: str, folder: Path) -> None:
    if not folder.is_dir():
        raise TelosError(f"{name}: there is no folder {str(folder)!r}", "make it first")
    if not os.access(folder, os.W_OK):  # the new file is made beside the old one
        raise PermissionError(errno.EACCES, f"no file can be made in {str(folder)!r}")


def _is_same_file(target: Path, other: FilePath) -> bool:
    try:
        return target.samefile(other) and target.is_file()
    except (OSError, ValueError):
        return False


def _sync(handle: int) -> None:
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def _sync_folder(folder: Path) -> None:
    """Force the renaming to the disk, where folders can be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# --- end marks --------------------------------------------------------------------------------------------------------


def add_end_mark(text: str, comment: str = "#") -> str:
    """Return the text with a comment at the top that announces the last line, and that last line.

    >>> print(add_end_mark("goals: [rest]"), end="")
    # complete if the last line is: # end of file
    goals: [rest]
    # end of file
    """
    head = ""
    if text.startswith(f"{comment} yaml-language-server:"):  # which editors look for in the first line
        head, _, text = text.partition("\n")
        head += "\n"
    return f"{head}{announce_end(comment)}\n{text.rstrip()}\n{end_line(comment)}\n"
