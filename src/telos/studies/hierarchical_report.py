"""What comes out of a study of hierarchical problems, as figures and in lines."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from telos.studies.hierarchical_reading import SHARES, Answer, Rank, Read

_SINGLE: dict[str, Callable[[Answer], float]] = {
    "goal": lambda answer: answer.top,
    "goal with arguments": lambda answer: answer.top_exact,
}
_SEVERAL: dict[str, Callable[[Answer], float]] = {
    "top-1 is one of them": lambda answer: answer.top,
    "precision": lambda answer: answer.precision,
    "recall": lambda answer: answer.recall,
    "with arguments: top-1 is one of them": lambda answer: answer.top_exact,
    "with arguments: precision": lambda answer: answer.precision_exact,
    "with arguments: recall": lambda answer: answer.recall_exact,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """All problems read in one way: with chances of methods that are even or learned, with facts shown or hidden."""

    chances: str
    hidden: bool
    reads: tuple[Read, ...]

    @property
    def name(self) -> str:
        """What it is called in tables."""
        return f"{self.chances} chances{', goal-specific facts hidden' if self.hidden else ''}"

    def by_share(self, of: Callable[[Answer], float]) -> list[float]:
        """Return the mean over problems at each share of the plan."""
        return [fmean(of(read.answers[share]) for read in self.reads) for share in SHARES]

    def foretold(self) -> dict[str, float]:
        """Return how often the next action was the first, or among the first three, of those foretold."""
        exact = [rank for read in self.reads for rank in read.ranks]
        names = [rank for read in self.reads for rank in read.name_ranks]
        return {
            "top-1": _within(exact, 1),
            "top-3": _within(exact, 3),
            "name top-1": _within(names, 1),
            "name top-3": _within(names, 3),
        }


@dataclass(frozen=True, slots=True)
class HierarchicalStudy:
    """The whole outcome; ``figures`` is what ``--json`` prints, ``lines`` what a terminal shows."""

    kind: str
    quick: bool
    seed: int
    several: bool
    conditions: tuple[Condition, ...]
    special: tuple[tuple[str, ...], int]  # predicates and number of objects that not every initial state has
    majority: float
    bigram: tuple[float, float]

    @property
    def _measures(self) -> dict[str, Callable[[Answer], float]]:
        return _SEVERAL if self.several else _SINGLE

    def figures(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "study": self.kind,
            "quick": self.quick,
            "seed": self.seed,
            "simulated": True,
            "problems": len(self.conditions[0].reads),
            "shares": list(SHARES),
            "hidden": {"predicates": list(self.special[0]), "objects": self.special[1]},
            "baselines": {"majority goal": self.majority, "bigram of names": list(self.bigram)},
            "conditions": {each.name: self._condition(each) for each in self.conditions},
        }

    def _condition(self, condition: Condition) -> dict[str, Any]:
        shown = {name: [round(value, 4) for value in condition.by_share(of)] for name, of in self._measures.items()}
        return {
            **shown,
            "next action": {name: round(value, 4) for name, value in condition.foretold().items()},
            "probability dropped": round(fmean(read.lost for read in condition.reads), 6),
            "actions unexplained": sum(read.unexplained for read in condition.reads),
        }

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the tables, in per cent."""
        count = len(self.conditions[0].reads)
        lines = [f"{self.kind}: {count} public problems, by share of the plan that was seen, in per cent", ""]
        width = max(map(len, self._measures)) + 2
        for each in self.conditions:
            lines.append(
                each.name + (" (learned on one half, tested on the other)" if each.chances == "learned" else "")
            )
            lines.append(f"  {'seen':<{width}}" + "".join(f"{share:>6}" for share in SHARES))
            lines += (f"  {name:<{width}}{_row(each.by_share(of))}" for name, of in self._measures.items())
            said = ", ".join(f"{name} {value:.1%}" for name, value in each.foretold().items())
            lines += [f"  next action: {said}", *_troubles(each), ""]
        lines.append(
            f"commonest goal: {self.majority:.1%}; names that mostly follow the last: "
            f"top-1 {self.bigram[0]:.1%}, top-3 {self.bigram[1]:.1%}"
        )
        if self.special[0]:
            lines.append(f"hidden: {', '.join(self.special[0])}, and {self.special[1]} objects that one problem has")
        return tuple(lines)


def _troubles(condition: Condition) -> Iterable[str]:
    unexplained = sum(read.unexplained for read in condition.reads)
    if unexplained:
        yield f"  actions that no plan explained: {unexplained}"
    lost = fmean(read.lost for read in condition.reads)
    if lost >= 0.0005:
        yield f"  probability that the beam dropped: {lost:.1%}"


def _row(values: Iterable[float]) -> str:
    return "".join(f"{100 * value:>6.0f}" for value in values)


def _within(ranks: list[Rank], most: int) -> float:
    """Return how often the first ``most`` have it; of those that are equally likely, any may come first."""
    return fmean(min(1.0, max(0, most - better) / equal) for better, equal in ranks) if ranks else 0.0
