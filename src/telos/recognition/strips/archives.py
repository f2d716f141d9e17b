"""Archives of goal-recognition problems, read in memory: nothing in them is ever written to disk."""

import lzma
import tarfile
import zlib
from pathlib import Path, PurePosixPath

from telos.core.errors import TelosError

ENDINGS = (".tar", ".tar.bz2", ".tar.gz", ".tar.xz", ".tgz", ".tbz2")
LARGEST = 16_000_000  # bytes of one file, unpacked
MOST_MEMBERS = 1_000


def is_archive(path: Path) -> bool:
    """Whether a path is a file that is named as archives are."""
    return path.name.endswith(ENDINGS) and path.is_file()


def members(path: Path) -> dict[str, str]:
    """Return the texts in an archive by their names; refuse one with a name that leads out of it, or with a link."""
    texts = {}
    try:
        with tarfile.open(path) as archive:
            for count, member in enumerate(archive, start=1):
                _check(path, member, count)
                file = archive.extractfile(member) if member.isfile() else None
                if file is not None:
                    texts[PurePosixPath(member.name).name] = file.read(LARGEST).decode("utf-8", errors="replace")
    except (tarfile.TarError, OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise TelosError(
            f"{path}: this is no archive that can be read: {(str(error) or 'broken').splitlines()[0]}"
        ) from None
    return {name: text for name, text in texts.items() if not name.startswith("._")}  # macOS adds such files


def _check(path: Path, member: tarfile.TarInfo, count: int) -> None:
    name = PurePosixPath(member.name)
    if name.is_absolute() or ".." in name.parts or "\\" in member.name:
        raise TelosError(f"{path}: refused, for its member {member.name!r} leads out of the archive")
    if not (member.isfile() or member.isdir()):
        raise TelosError(f"{path}: refused, for its member {member.name!r} is a link or a device", "pack plain files")
    if member.size > LARGEST or count > MOST_MEMBERS:
        raise TelosError(f"{path}: refused, for it holds more than five small files, at {member.name!r}")
