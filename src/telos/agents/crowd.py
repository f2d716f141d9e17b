"""``Crowd``: many minds in one frame; only those with new information think."""

import heapq
import math
from collections.abc import Iterable, Mapping
from typing import Any

from telos.agents.body import Status
from telos.agents.memory import Fact
from telos.agents.mind import Mind
from telos.agents.saving import restore_mind, restore_plans, save_mind, save_plans
from telos.agents.sensors import SensorSchedule
from telos.core.errors import TelosError
from telos.planning.planner import Planner
from telos.planning.scheduler import Scheduler, Ticket

MAX_ROUNDS = 8  # goals that one mind may try in a frame


class Crowd:
    """Minds that share one budget for sensing and one for planning.

    A mind thinks when a sensor reports something new, a stimulus arrives, its body has finished a step, a fact fades,
    or a plan is ready. Minds are ordered by number and budgets are counted, not timed, so that runs are deterministic.
    """

    def __init__(self, rota: SensorSchedule, scheduler: Scheduler, *, expansions: int = 20_000) -> None:
        self.rota, self.scheduler, self.expansions = rota, scheduler, expansions
        self.minds: dict[str, Mind] = {}
        self._numbered: dict[int, Mind] = {}
        self._awake: set[int] = set()
        self._alarms: list[tuple[float, int]] = []  # (time, number): when to wake a mind even if nothing happens
        self._alarm_of: dict[int, float] = {}
        self._acting: dict[int, Mind] = {}  # minds whose body carries out a step
        self._waiting: dict[int, Mind] = {}  # minds that wait for a plan

    def join(self, mind: Mind, now: float) -> None:
        """Add a mind; it thinks in the next frame."""
        other = self.minds.get(mind.name) or self._numbered.get(mind.number)
        if other is not None:
            raise TelosError(
                f"{mind.name!r}, number {mind.number}, cannot join {other.name!r}, number {other.number}",
                "give each mind of a crowd its own name and number",
            )
        self.minds[mind.name] = self._numbered[mind.number] = mind
        self.rota.join(mind, {name: every for name, every in mind.character.sensors.items() if every > 0}, now)
        self._awake.add(mind.number)

    def leave(self, mind: Mind) -> None:
        """Remove a mind."""
        self.rota.leave(mind)
        mind.stop()
        del self.minds[mind.name], self._numbered[mind.number]
        for known in (self._acting, self._waiting, self._alarm_of):
            known.pop(mind.number, None)
        self._awake.discard(mind.number)

    def stimulate(self, name: str, fact: Fact) -> None:
        """Give a mind a fact outside its sensing schedule; if it is new, the mind thinks in the next frame."""
        mind = self.minds.get(name)
        if mind is not None and mind.note(fact):
            self._awake.add(mind.number)

    def wake(self, name: str) -> None:
        """Make a mind think in the next frame, because its memory was changed from outside."""
        if name in self.minds:
            self._awake.add(self.minds[name].number)

    def tick(self, now: float) -> int:
        """Run one frame and return how many minds thought."""
        awake = self._awake
        self._awake = set()
        awake.update(mind.number for mind in self.rota.poll(now))
        awake.update(self._pop_alarms(now))
        for number, mind in self._acting.items():
            if mind.body.progress.status is not Status.RUNNING:
                awake.add(number)
        for mind in [self._numbered[number] for number in sorted(awake & self._numbered.keys())]:
            mind.think(now)
            self._track(mind)
        self._plan(now)
        return len(awake)

    def _pop_alarms(self, now: float) -> Iterable[int]:
        while self._alarms and self._alarms[0][0] <= now:
            when, number = heapq.heappop(self._alarms)
            if self._alarm_of.get(number) == when:
                del self._alarm_of[number]
                yield number

    def _plan(self, now: float) -> None:
        """Work on requested plans; after an answer a mind may request a plan for its next goal in the same frame."""
        end = self.scheduler.expanded + self.expansions
        for _ in range(MAX_ROUNDS):
            left = end - self.scheduler.expanded
            if not self._waiting or left <= 0:
                return
            self.scheduler.run(expansions=left)
            for mind in [self._waiting[number] for number in sorted(self._waiting)]:
                mind.collect_plan(now)
                self._track(mind)

    def _track(self, mind: Mind) -> None:
        """Record what a mind that has just thought waits for."""
        number = mind.number
        if mind.is_restless:  # a step failed at once, or the state changed during planning
            self._awake.add(number)
        _update(self._acting, number, mind, mind.execution is not None)
        _update(self._waiting, number, mind, mind.is_waiting)
        alarm = mind.wake_at
        if alarm != math.inf and self._alarm_of.get(number) != alarm:
            self._alarm_of[number] = alarm
            heapq.heappush(self._alarms, (alarm, number))

    # --- saving -------------------------------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return the crowd's state between two frames as plain data; the game saves the bodies.

        Minds that wait for a plan are saved in the order of the queue, because they request it again in that order.
        The planners' caches are part of the state: a cached plan arrives sooner than a searched one.
        """
        place = {id(ticket): number for number, ticket in enumerate(self.scheduler.waiting)}
        minds = sorted(self.minds.values(), key=lambda mind: place.get(id(_ticket(mind)), -1))
        return {
            "minds": [save_mind(mind) for mind in minds],
            "plans": {name: save_plans(planner) for name, planner in self._planners().items()},
            "rota": self.rota.save(),
            "awake": sorted(self._awake),
            "alarms": sorted([when, number] for number, when in self._alarm_of.items()),
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Restore a saved state; the same minds must have joined, with the bodies as they were."""
        names = [each["name"] for each in saved["minds"]]
        if sorted(names) != sorted(self.minds):
            raise TelosError(
                f"this was saved from a crowd of {', '.join(sorted(names))}, not of {', '.join(sorted(self.minds))}",
                "let exactly these minds join before restoring",
            )
        for planner in self._planners().values():
            restore_plans(planner, ())  # otherwise a restored search would find its answer in the cache
        for each in saved["minds"]:
            restore_mind(self.minds[each["name"]], each)
        for name, plans in saved["plans"].items():
            restore_plans(self.minds[name].planner, plans)
        self.rota.restore(saved["rota"])
        self._awake = set(saved["awake"])
        self._alarms = [(when, number) for when, number in saved["alarms"]]
        self._alarm_of = {number: when for when, number in self._alarms}
        self._acting = {mind.number: mind for mind in self.minds.values() if mind.execution is not None}
        self._waiting = {mind.number: mind for mind in self.minds.values() if mind.is_waiting}

    def _planners(self) -> dict[str, Planner]:
        """Return each planner once, under the name of a mind that uses it."""
        users = {id(self.minds[name].planner): name for name in sorted(self.minds, reverse=True)}
        return {name: self.minds[name].planner for name in users.values()}


def _ticket(mind: Mind) -> Ticket | None:
    return None if mind.deliberation is None else mind.deliberation.ticket


def _update(group: dict[int, Mind], number: int, mind: Mind, is_in: bool) -> None:
    if is_in:
        group[number] = mind
    else:
        group.pop(number, None)
