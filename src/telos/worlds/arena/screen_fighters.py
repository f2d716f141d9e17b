"""The fighters beside the map: how each of them is, what it is after, and how it means to get there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rich.style import Style
from rich.text import Text

from telos.core.frozen import FrozenMap
from telos.worlds.arena.views import FighterView

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
