"""Texts from files, plain or packed."""

import gzip
import zlib
from pathlib import Path

from telos.core.errors import TelosError


def read_text(path: Path) -> str:
    """Return the text of a file; one whose name ends in ``.gz`` is unpacked."""
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TelosError(f"{path} is not a text in UTF-8 (byte {error.start})", "save it as UTF-8") from None
    except IsADirectoryError:
        raise TelosError(f"cannot read {path}: it is a folder", "name a file in it") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise TelosError(f"cannot read {path}: it is not packed by gzip, or broken", "pack it again") from None
    except OSError as error:
        raise TelosError(f"cannot read {path}: {error.strerror or error}", "check the path") from None
