"""Floor plan, places, premises."""

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

# --- floor ------------------------------------------------------------------------------------------------------------
# Floor plans: a drawing is read into rooms, doors and furniture, and ways are found through it.


Cell: TypeAlias = tuple[int, int]  # row, column

WALL, DOOR = "#", "+"
_LABEL = re.compile(r"[a-z]+(?: [a-z]+)*")


def beside(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """Return the four neighbours of a cell: below, above, right, left."""
    row, column = cell
    return (row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)


def distances(target: Cell, floor: Container[Cell], ends: Container[Cell] = ()) -> dict[Cell, int]:
    """Return how many steps each cell is from ``target``.

    Ways lead over ``floor``; they may start or end on the cells ``ends`` (a chair, a bed), but not lead across them.
    """
    steps = {target: 0}
    queue = deque([target])
    while queue:
        cell = queue.popleft()
        if cell != target and cell not in floor:
            continue
        for next_to in beside(cell):
            if next_to not in steps and (next_to in floor or next_to in ends):
                steps[next_to] = steps[cell] + 1
                queue.append(next_to)
    return steps


class FloorPlan:
    """A house, drawn in text.

    ``#`` is a wall and ``+`` a door; capital letters and digits are furniture, which nobody walks across; a name in
    small letters lies on the floor of its room.

    >>> plan = FloorPlan('''
    ... ###########
    ... #F  #   1 #
    ... #den+ nook#
    ... ###########
    ... ''')
    >>> plan.room((1, 1)), plan.room((1, 8)), plan.furniture["F"]
    ('den', 'nook', ((1, 1),))
    >>> plan.way((1, 1), (1, 8))
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

    def room(self, cell: Cell) -> str:
        """Return the name of the room that a cell lies in; a doorway is just ``"door"``."""
        return self._rooms.get(cell, "door")

    def cells(self, symbol: str) -> tuple[Cell, ...]:
        """Return where the furniture with that letter stands."""
        if symbol not in self.furniture:
            raise TelosError(f"no {symbol!r} is drawn on the floor plan", name_hint(symbol, self.furniture))
        return self.furniture[symbol]

    def next_to(self, cells: Iterable[Cell]) -> tuple[Cell, ...]:
        """Return the floor beside ``cells``, without doorways: where one can stand and not be in the way."""
        around = [near for cell in cells for near in beside(cell) if near in self.floor and near not in self.doors]
        return tuple(dict.fromkeys(around))

    def steps(self, start: Cell, target: Cell) -> int | None:
        """Return the length of the shortest way, or None if there is none."""
        if target in self._steps:
            return self._steps[target].get(start)
        return self._around(start).get(target)  # as far in either direction, and who looks for a place asks for many

    def _around(self, cell: Cell) -> dict[Cell, int]:
        """Return how far all others are from a cell: one search serves whoever comes here, or sets out from here."""
        if cell not in self._steps:
            can_be_here = cell in self.floor or cell in self.seats
            self._steps[cell] = distances(cell, self.floor, self.seats) if can_be_here else {}
        return self._steps[cell]

    def way(self, start: Cell, target: Cell) -> tuple[Cell, ...]:
        """Return a shortest way, without the cell it starts from."""
        left = self.steps(start, target)
        if left is None:
            raise TelosError(f"there is no way from {start} to {target}")
        way: list[Cell] = []
        here, far = start, self._around(target)
        while here != target:
            left -= 1
            here = next(n for n in beside(here) if far.get(n) == left and (n in self.floor or n == target))
            way.append(here)
        return tuple(way)


# --- places -----------------------------------------------------------------------------------------------------------
# Who may be where: each place has room for one, and is held from the moment somebody sets out for it.


class Places:
    """The places at which things are used, and who holds each of them."""

    def __init__(self, plan: FloorPlan, things: Iterable[Thing]) -> None:
        self.plan = plan
        self.of = {thing.name: self._of(thing) for thing in things}
        self._holder: dict[Cell, str] = {}
        used = {place for places in self.of.values() for place in places}
        self._aside: dict[str, tuple[Cell, ...]] = {}
        for cell in sorted(plan.floor - plan.doors - used):
            room = plan.room(cell)
            self._aside[room] = (*self._aside.get(room, ()), cell)

    def _of(self, thing: Thing) -> tuple[Cell, ...]:
        if not thing.symbol:
            return ()  # a person, who is met wherever they are
        cells = self.plan.cells(thing.symbol)
        return cells if thing.sit else self.plan.next_to(cells)[:1]

    def clear(self) -> None:
        """Let go of every place."""
        self._holder.clear()

    def take_over(self, others: "Places") -> None:
        """Let everybody keep what they hold in ``others``."""
        self._holder = dict(others._holder)

    def hold(self, place: Cell, person: str) -> None:
        """Keep ``place`` for ``person`` until it is let go."""
        self._holder[place] = person

    def let_go(self, person: str) -> None:
        """Free whatever ``person`` holds."""
        self._holder = {place: holder for place, holder in self._holder.items() if holder != person}

    def is_free(self, place: Cell, person: str) -> bool:
        """Whether ``person`` may have ``place``: nobody else holds it."""
        return self._holder.get(place, person) == person

    def nearest(self, person: str, here: Cell, places: Iterable[Cell]) -> tuple[Cell, int] | None:
        """Return the nearest of ``places`` that ``person`` may have, and the minutes it takes to walk there."""
        best: tuple[int, Cell] | None = None
        for place in places:
            steps = self.plan.steps(here, place) if self.is_free(place, person) else None
            if steps is not None and (best is None or steps < best[0]):
                best = steps, place
        return None if best is None else (best[1], math.ceil(best[0] / PACE))

    def aside(self, here: Cell, person: str) -> tuple[Cell, ...]:
        """Return where one is in nobody's way: right here, or the floor of this room where nothing is used."""
        everywhere = (cell for cells in self._aside.values() for cell in cells)
        standing = self._aside.get(self.plan.room(here)) or tuple(everywhere)  # nobody may stay in a doorway
        return (here,) if here in standing and self.is_free(here, person) else standing


# --- premises ---------------------------------------------------------------------------------------------------------
# The house as it stands: its plan, the things in it, what they offer, and where each of them is used.


class Premises:
    """A floor plan and the things on it. A house with one more thing in it is another one."""

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
            replace(deed, action=action)  # under its long name
            for thing in things
            for action, deed in zip(thing.posted.actions, thing.deeds, strict=True)
        ]
        self.deeds = {deed.action.name: deed for deed in (house.POTTER, *posted)}

    @classmethod
    def furnished(cls, names: Sequence[str]) -> "Premises":
        """Return the house as its designer wrote it, with a bed for everybody."""
        beds = [house.bed_of(name, str(number)) for number, name in enumerate(names, start=1)]
        return cls(_floor_plan(), (*house.THINGS, *beds, *map(house.company_of, names)), names)

    def with_thing(self, thing: house.Thing, cell: Cell) -> "Premises":
        """Return the house with one more thing, which stands on one cell of the floor.

        >>> from telos.worlds.home.house import second_fridge
        >>> one = Premises.furnished(["Ada"])
        >>> two = one.with_thing(second_fridge(), (1, 17))
        >>> two.places.of["second_fridge"], "second_fridge.get-snack" in two.deeds, len(two.things) - len(one.things)
        (((2, 17),), True, 1)
        """
        rows = [list(row) for row in self.plan.rows]
        row, column = cell
        rows[row][column] = thing.symbol
        plan = FloorPlan("\n".join("".join(marks) for marks in rows))
        return Premises(plan, (*self.things.values(), thing), self.names)

    def room_for_a_thing(self, room: str, avoid: Collection[Cell]) -> Cell:
        """Return a cell along a wall of ``room`` where a thing is least in the way, and on none of ``avoid``."""
        plan = self.plan
        if room not in plan.labels.values():
            raise TelosError(f"there is no room {room!r}", f"known: {', '.join(sorted(plan.labels.values()))}")
        taken = {place for places in self.places.of.values() for place in places} | set(avoid)
        free = [
            (row, column)
            for row, column in sorted(plan.floor - plan.doors - taken)
            if plan.room((row, column)) == room
            and (row - 1, column) in plan.walls
            and (row + 1, column) in plan.floor
            and not any(near in plan.doors for near in beside((row, column)))
        ]
        if not free:
            raise TelosError(f"there is no room along the walls of the {room}", "wait until somebody has moved")
        others = [*plan.seats, *plan.doors]
        return max(free, key=lambda cell: min(abs(cell[0] - row) + abs(cell[1] - col) for row, col in others))


@cache
def _floor_plan() -> FloorPlan:
    """Read the drawing once: the ways that one house has found serve every other."""
    return FloorPlan(house.PLAN)
