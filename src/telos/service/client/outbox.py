"""What a client has to send and what it has heard: ``Outbox``, the part of a client that knows no network.

An event waits until the service has answered for it. Events go into messages with numbers; a message that is not
answered when a connection breaks is sent again over the next one, with the same number and the same event ids, so that
nothing acknowledged is lost and nothing is counted twice.
"""

import json
import math
import secrets
import threading
import time as clocks
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from telos.core.errors import TelosError

MAX_EVENT_BYTES = 60_000  # of one event; the service would close the connection for a message that is too large
MAX_MESSAGE_EVENTS = 200
MAX_MESSAGE_BYTES = 250_000
MAX_NOTICES = 10_000  # that wait for the game, beside one belief of each player
RETRIED = (429, 503)  # the service could not keep the events now: they are sent again

Fact: TypeAlias = bool | int | float | str | list[str] | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class PlayerBelief:
    """The belief about a player after the event with the number ``seq``, as the service counts them."""

    player: str
    model: str
    seq: int
    time: float | None
    top: str
    goals: Mapping[str, float]
    repeated: bool = False  # the event had been counted before; it was sent again after a broken connection

    def __getitem__(self, goal: str) -> float:
        return self.goals[goal]


@dataclass(frozen=True, slots=True)
class EventRefused:
    """The service refused an event; the problem document says why. Nothing sends it again."""

    player: str
    event: Mapping[str, Any]
    problem: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EventsDropped:
    """So many events were not taken because the queue was full."""

    count: int


@dataclass(frozen=True, slots=True)
class SubscriptionRefused:
    """The service refused a subscription; the problem document says why."""

    problem: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ConnectionMade:
    """The service is there; what was not answered is sent again."""


@dataclass(frozen=True, slots=True)
class ConnectionLost:
    """The service is not there; the client tries again after ``wait`` seconds."""

    reason: str
    wait: float


Notice: TypeAlias = PlayerBelief | EventRefused | EventsDropped | SubscriptionRefused | ConnectionMade | ConnectionLost


@dataclass(slots=True)
class DeliveryCounts:
    """What became of all events: taken = waiting + acknowledged + refused; dropped ones were never taken."""

    taken: int = 0
    acknowledged: int = 0
    refused: int = 0
    dropped: int = 0

    @property
    def waiting(self) -> int:
        return self.taken - self.acknowledged - self.refused


@dataclass(slots=True)
class _Item:
    player: str
    event: dict[str, Any]
    text: str


@dataclass(slots=True)
class _Message:
    seq: int
    text: str
    items: dict[str, list[_Item]]

    def __len__(self) -> int:
        return sum(map(len, self.items.values()))


