"""Inference by search and sampling, for networks too wide for exact inference.

    Network ──▶ Potentials ──▶ integer program (HiGHS), cutting planes     integer_program.py, cutting_planes.py
                               MaxWalkSAT                                  walksat.py, kernel.py
                               Gibbs sampling, MC-SAT                      sampling.py, kernel.py

Start with `cutting_planes`. `find_conflict` (conflicts.py) explains why no world keeps all hard formulas.
"""

from telos.logic.search.conflicts import find_conflict
from telos.logic.search.cutting_planes import cutting_planes, full_program
from telos.logic.search.sampling import SampledMarginals, gibbs, mcsat
from telos.logic.search.walksat import walksat

__all__ = ["SampledMarginals", "cutting_planes", "find_conflict", "full_program", "gibbs", "mcsat", "walksat"]
