"""An assignment: one squad behaviour at work, with an order for each slot that is filled."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from telos.core.frozen import FrozenMap
from telos.squads.orders import Order


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who does what for a squad behaviour, and why this one.

    ``since`` is when it last made headway, which is what its time limit counts from; ``places`` is what it still has
    before it: nodes of a route, or rooms.
    """

    behaviour: str
    orders: FrozenMap[str, Order]
    why: str
    began: float
    since: float
    places: tuple[str, ...] = ()

    @classmethod
    def begun(
        cls, behaviour: str, orders: Mapping[str, Order], why: str, now: float, places: tuple[str, ...] = ()
    ) -> "Assignment":
        """Return an assignment that begins now."""
        return cls(behaviour, FrozenMap(orders), why, now, now, places)

    def reordered(self, orders: Mapping[str, Order], why: str) -> "Assignment":
        """Return the assignment with other orders; whoever is to go on with the same keeps the order as it is."""
        kept = {
            name: self.orders[name] if order.same_as(self.orders.get(name)) else replace(order, serial=0)
            for name, order in orders.items()
        }
        return replace(self, orders=FrozenMap(kept), why=why)

    def said(self) -> FrozenMap[str, str]:
        """Return each order in words."""
        return FrozenMap({name: str(order) for name, order in self.orders.items()})

    def save(self) -> dict[str, Any]:
        """Return the assignment as plain data."""
        orders = {name: order.save() for name, order in self.orders.items()}
        told = {"behaviour": self.behaviour, "why": self.why, "began": self.began, "since": self.since}
        return {**told, "orders": orders, "places": list(self.places)}

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> "Assignment":
        """Return the assignment that was saved."""
        orders = FrozenMap({name: Order.restored(each) for name, each in saved["orders"].items()})
        return cls(**{**saved, "orders": orders, "places": tuple(saved["places"])})
