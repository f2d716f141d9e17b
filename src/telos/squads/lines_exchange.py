"""An exchange: turns that belong together, each with variations of a text, and the occasion for them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from telos.core.conditions import ALWAYS, Condition
from telos.core.frozen import FrozenMap
from telos.core.state import Layout
from telos.squads.lines_words import SQUAD, layout_of

PAUSE = 0.3  # seconds between the end of a line and the reply
COOLDOWN = 10.0  # seconds in which a squad does not repeat an exchange


@dataclass(frozen=True, slots=True)
class Turn:
    """What one role says to another (to the whole squad, if ``to`` is empty): one of several variations of a text."""

    role: str
    variations: tuple[str, ...]
    to: str = ""
    condition: Condition = ALWAYS
    after: float = PAUSE


@dataclass(frozen=True, slots=True)
class Exchange:
    """Turns that belong together, the occasion for them, and who takes which part.

    Turns of one role that follow each other are alternatives: the first that fits is said, and no other.
    ``unanswered`` is said instead of the rest when the next to speak, or the one spoken to, is no longer able to.
    """

    name: str
    on: str
    roles: Mapping[str, str]
    turns: tuple[Turn, ...]
    condition: Condition = ALWAYS
    cooldown: float = COOLDOWN
    chance: float = 1.0
    unanswered: tuple[Turn, ...] = field(default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "roles", FrozenMap(self.roles))

    @property
    def layout(self) -> Layout:
        """Return the variables that its conditions may speak of."""
        return layout_of(tuple(self.roles))

    def addressee(self, index: int) -> str:
        """Return the role that a turn is said to: as it says, else who spoke before, else who speaks next."""
        turn = self.turns[index]
        if turn.to:
            return spoken_to(turn)
        before = (each.role for each in reversed(self.turns[:index]) if each.role != turn.role)
        after = (each.role for each in self.turns[index + 1 :] if each.role != turn.role)
        return next(before, next(after, ""))

    @property
    def voices(self) -> frozenset[str]:
        """Return the roles that must be able to speak and hear."""
        hearers = map(self.addressee, range(len(self.turns)))
        return frozenset({turn.role for turn in self.turns} | {role for role in hearers if role})


def spoken_to(turn: Turn) -> str:
    """Return the role that a turn names as spoken to; empty for the whole squad."""
    return "" if turn.to == SQUAD else turn.to
