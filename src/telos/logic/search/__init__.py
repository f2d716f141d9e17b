"""Inference by search, for networks too wide for exact sums: integer programs, local search, drawing worlds."""

from telos.logic.search.conflicts import conflict_of
from telos.logic.search.cutting_planes import cutting_planes, full_program
from telos.logic.search.sampling import Sampled, gibbs, mcsat
from telos.logic.search.walksat import walksat

__all__ = ["Sampled", "conflict_of", "cutting_planes", "full_program", "gibbs", "mcsat", "walksat"]
