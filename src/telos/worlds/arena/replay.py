"""Recordings and text log."""

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import UnionType
from typing import Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from telos.agents.trace import Began, Chose, Dropped, Failed, Finished, Forgot, Idle, Noticed, Planned
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.trace import Trace, as_json, record_kind, silent
from telos.core.values import FrozenMap, Value
from telos.squads.squad import Concluded, Grouped, Ordered, Said
from telos.worlds.arena.ai.characters import arena_of
from telos.worlds.arena.scene import Scene, load_scene, scene_names
from telos.worlds.arena.sim.views import ArenaView

# --- records ----------------------------------------------------------------------------------------------------------
# The first and the last record of a fight; those between come from minds, squads and the arena itself.


@dataclass(frozen=True, slots=True)
class Started:
    """The first record of a fight: all that is needed to repeat it."""

    time: float
    world: str
    scene: str
    seed: int
    sides: FrozenMap[str, tuple[str, ...]]  # each side, and who fights on it


@dataclass(frozen=True, slots=True)
class Ended:
    """The last record of a fight. A fight that nobody has won has no winner."""

    time: float
    winner: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Commanded:
    """What bodies were told to do in a step; with the seed, this is all that it takes to play a fight again."""

    time: float
    commands: FrozenMap[str, str]


# --- log --------------------------------------------------------------------------------------------------------------
# The trace of a fight in words: one line for each thing worth telling.


Kind: TypeAlias = Literal["scene", "goal", "order", "speech", "deed", "wound", "death"]

