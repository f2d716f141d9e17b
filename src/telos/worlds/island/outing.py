"""An outing: the island second by second, whoever plays it, for those who look on while it happens."""

from collections import deque
from dataclasses import dataclass

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.worlds.island.island import Island
from telos.worlds.island.islander import Islander
from telos.worlds.island.views import IslandView
from telos.worlds.island.visit import Visit

AHEAD = 8  # deeds that a person may have asked for before they are done


@dataclass(frozen=True, slots=True)
class Stretch:
    """A deed under way, or a pause: how things were before it, how they are after it, and what it is meant for."""

    before: IslandView
    after: IslandView
    event: Event | None = None  # None: a pause
    intention: str | None = None  # None: nobody knows, since a person plays

    def share(self, time: float) -> float:
        """Return how much of it is done, from 0 to 1."""
        lasts = self.after.time - self.before.time
        return 1.0 if time >= self.after.time or lasts <= 0 else max(0.0, (time - self.before.time) / lasts)


class Outing:
    """A visit of a simulated player, or of a person who is asked what to do; time goes by second by second.

    What is done counts when it is over: its event is told in that second, and not before.

    >>> outing = Outing(seed=7, person=True)
    >>> outing.ask("move gate")
    >>> [len(outing.second()) for _ in range(8)], outing.events[0].time
    ([0, 0, 0, 0, 0, 0, 1, 0], 6.5)
    """

    def __init__(self, seed: int = 0, *, style: str | None = None, person: bool = False) -> None:
        self._visit = None if person else Visit(seed, style=style)
        self.island = Island(seed=seed) if self._visit is None else self._visit.island
        self.time = 0.0
        self.events: list[Event] = []  # of all that is done
        here = self.island.view()
        self._done = Stretch(here, here)  # the last that is over
        self._coming: deque[Stretch] = deque()
        self._look_ahead()

    @property
    def player(self) -> str:
        """Return who plays."""
        return self.island.player

    @property
    def islander(self) -> Islander | None:
        """Return the mind of a simulated player; None if a person plays."""
        return None if self._visit is None else self._visit.islander

    @property
    def now(self) -> Stretch:
        """Return what is under way, or else what was done last."""
        return self._coming[0] if self._coming else self._done

    @property
    def view(self) -> IslandView:
        """Return what can be seen: until a deed is done, what could be seen before it."""
        return self._done.after

    @property
    def is_over(self) -> bool:
        """Whether the visit is over, and all of it has been seen."""
        return self.island.is_over and not self._coming

    def commands(self) -> tuple[str, ...]:
        """Return what a person may ask for, once everything asked for so far is done."""
        return () if self._visit is not None else self.island.commands()

    def ask(self, command: str) -> None:
        """Do something after all that was asked for before; refuse what makes no sense then."""
        if self._visit is not None:
            raise TelosError(f"{self.player} does as they like, and not {command!r}", "play the island yourself")
        if len(self._coming) >= AHEAD:
            raise TelosError(f"{command!r} comes too early", "wait until some of what you asked for is done")
        before = self.island.view()
        self.island.step({self.player: command})
        self._coming.append(Stretch(before, self.island.view(), self.island.events[0]))

    def second(self) -> tuple[Event, ...]:
        """Let a second go by, and return what was done in it."""
        if self.is_over:
            return ()
        self.time += 1.0
        if self._visit is None and not self._coming:
            self._idle()
        told = []
        while self._coming and self._coming[0].after.time <= self.time:
            self._done = self._coming.popleft()
            told += [] if self._done.event is None else [self._done.event]
            self._look_ahead()
        self.events += told
        return tuple(told)

    def _look_ahead(self) -> None:
        """Let a simulated player begin the next deed, so that it is known what is under way."""
        visit = self._visit
        if visit is not None and not self._coming and not self.island.is_over:
            before = visit.view
            event = visit.step()
            self._coming.append(Stretch(before, visit.view, event, visit.islander.intention))

    def _idle(self) -> None:
        """Let the second go by in the world too; what a person asks for next begins no earlier than now."""
        while self.island.view().time < self.time and not self.island.is_over:
            self.island.step({})
        here = self.island.view()
        self._done = Stretch(here, here)
