"""The map of an arena from above: floors, walls, doors, windows, crates, and the spots that fighters know by name."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from telos.studio.drawing.arena_outline import outline
from telos.studio.drawing.shapes import Picture, Shape, circle, line, path, rect, text
from telos.worlds.arena.grid import Cell, Point
from telos.worlds.arena.map import COMPASS, ArenaMap, Node

SIZE = (760.0, 430.0)  # of the picture: drawn that large, a unit is a pixel
NAMED_FROM = 17.0  # units a metre from which on there is room for words beside nodes and fighters
_SOLID = "#=+/%"
_EDGE = "panel/60"


class Scale:
    """Where the metres of a map are in the picture: as large as fits, in the middle."""

    def __init__(self, map: ArenaMap) -> None:
        self.unit = round(min(SIZE[0] / map.width, SIZE[1] / map.height), 2)  # a metre
        self.left = round((SIZE[0] - map.width * self.unit) / 2, 2)
        self.top = round((SIZE[1] - map.height * self.unit) / 2, 2)

    def at(self, x: float, y: float) -> Point:
        """Return where a point of the map is in the picture."""
        return self.left + x * self.unit, self.top + y * self.unit

    def around(self, cells: Iterable[Cell], *, shift: float = 0.0) -> str:
        """Return the line around cells, ``shift`` metres to the right and down."""
        far = shift * self.unit
        return outline(cells, self.unit, left=self.left + far, top=self.top + far)

    def box(self, x: float, y: float, width: float, height: float, fill: str, **more: float | str) -> Shape:
        """Return a rectangle around a point of the map, all in metres."""
        left, top = self.at(x - width / 2, y - height / 2)
        return rect(left, top, width * self.unit, height * self.unit, fill, **more)  # type: ignore[arg-type]


class MapDrawing:
    """Draws one map. What never changes is worked out once; doors, glass and light are as they are told."""

    def __init__(self, map: ArenaMap) -> None:
        self._map, self.scale = map, Scale(map)
        self._rooms: dict[str, list[Cell]] = {}
        for y, row in enumerate(map.rows):
            for x in range(len(row)):
                self._rooms.setdefault(map.room_at((x + 0.5, y + 0.5)), []).append((x, y))
        self._rooms.pop("", None)
        self._still = [*self._floors(), *self._nodes(), *self._walls(), *self._furniture(), *self._lows()]

    def picture(self, doors: Mapping[str, str], broken: Collection[str], dark: Iterable[str]) -> Picture:
        """Return the map with its doors ``open``, ``closed`` or ``locked``, windows broken, and rooms in the dark."""
        shapes = list(self._still)
        for name, window in self._map.windows.items():
            shapes += self._window(window, name in broken)
        for name, door in self._map.doors.items():
            shapes += self._door(door, doors[name])
        for room in dark:
            shadow = self.scale.around(self._rooms[room])
            shapes += [
                path(shadow, fill="wall2/45"),
                path(shadow, fill="shadow"),
            ]  # dim in both themes, and crates show
        return [*shapes, *self._switches()]  # which are what one looks for in the dark

    # --- what never changes -------------------------------------------------------------------------------------------

    def _floors(self) -> Iterator[Shape]:
        width, height, at = self._map.width, self._map.height, self.scale.at
        yield rect(0, 0, *SIZE, "page")
        inside = {cell for cells in self._rooms.values() for cell in cells}
        yield path(self.scale.around(inside | self._openings()), fill="floor")
        for number, cells in enumerate(self._rooms.values()):
            if number % 2:  # neighbours differ, mostly
                yield path(self.scale.around(cells), fill="floor2")
        lines = [(at(0, y), at(width, y)) for y in range(1, height)] + [
            (at(x, 0), at(x, height)) for x in range(1, width)
        ]
        grid = "".join(f"M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" for (x, y), (to_x, to_y) in lines)
        yield path(grid, stroke="line/35", width=0.6)

    def _openings(self) -> set[Cell]:
        return {each.cell for each in (*self._map.doors.values(), *self._map.windows.values())}

    def _nodes(self) -> Iterator[Shape]:
        """Yield the spots that minds think of, faintly: cover with the sides that it shelters, ambushes, the round."""
        unit, shelters = self.scale.unit, ""
        for node in self._map.nodes.values():
            x, y = self.scale.at(*node.position)
            if node.kind == "cover":
                shelters += "".join(self._shelter(node, side) for side in sorted(node.protects))
            elif node.kind == "ambush":
                yield circle(x, y, unit * 0.28, "", stroke="accent/55", width=1.2)
                yield circle(x, y, unit * 0.09, "accent/55")
            else:
                yield circle(x, y, max(6.5, unit * 0.4), "faint/12", stroke="faint/45")
                yield text(x, y, node.name.removeprefix("p"), "faint/90", size=9)
            if unit >= NAMED_FROM and node.kind != "patrol":
                yield text(x, y + unit * 0.62, node.name, "faint/60", size=8)
        if shelters:
            yield path(shelters, stroke="faint/45", width=1.4)

    def _shelter(self, node: Node, side: str) -> str:
        """Return a short line at the side of a cover node that fire is kept off from."""
        across, down = COMPASS[side]
        x, y = self.scale.at(node.x + across * 0.38, node.y + down * 0.38)
        half = self.scale.unit * 0.26
        return f"M{x - down * half:.1f} {y - across * half:.1f}l{down * half * 2:.1f} {across * half * 2:.1f}"

    def _walls(self) -> Iterator[Shape]:
        inside = {cell for cells in self._rooms.values() for cell in cells}
        everywhere = {(x, y) for x in range(self._map.width) for y in range(self._map.height)}
        walls = everywhere - inside - self._openings()
        yield path(self.scale.around(walls, shift=0.2), fill="shadow")  # lifts them off the floor
        yield path(self.scale.around(walls), fill="wall2", stroke="wall", width=1.4)

    def _furniture(self) -> Iterator[Shape]:
        """Yield crates: a shadow, a box and two planks for each cell."""
        cells = sorted(self._map.furniture)
        for x, y in cells:
            yield self.scale.box(x + 0.58, y + 0.62, 0.95, 0.95, "shadow", radius=2)
        for x, y in cells:
            yield self.scale.box(x + 0.5, y + 0.5, 0.9, 0.9, "wood", radius=1.5, stroke=_EDGE)
        starts = [self.scale.at(x + 0.2, y + down) for x, y in cells for down in (0.34, 0.66)]
        planks = "".join(f"M{x:.1f} {y:.1f}h{self.scale.unit * 0.6:.1f}" for x, y in starts)
        if planks:
            yield path(planks, stroke="panel/45", width=1)

    def _lows(self) -> Iterator[Shape]:
        """Yield what can be crawled under, hatched."""
        half = self.scale.unit / 2
        for low in self._map.lows.values():
            x, y = self.scale.at(*low.position)
            yield self.scale.box(*low.position, 1, 1, "stone/45")
            upper = f"M{x - half:.1f} {y:.1f}l{half:.1f} {-half:.1f}"
            yield path(f"{upper}M{x:.1f} {y + half:.1f}l{half:.1f} {-half:.1f}", stroke=_EDGE, width=1)

    def _switches(self) -> Iterator[Shape]:
        for switch in self._map.switches.values():
            yield self.scale.box(*switch.position, 0.44, 0.6, "panel", radius=2, stroke="gold")
            yield circle(*self.scale.at(switch.x, switch.y - 0.08), self.scale.unit * 0.11, "gold")

    # --- what changes -------------------------------------------------------------------------------------------------

    def _door(self, door: Node, state: str) -> Iterator[Shape]:
        """Yield the leaf of a door: across the passage if it is shut, along its side if it is open."""
        yield self.scale.box(*door.position, 1, 1, "path")
        thick, upright = max(0.24, 2.4 / self.scale.unit), self._runs_upright(door.cell)
        x, y, wide, high = (door.x, door.y, thick, 1.0) if upright else (door.x, door.y, 1.0, thick)
        if state == "open":  # it hangs by the upper or the left post, and sticks out a little
            wide, high = (1.25, thick) if upright else (thick, 1.25)
            x, y = (door.x + 0.125, door.y - 0.5) if upright else (door.x - 0.5, door.y + 0.125)
        yield self.scale.box(x, y, wide, high, "wood", radius=1, stroke=_EDGE)
        if state == "locked":
            yield circle(*self.scale.at(*door.position), max(2.2, self.scale.unit * 0.2), "gold", stroke="panel")

    def _window(self, window: Node, is_broken: bool) -> Iterator[Shape]:
        yield self.scale.box(*window.position, 1, 1, "wall2")
        across, down = (0.0, 0.5) if self._runs_upright(window.cell) else (0.5, 0.0)
        ends = (*self.scale.at(window.x - across, window.y - down), *self.scale.at(window.x + across, window.y + down))
        width = max(2.0, self.scale.unit * 0.2)
        yield line(*ends, "gem/45" if is_broken else "gem", width=width, dashed=is_broken)

    def _runs_upright(self, cell: Cell) -> bool:
        """Whether the wall that a door or window is in runs up and down the page."""
        x, y = cell
        return all(self._map.mark((x, y + down)) in _SOLID for down in (-1, 1))
