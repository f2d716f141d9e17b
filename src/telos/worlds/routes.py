"""Shortest routes between the named places of a world: ``Routes``."""

import heapq
import math
from collections.abc import Mapping


class Routes:
    """Shortest routes along ways between neighbours (Dijkstra); each start is searched once.

    >>> routes = Routes({"inn": {"well": 5.0}, "well": {"inn": 5.0, "gate": 8.0}, "gate": {"well": 8.0}, "isle": {}})
    >>> routes.find("inn", "gate"), routes.distance("inn", "gate")
    (('well', 'gate'), 13.0)
    >>> routes.find("inn", "isle"), routes.distance("inn", "isle")
    (None, inf)
    """

    def __init__(self, ways: Mapping[str, Mapping[str, float]]) -> None:
        self._ways = ways
        self._known: dict[str, tuple[dict[str, float], dict[str, str]]] = {}

    def distance(self, start: str, to: str) -> float:
        """Return the length of the shortest route; infinite if there is none."""
        return self._search(start)[0].get(to, math.inf)

    def find(self, start: str, to: str) -> tuple[str, ...] | None:
        """Return the places of the shortest route, the first one excluded; None if there is none."""
        before = self._search(start)[1]
        if to != start and to not in before:
            return None
        back: list[str] = []
        while to != start:
            back.append(to)
            to = before[to]
        return tuple(reversed(back))

    def _search(self, start: str) -> tuple[dict[str, float], dict[str, str]]:
        """Return for every place that can be reached how far it is, and the place before it."""
        if start in self._known:
            return self._known[start]
        far, before = {start: 0.0}, dict[str, str]()
        queue = [(0.0, start)]
        while queue:
            distance, here = heapq.heappop(queue)
            if distance > far[here]:
                continue  # a shorter route was found after this entry was queued
            for to, more in self._ways[here].items():
                if distance + more < far.get(to, math.inf):
                    far[to], before[to] = distance + more, here
                    heapq.heappush(queue, (far[to], to))
        self._known[start] = far, before
        return far, before
