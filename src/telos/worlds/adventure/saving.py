"""Saving a game as plain data, and going on from it exactly where it was."""

from collections.abc import Mapping
from typing import Any

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.worlds.adventure.company import Company
from telos.worlds.adventure.directions import keys_text, read_keys
from telos.worlds.adventure.play import Play, Since

# What is plain data already.
_PLAIN = (
    "frame", "noted", "area", "x", "y", "facing", "straight", "swinging", "carrying", "gems_held", "score", "kills",
    "deaths", "phase", "phase_kills", "phase_deaths", "message", "hint_ends",
)  # fmt: skip
_LISTS = ("xs", "ys", "returning", "gem_xs", "gem_ys")
_SETS = ("visited", "chests")


def saved(play: Play) -> dict[str, Any]:
    """Return everything about a game that changes, as plain data, and what it was played by."""
    version, numbers, gauss = play.rng.getstate()
    return {
        "rules": play.rules.fingerprint,
        "directed": play.directed,
        "monsters": play.number,
        "rng": [version, list(numbers), gauss],
        **{name: getattr(play, name) for name in _PLAIN},
        **{name: list(getattr(play, name)) for name in _LISTS},
        **{name: sorted(getattr(play, name)) for name in _SETS},
        "keys": keys_text(play.keys),
        "restart": list(play.restart),
        "since": {name: getattr(play.since, name) for name in Since.__slots__},
        "pay": dict(play.pay),
        "company": None if play.company is None else play.company.save(),
    }


def restored(play: Play, data: Mapping[str, Any]) -> Play:
    """Return the game that was saved; ``play`` is any game of the same kind."""
    for what, mine in (("rules", play.rules.fingerprint), ("directed", play.directed), ("monsters", play.number)):
        if data.get(what) != mine:
            raise TelosError(
                f"this was saved from a game with {what}={data.get(what)!r}, not {mine!r}",
                "restore it in an adventure that was made the same way",
            )
    again = Play(play.rules, directed=play.directed, number=play.number, seed=0)
    version, numbers, gauss = data["rng"]
    again.rng.setstate((version, tuple(numbers), gauss))
    for name in _PLAIN:
        setattr(again, name, data[name])
    for name in _LISTS:
        setattr(again, name, list(data[name]))
    for name in _SETS:
        setattr(again, name, set(data[name]))
    again.keys = read_keys(data["keys"])
    area, x, y = data["restart"]
    again.restart = (area, x, y)
    for name in Since.__slots__:
        setattr(again.since, name, data["since"][name])
    again.pay = dict(data["pay"])
    if play.company is not None:
        again.company = Company(again, trace=play.company.trace)
        again.company.restore(data["company"])
    return again


def saved_event(event: Event) -> dict[str, Any]:
    """Return an event as plain data."""
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in event.context.items()}
    return {"player": event.player, "time": event.time, "action": event.action, "context": plain, "goal": event.goal}


def restored_event(data: Mapping[str, Any]) -> Event:
    """Return the event that was saved."""
    context = {key: tuple(value) if isinstance(value, list) else value for key, value in data["context"].items()}
    return Event(data["action"], context, player=data["player"], time=data["time"], goal=data["goal"])
