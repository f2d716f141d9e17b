"""Grounding: what is left of weighted formulas once the evidence is known."""

from telos.logic.grounding.clausal import GroundClauses, clauses_of, restated
from telos.logic.grounding.front import ground
from telos.logic.grounding.truth import truth_of

__all__ = [
    "GroundClauses",
    "clauses_of",
    "ground",
    "restated",
    "truth_of",
]
