"""`attach`: one line in a game, and the studio shows its minds, beliefs and events while it runs.

    crowd.tick ──▶ Attachment ──▶ Outlet ◀── telos play --attach 127.0.0.1:8710
    reader.observe  (this file)   outlet.py

While nobody looks on, a frame costs one look at a flag. Needs nothing beyond what minds need.
"""

import atexit
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from telos.agents.embedding.crowd import Crowd
from telos.core.errors import TelosError
from telos.recognition.recognizer import Recognizer
from telos.squads.coordinator import Coordinator
from telos.studio.attached.observing import AttachedBeliefReader, CrowdReader, Json
from telos.studio.attached.outlet import Outlet

Part: TypeAlias = Crowd | Recognizer | Coordinator

_RATE = 10.0  # traces a second at most
# Reading minds may take this share of the processor time of frames; in a game of little work, and while the game stands
# still, these shares of all time.
_SHARE, _LEAST, _PAUSED_SHARE = 0.015, 0.003, 0.2
_MAX_CREDIT, _MAX_DEBT = 0.02, 0.002  # seconds that reading may take at once, and may have taken too much
_MAX_EVENTS = 1_000  # that wait for the next trace


def attach(
    part: Part | Mapping[str, Part],
    *,
    name: str = "game",
    where: Callable[[Any], Any] | None = None,
    map: Mapping[str, Any] | Sequence[str] | None = None,
    port: int | None = None,
    token: str | None = None,
    quiet: bool = False,
) -> "Attachment":
    """Let the studio look on at a running game: a crowd, a recogniser, a squad coordinator, or several by name.

    The game goes on as before. It listens on loopback (``port``: the first free one from 8710 on) and prints the
    command that shows it, unless ``quiet``. ``where`` returns the x and y of a body (without it, attributes such as
    ``cell`` or ``position`` are found); ``map`` is rows of text, or a map as traces have it. While the studio asks for
    a pause, `Crowd.tick` does nothing; the rest of the game looks at ``attached.paused``.

    >>> from telos.agents import Crowd
    >>> from telos.files import loads
    >>> crowd = Crowd(loads("{domain: farm, variables: {wood: int}, actions: {chop: {effects: wood += 1}}}"))
    >>> with attach(crowd, quiet=True) as attached:
    ...     _ = crowd.tick(0.0)
    ...     attached.paused, attached.is_watched
    (False, False)
    """
    parts = part if isinstance(part, Mapping) else {_default_name(part): part}
    attached = Attachment(parts, name=name, where=where, map=map, port=port, token=token)
    if not quiet:
        print(f"The game can be looked at: telos play --attach {attached.address}", file=sys.stderr)
    return attached


def _default_name(part: object) -> str:
    return "crowd" if isinstance(part, Crowd) else "player"


