"""Several methods on the same folds: a one-way repeated-measures ANOVA, and Tukey's test of each pair after it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

from telos.core.errors import TelosError

EXACT = 1e-12  # spread below this, beside the values themselves, is rounding


@dataclass(frozen=True, slots=True)
class Anova:
    """Do the methods differ? ``p`` is None where nothing is left to chance: no method's lead varies between folds."""

    f: float | None
    between: int  # degrees of freedom: methods - 1
    within: int  # (methods - 1) * (folds - 1)
    p: float | None
    error: float  # mean square of what neither method nor fold explains

    def figures(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"f": self.f, "df": [self.between, self.within], "p": self.p, "error": self.error}


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair of methods after an ANOVA: their difference, and how likely chance alone makes one as large."""

    first: str
    second: str
    difference: float
    q: float | None
    p: float | None

    def figures(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"a": self.first, "b": self.second, "difference": self.difference, "q": self.q, "p": self.p}


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
    return Anova(f, between, within, float(_scipy().f.sf(f, between, within)), square)


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
