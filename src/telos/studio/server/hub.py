"""All games of a studio: `Hub` opens, replays and frees them, `GameRecorder` writes them to disk.

Each open page has a game. A game whose page is closed is freed after a while; its log is kept for some time. Of each
visitor (a browser), the hub knows the last game in every world: `Hub.enter` finds it again.
"""

import asyncio
import logging
import math
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from telos.core.errors import TelosError
from telos.files import read_bytes, write_bytes
from telos.studio.recording import MAX_BYTES, GameLog, is_game_log, parse_game_log
from telos.studio.server.game import Game
from telos.studio.session import Session, format_error
from telos.studio.stage import Learned, world

GRACE = 10.0  # seconds until a game without a page is freed: reloading a page takes less
ABSENCE = 1800.0  # seconds until the last game in a world is freed, while its visitor plays in another world
MAX_GAMES = 64
MAX_AHEAD = 36_000  # steps that a link may lead into a game without a log: as many as frames are kept
_MAX_LOGS = 50  # of freed games
_MAX_VISITORS = 500  # whose last games are known
_WRITE_INTERVAL = 1.0  # seconds between two writes of a game; the first is made at once
_NAME = re.compile(r"[A-Za-z0-9_-]{8,24}")
_FULL = f"{MAX_GAMES} games are open already; close a page that is not used"
_LOST = (
    "The studio was restarted, and the game of this page is lost. "
    "A new one has started with the same seed and settings."
)
_GONE = "The recording of this page is not here any more. Open it again under Recordings; this is a new game."
_TOO_FAR = f"A link leads at most {MAX_AHEAD} steps into a new game; this is step {MAX_AHEAD}."

_LOG = logging.getLogger("telos.studio")


