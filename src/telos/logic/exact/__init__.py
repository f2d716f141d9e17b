"""Exact inference: where a network is a chain, a tree or narrow enough, the answer is known and not searched for."""

from telos.logic.chain import Chain, Links, chain_of
from telos.logic.exact.chain_scores import ChainScores, Steps, chain_scores, steps_of
from telos.logic.exact.expectation import Expected, expected_counts
from telos.logic.exact.front import MOST_CELLS, exact_map, exact_marginals
from telos.logic.exact.sequences import BestPaths, Smoothed, forward_backward, forward_filter, viterbi

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