# Deeds of a body that change the fight, in words; shots and footsteps would drown the rest.
_DEEDS = {
    "threw": "throws a grenade",
    "exploded": "’s grenade goes off",
    "opened": "opens {door}",
    "closed": "closes {door}",
    "locked": "locks {door}",
    "unlocked": "unlocks {door}",
    "kicked": "kicks {door}",
    "stuck": "finds that {door} will not open",
    "broke": "dives through {window}",
    "lit": "puts the light on in {room}",
    "dark": "puts the light out in {room}",
    "healed": "is patched up",
    "took": "takes {thing}",
    "empty": "has an empty magazine",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing told: when, by or of whom, what, and which kind of thing it is.

    >>> str(Line(12.9, "Ann → Bob", ": “Status?”", "speech"))
    ' 12.9  Ann → Bob: “Status?”'
    """

    time: float
    who: str
    what: str  # follows ``who``, with what stands between them
    kind: Kind

    def __str__(self) -> str:
        return f"{self.time:5.1f}  {self.who}{self.what}"


class Log:
    """Turns records into lines. It remembers what was told, so as not to say it twice.

    >>> log = Log()
    >>> log.line(Chose(12.3, "Ann", "cover", "kill_enemy", "under fire"))
    >>> log.line(Planned(12.3, "Ann", "cover", ("goto(c3)", "hide"), 4.0, 9))
    ' 12.3  Ann  takes up cover: under fire — goto(c3), hide'
    """

    def __init__(self) -> None:
        self.why: dict[str, str] = {}  # the reason for the goal in force, of everybody
        self._told: dict[str, object] = {}  # what was last said of everybody's plans, and of every side's squads
        self._dropped: dict[str, str] = {}  # why everybody's last plan was given up, if that was not told yet
        self._failed: dict[str, float] = {}  # when it was last told that something went wrong

    def line(self, record: object) -> str | None:
        """Return the line for ``record``, or None if it brings nothing new."""
        line = self.tell(record)
        return None if line is None else str(line)

    def tell(self, record: object) -> Line | None:
        """Return what ``record`` brings, in parts, or None if it is nothing new."""
        match record:
            case Started() | Ended():
                return _framed(record)
            case Said():
                to = f" → {record.to}" if record.to else ""
                return Line(record.time, record.who, f"{to}: “{record.text}”", "speech")
            case Event():
                return _event(record)
            case Grouped() | Ordered() | Concluded():
                return self._squads(record)
            case Chose() | Planned() | Dropped() | Failed() | Idle():
                return self._mind(record)
        return None

    def _mind(self, record: Chose | Planned | Dropped | Failed | Idle) -> Line | None:
        who = record.who
        match record:
            case Chose():
                self.why[who] = record.why
            case Planned():
                return self._planned(record)
            case Dropped():
                if self._failed.get(who) != record.time:
                    self._dropped[who] = record.why
            case Failed():
                self._failed[who] = record.time
                return Line(record.time, who, f"  fails to {record.step}: {record.reason}", "goal")
            case Idle():
                self.why.pop(who, None)
                if self._is_news(who, None):
                    return Line(record.time, who, "  has nothing to do", "goal")
        return None

    def _planned(self, record: Planned) -> Line | None:
        who, before = record.who, self._told.get(record.who)
        dropped = self._dropped.pop(who, None)
        if not self._is_news(who, (record.goal, record.steps)):
            return None
        if isinstance(before, tuple) and before[0] == record.goal:
            said, why = "plans anew for", dropped
        else:
            said, why = "takes up", self.why.get(who)
        steps = f" — {', '.join(record.steps)}" if record.steps else ""
        return Line(record.time, who, f"  {said} {record.goal}{f': {why}' if why else ''}{steps}", "goal")

    def _squads(self, record: Grouped | Ordered | Concluded) -> Line | None:
        match record:
            case Grouped():
                if not record.squads or not self._is_news(record.side, frozenset(record.squads.values())):
                    return None
                squads = "; ".join(", ".join(members) for members in record.squads.values())
                return Line(record.time, record.side, f"  groups as {squads}", "order")
            case Ordered():
                orders = ", ".join(f"{who} {words}" for who, words in record.orders.items())
                return Line(record.time, record.squad, f"  {record.behaviour}: {record.why} — {orders}", "order")
            case Concluded():
                end = "is done" if record.fulfilled else "fails"
                return Line(record.time, record.squad, f"  {record.behaviour} {end}: {record.why}", "order")

    def _is_news(self, who: str, said: object) -> bool:
        news = who not in self._told or self._told[who] != said
        self._told[who] = said
        return news


def _framed(record: Started | Ended) -> Line:
    if isinstance(record, Started):
        sides = " against ".join(f"{side} ({', '.join(names)})" for side, names in record.sides.items())
        return Line(record.time, record.scene, f", seed {record.seed}: {sides}", "scene")
    return Line(record.time, record.winner or "nobody", f"  wins: {record.why}", "scene")


def _event(event: Event) -> Line | None:
    """Return what a body did or suffered, if it is worth telling."""
    about: Mapping[str, Value] = event.context
    target = about.get("target")
    if event.action == "dead":
        victim = target or event.player  # who did it is ``by``, or else the player who had a target
        killer = about.get("by", event.player)
        by = f", killed by {killer}" if killer != victim else ""
        return Line(event.time, str(victim), f"  is dead{by}", "death")
    if event.action == "hit":
        return Line(event.time, event.player, f"  hits {target} for {about.get('damage', 0):g}", "wound")
    if event.action not in _DEEDS:
        return None
    words = _DEEDS[event.action].format_map(_Told(about))
    return Line(event.time, event.player, words if words.startswith("’") else f"  {words}", "deed")


class _Told(dict[str, object]):
    """What an event tells; what it does not tell is "something"."""

    def __missing__(self, key: str) -> str:
        return "something"


# --- replay -----------------------------------------------------------------------------------------------------------
# Playing a recorded fight again, without any mind: the commands are those of the recording, and so is the outcome.


T = TypeVar("T")

LONGEST = 86_400  # seconds; no fight lasts a day

_REMEDY = "record one with `telos watch arena --json`"
_PLAYED = ("commanded", "event", "ended")  # the records that a replay goes by

_MINDS = (Began, Chose, Dropped, Failed, Finished, Forgot, Idle, Noticed, Planned)
_KINDS: Mapping[str, Any] = {
    record_kind(kind): kind for kind in (Started, Commanded, Ended, Event, *_MINDS, Concluded, Grouped, Ordered, Said)
}


def replay(
    lines: Iterable[str], *, scene: Scene | None = None, name: str = "recording", trace: Trace = silent
) -> Iterator[ArenaView]:
    """Yield what can be seen after each step of a fight that was recorded with ``telos watch arena --json``.

    Whatever happens otherwise than recorded raises a ``TelosError`` that names the line. ``scene`` is needed only if
    it is none of the package; ``name`` is what errors call the recording, and ``trace`` hears all of it again.
    """
    yield from Replay(lines, scene=scene, name=name, trace=trace).steps()


class Replay:
    """A recording, read line by line and always one line ahead, and the arena that it is played in."""

    def __init__(
        self, lines: Iterable[str], *, scene: Scene | None = None, name: str = "recording", trace: Trace = silent
    ) -> None:
        self._lines, self._name, self._trace = iter(lines), name, trace
        self._number = 0  # of the line that was read last
        self._next = self._read()
        start = self._next
        if start is None:
            raise TelosError(f"{name}:1: nothing is recorded here", _REMEDY)
        if start["kind"] != "started" or start["world"] != "arena":
            raise self._fault(f"this is not how a fight begins; {_REMEDY}")
        self.scene = self._answered(lambda: _scene(start, scene))
        self.seed = start["seed"]
        self.arena = self._answered(lambda: arena_of(self.scene, seed=self.seed))
        self._take()

    def steps(self) -> Iterator[ArenaView]:
        """Yield what can be seen after each step."""
        while self._goes_on():
            self._play()
            yield self.arena.view()

    def _goes_on(self) -> bool:
        """Whether there is a next step; all that was thought and said before it is passed on."""
        now = self.arena.time
        self._pass(now)
        if self._next is None:
            return False
        kind, time = self._next["kind"], self._next["time"]
        if kind == "event" and time <= now:
            raise self._fault(f"recorded was {_told(self._next)}, but here that did not happen")
        if time < now:
            raise self._fault(f"this is at {time:g} s, but {now:g} s have gone by")
        if kind != "ended" or time > now:
            return True
        if self._next["winner"] != self.arena.winner:
            raise self._fault(f"recorded was that {_won(self._next['winner'])}, but here {_won(self.arena.winner)}")
        if self._take() is not None:
            raise self._fault("this comes after the end")
        return False

    def _play(self) -> None:
        """Let a step pass with the commands that were recorded, and check that the same happens."""
        record, arena = self._next, self.arena
        if record is not None and record["kind"] == "commanded" and record["time"] == arena.time:
            self._answered(lambda: arena.step(record["commands"]))
            self._take()
        else:
            arena.step({})
        for event in arena.events:
            self._pass(event.time)
            happens = json.loads(as_json(event))
            if self._next is None:
                return  # the recording was broken off here
            if self._next != happens:
                raise self._fault(f"recorded was {_told(self._next)}, but here it is {_told(happens)}")
            self._take()

    def _pass(self, now: float) -> None:
        """Hand on what was thought and said until ``now``: it is not played, only told again."""
        while self._next is not None and self._next["kind"] not in _PLAYED and self._next["time"] <= now:
            self._take()

    def _fault(self, what: str) -> TelosError:
        """Return the error that something is wrong at the present line."""
        return TelosError(f"{self._name}:{self._number}: {what}")

    def _answered(self, answer: Callable[[], T]) -> T:
        """Ask for something; if it is refused, say which line asked."""
        try:
            return answer()
        except TelosError as error:
            raise self._fault(str(error)) from None

    def _take(self) -> dict[str, Any] | None:
        """Hand the next record on, and return the one after it."""
        if self._next is not None:
            self._trace(_record(self._next))
        self._next = self._read()
        return self._next

    def _read(self) -> dict[str, Any] | None:
        for line in self._lines:
            self._number += 1
            if line.strip():
                return self._checked(line)
        return None

    def _checked(self, line: str) -> dict[str, Any]:
        """Return a line as data, if it is a record of a fight."""
        try:
            record = json.loads(line)
        except ValueError:
            raise self._fault("this is no JSON; is the line cut off?") from None
        if not isinstance(record, dict) or record.get("kind") not in _KINDS:
            raise self._fault(f"this is no record of a fight; {_REMEDY}")
        fields = {field.name: field.type for field in dataclasses.fields(_KINDS[record["kind"]])}
        strange = list((fields.keys() ^ record.keys()) - {"kind"})
        strange += [each for each, kind in fields.items() if each in record and not _fits(record[each], kind)]
        if strange:
            raise self._fault(f"{sorted(strange)[0]!r} is not what a fight records as {record['kind']!r}; {_REMEDY}")
        time = record["time"]
        if not 0 <= time <= LONGEST:  # a NaN fails too
            raise self._fault(f"a fight has no moment at {time:g} s; {_REMEDY}")
        return record


def _scene(start: Mapping[str, Any], given: Scene | None) -> Scene:
    """Return the scene that was recorded."""
    name = start["scene"]
    if given is None and name not in scene_names():
        raise TelosError(f"the scene {name!r} is none of the package", "name its file with --scene")
    scene = load_scene(name) if given is None else given
    sides = {side: [each.name for each in scene.cast if each.side == side] for side in scene.sides}
    if scene.name != name or sides != start["sides"]:
        raise TelosError(f"{name!r} was recorded with another cast than {scene.name!r} has", "record it again")
    return scene


def _record(data: Mapping[str, Any]) -> object:
    """Return the record that was written as ``data``."""
    fields = {key: _frozen(value) for key, value in data.items() if key != "kind"}
    return _KINDS[data["kind"]](**fields)


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return FrozenMap({key: _frozen(each) for key, each in value.items()})
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value that came from JSON may stand in a field of a record."""
    if isinstance(kind, UnionType):
        return any(_fits(value, each) for each in get_args(kind))
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, {FrozenMap: dict, tuple: list}.get(get_origin(kind), kind))


