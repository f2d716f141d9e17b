"""The arena in a terminal: the map with the fight on it, the fighters' plans, and the log.

Start with `ArenaScreen`, which returns an `ArenaFrame` for a view; `TraceNotes` collects what it needs from the trace.
"""

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
from telos.squads.squad import LineSpoken
from telos.worlds.arena.replay import FightLog, LogLine
from telos.worlds.arena.sim.views import ArenaView, DoorView, FighterView, ShotView
from telos.worlds.terminal import EIGHTHS, GAP, beside, fitted

# --- fighters ---


_KNOWN_COLOURS = {"red": "#e5636b", "blue": "#4c9ff0", "green": "#6fbf73", "yellow": "#e6c34a", "neutral": "#9aa0a6"}
_COLOURS = ("#e5636b", "#4c9ff0", "#6fbf73", "#e6c34a", "#b57edc", "#5fb3b3")
_TERSE_WIDTH = 50  # columns below which numbers are left out in favour of the plan
_MAX_LINES = 4  # per fighter, including the blank one after it


class MindState(Protocol):
    """What the screen shows of a mind: its goal, the steps of its plan, and the index of the current step."""

    @property
    def goal(self) -> str | None: ...
    @property
    def steps(self) -> tuple[str, ...]: ...
    @property
    def index(self) -> int: ...


@dataclass(frozen=True, slots=True)
class IntentView:
    """The goal and plan of a fighter at one moment."""

    goal: str | None
    steps: tuple[str, ...] = ()
    index: int = 0

    @classmethod
    def from_mind(cls, mind: MindState) -> "IntentView":
        return cls(mind.goal, tuple(mind.steps), mind.index)


@dataclass(frozen=True, slots=True)
class FighterStyles:
    """The colour of each side, and the letter of each fighter."""

    colours: FrozenMap[str, str]
    marks: FrozenMap[str, str]

    @classmethod
    def from_fighters(cls, fighters: Sequence[FighterView]) -> "FighterStyles":
        """Choose a colour for every side and a letter for every fighter, the first of its name unless taken."""
        sides = tuple(dict.fromkeys(fighter.side for fighter in fighters))
        spare = [colour for colour in _COLOURS if colour not in {_KNOWN_COLOURS.get(side) for side in sides}]
        unnamed = [side for side in sides if side not in _KNOWN_COLOURS]
        colours = {side: _KNOWN_COLOURS[side] for side in sides if side in _KNOWN_COLOURS}
        colours |= {side: spare[number % len(spare)] for number, side in enumerate(unnamed)}
        marks: dict[str, str] = {}
        for fighter in fighters:
            name = fighter.name.upper()
            wanted = (name[0], name[-1], *name, *"123456789")  # the last letter distinguishes soldier-a from soldier-b
            free = (mark for mark in wanted if mark.isalnum() and mark not in marks.values())
            marks[fighter.name] = next(free, name[0])
        return cls(FrozenMap(colours), FrozenMap(marks))

    def mark(self, name: str) -> str:
        """Return the letter of a fighter on the map."""
        return self.marks.get(name, name[0])

    def colour(self, side: str) -> str:
        return self.colours.get(side, _KNOWN_COLOURS["neutral"])

    def badge(self, fighter: FighterView, *, hit: bool = False) -> Style:
        """Return the style of a fighter's letter."""
        colour = self.colour(fighter.side)
        if not fighter.alive:
            return Style(color=colour, dim=True)
        if hit:
            return Style(color=colour, bgcolor="white", bold=True)
        if fighter.cloaked:
            return Style(color=colour, italic=True)  # no background: a shimmer
        return Style(color="#101010", bgcolor=colour, bold=True, underline=fighter.on_wall)


