"""The arena in the terminal: the map with the fight on it, everybody's plans, and what was said and done."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from telos.core.event import Event
from telos.core.frozen import FrozenMap
from telos.squads.records import Said
from telos.worlds.arena.log import Line, Log
from telos.worlds.arena.screen_fighters import Intent, Looks, Mind, Roster, living_by_side
from telos.worlds.arena.screen_map import BLAST_LASTS, Blast, MapPicture, RoomAt
from telos.worlds.arena.views import ArenaView

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
