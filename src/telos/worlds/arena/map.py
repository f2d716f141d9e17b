"""Maps of the arena: what a person drew, with a name for everything on it."""

import math
import os
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from telos.core.errors import DefinitionError, TelosError, name_hint
from telos.core.files.text import read_text
from telos.worlds.arena.drawing import AMBUSH, COVER, DOORS, FURNITURE, LOW, SWITCH, WALL, WINDOW, Drawing
from telos.worlds.arena.grid import Cell, Point, beside, cell_of, middle

MAPS = Path(__file__).parent / "data" / "maps"

COMPASS: dict[str, Point] = {"north": (0.0, -1.0), "south": (0.0, 1.0), "west": (-1.0, 0.0), "east": (1.0, 0.0)}
SHELTERED = math.cos(math.radians(60))  # cover protects this far to either side of its direction


@dataclass(frozen=True, slots=True)
class Node:
    """A named spot of the map: somewhere to take cover, lie in ambush or patrol, or something to use there."""

    name: str
    kind: str  # "cover", "ambush", "patrol", "door", "window", "switch" or "low"
    x: float
    y: float
    protects: frozenset[str] = frozenset()  # against fire from "north", "south", "west", "east"

    @property
    def position(self) -> Point:
        """Return the middle of its cell."""
        return self.x, self.y

    @property
    def cell(self) -> Cell:
        """Return its cell."""
        return cell_of((self.x, self.y))

    def protects_from(self, threat: Point) -> bool:
        """Whether fire from ``threat`` comes from a side that is sheltered.

        >>> wall_to_the_north = Node("c1", "cover", 5.5, 5.5, frozenset({"north"}))
        >>> wall_to_the_north.protects_from((7.0, 2.0)), wall_to_the_north.protects_from((5.5, 9.0))
        (True, False)
        """
        x, y = threat[0] - self.x, threat[1] - self.y
        far = math.hypot(x, y) * SHELTERED
        return any(x * COMPASS[side][0] + y * COMPASS[side][1] >= far > 0 for side in self.protects)


