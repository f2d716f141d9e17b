"""Messages from the browser: small JSON objects that say what to do. Anything else is answered, and changes nothing."""

import math
from collections.abc import Callable
from typing import Any

import orjson

from telos.core.errors import TelosError, name_hint
from telos.studio.session import Session

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
