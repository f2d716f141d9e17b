"""Markov logic: weighted first-order formulas, inference, and weight learning.

    .mln, .db ──▶ MarkovLogic, Database ──▶ Network ──▶ InferenceResult
    syntax/       model.py, database.py     grounding/   inference.py: exact/ (narrow networks), search/ (wide ones)

Start with `parse_mln`, `parse_db` and `infer`. Weights: `learn` (learning/). Beliefs while a game runs: `OnlineFilter`
(online.py). Models built in Python: the formulas and `Rule` below, then `check_model`.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from telos.core.errors import TelosError
from telos.lazy import lazy_exports

if find_spec("numpy") is None:  # checked once here, for every module of the package
    raise TelosError("Markov logic needs NumPy", 'pip install "telos[logic]"')

if TYPE_CHECKING:
    from telos.logic.database import Database, database_from_arrays, database_from_rows, select_worlds
    from telos.logic.formulas import (
        And,
        Apply,
        Atom,
        Constant,
        Equal,
        Exists,
        ForAll,
        Formula,
        Iff,
        Implies,
        Not,
        Or,
        Variable,
    )
    from telos.logic.grounding import ground
    from telos.logic.inference import AtomExplanation, InferenceResult, infer
    from telos.logic.learning import LearningResult, learn
    from telos.logic.model import Function, MarkovLogic, Predicate, Rule
    from telos.logic.network import Marginals, MostProbable, Network, Unsatisfiable
    from telos.logic.online import OnlineFilter, OnlineReason
    from telos.logic.syntax import (
        check_model,
        format_db,
        format_formula,
        format_mln,
        load_db,
        load_mln,
        parse_db,
        parse_mln,
    )

_FORMULAS = "And Apply Atom Constant Equal Exists ForAll Formula Iff Implies Not Or Variable"
_SYNTAX = "check_model format_db format_formula format_mln load_db load_mln parse_db parse_mln"

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        **dict.fromkeys(("Database", "database_from_arrays", "database_from_rows", "select_worlds"), "database"),
        **dict.fromkeys(_FORMULAS.split(), "formulas"),
        "ground": "grounding",
        **dict.fromkeys(("AtomExplanation", "InferenceResult", "infer"), "inference"),
        **dict.fromkeys(("LearningResult", "learn"), "learning"),
        **dict.fromkeys(("Function", "MarkovLogic", "Predicate", "Rule"), "model"),
        **dict.fromkeys(("Marginals", "MostProbable", "Network", "Unsatisfiable"), "network"),
        **dict.fromkeys(("OnlineFilter", "OnlineReason"), "online"),
        **dict.fromkeys(_SYNTAX.split(), "syntax"),
    },
)

__all__ = [
    "And",
    "Apply",
    "Atom",
    "AtomExplanation",
    "Constant",
    "Database",
    "Equal",
    "Exists",
    "ForAll",
    "Formula",
    "Function",
    "Iff",
    "Implies",
    "InferenceResult",
    "LearningResult",
    "Marginals",
    "MarkovLogic",
    "MostProbable",
    "Network",
    "Not",
    "OnlineFilter",
    "OnlineReason",
    "Or",
    "Predicate",
    "Rule",
    "Unsatisfiable",
    "Variable",
    "check_model",
    "database_from_arrays",
    "database_from_rows",
    "format_db",
    "format_formula",
    "format_mln",
    "ground",
    "infer",
    "learn",
    "load_db",
    "load_mln",
    "parse_db",
    "parse_mln",
    "select_worlds",
]
