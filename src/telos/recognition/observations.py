"""What one goal looks like: an ordered list of looks, of which the first whose condition holds applies."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from telos.core.conditions import Condition, ConditionLike
from telos.core.errors import Fault, FaultCode
from telos.recognition.sight import Seen, Sight
from telos.recognition.towards import Look, Table, Towards, edges_in


@dataclass(frozen=True, slots=True, init=False)
class ObservationRules:
    """How a player with one goal is expected to behave, by what the game knows.

    >>> fighting = ObservationRules([("monsters > 0", Table({"swing_still": 0.8})), (None, Towards("exits"))])
    >>> ObservationRules.of(Towards("exits")) == ObservationRules([(None, Towards("exits"))])
    True
    """

    rules: tuple[tuple[Condition | None, Look], ...]

    def __init__(self, rules: Iterable[tuple[ConditionLike, Look]]) -> None:
        read = tuple((None if condition is None else Condition.of(condition), look) for condition, look in rules)
        object.__setattr__(self, "rules", read)

    @classmethod
    def of(cls, said: "ObservationRules | Look") -> "ObservationRules":
        """Return rules; a single look holds always."""
        return said if isinstance(said, ObservationRules) else cls([(None, said)])

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Return the conditions that it asks."""
        return tuple(condition for condition, _ in self.rules if condition is not None)

    @property
    def entries(self) -> tuple[str, ...]:
        """Return the context entries that it reads apart from its conditions."""
        return tuple(look.exits for _, look in self.rules if isinstance(look, Towards))

    def faults(self, goal: str, names: Sequence[str]) -> list[Fault]:
        """Return everything that breaks the rules of goal models, with goal and rule."""
        found = []
        for number, (_, look) in enumerate(self.rules):
            said = f"goal {goal!r}, rule {number + 1}: "
            for fault in look.faults(names):
                found.append(replace(fault.at("observations", goal, number), message=said + fault.message))
        if not self.rules or self.rules[-1][0] is not None:
            message = f"goal {goal!r} looks like nothing when none of its conditions holds"
            found.append(
                Fault(
                    message,
                    suggestion="end with a look that has no condition",
                    path=("observations", goal),
                    code=FaultCode.INCOMPLETE,
                )
            )
        return found

    def chances(self, sight: Sight[Any], names: Sequence[str]) -> Callable[[Seen], tuple[float, ...]]:
        """Return the function from a look at an event to the chance of each outcome."""
        looks = [
            (None if condition is None else sight.bound(condition), _chances(look, sight, names))
            for condition, look in self.rules
        ]

        def first(seen: Seen) -> tuple[float, ...]:
            for holds, chances in looks:
                if holds is None or holds(seen):
                    return chances(seen)
            raise AssertionError("the last look holds always")

        return first


def _chances(look: Look, sight: Sight[Any], names: Sequence[str]) -> Callable[[Seen], tuple[float, ...]]:
    if isinstance(look, Table):
        fixed = look.chances(names)
        return lambda seen: fixed
    slot = sight.slot(look.exits)
    known: dict[object, tuple[float, ...]] = {}  # four edges have few orders

    def towards(seen: Seen) -> tuple[float, ...]:
        edges = seen[slot]
        if edges not in known:
            known[edges] = look.chances(names, edges_in(edges, look.exits))
        return known[edges]

    return towards
