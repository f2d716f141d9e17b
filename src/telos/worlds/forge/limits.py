"""What is human about the simulated player: they take their time, dawdle, stray, and may think better of it."""

from dataclasses import dataclass
from random import Random

from telos.worlds.forge.domain import PLANS

ASKING = 3.0  # seconds to say what one wants of somebody


@dataclass(frozen=True, slots=True)
class Limits:
    """One player's limits. Times are in seconds, the others chances at each decision.

    ``vague`` is how often they speak of "this" and "that thing"; they speak plainly when that was not understood.
    Who ``foresees`` what will be wanted asks for it before setting out; the others ask where they stand in need of it.
    ``turns`` is when they think better of their plan, and ``turns_to`` what they turn to; most never do.
    """

    reaction: tuple[float, float] = (0.5, 2.0)
    dawdles: float = 0.06
    dawdle: tuple[float, float] = (3.0, 8.0)
    strays: float = 0.05
    vague: float = 0.5
    patience: float = 45.0
    foresees: bool = False
    turns: float | None = None
    turns_to: str | None = None

    @classmethod
    def drawn(cls, plan: str, rng: Random, *, fickle: float = 0.15) -> "Limits":
        """Draw a player who sets out with ``plan``; a share of them, ``fickle``, turn to another one on the way."""
        quick = rng.uniform(0.3, 1.0)
        dawdles, strays, vague = rng.uniform(0.0, 0.12), rng.uniform(0.0, 0.08), rng.uniform(0.2, 0.8)
        turns, turns_to = rng.uniform(15.0, 60.0), rng.choice([each for each in PLANS if each != plan])
        is_fickle = rng.random() < fickle
        return cls(
            reaction=(quick, quick + rng.uniform(0.5, 2.0)),
            dawdles=dawdles,
            strays=strays,
            vague=vague,
            turns=turns if is_fickle else None,
            turns_to=turns_to if is_fickle else None,
        )
