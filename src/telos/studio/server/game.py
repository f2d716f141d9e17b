"""A game that is played in one page: `Game` paces it, sends frames to the browser and handles its messages.

`handle_message` applies a message of the browser (a small JSON object with a ``"do"``) to a session.
"""

import asyncio
import logging
import math
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from telos.core.errors import TelosError, name_hint
from telos.studio import glossary
from telos.studio.recording import frame_difference, to_cues, to_json, to_marks
from telos.studio.session import Session, format_error
from telos.studio.worlds.shapes import GOAL_PLACES, GOALS, ROLES

MAX_CHARACTERS = 4_096  # of a message from the browser
MAX_FRAME_RATE = 30  # frames sent per second; a game that runs faster skips some
_PAUSED_INTERVAL = 0.1  # seconds between two checks of a paused game
_STATUS_INTERVAL = 0.5  # seconds between two status messages
_MAX_DELAY = 0.25  # seconds; a game that is later than this stops catching up, and reports that it is slow
_SLICE = 0.01  # seconds that a game that catches up may run before others get their turn
_MAX_NOTES = 20  # that wait to be sent: endless invalid messages are not answered endlessly
_MAX_LEAP = 3  # frames; after a longer one, the page is sent the history anew
_MIN_PACE = 0.9  # share of the intended steps per second; below it the game reports that it is slow

_LOG = logging.getLogger("telos.studio")

Send = Callable[[str], Awaitable[None]]


