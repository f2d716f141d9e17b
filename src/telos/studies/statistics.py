"""Statistics of studies: bootstrap intervals, paired t-tests, repeated-measures ANOVA and Tukey's test."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from random import Random
from statistics import fmean, stdev
from typing import Any

from telos.core.errors import TelosError

CONFIDENCE = 0.95
RESAMPLES = 2_000
LEVEL = 0.05  # a difference with a smaller p is called significant, as in both papers


@dataclass(frozen=True, slots=True)
class Paired:
    """The two-tailed paired t-test of two methods.

    ``effect`` is Cohen's d of the differences: their mean in standard deviations. A p of None means that there is
    nothing to test: fewer than two pairs.
    """

    n: int
    difference: float
    interval: tuple[float, float]
    t: float | None
    p: float | None
    effect: float | None

    @property
    def is_significant(self) -> bool:
        """Whether p is below the significance level."""
        return self.p is not None and self.p < LEVEL


EXACT = 1e-12  # spread below this, beside the values themselves, is rounding


@dataclass(frozen=True, slots=True)
class Anova:
    """Do the methods differ? ``p`` is None where nothing is left to chance: no method's lead varies between folds."""

    f: float | None
    between: int  # degrees of freedom: methods - 1
    within: int  # (methods - 1) * (folds - 1)
    p: float | None
    error: float  # mean square of what neither method nor fold explains

    def data(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {"f": self.f, "df": [self.between, self.within], "p": self.p, "error": self.error}


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair of methods after an ANOVA: their difference, and how likely chance alone makes one as large."""

    first: str
    second: str
    difference: float
    q: float | None
    p: float | None

    def data(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {"a": self.first, "b": self.second, "difference": self.difference, "q": self.q, "p": self.p}


def paired(first: Sequence[float], second: Sequence[float], *, rng: Random) -> Paired:
    """Compare two methods that were scored on the same runs, in the same order."""
    if len(first) != len(second) or not first:
        raise TelosError(f"a paired test needs as many values on both sides, got {len(first)} and {len(second)}")
    differences = [a - b for a, b in zip(first, second, strict=True)]
    mean = fmean(differences)
    t, p, effect = _t_test(first, second, differences)
    return Paired(len(differences), mean, interval(differences, rng=rng), t, p, effect)


def _t_test(
    first: Sequence[float], second: Sequence[float], differences: Sequence[float]
) -> tuple[float | None, float | None, float | None]:
    if len(differences) < 2:
        return None, None, None
    spread, mean = stdev(differences), fmean(differences)
    if spread <= 1e-12 * max(1.0, abs(mean)):  # the same difference every time: no t, but no doubt either
        return None, 1.0 if abs(mean) < 1e-12 else 0.0, None
    need_scipy()
    from scipy.stats import ttest_rel  # slow to load

    result = ttest_rel(first, second)
    return float(result.statistic), float(result.pvalue), mean / spread


def need_scipy() -> None:
    """Raise an error that names the extra if scipy is missing, before a study runs."""
    if find_spec("scipy") is None:
        raise TelosError("paired t-tests need scipy", "install it with: pip install 'telos[studies]'")


def interval(
    values: Sequence[float], *, rng: Random, confidence: float = CONFIDENCE, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """Return the bootstrap percentile interval of the mean.

    >>> interval([0.5, 0.5, 0.5], rng=Random(1))
    (0.5, 0.5)
    """
    if not values:
        raise TelosError("an interval needs at least one value")
    if not 0 < confidence < 1:
        raise TelosError(f"confidence lies between 0 and 1, got {confidence!r}")
    count = len(values)
    means = sorted(math.fsum(rng.choices(values, k=count)) / count for _ in range(resamples))
    tail = (1 - confidence) / 2
    return quantile(means, tail), quantile(means, 1 - tail)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which a share of ordered values lies, between neighbours if need be.

    >>> quantile([1.0, 2.0, 4.0], 0.75)
    3.0
    """
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def format_p(p: float | None) -> str:
    """Format a p-value as papers do.

    >>> format_p(0.00001), format_p(0.034), format_p(0.66), format_p(None)
    ('p < 0.0001', 'p = 0.034', 'p = 0.66', 'not tested')
    """
    if p is None:
        return "not tested"
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"


# --- several methods on the same folds --------------------------------------------------------------------------------


def repeated_measures(scores: Mapping[str, Sequence[float]]) -> Anova:
    """Return the one-way repeated-measures ANOVA of methods that were scored on the same folds, in the same order.

    What a fold does to all methods alike is taken out before they are compared.
    """
    folds = _checked(scores)
    methods = len(scores)
    values = list(scores.values())
    grand = fmean(value for each in values for value in each)
    by_method = [fmean(each) for each in values]
    by_fold = [fmean(each[fold] for each in values) for fold in range(folds)]
    effect = folds * math.fsum((mean - grand) ** 2 for mean in by_method)
    error = math.fsum(
        (each[fold] - by_method[at] - by_fold[fold] + grand) ** 2
        for at, each in enumerate(values)
        for fold in range(folds)
    )
    between, within = methods - 1, (methods - 1) * (folds - 1)
    square = error / within
    if square <= (EXACT * max(1.0, abs(grand))) ** 2:
        return Anova(None, between, within, 1.0 if effect <= EXACT else None, 0.0)
    f = effect / between / square
    return Anova(f, between, within, f_test(f, between, within), square)


def f_test(f: float, between: int, within: int) -> float:
    """Return the p of an F with its degrees of freedom."""
    return float(_scipy().f.sf(f, between, within))


def tukey(scores: Mapping[str, Sequence[float]]) -> tuple[Pair, ...]:
    """Return Tukey's test of every pair of methods on the same folds, with the error of the repeated-measures ANOVA."""
    folds, anova = _checked(scores), repeated_measures(scores)
    found = []
    for first, second in combinations(scores, 2):
        difference = fmean(scores[first]) - fmean(scores[second])
        q = p = None
        if anova.error:
            q = abs(difference) / math.sqrt(anova.error / folds)
            p = float(_scipy().studentized_range.sf(q, len(scores), anova.within))
        found.append(Pair(first, second, difference, q, p))
    return tuple(found)


def _checked(scores: Mapping[str, Sequence[float]]) -> int:
    """Return the number of folds; fewer than two methods or folds leave nothing to compare."""
    lengths = {len(each) for each in scores.values()}
    if len(scores) < 2:
        raise TelosError(f"an analysis of variance compares at least 2 methods, got {len(scores)}")
    if len(lengths) > 1:
        raise TelosError(f"every method needs a score on every fold, got {sorted(lengths)} of them")
    folds = lengths.pop()
    if folds < 2:
        raise TelosError(f"an analysis of variance needs at least 2 folds, got {folds}")
    return folds


def _scipy() -> Any:
    try:
        from scipy import stats  # an extra, and slow to load
    except ImportError:
        raise TelosError("analyses of variance need scipy", "install it with: pip install 'telos[studies]'") from None
    return stats