@dataclass(slots=True)
class Outbox:
    """Events on their way to the service, and what was heard from it; any thread may use it.

    At most ``capacity`` events wait; a further one is not taken, which is told by False and by a notice. At most
    ``window`` messages are unanswered at a time.

    >>> outbox = Outbox(capacity=2, sender="game")
    >>> [outbox.add("ann", "swing", {"monsters": 2}, time=float(second)) for second in range(3)]
    [True, True, False]
    >>> outbox.next_message()[:84]
    '{"seq":1,"skip":true,"quiet":true,"batch":[{"player":"ann","events":[{"action":"swin'
    >>> outbox.hear('{"ack": 1}')
    True
    >>> outbox.counts
    DeliveryCounts(taken=2, acknowledged=2, refused=0, dropped=1)
    """

    capacity: int = 10_000
    window: int = 16
    model: str | None = None
    every_belief: bool = False
    sender: str = ""
    clock: Callable[[], float] = clocks.time
    counts: DeliveryCounts = field(default_factory=DeliveryCounts)
    is_closed: bool = False  # nothing more is taken
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _queue: deque[_Item] = field(default_factory=deque)
    _unanswered: deque[_Message] = field(default_factory=deque)
    _sent: int = 0  # of the unanswered messages, how many went over this connection
    _last: int = 0  # number of the last message
    _made: int = 0  # events that got an id
    _time: float = -math.inf
    _wanted: dict[str, None] = field(default_factory=dict)
    _controls: deque[str] = field(default_factory=deque)
    _beliefs: dict[tuple[str, str], tuple[PlayerBelief, int]] = field(default_factory=dict)
    _by_player: dict[str, PlayerBelief] = field(default_factory=dict)
    _news: dict[tuple[str, str], PlayerBelief] = field(default_factory=dict)
    _notices: deque[Notice] = field(default_factory=lambda: deque(maxlen=MAX_NOTICES))
    _dropped: int = 0  # since the last notice

    def __post_init__(self) -> None:
        if self.capacity < 1 or self.window < 1:
            raise TelosError(f"capacity {self.capacity} and window {self.window}", "both must be at least 1")
        self.sender = self.sender or secrets.token_hex(6)

    # --- what the game says -------------------------------------------------------------------------------------------

    def add(
        self,
        player: str,
        action: str,
        context: Mapping[str, Fact] | None = None,
        *,
        time: float | None = None,
        goal: str | None = None,
    ) -> bool:
        """Take an event, or return False if the queue is full; without a time it has that of the clock."""
        with self._lock:
            if self.is_closed or self.counts.waiting >= self.capacity:
                self.counts.dropped += 1
                self._dropped += 1
                return False
            if time is None:
                time = max(self._time, self.clock())  # a clock that is put back stands still
            event: dict[str, Any] = {"action": action, "time": time, "id": f"{self.sender}-{self._made + 1}"}
            if context:
                event["context"] = dict(context)
            if goal is not None:
                event["goal"] = goal
            text = _encode_event(player, event)
            self._made, self._time = self._made + 1, time
            self.counts.taken += 1
            self._queue.append(_Item(player, event, text))
            return True

    def subscribe(self, players: Iterable[str]) -> None:
        """Ask for the beliefs about players; ``*`` is everybody."""
        self._control("subscribe", players)

    def unsubscribe(self, players: Iterable[str]) -> None:
        """Ask no longer for the beliefs about players."""
        self._control("unsubscribe", players)

    def _control(self, what: str, players: Iterable[str]) -> None:
        with self._lock:
            names = list(players)
            for name in names:
                if what == "subscribe":
                    self._wanted[name] = None
                else:
                    self._wanted.pop(name, None)
            self._controls.append(_dump({"seq": self._next_number(), what: names}))

    def belief(self, player: str, model: str | None = None) -> PlayerBelief | None:
        """Return the last belief that was heard about a player."""
        with self._lock:
            if model is None:
                return self._by_player.get(player)
            found = self._beliefs.get((model, player))
            return None if found is None else found[0]

    def take_notices(self) -> list[Notice]:
        """Return what has happened since the last call, the latest belief of each player last."""
        with self._lock:
            found = list(self._notices)
            if self._dropped:
                found.append(EventsDropped(self._dropped))
            found += self._news.values()
            self._notices.clear()
            self._news.clear()
            self._dropped = 0
            return found

    @property
    def has_notices(self) -> bool:
        """Whether there is something to tell the game."""
        return bool(self._notices or self._news or self._dropped)

    def note(self, notice: Notice) -> None:
        """Tell the game something; if it never asks, the oldest notices are forgotten."""
        with self._lock:
            self._notices.append(notice)

    # --- what goes over the network -----------------------------------------------------------------------------------

    def begin_connection(self) -> None:
        """Begin anew: subscriptions first, then all that is not answered, then what waits."""
        with self._lock:
            self._sent = 0
            self._controls.clear()
            if self._wanted:
                self._controls.append(_dump({"seq": self._next_number(), "subscribe": list(self._wanted)}))

    def next_message(self) -> str | None:
        """Return the next message to send over this connection, if there is one and the window allows it."""
        with self._lock:
            if self._controls:
                return self._controls.popleft()
            if self._sent == len(self._unanswered):
                if self._sent >= self.window or not self._queue:
                    return None
                self._unanswered.append(self._message())
            self._sent += 1
            return self._unanswered[self._sent - 1].text

    def _message(self) -> _Message:
        items: dict[str, list[_Item]] = {}
        size = count = 0
        while self._queue and count < MAX_MESSAGE_EVENTS and size + len(self._queue[0].text) < MAX_MESSAGE_BYTES:
            item = self._queue.popleft()
            items.setdefault(item.player, []).append(item)
            size, count = size + len(item.text), count + 1
        seq = self._next_number()
        head = _dump({"seq": seq, "skip": True, "quiet": not self.every_belief, **self._model()})
        parts = (
            f'{{"player":{json.dumps(player)},"events":[{",".join(item.text for item in mine)}]}}'
            for player, mine in items.items()
        )
        return _Message(seq, f'{head[:-1]},"batch":[{",".join(parts)}]}}', items)

    def _model(self) -> dict[str, str]:
        return {} if self.model is None else {"model": self.model}

    def _next_number(self) -> int:
        self._last += 1
        return self._last

    def hear(self, text: str | bytes) -> bool:
        """Take a message of the service; False if it could not keep events, so that the connection begins anew."""
        said: dict[str, Any] = json.loads(text)
        with self._lock:
            if "news" in said:
                for each in said["news"]:
                    self._learn(each, self._last)
                return True
            problems: dict[str, Any] = said.get("problems", {})
            if any(problem.get("status") in RETRIED for problem in problems.values()):
                return False
            if self._sent and self._unanswered[0].seq == said["ack"]:
                self._sent -= 1
                self._settle(self._unanswered.popleft(), problems, said.get("refused", []))
            elif problems:
                self._notices.extend(SubscriptionRefused(problem) for problem in problems.values())
            for each in said.get("beliefs", []):
                known = self._beliefs.get((each["model"], each["player"]))
                # An answer may come after news of later events; such news was heard while the message was on its way.
                if known is None or each["seq"] >= known[0].seq or known[1] < said["ack"]:
                    self._learn(each, 0)
            return True

    def _learn(self, said: Mapping[str, Any], heard_after: int) -> None:
        belief = PlayerBelief(**said)
        key = (belief.model, belief.player)
        known = self._beliefs.get(key)
        self._beliefs[key] = (belief, heard_after)
        self._by_player[belief.player] = belief
        if known is None or known[0] != belief:
            self._news.pop(key, None)
            if self.every_belief:
                self._notices.append(belief)
            else:
                self._news[key] = belief

    def _settle(self, message: _Message, problems: Mapping[str, Any], refused: Iterable[Mapping[str, Any]]) -> None:
        """Count the events of an answered message as acknowledged or refused."""
        whole = problems.get("")
        by_id = {each.get("id"): each["problem"] for each in refused}
        left = len(message)
        for player, items in message.items.items():
            problem = problems.get(player, whole)
            kept = 0
            for item in items:
                found = by_id.get(item.event["id"])
                if found is None and problem is not None and kept >= problem.get("accepted", 0):
                    found = problem
                if found is None:
                    kept += 1
                    continue
                left -= 1
                self.counts.refused += 1
                self._notices.append(EventRefused(player, item.event, found))
        self.counts.acknowledged += left


def _encode_event(player: str, event: Mapping[str, Any]) -> str:
    """Return an event as JSON, or raise if no service could read it."""
    for what, name in (("player", player), ("action", event["action"])):
        if not isinstance(name, str) or not name:
            raise TelosError(f"{what} must be a name, got {name!r}", "give a text that is not empty")
    for name, value in event.get("context", {}).items():
        if not (value is None or isinstance(value, bool | int | float | str) or _is_texts(value)):
            raise TelosError(
                f"the fact {name!r} is {value!r:.80}", "give a number, a text, a list of texts, or yes or no"
            )
    try:
        text = _dump(event)
    except (TypeError, ValueError) as error:
        raise TelosError(f"the event {event['action']!r} cannot be sent: {error}", "use facts that JSON has") from None
    if len(text) > MAX_EVENT_BYTES:
        raise TelosError(f"an event of {len(text):,} bytes; at most {MAX_EVENT_BYTES:,}", "send fewer facts")
    return text


def _is_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