class Hub:
    """Games by name. ``records`` is the folder that games are written to while they are played, if there is one."""

    def __init__(self, records: Path | None = None) -> None:
        self.games: dict[str, Game] = {}
        self.freed = 0  # games so far
        self.recorder = GameRecorder(records) if records is not None else None
        self._is_recording = True  # until a write fails, then until one succeeds
        self._written_at: dict[str, float] = {}
        self._turn = asyncio.Lock()  # of the games that catch up
        self._logs: OrderedDict[str, GameLog] = OrderedDict()  # of freed games, the oldest first
        self._visits: OrderedDict[str, dict[str, str]] = OrderedDict()  # visitor -> world -> name of the last game
        self._freed_at: dict[str, float] = {}  # when the page of a freed game was closed
        self._learned: OrderedDict[tuple[str, str], Learned] = OrderedDict()  # by visitor and world

    def enter(self, name: str, seed: int = 0, *, visitor: str, page: str = "", now: float) -> Game:
        """Return the game of a visitor who goes to a world: the one that they left there, or a new one from ``seed``.

        A game that another page plays is not taken from it; ``page`` is the one that asks.
        """
        left = self._visits.get(visitor, {}).get(name, "")
        known = self.games.get(left)
        is_played = known is not None and known.is_linked and not (page and known.page == page)
        if is_played or (known is None and self._find_log(left) is None):
            left = ""
        return self.open(name, seed, {}, game=left, visitor=visitor, now=now)

    def open(
        self,
        name: str,
        seed: int,
        settings: Mapping[str, str],
        *,
        game: str = "",
        at: int | None = None,
        repeats: bool = False,
        visitor: str = "",
        now: float,
    ) -> Game:
        """Return the game of a page that opens: the one it had before a reload, that of a link, or a new one.

        A ``game`` that was freed is resumed where it was, or if the address ``repeats`` it, played from its start.
        """
        self._keep_learned(visitor, name)
        opened = self._find_or_create(name, seed, settings, game, at, repeats, now)
        if at is None and not game:
            self._carry_on(visitor, opened)
        if visitor and not (opened.session.is_scripted and opened.target_frame is None):  # a replay is not their game
            self._note_visit(visitor, opened)
        return opened

    def _keep_learned(self, visitor: str, name: str) -> None:
        """Note what the visitor's last game in a world has learned about them."""
        last = self.games.get(self._visits.get(visitor, {}).get(name, ""))
        learned = None if last is None else last.session.stage.learned
        if visitor and learned is not None and learned.lessons:
            self._learned[visitor, name] = learned
            self._learned.move_to_end((visitor, name))
            while len(self._learned) > _MAX_VISITORS:
                self._learned.popitem(last=False)

    def _carry_on(self, visitor: str, opened: Game) -> None:
        """Let a new game go on with what an earlier one has learned about its visitor; its recording has it, too."""
        session, learned = opened.session, self._learned.get((visitor, opened.world))
        own = session.stage.learned
        if learned is None or own is None or own.model != learned.model or own.lessons or session.log.runs:
            return
        try:
            session.apply(learned.model, learned.text)
        except TelosError as error:  # a model of another version
            opened.notify(f"what was learned before cannot be used: {error}")

    def _note_visit(self, visitor: str, game: Game) -> None:
        game.visitor = visitor
        self._visits.setdefault(visitor, {})[game.session.world.name] = game.name
        self._visits.move_to_end(visitor)
        if len(self._visits) > _MAX_VISITORS:
            self._visits.popitem(last=False)

    def _find_or_create(
        self, name: str, seed: int, settings: Mapping[str, str], game: str, at: int | None, repeats: bool, now: float
    ) -> Game:
        self._free_closed(now)
        known = self.games.get(game)
        if known is not None and known.session.world.name == name and (at is None or not known.is_linked):
            # Also while the old page is still connected: on a reload, a browser drops it only after it has the new one.
            away, known.left_at = self._absence(known, now), now
            if at is not None:
                known.session.scrub(at)
            else:
                known.session.remind(away)
            return known
        self._make_room(now)
        return self._create(name, seed, settings, game, at, repeats, now)

    def _create(
        self, name: str, seed: int, settings: Mapping[str, str], game: str, at: int | None, repeats: bool, now: float
    ) -> Game:
        if not world(name).runs_here:
            return self._look_on(name, seed, at, now)
        log = self._find_log(game) if game else None
        if log is not None and log.world == name:
            # A resumed game keeps its name and its file; a link to a moment opens a copy.
            created = self.replay(log, now=now, id=game if at is None and game not in self.games else "")
            if at is not None or not repeats:
                created.target_frame = log.steps if at is None else min(at, log.steps)
                created.shows_target = at is not None
                created.away = None if at is not None else now - self._freed_at.get(game, -math.inf)
            return created
        created = self._add(
            Session(world(name), seed, settings, id=_new_id()), now, "" if not game else _GONE if repeats else _LOST
        )
        if at is not None and not game:
            created.target_frame, created.shows_target = min(at, MAX_AHEAD), True
            if at > MAX_AHEAD:
                created.notify(_TOO_FAR)
        return created

    def _look_on(self, name: str, seed: int, at: int | None, now: float) -> Game:
        """Return a new view of a game that runs elsewhere, or of a recording, from its start or at a moment."""
        shown = world(name)
        created = self._add(Session(shown, seed, id=_new_id()), now)
        if at is not None:
            there = created.session.stage.backlog if shown.steps is None else shown.steps
            created.target_frame, created.shows_target = min(at, there), True
        return created

    def replay_file(self, data: bytes, *, now: float, file: str = "recording") -> Game:
        """Return a game that replays an uploaded recording."""
        return self.replay(parse_game_log(data, name=file) if is_game_log(data) else _adventure_log(data), now=now)

    def replay(self, log: GameLog, *, now: float, id: str = "") -> Game:
        """Return a game that replays a log from its start; ``id`` is given if it resumes that game."""
        self._make_room(now)
        session = Session(world(log.world), log.seed, log.settings, script=log.entries(), id=id or _new_id())
        return self._add(session, now)

    def _add(self, session: Session, now: float, note: str = "") -> Game:
        game = self.games[session.id] = Game(session, note=note, turn=self._turn)
        game.left_at = now
        return game

    def sweep(self, now: float, *, seconds: float = math.inf) -> None:
        """Free the games whose pages have been closed for a while, and write others to disk.

        Those that have waited longest are written first, and after ``seconds`` the rest waits for the next sweep: each
        write waits for the disk, and all games wait meanwhile.
        """
        self._free_closed(now)
        start = time.perf_counter()
        for name in sorted(self.games, key=lambda name: self._written_at.get(name, -math.inf)):
            if now - self._written_at.get(name, -math.inf) < _WRITE_INTERVAL:
                break
            self._write(self.games[name])
            if self.games[name].session.log.steps:  # until then, each sweep looks again
                self._written_at[name] = now
            if time.perf_counter() - start > seconds:
                break

    def _make_room(self, now: float) -> None:
        """Free the game that has been without a page longest, if there are too many; raise if all are needed."""
        if len(self.games) < MAX_GAMES:
            return
        longest = max(self.games, key=lambda name: self._absence(self.games[name], now))
        if self._absence(self.games[longest], now) <= GRACE:
            raise TelosError(_FULL)
        self.free(longest)

    def _free_closed(self, now: float) -> None:
        present = {game.visitor for game in self.games.values() if self._absence(game, now) <= GRACE}
        for name, game in list(self.games.items()):
            is_awaited = game.visitor in present and self._visits.get(game.visitor, {}).get(game.world) == name
            if self._absence(game, now) > (ABSENCE if is_awaited else GRACE):
                self.free(name)

    @staticmethod
    def _absence(game: Game, now: float) -> float:
        """Return for how many seconds a game has been without a page."""
        return 0.0 if game.is_linked or game.left_at is None else now - game.left_at

    def free(self, name: str) -> None:
        """Drop a game; its log is kept for a while."""
        self._keep_learned(self.games[name].visitor, self.games[name].world)
        game = self.games.pop(name)
        self._freed_at[name] = -math.inf if game.left_at is None else game.left_at
        self.freed += 1
        self._write(game, is_last=True)
        self._written_at.pop(name, None)
        if game.session.log.runs:
            self._logs[name] = game.session.whole_log()
            while len(self._logs) > _MAX_LOGS:
                self._freed_at.pop(self._logs.popitem(last=False)[0], None)

    def _write(self, game: Game, *, is_last: bool = False) -> None:
        """Write a game to disk; a failure is reported once in its page and in the terminal, and the game goes on."""
        if self.recorder is None:
            return
        try:
            is_written = self.recorder.write(game.name, game.session, is_last=is_last)
        except Exception as error:  # a full disk, or a stage whose recording fails: the sweep must go on
            self._report_failure(game, format_error(error))
        else:
            if is_written:
                game.is_unwritten, self._is_recording = False, True

    def _report_failure(self, game: Game, why: str) -> None:
        if not game.is_unwritten:
            game.notify(f"This game is not recorded: {why}")
        if self._is_recording:
            _LOG.warning("games are not recorded: %s", why)
        game.is_unwritten, self._is_recording = True, False

    def _find_log(self, name: str) -> GameLog | None:
        """Return the log of a game: one that is open, was freed, or is on disk."""
        if name in self.games:
            return self.games[name].session.log
        if name in self._logs:
            return self._logs[name]
        return None if self.recorder is None else self.recorder.read(name)


