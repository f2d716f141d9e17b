"""Pacing and messages."""

import asyncio
import logging
import math
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import orjson

from telos.core.errors import TelosError, name_hint
from telos.studio.recording import encoded, messages
from telos.studio.session import Session, told
from telos.studio.worlds.shapes import GOALS, ROLES

# --- messages ---------------------------------------------------------------------------------------------------------
# Messages from the browser: small JSON objects that say what to do. Anything else is answered, and changes nothing.


MOST_CHARACTERS = 4_096


def obey(session: Session, message: str | bytes) -> str:
    """Do what a message says; return why not, if it cannot be done, and the empty text otherwise."""
    if len(message) > MOST_CHARACTERS:
        return f"a message has at most {MOST_CHARACTERS} characters, this one has {len(message)}"
    try:
        said = orjson.loads(message)
    except orjson.JSONDecodeError:
        return "this is no JSON"
    if not isinstance(said, dict) or not isinstance(said.get("do"), str):
        return 'a message is an object with a "do"'
    if said["do"] not in _DEEDS:
        return f"nothing is called {said['do'][:40]!r}; {name_hint(said['do'][:40], _DEEDS)}"
    try:
        _DEEDS[said["do"]](session, said)
    except TelosError as error:
        return str(error)
    return ""


def _held(session: Session, said: dict[str, Any]) -> None:
    session.hold(_text(said, "keys", most=200))


def _ask(session: Session, said: dict[str, Any]) -> None:
    session.ask(_text(said, "text", most=500))


def _pause(session: Session, said: dict[str, Any]) -> None:
    if type(said.get("on")) is not bool:
        raise TelosError('"on" is true or false')
    session.pause(said["on"])


def _step(session: Session, said: dict[str, Any]) -> None:
    session.scrub(None)
    session.pause(True)
    session.advance()


def _speed(session: Session, said: dict[str, Any]) -> None:
    session.set_speed(_number(said, "to"))


def _scrub(session: Session, said: dict[str, Any]) -> None:
    session.scrub(None if said.get("to") is None else int(_number(said, "to")))


_DEEDS: dict[str, Callable[[Session, dict[str, Any]], None]] = {
    "held": _held, "ask": _ask, "pause": _pause, "step": _step, "speed": _speed, "scrub": _scrub,
}  # fmt: skip


def _text(said: dict[str, Any], key: str, *, most: int) -> str:
    value = said.get(key)
    if not isinstance(value, str) or len(value) > most:
        raise TelosError(f'"{key}" is a text of at most {most} characters')
    return value


def _number(said: dict[str, Any], key: str) -> float:
    value = said.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TelosError(f'"{key}" is a number')
    return min(max(value, -1e9), 1e9)


# --- game -------------------------------------------------------------------------------------------------------------
# A game that is played in a page: paced by the clock, and sent to the browser frame by frame.


Send = Callable[[str], Awaitable[None]]

FRAMES_A_SECOND = 30  # more are not sent; a game that is played faster skips some
_GLANCE = 0.1  # seconds between two looks at a game that is paused
_STATUS = 0.5  # seconds between two messages about how it goes
_LATE = 0.25  # seconds; a game that is later than this stops trying to catch up, and says that it slows down
_SLICE = 0.01  # seconds of a game that is hurried on, until others get their turn
_MOST_NOTES = 20  # that wait to be told: a page that says nonsense without end is not answered without end
_ENOUGH = 0.9  # of the steps a second that were meant: below this it is said that the game slows down


_LOG = logging.getLogger("telos.studio")


