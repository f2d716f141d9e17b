"""The map in a player's head: screens that were seen, ways between them, and how they are forgotten."""

from collections.abc import Callable, Iterable
from random import Random

from telos.agents.memory import Fact, WorkingMemory
from telos.core.frozen import FrozenMap

_SHIFTS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
BACK = {"north": "south", "east": "west", "south": "north", "west": "east"}


def beyond(area: str, edge: str) -> str:
    """Return the area behind an edge.

    >>> beyond("3,2", "north")
    '3,1'
    """
    column, row = map(int, area.split(","))
    across, down = _SHIFTS[edge]
    return f"{column + across},{row + down}"


class MentalMap:
    """Facts about screens that fade. What is new is remembered more or less well, by chance."""

    def __init__(self, fades: float, rng: Random) -> None:
        self._memory = WorkingMemory({"way": fades, "searched": fades})
        self._rng = rng
        self.town: str | None = None

    def see(self, area: str, exits: Iterable[str], now: float) -> None:
        """Take in a screen on entering it."""
        care = self._rng.uniform(0.3, 1.0)  # how well one looked
        self._memory.note(Fact("way", area, now, care, FrozenMap({"exits": tuple(exits)})))
        self._memory.note(Fact("searched", area, now, care))

    def start_over(self, area: str, now: float) -> None:
        """Hold every screen but this one for unsearched; the ways between them stay known."""
        for fact in self._memory.all_of("searched", now):
            self._memory.forget("searched", fact.subject)
        self._memory.note(Fact("searched", area, now))

    def is_searched(self, area: str, now: float) -> bool:
        """Whether one remembers having looked there."""
        return self._memory.recall("searched", area, now) is not None

    def exits_of(self, area: str, now: float) -> tuple[str, ...]:
        """Return the remembered exits of an area."""
        fact = self._memory.recall("way", area, now)
        return tuple(fact["exits"]) if fact else ()

    def way(self, start: str, is_end: Callable[[str], bool], now: float) -> tuple[str, ...]:
        """Return the edges to cross to the nearest area that is an end, over remembered areas; none if there is none."""
        ways: dict[str, tuple[str, ...]] = {start: ()}
        queue = [start]
        for area in queue:
            for edge in self.exits_of(area, now):
                behind = beyond(area, edge)
                if behind in ways:
                    continue
                ways[behind] = (*ways[area], edge)
                if is_end(behind):
                    return ways[behind]
                queue.append(behind)
        return ()

    def way_to_unsearched(self, area: str, now: float) -> tuple[str, ...]:
        """Return the way to the nearest area that one does not remember to have searched."""
        return self.way(area, lambda behind: not self.is_searched(behind, now), now)

    def way_home(self, area: str, now: float) -> tuple[str, ...]:
        """Return the remembered way to town."""
        return self.way(area, lambda behind: behind == self.town, now)

    def felt_way_home(self, area: str, exits: Iterable[str]) -> tuple[str, ...]:
        """Return the exits that point to where the town must be, as the crow flies."""
        if self.town is None:
            return ()
        column, row = map(int, area.split(","))
        to_column, to_row = map(int, self.town.split(","))
        right = {"north": to_row < row, "south": to_row > row, "east": to_column > column, "west": to_column < column}
        return tuple(edge for edge in exits if right[edge])
