"""Grounding: what is left of weighted formulas once the evidence is known."""

from telos.logic.grounding.clausal import GroundClauses, clauses_of, restated
from telos.logic.grounding.front import ground
from telos.logic.grounding.score import cells_of, clauses_hold, score_of, tables_of
from telos.logic.grounding.truth import truth_of

__all__ = [
    "GroundClauses",
    "cells_of",
    "clauses_hold",
    "clauses_of",
    "ground",
    "restated",
    "score_of",
    "tables_of",
    "truth_of",
]
