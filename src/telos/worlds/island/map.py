"""The map of the island: places in areas, the ways between them, and how far it is."""

import heapq
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from telos.core.errors import TelosError, name_hint

LINE = 2  # a line of text is about as high as two columns are wide


@dataclass(frozen=True, slots=True)
class Place:
    """A sub-location: where it is drawn, and which area it belongs to."""

    name: str
    area: str
    column: int
    row: int


@dataclass(frozen=True, slots=True)
class Way:
    """From one place to the next: how many metres, and through which door, if there is one."""

    to: str
    metres: float
    door: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class IslandMap:
    """Places by name and the ways out of each. Routes are found once and kept.

    >>> there, back = Place("there", "camp", 0, 0), Place("back", "camp", 3, 2)
    >>> tiny = IslandMap.of([there, back], [("there", "back", "gate")], metres=2.0)
    >>> tiny.route("there", "back"), tiny.distance("there", "back"), tiny.doors["gate"]
    (('back',), 10.0, ('there', 'back'))
    """

    places: Mapping[str, Place]
    ways: Mapping[str, tuple[Way, ...]]
    doors: Mapping[str, tuple[str, str]]
    _from: dict[str, tuple[dict[str, float], dict[str, str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, places: Iterable[Place], links: Iterable[tuple[str, str, str | None]], *, metres: float) -> "IslandMap":
        """Make a map of places and of the links between them; ``metres`` is the width of a column of the drawing."""
        named = {place.name: place for place in places}
        ways: dict[str, list[Way]] = {name: [] for name in named}
        doors: dict[str, tuple[str, str]] = {}
        for one, other, door in links:
            far = apart(named[one], named[other]) * metres
            ways[one].append(Way(other, far, door))
            ways[other].append(Way(one, far, door))
            if door is not None:
                doors[door] = (one, other)
        return cls(named, {name: tuple(out) for name, out in ways.items()}, doors)

    def place(self, name: str) -> Place:
        """Return the place of that name."""
        if name not in self.places:
            raise TelosError(f"there is no place {name!r} on the island", name_hint(name, self.places))
        return self.places[name]

    def way(self, start: str, to: str) -> Way | None:
        """Return the way from a place to one beside it, or None if it is not beside it."""
        return next((way for way in self.ways[start] if way.to == to), None)

    def distance(self, start: str, to: str) -> float:
        """Return the metres of the shortest route; infinite if there is none."""
        return self._routes(start)[0].get(to, math.inf)

    def route(self, start: str, to: str) -> tuple[str, ...]:
        """Return the places of the shortest route, without the one it starts from."""
        came = self._routes(start)[1]
        if to != start and to not in came:
            raise TelosError(f"there is no way from {start!r} to {to!r}")
        back = []
        while to != start:
            back.append(to)
            to = came[to]
        return tuple(reversed(back))

    def _routes(self, start: str) -> tuple[dict[str, float], dict[str, str]]:
        if start not in self._from:
            self._from[start] = self._search(self.place(start).name)
        return self._from[start]

    def _search(self, start: str) -> tuple[dict[str, float], dict[str, str]]:
        far, came = {start: 0.0}, dict[str, str]()
        queue = [(0.0, start)]
        while queue:
            metres, here = heapq.heappop(queue)
            if metres > far[here]:
                continue
            for way in self.ways[here]:
                total = metres + way.metres
                if total < far.get(way.to, math.inf):
                    far[way.to], came[way.to] = total, here
                    heapq.heappush(queue, (total, way.to))
        return far, came


def apart(one: Place, other: Place) -> float:
    """Return how far two places are from each other on the drawing, in columns."""
    return math.hypot(one.column - other.column, (one.row - other.row) * LINE)
