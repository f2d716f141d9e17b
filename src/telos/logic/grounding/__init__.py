"""Grounding: what is left of weighted formulas once the evidence is known."""

from telos.logic.grounding.atoms import truth_of
from telos.logic.grounding.clauses import GroundClauses, clauses_of, restated
from telos.logic.grounding.ground import ground

__all__ = [
    "GroundClauses",
    "clauses_of",
    "ground",
    "restated",
    "truth_of",
]
