"""Plan grammars: hierarchical plans as a probabilistic grammar, and players recognised by parsing their actions.

Start with `load_grammar` (files.py) and `PlanGrammarReader` (reader.py, session.py). Grammars: grammar.py; the Earley
parser: earley.py; learning chances: learning.py. Lifted grammars with parameters, from HDDL: hddl.py, lifted.py.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.recognition.grammar.files import grammar_schema, load_grammar, loads_grammar
    from telos.recognition.grammar.grammar import PlanGrammar, Production, Tolerance, grammar_from_tasks
    from telos.recognition.grammar.hddl import HddlDomain, HddlProblem, HddlStep, read_hddl_domain, read_hddl_problem
    from telos.recognition.grammar.learning import (
        Derivation,
        LearningRound,
        inside_outside,
        learn_from_trees,
        log_likelihood,
    )
    from telos.recognition.grammar.lifted import LiftedLimits, LiftedReader, learn_follow, lifted_next_actions
    from telos.recognition.grammar.reader import GrammarReasons, PartialPlan, PlanGrammarReader

__all__ = [
    "Derivation",
    "GrammarReasons",
    "HddlDomain",
    "HddlProblem",
    "HddlStep",
    "LearningRound",
    "LiftedLimits",
    "LiftedReader",
    "PartialPlan",
    "PlanGrammar",
    "PlanGrammarReader",
    "Production",
    "Tolerance",
    "grammar_from_tasks",
    "grammar_schema",
    "inside_outside",
    "learn_follow",
    "learn_from_trees",
    "lifted_next_actions",
    "load_grammar",
    "loads_grammar",
    "log_likelihood",
    "read_hddl_domain",
    "read_hddl_problem",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "Derivation": "learning",
        "GrammarReasons": "reader",
        "HddlDomain": "hddl",
        "HddlProblem": "hddl",
        "HddlStep": "hddl",
        "LearningRound": "learning",
        "LiftedLimits": "lifted",
        "LiftedReader": "lifted",
        "PartialPlan": "reader",
        "PlanGrammar": "grammar",
        "PlanGrammarReader": "reader",
        "Production": "grammar",
        "Tolerance": "grammar",
        "grammar_from_tasks": "grammar",
        "grammar_schema": "files",
        "inside_outside": "learning",
        "learn_follow": "lifted",
        "learn_from_trees": "learning",
        "lifted_next_actions": "lifted",
        "load_grammar": "files",
        "loads_grammar": "files",
        "log_likelihood": "learning",
        "read_hddl_domain": "hddl",
        "read_hddl_problem": "hddl",
    },
)
