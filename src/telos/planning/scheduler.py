"""Planning spread over frames: a time budget for each frame, requests in turn.

Start with ``Scheduler``; ``ask`` returns a ``Ticket`` that holds the answer later.
"""

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
from telos.planning.game_functions import CallbackCache
from telos.planning.planner import DEFAULT_BUDGET, PendingPlan, Planner, make_limits

# Turns are short, so that the last one of a frame does not overrun it by much, whatever the problem.
TURN_SECONDS = 40e-6
MAX_EXPANSIONS_PER_TURN = 4096
EXPANSIONS_PER_TURN = 64  # where expansions are counted instead of timed
MAX_RECALLED_CALLS = 16  # calls that are repeated at once to see whether a cached answer holds; with more, search anew


@dataclass(slots=True, eq=False)
class Ticket:
    """A request for a plan; once ``done``, it has an ``answer`` or a ``fault``."""

    planner: Planner
    state: State
    goal: str | Goal
    answer: Answer | None = None
    fault: TelosError | None = None  # raised by a game function or by an invalid request
    waited: int = 0  # frames since the request
    _search: PendingPlan | None = field(default=None, repr=False)
    _called: CallbackCache = field(default_factory=dict, repr=False)

    @property
    def done(self) -> bool:
        """Whether the request has an answer or a fault."""
        return self.answer is not None or self.fault is not None

    @property
    def called(self) -> CallbackCache:
        """Return the values of the game functions called so far."""
        return dict(self._called)

    @property
    def expanded(self) -> int:
        """Return the number of nodes expanded so far."""
        return 0 if self._search is None else self._search.search.expanded


