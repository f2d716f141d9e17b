"""``MindSchedule``: many minds in one frame; only those with new information think."""

import heapq
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from telos.agents.body import Status
from telos.agents.memory import Fact
from telos.agents.mind import Mind
from telos.agents.saving import (
    MIND_FORMAT,
    Contents,
    MindSnapshot,
    PlanRow,
    ReadMind,
    parts_of_mind,
    read_mind,
    read_plans,
    restore_minds,
    save_mind,
    save_plans,
)
from telos.agents.sensors import DueRow, SensorSchedule
from telos.agents.snapshots import ContentSnapshot, FactCheck, StateReader, accept_fact
from telos.core.errors import TelosError, name_hint
from telos.files import Finite, Items, Row, SnapshotModel, read_snapshot, unchanged_on_error
from telos.files.restoring import Omission, SnapshotCheck
from telos.planning.planner import Planner
from telos.planning.scheduler import Scheduler, Ticket

MAX_ROUNDS = 8  # goals that one mind may try in a frame


class ScheduleSnapshot(SnapshotModel):
    """What a crowd saves."""

    FORMAT: ClassVar[int] = MIND_FORMAT

    minds: Items[MindSnapshot]
    contents: Items[ContentSnapshot] = Field(default_factory=list)
    plans: dict[str, Items[PlanRow]] | None
    rota: Items[DueRow]
    awake: Items[int]
    alarms: Items[Row[tuple[Finite, int]]]


@dataclass(frozen=True, slots=True)
class ReadSchedule:
    """A saved crowd that was checked."""

    minds: list[ReadMind]
    plans: list[Callable[[], None]]
    due: list[tuple[float, int, str, float, bool]]
    awake: set[int]
    alarms: dict[int, float]


