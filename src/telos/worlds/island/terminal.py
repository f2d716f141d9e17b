"""The island in the terminal: the map with the player, their goal and its reasons, and the state of the case."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from telos.worlds.island.playthrough import IslandMoment
from telos.worlds.island.state import IslandView, clock_of
from telos.worlds.island.story import FIELDS, MILESTONES, IslandStory
from telos.worlds.island.trace import WANTS, IslandAction, IslandGoalChosen, describe_action, to_words
from telos.worlds.terminal import GAP, beside, cut, fitted, labelled, styled, with_title

_LOG = 40  # actions kept
_WISHES = 4  # goals shown
_LABEL = 18  # columns for the name of a goal
_SICK = ("Sick", "#d16ba5")
_PEOPLE = {  # the first letter stands on the map, the name in the legend
    "nurse": ("Nurse", "#e5636b"), "cook": ("Cook", "#f4a261"), "virus-expert": ("Virus", "#4cc9f0"),
    "bacteria-expert": ("Bacteria", "#80c96a"), "technician": ("Tech", "#b57edc"),
    "lead-scientist": ("Lead", "#e6c34a"), "gardener": ("Garden", "#6a994e"),
    "patient-one": _SICK, "patient-two": _SICK, "patient-three": _SICK,
}  # fmt: skip
_PLAYER = Style(color="black", bgcolor="#ffd166", bold=True)
_SEA, _WALL = Style(color="#3a86c8"), Style(color="bright_black")


class IslandScreen:
    """Draws a game: pass every trace record to ``note`` and each moment to ``frame``."""

    def __init__(self, story: IslandStory, *, style: str = "", title: str = "island") -> None:
        self._story, self._style, self._title = story, style, title
        self._actions: deque[IslandAction] = deque(maxlen=_LOG)
        self._chose: IslandGoalChosen | None = None
        self._visited = {story.start}

    def note(self, record: object) -> None:
        """Record a trace record."""
        if isinstance(record, IslandGoalChosen):
            self._chose = record
        elif isinstance(record, IslandAction):
            self._actions.append(record)
            self._visited.add(record.loc)

    def frame(self, moment: IslandMoment, levels: Mapping[str, float]) -> "IslandFrame":
        """Return the picture of a moment; ``levels`` are the insistences of the player's goals."""
        visited = frozenset(self._visited)
        return IslandFrame(self._story, moment, dict(levels), self._chose, tuple(self._actions), visited, self._head())

    def _head(self) -> tuple[str, str]:
        return self._style, self._title


