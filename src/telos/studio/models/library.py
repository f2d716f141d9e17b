"""`Library`: the model files of one folder, opened, compared and saved; nothing outside the folder is touched.

File names come from the browser, so `check_file_name` accepts only plain names that are valid on every system.
"""

import difflib
import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from telos.core.errors import TelosError, name_hint
from telos.files import write_bytes

# --- file names -------------------------------------------------------------------------------------------------------


SUFFIXES = (".yaml", ".yml", ".mln")
MAX_NAME = 120
MAX_DEPTH = 4  # of nested folders

# Letters, digits, _ - + . and spaces, but no dot or space at either end: a leading dot hides a file, and some systems
# drop trailing ones.
_PART = re.compile(r"\w(?:[\w .+-]*[\w+-])?")
# Devices on Windows, with any suffix.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?\Z", re.IGNORECASE)


def is_file_name(name: str) -> bool:
    """Return whether a file of a library may have that name."""
    return _find_flaw(name) is None


def check_file_name(name: str) -> str:
    """Return ``name``, or raise a ``TelosError`` if a file of a library cannot have it.

    >>> check_file_name("guards/private.yaml")
    'guards/private.yaml'
    >>> check_file_name("../a")
    Traceback (most recent call last):
    ...
    telos.core.errors.TelosError: '../a' cannot name a file here: '..' is not a plain name; use letters, digits, - and _
    """
    flaw = _find_flaw(name)
    if flaw is not None:
        shown = name if isinstance(name, str) and len(name) <= MAX_NAME else f"{str(name)[:40]}…"
        raise TelosError(f"{shown!r} cannot name a file here: {flaw}")
    return name


def _find_flaw(name: object) -> str | None:
    if not isinstance(name, str) or not name:
        return "it is empty; write a name such as mine.yaml"
    if len(name) > MAX_NAME or len(name.encode("utf-8", "replace")) > 2 * MAX_NAME:
        return f"it is too long; use at most {MAX_NAME} characters"
    parts = name.split("/")
    if len(parts) > MAX_DEPTH + 1:
        return f"it has too many folders; use at most {MAX_DEPTH}"
    for part in parts:
        if not _PART.fullmatch(part):
            return f"{part!r} is not a plain name; use letters, digits, - and _"
        if _RESERVED.match(part):
            return f"{part!r} is the name of a device on some systems; choose another"
    if not name.endswith(SUFFIXES):
        return f"it has an unknown suffix; use one of {', '.join(SUFFIXES)}"
    return None


# --- library ----------------------------------------------------------------------------------------------------------


MAX_BYTES = 256 * 1024  # of a file
MAX_FILES = 500  # that are listed
MAX_COMPARED_LINES = 2_000  # that are compared one by one: the time is quadratic


@dataclass(frozen=True, slots=True)
class StoredFile:
    """The text of a file, and its digest, which is required to replace it."""

    text: str
    digest: str


