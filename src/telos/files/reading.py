"""The one way in which Telos reads files from outside: within limits, and every failure names the file and the remedy.

`read_bytes` and `read_text` read a whole file, never more than a limit, also from a device that does not end and from a
small archive that inflates to gigabytes. `open_input` reads a long file in pieces. `parse_json` is for one JSON value.
"""

import gzip
import io
import json
import os
import stat
import zlib
from pathlib import Path
from typing import IO, Any, NoReturn, TypeAlias

from telos.core.errors import DefinitionError, Fault, FaultCode, TelosError

FilePath: TypeAlias = str | os.PathLike[str]

MAX_BYTES = 4_000_000  # of an authored file: ten times the largest that people write
MAX_RATIO = 200  # of inflated to compressed bytes: logs reach 30, bombs 1000
MAX_SMALL = 64_000_000  # inflated bytes up to which the ratio does not matter


# --- whole files ------------------------------------------------------------------------------------------------------


def read_text(path: FilePath, *, limit: int = MAX_BYTES) -> str:
    r"""Return the text of a UTF-8 file with line ends as ``\n``, or raise a ``DefinitionError`` that says why not."""
    name = os.fspath(path)
    text = decode_text(read_bytes(path, limit=limit), name)
    for comment in ("#", "//"):
        check_end_mark(text, name, comment)
    return text


def read_bytes(path: FilePath, *, limit: int = MAX_BYTES) -> bytes:
    """Return the content of a file, inflated if its name ends in ``.gz``."""
    name = os.fspath(path)
    with open_input(path) as file:
        content = file.read(limit + 1)  # never more, even from an endless device
    if len(content) > limit:
        raise unreadable(
            name, f"larger than {format_size(limit)}", "split it into several files", code=FaultCode.TOO_LARGE
        )
    return content


def decode_text(content: bytes, name: str) -> str:
    r"""Return UTF-8 content as text with line ends as ``\n``; a fault names the line and column of a bad byte."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise unreadable(name, "the file is UTF-16", "save it as UTF-8") from None
        before = content[: error.start]
        fault = Fault(
            "the file is not UTF-8",
            suggestion="save it as UTF-8",
            file=name,
            line=before.count(b"\n") + 1,
            column=error.start - before.rfind(b"\n"),
            code=FaultCode.UNREADABLE,
        )
        raise DefinitionError([fault]) from None
    return normalize_line_ends(text)


def normalize_line_ends(text: str) -> str:
    r"""Return the text with all line ends as ``\n``.

    >>> normalize_line_ends("one\r\ntwo\rthree\n")
    'one\ntwo\nthree\n'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def unreadable(
    name: str, message: str, suggestion: str = "", *, code: FaultCode = FaultCode.UNREADABLE
) -> DefinitionError:
    """Return the error about a file that cannot be read."""
    return DefinitionError([Fault(message, suggestion=suggestion, file=name, code=code)])


