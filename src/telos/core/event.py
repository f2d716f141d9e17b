"""Events: an action of a player, with what the game knew at that moment."""

from collections.abc import Mapping
from dataclasses import dataclass

from telos.core.errors import TelosError
from telos.core.values import FrozenMap, Value, check_finite


@dataclass(frozen=True, slots=True, init=False)
class Event:
    """One action of a player or a character.

    ``context`` holds the facts that the game knew at that moment; ``goal`` names the goal that the action achieved.

    >>> Event(action="swing", context={"monsters": 2, "in_town": False}).context["monsters"]
    2
    """

    action: str
    context: FrozenMap[str, Value]
    player: str
    time: float
    goal: str | None

    def __init__(
        self,
        action: str,
        context: Mapping[str, Value] | None = None,
        *,
        player: str = "player",
        time: float = 0.0,
        goal: str | None = None,
    ) -> None:
        if not isinstance(action, str) or not action:
            raise TelosError(f"an event's action is a name, got {action!r}")
        object.__setattr__(self, "action", action)
        object.__setattr__(self, "context", FrozenMap(context))
        object.__setattr__(self, "player", player)
        object.__setattr__(self, "time", check_finite("an event's time", time))
        object.__setattr__(self, "goal", goal)
