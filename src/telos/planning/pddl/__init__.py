"""PDDL: the planning field's benchmark language, read and grounded into Telos domains.

    text ──▶ sections, syntax trees ──▶ LiftedTask ──▶ ground actions ──▶ variables, actions, goal
             syntax.py                  parser.py      grounding.py       problem.py

Start with ``load_pddl`` (problem.py).
"""

from telos.planning.pddl.problem import PddlProblem, load_pddl, loads_pddl

__all__ = ["PddlProblem", "load_pddl", "loads_pddl"]
