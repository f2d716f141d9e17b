"""Planning spread over frames: so many microseconds each, everybody in turn."""

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from telos.core.errors import TelosError
from telos.core.goal import Goal
from telos.core.numbers import finite
from telos.core.plan import Answer
from telos.core.state import State
from telos.core.values import Value
from telos.planning.planner import BUDGET, Open, Planner, limits_of
from telos.planning.reading import as_state
from telos.planning.warming import warm_up

# A turn is so short that the last one of a frame does not overrun it by much, whatever the problem.
TURN = 40e-6  # seconds
MOST_EXPANSIONS = 4096


@dataclass(slots=True, eq=False)
class Ticket:
    """A request for a plan; ``answer`` is there once ``done``."""

    state: State
    goal: str | Goal
    answer: Answer | None = None
    waited: int = 0  # frames since it was asked for
    _search: Open | None = field(default=None, repr=False)

    @property
    def done(self) -> bool:
        """Whether the answer is there."""
        return self.answer is not None


class Scheduler:
    """Takes requests for plans, and works on them for a given time each frame.

    Whoever has waited longest is first, and a long search gives way after a short turn and goes on where it stopped, so
    nobody waits for more than everybody else's turns: no request starves.

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
        budget: int = BUDGET,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        warm_up()  # a frame is no time to compile in
        self._planner, self._clock = planner, clock
        self._limits = limits_of(how, budget, None)
        self._waiting: deque[Ticket] = deque()
        self._pace = 1e-6  # seconds an expansion, as last measured

    def __len__(self) -> int:
        """Return how many requests are not answered yet."""
        return len(self._waiting)

    def ask(self, state: Mapping[str, Value], goal: str | Goal) -> Ticket:
        """Ask for a plan; the answer comes with one of the next frames."""
        ticket = Ticket(as_state(state, self._planner.domain.layout), goal)
        self._waiting.append(ticket)
        return ticket

    def run(self, microseconds: float) -> int:
        """Work for so long, a little more at most, and return how many requests were answered."""
        if not finite("microseconds", microseconds) > 0:
            raise TelosError(f"microseconds must be more than 0, got {microseconds!r}")
        deadline, answered = self._clock() + microseconds / 1e6, 0
        for ticket in self._waiting:
            ticket.waited += 1
        while self._waiting:
            now = self._clock()
            if now >= deadline:
                break
            ticket = self._waiting.popleft()
            self._turn(ticket, min(TURN, deadline - now))
            if ticket.done:
                answered += 1
            else:
                self._waiting.append(ticket)
        return answered

    def _turn(self, ticket: Ticket, seconds: float) -> None:
        """Work on a request for about so long."""
        if ticket._search is None:
            ticket._search = self._planner.begin(ticket.state, ticket.goal, self._limits)
        before, expanded = self._clock(), ticket._search.search.expanded
        expansions = max(1, min(MOST_EXPANSIONS, int(seconds / self._pace)))
        ticket.answer = ticket._search.go_on(expansions)
        done = ticket._search.search.expanded - expanded
        if done > 16:  # fewer say more about the clock than about the search
            self._pace = max(1e-8, (self._clock() - before) / done)
