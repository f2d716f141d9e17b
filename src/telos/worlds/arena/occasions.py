"""What of a fight is worth a word: events, and what minds and squads put on record, as occasions for talk."""

from collections.abc import Callable, Mapping

from telos.agents.records import Began, Noticed
from telos.core.event import Event
from telos.core.frozen import FrozenMap
from telos.core.values import Value
from telos.squads.records import Concluded, Ordered
from telos.squads.utterances import Occasion
from telos.worlds.arena.comrades import Comrade


class Occasions:
    """Turns records into occasions, and hands them to ``notice``."""

    def __init__(self, comrades: Mapping[str, Comrade], notice: Callable[[Occasion], None]) -> None:
        self._comrades, self._notice = comrades, notice
        self._leaders: dict[str, str] = {}  # who speaks for a squad

    def lead(self, squad: str, leader: str) -> None:
        """Remember who speaks for a squad."""
        self._leaders[squad] = leader

    def save(self) -> dict[str, str]:
        """Return who speaks for each squad."""
        return dict(self._leaders)

    def restore(self, saved: Mapping[str, str]) -> None:
        """Take up who spoke for each squad."""
        self._leaders = dict(saved)

    def note(self, record: object) -> None:
        """Take in one record of the trace."""
        match record:
            case Noticed():
                self._noticed(record)
            case Began(step="reload"):
                self._tell("reloading", record.time, record.who)
            case Began(step="search-room"):
                self._tell("searching", record.time, record.who)
            case Ordered():
                leader = self._leaders.get(record.squad)
                if leader is not None:
                    about = {"behaviour": record.behaviour, "orders": record.orders}
                    self._tell("ordered", record.time, leader, about)
            case Concluded(fulfilled=True):
                leader = self._leaders.get(record.squad)
                if leader is not None:
                    self._tell("fulfilled", record.time, leader, {"behaviour": record.behaviour})
            case Event():
                self._happened(record)
            case _:
                pass

    def _noticed(self, record: Noticed) -> None:
        about = record.attributes
        match record.fact:
            case "enemy" if not about.get("alive", True):
                self._tell("enemy_down", record.time, record.who, {"target": record.subject})
            case "enemy" if about["seen"]:
                place = {"target": record.subject, "x": about["x"], "y": about["y"]}
                self._tell("spotted", record.time, record.who, place)
            case "enemy" if record.confidence == 1.0:
                self._tell("lost", record.time, record.who, {"target": record.subject})
            case "grenade" if "x" in about:
                self._tell("grenade", record.time, record.who, {"x": about["x"], "y": about["y"]})
            case "fire" if not self._knows_cover(record.who, record.time):
                self._tell("no_cover", record.time, record.who)
            case "searched":
                self._tell("cleared", record.time, record.who, {"room": record.subject})
            case "door" if about.get("stuck"):
                self._tell("blocked", record.time, record.who, {"door": record.subject})
            case "order_refused":
                self._tell("refused", record.time, record.who, {"why": about.get("why")})
            case _:
                pass

    def _happened(self, event: Event) -> None:
        target = event.context.get("target")
        if target not in self._comrades:
            return
        if event.action == "hit":
            self._tell("hit", event.time, str(target), {"x": event.context["x"], "y": event.context["y"]})
        elif event.action == "dead":
            self._tell("down", event.time, str(target))
            side = self._comrades[str(target)].side
            left = [each for each in self._comrades.values() if each.side == side and each.alive]
            if len(left) == 1:
                self._tell("last_man", event.time, left[0].name)

    def _knows_cover(self, who: str, now: float) -> bool:
        return any(each["valid"] for each in self._comrades[who].memory.all_of("cover", now))

    def _tell(self, kind: str, time: float, who: str, about: Mapping[str, Value] | None = None) -> None:
        if who in self._comrades:
            self._notice(Occasion(kind, time, who, FrozenMap(about)))
