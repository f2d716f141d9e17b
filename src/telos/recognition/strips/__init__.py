"""Goal recognition by planning on STRIPS: the public PDDL problems of the field, read, grounded and recognised.

    files ──▶ StripsProblem ──▶ GoalCosts (LM-cut bounds, A*) ──▶ PlanReading ──▶ BenchmarkScore
    problem.py                  costs.py, search.py               recognize.py    benchmark.py
                                                                  cost_difference.py (Ramírez and Geffner's method)

Start with `read_shared_problem` and `recognize`; `recognize_all` and `score_groups` are for whole collections.
"""

from telos.recognition.strips.benchmark import (
    PUBLISHED_SCORES,
    BenchmarkScore,
    CaseResult,
    RecognitionSettings,
    recognize_all,
    recognize_case,
    score_groups,
)
from telos.recognition.strips.problem import (
    CaseLabel,
    RecognitionCase,
    StripsAction,
    StripsGoal,
    StripsProblem,
    read_cases,
    read_labels,
    read_shared_problem,
    read_true_goal,
    strips_problem,
)
from telos.recognition.strips.reading import GoalCost, PlanReading
from telos.recognition.strips.recognize import recognize

__all__ = [
    "PUBLISHED_SCORES",
    "BenchmarkScore",
    "CaseLabel",
    "CaseResult",
    "GoalCost",
    "PlanReading",
    "RecognitionCase",
    "RecognitionSettings",
    "StripsAction",
    "StripsGoal",
    "StripsProblem",
    "read_cases",
    "read_labels",
    "read_shared_problem",
    "read_true_goal",
    "recognize",
    "recognize_all",
    "recognize_case",
    "score_groups",
    "strips_problem",
]
