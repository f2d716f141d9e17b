"""Ways between areas: which edge leads on to where nobody has been, and which leads home."""

from collections.abc import Collection

from telos.worlds.adventure.map import AreaMap
from telos.worlds.adventure.rules import Rules

_INSIDE = 26.0  # pixels between an edge and whoever waits there


def onward(areas: AreaMap, area: int, visited: Collection[int]) -> dict[str, int]:
    """Return for each edge behind which a way to an unvisited area begins how many screens it is, 1 being the next.

    >>> tiny = AreaMap.drawn('''
    ... +---+---+---+---+
    ... |     T         |
    ... +---+---+---+---+
    ... ''')
    >>> onward(tiny, 1, {1, 2}), onward(tiny, 1, {0, 1, 2, 3})
    ({'east': 2, 'west': 1}, {})
    """
    found = {edge: _screens_to_new(areas, behind, area, visited) for edge, behind in areas.exits[area].items()}
    return {edge: screens for edge, screens in found.items() if screens is not None}


def _screens_to_new(areas: AreaMap, start: int, back: int, visited: Collection[int]) -> int | None:
    """Return how many screens it is from the one behind an edge, breadth first and never back through it."""
    reached, queue = {back, start}, [(start, 1)]
    for area, screens in queue:  # grows while it is walked
        if area not in visited:
            return screens
        for behind in areas.exits[area].values():
            if behind not in reached:
                reached.add(behind)
                queue.append((behind, screens + 1))
    return None


def homeward(areas: AreaMap, area: int) -> tuple[str, ...]:
    """Return the edges that lead nearer to town."""
    here = areas.distance[area] or 0
    return tuple(edge for edge, behind in areas.exits[area].items() if (areas.distance[behind] or 0) < here)


def spot_at(rules: Rules, edge: str) -> tuple[float, float]:
    """Return where one waits at an edge: before the middle of it."""
    x, y = rules.width / 2, rules.height / 2
    return {
        "north": (x, _INSIDE),
        "south": (x, rules.height - _INSIDE),
        "west": (_INSIDE, y),
        "east": (rules.width - _INSIDE, y),
    }[edge]
