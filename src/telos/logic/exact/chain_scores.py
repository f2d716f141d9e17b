"""The scores of a chain: what each value at each position adds, and what each step from one value to the next adds.

Steps with the same keys share a table: 77,000 steps of seven goals need a few tables of 49 numbers, not 77,000.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from telos.core.kernels import kernel
from telos.logic.chain import Chain
from telos.logic.exact import kernel as products
from telos.logic.network import Floats, Ints, Network
from telos.logic.scoring import cell_scores
from telos.logic.short_clauses import tabled

MOST_MARKED = 2**24  # combinations of keys that are told apart by marking them in a table; more are sorted


@dataclass(frozen=True, slots=True)
class Steps:
    """Which steps of a chain share a table. It depends on the keys alone, so learning makes it once."""

    row: Ints  # (positions,) of the table for the step from p-1 to p; 0 and of no meaning where a sequence starts
    keys: Ints  # (rows, pairs) one key of each of the chain's pairs, -1 for none


@dataclass(frozen=True, slots=True)
class ChainScores:
    """What the values of a chain score under certain weights; -inf where a value or a step is forbidden."""

    unary: Floats  # (positions, size)
    row: Ints  # (positions,) as in ``Steps``
    tables: Floats  # (rows, size, size), from the value at p-1 to the value at p


def chain_scores(
    network: Network, chain: Chain, weights: Floats | None = None, *, steps: Steps | None = None
) -> ChainScores:
    """Return the scores of a chain under the network's own weights, or others in the same order.

    What is given counts as forbidding all other values.
    """
    weights = network.weights if weights is None else weights
    steps = steps_of(chain) if steps is None else steps
    together = tabled(network)
    assert together is not None  # a chain's clauses are short
    needed = {links.group for links in (*chain.singles, *chain.pairs)}
    scores = {group: cell_scores(together.factors[group], weights) for group in needed}
    unary = np.zeros((len(chain.order), chain.size))
    for links in chain.singles:
        kernel(products).add_rows(unary, scores[links.group], links.key)
    _fix(unary, network.given[chain.order])
    return ChainScores(unary, steps.row, _step_tables(chain, steps, scores))


def steps_of(chain: Chain) -> Steps:
    """Return which steps of a chain have the same keys."""
    code = np.zeros(len(chain.order), np.int64)
    for links in chain.pairs:
        code = _numbered(code * (int(links.key.max(initial=-1)) + 2) + links.key + 1)
    if not chain.pairs or not len(code):
        return Steps(code.astype(np.int32), np.empty((1, 0), np.int32))
    example = np.zeros(int(code.max()) + 1, np.int64)
    example[code] = np.arange(len(code))
    keys = np.stack([links.key[example] for links in chain.pairs], axis=1)
    return Steps(code.astype(np.int32), keys)


def _numbered(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the codes, of 0 or more, in the same order, as numbers without gaps."""
    most = int(codes.max(initial=0)) + 1
    if most > min(MOST_MARKED, 1024 + 16 * len(codes)):
        return np.unique(codes, return_inverse=True)[1].reshape(-1)
    is_used = np.zeros(most, np.int64)
    is_used[codes] = 1
    numbers: NDArray[np.int64] = (np.cumsum(is_used) - 1)[codes]
    return numbers


def _with_none(table: Floats) -> Floats:
    """Add a last row of zeros, which is that of key -1."""
    return np.concatenate([table, np.zeros((1, table.shape[1]))])


def _fix(unary: Floats, given: Ints) -> None:
    (known,) = np.nonzero(given >= 0)
    kept = unary[known, given[known]]
    unary[known] = -np.inf
    unary[known, given[known]] = kept


def _step_tables(chain: Chain, steps: Steps, scores: dict[int, Floats]) -> Floats:
    """Return the sum of all pairs' tables for each row of keys."""
    shape = (len(steps.keys), chain.size, chain.size)
    tables = np.zeros(shape)
    for links, key in zip(chain.pairs, steps.keys.T, strict=True):
        one = _with_none(scores[links.group])[key].reshape(shape)
        tables += one.transpose(0, 2, 1) if links.turned else one
    return tables
