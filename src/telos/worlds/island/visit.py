"""Playing a game; corpora."""

import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.worlds.island.island import Island
from telos.worlds.island.player import Islander
from telos.worlds.island.player_mind import Errand
from telos.worlds.island.state import IslandView
from telos.worlds.island.trace import Chose, Did, Ended, Started

# --- visit ------------------------------------------------------------------------------------------------------------
# A visit: the island and a simulated player together, one action after the other.


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


# --- outing -----------------------------------------------------------------------------------------------------------
# An outing: the island second by second, whoever plays it, for those who look on while it happens.


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


# --- corpus -----------------------------------------------------------------------------------------------------------
# Games of many simulated players, as a corpus: what they did, and what they were after meanwhile.


Progress = Callable[[int, int], None]  # games that are done, and games in all


@dataclass(frozen=True, slots=True)
class Recording:
    """One player's game. ``intentions`` holds, for each event, the goal that the player had in mind: nobody but a
    study may look at it.
    """

    player: str
    style: str
    events: tuple[Event, ...]
    intentions: tuple[str, ...]
    solved: bool


def record_player(number: int, seed: int, *, style: str | None = None) -> Recording:
    """Let one player play; the seed and their number fix everything.

    >>> game = record_player(3, seed=1)
    >>> game.player, len(game.events) == len(game.intentions), game.events == record_player(3, seed=1).events
    ('player-003', True, True)
    """
    visit = Visit(seed, number=number, style=style)
    events: list[Event] = []
    intentions: list[str] = []
    while not visit.island.is_over:
        event = visit.step()
        if event is not None:
            events.append(event)
            intentions.append(visit.islander.intention)
    return Recording(visit.player, visit.islander.temper.style, tuple(events), tuple(intentions), visit.view.is_solved)


def record_players(
    players: int, seed: int, jobs: int = 1, progress: Progress | None = None, *, style: str | None = None
) -> list[Recording]:
    """Let so many players play, each the same whatever the number of ``jobs`` that they are shared among."""
    if isinstance(players, bool) or not isinstance(players, int) or players < 1:
        raise TelosError(f"players is how many play, 1 or more, got {players!r}")
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise TelosError(f"jobs is how many processes share the work, 1 or more, got {jobs!r}")
    games: list[Recording] = []
    for game in _games(players, seed, jobs, style):
        games.append(game)
        if progress is not None:
            progress(len(games), players)
    return games


def _games(players: int, seed: int, jobs: int, style: str | None) -> Iterator[Recording]:
    one = partial(record_player, seed=seed, style=style)
    if jobs == 1 or players == 1:
        yield from map(one, range(players))
        return
    # Started afresh, not forked: a progress bar has threads, and a fork in the middle of one may hang.
    with ProcessPoolExecutor(min(jobs, players), mp_context=get_context("spawn"), initializer=_begin) as pool:
        try:
            yield from pool.map(one, range(players))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # whoever stops early need not wait for the rest


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who waits
