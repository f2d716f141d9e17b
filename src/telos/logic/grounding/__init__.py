"""Grounding: from a model and a database to the network of what the evidence leaves open.

    rule ──▶ prepare ──▶ join ──▶ open part ──▶ factor or clauses ──▶ merge ──▶ Network
             rules.py    rules.py  rewrite.py,   factors.py            weights.py
                                   factors.py

* ``atoms.py`` turns the database into evidence relations, and hidden atoms into variables (a block is one variable).
* ``prepare_rule`` removes quantifiers and functions from a rule and sorts its variables (``PreparedRule``).
* ``iter_open_cases`` splits the rule by the truth of its evidence atoms; ``EvidenceJoin`` joins the evidence relations
  of each case into ``Bindings``, the table of constants for the rule's variables (bindings.py).
* ``FormulaGrouper`` puts bindings with the same open part together: a ``FormulaGroup`` with its ``OpenFormula``.
* The open formula becomes a table over the values of its variables, or clauses where a table would be too large.
* ``number_weights`` gives each ground formula its weight; groups with equal tables are merged.

Start with `ground` (ground.py). `to_clauses` (clauses.py) is the network as weighted clauses, for other engines.
"""

from telos.logic.grounding.atoms import find_hidden, read_truth
from telos.logic.grounding.clauses import GroundClauses, sum_restated_weights, to_clauses
from telos.logic.grounding.ground import ground

__all__ = [
    "GroundClauses",
    "find_hidden",
    "ground",
    "read_truth",
    "sum_restated_weights",
    "to_clauses",
]
