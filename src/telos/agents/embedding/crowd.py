"""``Crowd``: the characters of a game, each a body of yours with a mind; one call a frame."""

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, Protocol

from pydantic import Field

from telos.agents.body import DONE, Progress, Status
from telos.agents.character import Character, characters_in
from telos.agents.embedding.actuator import BodyActuator, StepByBody, find_method
from telos.agents.embedding.body import Body
from telos.agents.embedding.faults import body_faults, handle_faults, sensing_faults
from telos.agents.embedding.member import Member
from telos.agents.embedding.senses import BodySensor, Senses, sensors_of
from telos.agents.memory import Fact
from telos.agents.mind import Mind
from telos.agents.mind_schedule import MindSchedule, ScheduleSnapshot
from telos.agents.sensors import SensorSchedule
from telos.core.domain import Domain
from telos.core.errors import DefinitionError, TelosError, name_hint
from telos.core.trace import Trace, silent
from telos.core.values import MAX_FLOAT, FrozenMap
from telos.files import SavedValue, SnapshotModel, SnapshotPart, read_snapshot, unchanged_on_error
from telos.files.restoring import Omission, SnapshotCheck
from telos.files.snapshots import SavedTree
from telos.planning.planner import get_planner
from telos.planning.scheduler import Scheduler

FAILURE_FADES = 20.0  # seconds in which a failure is forgotten, unless the character says otherwise

_BY_BODY = StepByBody()


class StepSnapshot(SnapshotPart):
    status: Literal["running", "done", "failed"]
    reason: str
    thing: SavedValue
    step: dict[str, SavedTree] | None


class BodySnapshot(SnapshotPart):
    """A body of a crowd: how its step stands, and what the body saves of itself."""

    doing: StepSnapshot
    own: dict[str, SavedTree]


class CrowdSnapshot(SnapshotModel):
    """What a crowd saves."""

    FORMAT: ClassVar[int] = 1

    schedule: ScheduleSnapshot
    bodies: dict[str, BodySnapshot] = Field(default_factory=dict)


class CrowdObserver(Protocol):
    """Looks on at the frames of a crowd, and may hold them: the studio, when it is attached to a game."""

    def begin_frame(self, now: float) -> bool:
        """Return whether the frame may run; otherwise ``tick`` does nothing."""

    def end_frame(self, now: float) -> None:
        """Look at the minds after a frame; this changes nothing."""


