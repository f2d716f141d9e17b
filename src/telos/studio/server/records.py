"""Games on disk, while they are played: for ``telos study played``, and to go on with after the studio was stopped."""

import re
from pathlib import Path

from telos.core.errors import TelosError
from telos.studio.log import GameLog, read_log
from telos.studio.session import Session

_NAME = re.compile(r"[A-Za-z0-9_-]{8,24}")


class Records:
    """Writes each game into one folder, under the name of its world, its seed and the game's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._written: dict[str, tuple[int, int, int]] = {}  # steps on disk and in the world's own file, and models

    def write(self, name: str, session: Session, *, is_last: bool = False) -> bool:
        """Write a game as it is now, if enough is new; return whether it was written.

        A long game is written less often, and the file of its world, which is larger, much less: writing must not hold
        up the games. At the end everything is. A game that is merely played again is on disk already, or is not ours.
        """
        steps, (logged, told, models) = session.log.steps, self._written.get(name, (0, 0, 0))
        if is_last:
            self._written.pop(name, None)
        if not session.is_new:
            return False
        is_enough = is_last or steps - logged > logged // 100
        if session.version == models and (steps == logged == told or not is_enough):
            return False
        stem = f"{session.world.name}-seed{session.seed}-{name}"
        self._put(f"{stem}.studio.jsonl", session.log.data())
        if is_last or steps > 2 * told:
            told, own = steps, session.stage.recording()
            if own is not None:
                self._put(f"{stem}.jsonl", own[1])
        if not is_last:
            self._written[name] = steps, told, session.version
        return True

    def _put(self, file: str, data: bytes) -> None:
        """Write a file so that a crash never leaves half of it."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            draft = self.folder / f".{file}.draft"
            draft.write_bytes(data)
            draft.replace(self.folder / file)
        except OSError as error:
            raise TelosError(f"{self.folder}: cannot be written: {error.strerror or error}") from None

    def read(self, name: str) -> GameLog | None:
        """Return the log of a game; None if there is none, or none that can be read."""
        if not _NAME.fullmatch(name):
            return None
        for file in self.folder.glob(f"*-{name}.studio.jsonl"):
            try:
                return read_log(file.read_bytes(), name=file.name)
            except (OSError, TelosError):
                return None
        return None