class Attachment:
    """A game that the studio can look on at; made by `attach`. Its methods cost next to nothing while nobody does.

    All are called by the thread that runs the game.
    """

    def __init__(
        self,
        parts: Mapping[str, Part],
        *,
        name: str,
        where: Callable[[Any], Any] | None,
        map: Mapping[str, Any] | Sequence[str] | None,
        port: int | None,
        token: str | None,
    ) -> None:
        _check_parts(parts, name, token)
        self._outlet = Outlet(name, port=port, token=token)
        self._crowds = [(each, CrowdReader(each, where)) for each in parts.values() if isinstance(each, Crowd)]
        self._coordinators = [each for each in parts.values() if isinstance(each, Coordinator)]
        self._readers: list[AttachedBeliefReader] = []
        self._map = None if map is None else to_map(map)
        self._events: list[Json] = []
        self._lines: list[Json] = []
        self._channels: dict[str, list[Any]] = {}
        self._changed: set[str] = set()  # channels that were drawn since the last trace
        self._values: Json = {}
        self._squads: list[Json] | None = None
        self._told_squads: list[Json] | None = None
        self._was_paused = False
        self._due = self._looked_at = time.perf_counter()
        self._began = 0.0  # the frame, in processor time
        self._spent = self._credit = 0.0  # seconds of frames since the last trace; that reading may take
        try:
            for key, each in parts.items():
                if not isinstance(each, Crowd | Coordinator):
                    self._readers.append(AttachedBeliefReader(key, each, lambda: self._outlet.is_watched))
        except TelosError:
            self.close()
            raise
        for crowd, _ in self._crowds:
            crowd.observer = self
        atexit.register(self.close)

    # --- what the game asks -------------------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        """The address for ``telos play --attach``; a studio of this user finds the token by itself."""
        return self._outlet.address

    @property
    def is_watched(self) -> bool:
        """Whether a studio looks on."""
        return self._outlet.is_watched

    @property
    def paused(self) -> bool:
        """Whether the studio asks the game to stand still. The studio is told that it does."""
        is_paused = self._outlet.is_paused
        if is_paused and not self._crowds:
            self._look(max((reader.time for reader in self._readers), default=0.0))
        return is_paused

    def wait(self) -> None:
        """Return at once, or while the studio asks for a pause, at its end: for games without a window."""
        while self.paused:
            for crowd, _ in self._crowds:
                self.begin_frame(_now(crowd))
            time.sleep(0.02)

    # --- what the game tells ------------------------------------------------------------------------------------------

    def log(self, text: str, *, who: str = "game", category: str = "event", why: str = "") -> None:
        """Add an entry to the log; categories are words of your own, by which it is filtered."""
        if self._outlet.is_watched and len(self._events) < _MAX_EVENTS:
            event = {"text": text[:2_000], "who": who, "category": category, "why": why[:20_000]}
            self._events.append(event | ({"time": _now(self._crowds[0][0])} if self._crowds else {}))

    def say(self, who: str, text: str) -> None:
        """Show what somebody says, as a bubble and in the log."""
        if self._outlet.is_watched and len(self._lines) < _MAX_EVENTS:
            self._lines.append({"who": who, "text": text[:2_000]})

    def draw(self, channel: str, shapes: Iterable[Mapping[str, Any]]) -> None:
        """Draw shapes over the map, in place of those that the channel had; channels are switched on and off."""
        self._channels[channel] = list(shapes) if self._outlet.is_watched else []
        self._changed.add(channel)

    def show_map(self, map: Mapping[str, Any] | Sequence[str]) -> None:
        """Show another map."""
        self._map = to_map(map)
        self._outlet.wants_all = True

    def set_values(self, **values: float | str) -> None:
        """Give names to values of the game, for conditions to pause on: ``wolves=2``."""
        if self._outlet.is_watched:
            self._values |= values

    def set_squads(self, squads: Iterable[Mapping[str, Any]]) -> None:
        """Show squads of your own: mappings with ``name``, ``members``, ``behaviour`` and ``orders`` by member."""
        self._squads = [dict(each) for each in squads]

    def look(self, now: float) -> None:
        """Tell the studio what is new, at most ten times a second; a crowd does so by itself."""
        if self._outlet.is_watched:
            self._look(now)

    def close(self) -> None:
        """Tell the studio that the game has ended, and leave the game as it was."""
        atexit.unregister(self.close)
        for crowd, reader in self._crowds:
            reader.listen(False)
            if crowd.observer is self:
                crowd.observer = None
        for each in self._readers:
            each.release()
        self._outlet.close()

    def __enter__(self) -> "Attachment":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- called by the crowd ------------------------------------------------------------------------------------------

    def begin_frame(self, now: float) -> bool:
        """Return whether the frame may run, which a studio may have asked to hold."""
        if not self._outlet.is_watched:
            return True
        if self._outlet.is_paused:
            self._look(now)
            return False
        self._began = time.thread_time()
        return True

    def end_frame(self, now: float) -> None:
        """Look at the minds after a frame."""
        if self._outlet.is_watched:
            self._spent += max(0.0, time.thread_time() - self._began)
            self._look(now)

    # --- traces -------------------------------------------------------------------------------------------------------

    def _look(self, now: float) -> None:
        """Queue a trace of what is new, if one is due."""
        clock = time.perf_counter()
        if clock < self._due:
            return
        passed, self._looked_at, self._due = clock - self._looked_at, clock, clock + 1 / _RATE
        earned = _PAUSED_SHARE * passed if self._outlet.is_paused else max(_LEAST * passed, _SHARE * self._spent)
        self._credit, self._spent = min(_MAX_CREDIT, self._credit + earned), 0.0
        if not self._outlet.check_watched():
            self._stop_listening()
            return
        trace: Json = {"game": self._outlet.game, "run": self._outlet.run, "time": now}
        if self._outlet.wants_all:
            self._outlet.wants_all = False
            trace |= self._begin()
        start = time.thread_time()  # not the clock's time, in which other programs run
        trace |= self._minds(now, self._credit) | self._news()
        self._credit = max(-_MAX_DEBT, self._credit - (time.thread_time() - start))
        if self._was_paused != self._outlet.is_paused:
            trace["paused"] = self._was_paused = self._outlet.is_paused
        self._outlet.put({key: value for key, value in trace.items() if key == "squads" or value not in ([], {}, None)})

    def _begin(self) -> Json:
        """Tell everything anew, because a studio has come."""
        for _, reader in self._crowds:
            reader.forget()
            reader.listen(True)
        for each in self._readers:
            each.forget()
        self._changed, self._told_squads = set(self._channels), None
        self._credit = _MAX_CREDIT  # once, so that the studio has something to show
        return {"map": self._map, "paused": self._outlet.is_paused}

    def _stop_listening(self) -> None:
        for _, reader in self._crowds:
            reader.listen(False)
        self._events, self._lines = [], []

    def _minds(self, now: float, seconds: float) -> Json:
        minds, gone, events = [], [], []
        for _, reader in self._crowds:
            minds += reader.minds(now, seconds=seconds, looks_at=self._outlet.looks_at)
            gone += reader.gone()
            events += reader.events()
        return {"minds": minds, "gone": gone, "events": events + self._events}

    def _news(self) -> Json:
        self._events, lines, self._lines = [], self._lines, []
        channels, self._changed = {name: self._channels[name] for name in self._changed}, set()
        values, self._values = self._values, {}
        beliefs = [each for reader in self._readers if reader.has_news for each in reader.beliefs()]
        squads = self._squads
        if self._coordinators:
            squads = [_describe_squad(squad) for each in self._coordinators for squad in each.squads] + (squads or [])
        if squads == self._told_squads:
            squads = None
        else:
            self._told_squads = squads
        found = {"lines": lines, "channels": channels, "values": values, "beliefs": beliefs}
        return found if squads is None else {**found, "squads": squads}


