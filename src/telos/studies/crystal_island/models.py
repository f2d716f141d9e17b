"""The models of the study and the baselines beside them.

``Lineup`` lists the models of a log; ``read`` reads sequences with a trained model in two ways that are never
mixed: online (the belief at a row from the evidence up to it) and with look-ahead (the most probable goals of a whole
sequence at once). The baselines, a linear-chain CRF (python-crfsuite) and logistic regression (scikit-learn), are
optional; they see the formulas as features, one for each way in which the evidence of a formula holds.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from telos import recognition
from telos.core.errors import TelosError
from telos.files import temporary_folder
from telos.logic.exact import ChainScores, forward_filter, score_chain, viterbi
from telos.logic.exact.chains import Chain, find_chain
from telos.logic.grounding import ground
from telos.logic.model import MarkovLogic
from telos.logic.network import Factors, Network, tabulate_clauses
from telos.logic.syntax import load_mln
from telos.studies.crystal_island.logs import GOAL, GoalLog, Ints, database

# --- the lineup -------------------------------------------------------------------------------------------------------


DATA = Path(recognition.__file__).parent / "data"
CRF, LOGISTIC = "crf", "logistic"
MAJORITY, UNIGRAM, BIGRAM, FACTORED = "majority", "unigram", "bigram", "factored"
COMPARED = (UNIGRAM, BIGRAM, FACTORED)  # in the chapter's analysis of variance


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A file of formulas and how its weights are learned: ``epochs`` passes of MIRA, or steps of L-BFGS."""

    key: str
    label: str
    file: str
    by: Literal["mira", "perceptron", "likelihood", "prefix"] = "mira"
    epochs: int = 50
    l2: float = 1.0

    def quick(self) -> "ModelSpec":
        """Return the spec with fewer epochs, for quick runs."""
        return replace(self, epochs=min(self.epochs, 30 if self.by == "mira" else 20))

    @property
    def formulas(self) -> MarkovLogic:
        return load_mln(DATA / self.file)


@dataclass(frozen=True, slots=True)
class Baseline:
    """A third-party method trained on the same features as the formulas of a file."""

    key: str
    label: str
    file: str
    l2: float = 1.0
    iterations: int = 60

    @property
    def formulas(self) -> MarkovLogic:
        """The formulas whose evidence gives the features."""
        return load_mln(DATA / self.file)


@dataclass(frozen=True, slots=True)
class Lineup:
    """The models and baselines that are compared on one log."""

    models: tuple[ModelSpec, ...]
    baselines: tuple[Baseline, ...]

    def quick(self, kept: tuple[str, ...]) -> "Lineup":
        """Return the kept models with fewer epochs, for quick runs."""
        chosen = tuple(each.quick() for each in self.models if each.key in kept)
        return Lineup(chosen, tuple(replace(each, iterations=15) for each in self.baselines if each.key in kept))

    @property
    def labels(self) -> dict[str, str]:
        """Display names of the models and baselines, by key."""
        ours = {each.key: each.label for each in self.models}
        return {**ours, **{each.key: each.label for each in self.baselines}}


_CHAPTER = (
    ModelSpec(MAJORITY, "majority", "majority.mln", by="likelihood", epochs=20),
    ModelSpec(UNIGRAM, "unigram", "unigram.mln"),
    ModelSpec(BIGRAM, "bigram", "bigram.mln"),
    ModelSpec(FACTORED, "factored MLN", "island.mln"),
)
_FURTHER = (
    ModelSpec("arguments", "factored + arguments", "island-arguments.mln"),
    ModelSpec("window", "factored + window", "island-window.mln"),
    ModelSpec("duration", "factored + duration", "island-duration.mln"),
    ModelSpec("narrative", "factored + narrative", "island-narrative.mln"),
    ModelSpec("prefix", "factored, for online", "island.mln", by="prefix", epochs=40),
)


def lineup_for(log: GoalLog) -> Lineup:
    """Return the models and baselines to compare on a log.

    On logs of people, the chapter's models use an action, a place (what is in front; the race) and a state (the last
    achievement); ``tailored`` is a file of formulas for that game.
    """
    if log.is_simulated:
        return Lineup((*_CHAPTER, *_FURTHER), _baselines("island.mln", 1.0))
    l2 = {"crafter": 200.0, "starcraft": 400.0}[log.name]
    own = ModelSpec("tailored", f"{log.name}.mln", f"{log.name}.mln", "likelihood", 40, l2)
    joined = ModelSpec("sequence", f"{log.name}-sequence.mln", f"{log.name}-sequence.mln", "likelihood", 40, l2)
    chapter = (replace(each, epochs=20) for each in _CHAPTER)  # a pass is slow with many goals
    return Lineup((*chapter, own, joined), _baselines(own.file, l2))


