"""Playing the island: a simulated player's game in one go, second by second for spectators, and many for a corpus."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.trace import Trace, silent
from telos.parallel import parallel_map
from telos.recognition.files.load import recognizer
from telos.recognition.recognizer import Recognizer
from telos.worlds.island.island import Island
from telos.worlds.island.player import Islander
from telos.worlds.island.player_mind import PlanExecution
from telos.worlds.island.requests import IslandRequest, next_command, parse_request
from telos.worlds.island.state import IslandView
from telos.worlds.island.story import ASK, FILL, GOALS
from telos.worlds.island.trace import (
    IslandAction,
    IslandEnded,
    IslandGoalChosen,
    IslandLineSpoken,
    IslandStarted,
    IslandTutorSpoke,
)
from telos.worlds.island.tutor import EATS, IslandTutor, TutorLine
from telos.worlds.island.variants import TODAY, load_variant

INTERRUPTED = 1800.0  # seconds after which a goal that was left counts as given up
_WORLDS_APART = 1_000_003  # keeps the islands of neighbouring seeds distinct
MAX_QUEUED = 8  # actions that a person may queue
ASK_HINT = "hint"  # what a person says to the tutor


# --- a game of a simulated player ---


@dataclass(frozen=True, slots=True)
class IslandMoment:
    """A second of a game: the views before and after the current action, and its progress."""

    time: float
    before: IslandView
    after: IslandView
    command: str | None
    share: float


class Playthrough:
    """A game of a simulated player; the seed and the player's number determine it.

    >>> game = Playthrough(seed=7)
    >>> events = [game.step() for _ in range(30)]
    >>> game.view.time >= 30, game.islander.style.name
    (True, 'social')
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        number: int = 0,
        style: str | None = None,
        variant: str = TODAY,
        tutor: IslandTutor | None = None,
        reader: Recognizer | None = None,
        trace: Trace = silent,
    ) -> None:
        """Start a game; ``reader`` is the recogniser whose beliefs the ``tutor`` uses."""
        self.player = f"player-{number:03d}"
        self.islander = Islander(f"{seed} {number}", style=style, variant=variant)
        world_seed = seed * _WORLDS_APART + number if seed >= 0 else seed
        self.island = Island(self.islander.story, seed=world_seed, player=self.player)
        self.view = self.island.view()
        self.trace, self.tutor, self._reader = trace, tutor, reader
        self.actions = self.goals = 0
        self._execution: PlanExecution | None = None
        trace(IslandStarted(0.0, "island", seed, self.player, self.islander.style.name))

    def step(self) -> Event | None:
        """Let the player pause or act; return the event of an action."""
        if self.islander.pause:
            self._pass(self.islander.pause)
            self.islander.pause = 0
            return None
        command = self.islander.act(self.view)
        if self.islander.execution is not self._execution:
            self._emit_choice()
        self.island.step({self.player: command})
        self.view = self.island.view()
        (event,) = self.island.events
        self._emit_action(event)
        line = consult_tutor(self.island, event, self.tutor, self._reader)
        if line is not None:
            self.view = self.island.view()  # something may have been eaten
            self._hear(line)
        return event

    def _hear(self, line: TutorLine) -> None:
        if line.suggests is not None and self.tutor is not None:
            self.islander.hear(line.suggests, float(self.tutor.settings.pull))
        self.trace(IslandTutorSpoke(line.time, self.player, line.rule, line.by, line.says, line.suggests, line.because))

    def _pass(self, seconds: int) -> None:
        for _ in range(seconds):
            if not self.island.is_over:
                self.island.step({})
        self.view = self.island.view()

    def moments(self, seconds: float) -> Iterator[IslandMoment]:
        """Yield a moment for each second of play, up to ``seconds`` or the end of the game."""
        second = 1
        while not self.island.is_over and second <= seconds:
            before = self.view
            event = self.step()
            command = None if event is None else _command(event)
            while second <= min(self.view.time, seconds):
                lasted = self.view.time - before.time
                yield IslandMoment(second, before, self.view, command, (second - before.time) / lasted)
                second += 1
        self.trace(IslandEnded(self.view.time, self.player, self.actions, self.goals, self.view.is_solved))

    def _emit_choice(self) -> None:
        execution = self._execution = self.islander.execution
        wish = self.islander.wish
        if execution is None or wish is None:
            return
        plan = tuple(map(str, execution.steps))
        about = wish.focus.subject or wish.focus.spot
        self.trace(IslandGoalChosen(self.view.time, self.player, wish.goal, about, wish.level, wish.runner_up, plan))

    def _emit_action(self, event: Event) -> None:
        self.actions += 1
        self.goals += event.goal is not None
        where = event.context
        learned = tuple(" ".join(lesson) for lesson in self.view.told)
        if event.action == ASK and self.view.said:
            self.trace(IslandLineSpoken(event.time, self.player, self.view.talking or "", self.view.said))
        self.trace(
            IslandAction(
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


def consult_tutor(
    island: Island, event: Event, tutor: IslandTutor | None, reader: Recognizer | None
) -> TutorLine | None:
    """Show an event to the tutor, with what the recogniser believes; carry out what the villager does."""
    if tutor is None:
        return None
    belief = None if reader is None else reader.observe(event)
    line = tutor.observe(event, island.view(), belief)
    if line is not None and line.rule == EATS:
        island.remove(str(event.context["argument"]))
    return line


def create_goal_reader() -> Recognizer | None:
    """Return the recogniser of the island's goals, each by itself; None without NumPy, which it needs."""
    if find_spec("numpy") is None:
        return None
    return recognizer("island-goals")


def _command(event: Event) -> str:
    return f"{event.action} {event.context['argument']}".rstrip()


# --- a game in real time ---


@dataclass(frozen=True, slots=True)
class TimedAction:
    """An action under way, or a pause: the views before and after it, and the goal behind it."""

    before: IslandView
    after: IslandView
    event: Event | None = None  # None: a pause
    intention: str | None = None  # None: unknown, because a person plays

    def share(self, time: float) -> float:
        """Return the progress from 0 to 1."""
        lasts = self.after.time - self.before.time
        return 1.0 if time >= self.after.time or lasts <= 0 else max(0.0, (time - self.before.time) / lasts)


class LivePlaythrough:
    """A game of a simulated player or of a person, one second at a time.

    An action's event is published in the second in which the action ends.

    >>> live = LivePlaythrough(seed=7, person=True)
    >>> live.ask("move gate")
    >>> [len(live.advance()) for _ in range(8)], live.events[0].time
    ([0, 0, 0, 0, 0, 0, 1, 0], 6.5)

    A request that needs several actions, such as ``go infirmary``, is carried out one action after the other; another
    request takes its place.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        style: str | None = None,
        person: bool = False,
        variant: str = TODAY,
        tutor: IslandTutor | None = None,
    ) -> None:
        self.tutor = tutor
        self._reader = None if tutor is None else create_goal_reader()
        game = Playthrough(seed, style=style, variant=variant, tutor=tutor, reader=self._reader)
        self._game = None if person else game
        self.island = Island(load_variant(variant).story, seed=seed) if self._game is None else self._game.island
        self.time = 0.0
        self.events: list[Event] = []  # of completed actions
        here = self.island.view()
        self._done = TimedAction(here, here)  # the latest completed
        self._coming: deque[TimedAction] = deque()
        self.request: IslandRequest | None = None  # what a person wants, as long as it is not begun
        self.refused = ""  # why the last request could not be carried out to its end
        self._look_ahead()

    @property
    def player(self) -> str:
        return self.island.player

    @property
    def islander(self) -> Islander | None:
        """The simulated player; None if a person plays."""
        return None if self._game is None else self._game.islander

    @property
    def now(self) -> TimedAction:
        """The action under way, or else the latest completed one."""
        return self._coming[0] if self._coming else self._done

    @property
    def view(self) -> IslandView:
        """The view before the action under way."""
        return self._done.after

    @property
    def is_over(self) -> bool:
        """Whether the game has ended and all of it was shown."""
        return self.island.is_over and not self._coming

    @property
    def tutor_lines(self) -> tuple[TutorLine, ...]:
        """What the tutor made people say so far."""
        lines = () if self.tutor is None else self.tutor.lines
        return tuple(line for line in lines if line.time <= self.time)

    def commands(self) -> tuple[str, ...]:
        """Return what a person may request once the queue is empty."""
        return () if self._game is not None else self.island.commands()

    def ask(self, command: str) -> None:
        """Carry out a request of a person; raise a ``TelosError`` if it cannot even begin.

        Actions wait for those under way. A walk that is not finished is given up, but not for the worksheet.
        """
        if self._game is not None:
            raise TelosError(f"{self.player} is simulated and cannot be told {command!r}", "play the island yourself")
        if command.strip() == ASK_HINT and self.tutor is not None:
            self.tutor.ask_hint(self.time)  # no action of the world: nothing passes, and the log does not have it
            return
        if len(self._coming) >= MAX_QUEUED:
            raise TelosError(
                f"{command!r} comes too early: {MAX_QUEUED} actions are waiting", "wait until some are done"
            )
        request = parse_request(command, self.island.story, self.island.view(), self.island.commands())
        if request.command is not None and request.to is None:
            self._begin(request.command)
            if request.command.startswith(f"{FILL} "):
                return
            request = IslandRequest()
        self.request, self.refused = (None if request == IslandRequest() else request), ""
        if not self._coming:
            self._continue()

    def _begin(self, command: str) -> None:
        before = self.island.view()
        self.island.step({self.player: command})
        event = self.island.events[0]
        consult_tutor(self.island, event, self.tutor, self._reader)
        self._coming.append(TimedAction(before, self.island.view(), event))

    def _continue(self) -> None:
        """Begin the next action of the request."""
        request, view = self.request, self.island.view()
        if request is None or view.is_over:
            return
        command = next_command(request, view, self.island.story.map)
        if request.to is None or view.place == request.to:
            self.request = None
        if command is None:
            return
        try:
            self._begin(command)
        except TelosError as error:
            self.request, self.refused = None, str(error)

    def advance(self) -> tuple[Event, ...]:
        """Advance by a second and return the events of the actions that ended in it."""
        if self.is_over:
            return ()
        self.time += 1.0
        if self._game is None and not self._coming:
            self._idle()
        told = []
        while self._coming and self._coming[0].after.time <= self.time:
            self._done = self._coming.popleft()
            told += [] if self._done.event is None else [self._done.event]
            self._look_ahead()
            if not self._coming:
                self._continue()
        self.events += told
        return tuple(told)

    def _look_ahead(self) -> None:
        """Let a simulated player begin the next action, so that the action under way is known."""
        game = self._game
        if game is not None and not self._coming and not self.island.is_over:
            before = game.view
            event = game.step()
            self._coming.append(TimedAction(before, game.view, event, game.islander.intention))

    def _idle(self) -> None:
        """Let the second pass in the world too: the next request starts no earlier than now."""
        while self.island.view().time < self.time and not self.island.is_over:
            self.island.step({})
        here = self.island.view()
        self._done = TimedAction(here, here)
        if self.tutor is not None:
            self.tutor.wait(self.time, None if self._reader is None else self._reader.belief)


# --- corpora ---


Progress = Callable[[int, int], None]  # games done, games in all


@dataclass(frozen=True, slots=True)
class IslandRecording:
    """One player's game. ``intentions`` holds the player's goal at each event: ground truth for studies only."""

    player: str
    style: str
    events: tuple[Event, ...]
    intentions: tuple[str, ...]
    solved: bool


def find_pursued(recording: IslandRecording, *, within: float = INTERRUPTED) -> tuple[tuple[str, ...], ...]:
    """Return, for each event, which of the seven goals the player pursued: several, one or none.

    A goal is pursued while it is the intention, and also while it is interrupted: from one stretch of it to the next,
    if they are at most ``within`` seconds apart and it was not achieved between them.

    >>> events = tuple(Event("move", time=float(each)) for each in range(5))
    >>> wishes = ("talk-cook", "explore", "talk-nurse", "talk-cook", "explore")
    >>> find_pursued(IslandRecording("a", "social", events, wishes, False))
    (('talk-cook',), ('talk-cook',), ('talk-nurse', 'talk-cook'), ('talk-cook',), ())
    """
    events = recording.events
    found: list[list[str]] = [[] for _ in events]
    for goal in GOALS:
        last: int | None = None  # the last event with this intention since the goal was achieved
        for place, (event, intention) in enumerate(zip(events, recording.intentions, strict=True)):
            if intention == goal:
                is_back = last is not None and event.time - events[last].time <= within
                for each in range(last + 1 if is_back and last is not None else place, place + 1):
                    found[each].append(goal)
                last = place
            if event.goal == goal:
                last = None
    return tuple(map(tuple, found))


def record_player(number: int, seed: int, *, style: str | None = None, variant: str = TODAY) -> IslandRecording:
    """Play one game; the seed and the player's number determine it.

    >>> game = record_player(3, seed=1)
    >>> game.player, len(game.events) == len(game.intentions), game.events == record_player(3, seed=1).events
    ('player-003', True, True)
    """
    game = Playthrough(seed, number=number, style=style, variant=variant)
    events: list[Event] = []
    intentions: list[str] = []
    while not game.island.is_over:
        event = game.step()
        if event is not None:
            events.append(event)
            intentions.append(game.islander.intention)
    return IslandRecording(game.player, game.islander.style.name, tuple(events), tuple(intentions), game.view.is_solved)


def record_players(
    players: int,
    seed: int,
    jobs: int = 1,
    progress: Progress | None = None,
    *,
    style: str | None = None,
    variant: str = TODAY,
) -> list[IslandRecording]:
    """Play so many games; the result does not depend on the number of ``jobs``."""
    if isinstance(players, bool) or not isinstance(players, int) or players < 1:
        raise TelosError(f"players must be a whole number of at least 1, got {players!r}")
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise TelosError(f"jobs must be a whole number of at least 1, got {jobs!r}")
    games: list[IslandRecording] = []
    for game in parallel_map(
        partial(record_player, seed=seed, style=style, variant=variant), range(players), jobs=jobs
    ):
        games.append(game)
        if progress is not None:
            progress(len(games), players)
    return games
