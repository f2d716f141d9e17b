"""Yardsticks from outside: a linear-chain CRF and a plain logistic regression, on the features that formulas see.

Both are optional installs. The CRF is trained by python-crfsuite; for online reading its learned weights are put into a
forward filter, which gives at every row what tagging the sequence up to there would give.
"""

import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.logic.exact import Chain, ChainScores, forward_filter, viterbi
from telos.studies.markov.contenders import CRF, Yardstick
from telos.studies.markov.features import Features, features_of
from telos.studies.markov.goal_log import GoalLog, Ints
from telos.studies.markov.reading import Readings


def missing(yardstick: Yardstick) -> str | None:
    """Return what has to be installed for a yardstick, None if it is there."""
    try:
        if yardstick.key == CRF:
            import pycrfsuite  # noqa: F401
        else:
            import sklearn  # noqa: F401
    except ImportError:
        return f"{yardstick.label} is left out: it is not installed; pip install 'telos[studies]'"
    return None


def measured(log: GoalLog, yardstick: Yardstick, train: Sequence[int], test: Sequence[int]) -> Readings:
    """Train a yardstick on some sequences, and read others with it."""
    features = features_of(log, yardstick.formulas)
    if yardstick.key == CRF:
        return _crf(log, features, yardstick, train, test)
    return _logistic(log, features, yardstick, train, test)


def _logistic(
    log: GoalLog, features: Features, yardstick: Yardstick, train: Sequence[int], test: Sequence[int]
) -> Readings:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    table = _table(log, features)
    rows, tested = log.rows(train), log.rows(test)
    model = LogisticRegression(C=1 / yardstick.l2, max_iter=yardstick.iterations)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # more steps change a third decimal
        model.fit(table[rows], log.truth[rows])
    belief = np.zeros((len(tested), len(log.goals)), np.float32)
    belief[:, model.classes_] = model.predict_proba(table[tested])
    return Readings(tested, belief, None)


def _table(log: GoalLog, features: Features) -> Any:
    """Return the features as a sparse table of rows and features."""
    from scipy.sparse import csr_matrix

    shape = (len(log.truth), features.count)
    return csr_matrix((np.ones(len(features.row)), (features.row, features.feature)), shape=shape)


def _crf(log: GoalLog, features: Features, yardstick: Yardstick, train: Sequence[int], test: Sequence[int]) -> Readings:
    with _trained_crf(log, _items(features, len(log.truth)), yardstick, train) as tagger:
        state, steps = _weights(tagger.info(), features.count, len(log.goals))
    rows = log.rows(test)
    chain, scores = _chain(log, features, test, rows, state, steps)
    belief = forward_filter(chain, scores).filtered
    return Readings(rows, belief.astype(np.float32), viterbi(chain, scores).values)


@contextmanager
def _trained_crf(
    log: GoalLog, items: Sequence[Sequence[str]], yardstick: Yardstick, train: Sequence[int]
) -> Iterator[Any]:
    """Train a CRF on some sequences; it lives in a file, which is gone afterwards."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c2": yardstick.l2 / 2, "max_iterations": yardstick.iterations})
    for sequence in train:
        start, end = log.start[sequence], log.start[sequence + 1]
        trainer.append(items[start:end], [str(goal) for goal in log.truth[start:end]])
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.crfsuite")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        yield tagger
        tagger.close()


def _items(features: Features, rows: int) -> list[list[str]]:
    """Return the features of each row as names."""
    order = np.argsort(features.row, kind="stable")
    ends = np.cumsum(np.bincount(features.row, minlength=rows))[:-1]
    names = [str(each) for each in range(features.count)]
    return [[names[each] for each in part.tolist()] for part in np.split(features.feature[order], ends)]


def _weights(info: Any, features: int, goals: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what a CRF has learned: a number for each feature and goal, and for each goal and the next."""
    known = [int(label) for label in info.labels]
    state, steps = np.full((features, goals), 0.0), np.full((goals, goals), -np.inf)
    steps[np.ix_(known, known)] = 0.0
    for (feature, goal), weight in info.state_features.items():
        state[int(feature), int(goal)] = weight
    for (before, after), weight in info.transitions.items():
        steps[int(before), int(after)] = weight
    return state, steps


def _chain(
    log: GoalLog,
    features: Features,
    test: Sequence[int],
    rows: Ints,
    state: NDArray[np.float64],
    steps: NDArray[np.float64],
) -> tuple[Chain, ChainScores]:
    """Return the tested sequences with what a CRF's weights add; goals that it never met are forbidden."""
    unary = np.asarray(_table(log, features)[rows] @ state)
    unary[:, np.isneginf(steps).all(axis=0)] = -np.inf
    start = np.append(0, np.cumsum(np.diff(log.start)[sorted(test)])).astype(np.int32)
    chain = Chain(len(log.goals), np.arange(len(rows), dtype=np.int32), start, (), ())
    return chain, ChainScores(unary, np.zeros(len(rows), np.int32), steps[np.newaxis])
