"""Reading humans: the same recognisers on public logs of real players, which whoever runs a study brings along."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from telos.studies.humans.by_planning import run_planning
from telos.studies.humans.crafter import run_crafter
from telos.studies.humans.overcooked import run_overcooked
from telos.studies.humans.starcraft import run_starcraft
from telos.studies.results import HumanStudy

__all__ = ["STUDIES", "Entry", "HumanStudy", "run_crafter", "run_overcooked", "run_planning", "run_starcraft"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One study that can be run by name: ``run(folder, quick=, jobs=, seed=, watched=)`` returns a ``HumanStudy``."""

    name: str
    run: Callable[..., HumanStudy]
    about: str
    needs_folder: bool = True


STUDIES = {
    entry.name: entry
    for entry in (
        Entry("overcooked", run_overcooked, "goals of cooks, from keys and position alone"),
        Entry("crafter", run_crafter, "are models better that are trained on later play?"),
        Entry("overcooked-planning", partial(run_planning, "overcooked"), "cooks read by planning, too"),
        Entry("crafter-planning", partial(run_planning, "crafter"), "read by planning, and with the trained model"),
        Entry("starcraft", run_starcraft, "which building comes next, by Markov logic"),
    )
}
