"""Planning spread over frames: so many microseconds each, everybody in turn."""

import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from telos.core.errors import TelosError
from telos.core.goal import Goal
from telos.core.plan import Answer
from telos.core.state import State
from telos.core.values import Value, check_finite
from telos.planning.encoding import as_state
from telos.planning.planner import DEFAULT_BUDGET, CallbackCache, PendingPlan, Planner, make_limits, warm_up

# A turn is so short that the last one of a frame does not overrun it by much, whatever the problem.
TURN_SECONDS = 40e-6  # seconds
MAX_EXPANSIONS_PER_TURN = 4096
EXPANSIONS_PER_TURN = 64  # expansions, where they are counted rather than timed


@dataclass(slots=True, eq=False)
class Ticket:
    """A request for a plan; ``answer`` is there once ``done``, unless there was a ``fault``."""

    planner: Planner
    state: State
    goal: str | Goal
    answer: Answer | None = None
    fault: TelosError | None = None  # what the game's own functions, or the request itself, made of it instead
    waited: int = 0  # frames since it was asked for
    _search: PendingPlan | None = field(default=None, repr=False)
    _said: CallbackCache = field(default_factory=dict, repr=False)

    @property
    def done(self) -> bool:
        """Whether the answer is there, or never will be."""
        return self.answer is not None or self.fault is not None

    @property
    def said(self) -> CallbackCache:
        """Return what the game was asked for it so far, and answered."""
        return dict(self._said)

    @property
    def expanded(self) -> int:
        """Return how many nodes have been expanded for it so far."""
        return 0 if self._search is None else self._search.search.expanded


