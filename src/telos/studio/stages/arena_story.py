"""What a fight puts on record, kept: for the timeline, for speech and flashes on the map, and for a recording."""

from collections import deque

from telos.agents.records import Chose, Forgot, Idle, Noticed
from telos.core.event import Event
from telos.core.trace import as_json
from telos.squads.records import Concluded, Ordered, Said
from telos.studio.drawing.arena_fight import Flash
from telos.studio.stage import Happening
from telos.worlds.arena.log import Log
from telos.worlds.arena.records import Ended

HEARD = 3.0  # seconds that a spoken line is seen
_LULL = 2.5  # seconds without a shot after which firing is news again
_NOISES = ("shouted", "kicked", "broke")
_KEPT_LINES = 20  # that somebody said


class Story:
    """Follows the trace of a fight."""

    def __init__(self) -> None:
        self.blasts: list[Flash] = []
        self.noises: deque[Flash] = deque(maxlen=8)
        self.lines: dict[str, deque[tuple[float, str]]] = {}
        self.news = ""  # the last of orders and deaths, in words
        self._records: list[object] = []
        self._new: list[Happening] = []
        self._log = Log()
        self._goals: dict[str, str | None] = {}  # as last told
        self._fired: dict[str, tuple[object, float]] = {}  # at whom, and when last
        self._wounds: dict[str, str] = {}  # what somebody was last hit with

    def note(self, record: object) -> None:
        """Take in one record."""
        if isinstance(record, Noticed | Forgot):
            return  # half of all there is, and no replay needs them
        self._records.append(record)
        happening = self._told(record)
        if happening is not None:
            self._new.append(happening)

    def taken(self) -> list[Happening]:
        """Return what has happened since this was last asked."""
        new, self._new = self._new, []
        return new

    def says(self, now: float) -> dict[str, str]:
        """Return what hangs in the air, by who said it."""
        return {who: said[-1][1] for who, said in self.lines.items() if 0 <= now - said[-1][0] < HEARD}

    def recording(self) -> bytes:
        """Return the records as `telos watch arena --json` prints them, without what was noticed and forgotten."""
        return "".join(f"{as_json(record)}\n" for record in self._records).encode()

    # --- one record ---------------------------------------------------------------------------------------------------

    def _told(self, record: object) -> Happening | None:
        match record:
            case Said():
                self.lines.setdefault(record.who, deque(maxlen=_KEPT_LINES)).append((record.time, record.text))
                return Happening(record.time, record.who, f"“{record.text}”", "said", why=record.why)
            case Chose():
                return self._chose(record)
            case Idle():
                self._goals[record.who] = None
            case Ordered():
                self.news = f"{record.squad} begins {record.behaviour}"
                orders = "\n".join(f"{who}: {words}" for who, words in record.orders.items())
                return Happening(record.time, record.squad, record.behaviour, "game", why=f"{record.why}\n{orders}")
            case Concluded():
                end = "is done" if record.fulfilled else "fails"
                return Happening(record.time, record.squad, f"{record.behaviour} {end}", "game", why=record.why)
            case Ended():
                return Happening(record.time, record.winner or "nobody", "wins", "goal", why=record.why)
            case Event():
                return self._event(record)
        return None

    def _chose(self, record: Chose) -> Happening | None:
        if self._goals.get(record.who) == record.goal:
            return None
        self._goals[record.who] = record.goal
        passed = [f"Not {goal}: {reason}." for goal, reason in record.passed_over.items()]
        return Happening(
            record.time, record.who, f"takes up {record.goal}", "game", why="\n".join([record.why, *passed])
        )

    def _event(self, event: Event) -> Happening | None:
        where = (event.time, float(event.context["x"]), float(event.context["y"]))
        if event.action == "shot":
            return self._shot(event)
        if event.action == "exploded":
            self.blasts.append(Flash(*where))
        if event.action in _NOISES:
            self.noises.append(Flash(*where, float(event.context["loud"])))
        if event.action == "hit":
            return self._hit(event)
        if event.action == "dead":
            return self._death(event)
        line = self._log.tell(event)
        return None if line is None else Happening(event.time, line.who, line.what.strip().removeprefix("’s "))

    def _shot(self, event: Event) -> Happening | None:
        """Tell of a shot that begins something: against another, or after a lull."""
        target = event.context.get("target")
        before, self._fired[event.player] = self._fired.get(event.player), (target, event.time)
        if before is not None and event.time - before[1] < _LULL and target in (before[0], None):
            return None
        return Happening(
            event.time, event.player, "fires to keep heads down" if target is None else f"fires at {target}"
        )

    def _hit(self, event: Event) -> Happening:
        target, weapon = str(event.context["target"]), str(event.context["weapon"])
        self._wounds[target] = weapon
        why = f"{event.context['damage']:g} of health, with {_a(weapon)}"
        return Happening(
            event.time,
            event.player,
            f"hits {target}",
            why=f"{why}{', behind cover' * bool(event.context['protected'])}.",
        )

    def _death(self, event: Event) -> Happening:
        victim = str(event.context["target"])
        by = "by his own hand" if victim == event.player else f"by {event.player}"
        self.news = f"{victim} is killed {by}"
        return Happening(
            event.time, victim, f"is killed {by}", "bad", why=f"With {_a(self._wounds.get(victim, 'gun'))}."
        )


def _a(weapon: str) -> str:
    """Say with what.

    >>> _a("rifle"), _a("melee")
    ('a rifle', 'bare hands')
    """
    return {"melee": "bare hands", "lunge": "a leap and a blow"}.get(weapon, f"a {weapon}")
