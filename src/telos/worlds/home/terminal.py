"""The house in the terminal: a floor plan with people in it, how each of them is, and what has happened."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from telos.worlds.home.floor import Cell, FloorPlan
from telos.worlds.home.home import Home
from telos.worlds.home.trace import HomeLog
from telos.worlds.home.views import HomeView, PersonView
from telos.worlds.terminal import EIGHTHS, GAP, beside, cut, fitted, styled, with_title

_COLOURS = ("#d16ba5", "#4cc9f0", "#f4a261", "#80c96a", "#e5636b", "#9d8df1")
_NORTH, _SOUTH, _EAST, _WEST = 1, 2, 4, 8
_WALLS = {
    0: "─", _NORTH: "│", _SOUTH: "│", _EAST: "─", _WEST: "─", _NORTH | _SOUTH: "│", _EAST | _WEST: "─",
    _SOUTH | _EAST: "┌", _SOUTH | _WEST: "┐", _NORTH | _EAST: "└", _NORTH | _WEST: "┘",
    _NORTH | _SOUTH | _EAST: "├", _NORTH | _SOUTH | _WEST: "┤",
    _SOUTH | _EAST | _WEST: "┬", _NORTH | _EAST | _WEST: "┴", _NORTH | _SOUTH | _EAST | _WEST: "┼",
}  # fmt: skip
# One narrow character for each piece of furniture, and its colour.
_FURNITURE = {
    "F": ("▮", "white"), "O": ("▣", "white"), "T": ("▒", "#8d6e4a"), "H": ("∘", "#b08968"),
    "V": ("▀", "#6d8fd1"), "L": ("▄", "#6a994e"), "G": ("◈", "#b57edc"), "K": ("≡", "#b08968"), "C": ("◡", "#b08968"),
    "P": ("¤", "white"), "W": ("◦", "#5fb3b3"), "N": ("▫", "#5fb3b3"), "S": ("░", "#5fb3b3"),
}  # fmt: skip
_BED = ("▬", "#5a6ea8")
_LEGEND = "▮fridge ▣oven ▄sofa ◈game ◡book ¤phone ░shower"
_HEIGHTS = "▁▂▃▄▅▆▇█"
_LOG = 40  # lines that are kept


class HomeScreen:
    """Draws a household: hand it every trace record with ``note``, and the present view to ``frame``."""

    def __init__(self, home: Home, *, title: str = "home") -> None:
        self._plan = home.plan
        self._title = title
        self._log = HomeLog()
        self._lines: deque[str] = deque(maxlen=_LOG)

    def note(self, record: object) -> None:
        """Remember what a record tells."""
        line = self._log.line(record)
        if line is not None:
            self._lines.append(line)

    def frame(self, view: HomeView) -> "HomeFrame":
        """Return what to show now."""
        return HomeFrame(self._plan, view, dict(self._log.why), tuple(self._lines), self._title)


@dataclass(frozen=True, slots=True)
class HomeFrame:
    """One picture, which fits itself to the terminal it is printed on."""

    plan: FloorPlan
    view: HomeView
    why: Mapping[str, str]
    log: Sequence[str]
    title: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        height = max((options.height or console.size.height) - 1, self.plan.height + 2)
        left = [*self._plan_lines(), styled(_LEGEND, "bright_black")]
        left += self._log_lines(height - 1 - len(left))
        right = list(self._people_lines(width - self.plan.width - GAP, height - 1))
        yield self._header(width)
        for number in range(height - 1):
            line = left[number] if number < len(left) else Text()
            if number < len(right):  # below the people, the log may have the whole width
                beside(line, right[number], self.plan.width)
            yield fitted(line, width)

    def _header(self, width: int) -> Text:
        hour = int(self.view.clock[:2])
        sky = "night" if hour < 6 or hour >= 21 else "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
        line = styled(f" day {self.view.day}  {self.view.clock}  ", "bold")
        line.append(f"{sky}  ", style="yellow" if 6 <= hour < 21 else "#7f9cf5")
        line.append(f"fridge {self.view.things['fridge.food']}", style="dim")
        return cut(with_title(line, self.title, width), width)

    def _plan_lines(self) -> Iterator[Text]:
        people = {person.cell: number for number, person in enumerate(self.view.people)}
        for row, marks in enumerate(self.plan.rows):
            line = Text()
            for column, mark in enumerate(marks):
                cell = (row, column)
                if cell in people:
                    number = people[cell]
                    line.append(self.view.people[number].name[0], style=_badge(self.view.people[number], number))
                else:
                    line.append(*self._ground(cell, mark))
            yield line

    def _ground(self, cell: Cell, mark: str) -> tuple[str, str]:
        if cell in self.plan.walls:
            row, column = cell
            around = (
                ((row - 1, column), _NORTH), ((row + 1, column), _SOUTH),
                ((row, column + 1), _EAST), ((row, column - 1), _WEST),
            )  # fmt: skip
            return _WALLS[sum(side for near, side in around if near in self.plan.walls)], "bright_black"
        if cell in self.plan.seats:
            return _BED if mark.isdigit() else _FURNITURE[mark]
        return (" ", "") if cell in self.plan.doors else (mark, "bright_black")

    def _log_lines(self, room: int) -> list[Text]:
        lines = []
        for said in self.log[-room:] if room > 0 else ():
            moment, _, what = said.partition("  ")
            line = styled(moment.split()[-1], "bright_black")
            line.append(f" {what}", style="dim")
            lines.append(line)
        return lines

    def _people_lines(self, width: int, height: int) -> Iterator[Text]:
        each = height // len(self.view.people)  # lines that a person may take
        for number, person in enumerate(self.view.people):
            block = [_head(person, number), styled(f"  {self.why.get(person.name, '')}", "dim italic")]
            block += _bars(person, width, rows=3 if each >= 6 else 2 if each >= 4 else 1)
            block += [Text()] * (each > len(block))
            for line in block[:each]:
                line.truncate(max(1, width), overflow="ellipsis")
                yield line


def _badge(person: PersonView, number: int) -> Style:
    colour = _COLOURS[number % len(_COLOURS)]
    asleep = person.kind == "sleep" and not person.walking
    return Style(color=colour, dim=True) if asleep else Style(color="black", bgcolor=colour, bold=True)


def _head(person: PersonView, number: int) -> Text:
    line = styled(person.name[0], _badge(person, number))
    line.append(f" {person.name} ", style=Style(color=_COLOURS[number % len(_COLOURS)], bold=True))
    line.append(f"→ {person.words}" if person.walking else person.words)
    return line


def _bars(person: PersonView, width: int, *, rows: int) -> list[Text]:
    """Return the motives as bars, in so many rows; a full bar is desperate."""
    names = list(person.levels)
    if rows == 1:
        return [_columns(person)]
    columns = -(-len(names) // rows)
    room = (width - 2) // columns - 1
    label = 7 if room >= 14 else 3
    number = room >= 20
    bar = max(1, min(12, room - label - 1 - 5 * number))
    lines = []
    for row in range(rows):
        line = Text("  ")
        for name in names[row * columns : (row + 1) * columns]:
            line.append(f"{name[:label]:<{label}} ", style="dim")
            line.append_text(_bar(person.levels[name], bar))
            line.append(f"{person.levels[name]:4.1f}  " if number else " ", style="dim")
        lines.append(line)
    return lines


def _columns(person: PersonView) -> Text:
    """Return the motives as columns one character wide, where there is no room for bars."""
    line = Text("  ")
    for name, level in person.levels.items():
        line.append(name[:3], style="dim")
        line.append(_HEIGHTS[min(7, int(level / 10 * 8))], style=_colour(level))
        line.append(" ")
    return line


def _colour(level: float) -> str:
    return "#6abf69" if level < 4 else "#e6c34a" if level < 7 else "#e5534b"


def _bar(level: float, length: int) -> Text:
    colour = _colour(level)
    eighths = min(length * 8, round(level / 10 * length * 8))
    full, rest = divmod(eighths, 8)
    filled = "█" * full + (EIGHTHS[rest] if rest else "")
    line = styled(filled, Style(color=colour, bgcolor="#303030"))
    line.append(" " * (length - len(filled)), style=Style(bgcolor="#303030"))
    return line