@dataclass(frozen=True, slots=True)
class Roster:
    """All fighters with their intents; ``asides`` are a spoken or thought line of each."""

    fighters: tuple[FighterView, ...]
    intents: Mapping[str, IntentView]
    asides: Mapping[str, Text]
    looks: FighterStyles

    def blocks(self, width: int, height: int) -> list[Text]:
        """Return a block of lines for each living fighter, as many lines as fit, and one line for the dead."""
        living, fallen = self._living(), self._fallen()
        each = min(_MAX_LINES, (height - len(fallen)) // max(1, len(living)))
        if each < 2:
            return self.table(width, height)
        blocks = [self._block(fighter, width)[:each] + [Text()] * (each == _MAX_LINES) for fighter in living]
        return [line for block in blocks for line in block] + fallen

    def table(self, width: int, height: int, *, columns: int = 1) -> list[Text]:
        """Return one line for each living fighter, in columns, and one line for the dead."""
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
        return [_join_columns(entries[row::rows], each) for row in range(rows)] + fallen

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
        head.append_text(_format_posture(fighter))
        plan = Text("  ").append_text(self._plan(fighter, width - 2))
        aside = Text("  ").append_text(self.asides.get(fighter.name, Text()))
        return [fitted(line, max(1, width)) for line in (head, plan, aside)]

    def _entry(self, fighter: FighterView, width: int) -> Text:
        line = self._head(fighter, bar=4, terse=width < _TERSE_WIDTH)
        return fitted(line.append_text(self._plan(fighter, width - line.cell_len)), max(1, width))

    def _head(self, fighter: FighterView, *, bar: int, terse: bool = False) -> Text:
        room = self._name_width()
        line = Text.assemble(
            (self.looks.mark(fighter.name), self.looks.badge(fighter)),
            (f" {fighter.name[:room]:<{room}} ", Style(color=self.looks.colour(fighter.side), bold=True)),
        )
        line.append_text(_health_bar(fighter.health_share, bar))
        line.append(" " if terse else f"{fighter.health:4.0f} ", style="dim")
        line.append_text(_format_ammunition(fighter))
        return line if terse else line.append_text(_format_grenades(fighter))

    def _plan(self, fighter: FighterView, width: int) -> Text:
        """Return the goal and its plan; if that is too long, without the completed steps."""
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


def _format_posture(fighter: FighterView) -> Text:
    """Return the fighter's current condition in a few words."""
    words = {
        "suppressed": fighter.suppressed >= 0.5,
        "cloaked": fighter.cloaked,
        "on the wall": fighter.on_wall,
        "in cover": fighter.in_cover,
        "crouched": fighter.crouched and not fighter.in_cover,
    }
    return Text(", ".join(word for word, holds in words.items() if holds), style="dim italic")


def _format_ammunition(fighter: FighterView) -> Text:
    """Return rounds + spare magazines, in a fixed width."""
    armed = fighter.rounds or fighter.magazines
    said = f"{fighter.rounds:>2}+{fighter.magazines}" if armed else " –"
    return Text.assemble((f"{said:<5}", "none" if fighter.rounds else "#e5534b"))


def _format_grenades(fighter: FighterView) -> Text:
    return Text.assemble((f"●{fighter.grenades} " if fighter.grenades else "   ", "dim"))


def _health_bar(share: float, length: int) -> Text:
    colour = "#6abf69" if share > 0.6 else "#e6c34a" if share > 0.3 else "#e5534b"
    full, rest = divmod(max(0, min(length * 8, round(share * length * 8))), 8)
    filled = "█" * full + (EIGHTHS[rest] if rest else "")
    return Text(f"{filled:<{length}}", style=Style(color=colour, bgcolor="#303030"))


def _join_columns(entries: Sequence[Text], width: int) -> Text:
    line = Text(no_wrap=True)
    for number, entry in enumerate(entries):
        line.pad_right(max(0, number * (width + 1) - line.cell_len))
        line.append_text(entry)
    return line


def count_living(fighters: Sequence[FighterView]) -> Iterator[tuple[str, int, int]]:
    """Yield each side with its number of living fighters and its size."""
    for side in dict.fromkeys(fighter.side for fighter in fighters):
        members = [fighter.alive for fighter in fighters if fighter.side == side]
        yield side, sum(members), len(members)


# --- glyphs ---


class Glyph(NamedTuple):
    """The characters and style of one square metre."""

    narrow: str
    wide: str
    style: Style


def _make_glyph(narrow: str, wide: str, style: str) -> Glyph:
    return Glyph(narrow, wide, Style.parse(style))


_NODE = "#56707a"  # faint: nodes matter to minds only

FLOOR = _make_glyph(" ", "  ", "none")
DARK = _make_glyph("░", "░░", "#2b3350")
WALL = _make_glyph("█", "██", "#4b5058")
MARKS = {
    "o": _make_glyph("▒", "▒▒", "#8d6e4a"),
    "_": _make_glyph("▂", "▂▂", "#8d6e4a"),
    "^": _make_glyph("▴", "▴ ", _NODE),
    "v": _make_glyph("▾", "▾ ", _NODE),
    "<": _make_glyph("◂", "◂ ", _NODE),
    ">": _make_glyph("▸", "▸ ", _NODE),
    "*": _make_glyph("∗", "∗ ", _NODE),
    "!": _make_glyph("¤", "¤ ", "#c9a94a"),
    **{digit: _make_glyph(digit, f"{digit} ", _NODE) for digit in "123456789"},
}

# Doors and windows: first as they lie in a wall that runs east and west, then in one that runs north and south.
WINDOW = (_make_glyph("═", "══", "#5fb3d3"), _make_glyph("║", "▕▏", "#5fb3d3"))
BROKEN = (_make_glyph("╌", "╌╌", "#5fb3d3"), _make_glyph("┆", "┆ ", "#5fb3d3"))
DOORS = {
    "closed": (_make_glyph("━", "━━", "#c98a4b"), _make_glyph("┃", "▐▌", "#c98a4b")),
    "locked": (_make_glyph("━", "━━", "#d1495b"), _make_glyph("┃", "▐▌", "#d1495b")),
    "held": (_make_glyph("━", "━━", "bold #ffd166"), _make_glyph("┃", "▐▌", "bold #ffd166")),
    "open": (_make_glyph("╱", "╱ ", "#c98a4b"), _make_glyph("╱", "╱ ", "#c98a4b")),
}
DRAWN_DOORS = {"+": "closed", "%": "locked", "/": "open"}

SHOT = _make_glyph("·", "··", "bold #ffe08a")
GRENADE = (_make_glyph("●", "● ", "bold #ff5d5d"), _make_glyph("○", "○ ", "bold #ffd166"))  # blinking
BLAST = (
    _make_glyph("✶", "✶✶", "bold #ff9f43"),
    _make_glyph("∗", "∗∗", "#ff6b3d"),
)  # its front and its inside
ARROWS = "→↘↓↙←↖↑↗"  # by facing, clockwise from 0


# --- the map ---


Cell: TypeAlias = tuple[int, int]  # row, column
RoomAt: TypeAlias = Callable[[tuple[float, float]], str]

BLAST_SECONDS = 0.6  # duration of an explosion on screen
_BLAST_GROWS = 6.0  # metres a second
_BLINKS = 5  # a second


@dataclass(frozen=True, slots=True)
class Blast:
    """The place and time of an explosion."""

    time: float
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class MapWindow:
    """The visible part of the map, and whether a square metre has two columns."""

    top: int
    left: int
    height: int
    width: int
    wide: bool = False


class MapPicture:
    """Draws a map: the ground is computed once, everything on it for each frame."""

    def __init__(self, rows: Sequence[str], room_at: RoomAt) -> None:
        self.height, self.width = len(rows), max(map(len, rows), default=0)
        self._marks = {
            (row, column): mark
            for row, marks in enumerate(rows)
            for column, mark in enumerate(marks.ljust(self.width, "#"))
        }
        self._ground = {cell: self._ground_at(cell) for cell in self._marks}
        windows = [cell for cell, mark in self._marks.items() if mark == "="]
        self._windows = {
            f"w{number}": cell for number, cell in enumerate(windows, start=1)
        }  # names follow reading order
        self._floors: dict[str, list[Cell]] = {}  # bare cells of each room
        for cell, glyph in self._ground.items():
            if glyph is FLOOR and self._marks[cell] != "#":
                self._floors.setdefault(room_at((cell[1] + 0.5, cell[0] + 0.5)), []).append(cell)

    def around(self, view: ArenaView, *, height: int, width: int, wide: bool) -> MapWindow:
        """Return the part of the map, at most so high and wide, that is centred on the living."""
        cells = [_cell(each.x, each.y) for each in view.fighters if each.alive] or [(0, 0)]
        rows, columns = zip(*cells, strict=True)
        height, width = max(0, min(height, self.height)), max(0, min(width, self.width))
        top = (min(rows) + max(rows) - height + 1) // 2
        left = (min(columns) + max(columns) - width + 1) // 2
        return MapWindow(
            max(0, min(top, self.height - height)), max(0, min(left, self.width - width)), height, width, wide
        )  # fmt: skip

    def lines(
        self, view: ArenaView, looks: FighterStyles, blasts: Iterable[Blast], window: MapWindow
    ) -> Iterator[Text]:
        """Yield the rows of the map in ``window``."""
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
            return WALL if self._bounds_a_room(cell) else FLOOR  # solid rock stays blank
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
        """Whether the wall around a door or window runs north and south."""
        row, column = cell
        return all(self._marks.get((row + down, column), "#") in "#=+/%" for down in (-1, 1))

    def _on_top(self, view: ArenaView, looks: FighterStyles, blasts: Iterable[Blast]) -> Mapping[Cell, Glyph]:
        """Return what covers the ground; where several things do, the most urgent one."""
        seen = {cell: DARK for room in view.dark_rooms for cell in self._floors.get(room, ())}
        broken = [self._windows[name] for name in view.broken_windows if name in self._windows]
        seen |= {cell: BROKEN[self._runs_north(cell)] for cell in broken}
        seen |= {_cell(door.x, door.y): self._door(door) for door in view.doors}
        seen |= {_cell(each.x, each.y): _dead_glyph(each, looks) for each in view.fighters if not each.alive}
        for blast in blasts:
            seen |= self._blast(blast, view.time)
        in_flight = (cell for shot in view.shots for cell in _cells_under_shot(shot))
        seen |= {cell: SHOT for cell in in_flight if self._ground.get(cell) is not WALL}
        blink = int(view.time * _BLINKS) % 2
        seen |= {_cell(grenade.x, grenade.y): GRENADE[blink] for grenade in view.grenades}
        hit = {shot.hit for shot in view.shots}
        living = [each for each in view.fighters if each.alive]
        return seen | {_cell(each.x, each.y): _living_glyph(each, looks, hit=each.name in hit) for each in living}

    def _door(self, door: DoorView) -> Glyph:
        state = "held" if door.held_by and door.state != "open" else door.state
        return DOORS[state][self._runs_north(_cell(door.x, door.y))]

    def _blast(self, blast: Blast, now: float) -> dict[Cell, Glyph]:
        """Return a growing disc; walls stop it."""
        age = now - blast.time
        if not 0 <= age < BLAST_SECONDS:
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


def _cells_under_shot(shot: ShotView) -> Iterator[Cell]:
    """Yield the cells that a shot passes."""
    across, down = shot.to_x - shot.x, shot.to_y - shot.y
    steps = max(1, math.ceil(max(abs(across), abs(down))))
    for step in range(1, steps):
        yield _cell(shot.x + across * step / steps, shot.y + down * step / steps)


def _living_glyph(fighter: FighterView, looks: FighterStyles, *, hit: bool) -> Glyph:
    mark = looks.mark(fighter.name)
    eighth = round(fighter.facing / (math.pi / 4)) % 8
    return Glyph(mark, mark + ARROWS[eighth], looks.badge(fighter, hit=hit))


def _dead_glyph(fighter: FighterView, looks: FighterStyles) -> Glyph:
    mark = "×" if fighter.slumped_over is None else "Π"  # Π is the table that the body lies over
    return Glyph(mark, f"{mark} ", looks.badge(fighter))


# --- the screen ---


_PANEL = 34  # columns for the fighters beside the map
_MAX_PIPS = 8  # larger sides are shown as numbers
_MAX_LOG_LINES = 60  # kept lines
_SPEECH_SECONDS = 3.0  # for which a spoken line is shown
_STYLES = {"scene": "bold", "goal": "dim", "order": "#d9b26a", "speech": "bold", "deed": "none", "death": "#e5636b"}


class TraceNotes:
    """What a screen remembers of a trace; pass ``note`` to a battle as its trace."""

    def __init__(self) -> None:
        self.log = FightLog()
        self.lines: deque[LogLine] = deque(maxlen=_MAX_LOG_LINES)
        self.said: dict[str, LineSpoken] = {}
        self.blasts: tuple[Blast, ...] = ()

    def note(self, record: object) -> None:
        """Process one record."""
        line = self.log.describe(record)
        if line is not None and line.kind != "wound":  # the map and the bars show wounds
            self.lines.append(line)
        if isinstance(record, LineSpoken):
            self.said[record.who] = record
        if isinstance(record, Event) and record.action == "exploded":
            blast = Blast(record.time, float(record.context["x"]), float(record.context["y"]))
            fresh = [each for each in self.blasts if blast.time - each.time < BLAST_SECONDS]
            self.blasts = (*fresh, blast)


class ArenaScreen:
    """Draws a fight from its notes, a view and the minds."""

    def __init__(self, rows: Sequence[str], notes: TraceNotes, *, room_at: RoomAt, scene: str, title: str) -> None:
        self._map = MapPicture(rows, room_at)
        self._notes = notes
        self._scene, self._title = scene, title
        self._looks: FighterStyles | None = None

    def frame(self, view: ArenaView, minds: Mapping[str, MindState]) -> "ArenaFrame":
        """Return the frame to show now."""
        if self._looks is None:
            self._looks = FighterStyles.from_fighters(view.fighters)  # the dead keep their letters
        intents = FrozenMap({name: IntentView.from_mind(mind) for name, mind in minds.items()})
        roster = Roster(view.fighters, intents, FrozenMap(self._asides(view)), self._looks)
        lines = tuple(self._notes.lines)
        return ArenaFrame(self._map, view, roster, lines, self._notes.blasts, self._scene, self._title)

    def _asides(self, view: ArenaView) -> dict[str, Text]:
        """Return the last words of each fighter while they are fresh, or else the reason for its goal."""
        asides = {who: Text(why, style="dim italic") for who, why in self._notes.log.why.items()}
        for who, said in self._notes.said.items():
            if 0 <= view.time - said.time < _SPEECH_SECONDS:
                asides[who] = Text(f"“{said.text}”", style="bold")
        return asides


@dataclass(frozen=True, slots=True)
class ArenaFrame:
    """One frame, which fits itself to the terminal."""

    map: MapPicture
    view: ArenaView
    roster: Roster
    log: tuple[LogLine, ...]
    blasts: tuple[Blast, ...]
    scene: str
    title: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        height = max(6, (options.height or console.size.height) - 2)  # without the header and the last line
        yield self._header(width)
        has_room = width >= self.map.width + GAP + _PANEL
        for line in self._beside(width, height) if has_room else self._below(width, height):
            yield fitted(line, width)

    def _beside(self, width: int, height: int) -> Iterator[Text]:
        """Yield the map with the log below it, and the fighters to the right of both."""
        wide = width >= 2 * self.map.width + GAP + _PANEL
        drawn = self.map.width * (1 + wide)
        left = list(self._map_lines(height - _log_height(height), self.map.width, wide=wide))
        left += self._log_lines(height - len(left))
        right = self.roster.blocks(width - drawn - GAP, height)
        for row in range(max(len(left), len(right))):
            line = left[row] if row < len(left) else Text()
            if row < len(right):  # below the fighters, the log has the full width
                line = beside(line, right[row], drawn)
            yield line

    def _below(self, width: int, height: int) -> Iterator[Text]:
        """Yield the map, the fighters in a line each, and the log, one under the other."""
        room = height - _log_height(height)
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
        for side, living, all_of_it in count_living(self.view.fighters):
            pips = "●" * living + "×" * (all_of_it - living) if all_of_it <= _MAX_PIPS else f"{living}/{all_of_it}"
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
        for entry in self.log[-room:] if room > 0 else ():
            side = sides.get(entry.who, entry.who.partition("-")[0])  # squads are named after their side
            line = Text.assemble((f"{entry.time:5.1f}  ", "bright_black"))
            line.append(entry.who, style=Style(color=self.roster.looks.colour(side), bold=entry.kind == "speech"))
            lines.append(line.append(entry.what, style=_STYLES.get(entry.kind, "none")))
        return lines


def _log_height(height: int) -> int:
    """Return the minimum number of log lines."""
    return max(2, min(6, height // 5))
