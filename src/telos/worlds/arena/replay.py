"""Recordings of fights: trace records, the text log, replays, and the intentions that a recording tells.

Start with `Replay`, which plays a recording again without minds, and `FightLog`, which turns records into text.
"""

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import UnionType
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar, get_args, get_origin

from telos.agents.memory import Fact
from telos.agents.trace import Began, Chose, Dropped, Finished, Forgot, Idle, Noticed, Planned, StepFailed
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.trace import Trace, as_json, record_kind, silent
from telos.core.values import FrozenMap, Value
from telos.files.reading import parse_json
from telos.squads.squad import BehaviourEnded, LineSpoken, OrdersGiven, SquadsFormed
from telos.worlds.arena.ai.characters import make_arena
from telos.worlds.arena.ai.whereabouts import explain_whereabouts
from telos.worlds.arena.scene import Scene, load_scene, scene_names
from telos.worlds.arena.sim.views import ArenaView

T = TypeVar("T")
LogLineKind: TypeAlias = Literal["scene", "goal", "order", "speech", "deed", "wound", "death"]

MAX_LINE = 1_000_000  # characters of a record
MAX_SECONDS = 86_400  # a day; longer recordings are invalid
_REMEDY = "record one with `telos watch arena --json`"
_REPLAYED_KINDS = ("commanded", "event", "ended")  # records that a replay plays
# Texts of events that matter; shots and footsteps are left out.
_EVENT_TEXTS = {
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
    "drew": "draws the {weapon}",
    "slumped": "slumps over {thing}",
    "empty": "has an empty magazine",
}

# --- trace records ---


@dataclass(frozen=True, slots=True)
class FightStarted:
    """The first record of a fight: all that is needed to repeat it."""

    KIND: ClassVar[str] = "started"
    time: float
    world: str
    scene: str
    seed: int
    sides: FrozenMap[str, tuple[str, ...]]  # the fighters of each side


@dataclass(frozen=True, slots=True)
class FightEnded:
    """The last record of a fight; a draw has no winner."""

    KIND: ClassVar[str] = "ended"
    time: float
    winner: str | None
    why: str


@dataclass(frozen=True, slots=True)
class CommandsGiven:
    """The commands of a step; together with the seed, they determine the whole fight."""

    KIND: ClassVar[str] = "commanded"
    time: float
    commands: FrozenMap[str, str]


_MIND_RECORDS = (Began, Chose, Dropped, StepFailed, Finished, Forgot, Idle, Noticed, Planned)
_RECORD_CLASSES: Mapping[str, Any] = {
    record_kind(kind): kind
    for kind in (
        FightStarted,
        CommandsGiven,
        FightEnded,
        Event,
        *_MIND_RECORDS,
        BehaviourEnded,
        SquadsFormed,
        OrdersGiven,
        LineSpoken,
    )
}


