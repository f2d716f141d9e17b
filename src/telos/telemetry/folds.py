"""Folds: groups of rows dealt out so that no group is torn and all folds weigh about the same."""

import heapq
from collections.abc import Mapping
from random import Random

from telos.core.errors import TelosError


def assign_folds(sizes: Mapping[str, int], folds: int, rng: Random) -> dict[str, int]:
    """Return the fold of each group; ``sizes`` are the groups' rows.

    Large groups are dealt first, each to the lightest fold: of the largest that are left, a random one, so that
    another seed gives other folds and the small ones still even out what the large ones did.

    >>> sorted(assign_folds({"ann": 9, "bo": 5, "cy": 4}, 2, Random(1)).values())
    [0, 1, 1]
    """
    if not 2 <= folds <= len(sizes):
        raise TelosError(_refusal(sizes, folds))
    left = sorted(sizes, key=lambda group: (sizes[group], group))  # the largest last, where taking out is cheap
    lightest = [(0, fold) for fold in range(folds)]
    found = {}
    while left:
        group = left.pop(-1 - rng.randrange(min(folds, len(left))))
        rows, fold = lightest[0]
        heapq.heapreplace(lightest, (rows + sizes[group], fold))
        found[group] = fold
    return found


def _refusal(sizes: Mapping[str, int], folds: int) -> str:
    if folds < 2:
        return f"folds must be at least 2, or 0 for none, got {folds}"
    if len(sizes) == 1:
        only = next(iter(sizes))
        return (
            f"no folds with one player or group ({only!r}): nobody is left to test on; record more, or ask for 0 folds"
        )
    return (
        f"{folds} folds need as many players or groups, and there are {len(sizes)}; ask for {len(sizes)} folds or fewer"
    )
