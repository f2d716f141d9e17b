"""The result of a game: who read its player right (``Scoreboard``), and when the headline was sure (``summarize``).

The page shows it as a card; ``Session.result`` keeps it until a model is replaced.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from telos.core.belief import Belief
from telos.studio import glossary

SURE = 0.7  # a goal that is likelier than this is one that the headline is sure of


class Scoreboard:
    """Counts, for each recogniser, how often it believed which goal while the player had which goal.

    >>> board = Scoreboard(["ffbm"])
    >>> board.count("explore", {"ffbm": Belief({"explore": 0.7, "level": 0.3})})
    >>> board.count("level", {"ffbm": Belief({"explore": 0.6, "level": 0.4})})
    >>> board.accuracy("ffbm"), board.confusion["ffbm"]["level", "explore"]
    (0.5, 1)
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.confusion: dict[str, Counter[tuple[str, str]]] = {name: Counter() for name in names}

    def count(self, truth: str | None, beliefs: Mapping[str, Belief]) -> None:
        """Compare beliefs with the true goal, if it is known."""
        if truth is None:
            return
        for name, counts in self.confusion.items():
            counts[truth, beliefs[name].top] += 1

    def recompute(self, name: str, judged: Iterable[tuple[str | None, Belief]]) -> None:
        """Count again for a recogniser whose model was replaced."""
        self.confusion[name] = Counter((truth, belief.top) for truth, belief in judged if truth is not None)

    def judged(self, name: str) -> int:
        """Return the number of updates at which the truth was known."""
        return self.confusion[name].total()

    def correct(self, name: str) -> int:
        """Return the number of those at which the most likely goal was the true one."""
        return sum(count for (truth, top), count in self.confusion[name].items() if truth == top)

    def accuracy(self, name: str) -> float | None:
        """Return the share of judged updates that were correct; None if none was judged."""
        judged = self.judged(name)
        return self.correct(name) / judged if judged else None


class BeliefMoment(NamedTuple):
    """What the headline believed at a frame, and the true goal then (None: unknown)."""

    frame: int
    time: float
    belief: Mapping[str, float]
    truth: str | None


@dataclass(frozen=True, slots=True)
class ReaderShare:
    """How often one recogniser was right."""

    name: str
    title: str
    share: float


@dataclass(frozen=True, slots=True)
class SureMoment:
    """The first moment at which the headline was sure of a goal, and the seconds since the player had it."""

    goal: str
    frame: int
    time: float
    after: float


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of a game: the recognisers, the best first, and when the headline was sure of each goal."""

    headline: str
    readers: tuple[ReaderShare, ...]
    sure: tuple[SureMoment, ...]

    @property
    def best(self) -> SureMoment | None:
        """The moment at which the headline was sure soonest; None if it never was."""
        return min(self.sure, key=lambda moment: moment.after, default=None)

    def to_message(self) -> dict[str, Any]:
        """Return the result as the page shows it: words, shares, and the frame to look back to."""
        best, first = self.best, next((each.title for each in self.readers if each.name == self.headline), "")
        return {
            "reader": first,
            "readers": [
                {"title": each.title, "share": round(each.share, 3), "headline": each.name == self.headline}
                for each in self.readers
            ],
            "sure": [
                {
                    "goal": each.goal,
                    "words": f"sure that you want to {glossary.wants(each.goal)} after {max(each.after, 0.1):.1f} s",
                    "frame": each.frame,
                }
                for each in self.sure
            ],
            "best": None if best is None else {"frame": best.frame, "goal": best.goal},
        }


def summarize(headline: str, shares: Iterable[ReaderShare], moments: Sequence[BeliefMoment]) -> GameResult:
    """Return the result; moments are in the order of play.

    >>> known = [BeliefMoment(0, 0.0, {"level": 0.5, "town": 0.5}, "level")]
    >>> known.append(BeliefMoment(90, 3.0, {"level": 0.9, "town": 0.1}, "level"))
    >>> summarize("ffbm", [ReaderShare("ffbm", "FFBM", 0.5)], known).best
    SureMoment(goal='level', frame=90, time=3.0, after=3.0)
    """
    sure: list[SureMoment] = []
    since, truth, is_found = 0.0, None, False
    for moment in moments:
        if moment.truth != truth:
            since, truth, is_found = moment.time, moment.truth, False
        if truth is not None and not is_found and moment.belief.get(truth, 0.0) > SURE:
            is_found = True
            sure.append(SureMoment(truth, moment.frame, moment.time, moment.time - since))
    ranked = sorted(shares, key=lambda each: -each.share)
    return GameResult(headline, tuple(ranked), tuple(sure))