class Game:
    """A session, and the one browser page that it is linked to; without a page, it stands still."""

    def __init__(self, session: Session, *, note: str = "", turn: asyncio.Lock | None = None) -> None:
        self.session = session
        self._turn = turn or asyncio.Lock()  # of those that hurry: one at a time, or together they hold up all others
        self.hurry_to: int | None = None  # a frame to get to before anything is shown
        self.then_scrub = False
        self.left_at: float | None = None  # when the page went away; None while there is one
        self.is_unwritten = False  # whether it was to be written to disk, and could not be
        self._notes = [note] if note else []
        self._send: Send | None = None
        self._playing: asyncio.Task[None] | None = None
        self._steps: deque[float] = deque(maxlen=240)  # when the last steps were taken
        self._sent: tuple[Any, ...] = ()
        self._sent_backdrops: set[str] = set()
        self._told = 0  # how many happenings the page knows of
        self._broken = ""  # by what, if it is

    @property
    def name(self) -> str:
        """Return the name by which its page finds it."""
        return self.session.id

    @property
    def is_linked(self) -> bool:
        """Whether a page looks on."""
        return self._send is not None

    def tell(self, note: str) -> None:
        """Keep something to be told to the page."""
        if len(self._notes) < _MOST_NOTES and note not in self._notes:
            self._notes.append(note)

    def hear(self, message: str | bytes) -> None:
        """Take in a message from the page; on the way to a moment none is: it would lead to another one."""
        if self.hurry_to is not None:
            return
        try:
            refusal = obey(self.session, message)
        except Exception as error:
            self._break(error)
        else:
            if refusal:
                self.tell(refusal)

    def begin(self, send: Send) -> asyncio.Task[None]:
        """Play for a page, in a task: from now on, and not from when it runs, so that no second one plays beside it."""
        self._playing = asyncio.create_task(self.play(send))
        return self._playing

    async def play(self, send: Send) -> None:
        """Go on until this is cancelled or sending fails: one step after the other, at the pace of the world."""
        self._send, self._sent, self._sent_backdrops, self.left_at = send, (), set(), None
        loop = asyncio.get_running_loop()
        try:
            await self._hurry(loop)
            await self._greet()
            due = said = loop.time()
            while True:
                now = loop.time()
                if self.session.paused or self.session.waits:
                    due = now + (_GLANCE if self.session.paused else 1 / FRAMES_A_SECOND)
                else:
                    self._advance(now)
                    due = max(due + 1 / (self.session.stage.rate * self.session.speed), now - _LATE)
                await self._show(now)
                if now - said >= _STATUS:
                    said = now
                    await self._send_status(now)
                await asyncio.sleep(max(0.0, due - loop.time()))
        finally:
            if self._send is send:
                self._send = None
                self.session.hold("")  # keys are let go with the page

    async def hand_over(self) -> None:
        """Let go of the page that looks on, if there is one, for another that will."""
        while self._playing is not None and not self._playing.done():  # another may have begun meanwhile
            self._playing.cancel()
            await asyncio.wait([self._playing])
        self._send = None

    async def _hurry(self, loop: asyncio.AbstractEventLoop) -> None:
        """Get to where the game is to be looked at, without showing the way there."""
        session, told = self.session, ""
        session.hurries = self.hurry_to is not None
        while self._is_on_the_way():
            session.stopped = told = f"on the way to frame {self.hurry_to}: {session.last} so far"
            async with self._turn:
                start = loop.time()
                while self._is_on_the_way() and loop.time() - start < _SLICE:
                    self._advance(start)
            await asyncio.sleep(0)
        if session.stopped == told:
            session.stopped = ""
        if self.hurry_to is not None and self.then_scrub:
            session.scrub(self.hurry_to)
        self.hurry_to, self.then_scrub, session.hurries = None, False, False
        self._steps.clear()

    def _is_on_the_way(self) -> bool:
        session = self.session
        return self.hurry_to is not None and session.last < self.hurry_to and not (session.is_over or self._broken)

    def _advance(self, now: float) -> None:
        try:
            self.session.advance()
        except Exception as error:
            self._break(error)
        else:
            self._steps.append(now)

    def _break(self, error: Exception) -> None:
        """Stop a game whose world failed, and say so, here and in the page; all other games go on."""
        session, why = self.session, told(error)
        session.paused, session.stopped = True, f"this game broke: {why}"
        if why != self._broken:
            self._broken = why
            self.tell(f"This game broke, and cannot go on: {why}. Begin a new one; what was played can be downloaded.")
            _LOG.error("a game of %s with the seed %s broke", session.world.name, session.seed, exc_info=error)

    # --- telling the page ---------------------------------------------------------------------------------------------

    async def _greet(self) -> None:
        await self._tell(hello(self.session))
        await self._send_history()

    async def _show(self, now: float) -> None:
        """Send the frame that is looked at, if it is another one than before, and what else there is to tell."""
        session = self.session
        state = (session.paused, session.speed, session.shown, session.stopped, session.version)
        changed = state != self._sent[1:]
        if self._sent and state[:2] != self._sent[1:3]:
            self._steps.clear()  # paused, or at another speed: older steps say nothing about the pace now
        if self._sent and session.version != self._sent[-1]:
            await self._send_history()
        if changed:
            await self._send_status(now)
        looked_at = session.last if session.shown is None else session.shown
        if changed or looked_at != self._sent[0]:
            if not changed and not self._is_due(now):
                return
            await self._send_frame()
        self._sent = (looked_at, *state)
        for text in self._to_tell():
            await self._tell({"is": "told", "text": text, "bad": True})

    def _is_due(self, now: float) -> bool:
        """Whether a frame is to be sent: of a game that is played fast, only as many as a screen shows."""
        rate = self.session.stage.rate * self.session.speed
        return rate <= FRAMES_A_SECOND or self.session.last % max(1, round(rate / FRAMES_A_SECOND)) == 0

    def _to_tell(self) -> list[str]:
        notes, self._notes = [*self._notes, *self.session.refusals], []
        self.session.refusals.clear()
        return notes

    async def _send_history(self) -> None:
        self._told = len(self.session.happenings)
        await self._tell(self.session.history())

    async def _send_frame(self) -> None:
        session = self.session
        if session.shown is None:
            data = {**session.frame_data, "happened": messages(session.happenings[self._told :])}
            self._told = len(session.happenings)  # also of frames that were skipped, or stepped through
            await self._send_backdrop(data["key"])
            await self._tell(data)
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
        rate, slow = self._rate(now), ""
        wanted = session.stage.rate * session.speed
        if not session.paused and rate is not None and rate < _ENOUGH * wanted:
            slow = f"The machine is busy: {rate:.0f} of {wanted:.0f} steps a second."
        await self._tell(
            {
                "is": "status", "paused": session.paused, "speed": session.speed, "shown": session.shown,
                "first": session.first, "last": session.last, "fps": rate and round(rate, 1), "slow": slow,
                "stopped": session.stopped, "version": session.version,
            }
        )  # fmt: skip

    def _rate(self, now: float) -> float | None:
        """Return how many steps a second were taken in the last seconds; None while there is too little to tell."""
        recent = [step for step in self._steps if step > now - 4.0]
        if len(recent) < 3 or now - recent[-1] > 2.0 or recent[-1] - recent[0] < 1.0:
            return None
        return (len(recent) - 1) / (recent[-1] - recent[0])

    async def _tell(self, message: dict[str, Any]) -> None:
        if self._send is not None:
            await self._send(encoded(message).decode())


def hello(session: Session) -> dict[str, Any]:
    """Return what a page needs to know before the first frame."""
    stage = session.stage
    return {
        "is": "hello", "world": stage.name, "title": stage.title, "size": stage.size,
        "rate": stage.rate, "unit": stage.unit, "symbols": dict(stage.symbols), "keys": stage.keys,
        "readers": [[name, session.panel.titles[name]] for name in session.panel.names],
        "goals": session.panel.goals, "roles": ROLES, "goal_colours": GOALS,
        "first": session.first, "last": session.last,
    }  # fmt: skip
