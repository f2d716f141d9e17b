"""The trace of a fight in words: one line for each thing worth telling."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from telos.agents.records import Chose, Dropped, Failed, Idle, Planned
from telos.core.event import Event
from telos.core.values import Value
from telos.squads.records import Concluded, Grouped, Ordered, Said
from telos.worlds.arena.records import Ended, Started

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
