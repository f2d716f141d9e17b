"""Commands: short lines of text that say what a body should do next, read and checked before anything happens."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from telos.core.errors import TelosError, name_hint
from telos.worlds.arena.sim.animations import ANIMATIONS
from telos.worlds.arena.sim.constants import PACES
from telos.worlds.arena.sim.interactions import USES
from telos.worlds.arena.sim.map import Point

VERBS = ("goto", "animate", "use", "stop")


@dataclass(frozen=True, slots=True)
class Command:
    """A command that makes sense."""

    state: str  # "goto", "animate" or "use"; "" to stop
    text: str
    name: str = ""  # the pace, the animation or the use
    target: str = ""  # the name of a fighter, node, fixture or thing, or a place as it was written
    point: Point | None = None  # the place, if it was given in metres
    avoiding: frozenset[str] = frozenset()


class Words:
    """The names that commands may use in one arena."""

    def __init__(
        self, fighters: Iterable[str], nodes: Iterable[str], kinds: Mapping[str, str], gates: Iterable[str]
    ) -> None:
        self.fighters, self.nodes, self.kinds = frozenset(fighters), frozenset(nodes), dict(kinds)
        self.gates = frozenset(gates)  # what a walker may avoid
        self.places = self.fighters | self.nodes | self.kinds.keys()

    def read(self, text: str) -> Command:
        """Return what a command says, or refuse it."""
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
            "write `goto PLACE [walk|run|cloaked] [avoiding d1,l2]`, "
            "`animate NAME [TARGET]`, `use THING USE` or `stop`",
        )

    def _goto(self, text: str, place: str, how: list[str]) -> Command:
        pace = "run"
        if how and how[0] != "avoiding":
            pace, *how = how
            _known(text, "pace", pace, PACES)
        avoided: list[str] = []
        if how:
            avoided = [name for part in how[1:] for name in part.split(",") if name]
            if how[0] != "avoiding" or not avoided:
                raise TelosError(f"{text!r} is not a command", f"write `goto {place} {pace} avoiding d1,l2`")
        for name in avoided:
            _known(text, "door or low obstacle", name, self.gates)
        point = point_of(place)
        if point is None:
            _known(text, "place", place, self.places)
        return Command("goto", text, pace, place, point, frozenset(avoided))

    def _animate(self, text: str, name: str, target: str) -> Command:
        animation = ANIMATIONS[_known(text, "animation", name, ANIMATIONS)]
        if not target and animation.target != "any":
            raise TelosError(f"{text!r} is aimed at nothing", f"write `animate {name} TARGET`")
        if animation.target == "fighter":
            _known(text, "fighter", target, self.fighters)
        point = point_of(target) if target else None
        if target and point is None:
            _known(text, "target", target, self.places)
        return Command("animate", text, name, target, point)

    def _use(self, text: str, thing: str, use: str) -> Command:
        kind = self.kinds[_known(text, "thing", thing, self.kinds)]
        _known(text, f"use of a {kind}", use, USES[kind])
        return Command("use", text, use, thing)


def point_of(text: str) -> Point | None:
    """Return the place that is written as ``x,y``, if it is.

    >>> point_of("3,4.5"), point_of("c3")
    ((3.0, 4.5), None)
    """
    parts = text.split(",")
    try:
        x, y = map(float, parts)
    except ValueError:
        return None
    return (x, y) if math.isfinite(x) and math.isfinite(y) else None


def _known(text: str, what: str, name: str, known: Iterable[str]) -> str:
    if name not in (names := list(known)):
        raise TelosError(f"{text!r} asks for the {what} {name!r}, which is not there", name_hint(name, names))
    return name