class Game:
    """A session and the browser page that it is linked to; without a page, the game stands still."""

    def __init__(self, session: Session, *, note: str = "", turn: asyncio.Lock | None = None) -> None:
        self.session = session
        self._turn = turn or asyncio.Lock()  # shared by games that catch up: one at a time, so that others keep pace
        self.target_frame: int | None = None  # a frame to reach before anything is shown
        self.shows_target = False  # whether to pause and show that frame once it is reached
        self.away: float | None = None  # seconds for which the player of a game that is resumed was away
        self.left_at: float | None = None  # when the page went away; None while there is one
        self.visitor = ""  # the browser that it was opened in
        self.page = ""  # the page that is connected, or was last
        self.is_unwritten = False  # whether the last attempt to write it to disk failed
        self._notes = [note] if note else []
        self._send: Send | None = None
        self._playing: asyncio.Task[None] | None = None
        self._step_times: deque[float] = deque(maxlen=240)
        self._sent: tuple[Any, ...] = ()  # the frame and state that were sent last
        self._sent_backdrops: set[str] = set()
        self._sent_happenings = 0
        self._base: dict[str, Any] | None = None  # the live frame that the page has; it gets the differences to it
        self._structure: tuple[object, ...] = ()  # that the page was told of
        self._was_hidden = False  # whether frames were left out since the last history
        self._failure = ""  # the error that stopped the game

    @property
    def name(self) -> str:
        """The identifier by which its page finds it."""
        return self.session.id

    @property
    def world(self) -> str:
        """The name of its world."""
        return self.session.world.name

    @property
    def is_linked(self) -> bool:
        """Whether a page is connected."""
        return self._send is not None

    def notify(self, note: str) -> None:
        """Queue a note that the page shows; repetitions and all beyond a limit are dropped."""
        if len(self._notes) < _MAX_NOTES and note not in self._notes:
            self._notes.append(note)

    def on_message(self, message: str | bytes) -> None:
        """Handle a message of the page; ignored while catching up, as input would change the moment to reach."""
        if self.target_frame is not None:
            return
        try:
            refusal = handle_message(self.session, message)
        except Exception as error:
            self._fail(error)
        else:
            if refusal:
                self.notify(refusal)

    def start(self, send: Send, page: str = "") -> asyncio.Task[None]:
        """Play for a page in a new task, which is registered at once, so that ``release`` finds it."""
        self.page = page
        self._playing = asyncio.create_task(self.play(send))
        return self._playing

    async def play(self, send: Send) -> None:
        """Advance step by step at the pace of the world, until cancelled or until sending fails."""
        self._send, self._sent, self._sent_backdrops, self.left_at = send, (), set(), None
        self._base = None
        loop = asyncio.get_running_loop()
        try:
            await self._catch_up(loop)
            await self._begin()
            due = status_at = loop.time()
            while True:
                if self.session.wanted is not None:
                    await self._seek(loop)
                    due = loop.time()
                now = loop.time()
                is_still = self.session.paused and not self.session.follows
                if is_still or self.session.is_waiting or self.session.waits:
                    due = now + (_PAUSED_INTERVAL if self.session.paused else 1 / MAX_FRAME_RATE)
                else:
                    self._advance(now)
                    due = max(due + 1 / (self.session.stage.rate * self.session.speed), now - _MAX_DELAY)
                if self.session.attention.is_hidden:
                    self._sent, self._was_hidden = (), True  # nothing is sent to a page that is not seen
                else:
                    await self._send_changes(now)
                    if now - status_at >= _STATUS_INTERVAL:
                        status_at = now
                        await self._send_status(now)
                await asyncio.sleep(max(0.0, due - loop.time()))
        finally:
            if self._send is send:
                self._send = None
                self.session.hold("")  # the page is gone, and its keys with it
                self.session.attention.leave()

    async def _begin(self) -> None:
        """Send what does not change during the game, or has changed all the same: then the page begins anew."""
        self._structure = page_structure(self.session)
        self._sent, self._base = (), None
        self._sent_backdrops.clear()
        await self._send_message(hello(self.session))
        await self._send_history()

    async def release(self) -> None:
        """Disconnect the current page, if there is one, so that another page can take over."""
        while self._playing is not None and not self._playing.done():  # another page may have started meanwhile
            self._playing.cancel()
            await asyncio.wait([self._playing])
        self._send = None

    async def _seek(self, loop: asyncio.AbstractEventLoop) -> None:
        """Go to a frame of a recording that is still to come."""
        self.target_frame, self.session.wanted = self.session.wanted, None
        await self._catch_up(loop)
        self.session.pause(True)
        await self._send_history()

    async def _catch_up(self, loop: asyncio.AbstractEventLoop) -> None:
        """Advance to the target frame without showing the frames before it."""
        session, status, told_at = self.session, "", loop.time()
        session.is_catching_up = self.target_frame is not None
        while self._is_behind():
            session.stopped = status = f"on the way to frame {self.target_frame}: {session.last} so far"
            async with self._turn:
                start = loop.time()
                while self._is_behind() and loop.time() - start < _SLICE:
                    self._advance(start)
            if start - told_at > _STATUS_INTERVAL:
                told_at = start
                await self._send_status(start)
            await asyncio.sleep(0)
        if session.stopped == status:
            session.stopped = ""
        if self.target_frame is not None and self.shows_target:
            session.scrub(self.target_frame)
        self.target_frame, self.shows_target, session.is_catching_up = None, False, False
        if self.away is not None:
            session.remind(self.away)
            self.away = None
        self._step_times.clear()

    def _is_behind(self) -> bool:
        session, target = self.session, self.target_frame
        return target is not None and session.last < target and not (session.is_over or self._failure)

    def _advance(self, now: float) -> None:
        before = self.session.last
        try:
            self.session.advance()
        except Exception as error:
            self._fail(error)
        else:
            self._step_times.append(now)
            self._was_hidden |= self.session.last > before + _MAX_LEAP

    def _fail(self, error: Exception) -> None:
        """Stop a game whose world raised an error, and report it in the log and in the page; other games go on."""
        session, why = self.session, format_error(error)
        session.paused, session.stopped = True, f"this game failed: {why}"
        if why != self._failure:
            self._failure = why
            self.notify(f"This game failed and cannot continue: {why}. Start a new one; you can download this one.")
            _LOG.error("a game of %s with the seed %s failed", session.world.name, session.seed, exc_info=error)

    # --- sending ------------------------------------------------------------------------------------------------------

    async def _send_changes(self, now: float) -> None:
        """Send the frame that is looked at, the status and the notes, as far as they are new."""
        session = self.session
        if page_structure(session) != self._structure:
            await self._begin()
        state = (session.paused, session.waits, session.speed, session.shown, session.stopped, session.version)
        changed = state != self._sent[1:]
        if self._sent and state[:3] != self._sent[1:4]:
            self._step_times.clear()  # paused, or at another speed: older steps do not count for the pace
        if self._was_hidden or (self._sent and session.version != self._sent[-1]):
            self._was_hidden = False
            await self._send_history()
        if changed:
            await self._send_status(now)
        frame = session.last if session.shown is None else session.shown
        if changed or frame != self._sent[0]:
            if not changed and not self._is_due():
                return
            await self._send_frame()
        self._sent = (frame, *state)
        for text in self._take_notes():
            await self._send_message({"is": "told", "text": text, "bad": True})

    def _is_due(self) -> bool:
        """Return whether to send this frame: a fast game sends only as many as a screen shows."""
        rate = self.session.stage.rate * self.session.speed
        return rate <= MAX_FRAME_RATE or self.session.last % max(1, round(rate / MAX_FRAME_RATE)) == 0

    def _take_notes(self) -> list[str]:
        notes, self._notes = [*self._notes, *self.session.refusals], []
        self.session.refusals.clear()
        return notes

    async def _send_history(self) -> None:
        self._sent_happenings = len(self.session.happenings)
        await self._send_message(self.session.history())

    async def _send_frame(self) -> None:
        session = self.session
        if session.shown is None:
            happened = session.happenings[self._sent_happenings :]
            data = {**session.frame_data, "happened": to_marks(happened), "cues": to_cues(happened)}
            self._sent_happenings = len(session.happenings)  # including those of skipped frames
            await self._send_backdrop(data["key"])
            await self._send_message(data if self._base is None else frame_difference(self._base, data))
            self._base = data
            return
        frame = session.frame()
        await self._send_backdrop(orjson.loads(frame)["key"])
        assert self._send is not None
        await self._send(frame.decode())

    async def _send_backdrop(self, key: str) -> None:
        if key not in self._sent_backdrops:
            self._sent_backdrops.add(key)
            assert self._send is not None
            await self._send(self.session.backdrop(key).decode())

    async def _send_status(self, now: float) -> None:
        session = self.session
        rate, slow = self._pace(now), ""
        wanted = session.stage.rate * session.speed
        if not (session.paused or session.waits) and rate is not None and rate < _MIN_PACE * wanted:
            slow = f"The machine is busy: {rate:.0f} of {wanted:.0f} steps a second."
        await self._send_message(
            {
                "is": "status", "paused": session.paused, "speed": session.speed, "shown": session.shown,
                "first": session.first, "last": session.last, "fps": rate and round(rate, 1), "slow": slow,
                "stopped": session.stopped, "version": session.version, "waits": session.waits,
                "replay": session.replay, "result": session.result(),
            }
        )  # fmt: skip

    def _pace(self, now: float) -> float | None:
        """Return the steps per second of the last seconds; None if there are too few to tell."""
        recent = [time for time in self._step_times if time > now - 4.0]
        if len(recent) < 3 or now - recent[-1] > 2.0 or recent[-1] - recent[0] < 1.0:
            return None
        return (len(recent) - 1) / (recent[-1] - recent[0])

    async def _send_message(self, message: dict[str, Any]) -> None:
        if self._send is not None:
            await self._send(to_json(message).decode())


