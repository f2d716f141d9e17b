"""Goal analytics: from readings of many players to what a producer asks: what are they after, and where do they stop?

    log ──▶ readings ──▶ stretches and stays ──▶ tables and findings ──▶ page
            readings.py  stretches.py            analysis.py             figures.py, page.py

Start with `find_readings`, `find_stretches` and `analyse`. Stretches of different players may be found apart, on one
machine or many, and added.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.telemetry.analytics.analysis import GoalAnalysis, analyse
    from telos.telemetry.analytics.page import goal_page, save_page
    from telos.telemetry.analytics.readings import find_readings, whole_sessions
    from telos.telemetry.analytics.scores_page import save_scores, scores_page
    from telos.telemetry.analytics.stretches import Stretches, StretchRules, find_stretches

_HOMES = {
    **dict.fromkeys(("GoalAnalysis", "analyse"), "analysis"),
    **dict.fromkeys(("goal_page", "save_page"), "page"),
    **dict.fromkeys(("find_readings", "whole_sessions"), "readings"),
    **dict.fromkeys(("save_scores", "scores_page"), "scores_page"),
    **dict.fromkeys(("StretchRules", "Stretches", "find_stretches"), "stretches"),
}

__all__ = [
    "GoalAnalysis",
    "StretchRules",
    "Stretches",
    "analyse",
    "find_readings",
    "find_stretches",
    "goal_page",
    "save_page",
    "save_scores",
    "scores_page",
    "whole_sessions",
]

__getattr__, __dir__ = lazy_exports(__name__, _HOMES)
