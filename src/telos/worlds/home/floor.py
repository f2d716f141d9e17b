"""The floor plan and what stands on it: rooms and shortest paths, places and who holds them, the furnished house.

``FloorPlan`` reads the drawing, ``Places`` reserves cells for people, ``Premises`` joins both with the domain.
"""

import math
import re
from collections import deque
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeAlias

from telos.core.domain import Domain
from telos.core.errors import TelosError, name_hint
from telos.worlds.home import house
from telos.worlds.home.house import PACE, Thing

Cell: TypeAlias = tuple[int, int]  # row, column

WALL, DOOR = "#", "+"
_LABEL = re.compile(r"[a-z]+(?: [a-z]+)*")


def neighbours(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """Return the four neighbours of a cell: below, above, right, left."""
    row, column = cell
    return (row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)


def distances(target: Cell, floor: Container[Cell], ends: Container[Cell] = ()) -> dict[Cell, int]:
    """Return the number of steps from each reachable cell to ``target``.

    Paths lead over ``floor``; they may start or end on the cells in ``ends`` (a chair, a bed) but not cross them.
    """
    steps = {target: 0}
    queue = deque([target])
    while queue:
        cell = queue.popleft()
        if cell != target and cell not in floor:
            continue
        for next_to in neighbours(cell):
            if next_to not in steps and (next_to in floor or next_to in ends):
                steps[next_to] = steps[cell] + 1
                queue.append(next_to)
    return steps


class FloorPlan:
    """A house read from a text drawing.

    ``#`` is a wall and ``+`` a door; capital letters and digits are furniture, which blocks the way; a name in small
    letters names the room it stands in.

    >>> plan = FloorPlan('''
    ... ###########
    ... #F  #   1 #
    ... #den+ nook#
    ... ###########
    ... ''')
    >>> plan.room_at((1, 1)), plan.room_at((1, 8)), plan.furniture["F"]
    ('den', 'nook', ((1, 1),))
    >>> plan.find_path((1, 1), (1, 8))
    ((2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (1, 5), (1, 6), (1, 7), (1, 8))
    """

    def __init__(self, drawing: str) -> None:
        rows = drawing.strip("\n").splitlines()
        self.height, self.width = len(rows), max(map(len, rows), default=0)
        self.rows = tuple(row.ljust(self.width) for row in rows)
        self.walls = frozenset(cell for cell, mark in self._marks() if mark == WALL)
        self.doors = frozenset(cell for cell, mark in self._marks() if mark == DOOR)
        self.furniture: dict[str, tuple[Cell, ...]] = {}
        for cell, mark in self._marks():
            if mark.isdigit() or mark.isupper():
                self.furniture[mark] = (*self.furniture.get(mark, ()), cell)
        self.seats = frozenset(cell for cells in self.furniture.values() for cell in cells)
        names = ((row, found) for row, text in enumerate(rows) for found in _LABEL.finditer(text))
        self.labels = {(row, found.start()): found[0] for row, found in names}
        self._rooms = self._named_rooms()
        self.floor = frozenset(self._rooms.keys() - self.seats | self.doors)
        self._steps: dict[Cell, dict[Cell, int]] = {}

    def _marks(self) -> Iterator[tuple[Cell, str]]:
        return (((r, c), mark) for r, row in enumerate(self.rows) for c, mark in enumerate(row))

    def _named_rooms(self) -> dict[Cell, str]:
        inside = {cell for cell, mark in self._marks() if mark not in (WALL, DOOR)}
        rooms: dict[Cell, str] = {}
        for corner, name in self.labels.items():
            if corner in rooms:
                raise TelosError(
                    f"{name!r} and {rooms[corner]!r} name one room", "draw a wall between them, or a door +"
                )
            rooms.update(dict.fromkeys(distances(corner, inside), name))
        return rooms

    def room_at(self, cell: Cell) -> str:
        """Return the name of the room that contains a cell; a doorway is ``"door"``."""
        return self._rooms.get(cell, "door")

    def cells(self, symbol: str) -> tuple[Cell, ...]:
        """Return the cells of the furniture with that letter."""
        if symbol not in self.furniture:
            raise TelosError(f"no {symbol!r} is drawn on the floor plan", name_hint(symbol, self.furniture))
        return self.furniture[symbol]

    def floor_beside(self, cells: Iterable[Cell]) -> tuple[Cell, ...]:
        """Return the floor cells beside ``cells`` where a person can stand without blocking a doorway."""
        around = [near for cell in cells for near in neighbours(cell) if near in self.floor and near not in self.doors]
        return tuple(dict.fromkeys(around))

    def distance(self, start: Cell, target: Cell) -> int | None:
        """Return the length of the shortest path, or None if there is none."""
        if target in self._steps:
            return self._steps[target].get(start)
        return self._around(start).get(target)  # symmetric; one search from the start serves many targets

    def _around(self, cell: Cell) -> dict[Cell, int]:
        """Return the distance of every cell from ``cell``, in either direction; searched once per cell."""
        if cell not in self._steps:
            can_be_here = cell in self.floor or cell in self.seats
            self._steps[cell] = distances(cell, self.floor, self.seats) if can_be_here else {}
        return self._steps[cell]

    def find_path(self, start: Cell, target: Cell) -> tuple[Cell, ...]:
        """Return a shortest path, without its first cell."""
        left = self.distance(start, target)
        if left is None:
            raise TelosError(f"there is no way from {start} to {target}")
        way: list[Cell] = []
        here, far = start, self._around(target)
        while here != target:
            left -= 1
            here = next(n for n in neighbours(here) if far.get(n) == left and (n in self.floor or n == target))
            way.append(here)
        return tuple(way)


class Places:
    """The cells at which things are used, and who holds each: one person per cell, from the moment they set out."""

    def __init__(self, plan: FloorPlan, things: Iterable[Thing]) -> None:
        self.plan = plan
        self.of = {thing.name: self._places_of(thing) for thing in things}
        self._holder: dict[Cell, str] = {}
        used = {place for places in self.of.values() for place in places}
        self._waiting: dict[str, tuple[Cell, ...]] = {}
        for cell in sorted(plan.floor - plan.doors - used):
            room = plan.room_at(cell)
            self._waiting[room] = (*self._waiting.get(room, ()), cell)

    def _places_of(self, thing: Thing) -> tuple[Cell, ...]:
        if not thing.symbol:
            return ()  # a person: met wherever they are
        cells = self.plan.cells(thing.symbol)
        return cells if thing.sit else self.plan.floor_beside(cells)[:1]

    def clear(self) -> None:
        """Release every place."""
        self._holder.clear()

    def copy_holders(self, others: "Places") -> None:
        """Copy the reservations of another ``Places``."""
        self._holder = dict(others._holder)

    def hold(self, place: Cell, person: str) -> None:
        """Reserve ``place`` for ``person``."""
        self._holder[place] = person

    def release(self, person: str) -> None:
        """Release what ``person`` holds."""
        self._holder = {place: holder for place, holder in self._holder.items() if holder != person}

    def is_free(self, place: Cell, person: str) -> bool:
        """Whether ``place`` is free or held by ``person``."""
        return self._holder.get(place, person) == person

    def nearest(self, person: str, here: Cell, places: Iterable[Cell]) -> tuple[Cell, int] | None:
        """Return the nearest of ``places`` that ``person`` may use, and the walking time in minutes."""
        best: tuple[int, Cell] | None = None
        for place in places:
            steps = self.plan.distance(here, place) if self.is_free(place, person) else None
            if steps is not None and (best is None or steps < best[0]):
                best = steps, place
        return None if best is None else (best[1], math.ceil(best[0] / PACE))

    def waiting_cells(self, here: Cell, person: str) -> tuple[Cell, ...]:
        """Return cells where a person blocks nothing: the present cell, or the unused floor of this room."""
        everywhere = (cell for cells in self._waiting.values() for cell in cells)
        standing = self._waiting.get(self.plan.room_at(here)) or tuple(everywhere)  # a doorway has to be left
        return (here,) if here in standing and self.is_free(here, person) else standing


class Premises:
    """A floor plan and the things on it, with the domain they define; immutable."""

    def __init__(self, plan: FloorPlan, things: Sequence[house.Thing], names: Sequence[str]) -> None:
        self.plan, self.names = plan, tuple(names)
        self.things = {thing.name: thing for thing in things}
        self.domain = Domain(
            "home",
            variables=house.PERSON,
            actions=[house.POTTER.action],
            goals=house.MOTIVES,
            objects=[thing.posted for thing in things],
            handles={"person": self.names},
        )
        self.places = Places(plan, things)
        posted = [
            replace(activity, action=action)  # under its qualified name, `fridge.get-snack`
            for thing in things
            for action, activity in zip(thing.posted.actions, thing.activities, strict=True)
        ]
        self.activities = {activity.action.name: activity for activity in (house.POTTER, *posted)}

    @classmethod
    def create(cls, names: Sequence[str]) -> "Premises":
        """Return the default house with a bed for each name."""
        beds = [house.create_bed(name, str(number)) for number, name in enumerate(names, start=1)]
        return cls(_floor_plan(), (*house.THINGS, *beds, *map(house.create_companion_object, names)), names)

    def with_thing(self, thing: house.Thing, cell: Cell) -> "Premises":
        """Return the house with one more thing, which occupies one floor cell.

        >>> from telos.worlds.home.house import create_second_fridge
        >>> one = Premises.create(["Ada"])
        >>> two = one.with_thing(create_second_fridge(), (1, 17))
        >>> two.places.of["second_fridge"], "second_fridge.get-snack" in two.activities
        (((2, 17),), True)
        """
        rows = [list(row) for row in self.plan.rows]
        row, column = cell
        rows[row][column] = thing.symbol
        plan = FloorPlan("\n".join("".join(marks) for marks in rows))
        return Premises(plan, (*self.things.values(), thing), self.names)

    def find_space(self, room: str, avoid: Collection[Cell]) -> Cell:
        """Return a free cell along a wall of ``room``, far from furniture and doors and not in ``avoid``."""
        plan = self.plan
        if room not in plan.labels.values():
            raise TelosError(f"there is no room {room!r}", f"known: {', '.join(sorted(plan.labels.values()))}")
        taken = {place for places in self.places.of.values() for place in places} | set(avoid)
        free = [
            (row, column)
            for row, column in sorted(plan.floor - plan.doors - taken)
            if plan.room_at((row, column)) == room
            and (row - 1, column) in plan.walls
            and (row + 1, column) in plan.floor
            and not any(near in plan.doors for near in neighbours((row, column)))
        ]
        if not free:
            raise TelosError(f"there is no free cell along the walls of the {room}", "wait until somebody has moved")
        others = [*plan.seats, *plan.doors]
        return max(free, key=lambda cell: min(abs(cell[0] - row) + abs(cell[1] - col) for row, col in others))


@cache
def _floor_plan() -> FloorPlan:
    """Read the default drawing once; all houses share it and the distances it has found."""
    return FloorPlan(house.PLAN)