def _now(crowd: Crowd) -> float:
    """Return the time of a crowd's last frame; 0 before the first."""
    return max(0.0, crowd.schedule.now)


def to_map(given: Mapping[str, Any] | Sequence[str]) -> Json:
    """Return a map as traces have it; rows alone are one.

    >>> to_map(["..~", ".t~"])
    {'rows': ['..~', '.t~'], 'centred': True}
    """
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, str):
        given = given.split()
    return {"rows": list(given), "centred": True}


def _describe_squad(squad: Any) -> Json:
    assignment = squad.assignment
    told: Json = {"name": squad.name, "members": list(squad.names)}
    if assignment is not None:
        told |= {"behaviour": assignment.behaviour, "orders": dict(assignment.describe_orders())}
    return told


def _check_parts(parts: Mapping[str, Any], name: str, token: str | None) -> None:
    """Raise a ``TelosError`` for what cannot be attached."""
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name) <= 200 or "/" in name:
        raise TelosError(f"{name!r} is not a name for a game", "use 1 to 200 printable characters without a slash")
    if token is not None and len(token) < 16:
        raise TelosError(f"a token of {len(token)} characters can be guessed", "use 16 or more, or leave it out")
    if not parts:
        raise TelosError("nothing to attach", "give a crowd, a recogniser, or several by name")
    for key, each in parts.items():
        is_reader = callable(getattr(each, "observe", None)) and hasattr(each, "belief") and hasattr(each, "goals")
        if isinstance(each, Crowd) and each.observer is not None:
            raise TelosError(f"{key} is attached already", "close the attachment before")
        if isinstance(each, type) or not (isinstance(each, Crowd | Coordinator) or is_reader):
            raise TelosError(f"{key}: {each!r} cannot be attached", "give a Crowd, a recogniser or a Coordinator")
