"""Model files of one folder."""

import contextlib
import difflib
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from telos.core.errors import TelosError, name_hint

# --- file names -------------------------------------------------------------------------------------------------------
# Names of files that may be asked for through a page: plain ones, that mean the same on every system.


SUFFIXES = (".yaml", ".yml", ".mln")
LONGEST = 120
DEEPEST = 4  # folders inside of each other

# Letters, digits, _ - + . and spaces, but no dot or space at either end: a leading dot hides, trailing ones are lost.
_PART = re.compile(r"\w(?:[\w .+-]*[\w+-])?")
# Devices on Windows, with whatever ending.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?\Z", re.IGNORECASE)


def is_file_name(name: str) -> bool:
    """Whether a file of a library may have that name."""
    return _flaw(name) is None


def checked_file_name(name: str) -> str:
    """Return the name of a file in a library, if it can be one.

    >>> checked_file_name("guards/private.yaml")
    'guards/private.yaml'
    >>> checked_file_name("../a")
    Traceback (most recent call last):
    ...
    telos.core.errors.TelosError: '../a' cannot name a file here: '..' is no plain name; use letters, digits, - and _
    """
    flaw = _flaw(name)
    if flaw is not None:
        shown = name if isinstance(name, str) and len(name) <= LONGEST else f"{str(name)[:40]}…"
        raise TelosError(f"{shown!r} cannot name a file here: {flaw}")
    return name


def _flaw(name: object) -> str | None:
    if not isinstance(name, str) or not name:
        return "it is no text; write a name such as mine.yaml"
    if len(name) > LONGEST or len(name.encode("utf-8", "replace")) > 2 * LONGEST:
        return f"it is too long; use at most {LONGEST} characters"
    parts = name.split("/")
    if len(parts) > DEEPEST + 1:
        return f"it has too many folders; use at most {DEEPEST}"
    for part in parts:
        if not _PART.fullmatch(part):
            return f"{part!r} is no plain name; use letters, digits, - and _"
        if _RESERVED.match(part):
            return f"{part!r} is the name of a device on some systems; choose another"
    if not name.endswith(SUFFIXES):
        return f"it has another ending; end it with {', '.join(SUFFIXES)}"
    return None


# --- library ----------------------------------------------------------------------------------------------------------
# The model files of one folder: read, compared and saved, and nothing outside of it, whatever name is asked for.


LARGEST = 256 * 1024  # bytes of a file
MOST_FILES = 500  # that are listed; a folder with more is no folder of models
MOST_COMPARED = 2_000  # lines of a text that are compared one by one: comparing takes the square of it


@dataclass(frozen=True, slots=True)
class Held:
    """What a file holds, and the digest by which its author shows to have seen that before it is replaced."""

    text: str
    digest: str


