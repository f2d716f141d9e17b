"""What comes out of a study of human players: figures, tests, and what they mean in plain words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean
from typing import Any, Protocol, TypeVar

from telos.studies.humans.scores import Score
from telos.studies.statistics import Paired, paired, said_p

Done = TypeVar("Done")


class Watched(Protocol):
    """Is handed what is done as it comes, with its number, to pass it on: a place for a progress bar."""

    def __call__(self, done: Iterable[Done], total: int, /) -> Iterable[Done]:
        """Return the same, one by one."""


def unwatched(done: Iterable[Done], total: int, /) -> Iterable[Done]:
    """Pass on what is done, and tell nobody."""
    return done


@dataclass(frozen=True, slots=True)
class Figure:
    """The accuracy of one method, its interval over groups, and the published figure if there is one."""

    method: str
    accuracy: float
    interval: tuple[float, float]
    rows: int
    by_group: Mapping[str, float]
    published: float | None = None

    @classmethod
    def of(cls, method: str, score: Score, *, rng: Random, published: float | None = None) -> "Figure":
        """Return the figure of a score."""
        low, high = score.interval(rng)
        return cls(method, score.accuracy, (low, high), score.rows.total(), score.by_group, published)

    def figures(self) -> dict[str, Any]:
        """Return it as JSON has it: accuracies as shares, published figures in per cent as printed."""
        return {
            "accuracy": _rounded(self.accuracy),
            "ci": [_rounded(bound) for bound in self.interval],
            "rows": self.rows,
            "published": self.published,
            "by_group": {group: _rounded(share) for group, share in self.by_group.items()},
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two ways of training, tested on the same players; accuracies are means over players."""

    a: str
    b: str
    accuracy_a: float
    accuracy_b: float
    test: Paired
    published: tuple[float, float] | None = None
    published_p: float | None = None

    def figures(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "a": self.a,
            "b": self.b,
            "accuracy_a": _rounded(self.accuracy_a),
            "accuracy_b": _rounded(self.accuracy_b),
            "difference": _rounded(self.test.difference),
            "ci": [_rounded(bound) for bound in self.test.interval],
            "players": self.test.n,
            "p": self.test.p,
            "effect": self.test.effect,
            "published": None if self.published is None else list(self.published),
            "published_p": self.published_p,
        }

    def said(self) -> str:
        """Say it in one line."""
        low, high = (100 * each for each in self.test.interval)
        line = (
            f"{self.a} {100 * self.accuracy_a:.1f}, {self.b} {100 * self.accuracy_b:.1f}: "
            f"{100 * self.test.difference:+.1f} [{low:+.1f}, {high:+.1f}] "
            f"over {self.test.n} players, {said_p(self.test.p)}"
        )
        if self.published is not None:
            line += f" (published {self.published[0]:g} and {self.published[1]:g}, p = {self.published_p:g})"
        return line


@dataclass(frozen=True, slots=True)
class HumanStudy:
    """The whole outcome; ``figures`` is what ``--json`` prints, ``lines`` what a terminal shows."""

    study: str
    seed: int
    quick: bool
    accuracies: tuple[Figure, ...]
    comparisons: tuple[Comparison, ...] = ()
    findings: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)

    def figures(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "study": self.study,
            "seed": self.seed,
            "quick": self.quick,
            "simulated": False,
            "players": "human",
            "methods": {figure.method: figure.figures() for figure in self.accuracies},
            "tests": [each.figures() for each in self.comparisons],
            "findings": list(self.findings),
            **self.details,
        }

    @property
    def lines(self) -> tuple[str, ...]:
        """Return a table of the figures, the tests and the findings."""
        width = max((len(each.method) for each in self.accuracies), default=0)
        shown = [f"{self.study}: human players, share of rows at which the likeliest goal was right, in per cent"]
        for each in self.accuracies:
            beside = "" if each.published is None else f"  published {each.published:.1f}"
            low, high = (100 * bound for bound in each.interval)
            shown.append(f"  {each.method:<{width}}  {100 * each.accuracy:5.1f}  [{low:.1f}, {high:.1f}]{beside}")
        return (*shown, *(f"  {each.said()}" for each in self.comparisons), *self.findings)


def compared(
    a: str,
    b: str,
    first: Sequence[float],
    second: Sequence[float],
    *,
    rng: Random,
    published: tuple[float, float] | None = None,
    published_p: float | None = None,
) -> Comparison:
    """Return the paired comparison of two ways of training; the shares are by player, in the same order."""
    return Comparison(a, b, fmean(first), fmean(second), paired(first, second, rng=rng), published, published_p)


def _rounded(share: float) -> float:
    return round(share, 6)
