"""Style: the habits that tell one player from another, and how they show with experience."""

from dataclasses import dataclass, fields
from random import Random

PLAIN = 0.5  # the middle of every habit: what somebody does who has none yet


@dataclass(frozen=True, slots=True)
class Style:
    """Habits, each from 0 to 1.

    >>> Style.drawn(Random(1)) == Style.drawn(Random(1)) != Style.drawn(Random(2))
    True
    """

    distance: float = PLAIN  # keeps far from monsters (1), or brushes past them (0)
    baiting: float = PLAIN  # lets monsters come (1), or goes for them (0)
    stillness: float = PLAIN  # stands to swing (1), or swings on the run (0)
    boldness: float = PLAIN  # fights what is in the way (1), or goes round it (0)
    edges: float = PLAIN  # walks along the edges of the screen (1), or through the middle (0)
    diagonals: float = PLAIN  # goes as the crow flies (1), or along one axis and then the other (0)
    greed: float = PLAIN  # collects every gem (1), or lets them lie (0)
    mashing: float = PLAIN  # hammers the sword key (1), or swings once and looks (0)
    halting: float = PLAIN  # lets go of the keys before every turn (1), or rolls from key to key (0)
    roaming: float = PLAIN  # goes to the next screen for more monsters (1), or waits until they are back (0)

    @classmethod
    def drawn(cls, rng: Random) -> "Style":
        """Return a style by chance: every habit with the same chance everywhere between its ends."""
        return cls(**{habit.name: rng.random() for habit in fields(cls)})

    def shown(self, experience: float, noise: float, rng: Random) -> "Style":
        """Return how the habits show for a while: style times experience, plus noise.

        >>> Style(greed=0.9).shown(0.0, 0.0, Random(1)).greed, Style(greed=0.9).shown(1.0, 0.0, Random(1)).greed
        (0.5, 0.9)
        """
        return Style(
            **{
                habit.name: _unit(PLAIN + (getattr(self, habit.name) - PLAIN) * experience + rng.gauss(0.0, noise))
                for habit in fields(self)
            }
        )


def _unit(value: float) -> float:
    return min(1.0, max(0.0, value))
