"""Fewer, larger groups: what has the same form goes together, so that whoever works on them loops less."""

from collections.abc import Sequence

import numpy as np

from telos.logic.network import Clauses, Factors


def merged_factors(found: Sequence[tuple[tuple[int, ...], Factors]]) -> list[Factors]:
    """Return the factors of one rule, those with equal tables as one group; each comes with its variables' sizes."""
    alike: dict[object, list[Factors]] = {}
    for sizes, group in found:
        alike.setdefault((sizes, group.holds.tobytes(), group.holds.shape, group.formulas), []).append(group)
    return [groups[0] if len(groups) == 1 else _joined(groups) for groups in alike.values()]


def _joined(groups: Sequence[Factors]) -> Factors:
    weights, place = np.unique(np.concatenate([group.weights for group in groups]), axis=0, return_inverse=True)
    before = np.cumsum([0, *(len(group.weights) for group in groups)])
    keys = [group.key + first for group, first in zip(groups, before, strict=False)]
    first = groups[0]
    return Factors(
        first.rule,
        np.concatenate([group.scope for group in groups]),
        place.ravel()[np.concatenate(keys)].astype(np.int32),
        weights,
        first.holds,
        first.hard,
        first.formulas,
    )


def merged_clauses(found: Sequence[Clauses]) -> list[Clauses]:
    """Return the clauses of one rule as one group, or none."""
    groups = [group for group in found if len(group.weight)]
    if len(groups) < 2:
        return groups
    before = np.cumsum([0, *(len(group.variable) for group in groups)]).astype(np.int32)
    starts = [group.start[:-1] + first for group, first in zip(groups, before, strict=False)]
    return [
        Clauses(
            groups[0].rule,
            np.concatenate([*starts, before[-1:]]),
            np.concatenate([group.variable for group in groups]),
            np.concatenate([group.value for group in groups]),
            np.concatenate([group.negated for group in groups]),
            np.concatenate([group.weight for group in groups]),
            np.concatenate([group.sign for group in groups]),
            groups[0].hard,
        )
    ]
