"""The scene in the terminal: the village with the two people, the companion's belief and goal, and the dialogue."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from telos.worlds.forge.domain import TO, Village
from telos.worlds.forge.forge import COMPANION, PLAYER
from telos.worlds.forge.scene import ForgeSceneView
from telos.worlds.forge.trace import PLAN_WORDS, WANTS, describe_action
from telos.worlds.forge.views import VillagerView
from telos.worlds.terminal import EIGHTHS, GAP, beside, fitted, labelled, styled, with_title

_COLOURS = {PLAYER: "#ffd166", COMPANION: "#4cc9f0"}
_MARKS = {PLAYER: "☻", COMPANION: "☺"}
_PLANS = {"key": "#e6c34a", "force": "#e5636b", "spare": "#80c96a"}
_FIRES = {"out": ("░", "bright_black"), "low": ("▒", "#f4a261"), "hot": ("▓", "#ff5d3b")}
_DRAWN = {"♠": "#3f7d4e", "♣": "#80c96a", "≈": "#3a86c8", "═": "#b08968"}
_THINGS = {"in_shed": "in the shed", "at_door": "at the door", "in_hand": "in use"}


@dataclass(frozen=True, slots=True)
class ForgeFrame:
    """One picture, which fits itself to the terminal it is printed on."""

    village: Village
    view: ForgeSceneView
    title: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        room = max(len(row) for row in self.village.drawing)
        height = max((options.height or console.size.height) - 1, len(self.village.drawing) + 2)
        left = [*self._map_lines(room)]
        right = list(self._heads(max(8, width - room - GAP)))
        yield self._header(width)
        for row, line in enumerate(left):
            if row < len(right) and width > room + GAP + 8:
                beside(line, right[row], room)
            yield fitted(line, width)
        for line in self._talk(height - 1 - len(left)):
            yield fitted(line, width)

    def _header(self, width: int) -> Text:
        line = styled(f" {self.view.village.clock}  ", "bold")
        is_shut = self.view.village.opened == "not_yet"
        line.append("a locked door" if is_shut else "the door is open!", style="" if is_shut else "bold #80c96a")
        return fitted(with_title(line, self.title, width), width)

    # --- the village ----------------------------------------------------------------------------------------------

    def _map_lines(self, room: int) -> Iterator[Text]:
        marks = self._marks()
        for number, row in enumerate(self.village.drawing):
            line = Text()
            for column, drawn in enumerate(row.ljust(room)):
                if (column, number) in marks:
                    line.append(*marks[column, number])
                else:
                    line.append(drawn, style=_DRAWN.get(drawn, "bright_black"))
            yield line

    def _marks(self) -> dict[tuple[int, int], tuple[str, str | Style]]:
        marks: dict[tuple[int, int], tuple[str, str | Style]] = dict(self._paths())
        for name, spot in self.village.places.items():
            marks[spot] = ("◦", "white")
            if name == "forge":
                glyph, colour = _FIRES[self.view.village.fire]
                marks[spot[0] + 1, spot[1]] = marks[spot[0] + 2, spot[1]] = (glyph, colour)
        x, y = self.village.places["door"]
        if self.view.village.opened == "not_yet":
            marks[x + 1, y] = ("╫", "bold #e5636b")
        else:
            marks[x + 1, y] = ("▯", "bold #80c96a")
        taken: set[tuple[int, int]] = set()
        for person in self.view.village.people:
            spot = round(person.x), round(person.y)
            spot = (spot[0] - 1, spot[1]) if spot in taken else spot
            taken.add(spot)
            marks[spot] = (_MARKS[person.name], Style(color="black", bgcolor=_COLOURS[person.name], bold=True))
        return marks

    def _paths(self) -> Iterator[tuple[tuple[int, int], tuple[str, str]]]:
        for start, near in self.village.ways.items():
            for to in near:
                (x, y), (u, v) = self.village.places[start], self.village.places[to]
                steps = max(abs(u - x) // 2, abs(v - y))
                for k in range(1, steps):
                    column, row = round(x + (u - x) * k / steps), round(y + (v - y) * k / steps)
                    if self._is_bare(column, row):
                        yield (column, row), ("·", "#5c5346")

    def _is_bare(self, column: int, row: int) -> bool:
        line = self.village.drawing[row]
        return column >= len(line) or line[column] == " "

    # --- the heads ------------------------------------------------------------------------------------------------

    def _heads(self, width: int) -> Iterator[Text]:
        view = self.view.village
        lines = [*self._person(view.person(PLAYER), self._wish(), width)]
        if COMPANION in view.players:
            lines += [Text(), *self._person(view.person(COMPANION), self._goal(), width)]
            lines += [self._todo(), *self._reads(width)]
        lines += [Text(), *self._things()]
        for line in lines:
            line.truncate(width, overflow="ellipsis")
            yield line

    def _person(self, person: VillagerView, wants: str, width: int) -> Iterator[Text]:
        line = styled(f"{_MARKS[person.name]} {person.name}", f"bold {_COLOURS[person.name]}")
        held = [each for each in (person.hands, person.pocket) if each not in ("free", "empty")]
        line.append(f"  with {' and '.join(held)}" if held else "", style="dim")
        yield line
        yield styled(f"  {wants}", "italic dim")
        does = styled(f"  {describe_action(person.doing)}", "white")
        if person.share > 0:
            does.append(" ")
            does.append_text(_bar(person.share, max(2, min(8, width - does.cell_len)), _COLOURS[person.name]))
        yield does

    def _wish(self) -> str:
        return f"wants to {PLAN_WORDS[self.view.plan]}" if self.view.plan else "does as commanded"

    def _goal(self) -> str:
        return f"wants to {WANTS[self.view.goal]}" if self.view.goal else "is content"

    def _todo(self) -> Text:
        steps = [each.removeprefix(TO) for each in self.view.todo]
        return styled(f"  → {' → '.join(steps)}" if steps else "", "dim")

    def _reads(self, width: int) -> Iterator[Text]:
        if not self.view.belief:
            yield styled("  waits to be asked", "dim")
            return
        for plan, chance in self.view.belief.items():
            is_taken = plan == self.view.reading
            line = styled(f"  {plan:<6}", f"bold {_PLANS[plan]}" if is_taken else "dim")
            line.append_text(_bar(chance, max(4, width - 18), _PLANS[plan]))
            line.append(f" {chance:4.0%}", style="" if is_taken else "dim")
            line.append(" ◂" if is_taken else "", style=_PLANS[plan])
            yield line
        if self.view.expects is not None:
            action, chance = self.view.expects
            yield styled(f"  next    {action} {chance:.0%}", "dim")

    def _things(self) -> Iterator[Text]:
        view = self.view.village
        glyph, colour = _FIRES[view.fire]
        fire = styled("fire    ", "dim")
        fire.append(f"{glyph * 3} {view.fire}", style=colour)
        fire.append(f"  wood {view.wood:.0f} s" if view.wood > 0 else "", style="dim")
        yield fire
        yield labelled("hammer", _THINGS[view.tool], width=8)
        yield labelled(
            "apples", f"{'●' * view.owed}{'○' * (2 - view.owed)} baskets owed" if view.owed else "all given", width=8
        )

    # --- the talk -------------------------------------------------------------------------------------------------

    def _talk(self, room: int) -> list[Text]:
        lines = []
        for time, who, text in self.view.said[-room:] if room > 0 else ():
            line = styled(f" {int(time) // 60:02d}:{int(time) % 60:02d} ", "bright_black")
            line.append(f"{who}: ", style=_COLOURS[who])
            line.append(f"“{text}”", style="italic" if self.view.time - time < 8 else "dim italic")
            lines.append(line)
        if self.view.heard and len(lines) < room:
            meant = sorted(self.view.heard.items(), key=lambda each: -each[1])
            said = ", ".join(f"{means} {chance:.0%}" for means, chance in meant)
            lines.append(styled(f"       last understood as {said}", "dim"))
        return lines


def _bar(share: float, width: int, colour: str) -> Text:
    """Return a bar that is drawn to an eighth of a column."""
    full, part = divmod(round(max(0.0, min(1.0, share)) * width * 8), 8)
    line = styled("█" * full + (EIGHTHS[part] if part else ""), colour)
    line.append("░" * (width - full - (1 if part else 0)), style="#303030")
    return line