class Library:
    """The recogniser and character files in a folder and below it.

    Files are known by names such as ``flairs.yaml`` and ``guards/private.yaml``. A link that leads out of the folder
    is no file of it.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self.folder = Path(folder).resolve(strict=True)
        except (OSError, RuntimeError) as error:
            raise TelosError(f"there is no folder {str(folder)!r}", "name one that exists") from error
        if not self.folder.is_dir():
            raise TelosError(f"{str(folder)!r} is not a folder", "name the folder that the files are in")

    def names(self) -> tuple[str, ...]:
        """Return the names of the files, in order."""
        found = []
        for name in self._below():
            if is_file_name(name) and (place := self._place(name)) is not None and place.is_file():
                found.append(name)
                if len(found) == MOST_FILES:
                    break
        return tuple(sorted(found))

    def _below(self) -> Iterator[str]:
        for folder, inside, files in os.walk(self.folder):  # it follows no links
            way = Path(folder).relative_to(self.folder)
            inside[:] = sorted(each for each in inside if not each.startswith(".")) if len(way.parts) < DEEPEST else []
            yield from ((way / file).as_posix() for file in sorted(files))

    def held(self, name: str) -> Held | None:
        """Return what stands under a name, or None if nothing does."""
        place = self._asked(name)
        try:
            if not place.exists():
                return None
            if not stat.S_ISREG(place.stat().st_mode):  # a pipe would be waited for, and never end
                raise TelosError(f"{name!r} is not a file", "choose another name")
            with place.open("rb") as file:
                content = file.read(LARGEST + 1)
        except OSError as error:
            raise TelosError(f"{name!r} cannot be read: {error.strerror or error}", "choose another file") from error
        if len(content) > LARGEST:
            raise TelosError(f"{name!r} is larger than {LARGEST // 1024} KiB", "split it into several files")
        try:
            return Held(content.decode("utf-8-sig"), hashlib.sha256(content).hexdigest())
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
        """Return how a text differs from what stands under the name, as a unified diff; empty if it does not."""
        held = self.held(name)
        before = [] if held is None else held.text.splitlines(keepends=True)
        after = text.splitlines(keepends=True)
        origin = "/dev/null" if held is None else name
        if max(len(before), len(after)) > MOST_COMPARED and before != after:
            lines = _replaced(before, after, origin, name)
        else:
            lines = list(difflib.unified_diff(before, after, origin, name))
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def save(self, name: str, text: str, *, replaces: str | None) -> str:
        """Write a text under a name, all of it or nothing, and return its digest.

        ``replaces`` is the digest of what stands there, from ``held``, and None if nothing does: what its author has
        not seen is not overwritten.
        """
        content = _content(name, text)
        place = self._asked(name)
        if replaces is not None:
            self._check_unchanged(name, replaces)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            if replaces is None:
                _claim(place, name)
            try:
                _replace(place, content)
            except OSError:
                if replaces is None:
                    place.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise TelosError(f"{name!r} cannot be saved: {error.strerror or error}", "choose another name") from error
        return hashlib.sha256(content).hexdigest()

    def _check_unchanged(self, name: str, replaces: str) -> None:
        held = self.held(name)
        if held is None:
            raise TelosError(f"{name!r} has been deleted meanwhile", "save it as a new file")
        if held.digest != replaces:
            raise TelosError(f"{name!r} has changed meanwhile", "look at what differs, then save again")

    def _asked(self, name: str) -> Path:
        place = self._place(checked_file_name(name))
        if place is None:
            raise TelosError(f"{name!r} leads out of the folder", "choose another name")
        return place

    def _place(self, name: str) -> Path | None:
        """Return where a good name leads, links followed; None if that is outside of the folder."""
        try:
            place = (self.folder / name).resolve()
        except (OSError, RuntimeError):  # links that go round in a circle
            return None
        return place if place.is_relative_to(self.folder) and place != self.folder else None


def _content(name: str, text: str) -> bytes:
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise TelosError(f"character {error.start + 1} of the text cannot be written to a file", "delete it") from error
    if len(content) > LARGEST:
        raise TelosError(f"{name!r} would be larger than {LARGEST // 1024} KiB", "split it into several files")
    return content


def _claim(place: Path, name: str) -> None:
    """Make an empty file where there is none, so that two who save at once do not overwrite each other."""
    try:
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileExistsError:
        raise TelosError(f"{name!r} is there already", "look at what differs, and agree to replace it") from None


def _replace(place: Path, content: bytes) -> None:
    """Put content in the place of a file at once: whoever reads it meanwhile sees the old or the new, never half."""
    number, unfinished = tempfile.mkstemp(prefix=".telos-", suffix=".part", dir=place.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(place, unfinished)
        Path(unfinished).replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(unfinished).unlink(missing_ok=True)
        raise


def _replaced(before: list[str], after: list[str], origin: str, name: str) -> list[str]:
    """Return the diff that takes everything out and puts everything in."""
    sizes = f"@@ -{min(1, len(before))},{len(before)} +{min(1, len(after))},{len(after)} @@\n"
    head = [f"--- {origin}\n", f"+++ {name}\n", sizes]
    return [*head, *(f"-{line}" for line in before), *(f"+{line}" for line in after)]
