"""Markov logic files as recognisers."""

import os

from telos.core.errors import TelosError
from telos.recognition.markov_logic import GOAL, MarkovLogicModel


def load_logic_model(path: str | os.PathLike[str]) -> MarkovLogicModel:
    """Read the formulas at ``path``; they must have weights that tell goals apart."""
    from telos.logic.syntax import load_mln

    logic = load_mln(os.fspath(path))
    if GOAL not in logic.predicates:
        raise TelosError(f"{os.fspath(path)}: a recogniser needs the predicate goal(time, goal!)")
    return MarkovLogicModel(logic, name=os.path.splitext(os.path.basename(os.fspath(path)))[0])
