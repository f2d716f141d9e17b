"""Orders: facts that the squad layer puts into a member's memory, and the answers that it finds there."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from telos.agents.memory import Fact
from telos.core.frozen import FrozenMap
from telos.core.values import Value
from telos.squads.member import Member, feels

Task: TypeAlias = Literal["suppress", "cover", "advance", "follow", "lead", "guard_rear", "search", "watch"]

FOR_ONE = frozenset({"cover", "advance"})  # tasks whose node has room for one
REPEATED_AFTER = 1.0  # seconds; an order that nobody repeats fades with the memory
_WORDS = {
    "suppress": "suppress {target}",
    "cover": "take cover at {node}",
    "advance": "advance to {node}",
    "follow": "follow {target}",
    "lead": "lead to {node}",
    "guard_rear": "guard the rear behind {target}",
    "search": "search {room} at {node}",
    "watch": "watch {room} from {node}",
}


@dataclass(frozen=True, slots=True)
class Order:
    """What one member is to do. ``serial`` tells it from all other orders of its side; 0 until it is given.

    >>> print(Order("cover", node="c3"))
    take cover at c3
    """

    task: Task
    node: str | None = None
    place: tuple[float, float] | None = None  # of the node
    target: str | None = None  # the enemy to suppress, or the comrade to follow
    room: str | None = None  # to search
    serial: int = 0

    def __str__(self) -> str:
        """Say the order the way it would be called out."""
        return _WORDS[self.task].format(target=self.target, node=self.node, room=self.room)

    def same_as(self, other: "Order | None") -> bool:
        """Whether two orders ask for the same, whenever they were given."""
        return other is not None and replace(self, serial=0) == replace(other, serial=0)

    def save(self) -> dict[str, Any]:
        """Return the order as plain data."""
        return {**asdict(self), "place": None if self.place is None else list(self.place)}

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> "Order":
        """Return the order that was saved."""
        return cls(**{**saved, "place": None if saved["place"] is None else tuple(saved["place"])})


def give(member: Member, order: Order, behaviour: str, now: float) -> None:
    """Put an order into a member's memory, in place of any other. Whether to follow it is up to the member."""
    x, y = order.place or (None, None)
    attributes: dict[str, Value] = {"behaviour": behaviour, "task": order.task, "node": order.node}
    attributes |= {"place_x": x, "place_y": y, "target": order.target, "room": order.room, "serial": order.serial}
    member.memory.note(Fact("order", "current", time=now, attributes=FrozenMap(attributes)))


def holds(member: Member, order: Order, now: float = -math.inf) -> bool:
    """Whether a member still has this very order in mind; without ``now``, faint memories count."""
    fact = member.memory.recall("order", "current", now)
    return fact is not None and fact.get("serial") == order.serial


def repeat(member: Member, order: Order, now: float) -> None:
    """Keep an order from fading that still stands."""
    fact = member.memory.recall("order", "current", now)
    if fact is not None and fact.get("serial") == order.serial and now - fact.time >= REPEATED_AFTER:
        member.memory.note(replace(fact, time=now))


def withdraw(member: Member, order: Order) -> bool:
    """Take an order back, unless the member has a later one; return whether there was anything to take back."""
    return holds(member, order) and member.memory.forget("order", "current")


def is_done(member: Member, order: Order, now: float) -> bool:
    """Whether a member reports an order as fulfilled, or stands where it was to go."""
    answer = member.memory.recall("order_done", "current", now)
    if answer is not None and answer.get("serial") == order.serial:
        return True
    return order.node is not None and feels(member, "at", now) == order.node


def refusal(member: Member, order: Order, now: float) -> str | None:
    """Say why a member will not follow an order, or None if it may: its own goals won, or it forgot the order."""
    answer = member.memory.recall("order_refused", "current", now)
    if answer is not None and answer.get("serial") == order.serial:
        return f"{member.name} refuses: {answer.get('why') or 'no reason given'}"
    if not holds(member, order, now) and not is_done(member, order, now):
        return f"{member.name} has dropped the order"
    return None
