"""The map of the village: places, the ways between them, and how long they take to walk."""

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from telos.core.errors import TelosError, name_hint


@dataclass(frozen=True, slots=True, eq=False)
class Village:
    """Where places are drawn, and the seconds from each to those beside it. Routes are found once and kept.

    >>> street = {"inn": {"well": 5.0}, "well": {"inn": 5.0, "gate": 8.0}, "gate": {"well": 8.0}}
    >>> tiny = Village({"inn": (0, 0), "well": (3, 2), "gate": (3, 6)}, street)
    >>> tiny.route("inn", "gate"), tiny.walk("inn", "gate")
    (('well', 'gate'), 13.0)
    """

    places: Mapping[str, tuple[int, int]]
    ways: Mapping[str, Mapping[str, float]]
    drawing: tuple[str, ...] = ()
    _from: dict[str, tuple[dict[str, float], dict[str, str]]] = field(default_factory=dict)

    def known(self, place: str) -> str:
        """Return ``place`` if there is one called so."""
        if place not in self.places:
            raise TelosError(f"there is no place {place!r} in the village", name_hint(place, self.places))
        return place

    def walk(self, start: str, to: str) -> float:
        """Return the seconds of the shortest route."""
        return self._routes(start)[0][to]

    def route(self, start: str, to: str) -> tuple[str, ...]:
        """Return the places of the shortest route, without the one it starts from."""
        came = self._routes(start)[1]
        back: list[str] = []
        while to != start:
            back.append(to)
            to = came[to]
        return tuple(reversed(back))

    def _routes(self, start: str) -> tuple[dict[str, float], dict[str, str]]:
        if start not in self._from:
            self._from[start] = self._search(start)
        return self._from[start]

    def _search(self, start: str) -> tuple[dict[str, float], dict[str, str]]:
        far, came = {start: 0.0}, dict[str, str]()
        queue = [(0.0, start)]
        while queue:
            seconds, here = heapq.heappop(queue)
            if seconds > far[here]:
                continue  # a shorter way was found after this entry was queued
            for to, more in self.ways[here].items():
                if seconds + more < far.get(to, math.inf):
                    far[to], came[to] = seconds + more, here
                    heapq.heappush(queue, (far[to], to))
        return far, came