class Library:
    """The recogniser and character files in a folder and below it.

    Files have names such as ``flairs.yaml`` and ``guards/private.yaml``. A symbolic link that leads out of the folder
    is ignored.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self.folder = Path(folder).resolve(strict=True)
        except (OSError, RuntimeError) as error:
            raise TelosError(f"there is no folder {str(folder)!r}", "name one that exists") from error
        if not self.folder.is_dir():
            raise TelosError(f"{str(folder)!r} is not a folder", "name the folder that the files are in")

    def names(self) -> tuple[str, ...]:
        """Return the sorted names of the files."""
        found = []
        for name in self._walk():
            if is_file_name(name) and (place := self._locate(name)) is not None and place.is_file():
                found.append(name)
                if len(found) == MAX_FILES:
                    break
        return tuple(sorted(found))

    def _walk(self) -> Iterator[str]:
        for folder, inside, files in os.walk(self.folder):  # does not follow links
            way = Path(folder).relative_to(self.folder)
            inside[:] = (
                sorted(each for each in inside if not each.startswith(".")) if len(way.parts) < MAX_DEPTH else []
            )
            yield from ((way / file).as_posix() for file in sorted(files))

    def held(self, name: str) -> StoredFile | None:
        """Return the file of that name; None if there is none."""
        place = self._resolve(name)
        try:
            if not place.exists():
                return None
            if not stat.S_ISREG(place.stat().st_mode):  # reading a pipe would never end
                raise TelosError(f"{name!r} is not a file", "choose another name")
            with place.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise TelosError(f"{name!r} cannot be read: {error.strerror or error}", "choose another file") from error
        if len(content) > MAX_BYTES:
            raise TelosError(f"{name!r} is larger than {MAX_BYTES // 1024} KiB", "split it into several files")
        try:
            return StoredFile(content.decode("utf-8-sig"), hashlib.sha256(content).hexdigest())
        except UnicodeDecodeError as error:
            raise TelosError(f"{name!r} is not UTF-8 at byte {error.start}", "save it as UTF-8") from error

    def open(self, name: str) -> str:
        """Return the text of a file."""
        held = self.held(name)
        if held is None:
            raise TelosError(
                f"there is no file {name!r} in the folder", f"{name_hint(name, self.names()) or 'save one first'}"
            )
        return held.text

    def diff(self, name: str, text: str) -> str:
        """Return the unified diff from the file of that name to a text; empty if they are equal."""
        held = self.held(name)
        before = [] if held is None else held.text.splitlines(keepends=True)
        after = text.splitlines(keepends=True)
        origin = "/dev/null" if held is None else name
        if max(len(before), len(after)) > MAX_COMPARED_LINES and before != after:
            lines = _full_diff(before, after, origin, name)
        else:
            lines = list(difflib.unified_diff(before, after, origin, name))
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def save(self, name: str, text: str, *, replaces: str | None) -> str:
        """Write a text to a file atomically, and return its digest.

        ``replaces`` is the digest of the current file, from ``held``; None for a new file. A version that the author
        has not seen is not overwritten.
        """
        content = _content(name, text)
        place = self._resolve(name)
        if replaces is not None:
            self._check_unchanged(name, replaces)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            if replaces is None:
                _claim(place, name)
        except OSError as error:
            raise TelosError(f"{name!r} cannot be saved: {error.strerror or error}", "choose another name") from error
        try:
            write_bytes(place, content)
        except BaseException:
            if replaces is None:
                with suppress(OSError):
                    place.unlink()
            raise
        return hashlib.sha256(content).hexdigest()

    def _check_unchanged(self, name: str, replaces: str) -> None:
        held = self.held(name)
        if held is None:
            raise TelosError(f"{name!r} was deleted meanwhile", "save it as a new file")
        if held.digest != replaces:
            raise TelosError(f"{name!r} has changed meanwhile", "check the difference, then save again")

    def _resolve(self, name: str) -> Path:
        place = self._locate(check_file_name(name))
        if place is None:
            raise TelosError(f"{name!r} leads out of the folder", "choose another name")
        return place

    def _locate(self, name: str) -> Path | None:
        """Return the resolved path of a valid name; None if it is outside the folder."""
        try:
            place = (self.folder / name).resolve()
        except (OSError, RuntimeError):  # circular links
            return None
        return place if place.is_relative_to(self.folder) and place != self.folder else None


def _content(name: str, text: str) -> bytes:
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise TelosError(f"character {error.start + 1} of the text cannot be written to a file", "delete it") from error
    if len(content) > MAX_BYTES:
        raise TelosError(f"{name!r} would be larger than {MAX_BYTES // 1024} KiB", "split it into several files")
    return content


def _claim(place: Path, name: str) -> None:
    """Create an empty file exclusively, so that two concurrent saves do not overwrite each other."""
    try:
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileExistsError:
        raise TelosError(f"{name!r} exists already", "check the difference, then replace it") from None


def _full_diff(before: list[str], after: list[str], origin: str, name: str) -> list[str]:
    """Return the diff that removes all old lines and adds all new ones."""
    sizes = f"@@ -{min(1, len(before))},{len(before)} +{min(1, len(after))},{len(after)} @@\n"
    head = [f"--- {origin}\n", f"+++ {name}\n", sizes]
    return [*head, *(f"-{line}" for line in before), *(f"+{line}" for line in after)]
