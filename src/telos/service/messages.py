"""What games and the service say to each other: the requests and answers of HTTP and WebSocket, as typed structures.

The same structures are read from and written as JSON or MessagePack; a fault in one names its place.
"""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

import msgspec

from telos.core.belief import Belief
from telos.core.errors import TelosError

Fact: TypeAlias = bool | int | float | str | list[str] | None
Message = TypeVar("Message")

MAX_NAME = 200  # characters of the name of a player, action, goal, model or event
MAX_EVENTS = 10_000  # in one request
MAX_FACTS = 200  # of the game in one event


class EventMessage(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One event. Without ``time`` it has that of the player's last event; ``id`` makes sending it twice harmless."""

    action: str
    context: dict[str, Fact] = {}
    time: float | None = None
    goal: str | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        check_name("action", self.action)
        for what, name in (("id", self.id), ("goal", self.goal)):
            if name is not None:
                check_name(what, name)
        if self.time is not None and not math.isfinite(self.time):
            raise ValueError(f"time must be a finite number, got {self.time}")
        if len(self.context) > MAX_FACTS:
            raise ValueError(f"context has {len(self.context)} facts; {MAX_FACTS} are allowed")
        if any(len(name) > MAX_NAME for name in self.context):
            raise ValueError(f"a name in context has more than {MAX_NAME} characters")


class BeliefMessage(msgspec.Struct, omit_defaults=True):
    """The belief about a player after the event with the number ``seq``; ``repeated`` if its id was known already."""

    player: str
    model: str
    seq: int
    time: float | None
    top: str
    goals: dict[str, float]
    repeated: bool = False


class EventsAnswer(msgspec.Struct):
    """The answer to events: the belief after each."""

    beliefs: list[BeliefMessage]


class PlayerAnswer(msgspec.Struct):
    """What is known about a player: the belief, since when its top goal is on top, and why."""

    player: str
    model: str
    version: int
    seq: int
    time: float | None
    top: str
    since: float | None
    goals: dict[str, float]
    why: list[str]


class ProblemCode(StrEnum):
    """The kinds of problems, the last part of the ``type`` of a problem document."""

    INVALID = "invalid"
    TOO_LARGE = "too-large"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not-found"
    CONFLICT = "conflict"
    TOO_MANY = "too-many-requests"
    UNAVAILABLE = "unavailable"
    INTERNAL = "internal"


STATUS = {
    ProblemCode.INVALID: 422,
    ProblemCode.TOO_LARGE: 413,
    ProblemCode.UNAUTHORIZED: 401,
    ProblemCode.FORBIDDEN: 403,
    ProblemCode.NOT_FOUND: 404,
    ProblemCode.CONFLICT: 409,
    ProblemCode.TOO_MANY: 429,
    ProblemCode.UNAVAILABLE: 503,
    ProblemCode.INTERNAL: 500,
}


class Problem(msgspec.Struct, omit_defaults=True):
    """A problem document (RFC 9457), with the words of the library. ``accepted`` events before the fault are kept."""

    type: str
    title: str
    status: int
    detail: str
    remedy: str = ""
    accepted: int | None = None
    beliefs: list[BeliefMessage] | None = None


class RefusedEvent(msgspec.Struct, omit_defaults=True):
    """An event that was left out because of a fault: its player, its place in the request, and what is wrong."""

    player: str
    place: int
    problem: Problem
    id: str | None = None


class ServiceError(TelosError):
    """A request that cannot be answered, with the kind of the problem."""

    def __init__(self, code: ProblemCode, message: str, remedy: str = "", **more: Any) -> None:
        super().__init__(message, remedy)
        self.code, self.more = code, more

    def problem(self) -> Problem:
        """Return the problem document."""
        title = self.code.value.replace("-", " ")
        return Problem(
            f"telos:{self.code.value}", title, STATUS[self.code], self.message or str(self), self.remedy, **self.more
        )


_JOINERS = str.maketrans("", "", "\u200c\u200d")  # invisible, but part of Persian and Indian words, and of emoji


def damaged(what: str) -> ServiceError:
    """Return the error about something in the store that no service can have written: never the fault of a client."""
    return ServiceError(
        ProblemCode.INTERNAL, f"the store is damaged: {what}", "restore it from a backup, or forget the player"
    )


def check_name(what: str, name: str) -> str:
    """Return a name that can be stored and shown, or raise.

    >>> check_name("player", "Ann / 2")
    'Ann / 2'
    """
    visible = name.translate(_JOINERS)
    if len(name) > MAX_NAME or not visible.strip() or not visible.isprintable():
        raise ServiceError(
            ProblemCode.INVALID, f"{what} must be 1 to {MAX_NAME} printable characters, got {name[:40]!r}"
        )
    return name


def check_player(name: str) -> str:
    """Return the name of a player, or raise; ``*`` stands for everybody, and no address can end with dots only."""
    if name in ("*", ".", ".."):
        raise ServiceError(ProblemCode.INVALID, f"player cannot be {name!r}", "choose another name")
    return check_name("player", name)


def belief_message(
    player: str, model: str, seq: int, time: float | None, belief: Mapping[str, float], *, repeated: bool = False
) -> BeliefMessage:
    """Return a belief as it is sent."""
    goals = dict(belief)
    top = belief.top if isinstance(belief, Belief) else max(goals, key=goals.__getitem__)
    return BeliefMessage(player, model, seq, time, top, goals, repeated)


# --- encodings --------------------------------------------------------------------------------------------------------

JSON, MSGPACK = "application/json", "application/msgpack"
_ENCODERS: dict[str, Any] = {JSON: msgspec.json.Encoder(), MSGPACK: msgspec.msgpack.Encoder()}


def encode(message: object, media: str = JSON) -> bytes:
    """Return a message as bytes of a media type."""
    found: bytes = _ENCODERS[media].encode(message)
    return found


def decode(data: bytes, kind: type[Message], media: str = JSON) -> Message:
    """Return the message in a body, or raise an error that names the place of the fault.

    >>> decode(b'{"action": "swing", "time": "now"}', EventMessage)
    Traceback (most recent call last):
    ...
    telos.service.messages.ServiceError: Expected `float | null`, got `str` - at `$.time`
    """
    reader: Any = msgspec.json if media == JSON else msgspec.msgpack
    try:
        found: Message = reader.decode(data, type=kind)
        return found
    except ServiceError:
        raise
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ServiceError(ProblemCode.INVALID, str(error)) from None