def _won(side: str | None) -> str:
    return f"{side or 'nobody'} wins"


def _told(record: Mapping[str, Any]) -> str:
    """Say in a few words what a record is about."""
    if record["kind"] != "event":
        return f"{record['kind']} at {record['time']:g} s"
    about = ", ".join(f"{key} {value}" for key, value in record["context"].items() if key != "loud")
    return f"{record['player']} {record['action']} at {record['time']:g} s ({about})"


# --- replay intentions ------------------------------------------------------------------------------------------------
# What everybody was after, as the records of a fight tell it: a replay has no minds to look into.


@dataclass(frozen=True, slots=True)
class Intention:
    """A goal, the steps of the plan for it, and which of them is under way."""

    goal: str
    steps: tuple[str, ...]
    index: int = 0


class Intentions:
    """Follows a trace, and knows of everybody what the last plan was.

    >>> told = Intentions()
    >>> told.note(Planned(0.0, "Ann", "patrol", ("goto(p1)", "look-round"), 3.0, 4))
    >>> told.note(Finished(2.0, "Ann", "goto(p1)"))
    >>> told.minds["Ann"].steps[told.minds["Ann"].index]
    'look-round'
    """

    def __init__(self) -> None:
        self.minds: dict[str, Intention] = {}

    def note(self, record: object) -> None:
        """Take in one record."""
        match record:
            case Planned():
                self.minds[record.who] = Intention(record.goal, record.steps)
            case Finished() if record.who in self.minds:
                before = self.minds[record.who]
                self.minds[record.who] = replace(before, index=before.index + 1)
            case Idle() | Dropped():
                self.minds.pop(record.who, None)
            case Event(action="dead"):
                self.minds.pop(str(record.context["target"]), None)
            case _:
                pass
