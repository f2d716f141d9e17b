"""All games, recordings on disk."""

import asyncio
import re
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path

from telos.core.errors import TelosError
from telos.studio.recording import GameLog, is_game_log, read_log
from telos.studio.server.game import Game
from telos.studio.session import Session, told
from telos.studio.stage import world

# --- records ----------------------------------------------------------------------------------------------------------
# Games on disk, while they are played: for ``telos study played``, and to go on with after the studio was stopped.


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


# --- hub --------------------------------------------------------------------------------------------------------------
# All games of a studio: one for each open page. A page that closes frees its game; its log is kept for a while.


GRACE = 10.0  # seconds until a game whose page is gone is freed: reloading takes less
MOST_GAMES = 64
MOST_AHEAD = 36_000  # steps that a link may lead into a game of which there is no log: so many are kept to look back at
_KEPT_LOGS = 50
_FULL = f"{MOST_GAMES} games are being played here already; close a page that is not looked at"
_LOST = (
    "The studio was restarted, and the game that was played in this page is lost. "
    "A new one has begun, with the same seed and settings."
)


_FAR = f"A link leads at most {MOST_AHEAD} steps into a new game; this is as far as it goes."


class Hub:
    """Games by name. ``records`` is the folder that every game is written to while it is played, if there is one."""

    def __init__(self, records: Path | None = None) -> None:
        self.games: dict[str, Game] = {}
        self.records = Records(records) if records is not None else None
        self._turn = asyncio.Lock()  # of the games that hurry to a moment
        self._logs: OrderedDict[str, GameLog] = OrderedDict()  # of games that were freed, the oldest first

    def open(
        self, name: str, seed: int, settings: Mapping[str, str], *, game: str = "", at: int | None = None, now: float
    ) -> Game:
        """Return the game of a page that opens: the one it had before it was reloaded, that of a link, or a new one."""
        self.sweep(now)
        known = self.games.get(game)
        if known is not None and known.session.world.name == name and (at is None or not known.is_linked):
            # Also while the old page still looks on: a browser lets go of it only when it has the new one.
            known.left_at = now
            if at is not None:
                known.session.scrub(at)
            return known
        if len(self.games) >= MOST_GAMES:
            raise TelosError(_FULL)
        return self._begun(name, seed, settings, game, at, now)

    def _begun(self, name: str, seed: int, settings: Mapping[str, str], game: str, at: int | None, now: float) -> Game:
        log = self._log(game) if game else None
        if log is not None and log.world == name:
            # Who resumes goes on with the same game, and with its file; a link to a moment opens a copy.
            made = self.play_again(log, now=now, id=game if at is None and game not in self.games else "")
            made.hurry_to, made.then_scrub = log.steps if at is None else min(at, log.steps), at is not None
            return made
        made = self._added(Session(world(name), seed, settings, id=_new_id()), now, _LOST if game else "")
        if at is not None and not game:
            made.hurry_to, made.then_scrub = min(at, MOST_AHEAD), True
            if at > MOST_AHEAD:
                made.tell(_FAR)
        return made

    def replayed(self, data: bytes, *, now: float, file: str = "recording") -> Game:
        """Return a game that plays a recording again which somebody brings along."""
        return self.play_again(read_log(data, name=file) if is_game_log(data) else _adventure(data), now=now)

    def play_again(self, log: GameLog, *, now: float, id: str = "") -> Game:
        """Return a game that plays a log again, from its start; ``id`` is that of the game that it is, if it is one."""
        if len(self.games) >= MOST_GAMES:
            raise TelosError(_FULL)
        session = Session(world(log.world), log.seed, log.settings, script=log.entries(), id=id or _new_id())
        return self._added(session, now)

    def _added(self, session: Session, now: float, note: str = "") -> Game:
        made = self.games[session.id] = Game(session, note=note, turn=self._turn)
        made.left_at = now
        return made

    def sweep(self, now: float) -> None:
        """Free the games whose pages have been gone for a while."""
        for name, game in list(self.games.items()):
            if not game.is_linked and game.left_at is not None and now - game.left_at > GRACE:
                self.free(name)
        for game in self.games.values():
            self._write(game)

    def free(self, name: str) -> None:
        """Let go of a game."""
        game = self.games.pop(name)
        self._write(game, is_last=True)
        if game.session.log.runs:
            self._logs[name] = game.session.log
            while len(self._logs) > _KEPT_LOGS:
                self._logs.popitem(last=False)

    def _write(self, game: Game, *, is_last: bool = False) -> None:
        """Write a game to disk; if that fails, its page is told once, and the game goes on."""
        if self.records is None:
            return
        try:
            is_written = self.records.write(game.name, game.session, is_last=is_last)
        except Exception as error:  # a full disk, or a world that cannot tell: no reason to stop sweeping up
            if not game.is_unwritten:
                game.tell(f"This game is not recorded: {told(error)}")
            game.is_unwritten = True
        else:
            game.is_unwritten = game.is_unwritten and not is_written

    def _log(self, name: str) -> GameLog | None:
        """Return what is known of a game that was, or is, played in another page."""
        if name in self.games:
            return self.games[name].session.log
        if name in self._logs:
            return self._logs[name]
        return None if self.records is None else self.records.read(name)


def _new_id() -> str:
    return secrets.token_urlsafe(9)


def _adventure(data: bytes) -> GameLog:
    """Return the log of a recording that the adventure wrote itself."""
    from telos.studio.worlds.adventure import from_recording  # a world is imported when it is needed

    return from_recording(data)
