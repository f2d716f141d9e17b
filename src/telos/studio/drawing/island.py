"""The island in pictures: the visitor on the map, the way that led here, and where goals were reached."""

from collections.abc import Iterator, Sequence

from telos.studio.drawing.island_places import spot
from telos.studio.drawing.shapes import Picture, Shape, line, path, place
from telos.worlds.island.map import IslandMap
from telos.worlds.island.outing import Stretch

Point = tuple[float, float]
_TRAIL = 16  # ways that are still seen


def picture(
    the_map: IslandMap,
    now: Stretch,
    time: float,
    walked: Sequence[str],
    reached: Sequence[str],
    *,
    doing: str,
    aim: str,
    who: str,
) -> Picture:
    """Return what changes: ``walked`` are the places so far, ``reached`` where a goal was, ``aim`` where they want."""
    here = whereabouts(the_map, now, time)
    drawn = [path(_dots(the_map, set(walked)), fill="player")]
    drawn += _trail([spot(the_map.place(each)) for each in walked[-_TRAIL:]], here)
    for i, name in enumerate(dict.fromkeys(reached)):
        drawn.append(place(f"reached{i}", "star", *_beside(the_map, name), scale=0.8))
    if aim:
        drawn.append(place("aim", "aim", *spot(the_map.place(aim))))
    drawn.append(place("visitor", "visitor", here[0], here[1] - 8, pick=who, label=doing or None))
    return drawn


def whereabouts(the_map: IslandMap, now: Stretch, time: float) -> Point:
    """Return where the visitor is: on the way, while on the way."""
    (x, y), (to_x, to_y) = (spot(the_map.place(view.place)) for view in (now.before, now.after))
    share = now.share(time)
    return x + (to_x - x) * share, y + (to_y - y) * share


def _trail(points: Sequence[Point], here: Point) -> Iterator[Shape]:
    """Yield the ways walked, the older the fainter."""
    ways = list(zip(points, [*points[1:], here], strict=True))
    for age, (start, end) in enumerate(reversed(ways)):
        if start != end:
            faint = max(6, round(72 * (1 - age / _TRAIL)))
            yield line(*start, *end, f"player/{faint}", width=4)


def _dots(the_map: IslandMap, places: set[str]) -> str:
    """Return dots for places: an outline of circles."""
    spots = [spot(the_map.place(name)) for name in sorted(places)]
    return "".join(f"M{x - 3.5:g} {y:g}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0Z" for x, y in spots)


def _beside(the_map: IslandMap, name: str) -> Point:
    x, y = spot(the_map.place(name))
    return x + 14, y - 2