def page_structure(session: Session) -> tuple[object, ...]:
    """Return what a page is built for: the readers and the size of the picture, which a game elsewhere may change."""
    return session.recognizers.names, session.stage.size


def hello(session: Session) -> dict[str, Any]:
    """Return the first message to a page: all that does not change during the game."""
    stage = session.stage
    return {
        "is": "hello", "world": stage.name, "title": stage.title, "size": stage.size,
        "rate": stage.rate, "unit": stage.unit, "symbols": dict(stage.symbols), "keys": stage.keys,
        "readers": [[name, session.recognizers.titles[name]] for name in session.recognizers.names],
        "concurrent": [name for name, each in session.recognizers.beliefs.items() if each.is_concurrent],
        "goals": session.recognizers.goals, "roles": ROLES, "goal_colours": GOALS,
        "goal_places": GOAL_PLACES, "headline": headline(session), "about": session.describe_names(),
        "first": session.first, "last": session.last, "pad": stage.needs_pad,
        "invitations": [[each.title, each.about] for each in stage.invitations()],
    }  # fmt: skip


def headline(session: Session) -> dict[str, Any] | None:
    """Return what the corner of the picture needs: the recogniser, and the words around its belief."""
    if session.headline is None:
        return None
    who = "you want" if "you" in session.settings.values() else "the player wants"
    wants = {goal: glossary.wants(goal) for goal in session.recognizers.goals}
    return {
        "reader": session.headline, "title": f"The game thinks {who} to…", "wants": wants,
        "margin": glossary.UNSURE_MARGIN, "doubt": glossary.UNSURE_DOUBT,
        "first": glossary.FIRST_RUN if session.world.runs_here else "",
    }  # fmt: skip