class MindSchedule:
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
        self._now = -math.inf  # the time of the last frame

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
        if self.minds.get(mind.name) is not mind:
            raise TelosError(f"{mind.name!r} is not in the crowd", "let each mind leave once, after it joined")
        self.rota.leave(mind)
        mind.stop()
        del self.minds[mind.name], self._numbered[mind.number]
        for known in (self._acting, self._waiting, self._alarm_of):
            known.pop(mind.number, None)
        self._awake.discard(mind.number)

    def stimulate(self, name: str, fact: Fact) -> None:
        """Give a mind a fact outside its sensing schedule; if it is new, the mind thinks in the next frame."""
        mind = self._known(name)
        if mind.note(fact):
            self._awake.add(mind.number)

    def wake(self, name: str) -> None:
        """Make a mind think in the next frame, because its memory was changed from outside."""
        self._awake.add(self._known(name).number)

    def _known(self, name: str) -> Mind:
        if name not in self.minds:
            raise TelosError(f"there is no mind {name!r} in the crowd", name_hint(name, self.minds))
        return self.minds[name]

    @property
    def now(self) -> float:
        """The time of the last frame; minus infinity before the first."""
        return self._now

    def begin_frame(self, now: float) -> None:
        """Set the time; time never goes backwards."""
        if isinstance(now, bool) or not isinstance(now, int | float) or now == -math.inf:
            raise TelosError(f"the time of a frame is {now!r}", "give seconds of the game, a finite number")
        if not self._now <= now < math.inf:
            raise TelosError(f"the frame of {now!r} s comes after that of {self._now:g} s", "let time only grow")
        self._now = now

    def tick(self, now: float, *, microseconds: float | None = None) -> int:
        """Run one frame and return how many minds thought; time never goes backwards.

        With ``microseconds``, planning stops after that time, and the run depends on the machine; otherwise it stops
        after the number of expansions of the schedule.
        """
        self.begin_frame(now)
        awake = self._awake
        self._awake = set()
        awake.update(mind.number for mind in self.rota.poll(now))
        awake.update(self._pop_alarms(now))
        for number, mind in self._acting.items():
            if mind.body.progress.status is not Status.RUNNING:
                awake.add(number)
        for number in sorted(awake & self._numbered.keys()):
            if number in self._numbered:  # else another mind made it leave just now
                mind = self._numbered[number]
                mind.think(now)
                self._track(mind)
        self._plan(now, microseconds)
        return len(awake)

    def _pop_alarms(self, now: float) -> Iterable[int]:
        while self._alarms and self._alarms[0][0] <= now:
            when, number = heapq.heappop(self._alarms)
            if self._alarm_of.get(number) == when:
                del self._alarm_of[number]
                yield number

    def _plan(self, now: float, microseconds: float | None) -> None:
        """Work on requested plans; after an answer a mind may request a plan for its next goal in the same frame."""
        budget = self._counted() if microseconds is None else self._timed(microseconds)
        for _, is_left in zip(range(MAX_ROUNDS), budget, strict=False):
            for number in sorted(self._waiting):
                if number in self._waiting:  # else another mind made it leave just now
                    mind = self._waiting[number]
                    mind.collect_plan(now)
                    self._track(mind)
            if not is_left:
                return

    def _counted(self) -> Iterator[bool]:
        """Run the scheduler for the expansions of a frame; yield after each round whether any are left."""
        end = self.scheduler.expanded + self.expansions
        while self._waiting:
            self.scheduler.run(expansions=end - self.scheduler.expanded)
            yield self.scheduler.expanded < end

    def _timed(self, microseconds: float) -> Iterator[bool]:
        """Run the scheduler for a time; yield after each round whether any is left."""
        end = time.perf_counter() + microseconds * 1e-6
        left = microseconds
        while self._waiting:
            self.scheduler.run(microseconds=left)
            left = (end - time.perf_counter()) * 1e6
            yield left > 0

    def _track(self, mind: Mind) -> None:
        """Record what a mind that has just thought waits for."""
        number = mind.number
        if self._numbered.get(number) is not mind:
            return  # it has left while it thought
        if mind.is_restless:  # a step failed at once, or the state changed during planning
            self._awake.add(number)
        _update(self._acting, number, mind, mind.execution is not None)
        _update(self._waiting, number, mind, mind.is_waiting)
        alarm = mind.wake_at
        if alarm != math.inf and self._alarm_of.get(number) != alarm:
            self._alarm_of[number] = alarm
            heapq.heappush(self._alarms, (alarm, number))

    # --- saving -------------------------------------------------------------------------------------------------------

    def save(self, *, plans: bool = True) -> dict[str, Any]:
        """Return the crowd's state between two frames as plain data; the game saves the bodies.

        Minds that wait for a plan are saved in the order of the queue, because they request it again in that order.
        The planners' caches are part of the state: a cached plan arrives sooner than a searched one. Without ``plans``
        they are left out, which makes the save much smaller: the crowd goes on correctly, but it searches again, so a
        plan may arrive some frames later than in the run that was not interrupted.
        """
        place = {id(ticket): number for number, ticket in enumerate(self.scheduler.waiting)}
        minds = sorted(self.minds.values(), key=lambda mind: place.get(id(_ticket(mind)), -1))
        contents = Contents()
        return {
            "format": MIND_FORMAT,
            "minds": [save_mind(mind, contents) for mind in minds],
            "contents": contents.saved,
            "plans": {name: save_plans(planner) for name, planner in self._planners().items()} if plans else None,
            "rota": self.rota.save(),
            "awake": sorted(self._awake),
            "alarms": sorted([when, number] for number, when in self._alarm_of.items()),
        }

    def restore(self, saved: Mapping[str, Any], *, lenient: bool = False) -> tuple[Omission, ...]:
        """Restore a saved state; the same minds must have joined, with the bodies as they were.

        Faulty data raises a ``TelosError`` that names its place, and the crowd is as it was. With ``lenient``, a crowd
        that was saved before the content changed keeps what still applies: minds that are gone or new, plans with
        actions or goals that are gone, and variables that are gone are left out; what is left out is returned.
        """
        check = SnapshotCheck("crowd", lenient=lenient)
        read = read_snapshot(ScheduleSnapshot, saved, of="crowd")
        with check.sound():
            self.put(check, self.read(check, read))
        return tuple(check.omissions)

    def read(
        self, check: SnapshotCheck, saved: "ScheduleSnapshot", check_fact: FactCheck = accept_fact
    ) -> "ReadSchedule":
        """Check a saved crowd; nothing changes. ``check_fact`` checks the facts of the world."""
        names = [each.name for each in saved.minds]
        check.require(len(set(names)) == len(names), ("minds",), "lists a mind twice")
        if not check.lenient and sorted(names) != sorted(self.minds):
            raise TelosError(
                f"this was saved from a crowd of {', '.join(sorted(names))}, not of {', '.join(sorted(self.minds))}",
                "let exactly these minds join before restoring, or restore with lenient=True",
            )
        read, numbers = [], {}
        for place, each in enumerate(saved.minds):
            if each.name not in self.minds:
                check.drop(each.name, "the mind", "nobody of that name is here")
                continue
            mind = self.minds[each.name]
            read.append(read_mind(check.at("minds", place), each, mind, saved.contents, check_fact))
            then = mind.number if each.number is None else each.number
            check.require(then not in numbers, ("minds", place, "number"), f"is {then}, as of another mind")
            numbers[then] = mind.number
        for name in sorted(set(self.minds) - set(names)):
            check.drop(name, "the saved mind", "there is none, so it begins anew")
        return ReadSchedule(
            read,
            self._read_plans(check, saved, {each.mind.name: each for each in read}),
            self.rota.read(check.at("rota"), saved.rota, numbers),
            self._read_awake(check, saved, numbers),
            self._read_alarms(check, saved, numbers),
        )

    def _read_awake(self, check: SnapshotCheck, saved: "ScheduleSnapshot", numbers: Mapping[int, int]) -> set[int]:
        awake = {number for number in self._awake if number not in numbers.values()}
        for place, number in enumerate(saved.awake):
            check.require(check.lenient or number in numbers, ("awake", place), f"is {number}, the number of nobody")
            if number in numbers:
                awake.add(numbers[number])
        return awake

    def _read_alarms(
        self, check: SnapshotCheck, saved: "ScheduleSnapshot", numbers: Mapping[int, int]
    ) -> dict[int, float]:
        alarms: dict[int, float] = {}
        for place, (when, number) in enumerate(saved.alarms):
            check.require(
                check.lenient or number in numbers, ("alarms", place, 1), f"is {number}, the number of nobody"
            )
            if number in numbers:
                check.require(numbers[number] not in alarms, ("alarms", place), "is a second alarm of one mind")
                alarms[numbers[number]] = when
        return alarms

    def _read_plans(
        self, check: SnapshotCheck, saved: "ScheduleSnapshot", minds: Mapping[str, ReadMind]
    ) -> list[Callable[[], None]]:
        planners, found = self._planners(), []
        for name, rows in (saved.plans or {}).items():
            with check.part(name, f"{len(rows)} remembered plans"):
                check.known(("plans", name), name, planners, "mind with a planner of its own")
                check.known(("plans", name), name, minds, "mind in the save")
                if not minds[name].is_changed:  # plans of another content may be wrong; they are searched again
                    content = minds[name].content
                    names = None if content is None else content.variables
                    planner = planners[name]
                    states = StateReader(check.at("plans", name), name, planner.domain.layout, names)
                    found.append(read_plans(check.at("plans", name), rows, planner, states))
                elif rows and check.lenient:
                    check.drop(name, f"{len(rows)} remembered plans", "actions, goals or variables have changed")
        return found

    def put(self, check: SnapshotCheck, read: "ReadSchedule") -> None:
        """Put a crowd that was read into place; on any fault the crowd is as it was."""
        with check.sound(), unchanged_on_error(*self.changing_parts()):
            for planner in self._planners().values():
                planner.forget()  # otherwise a restored search would find its answer in the cache
            restore_minds(read.minds)
            for put_plans in read.plans:
                put_plans()
            self.rota._due, self._alarm_of = read.due, read.alarms
            self._now = -math.inf  # the save does not say when it was made; the next frame does
            self._awake = read.awake | {each.mind.number for each in read.minds if each.mind.is_restless}
            self._alarms = sorted((when, number) for number, when in read.alarms.items())
            self._acting = {mind.number: mind for mind in self.minds.values() if mind.execution is not None}
            self._waiting = {mind.number: mind for mind in self.minds.values() if mind.is_waiting}

    def changing_parts(self) -> Iterator[object]:
        """Yield the objects and containers that a restore, or minds that leave, may change."""
        yield from (self, self.minds, self._numbered, self._acting, self._waiting, self._alarm_of, self._awake)
        yield from (self.rota, self.rota._minds, self.scheduler._waiting)
        yield from (planner._remembered for planner in self._planners().values())
        yield from (part for mind in self.minds.values() for part in parts_of_mind(mind))

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
