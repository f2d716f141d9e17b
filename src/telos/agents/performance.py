"""Performances: how a body carries out each action. The procedural side of an action, as data."""

from collections.abc import Callable
from dataclasses import dataclass

from telos.agents.body import Animate, BodyState, Goto, UseSmartObject
from telos.core.values import Value


@dataclass(frozen=True, slots=True)
class Performance:
    """The body state that carries out an action, with names where the world's own things will stand.

    >>> attack = Performance(Animate("fire", at="target"))
    >>> attack.body_state({"target": "bert"}.__getitem__)
    Animate(animation='fire', at='bert')
    """

    pattern: BodyState

    def body_state(self, resolve: Callable[[str], Value]) -> BodyState:
        """Return the state to put a body into; ``resolve`` turns a name into what it stands for now."""
        match self.pattern:
            case Goto(place, pace):
                return Goto(resolve(place), pace)
            case Animate(_, None):
                return self.pattern
            case Animate(animation, at):
                return Animate(animation, resolve(at))
            case UseSmartObject(thing, use):
                return UseSmartObject(resolve(thing), use)
