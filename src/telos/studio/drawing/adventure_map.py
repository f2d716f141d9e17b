"""The little map in the corner of the adventure: where one has been, the town, and oneself."""

from collections.abc import Sequence

from telos.studio.drawing.adventure_outlines import area
from telos.studio.drawing.shapes import Picture, Symbol, path, place
from telos.worlds.adventure.map import AreaMap

_CELL = (17.0, 13.0)  # pixels that an area takes
_GAP = 3.0
_RIM = 6.0
_TOP = 46.0  # below the lines that the page writes over the upper edge
_DOORS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


def map_symbol(area_map: AreaMap) -> Symbol:
    """Return the empty map, drawn from its upper left corner."""
    width, height = _extent(area_map)
    right, down = width - 2 * _RIM, height - 2 * _RIM
    panel = f"M{_RIM:g} 0h{right:g}q6 0 6 6v{down:g}q0 6 -6 6h{-right:g}q-6 0 -6 -6v{-down:g}q0 -6 6 -6z"
    cells = "".join(_cell(area_map, each) for each in range(area_map.columns * area_map.rows))
    return [area("panel/62", panel), area("faint/18", cells)]


def little_map(area_map: AreaMap, visited: Sequence[str], here: str, width: int) -> Picture:
    """Return the map with what is known, in the upper right corner of a picture that is so wide."""
    left = width - _extent(area_map)[0] - 10
    numbers = {area_map.name(each): each for each in range(area_map.columns * area_map.rows)}
    been = "".join(
        _cell(area_map, numbers[name], left, _TOP) + _doors(area_map, numbers[name], left) for name in visited
    )
    you, town = _middle(area_map, numbers[here], left), _middle(area_map, area_map.town, left)
    roof = f"M{town[0] - 5:g} {town[1]:g}l5 -5l5 5zM{town[0] - 3.5:g} {town[1]:g}h7v4h-7z"
    return [
        place("map", "map", left, _TOP),
        path(been, fill="ink/45"),
        path(roof, fill="roof"),
        place("you", "you", *you),
    ]


def _extent(area_map: AreaMap) -> tuple[float, float]:
    width = area_map.columns * (_CELL[0] + _GAP) - _GAP + 2 * _RIM
    return width, area_map.rows * (_CELL[1] + _GAP) - _GAP + 2 * _RIM


def _corner(area_map: AreaMap, area: int, left: float, top: float) -> tuple[float, float]:
    column, row = area % area_map.columns, area // area_map.columns
    return left + _RIM + column * (_CELL[0] + _GAP), top + _RIM + row * (_CELL[1] + _GAP)


def _middle(area_map: AreaMap, area: int, left: float) -> tuple[float, float]:
    x, y = _corner(area_map, area, left, _TOP)
    return x + _CELL[0] / 2, y + _CELL[1] / 2


def _cell(area_map: AreaMap, area: int, left: float = 0.0, top: float = 0.0) -> str:
    x, y = _corner(area_map, area, left, top)
    return f"M{x:g} {y:g}h{_CELL[0]:g}v{_CELL[1]:g}h{-_CELL[0]:g}z"


def _doors(area_map: AreaMap, area: int, left: float) -> str:
    """Return the ways out of an area, each half as long as the gap to the next."""
    (x, y), half = _middle(area_map, area, left), _GAP / 2
    drawn = ""
    for edge in area_map.exits[area]:
        across, down = _DOORS[edge]
        edge_x, edge_y = x + across * _CELL[0] / 2, y + down * _CELL[1] / 2
        if across:
            drawn += f"M{min(edge_x, edge_x + across * half):g} {edge_y - 2.5:g}h{half:g}v5h{-half:g}z"
        else:
            drawn += f"M{edge_x - 2.5:g} {min(edge_y, edge_y + down * half):g}h5v{half:g}h-5z"
    return drawn
