"""Where the places of the island are on its map: columns as the story draws them, lines with room for what is there."""

from telos.worlds.island.map import Place

WIDTH, HEIGHT = 960.0, 540.0
ROOM = (112.0, 50.0)  # the floor of one place in a building
_LEFT, _COLUMN = 70.0, 18.2
# The lines of the story's drawing are close together, as lines of text are; here each has the height that it needs.
_ROWS = {1: 92.0, 3: 138.0, 6: 196.0, 7: 250.0, 9: 300.0, 11: 362.0, 12: 416.0, 14: 486.0}
_SHORT = {
    "infirmary-entrance": "entrance",
    "dining-entrance": "entrance",
    "laboratory-entrance": "entrance",
    "laboratory-office": "office",
    "quarters-hall": "hall",
    "medicine-cabinet": "medicines",
    "microscope-bench": "microscope",
    "serving-counter": "counter",
    "nurses-desk": "desk",
}


def spot(place: Place) -> tuple[float, float]:
    """Return the point of a place on the map.

    >>> spot(Place("dock", "outdoors", 36, 14))
    (725.2, 486.0)
    """
    return round(_LEFT + place.column * _COLUMN, 1), _line(place.row)


def _line(row: int) -> float:
    """Return the height of a line; one that is not in the table lies between its neighbours."""
    if row in _ROWS:
        return _ROWS[row]
    below = max((each for each in _ROWS if each < row), default=min(_ROWS))
    above = min((each for each in _ROWS if each > row), default=max(_ROWS))
    share = 0.0 if above == below else (row - below) / (above - below)
    return _ROWS[below] + share * (_ROWS[above] - _ROWS[below])


def words(name: str) -> str:
    """Return what is written at a place: in a building it goes without saying whose entrance it is."""
    return _SHORT.get(name, name).replace("-", " ")
