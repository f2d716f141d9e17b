"""How much disorder a reader of plans puts up with: actions that serve nothing, and goals pursued by turns."""

from dataclasses import dataclass

from telos.core.errors import TelosError


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What may happen beside one plan being carried out.

    ``noise`` is the chance that an action serves no goal at all. At most ``open_goals`` plans are under way at once;
    ``switch`` is the chance that a player who has begun one starts another. ``beam`` is how many hypotheses are kept.
    """

    noise: float = 0.02
    open_goals: int = 1
    switch: float = 0.1
    beam: int = 64

    def __post_init__(self) -> None:
        """Refuse what is no chance and no count."""
        for name in ("noise", "switch"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
                raise TelosError(f"{name} must be a number from 0 to below 1, got {value!r}")
        for name in ("open_goals", "beam"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise TelosError(f"{name} must be a whole number, at least 1, got {value!r}")

    def starts(self, under_way: int) -> float:
        """Return the chance that the next purposeful action starts another plan."""
        if under_way == 0:
            return 1.0
        return self.switch if under_way < self.open_goals else 0.0
