"""Studies: published experiments run again, and recognisers measured on simulated and human players.

    run (one module per study) ──▶ StudyResult (results.py) ──▶ terminal, JSON, web page, SVG (report.py)
                                   scoring.py, statistics.py, comparisons.py

Start with ``load_study("gold-flairs")(players=10, runs=10)``. A new study is one module, one row of ``STUDIES`` and one
sub-command of ``telos study``. Simulated players of the adventure: ``telos.studies.players``.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from telos.core.errors import TelosError, name_hint
from telos.lazy import lazy_exports

if TYPE_CHECKING:
    from telos.studies.comparisons import Experiment, experiment_result
    from telos.studies.report import page, print_result, provenance, result_json, save_figures, save_report
    from telos.studies.results import StudyResult
    from telos.studies.scoring import Tally, compared, scored
    from telos.studies.statistics import paired

__all__ = [
    "STUDIES",
    "Experiment",
    "StudyResult",
    "Tally",
    "compared",
    "experiment_result",
    "load_study",
    "page",
    "paired",
    "print_result",
    "provenance",
    "result_json",
    "save_figures",
    "save_report",
    "scored",
]

# Studies are imported when they are run: some need scipy, numpy or polars, which are extras.
STUDIES: Mapping[str, str] = {
    "gold-flairs": "telos.studies.gold.flairs:run_study",
    "gold-aiide": "telos.studies.gold.aiide:run_study",
    "crystal-island": "telos.studies.crystal_island.study:run_study",
    "forge": "telos.studies.forge:run_study",
    "played": "telos.studies.played:run_study",
    "readers": "telos.studies.readers:run_study",
    "overcooked": "telos.studies.humans.overcooked:run_overcooked",
    "overcooked-planning": "telos.studies.humans.by_planning:run_overcooked_planning",
    "crafter": "telos.studies.humans.crafter:run_crafter",
    "crafter-planning": "telos.studies.humans.by_planning:run_crafter_planning",
    "starcraft": "telos.studies.humans.starcraft:run_starcraft",
    "monroe": "telos.studies.plan_grammars:run_monroe",
    "kitchen": "telos.studies.plan_grammars:run_kitchen",
}

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "Experiment": "comparisons",
        "StudyResult": "results",
        "Tally": "scoring",
        "compared": "scoring",
        "experiment_result": "comparisons",
        "page": "report",
        "paired": "statistics",
        "print_result": "report",
        "provenance": "report",
        "result_json": "report",
        "save_figures": "report",
        "save_report": "report",
        "scored": "scoring",
    },
)


def load_study(name: str) -> "Callable[..., StudyResult]":
    """Import a study and return the function that runs it."""
    if name not in STUDIES:
        raise TelosError(f"there is no study {name!r}", name_hint(name, STUDIES))
    module, _, function = STUDIES[name].partition(":")
    run: Callable[..., StudyResult] = getattr(import_module(module), function)
    return run
