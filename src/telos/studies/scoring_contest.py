"""Several methods on the same runs: their scores with intervals, and where the difference between two comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean

from telos.core.errors import TelosError
from telos.studies.scoring import Tally
from telos.studies.statistics import LEVEL, Paired, interval, paired

NOTHING = 0.01  # a difference of less than a point of accuracy has no direction to speak of


@dataclass(frozen=True, slots=True)
class Score:
    """One method over all runs of a condition."""

    method: str
    values: tuple[float, ...]  # the accuracy in each run
    interval: tuple[float, float]
    by_goal: Mapping[str, float]
    soon: float | None  # accuracy in the first updates after a goal changed; None if none ever did
    delay: float | None  # updates until right after a change, on average
    published: float | None = None  # percent

    @property
    def accuracy(self) -> float:
        """Return the mean over runs."""
        return fmean(self.values)


@dataclass(frozen=True, slots=True)
class Condition:
    """A kind of player: who played, and how each method read them."""

    name: str
    says: str  # "10 runs of one experienced player"
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Published:
    """What a paper says of two methods: the percentages where it gives them, and its p."""

    first: float | None
    second: float | None
    p: float
    says: str  # as printed: "p < 0.0003"

    @property
    def is_significant(self) -> bool:
        """Whether the paper calls the difference significant."""
        return self.p < LEVEL


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two methods, run by run. ``by_goal`` and ``soon`` are the parts of the difference that fall into the phases of a
    goal, and into the first updates after a goal changed; the parts of all goals sum to the difference.
    """

    condition: str
    first: str
    second: str
    test: Paired
    accuracies: tuple[float, float]
    by_goal: Mapping[str, float]
    soon: float
    published: Published | None = None

    @property
    def verdict(self) -> str:
        """Say whether ours is the same kind of result as the published one."""
        if self.published is None:
            return "not published"
        ours = self.test.is_significant
        if self.published.is_significant:
            if ours and self.test.difference < 0:
                return "differs: the other way round"
            if self.test.difference < NOTHING:
                return "differs: no difference here"
            return "agrees" if ours else "same direction, not significant here"
        return "differs: significant here" if ours else "agrees"

    @property
    def differs(self) -> bool:
        """Whether the result differs in kind."""
        return self.verdict.startswith("differs")


def scored(
    method: str, tallies: Sequence[Tally], *, goals: Sequence[str], rng: Random, published: float | None = None
) -> Score:
    """Return the score of a method over runs."""
    if not tallies:
        raise TelosError(f"{method!r} was scored on no run at all", "play at least one")
    values = tuple(each.accuracy for each in tallies)
    by_goal = {}
    for goal in goals:
        shares = [right / seen for right, seen in (each.by_goal.get(goal, (0, 0)) for each in tallies) if seen]
        if shares:
            by_goal[goal] = fmean(shares)
    soon = [right / seen for right, seen in (each.soon for each in tallies) if seen]
    delays = [fmean(each.delays) for each in tallies if each.delays]
    return Score(
        method,
        values,
        interval(values, rng=rng),
        by_goal,
        fmean(soon) if soon else None,
        fmean(delays) if delays else None,
        published,
    )


def compared(
    condition: str,
    first: str,
    second: str,
    pairs: Sequence[tuple[Tally, Tally]],
    *,
    goals: Sequence[str],
    rng: Random,
    published: Published | None = None,
) -> Comparison:
    """Compare two methods on pairs of tallies: of the same run, or of the same player's first and later run."""
    ours = [pair[0].accuracy for pair in pairs]
    theirs = [pair[1].accuracy for pair in pairs]
    by_goal = {goal: fmean(_part(a, goal) - _part(b, goal) for a, b in pairs) for goal in goals}
    soon = fmean(a.soon[0] / a.updates - b.soon[0] / b.updates for a, b in pairs)
    test = paired(ours, theirs, rng=rng)
    return Comparison(condition, first, second, test, (fmean(ours), fmean(theirs)), by_goal, soon, published)


def _part(tally: Tally, goal: str) -> float:
    return tally.by_goal.get(goal, (0, 0))[0] / tally.updates
