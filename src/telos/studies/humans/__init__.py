"""Recognisers on public logs of human players; the logs are not part of the package.

``run_overcooked``, ``run_crafter`` and ``run_starcraft`` train and test in ten folds; ``run_planning`` sets recognition
by planning beside the trained model. Each takes the folder of a log and returns a ``StudyResult``.
"""

from typing import TYPE_CHECKING

from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.studies.humans.by_planning import run_planning
    from telos.studies.humans.crafter import run_crafter
    from telos.studies.humans.overcooked import run_overcooked
    from telos.studies.humans.starcraft import run_starcraft

__all__ = ["run_crafter", "run_overcooked", "run_planning", "run_starcraft"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "run_crafter": "crafter",
        "run_overcooked": "overcooked",
        "run_planning": "by_planning",
        "run_starcraft": "starcraft",
    },
)
