"""The things of the village that change: the fire, the hammer, the neighbour's favour, the door."""

from dataclasses import dataclass

ARMFUL = 130.0  # seconds that an armful of wood burns
LITTLE = 30.0  # with less wood than this it is time to fetch more
COOLS = 25.0  # seconds until a hot fire is low when nobody works the bellows


@dataclass(slots=True)
class Things:
    """How things stand. A fire burns down, and cools when nobody works the bellows."""

    wood: float = 0.0  # seconds of it left on the fire
    heat: float = 0.0  # seconds until the fire is low again
    tool: str = "in_shed"
    owed: int = 2
    opened: str = "not_yet"

    @property
    def fire(self) -> str:
        """Whether the fire is out, low or hot.

        >>> Things(wood=20.0, heat=3.0).fire, Things(heat=3.0).fire
        ('hot', 'out')
        """
        if self.wood <= 0:
            return "out"
        return "hot" if self.heat > 0 else "low"

    @property
    def fuel(self) -> bool:
        """Whether there is wood on the fire for a while."""
        return self.wood > LITTLE

    def burn(self, seconds: float, *, tended: bool) -> bool:
        """Let time pass; return whether the fire has just gone out."""
        was = self.wood > 0
        self.wood = max(0.0, self.wood - seconds)
        if not tended:
            self.heat = max(0.0, self.heat - seconds)
        if self.wood <= 0:
            self.heat = 0.0
        return was and self.wood <= 0
