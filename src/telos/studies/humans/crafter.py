"""``telos study crafter``: are models better that are trained on later play? The second paper's claim, on others.

The paper trains on a run and tests on the same run, once for first runs and once for later ones (60 and 70 per cent),
and sets models trained on somebody else beside them (74 and 63). Two things can make later runs come out better: that
training on them is better, or that they are easier to read. Here the two are told apart: models of first and of later
play are both tested on both.
"""

import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from random import Random
from statistics import fmean
from typing import NamedTuple

from telos.core.errors import TelosError
from telos.recognition.features_model import FeatureIOHMM
from telos.studies.humans import crafter_findings
from telos.studies.humans.crafter_model import SOURCE, features, papers
from telos.studies.humans.crafter_parts import Career, Lesson, careers, drill
from telos.studies.humans.plays import Play, read_plays
from telos.studies.humans.results import HumanStudy, Watched, unwatched
from telos.studies.humans.scores import Score, folds, score, teach
from telos.studies.scoring_pool import shared_out

FOLDS = 10
OTHERS, FEW_OTHERS = 8, 2  # models of other players that each player is also read with
KINDS: dict[str, Callable[[], FeatureIOHMM]] = {"paper": papers, "features": features}
QUICK_KINDS = ("paper",)


class Task(NamedTuple):
    """One fold of the study, small enough to be sent to another process."""

    folder: str
    fold: int
    seed: int
    quick: bool


class Done(NamedTuple):
    """What one fold brought, by kind of model and condition: all rows, and the share that was right by player."""

    scores: dict[str, Score]
    shares: dict[tuple[str, str], dict[str, float]]


def run_crafter(
    folder: str | os.PathLike[str],
    *,
    quick: bool = False,
    jobs: int = 1,
    seed: int = 1,
    watched: Watched = unwatched,
) -> HumanStudy:
    """Run the study on the log in ``folder``; ``quick`` has only the paper's kind of model, and fewer other players."""
    place = str(Path(folder))
    players = [career.player for career in _careers(place)]
    if len(players) < 2:
        raise TelosError(f"{place}: {len(players)} player", "folds by player need at least two")
    tasks = [Task(place, fold, seed, quick) for fold in range(len(folds(players, FOLDS)))]
    done = list(watched(shared_out(run_fold, tasks, jobs=jobs), len(tasks)))
    totals = {kind: Score() for kind in done[0].scores}
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for each in done:
        for kind, found in each.scores.items():
            totals[kind].join(found)
        for key, by_player in each.shares.items():
            shares.setdefault(key, {}).update(by_player)
    return crafter_findings.study(totals, shares, seed=seed, quick=quick)


def run_fold(task: Task) -> Done:
    """Read the players of one fold with models of all kinds; how goals follow one another is learned from the rest."""
    everybody = _careers(task.folder)
    tested = folds([career.player for career in everybody], FOLDS)[task.fold]
    rest = [career for career in everybody if career.player not in tested]
    mine = [career for career in everybody if career.player in tested]
    done = Done({}, {})
    for kind in KINDS if not task.quick else QUICK_KINDS:
        make, taught = KINDS[kind], _taught(task.folder, kind)
        whole = make().join(taught[career.player] for career in rest)
        done.scores[kind] = score(whole, [play for career in mine for play in career.plays])
        bench = Bench(kind, make, whole, done)
        _pooled(bench, mine, rest)
        for career in mine:
            if career.is_long:
                _personal(bench, career)
                others = [each for each in rest if each.is_long]
                rng = Random(f"{task.seed} {career.player}")
                count = min(len(others), FEW_OTHERS if task.quick else OTHERS)
                _against_others(bench, career, rng.sample(others, count))
    return done


class Bench(NamedTuple):
    """Where models are made and tested: they see as they were drilled, and goals change as in ``whole``."""

    kind: str
    make: Callable[[], FeatureIOHMM]
    whole: FeatureIOHMM
    done: Done

    def drilled(self, taught: Sequence[Lesson]) -> FeatureIOHMM:
        """Return a model of these lessons. As in the paper, only what it sees is trained on them."""
        model = self.make()
        drill(model, taught)
        return model.changing_as(self.whole)

    def note(self, condition: str, player: str, share: float) -> None:
        """Note the share of rows that was right."""
        self.done.shares.setdefault((self.kind, condition), {})[player] = share


def _pooled(bench: Bench, mine: Sequence[Career], rest: Sequence[Career]) -> None:
    """Train on first and on later play of others, as much of each, and read later play of the tested players."""
    first = chain.from_iterable(each.first[: each.amount] for each in rest)
    later = chain.from_iterable(each.later[-each.amount :] for each in rest if each.amount)
    early = {each.player: min(len(each.trial), len(each.later)) for each in rest}
    trial = chain.from_iterable(each.trial[: early[each.player]] for each in rest)
    main = chain.from_iterable(each.later[-early[each.player] :] for each in rest if early[each.player])
    models = {"pooled first": first, "pooled later": later, "pooled trial": trial, "pooled after trial": main}
    for condition, taught in models.items():
        model = bench.drilled(list(taught))
        for career in mine:
            if career.is_long:
                bench.note(condition, career.player, _share(model, career.later_test))


def _personal(bench: Bench, career: Career) -> None:
    """Train on a player's own first and later play, as much of each, and read both."""
    first = bench.drilled(career.first[: career.amount])
    later = bench.drilled(career.later[-career.amount :])
    bench.note("own first on first", career.player, _share(first, career.first_test))
    bench.note("own first on later", career.player, _share(first, career.later_test))
    bench.note("own later on first", career.player, _share(later, career.first_test))
    bench.note("own later on later", career.player, _share(later, career.later_test))


def _against_others(bench: Bench, career: Career, others: Sequence[Career]) -> None:
    """Read later play with models of others' later play, and with models of as much of the player's own."""
    own, foreign = [], []
    for other in others:
        amount = min(career.amount, other.amount)
        own.append(_share(bench.drilled(career.later[-amount:]), career.later_test))
        foreign.append(_share(bench.drilled(other.later[-amount:]), career.later_test))
    if others:
        bench.note("own later, as much", career.player, fmean(own))
        bench.note("another's later", career.player, fmean(foreign))


def _share(model: FeatureIOHMM, plays: Sequence[Play]) -> float:
    return score(model, plays).accuracy


@lru_cache(maxsize=1)  # a process has several folds to do, and reading takes long
def _careers(folder: str) -> list[Career]:
    return careers(read_plays(folder, SOURCE))


@lru_cache(maxsize=len(KINDS))
def _taught(folder: str, kind: str) -> dict[str, FeatureIOHMM]:
    """Return one model for each player: counts add up, so any set of players is then trained in no time."""
    models = {}
    for career in _careers(folder):
        models[career.player] = KINDS[kind]()
        teach(models[career.player], career.plays)
    return models