def _baselines(file: str, l2: float) -> tuple[Baseline, ...]:
    return Baseline(CRF, "linear-chain CRF", file, l2), Baseline(LOGISTIC, "logistic regression", file, l2)


# --- formulas as features ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Grounded:
    """A network over some sequences of a log, with the row of each of its positions."""

    network: Network
    chain: Chain
    row: Ints  # (positions,)
    goals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Features:
    """The features of all rows of a log: row ``row[i]`` has feature ``feature[i]``, once."""

    row: NDArray[np.int64]
    feature: NDArray[np.int64]
    count: int  # features in all


def ground_log(
    log: GoalLog, model: MarkovLogic, sequences: Sequence[int], goals: Sequence[str], *, with_goals: bool
) -> Grounded:
    """Ground a model on some sequences; ``with_goals`` keeps their goals as the truth to learn from."""
    known = database(log, model, sequences, goals, with_goals=with_goals)
    closed = [name for name in model.predicates if name != GOAL]
    network = ground(model, known, [GOAL], closed=closed, learning=with_goals)
    chain = find_chain(network)
    if chain is None:
        raise TelosError(f"{model.source or 'the model'}: the goals do not form a chain, which online reading needs")
    times = network.atoms.arguments[0].max(axis=1)  # a block's own argument is -1, and only the time is left
    first = log.start[list(sequences)]
    row = (first[network.world] + times)[chain.order]
    return Grounded(network, chain, row.astype(np.int32), network.atoms.values[0])


def features_of(log: GoalLog, model: MarkovLogic) -> Features:
    """Return the features of each row of a log: one for each grounding of the evidence of a one-goal formula."""
    found = ground_log(log, model, range(len(log.groups)), log.goals, with_goals=True)
    factors_of = _factors(found)
    rows, features, count = [], [], 0
    place: dict[int, int] = {}  # where the features of a group of factors begin
    for links in found.chain.singles:
        factors = factors_of[links.group]
        if factors.hard:
            continue
        if links.group not in place:
            place[links.group], count = count, count + len(factors.weights)
        met = links.key >= 0
        rows.append(found.row[met].astype(np.int64))
        features.append(links.key[met].astype(np.int64) + place[links.group])
    return Features(np.concatenate(rows), np.concatenate(features), count)


def _factors(found: Grounded) -> tuple[Factors, ...]:
    """Return the factors in the order that a chain's links index: the network's own, then short clauses."""
    together = tabulate_clauses(found.network, max_variables=2)
    assert together is not None  # always set for a chain
    return tuple(together.factors)


# --- reading ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Readings:
    """The output of one method for some rows; goals are indices into the log's goals.

    ``belief`` is the online probability of every goal at every row; ``ahead`` the goal with look-ahead, None for a
    method without look-ahead.
    """

    rows: Ints  # (n,)
    belief: NDArray[np.float32]  # (n, goals)
    ahead: Ints | None  # (n,)

    @property
    def online(self) -> Ints:
        """The likeliest goal at each row, online."""
        return np.asarray(self.belief.argmax(axis=1), np.int32)


def read(log: GoalLog, model: MarkovLogic, sequences: Sequence[int], goals: Sequence[str]) -> Readings:
    """Read some sequences with a trained model of ``goals``; all other goals get probability 0."""
    found = ground_log(log, model, sequences, goals, with_goals=False)
    scores = score_chain(found.network, found.chain)
    filtered = forward_filter(found.chain, scores).filtered
    best = viterbi(found.chain, scores).values
    places = _goal_places(log, found)
    order = np.argsort(found.row)
    belief = np.zeros((len(order), len(log.goals)), np.float32)
    belief[:, places] = filtered[order]
    return Readings(found.row[order], belief, places[best][order].astype(np.int32))


def read_ahead(
    log: GoalLog, model: MarkovLogic, sequences: Sequence[int], goals: Sequence[str]
) -> tuple[Ints, NDArray[np.int32]]:
    """Return the rows of some sequences and their goals with look-ahead: those of ``read``, without beliefs."""
    found = ground_log(log, model, sequences, goals, with_goals=False)
    best = viterbi(found.chain, score_chain(found.network, found.chain)).values
    order = np.argsort(found.row)
    return found.row[order], _goal_places(log, found)[best][order].astype(np.int32)


def _goal_places(log: GoalLog, found: Grounded) -> NDArray[np.int64]:
    """Return the index in the log's goals of each goal of a network."""
    return np.array([log.goals.index(goal) for goal in found.goals])


