"""Many minds in one frame: those with news think, the rest cost next to nothing."""

import heapq
import math
from collections.abc import Iterable

from telos.agents.body import Status
from telos.agents.memory import Fact
from telos.agents.mind import Mind
from telos.agents.sensors import Rota
from telos.planning.scheduler import Scheduler

ROUNDS = 8  # goals that one mind may try in a frame before it waits for the next


class Crowd:
    """Minds that share a budget for sensing and one for planning.

    A mind thinks when a sensor told it something new, a stimulus reached it, its body is done with a step, a fact has
    faded, or a plan has come. Orders are by number, and budgets are counted rather than timed, so a crowd goes the
    same way every time.
    """

    def __init__(self, rota: Rota, scheduler: Scheduler, *, expansions: int = 20_000) -> None:
        self.rota, self.scheduler, self.expansions = rota, scheduler, expansions
        self.minds: dict[str, Mind] = {}
        self._numbered: dict[int, Mind] = {}
        self._awake: set[int] = set()
        self._alarms: list[tuple[float, int]] = []  # when to wake whom though nothing happens
        self._alarm_of: dict[int, float] = {}
        self._acting: dict[int, Mind] = {}  # those whose body is at a step
        self._waiting: dict[int, Mind] = {}  # those who have asked for a plan

    def join(self, mind: Mind, now: float) -> None:
        """Take a mind in; it thinks in the next frame."""
        self.minds[mind.name] = self._numbered[mind.number] = mind
        self.rota.join(mind, {name: every for name, every in mind.character.sensors.items() if every > 0}, now)
        self._awake.add(mind.number)

    def leave(self, mind: Mind) -> None:
        """Let a mind go: it thinks no more."""
        self.rota.leave(mind)
        mind.let_go()
        del self.minds[mind.name], self._numbered[mind.number]
        for known in (self._acting, self._waiting, self._alarm_of):
            known.pop(mind.number, None)
        self._awake.discard(mind.number)

    def stimulate(self, name: str, fact: Fact) -> None:
        """Let something be felt at once, whatever the rota says; who learns from it thinks in the next frame."""
        mind = self.minds.get(name)
        if mind is not None and mind.note(fact):
            self._awake.add(mind.number)

    def wake(self, name: str) -> None:
        """Let somebody think in the next frame: something in their memory was changed from outside."""
        if name in self.minds:
            self._awake.add(self.minds[name].number)

    def tick(self, now: float) -> int:
        """Let a frame pass, and return how many minds thought."""
        awake = self._awake
        self._awake = set()
        awake.update(mind.number for mind in self.rota.poll(now))
        awake.update(self._alarmed(now))
        for number, mind in self._acting.items():
            if mind.body.progress.status is not Status.RUNNING:
                awake.add(number)
        for mind in [self._numbered[number] for number in sorted(awake & self._numbered.keys())]:
            mind.think(now)
            self._file(mind)
        self._plan(now)
        return len(awake)

    def _alarmed(self, now: float) -> Iterable[int]:
        while self._alarms and self._alarms[0][0] <= now:
            when, number = heapq.heappop(self._alarms)
            if self._alarm_of.get(number) == when:
                del self._alarm_of[number]
                yield number

    def _plan(self, now: float) -> None:
        """Work on plans that were asked for; an answer may make a mind ask for its next goal's in the same frame."""
        end = self.scheduler.expanded + self.expansions
        for _ in range(ROUNDS):
            left = end - self.scheduler.expanded
            if not self._waiting or left <= 0:
                return
            self.scheduler.run(expansions=left)
            for mind in [self._waiting[number] for number in sorted(self._waiting)]:
                mind.hear(now)
                self._file(mind)

    def _file(self, mind: Mind) -> None:
        """Remember what a mind that has just thought is waiting for."""
        number = mind.number
        _put(self._acting, number, mind, mind.execution is not None)
        _put(self._waiting, number, mind, mind.is_waiting)
        alarm = mind.wake_at
        if alarm != math.inf and self._alarm_of.get(number) != alarm:
            self._alarm_of[number] = alarm
            heapq.heappush(self._alarms, (alarm, number))


def _put(known: dict[int, Mind], number: int, mind: Mind, is_in: bool) -> None:
    if is_in:
        known[number] = mind
    else:
        known.pop(number, None)