class Scheduler:
    """Takes requests for plans, and works on them for a given time each frame.

    Whoever has waited longest is first, and a long search gives way after a short turn and goes on where it stopped, so
    nobody waits for more than everybody else's turns: no request starves. What was planned before is remembered.

    >>> from telos.core.action import Action
    >>> from telos.core.domain import Domain
    >>> from telos.core.values import Variable
    >>> lamp = Domain(variables=[Variable("lit", "bool")], actions=[Action("switch", effects="lit = not lit")],
    ...               goals=[Goal("light", wants="lit")])
    >>> scheduler = Scheduler(Planner(lamp))
    >>> ticket = scheduler.ask({"lit": False}, "light")
    >>> scheduler.run(microseconds=4000)
    1
    >>> [step.name for step in ticket.answer.steps]
    ['switch']
    """

    def __init__(
        self,
        planner: Planner,
        *,
        how: str = "optimal",
        budget: int = DEFAULT_BUDGET,
        clock: Callable[[], float] | None = time.perf_counter,
    ) -> None:
        if clock is not None:
            warm_up()  # a frame is no time to compile in
        self._planner, self._clock = planner, clock
        self._how, self._budget = how, budget
        self._limits = make_limits(how, budget, None)
        self._waiting: deque[Ticket] = deque()
        self._pace = 1e-6  # seconds an expansion, as last measured
        self.expanded = 0  # nodes, in all frames

    def __len__(self) -> int:
        """Return how many requests are not answered yet."""
        return len(self._waiting)

    @property
    def waiting(self) -> tuple[Ticket, ...]:
        """Return the requests that are not answered yet, the next one first."""
        return tuple(self._waiting)

    def ask(self, state: Mapping[str, Value], goal: str | Goal, planner: Planner | None = None) -> Ticket:
        """Ask for a plan; the answer comes with one of the next frames.

        Characters with other actions than the scheduler's planner has bring their own ``planner``.
        """
        planner = planner or self._planner
        ticket = Ticket(planner, as_state(state, planner.domain.layout), goal)
        self._waiting.append(ticket)
        return ticket

    def recall(self, state: State, goal: str | Goal, planner: Planner | None = None) -> Answer | None:
        """Return the answer at once if the same was asked before and still holds."""
        return (planner or self._planner).recall(state, goal, self._how, self._budget)[0]

    def withdraw(self, ticket: Ticket) -> None:
        """Forget a request whose answer nobody waits for any more."""
        with suppress(ValueError):
            self._waiting.remove(ticket)

    def resume(
        self,
        state: Mapping[str, Value],
        goal: str | Goal,
        planner: Planner,
        expanded: int,
        said: CallbackCache | None = None,
    ) -> Ticket:
        """Ask again for a plan that had been searched for when a game was saved: with so many expansions, and ``said``.

        The search goes the same way again, whatever the game would say now.
        """
        ticket = self.ask(state, goal, planner)
        if expanded:
            ticket._said = dict(said or {})
            ticket._search = planner.begin(ticket.state, goal, self._limits, ticket._said)
            ticket.answer = ticket._search.go_on(expanded)
        return ticket

    def run(self, microseconds: float | None = None, *, expansions: int | None = None) -> int:
        """Work for so long, a little more at most, and return how many requests were answered.

        A number of ``expansions`` instead of a time makes a run that goes the same way on every machine; a scheduler
        that only counts takes no ``clock`` (None), and compiles nothing before there is enough to do.
        """
        for ticket in self._waiting:
            ticket.waited += 1
        if expansions is not None:
            return self._run_counted(expansions)
        if self._clock is None or microseconds is None:
            raise TelosError(
                "say how long to work: run(microseconds=...), or run(expansions=...) where there is no clock"
            )
        if not check_finite("microseconds", microseconds) > 0:
            raise TelosError(f"microseconds must be more than 0, got {microseconds!r}")
        clock, answered = self._clock, 0
        deadline = clock() + microseconds / 1e6
        while self._waiting and (left := deadline - clock()) > 0:
            answered += self._served(lambda ticket: self._turn(ticket, min(TURN_SECONDS, left), clock))
        return answered

    def _run_counted(self, expansions: int) -> int:
        if isinstance(expansions, bool) or not isinstance(expansions, int) or expansions < 1:
            raise TelosError(f"expansions must be a whole number of nodes, at least 1, got {expansions!r}")
        answered, end = 0, self.expanded + expansions
        while self._waiting and self.expanded < end:
            answered += self._served(lambda ticket: self._expand(ticket, min(EXPANSIONS_PER_TURN, end - self.expanded)))
        return answered

    def _served(self, turn: Callable[[Ticket], None]) -> bool:
        """Give whoever is next a turn; say whether that answered the request."""
        ticket = self._waiting.popleft()
        try:
            turn(ticket)
        except TelosError as error:  # one bad request is no reason to leave the others waiting
            ticket.fault = error
        if not ticket.done:
            self._waiting.append(ticket)
        return ticket.done

    def _turn(self, ticket: Ticket, seconds: float, clock: Callable[[], float]) -> None:
        """Work on a request for about so long."""
        before, expanded = clock(), ticket.expanded
        self._expand(ticket, max(1, min(MAX_EXPANSIONS_PER_TURN, int(seconds / self._pace))))
        done = ticket.expanded - expanded
        if done > 16:  # fewer say more about the clock than about the search
            self._pace = max(1e-8, (clock() - before) / done)

    def _expand(self, ticket: Ticket, expansions: int) -> None:
        """Work on a request until so many nodes more are expanded, or it is answered."""
        request = (ticket.state, ticket.goal, self._how, self._budget)
        if ticket._search is None:
            ticket.answer, ticket._said = ticket.planner.recall(*request)
            if ticket.answer is not None:
                self.expanded += 1  # remembering is work too, if little
                return
            ticket._search = ticket.planner.begin(ticket.state, ticket.goal, self._limits, ticket._said)
        before = ticket.expanded
        ticket.answer = ticket._search.go_on(expansions)
        self.expanded += max(1, ticket.expanded - before)
        if ticket.answer is not None:
            ticket.planner.remember(*request, ticket.answer, ticket._said)