@dataclass(frozen=True, slots=True)
class IslandFrame:
    """One picture; it adapts to the size of the terminal."""

    story: IslandStory
    moment: IslandMoment
    levels: Mapping[str, float]
    chose: IslandGoalChosen | None
    actions: tuple[IslandAction, ...]
    visited: frozenset[str]
    head: tuple[str, str]

    @property
    def view(self) -> IslandView:
        """The view before the action under way."""
        return self.moment.after if self.moment.share >= 1.0 else self.moment.before

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        room = max(len(row) for row in self.story.drawing)
        height = max((options.height or console.size.height) - 1, len(self.story.drawing) + 2)
        left = [*self._map_lines(room), self._legend()]
        left += self._log_lines(height - 1 - len(left))
        right = list(self._case_lines(max(8, width - room - GAP)))
        yield self._header(width)
        for number in range(height - 1):
            line = left[number] if number < len(left) else Text()
            if number < len(right) and width > room + GAP + 8:
                beside(line, right[number], room)
            yield fitted(line, width)

    def _header(self, width: int) -> Text:
        style, title = self.head
        line = styled(f" {clock_of(self.moment.time)}  ", "bold")
        line.append(to_words(self.view.place), style="#ffd166")
        line.append(f"  {style}", style="dim")
        return cut(with_title(line, title, width), width)

    def _map_lines(self, room: int) -> Iterator[Text]:
        marks = self._marks()
        for number, row in enumerate(self.story.drawing):
            line = Text()
            for column, drawn in enumerate(row.ljust(room)):
                if (column, number) in marks:
                    line.append(*marks[column, number])
                else:
                    line.append(drawn, style=_SEA if drawn == "≈" else _WALL)
            yield line

    def _marks(self) -> dict[tuple[int, int], tuple[str, str | Style]]:
        marks: dict[tuple[int, int], tuple[str, str | Style]] = {}
        for place in self.story.map.places.values():
            seen = place.name in self.visited
            marks[place.column, place.row] = ("◦", "white") if seen else ("·", "bright_black")
            for number, person in enumerate(self.story.at(place.name).people):
                name, colour = _PEOPLE.get(person, (person.upper(), "white"))
                marks[place.column + 1 + number, place.row] = (name[0], colour)
        marks[self._player_at()] = ("☻", _PLAYER)
        return marks

    def _player_at(self) -> tuple[int, int]:
        """Return the cell of the player, between two places while walking."""
        start, end = (self.story.map.places[each.place] for each in (self.moment.before, self.moment.after))
        share = min(1.0, self.moment.share)
        column = start.column + (end.column - start.column) * share
        return round(column), round(start.row + (end.row - start.row) * share)

    def _legend(self) -> Text:
        line = Text()
        for name, colour in dict.fromkeys(_PEOPLE.values()):
            line.append(name[0], style=colour)
            line.append(f"{name[1:]} ", style="bright_black")
        return line

    def _log_lines(self, room: int) -> list[Text]:
        lines = []
        for done in [each for each in self.actions if each.time <= self.moment.time][-room:] if room > 0 else ():
            line = styled(clock_of(done.time), "bright_black")
            line.append(f" {describe_action(done.action, done.argument)}", style="" if done.goal else "dim")
            if done.goal:
                line.append(f"  ★ {done.goal}", style="bold #ffd166")
            elif done.learned:
                line.append(f" ({', '.join(done.learned)})", style="#6d8fd1")
            lines.append(line)
        return lines

    def _case_lines(self, width: int) -> Iterator[Text]:
        for line in (*self._wish_lines(), Text(), *self._state_lines(), Text(), *self._level_lines(width)):
            line.truncate(width, overflow="ellipsis")
            yield line

    def _wish_lines(self) -> Iterator[Text]:
        chose = self.chose
        yield styled(WANTS[chose.goal] if chose else "just arrived", "bold #ffd166")
        if chose:
            yield styled(f"{chose.goal} {chose.level:.1f}", "dim italic")
            yield styled(f"ahead of {chose.runner_up}" if chose.runner_up else "there is nothing else", "dim italic")
            yield styled("→ " + " → ".join(step.partition("(")[0] for step in chose.plan), "dim")
        yield styled(self._doing(), "white")

    def _doing(self) -> str:
        command = self.moment.command
        return describe_action(*_parts(command)) if command else "hesitates"

    def _state_lines(self) -> Iterator[Text]:
        view = self.view
        for reached, milestone in zip(view.state, MILESTONES, strict=True):
            line = styled("✓ " if reached == "1" else "· ", "bold #80c96a" if reached == "1" else "bright_black")
            line.append(milestone, style="" if reached == "1" else "bright_black")
            yield line
        tests = styled("tests ", "dim")
        tests.append("▮" * view.tests or "none", style="#4cc9f0" if view.tests else "#e5636b")
        yield tests
        yield labelled("holds", to_words(view.hands or "nothing"), width=10)
        for name in FIELDS:
            yield labelled(name, to_words(view.worksheet.get(name, "?")), width=10)

    def _level_lines(self, width: int) -> Iterator[Text]:
        most = sorted(self.levels.items(), key=lambda each: -each[1])[:_WISHES]
        bar = max(2, min(10, width - _LABEL - 1))
        for name, level in most:
            line = styled(f"{name[:_LABEL]:<{_LABEL}} ", "dim")
            full = round(level / 10 * bar)
            line.append("█" * full, style="#6a994e" if level < 4 else "#e6c34a" if level < 7 else "#e5534b")
            line.append("░" * (bar - full), style="#303030")
            yield line


def _parts(command: str) -> tuple[str, str]:
    action, _, argument = command.partition(" ")
    return action, argument