class ArenaMap:
    """A map, drawn in text: one character is a square metre.

    ``#`` wall, space or ``.`` floor, ``+ / %`` a closed, open or locked door, ``=`` window, ``o`` furniture, ``_`` a
    low obstacle to crawl under, ``^ v < >`` cover against fire from the north, south, west and east, ``*`` ambush,
    ``1`` to ``9`` the patrol route, ``!`` the light switch of a dark room, ``A`` to ``Z`` places for the scene to use.

    >>> tiny = ArenaMap('''
    ... ########
    ... #A +  >#
    ... ########
    ... ''')
    >>> tiny.doors["d1"].position, sorted(tiny.nodes["c1"].protects), tiny.rooms
    ((3.5, 1.5), ['east', 'north', 'south'], ('r1', 'r2'))
    """

    def __init__(self, drawing: str, name: str = "") -> None:
        drawn = Drawing(drawing, name)
        if faults := drawn.faults():
            raise DefinitionError(faults)
        self.name, self.rows, self.width, self.height = name, drawn.rows, drawn.width, drawn.height
        self._drawn = drawn
        marks = dict(drawn.marks())
        self.floor = frozenset(cell for cell in marks if drawn.is_floor(cell))
        self.furniture = frozenset(cell for cell, mark in marks.items() if mark == FURNITURE)
        self.walls = frozenset(cell for cell, mark in marks.items() if mark == WALL)
        named = self._named(marks)
        self.nodes = {node.name: node for node in named if node.kind in ("cover", "ambush", "patrol")}
        self.doors, self.windows, self.switches, self.lows = (
            {node.name: node for node in named if node.kind == kind} for kind in ("door", "window", "switch", "low")
        )
        self.fixtures = {**self.doors, **self.windows, **self.switches, **self.lows}
        self.at = {node.cell: node for node in named}
        self.doors_at = {door.cell: door.name for door in self.doors.values()}
        self.patrol = tuple(node.name for node in self.nodes.values() if node.kind == "patrol")
        self.places = {mark: middle(cell) for cell, mark in marks.items() if mark.isascii() and mark.isupper()}
        self.door_starts = {name: DOORS[marks[door.cell]] for name, door in self.doors.items()}
        self._rooms = self._flooded()
        self.rooms = tuple(dict.fromkeys(self._rooms.values()))
        self.dark = frozenset(self.room_at(switch.position) for switch in self.switches.values())

    def __eq__(self, other: object) -> bool:
        """Return whether both are drawn alike, so that what was found out about one of them serves the other."""
        return self.rows == other.rows and self.name == other.name if isinstance(other, ArenaMap) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.rows))

    def _named(self, marks: dict[Cell, str]) -> list[Node]:
        """Return everything that has a name; patrol stops come in the order of their digits."""
        found, count = [], Counter[str]()
        for cell, mark in marks.items():
            kind = _kind(mark)
            if kind:
                count[kind] += 1
                number = mark if kind == "patrol" else count[kind]
                protects = self._protects(cell, mark) if kind == "cover" else frozenset[str]()
                found.append(Node(f"{kind[0]}{number}", kind, *middle(cell), protects))
        return sorted(found, key=lambda node: (node.kind, node.name if node.kind == "patrol" else ""))

    def _protects(self, cell: Cell, mark: str) -> frozenset[str]:
        solid = (side for side, near in zip(COMPASS, beside(cell), strict=True) if self.mark(near) in (WALL, FURNITURE))
        return frozenset({COVER[mark], *solid})

    def _flooded(self) -> dict[Cell, str]:
        """Return the room of every cell that lies in one: walls, doors and windows part rooms, furniture does not."""
        inside = {cell for cell, mark in self._drawn.marks() if mark not in (WALL, WINDOW, *DOORS)}
        rooms: dict[Cell, str] = {}
        for corner, _ in self._drawn.marks():
            if corner not in inside or corner in rooms:
                continue
            name, reached = f"r{len(set(rooms.values())) + 1}", [corner]
            rooms[corner] = name
            while reached:
                for near in beside(reached.pop()):
                    if near in inside and near not in rooms:
                        rooms[near] = name
                        reached.append(near)
        return rooms

    def mark(self, cell: Cell) -> str:
        """Return what is drawn there; outside is wall."""
        return self._drawn.mark(cell)

    def room_at(self, point: Point) -> str:
        """Return the name of the room that a point lies in; a doorway, a window and a wall lie in none (``""``)."""
        return self._rooms.get(cell_of(point), "")

    def sides(self, name: str) -> tuple[tuple[Cell, Cell], ...]:
        """Return the pairs of floor cells that a door or window lies between."""
        return self._drawn.sides(self.fixtures[name].cell)


def _kind(mark: str) -> str:
    if mark in COVER:
        return "cover"
    if mark in DOORS:
        return "door"
    if "1" <= mark <= "9":
        return "patrol"
    return {AMBUSH: "ambush", SWITCH: "switch", LOW: "low", WINDOW: "window"}.get(mark, "")


def map_names() -> tuple[str, ...]:
    """Return the names of the maps that come with Telos."""
    return tuple(sorted(path.stem for path in MAPS.glob("*.txt")))


def load_map(path: str | os.PathLike[str]) -> ArenaMap:
    """Read one of the maps that come with Telos, by its name, or the map file at ``path``.

    >>> load_map("warehouse").patrol
    ('p1', 'p2', 'p3', 'p4')
    """
    name = os.fspath(path)
    if name in map_names():
        return _shipped(name)
    if not Path(name).exists() and "." not in Path(name).name:
        raise TelosError(f"there is no map called {name!r}", name_hint(name, map_names()))
    return ArenaMap(read_text(name), name)


@lru_cache(maxsize=8)  # a map never changes, and what was searched on it serves every arena
def _shipped(name: str) -> ArenaMap:
    return ArenaMap(read_text(MAPS / f"{name}.txt"), name)
