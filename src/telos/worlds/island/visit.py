"""A visit: the island and a simulated player together, one action after the other."""

from collections.abc import Iterator
from dataclasses import dataclass

from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.worlds.island.errands import Errand
from telos.worlds.island.island import Island
from telos.worlds.island.islander import Islander
from telos.worlds.island.records import Chose, Did, Ended, Started
from telos.worlds.island.views import IslandView

_WORLDS_APART = 1_000_003  # so that no two players of two neighbouring seeds share an island


@dataclass(frozen=True, slots=True)
class Moment:
    """A second of a visit: the view before and after the action under way, and how much of it is done."""

    time: float
    before: IslandView
    after: IslandView
    command: str | None
    share: float


class Visit:
    """A simulated player on the island; the seed and the player's number fix everything.

    >>> visit = Visit(seed=7)
    >>> events = [visit.step() for _ in range(30)]
    >>> visit.view.time >= 30, visit.islander.temper.style
    (True, 'social')
    """

    def __init__(self, seed: int = 0, *, number: int = 0, style: str | None = None, trace: Trace = silent) -> None:
        self.player = f"player-{number:03d}"
        self.island = Island(seed=seed * _WORLDS_APART + number if seed >= 0 else seed, player=self.player)
        self.islander = Islander(f"{seed} {number}", style=style)
        self.view = self.island.view()
        self.trace = trace
        self.actions = self.goals = 0
        self._errand: Errand | None = None
        trace(Started(0.0, "island", seed, self.player, self.islander.temper.style))

    def step(self) -> Event | None:
        """Let the player pause, or do something; return what was done."""
        if self.islander.pause:
            self._pass(self.islander.pause)
            self.islander.pause = 0
            return None
        command = self.islander.act(self.view)
        if self.islander.errand is not self._errand:
            self._tell_choice()
        self.island.step({self.player: command})
        self.view = self.island.view()
        (event,) = self.island.events
        self._tell_deed(event)
        return event

    def _pass(self, seconds: int) -> None:
        for _ in range(seconds):
            if not self.island.is_over:
                self.island.step({})
        self.view = self.island.view()

    def moments(self, seconds: float) -> Iterator[Moment]:
        """Yield one moment for each second of play, until so many have passed or the visit is over."""
        second = 1
        while not self.island.is_over and second <= seconds:
            before = self.view
            event = self.step()
            command = None if event is None else _command(event)
            while second <= min(self.view.time, seconds):
                lasted = self.view.time - before.time
                yield Moment(second, before, self.view, command, (second - before.time) / lasted)
                second += 1
        self.trace(Ended(self.view.time, self.player, self.actions, self.goals, self.view.is_solved))

    def _tell_choice(self) -> None:
        errand = self._errand = self.islander.errand
        wish = self.islander.wish
        if errand is None or wish is None:
            return
        plan = tuple(map(str, errand.steps))
        about = wish.focus.subject or wish.focus.spot
        self.trace(Chose(self.view.time, self.player, wish.goal, about, wish.level, wish.runner_up, plan))

    def _tell_deed(self, event: Event) -> None:
        self.actions += 1
        self.goals += event.goal is not None
        where = event.context
        learned = tuple(" ".join(lesson) for lesson in self.view.told)
        self.trace(
            Did(
                time=event.time,
                player=self.player,
                action=event.action,
                argument=str(where["argument"]),
                loc=str(where["loc"]),
                area=str(where["area"]),
                state=str(where["state"]),
                intention=self.islander.intention,
                learned=learned,
                goal=event.goal,
            )
        )


def _command(event: Event) -> str:
    return f"{event.action} {event.context['argument']}".rstrip()
