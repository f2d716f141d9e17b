"""Playing a recorded fight again, without any mind: the commands are those of the recording, and so is the outcome."""

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin

from telos.agents.records import Began, Chose, Dropped, Failed, Finished, Forgot, Idle, Noticed, Planned
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.core.frozen import FrozenMap
from telos.core.trace import Trace, as_json, silent
from telos.squads.records import Concluded, Grouped, Ordered, Said
from telos.worlds.arena.cast import arena_of
from telos.worlds.arena.records import Commanded, Ended, Started
from telos.worlds.arena.scene import Scene
from telos.worlds.arena.scenes import load_scene, scene_names
from telos.worlds.arena.views import ArenaView

T = TypeVar("T")

LONGEST = 86_400  # seconds; no fight lasts a day

_REMEDY = "record one with `telos watch arena --json`"
_PLAYED = ("commanded", "event", "ended")  # the records that a replay goes by

_MINDS = (Began, Chose, Dropped, Failed, Finished, Forgot, Idle, Noticed, Planned)
_KINDS: Mapping[str, Any] = {
    kind.__name__.lower(): kind
    for kind in (Started, Commanded, Ended, Event, *_MINDS, Concluded, Grouped, Ordered, Said)
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