@cache
def prepare_world(name: str) -> None:
    """Import a world and load what its first game needs; in a thread, so that the other games go on."""
    Session(world(name), 0)


class GameRecorder:
    """Writes games into a folder while they are played; a file is named by world, seed and game.

    ``telos study played`` reads these files, and a restarted studio resumes games from them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._written: dict[str, tuple[int, int, int]] = {}  # steps in the log, in the world's own file, and models

    def write(self, name: str, session: Session, *, is_last: bool = False) -> bool:
        """Write a game if it has grown enough; return whether it was written.

        Writing must not delay games: a long game is written less often, and the world's own file, which is larger, much
        less. The last write is complete. A game that only repeats a recording is not written.
        """
        steps, (logged, exported, models) = session.log.steps, self._written.get(name, (0, 0, 0))
        if is_last:
            self._written.pop(name, None)
        if not session.is_new:
            return False
        is_enough = is_last or steps - logged > logged // 100
        if session.version == models and (steps == logged == exported or not is_enough):
            return False
        stem = f"{session.world.name}-seed{session.seed}-{name}"
        self._put(f"{stem}.studio.jsonl", session.log.to_bytes())
        if is_last or steps > 2 * exported:
            exported, own = steps, session.stage.recording()
            if own is not None:
                self._put(f"{stem}.jsonl", own[1])
        if not is_last:
            self._written[name] = steps, exported, session.version
        return True

    def _put(self, file: str, data: bytes) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TelosError(f"{self.folder}: cannot be written: {error.strerror or error}") from None
        write_bytes(self.folder / file, data)

    def read(self, name: str) -> GameLog | None:
        """Return the log of a game; None if there is none, or if it cannot be parsed."""
        if not _NAME.fullmatch(name):
            return None
        for file in self.folder.glob(f"*-{name}.studio.jsonl"):
            try:
                return parse_game_log(read_bytes(file, limit=MAX_BYTES), name=file.name)
            except TelosError:
                return None
        return None


def _new_id() -> str:
    return secrets.token_urlsafe(9)


def _adventure_log(data: bytes) -> GameLog:
    """Return the log of a recording in the adventure's own format."""
    from telos.studio.worlds.adventure import from_recording  # worlds are imported at their first use

    return from_recording(data)