def format_size(size: int) -> str:
    """Return a number of bytes for a message.

    >>> format_size(4_000_000), format_size(2_500_000_000)
    ('4 MB', '2.5 GB')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


# --- long files, in pieces --------------------------------------------------------------------------------------------


def open_input(path: FilePath) -> io.BufferedReader:
    """Open a file for reading bytes; one whose name ends in ``.gz`` or ``.zst`` is inflated on the way.

    What fails later, such as a damaged archive, raises a ``DefinitionError`` too. ``file.raw.position`` is the number
    of bytes that were read from the disk, for a progress bar.
    """
    name = os.fspath(path)
    try:
        return io.BufferedReader(_Input(_open(name), name), buffer_size=1 << 18)
    except FileNotFoundError:
        raise unreadable(name, "no such file") from None
    except IsADirectoryError:
        raise unreadable(name, "this is a folder", "name a file in it") from None
    except OSError as error:
        raise unreadable(name, f"cannot be read: {error.strerror or error}") from None
    except ValueError:  # a zero byte
        raise unreadable(name, "this is not the name of a file") from None


def _open(name: str) -> IO[bytes]:
    if not stat.S_ISFIFO(os.stat(name).st_mode):
        return Path(name).open("rb")
    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK)  # a pipe that nobody writes to is empty, and is not waited for
    os.set_blocking(handle, True)
    return os.fdopen(handle, "rb")


def _inflater(file: IO[bytes], name: str) -> Any:
    """Return a reader of the inflated content of a file; None if its name does not say that it is packed."""
    if name.lower().endswith(".gz"):
        return gzip.GzipFile(fileobj=file)
    if not name.lower().endswith(".zst"):
        return None
    try:
        import zstandard  # an extra
    except ModuleNotFoundError:
        raise TelosError(f"{name}: zstandard is not installed", 'pip install "telos[telemetry]"') from None
    return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=False)


def _damage_errors(inflated: Any) -> tuple[type[Exception], ...]:
    """Return the errors that say that a packed file is damaged."""
    found = (gzip.BadGzipFile, EOFError, zlib.error)
    if inflated is None or isinstance(inflated, gzip.GzipFile):
        return found
    import zstandard

    return (*found, zstandard.ZstdError)


class _Input(io.RawIOBase):
    """The content of an open file, inflated if its name says so; every failure names the file."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file, self.name = file, name
        self._inflated = _inflater(file, name)
        self._damaged: tuple[type[Exception], ...] = _damage_errors(self._inflated)
        self._count = 0

    def readable(self) -> bool:
        return True

    @property
    def position(self) -> int:
        """The number of bytes that were read from the disk."""
        return self._file.tell() if self._inflated is not None else self._count

    def readinto(self, buffer: Any) -> int:
        try:
            count: int = (self._inflated or self._file).readinto(buffer)  # type: ignore[union-attr]
        except self._damaged:
            what = "zstd" if self.name.lower().endswith(".zst") else "gzip"
            raise unreadable(self.name, f"not a whole {what} file", "compress it again") from None
        except OSError as error:
            raise unreadable(self.name, f"cannot be read: {error.strerror or error}") from None
        self._count += count
        if self._inflated is not None and self._count > MAX_SMALL and self._count > MAX_RATIO * self._file.tell():
            raise unreadable(
                self.name,
                f"inflates to more than {MAX_RATIO} times its size",
                "inflate it yourself (gunzip) if that is right",
                code=FaultCode.TOO_LARGE,
            )
        return count

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


# --- JSON -------------------------------------------------------------------------------------------------------------


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; every failure is a ``TelosError``, to which the caller adds the place.

    NaN and infinities are refused: JSON has none.

    >>> parse_json('{"time": 0.5}')
    {'time': 0.5}
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise TelosError(
            f"this is not JSON: {error.msg.removesuffix(' at')} at column {error.colno}", "write one JSON value"
        ) from None
    except UnicodeDecodeError:
        raise TelosError("this is not UTF-8", "save it as UTF-8") from None
    except RecursionError:
        raise TelosError("this is nested too deeply", "write plain values") from None
    except TelosError:
        raise
    except ValueError:  # Python refuses to convert numbers of more than 4300 digits
        raise TelosError("a number has too many digits", "write it as 1e300") from None


def _refuse_constant(word: str) -> NoReturn:
    raise TelosError(f"{word} is not a value", "numbers must be finite")


# --- end marks --------------------------------------------------------------------------------------------------------


def announce_end(comment: str) -> str:
    """Return the comment at the top of a file that announces its last line."""
    return f"{comment} complete if the last line is: {end_line(comment)}"


def end_line(comment: str) -> str:
    """Return the last line of a file that announces it."""
    return f"{comment} end of file"


def check_end_mark(text: str, name: str, comment: str = "#") -> None:
    """Refuse a text that announces its last line (see `telos.files.add_end_mark`) and lacks it: it was cut short.

    A text without the announcement passes.
    """
    head = text[:1000].split("\n")[:2]  # the announcement is the first line, or follows one other comment
    if announce_end(comment) in map(str.rstrip, head) and text.rstrip().rpartition("\n")[2] != end_line(comment):
        fault = Fault(
            f"the file is cut short: its last line is not `{end_line(comment)}`",
            suggestion="copy or make it again; if you edited it, put that line back",
            file=name,
            line=text.rstrip().count("\n") + 1,
            column=1,
            code=FaultCode.INCOMPLETE,
        )
        raise DefinitionError([fault])