class Scheduler:
    """Takes requests for plans, and works on them for a given time each frame.

    Requests take turns, the oldest first. A long search is interrupted after a short turn and resumed at its next one,
    so a request waits for at most one turn of each other request: none starves. Answers are cached.

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
        self._planner, self._clock = planner, clock
        self._how, self._budget = how, budget
        self._limits = make_limits(how, budget, None)
        self._waiting: deque[Ticket] = deque()
        self._pace = 1e-6  # seconds per expansion, as last measured
        self._function_seconds = 0.0
        self.expanded = 0  # nodes, in all frames

    def __len__(self) -> int:
        """Return the number of requests that are not answered yet."""
        return len(self._waiting)

    @property
    def waiting(self) -> tuple[Ticket, ...]:
        """Return the requests that are not answered yet, the next one first."""
        return tuple(self._waiting)

    def ask(self, state: Mapping[str, Value], goal: str | Goal, planner: Planner | None = None) -> Ticket:
        """Request a plan; the answer comes in one of the next frames.

        Pass a ``planner`` for a character whose actions differ from those of the scheduler's planner.
        """
        planner = planner or self._planner
        ticket = Ticket(planner, as_state(state, planner.domain.layout), goal)
        self._waiting.append(ticket)
        return ticket

    def recall(self, state: State, goal: str | Goal, planner: Planner | None = None) -> Answer | None:
        """Return the cached answer to a request if it still holds, else None."""
        return (planner or self._planner).recall(state, goal, self._how, self._budget)[0]

    def withdraw(self, ticket: Ticket) -> None:
        """Drop a request whose answer is not needed any more."""
        with suppress(ValueError):
            self._waiting.remove(ticket)

    def resume(
        self,
        state: Mapping[str, Value],
        goal: str | Goal,
        planner: Planner,
        expanded: int,
        called: CallbackCache | None = None,
    ) -> Ticket:
        """Restore a request from a saved game: repeat its ``expanded`` expansions with the values in ``called``.

        The search takes the same path again, whatever the game functions return now. They are asked only if the request
        was saved between two questions of the same node; then it may be answered here.
        """
        ticket = self.ask(state, goal, planner)
        if expanded or called:
            ticket._called = dict(called or {})
            ticket._search = planner.begin(ticket.state, goal, self._limits, ticket._called)
        if ticket._search is not None and expanded:
            try:
                ticket.answer = ticket._search.resume(expanded)
            except TelosError as error:
                ticket.fault = error
            if ticket.done:
                self.withdraw(ticket)
        return ticket

    def run(self, microseconds: float | None = None, *, expansions: int | None = None) -> int:
        """Work for a time, at most a little longer, and return the number of requests answered.

        A number of ``expansions`` instead of a time gives the same run on every machine; a scheduler that only counts
        takes no ``clock`` (None).
        """
        for ticket in self._waiting:
            ticket.waited += 1
        if expansions is not None:
            return self._run_counted(expansions)
        if self._clock is None or microseconds is None:
            raise TelosError("no time given", "call run(microseconds=...), or run(expansions=...) without a clock")
        if not check_finite("microseconds", microseconds) > 0:
            raise TelosError(f"microseconds must be more than 0, got {microseconds!r}")
        clock, answered = self._clock, 0
        deadline = clock() + microseconds / 1e6
        while self._waiting and (left := deadline - clock()) > 0:
            answered += self._serve_next(lambda ticket: self._turn(ticket, min(TURN_SECONDS, left), clock, deadline))
        return answered

    @property
    def function_seconds(self) -> float:
        """Return the time that functions of the game have taken, in all frames; it is part of each frame's time."""
        return self._function_seconds

    def _run_counted(self, expansions: int) -> int:
        if isinstance(expansions, bool) or not isinstance(expansions, int) or expansions < 1:
            raise TelosError(f"expansions must be a whole number of nodes, at least 1, got {expansions!r}")
        answered, end = 0, self.expanded + expansions
        while self._waiting and self.expanded < end:
            answered += self._serve_next(
                lambda ticket: self._expand(ticket, min(EXPANSIONS_PER_TURN, end - self.expanded))
            )
        return answered

    def _serve_next(self, turn: Callable[[Ticket], None]) -> bool:
        """Give the next request a turn; return whether that answered it."""
        ticket = self._waiting.popleft()
        try:
            turn(ticket)
        except TelosError as error:  # a bad request must not hold up the others
            ticket.fault = error
        if not ticket.done:
            self._waiting.append(ticket)
        return ticket.done

    def _turn(self, ticket: Ticket, seconds: float, clock: Callable[[], float], deadline: float) -> None:
        """Work on a request for about ``seconds``; past the deadline, no function of the game is called."""
        before, expanded = clock(), ticket.expanded
        expansions = max(1, min(MAX_EXPANSIONS_PER_TURN, int(seconds / self._pace)))
        self._expand(ticket, expansions, deadline if clock is time.perf_counter else None)
        done = ticket.expanded - expanded
        if done > 16:  # fewer measure the clock rather than the search
            self._pace = max(1e-8, (clock() - before) / done)

    def _expand(self, ticket: Ticket, expansions: int, deadline: float | None = None) -> None:
        """Work on a request until ``expansions`` more nodes are expanded, it is answered, or the deadline is past."""
        functions = ticket.planner.functions
        seconds = functions.seconds
        try:
            self._work(ticket, expansions, deadline)
        finally:
            self._function_seconds += functions.seconds - seconds

    def _work(self, ticket: Ticket, expansions: int, deadline: float | None) -> None:
        request = (ticket.state, ticket.goal, self._how, self._budget)
        if ticket._search is None:
            most = None if deadline is None else MAX_RECALLED_CALLS
            ticket.answer, ticket._called = ticket.planner.recall(*request, most_calls=most)
            if ticket.answer is not None:
                self.expanded += 1  # a cached answer counts as one expansion
                return
            ticket._search = ticket.planner.begin(ticket.state, ticket.goal, self._limits, ticket._called)
        before = ticket.expanded
        ticket.answer = ticket._search.resume(expansions, deadline)
        self.expanded += max(1, ticket.expanded - before)
        if ticket.answer is not None:
            ticket.planner.remember(*request, ticket.answer, ticket._called)
