"""Helpers: soldiers without a world, whose memories are filled by hand."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from telos.agents.memory import Fact, WorkingMemory
from telos.core.values import FrozenMap
from telos.squads.coordinator import Coordinator


@dataclass(eq=False)
class Soldier:
    """A squad member, by default in the open with a loaded weapon."""

    name: str
    position: tuple[float, float] = (0.0, 0.0)
    rank: int = 0
    side: str = "red"
    alive: bool = True
    room: str = "yard"
    memory: WorkingMemory = field(default_factory=WorkingMemory)

    def note(self, kind: str, subject: str, time: float = 0.0, /, **attributes: Any) -> "Soldier":
        self.memory.note(Fact(kind, subject, time, attributes=FrozenMap(attributes)))
        return self

    def feels(self, **attributes: Any) -> "Soldier":
        """Update the fact about the soldier itself."""
        old = self.memory.recall("self", self.name, now=0.0)
        usual = {
            "at": None,
            "in_cover": False,
            "cover_valid": False,
            "health": 100.0,
            "under_fire": False,
            "loaded": True,
        }
        return self.note("self", self.name, **{**usual, **(old.attributes if old else {}), **attributes})

    def stands_at(self, node: str, *, valid: bool = True) -> "Soldier":
        return self.feels(at=node, in_cover=True, cover_valid=valid)

    def sees(self, enemy: str = "bert", time: float = 0.0, *, x: float = 30.0, y: float = 0.0) -> "Soldier":
        return self.note("enemy", enemy, time, x=x, y=y, seen=True)

    def knows(
        self,
        node: str,
        distance: float,
        threat_distance: float = 20.0,
        *,
        valid: bool = True,
        in_view: float | None = None,
        **more: Any,
    ) -> "Soldier":
        """Know a cover node, to which the whole way is in view unless said otherwise."""
        in_view = distance if in_view is None else in_view
        about = {"valid": valid, "distance": distance, "threat_distance": threat_distance, "in_view": in_view, **more}
        return self.note("cover", node, x=distance, y=1.0, **about)

    def knows_room(self, room: str, distance: float, nodes: int = 1) -> "Soldier":
        for i in range(nodes):
            self.note("node", f"{room}.{i}", x=distance, y=i, room=room, kind="search", distance=distance + i)
        return self

    @property
    def order(self) -> Fact | None:
        """Return the order in memory, faint or not."""
        return self.memory.recall("order", "current", now=-1e9)

    @property
    def task(self) -> str | None:
        return None if self.order is None else self.order["task"]

    def does(self, time: float = 0.0) -> None:
        """Report the order as done."""
        assert self.order is not None
        self.note("order_done", "current", time, serial=self.order["serial"])

    def refuses(self, why: str, time: float = 0.0) -> None:
        assert self.order is not None
        self.note("order_refused", "current", time, serial=self.order["serial"], why=why)


def soldier(name: str, x: float = 0.0, y: float = 0.0, *, rank: int = 0) -> Soldier:
    return Soldier(name, (x, y), rank).feels()


def watched(**options: Any) -> tuple[Coordinator, list[Any]]:
    """Return a coordinator of red, and the list of its trace records."""
    told: list[Any] = []
    return Coordinator("red", trace=told.append, **options), told


def tasks(members: Sequence[Soldier]) -> dict[str, tuple[str, str | None]]:
    """Return the tasks and nodes of all who have an order."""
    return {each.name: (each.order["task"], each.order["node"]) for each in members if each.order is not None}
