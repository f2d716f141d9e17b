"""PDDL in: the benchmarks of the planning field, read and grounded into domains."""

from telos.planning.pddl.problem import PddlProblem, load_pddl, loads_pddl

__all__ = ["PddlProblem", "load_pddl", "loads_pddl"]
