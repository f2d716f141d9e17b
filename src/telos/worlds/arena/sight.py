"""Lines of sight over a map: walls and shut doors end them, glass and furniture do not."""

from collections.abc import Container

from telos.worlds.arena.grid import Cell, crossed, middle
from telos.worlds.arena.map import ArenaMap

MOST_KEPT = 400_000  # pairs of cells; a map of 64 by 24 metres hardly gets there


class Sight:
    r"""Answers whether two cells see each other, measured from middle to middle.

    A line that passes exactly between two cells at their corner is blocked if both of them block it. For every pair of
    cells it is kept which doors stand in between, so an answer stays good however often doors are opened and shut.

    >>> sight = Sight(ArenaMap("#######\n#  +  #\n#######"))
    >>> sight.line((1, 1), (5, 1), shut={(3, 1)}), sight.line((1, 1), (5, 1), shut=set())
    (False, True)
    """

    def __init__(self, map: ArenaMap) -> None:
        self._map = map
        self._doors_between: dict[tuple[Cell, Cell], tuple[Cell, ...] | None] = {}

    def line(self, one: Cell, other: Cell, shut: Container[Cell]) -> bool:
        """Whether the two cells see each other while the doors ``shut`` are shut."""
        pair = (one, other) if one <= other else (other, one)  # looked at from either end, a line is the same line
        try:
            doors = self._doors_between[pair]
        except KeyError:
            doors = self._keep(pair)
        if not doors:
            return doors is not None
        for door in doors:
            if door in shut:
                return False
        return True

    def _keep(self, pair: tuple[Cell, Cell]) -> tuple[Cell, ...] | None:
        if len(self._doors_between) >= MOST_KEPT:
            self._doors_between.clear()
        self._doors_between[pair] = doors = self._look(*pair)
        return doors

    def _look(self, one: Cell, other: Cell) -> tuple[Cell, ...] | None:
        """Return the doors on the line, or None if a wall stands on it. Whoever stands in a doorway sees out of it."""
        cells, corners = crossed(middle(one), middle(other))
        if any(self._is_wall(cell) for cell in cells):
            return None
        doors = [cell for cell in cells if cell in self._map.doors_at]
        for pair in corners:
            solid = [cell for cell in pair if self._is_wall(cell) or cell in self._map.doors_at]
            if len(solid) == 2:
                if all(self._is_wall(cell) for cell in solid):
                    return None
                doors += [cell for cell in solid if not self._is_wall(cell)]
        return tuple(doors)

    def _is_wall(self, cell: Cell) -> bool:
        return self._map.mark(cell) == "#"
