"""``telos study starcraft``: which building a player is after, from the orders given so far. Ten folds by group.

Unlike the other studies of people, this one is of Markov logic alone: the formulas of the package, the chapter's models
and baselines from outside. Figures are of online reading; those with look-ahead stand apart, in the details.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from random import Random

from telos.core.errors import TelosError
from telos.studies.comparisons import MethodAccuracy, human_result
from telos.studies.results import Progress, StudyResult, no_progress
from telos.studies.scoring import GroupScore

FOLDS, QUICK_FOLDS = 10, 3


def run_starcraft(
    folder: str | os.PathLike[str],
    *,
    quick: bool = False,
    jobs: int = 1,
    seed: int = 1,
    progress: Progress = no_progress,
) -> StudyResult:
    """Run the study on the log in ``folder``; ``quick`` has fewer folds, fewer models and less learning."""
    from telos.studies.crystal_island.folds import measure_log, pool_folds, run_folds
    from telos.studies.crystal_island.logs import find_logs, human_log
    from telos.studies.crystal_island.models import lineup_for
    from telos.studies.crystal_island.study import (
        PEERS,
        QUICK,  # here, as tables and learning are extras
        human_findings,
    )

    paths = find_logs(Path(folder))
    if "starcraft" not in paths:
        raise TelosError(f"{folder}: a log of {' and '.join(paths)}, not of starcraft", "name another folder")
    log = human_log("starcraft", paths["starcraft"], folds=QUICK_FOLDS if quick else FOLDS, seed=seed)
    lineup = lineup_for(log).quick(QUICK) if quick else lineup_for(log)
    done = list(progress(run_folds(log, lineup, seed=seed, jobs=jobs), log.folds))
    found, rng = measure_log(log, lineup.labels, done), Random(seed)
    group = [log.groups[each] for each in log.sequence.tolist()]
    figures = tuple(
        MethodAccuracy.from_score(lineup.labels[key], _score(group, (said.online == log.truth).tolist()), rng=rng)
        for key, said in pool_folds(log, done).items()
    )
    details: Mapping[str, object] = {"peers": PEERS["starcraft"], "markov": found.data()}
    return human_result("starcraft", seed, quick, figures, (), tuple(human_findings(found)), details)


def _score(groups: list[str], right: list[bool]) -> GroupScore:
    score = GroupScore()
    for group, is_right in zip(groups, right, strict=True):
        score.add(group, is_right)
    return score
