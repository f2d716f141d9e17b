"""One fold after another: train every contender on the rest, read those who are held out, and pool what was said."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from telos.logic.learning import learn
from telos.logic.model import MarkovLogic
from telos.logic.online import Online
from telos.studies.markov.contenders import FACTORED, Contender, Field
from telos.studies.markov.goal_log import GOAL, GoalLog, Ints, database
from telos.studies.markov.reading import Readings, read
from telos.studies.markov.yardsticks import measured, missing
from telos.studies.scoring_pool import shared_out

TIMED = 2_000  # updates that are timed in each fold
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class FoldDone:
    """What all contenders said about the rows of one fold."""

    fold: int
    readings: dict[str, Readings]
    notes: tuple[str, ...]
    microseconds: (
        tuple[float, float] | None
    )  # an update of the factored model, live: of what is new, and of what is not


@dataclass(frozen=True, slots=True)
class Pooled:
    """What one contender said about all rows of a log, each from the fold in which it was held out."""

    belief: NDArray[np.float32]  # (rows, goals), online
    ahead: Ints | None  # (rows,)

    @property
    def online(self) -> Ints:
        """The likeliest goal at each row, online."""
        return np.asarray(self.belief.argmax(axis=1), np.int32)


def run_folds(log: GoalLog, field: Field, *, seed: int, jobs: int) -> Iterator[FoldDone]:
    """Yield the folds of a log as they are done."""
    return shared_out(partial(run_fold, log, field, seed), range(log.folds), jobs=jobs)


def run_fold(log: GoalLog, field: Field, seed: int, fold: int, *, clock: Clock = time.perf_counter) -> FoldDone:
    """Train everybody on all folds but one, and read that one."""
    train, test = log.split(fold)
    known = np.unique(log.truth[log.rows(train)])
    goals = [log.goals[each] for each in known]
    readings: dict[str, Readings] = {}
    notes = list(_unmet(log, fold, log.rows(test), known))
    microseconds = None
    for contender in field.contenders:
        model = trained(log, contender, train, goals, seed=seed)
        readings[contender.key] = read(log, model, test, goals)
        if contender.key == FACTORED and log.is_simulated:
            microseconds = update_time(log, model, test, clock)
    for yardstick in field.yardsticks:
        lacking = missing(yardstick)
        if lacking is None:
            readings[yardstick.key] = measured(log, yardstick, train, test)
        else:
            notes.append(lacking)
    return FoldDone(fold, readings, tuple(notes), microseconds)


def trained(
    log: GoalLog, contender: Contender, train: Sequence[int], goals: Sequence[str], *, seed: int
) -> MarkovLogic:
    """Return a contender's formulas with weights that are learned from some sequences."""
    formulas = contender.formulas
    told = database(log, formulas, train, goals, told=True)
    learned = learn(
        formulas, told, [GOAL], by=contender.by, epochs=contender.epochs, l2=contender.l2, seed=seed, warm_up=20
    )
    return learned.model


def _unmet(log: GoalLog, fold: int, tested: Ints, known: NDArray[np.int32]) -> Iterator[str]:
    """Say which goals nobody in training pursued: they are never predicted, and count as wrong."""
    for goal in np.setdiff1d(log.truth[tested], known):
        rows = int((log.truth[tested] == goal).sum())
        yield f"fold {fold}: nobody in training pursued {log.goals[goal]}; its {rows} rows count as wrong"


def update_time(log: GoalLog, model: MarkovLogic, test: Sequence[int], clock: Clock) -> tuple[float, float]:
    """Return the microseconds of one live update, over the first rows of a fold.

    First for a reader that has seen nothing, and looks up every weight for the first time; then for one that has.
    """
    online = Online(model, query=GOAL)
    said = [_facts(log, model, row) for row in log.rows(test[:4])[:TIMED].tolist()]
    taken = []
    for _ in range(2):
        online.reset()
        start = clock()
        for facts in said:
            online.step(facts)
        taken.append(1e6 * (clock() - start) / max(1, len(said)))
    return taken[0], taken[1]


def _facts(log: GoalLog, model: MarkovLogic, row: int) -> dict[str, list[str]]:
    found = {}
    for name in model.predicates:
        if name in log.evidence:
            each = log.evidence[name]
            begin, end = np.searchsorted(each.row, [row, row + 1])
            found[name] = [each.names[code] for code in each.code[begin:end].tolist()]
    return found


def pooled(log: GoalLog, done: Sequence[FoldDone]) -> dict[str, Pooled]:
    """Put the folds together again."""
    found = {}
    for key in done[0].readings:
        belief = np.zeros((len(log.truth), len(log.goals)), np.float32)
        ahead = np.zeros(len(log.truth), np.int32)
        for each in done:
            said = each.readings[key]
            belief[said.rows] = said.belief
            if said.ahead is not None:
                ahead[said.rows] = said.ahead
        found[key] = Pooled(belief, None if done[0].readings[key].ahead is None else ahead)
    return found
