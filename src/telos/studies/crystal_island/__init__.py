"""Goal recognition with Markov logic, after the Crystal Island chapter: models and baselines in folds, on the island
and on logs of human players.

    logs.py (labelled logs) ──▶ models.py (models, baselines) ──▶ folds.py (train, read, measure) ──▶ study.py (result)

Start with ``run_study`` (study.py).
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.studies.crystal_island.logs import GoalLog, human_log, island_log
    from telos.studies.crystal_island.study import run_study

__all__ = ["GoalLog", "human_log", "island_log", "run_study"]

__getattr__, __dir__ = lazy_exports(
    __name__, {"GoalLog": "logs", "human_log": "logs", "island_log": "logs", "run_study": "study"}
)
