"""A kind of character: what it wants, what it can do, what it notices and remembers, and what its body is like."""

from dataclasses import dataclass, field

from telos.core.action import Action
from telos.core.frozen import FrozenMap
from telos.core.goal import Goal
from telos.core.values import Value


@dataclass(frozen=True, slots=True)
class Character:
    """One kind of character, as its file describes it. Times are in seconds.

    ``sensors`` says how often each sensor is polled, ``memory`` in how many seconds each kind of fact fades, and
    ``body`` whatever the world wants to know.
    """

    name: str
    goals: tuple[Goal, ...] = ()
    actions: tuple[Action, ...] = ()
    sensors: FrozenMap[str, float] = field(default_factory=FrozenMap)
    memory: FrozenMap[str, float] = field(default_factory=FrozenMap)
    body: FrozenMap[str, Value] = field(default_factory=FrozenMap)
    about: str = ""
