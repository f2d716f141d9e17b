"""The map of an arena as a picture: the ground, and everything that lies, stands and flies on it."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.text import Text

from telos.worlds.arena import screen_glyphs as glyphs
from telos.worlds.arena.screen_fighters import Looks
from telos.worlds.arena.screen_glyphs import Glyph
from telos.worlds.arena.views import ArenaView, DoorView, FighterView, ShotView

Cell: TypeAlias = tuple[int, int]  # row, column
RoomAt: TypeAlias = Callable[[tuple[float, float]], str]

BLAST_LASTS = 0.6  # seconds that an explosion is seen
_BLAST_GROWS = 6.0  # metres a second
_BLINKS = 5  # a second


@dataclass(frozen=True, slots=True)
class Blast:
    """A grenade went off here."""

    time: float
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Window:
    """The part of the map that is shown, and whether a square metre has two columns."""

    top: int
    left: int
    height: int
    width: int
    wide: bool = False


class MapPicture:
    """Draws a map: the ground is worked out once, what is on it for every picture."""

    def __init__(self, rows: Sequence[str], room_at: RoomAt) -> None:
        self.height, self.width = len(rows), max(map(len, rows), default=0)
        self._marks = {
            (row, column): mark
            for row, marks in enumerate(rows)
            for column, mark in enumerate(marks.ljust(self.width, "#"))
        }
        self._ground = {cell: self._ground_at(cell) for cell in self._marks}
        windows = [cell for cell, mark in self._marks.items() if mark == "="]
        self._windows = {f"w{number}": cell for number, cell in enumerate(windows, start=1)}  # named in reading order
        self._floors: dict[str, list[Cell]] = {}  # what is bare of each room
        for cell, glyph in self._ground.items():
            if glyph is glyphs.FLOOR and self._marks[cell] != "#":
                self._floors.setdefault(room_at((cell[1] + 0.5, cell[0] + 0.5)), []).append(cell)

    def around(self, view: ArenaView, *, height: int, width: int, wide: bool) -> Window:
        """Return the part of the map, at most so high and wide, that has the living in its middle."""
        cells = [_cell(each.x, each.y) for each in view.fighters if each.alive] or [(0, 0)]
        rows, columns = zip(*cells, strict=True)
        height, width = max(0, min(height, self.height)), max(0, min(width, self.width))
        top = (min(rows) + max(rows) - height + 1) // 2
        left = (min(columns) + max(columns) - width + 1) // 2
        return Window(
            max(0, min(top, self.height - height)), max(0, min(left, self.width - width)), height, width, wide
        )  # fmt: skip

    def lines(self, view: ArenaView, looks: Looks, blasts: Iterable[Blast], window: Window) -> Iterator[Text]:
        """Yield the rows of the map that ``window`` shows."""
        on_top = self._on_top(view, looks, blasts)
        for row in range(window.top, window.top + window.height):
            line = Text(no_wrap=True)
            for column in range(window.left, window.left + window.width):
                glyph = on_top.get((row, column)) or self._ground[row, column]
                line.append(glyph.wide if window.wide else glyph.narrow, style=glyph.style)
            yield line

    def _ground_at(self, cell: Cell) -> Glyph:
        mark = self._marks[cell]
        if mark == "#":
            return glyphs.WALL if self._bounds_a_room(cell) else glyphs.FLOOR  # solid rock is left blank
        if mark == "=":
            return glyphs.WINDOW[self._runs_north(cell)]
        if mark in glyphs.DRAWN_DOORS:
            return glyphs.DOORS[glyphs.DRAWN_DOORS[mark]][self._runs_north(cell)]
        return glyphs.MARKS.get(mark, glyphs.FLOOR)

    def _bounds_a_room(self, cell: Cell) -> bool:
        row, column = cell
        around = ((row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1))
        return any(self._marks.get(near, "#") != "#" for near in around)

    def _runs_north(self, cell: Cell) -> bool:
        """Whether the wall that a door or window is in runs north and south."""
        row, column = cell
        return all(self._marks.get((row + down, column), "#") in "#=+/%" for down in (-1, 1))

    def _on_top(self, view: ArenaView, looks: Looks, blasts: Iterable[Blast]) -> Mapping[Cell, Glyph]:
        """Return what is to be seen instead of the ground; of two in one place, the more urgent one."""
        seen = {cell: glyphs.DARK for room in view.dark_rooms for cell in self._floors.get(room, ())}
        broken = [self._windows[name] for name in view.broken_windows if name in self._windows]
        seen |= {cell: glyphs.BROKEN[self._runs_north(cell)] for cell in broken}
        seen |= {_cell(door.x, door.y): self._door(door) for door in view.doors}
        seen |= {_cell(each.x, each.y): _fallen(each, looks) for each in view.fighters if not each.alive}
        for blast in blasts:
            seen |= self._blast(blast, view.time)
        in_flight = (cell for shot in view.shots for cell in _between(shot))
        seen |= {cell: glyphs.SHOT for cell in in_flight if self._ground.get(cell) is not glyphs.WALL}
        blink = int(view.time * _BLINKS) % 2
        seen |= {_cell(grenade.x, grenade.y): glyphs.GRENADE[blink] for grenade in view.grenades}
        hit = {shot.hit for shot in view.shots}
        living = [each for each in view.fighters if each.alive]
        return seen | {_cell(each.x, each.y): _standing(each, looks, hit=each.name in hit) for each in living}

    def _door(self, door: DoorView) -> Glyph:
        state = "held" if door.held_by and door.state != "open" else door.state
        return glyphs.DOORS[state][self._runs_north(_cell(door.x, door.y))]

    def _blast(self, blast: Blast, now: float) -> dict[Cell, Glyph]:
        """Return a disc that grows; walls stay, for they stop it."""
        age = now - blast.time
        if not 0 <= age < BLAST_LASTS:
            return {}
        row, column = _cell(blast.x, blast.y)
        reach = 1 + age * _BLAST_GROWS
        square = range(-math.ceil(reach), math.ceil(reach) + 1)
        apart = {(row + down, column + right): math.hypot(down, right) for down in square for right in square}
        return {
            cell: glyphs.BLAST[far < reach - 1]
            for cell, far in apart.items()
            if far < reach and self._ground.get(cell, glyphs.WALL) is not glyphs.WALL
        }


def _cell(x: float, y: float) -> Cell:
    return int(y), int(x)


def _between(shot: ShotView) -> Iterator[Cell]:
    """Yield the cells that a shot flies over."""
    across, down = shot.to_x - shot.x, shot.to_y - shot.y
    steps = max(1, math.ceil(max(abs(across), abs(down))))
    for step in range(1, steps):
        yield _cell(shot.x + across * step / steps, shot.y + down * step / steps)


def _standing(fighter: FighterView, looks: Looks, *, hit: bool) -> Glyph:
    mark = looks.mark(fighter.name)
    eighth = round(fighter.facing / (math.pi / 4)) % 8
    return Glyph(mark, mark + glyphs.ARROWS[eighth], looks.badge(fighter, hit=hit))


def _fallen(fighter: FighterView, looks: Looks) -> Glyph:
    return Glyph("×", "× ", looks.badge(fighter))
