"""Terminal view."""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from telos.core.event import Event
from telos.core.values import FrozenMap
from telos.squads.squad import Said
from telos.worlds.arena.replay import Line, Log
from telos.worlds.arena.sim.views import ArenaView, DoorView, FighterView, ShotView

# --- screen fighters --------------------------------------------------------------------------------------------------
# The fighters beside the map: how each of them is, what it is after, and how it means to get there.


_KNOWN_COLOURS = {"red": "#e5636b", "blue": "#4c9ff0", "green": "#6fbf73", "yellow": "#e6c34a", "neutral": "#9aa0a6"}
_COLOURS = ("#e5636b", "#4c9ff0", "#6fbf73", "#e6c34a", "#b57edc", "#5fb3b3")
_EIGHTHS = " ▏▎▍▌▋▊▉"
_TERSE = 50  # columns below which a line leaves out figures that the plan needs the room of
_MOST_LINES = 4  # for one fighter, the blank one after it included


class Mind(Protocol):
    """What is shown of a mind: its goal, the steps of its plan, and which of them is under way."""

    @property
    def goal(self) -> str | None: ...
    @property
    def steps(self) -> tuple[str, ...]: ...
    @property
    def index(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Intent:
    """What somebody was after at one moment."""

    goal: str | None
    steps: tuple[str, ...] = ()
    index: int = 0

    @classmethod
    def of(cls, mind: Mind) -> "Intent":
        """Return what that mind is after now."""
        return cls(mind.goal, tuple(mind.steps), mind.index)


@dataclass(frozen=True, slots=True)
class Looks:
    """The colour of each side, and the letter of each fighter."""

    colours: FrozenMap[str, str]
    marks: FrozenMap[str, str]

    @classmethod
    def of(cls, fighters: Sequence[FighterView]) -> "Looks":
        """Give every side a colour and every fighter a letter, the first of its name unless that is taken."""
        sides = tuple(dict.fromkeys(fighter.side for fighter in fighters))
        spare = [colour for colour in _COLOURS if colour not in {_KNOWN_COLOURS.get(side) for side in sides}]
        unnamed = [side for side in sides if side not in _KNOWN_COLOURS]
        colours = {side: _KNOWN_COLOURS[side] for side in sides if side in _KNOWN_COLOURS}
        colours |= {side: spare[number % len(spare)] for number, side in enumerate(unnamed)}
        marks: dict[str, str] = {}
        for fighter in fighters:
            name = fighter.name.upper()
            wanted = (name[0], name[-1], *name, *"123456789")  # the last letter tells soldier-a from soldier-b
            free = (mark for mark in wanted if mark.isalnum() and mark not in marks.values())
            marks[fighter.name] = next(free, name[0])
        return cls(FrozenMap(colours), FrozenMap(marks))

    def mark(self, name: str) -> str:
        """Return the letter that stands for a fighter on the map."""
        return self.marks.get(name, name[0])

    def colour(self, side: str) -> str:
        """Return the colour of a side."""
        return self.colours.get(side, _KNOWN_COLOURS["neutral"])

    def badge(self, fighter: FighterView, *, hit: bool = False) -> Style:
        """Return how a fighter's letter is set."""
        colour = self.colour(fighter.side)
        if not fighter.alive:
            return Style(color=colour, dim=True)
        if hit:
            return Style(color=colour, bgcolor="white", bold=True)
        if fighter.cloaked:
            return Style(color=colour, italic=True)  # a shimmer: no ground of its own
        return Style(color="#101010", bgcolor=colour, bold=True, underline=fighter.on_wall)


@dataclass(frozen=True, slots=True)
class Roster:
    """Everybody, with what is known of their minds: ``asides`` are a line of each's, spoken or thought."""

    fighters: tuple[FighterView, ...]
    intents: Mapping[str, Intent]
    asides: Mapping[str, Text]
    looks: Looks

    def blocks(self, width: int, height: int) -> list[Text]:
        """Return the living as blocks, in as many lines each as there is room for, and the dead in one."""
        living, fallen = self._living(), self._fallen()
        each = min(_MOST_LINES, (height - len(fallen)) // max(1, len(living)))
        if each < 2:
            return self.table(width, height)
        blocks = [self._block(fighter, width)[:each] + [Text()] * (each == _MOST_LINES) for fighter in living]
        return [line for block in blocks for line in block] + fallen

    def table(self, width: int, height: int, *, columns: int = 1) -> list[Text]:
        """Return the living in one line each, down one column and then the next, and the dead in one line."""
        living, fallen = self._living(), self._fallen()
        room = max(1, height - len(fallen))
        rows = min(room, -(-len(living) // columns))
        shown = living[: rows * columns]
        if len(shown) < len(living):
            more = Text(f"… and {len(living) - len(shown) + 1} more", style="dim")
            shown, last = shown[:-1], [more]
        else:
            last = []
        each = width // columns - (columns > 1)
        entries = [self._entry(fighter, each) for fighter in shown] + last
        return [_side_by_side(entries[row::rows], each) for row in range(rows)] + fallen

    def _living(self) -> list[FighterView]:
        return [fighter for fighter in self.fighters if fighter.alive]

    def _fallen(self) -> list[Text]:
        dead = [fighter for fighter in self.fighters if not fighter.alive]
        line = Text("×", style="dim", no_wrap=True) if dead else Text()
        for fighter in dead:
            line.append(f" {fighter.name}", style=self.looks.badge(fighter))
        return [line] if dead else []

    def _name_width(self) -> int:
        return min(10, max(len(fighter.name) for fighter in self.fighters))

    def _block(self, fighter: FighterView, width: int) -> list[Text]:
        head = self._head(fighter, bar=max(4, min(10, width - self._name_width() - 26)))
        head.append_text(_bearing(fighter))
        plan = Text("  ").append_text(self._plan(fighter, width - 2))
        aside = Text("  ").append_text(self.asides.get(fighter.name, Text()))
        return [_cut(line, width) for line in (head, plan, aside)]

    def _entry(self, fighter: FighterView, width: int) -> Text:
        line = self._head(fighter, bar=4, terse=width < _TERSE)
        return _cut(line.append_text(self._plan(fighter, width - line.cell_len)), width)

    def _head(self, fighter: FighterView, *, bar: int, terse: bool = False) -> Text:
        room = self._name_width()
        line = Text.assemble(
            (self.looks.mark(fighter.name), self.looks.badge(fighter)),
            (f" {fighter.name[:room]:<{room}} ", Style(color=self.looks.colour(fighter.side), bold=True)),
        )
        line.append_text(_bar(fighter.health, bar))
        line.append(" " if terse else f"{fighter.health:4.0f} ", style="dim")
        line.append_text(_ammunition(fighter))
        return line if terse else line.append_text(_grenades(fighter))

    def _plan(self, fighter: FighterView, width: int) -> Text:
        """Return the goal and the plan for it; where that is too long, without the steps that are done."""
        intent = self.intents.get(fighter.name)
        if intent is None or intent.goal is None:
            return Text(fighter.doing or "idle", style="dim italic")
        now = Style(color=self.looks.colour(fighter.side), bold=True)
        line = Text.assemble((f"{intent.goal}: ", "none"))
        whole = sum(len(step) + 3 for step in intent.steps) - 3
        first = intent.index if line.cell_len + whole > width else 0
        for number, step in enumerate(intent.steps[first:], start=first):
            line.append(" ▸ " if number > first else "", style="dim")
            line.append(step, style=now if number == intent.index else "dim")
        return line


def _bearing(fighter: FighterView) -> Text:
    """Return what sets a fighter apart just now, in a word or two."""
    words = {
        "suppressed": fighter.suppressed >= 0.5,
        "cloaked": fighter.cloaked,
        "on the wall": fighter.on_wall,
        "in cover": fighter.in_cover,
        "crouched": fighter.crouched and not fighter.in_cover,
    }
    return Text(", ".join(word for word, holds in words.items() if holds), style="dim italic")


def _ammunition(fighter: FighterView) -> Text:
    """Return rounds + spare magazines, in a column of their own."""
    armed = fighter.rounds or fighter.magazines
    said = f"{fighter.rounds:>2}+{fighter.magazines}" if armed else " –"
    return Text.assemble((f"{said:<5}", "none" if fighter.rounds else "#e5534b"))


def _grenades(fighter: FighterView) -> Text:
    return Text.assemble((f"●{fighter.grenades} " if fighter.grenades else "   ", "dim"))


def _bar(health: float, length: int) -> Text:
    colour = "#6abf69" if health > 60 else "#e6c34a" if health > 30 else "#e5534b"
    full, rest = divmod(max(0, min(length * 8, round(health / 100 * length * 8))), 8)
    filled = "█" * full + (_EIGHTHS[rest] if rest else "")
    return Text(f"{filled:<{length}}", style=Style(color=colour, bgcolor="#303030"))


def _side_by_side(entries: Sequence[Text], width: int) -> Text:
    line = Text(no_wrap=True)
    for number, entry in enumerate(entries):
        line.pad_right(max(0, number * (width + 1) - line.cell_len))
        line.append_text(entry)
    return line


def _cut(line: Text, width: int) -> Text:
    line.no_wrap = True
    line.truncate(max(1, width), overflow="ellipsis")
    return line


def living_by_side(fighters: Sequence[FighterView]) -> Iterator[tuple[str, int, int]]:
    """Yield each side, how many of it live, and how many there were."""
    for side in dict.fromkeys(fighter.side for fighter in fighters):
        members = [fighter.alive for fighter in fighters if fighter.side == side]
        yield side, sum(members), len(members)


# --- screen glyphs ----------------------------------------------------------------------------------------------------
# What each thing in an arena looks like in a terminal, where a square metre has one column and where it has two.


class Glyph(NamedTuple):
    """The look of one square metre."""

    narrow: str
    wide: str
    style: Style


def _glyph(narrow: str, wide: str, style: str) -> Glyph:
    return Glyph(narrow, wide, Style.parse(style))


_NODE = "#56707a"  # faint: nodes are for minds, and only the curious look for them

FLOOR = _glyph(" ", "  ", "none")
DARK = _glyph("░", "░░", "#2b3350")
WALL = _glyph("█", "██", "#4b5058")
MARKS = {
    "o": _glyph("▒", "▒▒", "#8d6e4a"),
    "_": _glyph("▂", "▂▂", "#8d6e4a"),
    "^": _glyph("▴", "▴ ", _NODE),
    "v": _glyph("▾", "▾ ", _NODE),
    "<": _glyph("◂", "◂ ", _NODE),
    ">": _glyph("▸", "▸ ", _NODE),
    "*": _glyph("∗", "∗ ", _NODE),
    "!": _glyph("¤", "¤ ", "#c9a94a"),
    **{digit: _glyph(digit, f"{digit} ", _NODE) for digit in "123456789"},
}

# Doors and windows: first as they lie in a wall that runs east and west, then in one that runs north and south.
WINDOW = (_glyph("═", "══", "#5fb3d3"), _glyph("║", "▕▏", "#5fb3d3"))
BROKEN = (_glyph("╌", "╌╌", "#5fb3d3"), _glyph("┆", "┆ ", "#5fb3d3"))
DOORS = {
    "closed": (_glyph("━", "━━", "#c98a4b"), _glyph("┃", "▐▌", "#c98a4b")),
    "locked": (_glyph("━", "━━", "#d1495b"), _glyph("┃", "▐▌", "#d1495b")),
    "held": (_glyph("━", "━━", "bold #ffd166"), _glyph("┃", "▐▌", "bold #ffd166")),
    "open": (_glyph("╱", "╱ ", "#c98a4b"), _glyph("╱", "╱ ", "#c98a4b")),
}
DRAWN_DOORS = {"+": "closed", "%": "locked", "/": "open"}

SHOT = _glyph("·", "··", "bold #ffe08a")
GRENADE = (_glyph("●", "● ", "bold #ff5d5d"), _glyph("○", "○ ", "bold #ffd166"))  # it blinks
BLAST = (_glyph("✶", "✶✶", "bold #ff9f43"), _glyph("∗", "∗∗", "#ff6b3d"))  # the front of it, and what is behind
ARROWS = "→↘↓↙←↖↑↗"  # from facing 0, clockwise


# --- screen map -------------------------------------------------------------------------------------------------------
# The map of an arena as a picture: the ground, and everything that lies, stands and flies on it.


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
            if glyph is FLOOR and self._marks[cell] != "#":
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
            return WALL if self._bounds_a_room(cell) else FLOOR  # solid rock is left blank
        if mark == "=":
            return WINDOW[self._runs_north(cell)]
        if mark in DRAWN_DOORS:
            return DOORS[DRAWN_DOORS[mark]][self._runs_north(cell)]
        return MARKS.get(mark, FLOOR)

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
        seen = {cell: DARK for room in view.dark_rooms for cell in self._floors.get(room, ())}
        broken = [self._windows[name] for name in view.broken_windows if name in self._windows]
        seen |= {cell: BROKEN[self._runs_north(cell)] for cell in broken}
        seen |= {_cell(door.x, door.y): self._door(door) for door in view.doors}
        seen |= {_cell(each.x, each.y): _fallen(each, looks) for each in view.fighters if not each.alive}
        for blast in blasts:
            seen |= self._blast(blast, view.time)
        in_flight = (cell for shot in view.shots for cell in _between(shot))
        seen |= {cell: SHOT for cell in in_flight if self._ground.get(cell) is not WALL}
        blink = int(view.time * _BLINKS) % 2
        seen |= {_cell(grenade.x, grenade.y): GRENADE[blink] for grenade in view.grenades}
        hit = {shot.hit for shot in view.shots}
        living = [each for each in view.fighters if each.alive]
        return seen | {_cell(each.x, each.y): _standing(each, looks, hit=each.name in hit) for each in living}

    def _door(self, door: DoorView) -> Glyph:
        state = "held" if door.held_by and door.state != "open" else door.state
        return DOORS[state][self._runs_north(_cell(door.x, door.y))]

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
            cell: BLAST[far < reach - 1]
            for cell, far in apart.items()
            if far < reach and self._ground.get(cell, WALL) is not WALL
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
    return Glyph(mark, mark + ARROWS[eighth], looks.badge(fighter, hit=hit))


def _fallen(fighter: FighterView, looks: Looks) -> Glyph:
    return Glyph("×", "× ", looks.badge(fighter))


# --- screen -----------------------------------------------------------------------------------------------------------
# The arena in the terminal: the map with the fight on it, everybody's plans, and what was said and done.


_GAP = 2  # columns between the map and the fighters
_PANEL = 34  # columns that the fighters need beside the map
_MOST_PIPS = 8  # a larger side is counted in figures
_LOG = 60  # lines that are kept
_HEARD = 3.0  # seconds that a spoken line stands beside its speaker
_STYLES = {"scene": "bold", "goal": "dim", "order": "#d9b26a", "speech": "bold", "deed": "none", "death": "#e5636b"}


class Notes:
    """What a screen remembers of a trace; made first, so that a battle can be given ``note`` as its trace."""

    def __init__(self) -> None:
        self.log = Log()
        self.lines: deque[Line] = deque(maxlen=_LOG)
        self.said: dict[str, Said] = {}
        self.blasts: tuple[Blast, ...] = ()

    def note(self, record: object) -> None:
        """Remember what a record tells."""
        line = self.log.tell(record)
        if line is not None and line.kind != "wound":  # wounds are seen on the map and in the bars
            self.lines.append(line)
        if isinstance(record, Said):
            self.said[record.who] = record
        if isinstance(record, Event) and record.action == "exploded":
            blast = Blast(record.time, float(record.context["x"]), float(record.context["y"]))
            fresh = [each for each in self.blasts if blast.time - each.time < BLAST_LASTS]
            self.blasts = (*fresh, blast)


class Screen:
    """Draws a fight: it looks into the notes, and at the view and the minds that it is shown."""

    def __init__(self, rows: Sequence[str], notes: Notes, *, room_at: RoomAt, scene: str, title: str) -> None:
        self._map = MapPicture(rows, room_at)
        self._notes = notes
        self._scene, self._title = scene, title
        self._looks: Looks | None = None

    def frame(self, view: ArenaView, minds: Mapping[str, Mind]) -> "Frame":
        """Return what to show now."""
        if self._looks is None:
            self._looks = Looks.of(view.fighters)  # whoever falls keeps the letter
        intents = FrozenMap({name: Intent.of(mind) for name, mind in minds.items()})
        roster = Roster(view.fighters, intents, FrozenMap(self._asides(view)), self._looks)
        lines = tuple(self._notes.lines)
        return Frame(self._map, view, roster, lines, self._notes.blasts, self._scene, self._title)

    def _asides(self, view: ArenaView) -> dict[str, Text]:
        """Return what each last said, if that is still in the air, or else why it does what it does."""
        asides = {who: Text(why, style="dim italic") for who, why in self._notes.log.why.items()}
        for who, said in self._notes.said.items():
            if 0 <= view.time - said.time < _HEARD:
                asides[who] = Text(f"“{said.text}”", style="bold")
        return asides


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture, which fits itself to the terminal it is printed on."""

    map: MapPicture
    view: ArenaView
    roster: Roster
    log: tuple[Line, ...]
    blasts: tuple[Blast, ...]
    scene: str
    title: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        height = max(6, (options.height or console.size.height) - 2)  # without the header and the last line
        yield self._header(width)
        beside = width >= self.map.width + _GAP + _PANEL
        for line in self._beside(width, height) if beside else self._below(width, height):
            line.no_wrap = True
            line.truncate(width, overflow="ellipsis")
            yield line

    def _beside(self, width: int, height: int) -> Iterator[Text]:
        """Yield the map with the log below it, and the fighters to the right of both."""
        wide = width >= 2 * self.map.width + _GAP + _PANEL
        drawn = self.map.width * (1 + wide)
        left = list(self._map_lines(height - _log_room(height), self.map.width, wide=wide))
        left += self._log_lines(height - len(left))
        right = self.roster.blocks(width - drawn - _GAP, height)
        for row in range(max(len(left), len(right))):
            line = left[row] if row < len(left) else Text()
            if row < len(right):  # below the fighters, the log may have the whole width
                line.truncate(drawn, overflow="ellipsis")
                line.pad_right(drawn + _GAP - line.cell_len)
                line.append_text(right[row])
            yield line

    def _below(self, width: int, height: int) -> Iterator[Text]:
        """Yield the map, the fighters in a line each, and the log, one under the other."""
        room = height - _log_room(height)
        living = sum(fighter.alive for fighter in self.view.fighters)
        columns = 1 if self.map.height + living + 1 <= room or living < 4 or width < 70 else 2
        table = self.roster.table(width, max(2, room // 2), columns=columns)
        lines = [*self._map_lines(room - len(table), width, wide=False), *table]
        yield from lines
        yield from self._log_lines(height - len(lines))

    def _map_lines(self, height: int, width: int, *, wide: bool) -> Iterator[Text]:
        window = self.map.around(self.view, height=height, width=width, wide=wide)
        return self.map.lines(self.view, self.roster.looks, self.blasts, window)

    def _header(self, width: int) -> Text:
        line = Text.assemble((f" {self.scene}", "bold"), (f"  {self.view.time:.1f} s ", "none"), no_wrap=True)
        for side, living, all_of_it in living_by_side(self.view.fighters):
            pips = "●" * living + "×" * (all_of_it - living) if all_of_it <= _MOST_PIPS else f"{living}/{all_of_it}"
            line.append(f"  {side} {pips}", style=self.roster.looks.colour(side))
        if self.view.over:
            line.append(f"  {self.view.winner or 'nobody'} wins", style="bold")
        line.append(" " * max(2, width - line.cell_len - len(self.title) - 1))
        line.append(self.title, style="dim")
        line.truncate(width, overflow="ellipsis")
        return line

    def _log_lines(self, room: int) -> list[Text]:
        sides = {fighter.name: fighter.side for fighter in self.view.fighters}
        lines = []
        for told in self.log[-room:] if room > 0 else ():
            side = sides.get(told.who, told.who.partition("-")[0])  # a squad is called after its side
            line = Text.assemble((f"{told.time:5.1f}  ", "bright_black"))
            line.append(told.who, style=Style(color=self.roster.looks.colour(side), bold=told.kind == "speech"))
            lines.append(line.append(told.what, style=_STYLES.get(told.kind, "none")))
        return lines


def _log_room(height: int) -> int:
    """Return how many lines the log has at least."""
    return max(2, min(6, height // 5))
