"""Exact inference: where a network is a chain, a tree or narrow enough, the answer is known and not searched for."""

from telos.logic.exact.chains import (
    BestPaths,
    Chain,
    ChainScores,
    Links,
    Smoothed,
    Steps,
    chain_of,
    chain_scores,
    forward_backward,
    forward_filter,
    steps_of,
    viterbi,
)
from telos.logic.exact.elimination import MOST_CELLS, Expected, exact_map, exact_marginals, expected_counts

__all__ = [
    "MOST_CELLS",
    "BestPaths",
    "Chain",
    "ChainScores",
    "Expected",
    "Links",
    "Smoothed",
    "Steps",
    "chain_of",
    "chain_scores",
    "exact_map",
    "exact_marginals",
    "expected_counts",
    "forward_backward",
    "forward_filter",
    "steps_of",
    "viterbi",
]