# --- text log ---


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the text log: time, subject, text and kind.

    >>> str(LogLine(12.9, "Ann → Bob", ": “Status?”", "speech"))
    ' 12.9  Ann → Bob: “Status?”'
    """

    time: float
    who: str
    what: str  # follows ``who``, with punctuation
    kind: LogLineKind

    def __str__(self) -> str:
        return f"{self.time:5.1f}  {self.who}{self.what}"


class FightLog:
    """Turns trace records into lines. It remembers what was written, to avoid repetitions.

    >>> log = FightLog()
    >>> log.line(Chose(12.3, "Ann", "cover", "kill_enemy", "under fire"))
    >>> log.line(Planned(12.3, "Ann", "cover", ("goto(c3)", "hide"), 4.0, 9))
    ' 12.3  Ann  takes up cover: under fire — goto(c3), hide'
    """

    def __init__(self) -> None:
        self.why: dict[str, str] = {}  # the reason for the current goal, by fighter
        self._last: dict[str, object] = {}  # the last plan of each fighter and squads of each side
        self._dropped: dict[str, str] = {}  # why the last plan was dropped, if not written yet
        self._failed: dict[str, float] = {}  # time of the last failure, by fighter

    def line(self, record: object) -> str | None:
        """Return the line for ``record`` as text, or None if it brings nothing new."""
        line = self.describe(record)
        return None if line is None else str(line)

    def describe(self, record: object) -> LogLine | None:
        """Return the line for ``record`` in parts, or None if it brings nothing new."""
        match record:
            case FightStarted() | FightEnded():
                return _describe_start_or_end(record)
            case LineSpoken():
                to = f" → {record.to}" if record.to else ""
                return LogLine(record.time, record.who, f"{to}: “{record.text}”", "speech")
            case Event():
                return _describe_event(record)
            case SquadsFormed() | OrdersGiven() | BehaviourEnded():
                return self._squads(record)
            case Chose() | Planned() | Dropped() | StepFailed() | Idle():
                return self._mind(record)
            case Noticed(fact="whereabouts"):
                return self._inferred(record)
        return None

    def _inferred(self, record: Noticed) -> LogLine | None:
        """Return the line for a belief about a hidden enemy, when it points to another node or room."""
        about, subject = record.attributes, f"{record.who} {record.subject}"
        if (
            record.confidence <= 0
            or about["node"] is None
            or not self._is_new(subject, (about["node"], str(about["rooms"]).split()[0]))
        ):
            return None
        fact = Fact(record.fact, record.subject, record.time, attributes=about)
        return LogLine(record.time, record.who, f"  infers that {explain_whereabouts(fact, record.time)}", "deed")

    def _mind(self, record: Chose | Planned | Dropped | StepFailed | Idle) -> LogLine | None:
        who = record.who
        match record:
            case Chose():
                self.why[who] = record.why
            case Planned():
                return self._planned(record)
            case Dropped():
                if self._failed.get(who) != record.time:
                    self._dropped[who] = record.why
            case StepFailed():
                self._failed[who] = record.time
                return LogLine(record.time, who, f"  fails to {record.step}: {record.reason}", "goal")
            case Idle():
                self.why.pop(who, None)
                if self._is_new(who, None):
                    return LogLine(record.time, who, "  has nothing to do", "goal")
        return None

    def _planned(self, record: Planned) -> LogLine | None:
        who, before = record.who, self._last.get(record.who)
        dropped = self._dropped.pop(who, None)
        if not self._is_new(who, (record.goal, record.steps)):
            return None
        if isinstance(before, tuple) and before[0] == record.goal:
            said, why = "plans anew for", dropped
        else:
            said, why = "takes up", self.why.get(who)
        steps = f" — {', '.join(record.steps)}" if record.steps else ""
        return LogLine(record.time, who, f"  {said} {record.goal}{f': {why}' if why else ''}{steps}", "goal")

    def _squads(self, record: SquadsFormed | OrdersGiven | BehaviourEnded) -> LogLine | None:
        match record:
            case SquadsFormed():
                if not record.squads or not self._is_new(record.side, frozenset(record.squads.values())):
                    return None
                squads = "; ".join(", ".join(members) for members in record.squads.values())
                return LogLine(record.time, record.side, f"  groups as {squads}", "order")
            case OrdersGiven():
                orders = ", ".join(f"{who} {words}" for who, words in record.orders.items())
                return LogLine(record.time, record.squad, f"  {record.behaviour}: {record.why} — {orders}", "order")
            case BehaviourEnded():
                end = "is done" if record.fulfilled else "fails"
                return LogLine(record.time, record.squad, f"  {record.behaviour} {end}: {record.why}", "order")

    def _is_new(self, who: str, said: object) -> bool:
        new = who not in self._last or self._last[who] != said
        self._last[who] = said
        return new


def _describe_start_or_end(record: FightStarted | FightEnded) -> LogLine:
    if isinstance(record, FightStarted):
        sides = " against ".join(f"{side} ({', '.join(names)})" for side, names in record.sides.items())
        return LogLine(record.time, record.scene, f", seed {record.seed}: {sides}", "scene")
    return LogLine(record.time, record.winner or "nobody", f"  wins: {record.why}", "scene")


def _describe_event(event: Event) -> LogLine | None:
    """Return the line for an event, or None if it does not matter."""
    about: Mapping[str, Value] = event.context
    target = about.get("target")
    if event.action == "dead":
        victim = target or event.player  # the killer is ``by``, or else the player who had a target
        killer = about.get("by", event.player)
        by = f", killed by {killer}" if killer != victim else ""
        return LogLine(event.time, str(victim), f"  is dead{by}", "death")
    if event.action == "hit":
        return LogLine(event.time, event.player, f"  hits {target} for {about.get('damage', 0):g}", "wound")
    if event.action not in _EVENT_TEXTS:
        return None
    words = _EVENT_TEXTS[event.action].format_map(_EventValues(about))
    return LogLine(event.time, event.player, words if words.startswith("’") else f"  {words}", "deed")


class _EventValues(dict[str, object]):
    """Context of an event; missing values read as "something"."""

    def __missing__(self, key: str) -> str:
        return "something"


# --- replays ---


def replay_fight(
    lines: Iterable[str], *, scene: Scene | None = None, name: str = "recording", trace: Trace = silent
) -> Iterator[ArenaView]:
    """Yield a view after each step of a fight that was recorded with ``telos watch arena --json``.

    A difference from the recording raises a ``TelosError`` that names the line. ``scene`` is needed only if it is not
    in the package; ``name`` is the recording's name in errors, and ``trace`` receives all records again.
    """
    yield from Replay(lines, scene=scene, name=name, trace=trace).steps()


class Replay:
    """A recording, read one line ahead, and the arena in which it is played."""

    def __init__(
        self, lines: Iterable[str], *, scene: Scene | None = None, name: str = "recording", trace: Trace = silent
    ) -> None:
        self._lines, self._name, self._trace = iter(lines), name, trace
        self._number = 0  # of the current line
        self.is_complete = False  # whether the record of the end was played; a recording without one was cut short
        self._next = self._read()
        start = self._next
        if start is None:
            raise TelosError(f"{name}:1: the recording is empty", _REMEDY)
        if start["kind"] != "started" or start["world"] != "arena":
            raise self._fault(f"this is not the start of a recorded fight; {_REMEDY}")
        self.scene = self._with_line(lambda: _find_scene(start, scene))
        self.seed = start["seed"]
        self.arena = self._with_line(lambda: make_arena(self.scene, seed=self.seed))
        self._take()

    def steps(self) -> Iterator[ArenaView]:
        """Yield a view after each step."""
        while self._has_next_step():
            self._play()
            yield self.arena.view()

    def _has_next_step(self) -> bool:
        """Whether there is a next step; records before it are passed on to the trace."""
        now = self.arena.time
        self._pass_on(now)
        if self._next is None:
            return False
        kind, time = self._next["kind"], self._next["time"]
        if kind == "event" and time <= now:
            raise self._fault(f"recorded was {_summarize(self._next)}, but that did not happen")
        if time < now:
            raise self._fault(f"the time {time:g} s is before {now:g} s, the time of the fight")
        if kind != "ended" or time > now:
            return True
        if self._next["winner"] != self.arena.winner:
            recorded, actual = _format_winner(self._next["winner"]), _format_winner(self.arena.winner)
            raise self._fault(f"recorded was that {recorded}, but here {actual}")
        self.is_complete = True
        if self._take() is not None:
            raise self._fault("this record is after the end")
        return False

    def _play(self) -> None:
        """Play a step with the recorded commands, and check that the same events happen."""
        record, arena = self._next, self.arena
        if record is not None and record["kind"] == "commanded" and record["time"] == arena.time:
            self._with_line(lambda: arena.step(record["commands"]))
            self._take()
        else:
            arena.step({})
        for event in arena.events:
            self._pass_on(event.time)
            happens = json.loads(as_json(event))
            if self._next is None:
                return  # the recording ends here
            if self._next != happens:
                raise self._fault(f"recorded was {_summarize(self._next)}, but here it is {_summarize(happens)}")
            self._take()

    def _pass_on(self, now: float) -> None:
        """Pass on records of minds and squads until ``now``; they are not played."""
        while self._next is not None and self._next["kind"] not in _REPLAYED_KINDS and self._next["time"] <= now:
            self._take()

    def check_complete(self) -> None:
        """Raise a ``TelosError`` if all was played and there was no record of the end."""
        if not self.is_complete:
            raise self._fault("the recording is cut short: its last record is not the end of the fight")

    def _fault(self, what: str) -> TelosError:
        """Return an error that names the current line."""
        return TelosError(f"{self._name}:{self._number}: {what}")

    def _with_line(self, answer: Callable[[], T]) -> T:
        """Call a function; if it fails, name the current line in the error."""
        try:
            return answer()
        except TelosError as error:
            raise self._fault(str(error)) from None

    def _take(self) -> dict[str, Any] | None:
        """Pass the next record on, and return the one after it."""
        if self._next is not None:
            self._trace(_to_record(self._next))
        self._next = self._read()
        return self._next

    def _read(self) -> dict[str, Any] | None:
        for line in self._lines:
            self._number += 1
            if line.strip():
                return self._parse(line)
        return None

    def _parse(self, line: str) -> dict[str, Any]:
        """Return a line as data, if it is a valid record."""
        if len(line) > MAX_LINE:
            raise self._fault(f"a line of more than {MAX_LINE} characters; {_REMEDY}")
        try:
            record: dict[str, Any] = parse_json(line)
        except TelosError as error:
            raise self._fault(f"invalid JSON ({error.message}); is the line cut off?") from None
        kind = record.get("kind") if isinstance(record, dict) else None
        if not isinstance(kind, str) or kind not in _RECORD_CLASSES:
            raise self._fault(f"unknown kind of record; {_REMEDY}")
        fields = {field.name: field.type for field in dataclasses.fields(_RECORD_CLASSES[record["kind"]])}
        strange = list((fields.keys() ^ record.keys()) - {"kind"})
        strange += [each for each, kind in fields.items() if each in record and not _has_type(record[each], kind)]
        if strange:
            raise self._fault(f"invalid field {sorted(strange)[0]!r} in a record of kind {record['kind']!r}; {_REMEDY}")
        time = record["time"]
        if not 0 <= time <= MAX_SECONDS:  # a NaN fails too
            raise self._fault(f"invalid time {time:g} s; {_REMEDY}")
        return record


def _find_scene(start: Mapping[str, Any], given: Scene | None) -> Scene:
    """Return the recorded scene."""
    name = start["scene"]
    if given is None and name not in scene_names():
        raise TelosError(f"the scene {name!r} is not in the package", "name its file with --scene")
    scene = load_scene(name) if given is None else given
    sides = {side: [each.name for each in scene.cast if each.side == side] for side in scene.sides}
    if scene.name != name or sides != start["sides"]:
        raise TelosError(f"{name!r} was recorded with another cast than that of {scene.name!r}", "record it again")
    return scene


def _to_record(data: Mapping[str, Any]) -> object:
    """Return the record that was written as ``data``."""
    fields = {key: _freeze(value) for key, value in data.items() if key != "kind"}
    return _RECORD_CLASSES[data["kind"]](**fields)


def _freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return FrozenMap({key: _freeze(each) for key, each in value.items()})
    return tuple(map(_freeze, value)) if isinstance(value, list) else value


def _has_type(value: Any, kind: Any) -> bool:
    """Whether a JSON value fits the field of a record."""
    inner = get_args(kind)
    if isinstance(kind, UnionType):
        return any(_has_type(value, each) for each in inner)
    if kind is Any:
        return True
    if kind in (float, int):
        return isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
    match get_origin(kind):
        case origin if origin is FrozenMap:
            return isinstance(value, dict) and all(_has_type(each, inner[1]) for each in value.values())
        case origin if origin is tuple:
            return isinstance(value, list) and all(_has_type(each, inner[0]) for each in value)
    return isinstance(value, kind)


def _format_winner(side: str | None) -> str:
    return f"{side or 'nobody'} wins"


def _summarize(record: Mapping[str, Any]) -> str:
    """Return a short text for a record."""
    if record["kind"] != "event":
        return f"{record['kind']} at {record['time']:g} s"
    about = ", ".join(f"{key} {value}" for key, value in record["context"].items() if key != "loud")
    return f"{record['player']} {record['action']} at {record['time']:g} s ({about})"


# --- intentions ---


@dataclass(frozen=True, slots=True)
class Intention:
    """A goal, the steps of the plan for it, and the index of the current step."""

    goal: str
    steps: tuple[str, ...]
    index: int = 0


class IntentionTracker:
    """The current goal and plan of every mind, from the records of a fight; a replay has no minds to ask.

    >>> tracker = IntentionTracker()
    >>> tracker.note(Planned(0.0, "Ann", "patrol", ("goto(p1)", "look-round"), 3.0, 4))
    >>> tracker.note(Finished(2.0, "Ann", "goto(p1)"))
    >>> tracker.minds["Ann"].steps[tracker.minds["Ann"].index]
    'look-round'
    """

    def __init__(self) -> None:
        self.minds: dict[str, Intention] = {}

    def note(self, record: object) -> None:
        """Process one record."""
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