# --- baselines: CRF and logistic regression ---------------------------------------------------------------------------


def find_missing_extra(baseline: Baseline) -> str | None:
    """Return the extra that must be installed for a baseline; None if it is installed."""
    try:
        if baseline.key == CRF:
            import pycrfsuite  # noqa: F401
        else:
            import sklearn  # noqa: F401
    except ImportError:
        return f"{baseline.label} is left out: it is not installed; pip install 'telos[studies]'"
    return None


def read_baseline(log: GoalLog, baseline: Baseline, train: Sequence[int], test: Sequence[int]) -> Readings:
    """Train a baseline on some sequences, and read others with it."""
    features = features_of(log, baseline.formulas)
    if baseline.key == CRF:
        return _read_crf(log, features, baseline, train, test)
    return _read_logistic(log, features, baseline, train, test)


def _read_logistic(
    log: GoalLog, features: Features, baseline: Baseline, train: Sequence[int], test: Sequence[int]
) -> Readings:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    table = _feature_matrix(log, features)
    rows, tested = log.rows(train), log.rows(test)
    model = LogisticRegression(C=1 / baseline.l2, max_iter=baseline.iterations)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # more steps change only the third decimal
        model.fit(table[rows], log.truth[rows])
    belief = np.zeros((len(tested), len(log.goals)), np.float32)
    belief[:, model.classes_] = model.predict_proba(table[tested])
    return Readings(tested, belief, None)


def _feature_matrix(log: GoalLog, features: Features) -> Any:
    """Return the features as a sparse table of rows and features."""
    from scipy.sparse import csr_matrix

    shape = (len(log.truth), features.count)
    return csr_matrix((np.ones(len(features.row)), (features.row, features.feature)), shape=shape)


def _read_crf(
    log: GoalLog, features: Features, baseline: Baseline, train: Sequence[int], test: Sequence[int]
) -> Readings:
    with _train_crf(log, _feature_names(features, len(log.truth)), baseline, train) as tagger:
        state, steps = _crf_weights(tagger.info(), features.count, len(log.goals))
    rows = log.rows(test)
    chain, scores = _crf_chain(log, features, test, rows, state, steps)
    belief = forward_filter(chain, scores).filtered
    return Readings(rows, belief.astype(np.float32), viterbi(chain, scores).values)


@contextmanager
def _train_crf(log: GoalLog, items: Sequence[Sequence[str]], baseline: Baseline, train: Sequence[int]) -> Iterator[Any]:
    """Train a CRF on some sequences; pycrfsuite needs a model file, which is temporary."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c2": baseline.l2 / 2, "max_iterations": baseline.iterations})
    for sequence in train:
        start, end = log.start[sequence], log.start[sequence + 1]
        trainer.append(items[start:end], [str(goal) for goal in log.truth[start:end]])
    with temporary_folder("telos-crf-") as folder:
        path = str(folder / "model.crfsuite")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        yield tagger
        tagger.close()


def _feature_names(features: Features, rows: int) -> list[list[str]]:
    """Return the features of each row as names."""
    order = np.argsort(features.row, kind="stable")
    ends = np.cumsum(np.bincount(features.row, minlength=rows))[:-1]
    names = [str(each) for each in range(features.count)]
    return [[names[each] for each in part.tolist()] for part in np.split(features.feature[order], ends)]


def _crf_weights(info: Any, features: int, goals: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weights of a CRF: state weights (feature, goal) and transition weights (goal, next goal)."""
    known = [int(label) for label in info.labels]
    state, steps = np.full((features, goals), 0.0), np.full((goals, goals), -np.inf)
    steps[np.ix_(known, known)] = 0.0
    for (feature, goal), weight in info.state_features.items():
        state[int(feature), int(goal)] = weight
    for (before, after), weight in info.transitions.items():
        steps[int(before), int(after)] = weight
    return state, steps


def _crf_chain(
    log: GoalLog,
    features: Features,
    test: Sequence[int],
    rows: Ints,
    state: NDArray[np.float64],
    steps: NDArray[np.float64],
) -> tuple[Chain, ChainScores]:
    """Return the test sequences as a chain with the CRF's weights; goals without training rows are forbidden."""
    unary = np.asarray(_feature_matrix(log, features)[rows] @ state)
    unary[:, np.isneginf(steps).all(axis=0)] = -np.inf
    start = np.append(0, np.cumsum(np.diff(log.start)[sorted(test)])).astype(np.int32)
    chain = Chain(len(log.goals), np.arange(len(rows), dtype=np.int32), start, (), ())
    return chain, ChainScores(unary, np.zeros(len(rows), np.int32), steps[np.newaxis])
