"""Commands: lines of text that say what a fighter does next, parsed and checked before a step."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from telos.core.errors import TelosError, name_hint
from telos.worlds.arena.sim.animations import ANIMATIONS
from telos.worlds.arena.sim.constants import PACES, WEAPONS
from telos.worlds.arena.sim.interactions import USES
from telos.worlds.arena.sim.map import Point

VERBS = ("goto", "animate", "use", "stop")


@dataclass(frozen=True, slots=True)
class Command:
    """A parsed command."""

    state: str  # "goto", "animate" or "use"; "" to stop
    text: str
    name: str = ""  # the pace, animation or use
    target: str = ""  # the name of a fighter, node, fixture or thing, or a point as written
    point: Point | None = None  # the destination, if given as x,y
    avoiding: frozenset[str] = frozenset()


class CommandParser:
    """Parses commands; knows the names of one arena."""

    def __init__(
        self, fighters: Iterable[str], nodes: Iterable[str], kinds: Mapping[str, str], gates: Iterable[str]
    ) -> None:
        self.fighters, self.nodes, self.kinds = frozenset(fighters), frozenset(nodes), dict(kinds)
        self.gates = frozenset(gates)  # doors and low obstacles, which a walk may avoid
        self.places = self.fighters | self.nodes | self.kinds.keys()

    def parse(self, text: str) -> Command:
        """Return the parsed command; raise a ``TelosError`` if it is not valid."""
        parts = text.split() if isinstance(text, str) else []
        match parts:
            case ["stop"]:
                return Command("", text)
            case ["goto", place, *how]:
                return self._goto(text, place, how)
            case ["animate", animation]:
                return self._animate(text, animation, "")
            case ["animate", animation, target]:
                return self._animate(text, animation, target)
            case ["use", thing, use]:
                return self._use(text, thing, use)
        if parts and parts[0] not in VERBS:
            raise TelosError(f"{text!r} is not a command", name_hint(parts[0], VERBS))
        raise TelosError(
            f"{text!r} is not a command",
            "write `goto PLACE [walk|run|cloaked|crawl] [avoiding d1,l2]`, "
            "`animate NAME [TARGET]`, `use THING USE` or `stop`",
        )

    def _goto(self, text: str, place: str, how: list[str]) -> Command:
        pace = "run"
        if how and how[0] != "avoiding":
            pace, *how = how
            _require_known(text, "pace", pace, PACES)
        avoided: list[str] = []
        if how:
            avoided = [name for part in how[1:] for name in part.split(",") if name]
            if how[0] != "avoiding" or not avoided:
                raise TelosError(f"{text!r} is not a command", f"write `goto {place} {pace} avoiding d1,l2`")
        for name in avoided:
            _require_known(text, "door or low obstacle", name, self.gates)
        point = parse_point(place)
        if point is None:
            _require_known(text, "place", place, self.places)
        return Command("goto", text, pace, place, point, frozenset(avoided))

    def _animate(self, text: str, name: str, target: str) -> Command:
        animation = ANIMATIONS[_require_known(text, "animation", name, ANIMATIONS)]
        if not target and animation.target != "any":
            raise TelosError(f"{text!r} has no target", f"write `animate {name} TARGET`")
        if animation.target == "fighter":
            _require_known(text, "fighter", target, self.fighters)
        if animation.target == "weapon":
            return Command("animate", text, name, _require_known(text, "weapon", target, WEAPONS))
        point = parse_point(target) if target else None
        if target and point is None:
            _require_known(text, "target", target, self.places)
        return Command("animate", text, name, target, point)

    def _use(self, text: str, thing: str, use: str) -> Command:
        kind = self.kinds[_require_known(text, "thing", thing, self.kinds)]
        _require_known(text, f"use of a {kind}", use, USES[kind])
        return Command("use", text, use, thing)


def parse_point(text: str) -> Point | None:
    """Return the point written as ``x,y``, or None.

    >>> parse_point("3,4.5"), parse_point("c3")
    ((3.0, 4.5), None)
    """
    parts = text.split(",")
    try:
        x, y = map(float, parts)
    except ValueError:
        return None
    return (x, y) if math.isfinite(x) and math.isfinite(y) else None


def _require_known(text: str, what: str, name: str, known: Iterable[str]) -> str:
    if name not in (names := list(known)):
        raise TelosError(f"{text!r} names an unknown {what}: {name!r}", name_hint(name, names))
    return name
