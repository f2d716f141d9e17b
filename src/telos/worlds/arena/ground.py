"""What the game answers when a plan hangs on it: how far, whether at all, and whether through that door.

These are the procedural preconditions and costs of the arena's domain. They speak of what a fighter believes: a door
that would not open is no way through for as long as they remember it.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from telos.agents.memory import WorkingMemory
from telos.core.values import Value
from telos.worlds.arena.arena import Arena
from telos.worlds.arena.grid import Point
from telos.worlds.arena.knowledge import barrier_known, kept_out_by, place_known

NOWHERE = 10_000.0  # metres to a place that cannot be reached: more than any plan is worth


class Ground:
    """Answers for all fighters of one arena; ``memories`` are theirs."""

    def __init__(self, arena: Arena, memories: Mapping[str, WorkingMemory]) -> None:
        self._arena, self._memories = arena, memories

    @property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """Return the functions that the arena's domain calls, by name."""
        return {
            "distance": self.distance,
            "beyond": self.beyond,
            "can_reach": self.can_reach,
            "path_to_safety": self.path_to_safety,
        }

    def distance(self, who: str, place: Value) -> float:
        """Return how many metres ``who`` has to walk to a place; to a fighter, as the crow flies."""
        goal = self._goal(who, place)
        if goal is None:
            return NOWHERE
        if place in self._arena.fighters:
            return float(round(self._arena.fighter(who).distance_to(goal)))
        return float(round(min(NOWHERE, self._metres(who, goal))))

    def can_reach(self, who: str, place: Value) -> bool:
        """Whether there is any way for ``who``, with what they know of doors."""
        goal = self._goal(who, place)
        fighter = self._arena.fighter(who)
        return goal is not None and self._arena.navigator.connected(fighter.position, goal, **self._manner(who))

    def beyond(self, who: str, place: Value) -> bool:
        """Whether the way to a place leads through the barrier that ``who`` attends to."""
        memory, goal = self._memories[who], self._goal(who, place)
        barrier = barrier_known(memory, self._arena.time)
        if goal is None or barrier is None or place == barrier.subject:
            return False
        manner = self._manner(who)
        cells = self._arena.navigator.cells(self._arena.fighter(who).position, goal, **manner)
        return cells is not None and self._arena.map.fixtures[barrier.subject].cell in cells

    def path_to_safety(self, who: str, safety: Value) -> bool:
        """Whether ``who`` can get to where they would flee; the search is made only if a plan hangs on it."""
        goal = self._goal(who, safety)
        if goal is None:
            return False
        return self._arena.navigator.way(self._arena.fighter(who).position, goal, **self._manner(who)) is not None

    def _metres(self, who: str, goal: Point) -> float:
        """Return the length of the way, or of the one there would be if no door were stuck."""
        here, manner = self._arena.fighter(who).position, self._manner(who)
        metres = self._arena.navigator.distance(here, goal, **manner)
        if metres == math.inf and manner["avoiding"]:
            return self._arena.navigator.distance(here, goal, **{**manner, "avoiding": frozenset()})
        return metres

    def _goal(self, who: str, place: Value) -> Point | None:
        if place is None:
            return None
        memory = self._memories[who]
        if place in self._arena.fighters:
            return place_known(self._arena, memory, who, place)
        return self._arena.where_to_stand(who, place, kept_out_by(memory, self._arena.time))

    def _manner(self, who: str) -> dict[str, Any]:
        fighter = self._arena.fighter(who)
        return {
            "avoiding": kept_out_by(self._memories[who], self._arena.time),
            "crawls": not fighter.flies,
            "flies": fighter.flies,
        }
