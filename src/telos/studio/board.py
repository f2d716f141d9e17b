"""The scoreboard: how often each recogniser was right, where the truth is known."""

from collections import Counter
from collections.abc import Iterable, Mapping

from telos.core.belief import Belief


class Scoreboard:
    """Counts, for each recogniser, what it believed when the player had which goal.

    >>> board = Scoreboard(["ffbm"])
    >>> board.judge("explore", {"ffbm": Belief({"explore": 0.7, "level": 0.3})})
    >>> board.judge("level", {"ffbm": Belief({"explore": 0.6, "level": 0.4})})
    >>> board.accuracy("ffbm"), board.confusion["ffbm"]["level", "explore"]
    (0.5, 1)
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.confusion: dict[str, Counter[tuple[str, str]]] = {name: Counter() for name in names}

    def judge(self, truth: str | None, beliefs: Mapping[str, Belief]) -> None:
        """Compare beliefs with the truth, if it is known."""
        if truth is None:
            return
        for name, counts in self.confusion.items():
            counts[truth, beliefs[name].top] += 1

    def anew(self, name: str, judged: Iterable[tuple[str | None, Belief]]) -> None:
        """Count again for a recogniser whose model is another now."""
        self.confusion[name] = Counter((truth, belief.top) for truth, belief in judged if truth is not None)

    def judged(self, name: str) -> int:
        """Return at how many updates the truth was known."""
        return self.confusion[name].total()

    def right(self, name: str) -> int:
        """Return at how many of them the likeliest goal was the player's."""
        return sum(count for (truth, top), count in self.confusion[name].items() if truth == top)

    def accuracy(self, name: str) -> float | None:
        """Return the share of updates at which it was right; None while there was nothing to judge."""
        judged = self.judged(name)
        return self.right(name) / judged if judged else None
