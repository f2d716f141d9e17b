"""The study of the chapter on Markov logic: majority, unigram, bigram and factored models, on the island and on people.

E. Y. Ha, J. Rowe, B. Mott and J. Lester: Recognizing Player Goals in Open-Ended Digital Games with Markov Logic
Networks. Their
logs are not public: the players of the island are simulated. The same models are then put to public logs of people.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from telos.core.errors import TelosError
from telos.studies.crystal_island_findings import findings, human_findings
from telos.studies.crystal_island_published import NOTES, PEERS, PUBLISHED, SOURCE
from telos.studies.markov.contenders import BIGRAM, CRF, FACTORED, LOGISTIC, MAJORITY, UNIGRAM, field_for
from telos.studies.markov.folds import FoldDone, run_folds
from telos.studies.markov.goal_log import GoalLog
from telos.studies.markov.human_logs import find_logs, human_log
from telos.studies.markov.island_log import island_log
from telos.studies.markov.outcome import Outcome, outcome

NAME = "crystal-island"
PLAYERS, FOLDS = 137, 10
QUICK_PLAYERS, QUICK_FOLDS = 40, 4
QUICK = (MAJORITY, UNIGRAM, BIGRAM, FACTORED, "narrative", "tailored", CRF, LOGISTIC)
Watched = Callable[[Iterable[FoldDone], int], Iterable[FoldDone]]


@dataclass(frozen=True, slots=True)
class CrystalIsland:
    """The whole outcome: simulated players of the island, and the human logs that were brought along."""

    seed: int
    quick: bool
    simulated: Outcome
    human: Mapping[str, Outcome]

    @property
    def findings(self) -> tuple[str, ...]:
        """What the numbers say, in words."""
        told = list(findings(self.simulated))
        for each in self.human.values():
            told += human_findings(each)
        return tuple(told)

    def figures(self) -> dict[str, Any]:
        """Return everything as JSON has it."""
        return {
            "study": NAME,
            "source": SOURCE,
            "seed": self.seed,
            "quick": self.quick,
            "simulated": {**self.simulated.figures(), "published": PUBLISHED},
            "human": {name: {**each.figures(), "peers": PEERS[name]} for name, each in self.human.items()},
            "findings": list(self.findings),
            "notes": list(NOTES),
        }


def run_study(
    *,
    players: int | None = None,
    folds: int | None = None,
    seed: int = 1,
    jobs: int = 1,
    quick: bool = False,
    data: str | os.PathLike[str] | None = None,
    watched: Watched = lambda done, total: done,
) -> CrystalIsland:
    """Run the study; ``seed`` fixes it, however many ``jobs`` share the work.

    ``data`` is a folder with a log of people, or one with several such folders in it. ``watched`` is handed the folds
    as they come, with their number: a place for a progress bar.
    """
    if seed < 0:
        raise TelosError(f"a seed is a whole number, zero or more, got {seed}")
    folds = (QUICK_FOLDS if quick else FOLDS) if folds is None else folds
    if folds < 2:
        raise TelosError(f"folds must be at least 2, so that somebody is left to train on, got {folds}")
    paths = {} if data is None else find_logs(Path(data))
    count = (QUICK_PLAYERS if quick else PLAYERS) if players is None else players
    island = run_log(
        island_log(count, seed, folds=folds, jobs=jobs), seed=seed, jobs=jobs, quick=quick, watched=watched
    )
    people = {}
    for name, path in paths.items():
        log = human_log(name, path, folds=folds, seed=seed)
        people[name] = run_log(log, seed=seed, jobs=jobs, quick=quick, watched=watched)
    return CrystalIsland(seed, quick, island, people)


def run_log(log: GoalLog, *, seed: int, jobs: int, quick: bool, watched: Watched) -> Outcome:
    """Let everybody compete on one log."""
    field = field_for(log)
    field = field.quick(QUICK) if quick else field
    done = list(watched(run_folds(log, field, seed=seed, jobs=jobs), log.folds))
    return outcome(log, field.labels, done)
