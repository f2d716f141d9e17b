"""Inference by search, for networks too wide for exact sums: integer programs, local search, drawing worlds."""

from telos.logic.search.conflict import conflict_of
from telos.logic.search.cutting import cutting_planes, full_program
from telos.logic.search.sampled import Sampled
from telos.logic.search.sampling import gibbs, mcsat
from telos.logic.search.walking import walksat

__all__ = ["Sampled", "conflict_of", "cutting_planes", "full_program", "gibbs", "mcsat", "walksat"]
