"""Exact inference: the most probable world, marginals and expected counts of networks that are narrow enough.

    Network ──▶ components ──▶ chains: Viterbi, forward-backward     chains.py, kernel.py
                               others: variable elimination          elimination.py

Start with `exact_map` and `exact_marginals` (elimination.py). ``kernel.py`` has the inner loops of chains.

Forward, backward and Viterbi stand in four places, because each has another layout of its numbers. The reference is
the sum over all paths or worlds, by enumeration; every implementation is compared with it, directly or through another:

* ``recognition.filtering`` and ``recognition.hindsight``: one player, dictionaries. Compared with all paths in
  ``tests/property/test_recognition.py``.
* ``recognition.bulk.kernel``: many players, arrays. Compared with the two above in ``tests/property/test_bulk.py``.
* ``logic.exact.kernel``: sequences with tables shared between steps. Compared with all worlds, and with variable
  elimination, in ``tests/property/test_exact.py``.
* ``logic.learning.kernel``: the same sequences with gradients. Compared with all worlds, with ``exact_map`` and with
  finite differences in ``tests/property/test_learning.py``.

``logic.online`` filters one step at a time; ``tests/property/test_online.py`` compares it with all worlds.
"""

from telos.logic.exact.chains import (
    BestPaths,
    Chain,
    ChainFactors,
    ChainScores,
    SharedSteps,
    SmoothedChain,
    find_chain,
    find_shared_steps,
    forward_backward,
    forward_filter,
    score_chain,
    viterbi,
)
from telos.logic.exact.elimination import MAX_CELLS, ExpectedCounts, exact_map, exact_marginals, expected_counts

__all__ = [
    "MAX_CELLS",
    "BestPaths",
    "Chain",
    "ChainFactors",
    "ChainScores",
    "ExpectedCounts",
    "SharedSteps",
    "SmoothedChain",
    "exact_map",
    "exact_marginals",
    "expected_counts",
    "find_chain",
    "find_shared_steps",
    "forward_backward",
    "forward_filter",
    "score_chain",
    "viterbi",
]
