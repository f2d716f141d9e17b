"""What a database says of hidden atoms: known values, and values that a block is known not to have."""

from collections.abc import Sequence

import numpy as np

from telos.logic.database import Database
from telos.logic.grounding.hidden import Family
from telos.logic.network import Factors, Ints


def given_values(
    families: Sequence[Family], database: Database, total: int, kept_back: set[str]
) -> tuple[Ints, list[Factors]]:
    """Return the known values of variables, and factors for the values that a block is known not to have."""
    given = np.full(total, -1, np.int32)
    denied: list[Factors] = []
    for family in families:
        if family.name in kept_back:
            continue
        if family.name in database.false:
            variables, values = family.known(database.false[family.name])
            if family.blocks:
                denied += [_not(family.size, value, variables[values == value]) for value in np.unique(values)]
            else:
                given[variables] = 0
        if family.name in database.true:
            variables, values = family.known(database.true[family.name])
            given[variables] = values
    return given, denied


def _not(size: int, value: int, variables: Ints) -> Factors:
    holds = (np.arange(size) != value).astype(np.float64)[:, None]
    none = np.full((1, 1), -1, np.int32)
    return Factors(-1, variables[:, None], np.zeros(len(variables), np.int32), none, holds, True, 1)