class Crowd:
    """The characters of a game: bodies of your own (``Body``) with minds that plan with one domain.

    ``characters`` is a folder of character files, or characters by name. Without it, a character has the actions and
    goals of the sets of its name. With ``handles``, the names of your own things by kind, those of the domain are
    checked. With ``strict``, exceptions of your code are raised by ``tick``; otherwise they are logged once per place,
    kept, and told by ``why``, and the game goes on.

    >>> class Baker(Body):
    ...     bread = 0
    ...     def sense(self, now):
    ...         return {"bread": self.bread}
    ...     def bake(self):
    ...         yield from wait(2)
    ...         self.bread += 1
    >>> from telos.agents.embedding.body import wait
    >>> from telos.files import loads
    >>> shop = loads('''
    ... domain: shop
    ... variables: {bread: int}
    ... actions: {bake: {effects: bread += 1}}
    ... goals: {stock: {wants: bread >= 2}}''')
    >>> crowd = Crowd(shop)
    >>> ann = crowd.add("Ann", Baker())
    >>> for second in range(7):
    ...     _ = crowd.tick(second)
    >>> ann.body.bread
    2
    >>> print(ann.why())
    Ann has nothing to do.
    Not stock: it holds already.
    """

    def __init__(
        self,
        domain: Domain,
        *,
        characters: str | os.PathLike[str] | Mapping[str, Character] | None = None,
        handles: Mapping[str, Collection[Any]] | None = None,
        strict: bool = True,
        expansions: int = 20_000,
        trace: Trace = silent,
    ) -> None:
        if not isinstance(domain, Domain):
            raise TelosError(f"{domain!r} is not a domain", "give what telos.load() returned")
        if faults := list(handle_faults(domain, handles or {})):
            raise DefinitionError(faults)
        self.domain, self.strict, self._trace = domain, strict, trace
        if isinstance(characters, str | os.PathLike):
            characters = characters_in(characters, domain)
        self._characters = dict(characters or {})
        self._members: dict[str, Member] = {}
        self._senses: dict[str, Senses] = {}
        self._count = 0  # members that were ever added
        self.observer: CrowdObserver | None = None
        scheduler = Scheduler(get_planner(domain, domain.all_actions))
        self.schedule = MindSchedule(SensorSchedule({}), scheduler, expansions=expansions)

    # --- members ------------------------------------------------------------------------------------------------------

    def add(self, name: str, body: Body, *, character: str | Character | None = None) -> Member:
        """Give a body a mind; it thinks from the next frame on.

        ``character`` is a character or the name of one; without it, everything in the domain. Whatever is missing
        (methods, functions, variables, sensors) is one ``DefinitionError``. The body senses once for that.
        """
        self._check_new(name, body)
        kind = self._character(character)
        senses = Senses(name, body, self.domain, sensors_of(body))
        faults = list(body_faults(body, kind, self.domain))
        member = None if faults else self._make(name, body, kind, senses)
        body._member = member  # it may ask for its mind when it senses
        raised: list[Exception] = []
        faults += sensing_faults(body, kind, self.domain, senses, max(self.schedule.now, 0.0), raised)
        if faults or member is None:
            body._member = None
            raise DefinitionError(fault.at(name) for fault in faults) from (raised[0] if raised else None)
        self._members[name], self._senses[name] = member, senses
        # A sensor that has never been read is due, whatever the time of the first frame.
        self.schedule.join(member.mind, max(self.schedule.now, -MAX_FLOAT))
        return member

    def _check_new(self, name: str, body: Body) -> None:
        if not isinstance(name, str) or not name:
            raise TelosError(f"{name!r} is not a name", "name each character of a crowd with a text of its own")
        if name in self._members:
            raise TelosError(f"there is a {name!r} in the crowd already", "give each character a name of its own")
        if isinstance(body, type) and issubclass(body, Body):
            raise TelosError(
                f"{body.__name__} is a class", f"make a body of it: crowd.add({name!r}, {body.__name__}())"
            )
        if not isinstance(body, Body):
            raise TelosError(f"{body!r} is not a body", "derive its class from telos.Body")
        if body._member is not None:
            raise TelosError(
                f"{name!r} cannot have the body of {body._member.name!r}", "make a body for each character"
            )

    def _character(self, character: str | Character | None) -> Character:
        domain = self.domain
        if isinstance(character, Character):
            return character
        if character is None:
            return Character(domain.name, domain.goals, domain.all_actions)
        if character in self._characters:
            return self._characters[character]
        if character not in domain.action_sets and character not in domain.goal_sets:
            known = [*self._characters, *domain.action_sets, *domain.goal_sets]
            remedy = name_hint(character, known) or "write a set of actions or goals of that name, or leave it out"
            raise TelosError(f"unknown character {character!r}", remedy)
        actions = domain.actions_of(character) if character in domain.action_sets else domain.all_actions
        goals = domain.goals_of(character) if character in domain.goal_sets else domain.goals
        return Character(character, goals, actions)

    def _make(self, name: str, body: Body, kind: Character, senses: Senses) -> Member:
        timings = sensors_of(body)
        periods = {sensor: kind.sensors.get(sensor, timing.every) for sensor, timing in timings.items()}
        fades = {sensor: timing.fades for sensor, timing in timings.items() if timing.fades is not None}
        memory = FrozenMap({"failure": FAILURE_FADES, **fades, **kind.memory})
        kind = replace(kind, sensors=FrozenMap(periods), memory=memory)
        sensors = {sensor: self._sensor(sensor) for sensor in timings}
        methods = {action.name: method for action in kind.actions if (method := find_method(body, action)) is not None}
        actuator = BodyActuator(body, methods, lambda: self.schedule.now)
        self._count += 1
        mind = Mind(
            name,
            kind,
            self.domain,
            body=actuator,
            believe=senses.believe,
            procedures=dict.fromkeys(methods, _BY_BODY),
            attention=body.attention,
            reflexes={sensor: sensors[sensor] for sensor, every in periods.items() if every > 0},
            scheduler=self.schedule.scheduler,
            number=self._count,
            patience=body.patience,
            trace=self._trace,
            strict=self.strict,
            avoid_failures=True,
        )
        in_each_frame = FrozenMap({sensor: sensors[sensor] for sensor, every in periods.items() if every == 0})
        return Member(name, body, kind, mind, actuator, senses, in_each_frame, self.schedule)

    def _sensor(self, name: str) -> BodySensor:
        rota = self.schedule.rota
        if name not in rota.sensors:
            rota.sensors[name] = BodySensor(name, self._senses)
        sensor = rota.sensors[name]
        assert isinstance(sensor, BodySensor)
        return sensor

    def remove(self, name: str) -> None:
        """Take a character out of the crowd; its body stops what it does."""
        member = self[name]
        self.schedule.leave(member.mind)
        del self._members[name], self._senses[name]
        member.actuator.stop()
        member.body._member = None
        member.report()

    def __getitem__(self, name: str) -> Member:
        if name not in self._members:
            raise TelosError(f"there is no {name!r} in the crowd", name_hint(name, self._members))
        return self._members[name]

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the members, in the order in which they were added."""
        return iter(tuple(self._members))

    def __len__(self) -> int:
        return len(self._members)

    # --- frames -------------------------------------------------------------------------------------------------------

    def tick(self, now: float, microseconds: float | None = None) -> int:
        """Run one frame at the time ``now``, in seconds, and return how many minds thought.

        Bodies go on with their steps, sensors are read, minds think and plan, and new steps begin. Planning takes at
        most ``microseconds``; without them it is counted, and the same calls always give the same run. While an
        observer holds the crowd, a frame does nothing.
        """
        observer = self.observer
        if observer is not None and not observer.begin_frame(now):
            return 0
        self.schedule.begin_frame(now)
        for member in self._present():
            member.act()
        for member in self._present():
            if member.sense():
                self.schedule.wake(member.name)
        thought = self.schedule.tick(now, microseconds=microseconds)
        for member in self._present():
            member.settle()
            member.report()
        if observer is not None:
            observer.end_frame(now)
        return thought

    def _present(self) -> Iterator[Member]:
        """Yield the members, without those that one of them removes meanwhile."""
        for member in tuple(self._members.values()):
            if self._members.get(member.name) is member:
                yield member

    def stimulate(self, name: str, fact: Fact) -> None:
        """Tell a character something at once, outside of its sensors."""
        self[name].senses.check(fact)
        self.schedule.stimulate(name, fact)

    # --- saving -------------------------------------------------------------------------------------------------------

    def save(self, *, plans: bool = True) -> dict[str, Any]:
        """Return the minds, and what their bodies save, between two frames as plain data.

        Steps that are objects with ``begin`` and ``progress`` go on exactly; generators begin their step again. Without
        ``plans``, which are often most of a save, the planner's answers are searched again.
        """
        bodies = {
            name: {"doing": member.actuator.save(), "own": dict(member.body.save())}
            for name, member in self._members.items()
        }
        return {"format": CrowdSnapshot.FORMAT, "schedule": self.schedule.save(plans=plans), "bodies": bodies}

    def restore(self, saved: Mapping[str, Any], *, lenient: bool = False) -> tuple[Omission, ...]:
        """Restore a saved crowd; characters of the same names must have been added.

        Faulty data raises a ``TelosError`` that names its place, and the crowd is as it was. With ``lenient``, a crowd
        that was saved before the content changed keeps what still applies; what is left out is returned.
        """
        check = SnapshotCheck("crowd", lenient=lenient)
        read = read_snapshot(CrowdSnapshot, saved, of="crowd")
        bodies = self._read_bodies(check, read)
        members = list(self._members.values())
        parts = [
            *self.schedule.changing_parts(),
            *(each.actuator for each in members),
            *(each.body for each in members),
        ]
        with check.sound(), unchanged_on_error(*parts):
            for name, each in bodies.items():
                with check.part(name, "the body"):
                    self._members[name].body.restore(each.own)
            schedule = self.schedule.read(check.at("schedule"), read.schedule)
            self.schedule.put(check.at("schedule"), schedule)
            for member in members:
                self._restore_step(check, member, bodies.get(member.name))
        return tuple(check.omissions)

    def _read_bodies(self, check: SnapshotCheck, read: CrowdSnapshot) -> dict[str, BodySnapshot]:
        minds = {each.name for each in read.schedule.minds}
        bodies = {}
        for name, each in read.bodies.items():
            with check.part(name, "the body"):
                check.require(name in minds, ("bodies", name), "is a body without a mind in the save")
                check.require(name in self._members, ("bodies", name), "is of a character who is not in the crowd")
                bodies[name] = each
        for name in sorted(minds - read.bodies.keys()):
            with check.part(name, "the body"):
                raise check.fault(("bodies", name), "is missing")
        return bodies

    def _restore_step(self, check: SnapshotCheck, member: Member, saved: BodySnapshot | None) -> None:
        """Let a body go on with the step that its restored mind is at."""
        execution, actuator = member.mind.execution, member.actuator
        if execution is None or not execution.begun:
            actuator.restore(None, DONE, None)
            return
        doing = None if saved is None else saved.doing
        made = None  # attributes of the step's object; without them the step begins again
        with check.part(member.name, "the step in progress"):
            held, step = actuator.can_hold(execution.entered), None if doing is None else doing.step
            if doing is not None and doing.status == "running" and (step is not None) != held:
                message = "is an object's, and the action is a method now" if step else "is missing"
                raise check.fault(("bodies", member.name, "doing", "step"), message)
            unfit = actuator.unfit_attribute(execution.entered, step or {})
            check.require(unfit is None, ("bodies", member.name, "doing", "step", unfit or ""), "is not an attribute")
            made = step if held else None
        progress = Progress(Status.RUNNING)
        if doing is not None:
            progress = Progress(Status(doing.status), doing.reason, doing.thing)
        actuator.restore(execution.entered, progress, made)
