"""``PlainPlayer``: a scripted player who does one plain thing, to test whether a recogniser sees it.

Unlike ``Player`` it has no plan, no goals of its own and few limits: it walks to the nearest monster and swings, or
through exits that it has not used, or home. Its behaviour was fixed before any recogniser was scored on it.
"""

from collections.abc import Sequence
from random import Random
from typing import Protocol

from telos.core.errors import TelosError, name_hint
from telos.studies.players.navigation import beyond, eighth, quarter
from telos.worlds.adventure.map import EDGES, PARTS

INTENTS = ("level", "explore", "town")
_SIDES = {edge: side for side, edge in EDGES.items()}
_REACH = 66.0  # pixels within which it swings
_DECIDES = 5  # frames from one decision to the next
_SWING, _REST = 3, 7  # frames that the key is held down, and up again
_STUCK = 8  # frames without a step, before it walks around what is in the way
_AROUND = 14  # frames of walking around
_HESITATES = 0.04  # chance of standing still, at each decision
_STAYS = 12  # frames of standing still


class Surroundings(Protocol):
    """What the player sees: a part of ``AdventureView``."""

    @property
    def frame(self) -> int: ...
    @property
    def area(self) -> str: ...
    @property
    def exits(self) -> tuple[str, ...]: ...
    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def monsters(self) -> Sequence[tuple[float, float]]: ...


class PlainPlayer:
    """A player with one intent; ``input(view)`` returns the keys held in the next frame.

    ``level`` walks to the nearest monster and swings, and leaves an area without monsters. ``explore`` walks through
    exits behind which it has not been. ``town`` walks home the way that it knows. All swing at a monster within reach.
    ``pursue`` changes the intent.

    >>> from telos.worlds.adventure.adventure import Adventure
    >>> game, ann = Adventure("flairs", seed=1), PlainPlayer("explore", seed=1)
    >>> ann.input(game.view()) in ("up", "down", "left", "right")
    True
    """

    def __init__(self, intent: str, *, seed: int = 0) -> None:
        self.pursue(intent)
        self._rng = Random(f"plain player {seed}")
        self._exits: dict[str, tuple[str, ...]] = {}  # of the areas where it has been
        self._home = ""
        self._area = ""
        self._keys, self._until, self._swung = "", 0, -_REST
        self._spot, self._since = (0.0, 0.0), 0

    def pursue(self, intent: str) -> None:
        """Have another intent from now on."""
        if intent not in INTENTS:
            raise TelosError(f"there is no intent {intent!r}", name_hint(intent, INTENTS))
        self.intent, self._exit = intent, ""

    def input(self, view: Surroundings) -> str:
        """Return the keys held in the next frame."""
        self._see(view)
        if view.frame >= self._until:
            self._decide(view)
        if view.frame - self._swung < _SWING:
            return f"{self._keys}+swing" if self._keys else "swing"
        return self._keys

    def _see(self, view: Surroundings) -> None:
        self._home = self._home or view.area
        self._exits[view.area] = view.exits
        if view.area != self._area:
            self._area, self._exit, self._until = view.area, "", view.frame
        if (view.x, view.y) != self._spot or not self._keys:
            self._spot, self._since = (view.x, view.y), view.frame

    def _decide(self, view: Surroundings) -> None:
        self._until = view.frame + _DECIDES
        if self._rng.random() < _HESITATES:
            self._keys, self._until = "", view.frame + _STAYS
            return
        near = self._nearest(view)
        if near is not None and _far(near) <= _REACH:
            self._strike(view, near)
        elif view.frame - self._since >= _STUCK:
            self._keys, self._until = self._aside(), view.frame + _AROUND
        elif self.intent == "level" and near is not None:
            self._keys = "+".join(PARTS[eighth(*near)])
        else:
            self._keys = self._way_out(view)

    def _strike(self, view: Surroundings, near: tuple[float, float]) -> None:
        self._keys = quarter(*near)  # turning is a step; the sword follows
        if view.frame - self._swung >= _SWING + _REST:
            self._swung = view.frame

    def _aside(self) -> str:
        across = "left" in self._keys or "right" in self._keys
        return self._rng.choice(("up", "down") if across else ("left", "right"))

    @staticmethod
    def _nearest(view: Surroundings) -> tuple[float, float] | None:
        ways = [(x - view.x, y - view.y) for x, y in view.monsters]
        return min(ways, key=_far, default=None)

    def _way_out(self, view: Surroundings) -> str:
        """Return the direction of an exit; a choice stays until the area changes."""
        if self._exit not in view.exits:
            self._exit = self._rng.choice(self._fitting_exits(view) or view.exits)
        return _SIDES[self._exit]

    def _fitting_exits(self, view: Surroundings) -> tuple[str, ...]:
        if self.intent == "town":
            return self._first_steps(view.area, {self._home})
        if self.intent == "explore":
            beside = tuple(edge for edge in view.exits if beyond(view.area, edge) not in self._exits)
            return beside or self._first_steps(view.area, self._forks())
        return ()

    def _forks(self) -> set[str]:
        """Return the areas with an exit behind which it has not been."""
        known = self._exits
        return {area for area, exits in known.items() if any(beyond(area, edge) not in known for edge in exits)}

    def _first_steps(self, start: str, ends: set[str]) -> tuple[str, ...]:
        """Return the first exit of a shortest known way to one of ``ends``, breadth first; () if there is none."""
        first: dict[str, tuple[str, ...]] = {start: ()}
        queue = [start]
        for area in queue:  # grows while it is walked
            if area in ends and first[area]:
                return first[area]
            for edge in self._exits.get(area, ()):
                behind = beyond(area, edge)
                if behind not in first and behind in self._exits:
                    first[behind] = first[area] or (edge,)
                    queue.append(behind)
        return ()


def _far(way: tuple[float, float]) -> float:
    return float((way[0] ** 2 + way[1] ** 2) ** 0.5)
