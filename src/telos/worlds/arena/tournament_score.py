"""The score of a contest: how often a team won, and how sure one can be of that."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist, fmean

from telos.core.errors import TelosError
from telos.worlds.arena.tournament_contests import Contest


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one fight ended for the team that has the layer.

    ``points`` are 1 for a win, 0.5 for a draw, 0 for a loss; ``fought_out`` is false where time was up before one
    side was gone. ``health`` is what is left of that with which a team began, 0 to 1.
    """

    contest: Contest
    points: float
    fought_out: bool
    seconds: float
    health_having: float
    health_lacking: float


@dataclass(frozen=True, slots=True)
class Score:
    """All fights of one contest, seen from the team that has the layer."""

    contest: Contest
    wins: int
    draws: int
    losses: int
    fought_out: int
    seconds: float  # of a fight, on average
    health_having: float
    health_lacking: float

    @property
    def fights(self) -> int:
        """Return how many fights there were."""
        return self.wins + self.draws + self.losses

    @property
    def win_rate(self) -> float:
        """Return the share of fights won; a draw is half a win."""
        return (self.wins + self.draws / 2) / self.fights

    @property
    def decisive_win_rate(self) -> float | None:
        """Return the share of fights won of those that somebody won, or None if nobody won any."""
        decisive = self.wins + self.losses
        return self.wins / decisive if decisive else None

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95% interval of the win rate; where fights were drawn it is wider than need be."""
        return wilson(self.wins + self.draws / 2, self.fights)

    @property
    def verdict(self) -> str:
        """Say what the layer does, if the interval leaves no room for chance."""
        low, high = self.interval
        if low > 0.5:
            return "pays"
        return "costs" if high < 0.5 else "no clear difference"


def score(outcomes: Iterable[Outcome]) -> Score:
    """Add up the fights of one contest."""
    fought = list(outcomes)
    points = [each.points for each in fought]
    return Score(
        fought[0].contest,
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        fought_out=sum(each.fought_out for each in fought),
        seconds=fmean(each.seconds for each in fought),
        health_having=fmean(each.health_having for each in fought),
        health_lacking=fmean(each.health_lacking for each in fought),
    )


def wilson(successes: float, trials: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval for a share; unlike the simplest one it stays within 0 and 1.

    >>> [round(bound, 3) for bound in wilson(8, 10)]
    [0.49, 0.943]
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise TelosError(f"an interval needs 0 to n successes of n > 0 trials, got {successes!r} of {trials!r}")
    if not 0 < confidence < 1:
        raise TelosError(f"confidence lies between 0 and 1, got {confidence!r}")
    z, share = NormalDist().inv_cdf((1 + confidence) / 2), successes / trials
    middle = share + z * z / (2 * trials)
    reach = z * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    whole = 1 + z * z / trials
    return max(0.0, (middle - reach) / whole), min(1.0, (middle + reach) / whole)