# --- messages of the browser ------------------------------------------------------------------------------------------


def handle_message(session: Session, message: str | bytes) -> str:
    """Apply a message to a session; return why it was refused, or the empty text."""
    if len(message) > MAX_CHARACTERS:
        return f"a message has at most {MAX_CHARACTERS} characters, this one has {len(message)}"
    try:
        data = orjson.loads(message)
    except orjson.JSONDecodeError:
        return "the message is not JSON"
    if not isinstance(data, dict) or not isinstance(data.get("do"), str):
        return 'a message is an object with a "do"'
    if data["do"] not in _HANDLERS:
        return f"there is no message {data['do'][:40]!r}; {name_hint(data['do'][:40], _HANDLERS)}"
    try:
        _HANDLERS[data["do"]](session, data)
    except TelosError as error:
        return str(error)
    return ""


def _handle_held(session: Session, data: dict[str, Any]) -> None:
    session.hold(_text(data, "keys", limit=200))


def _handle_ask(session: Session, data: dict[str, Any]) -> None:
    session.ask(_text(data, "text", limit=500))


def _handle_click(session: Session, data: dict[str, Any]) -> None:
    session.click(_number(data, "x"), _number(data, "y"))


def _handle_pause(session: Session, data: dict[str, Any]) -> None:
    if type(data.get("on")) is not bool:
        raise TelosError('"on" must be true or false')
    session.pause(data["on"])


def _handle_step(session: Session, data: dict[str, Any]) -> None:
    if data.get("back") is True:
        session.step_back()
    else:
        session.step()


def _handle_look(session: Session, data: dict[str, Any]) -> None:
    session.look(_text(data, "at", limit=40))


def _handle_go_on(session: Session, data: dict[str, Any]) -> None:
    session.go_on()


def _handle_seek(session: Session, data: dict[str, Any]) -> None:
    session.seek(int(_number(data, "to")))


def _handle_take_over(session: Session, data: dict[str, Any]) -> None:
    session.take_over()


def _handle_speed(session: Session, data: dict[str, Any]) -> None:
    session.set_speed(_number(data, "to"))


def _handle_scrub(session: Session, data: dict[str, Any]) -> None:
    session.scrub(None if data.get("to") is None else int(_number(data, "to")))


_HANDLERS: dict[str, Callable[[Session, dict[str, Any]], None]] = {
    "held": _handle_held, "ask": _handle_ask, "click": _handle_click, "pause": _handle_pause,
    "step": _handle_step, "speed": _handle_speed,
    "scrub": _handle_scrub, "look": _handle_look, "go-on": _handle_go_on, "seek": _handle_seek,
    "take-over": _handle_take_over,
}  # fmt: skip


def _text(data: dict[str, Any], key: str, *, limit: int) -> str:
    value = data.get(key)
    if not isinstance(value, str) or len(value) > limit:
        raise TelosError(f'"{key}" must be a text of at most {limit} characters')
    return value


def _number(data: dict[str, Any], key: str) -> float:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TelosError(f'"{key}" must be a number')
    return min(max(value, -1e9), 1e9)
