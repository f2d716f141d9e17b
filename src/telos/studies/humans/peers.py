"""What an ensemble is compared with, on the same rows and features: its components alone and simple peers."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from telos.recognition.ensemble.features import Array
from telos.recognition.ensemble.model import EnsembleModel, softmax
from telos.recognition.ensemble.scores import TreeScores
from telos.recognition.ensemble.training import EnsembleSettings, TrainingRows, pursuit_weights, train_trees

OURS, LINEAR, TREES, PATHS, HMM, BAYES, MAJORITY = (
    "ensemble",
    "logistic regression",
    "boosted trees",
    "paths of milestones",
    "hidden Markov model",
    "naive Bayes",
    "majority",
)
# Trees of an ensemble that has none, for the table.
PEER_TREES = {
    "starcraft": EnsembleSettings(rate=0.1, rounds=20, leaves=6, least=30, l2=40.0, bins=16, thin=3),
}


class GameRows(NamedTuple):
    """All rows of some sequences: features, the scored ones as training rows, and where these are."""

    features: Array
    is_scored: NDArray[np.bool_]
    truth: NDArray[Any]  # goal names, '' where a row is not scored
    groups: NDArray[Any]
    parts: NDArray[Any]
    pursuits: NDArray[np.int64]
    is_open: NDArray[np.bool_]


def component_beliefs(model: EnsembleModel, rows: GameRows) -> dict[str, Array]:
    """Return what each component alone believes, as its own training left it."""
    size = int(rows.is_scored.sum())
    found: dict[str, Array] = {}
    parts = rows.parts[rows.is_scored]
    features, is_open = rows.features[rows.is_scored], rows.is_open[rows.is_scored]
    for part in model.parts:
        chosen = np.flatnonzero(parts == part.value)
        own = np.ix_(chosen, np.array(part.goals))
        for name, scores in zip((LINEAR, TREES, PATHS), part.components, strict=False):
            if not isinstance(scores, TreeScores) or len(scores.roots):
                beliefs = found.setdefault(name, np.zeros((size, len(model.goals))))
                beliefs[own] = softmax(scores.of_rows(features[chosen]), is_open[own])
    if model.program.goals:
        known = [model.goals.index(goal) for goal in model.program.goals]
        found[HMM] = np.zeros((size, len(model.goals)))
        columns = [model.program.names.index(f"filter: {goal}") for goal in model.program.goals]
        found[HMM][:, known] = np.exp(features[:, columns])
    return found


def peer_beliefs(game: str, model: EnsembleModel, known: GameRows, rows: GameRows) -> dict[str, Array]:
    """Return the beliefs of naive Bayes (each feature above its mean, or not), of the commonest goal, and of trees.

    Trees are trained here only if the ensemble has none.
    """
    from sklearn.naive_bayes import BernoulliNB

    size = int(rows.is_scored.sum())
    found = {BAYES: np.zeros((size, len(model.goals))), MAJORITY: np.zeros((size, len(model.goals)))}
    parts, is_open = rows.parts[rows.is_scored], rows.is_open[rows.is_scored]
    features = rows.features[rows.is_scored]
    for part in model.parts:
        chosen = np.flatnonzero(known.is_scored & (known.parts == part.value))
        truth = np.array([model.goals.index(goal) for goal in known.truth[chosen].tolist()])
        means = part.linear.means
        bayes = BernoulliNB(binarize=None).fit(known.features[chosen] > means, truth)
        own = np.flatnonzero(parts == part.value)
        chances = np.zeros((len(own), len(model.goals)))
        chances[:, bayes.classes_] = bayes.predict_proba(features[own] > means)
        goals = np.array(part.goals)
        found[BAYES][np.ix_(own, goals)] = softmax(
            np.log(np.maximum(chances[:, goals], 1e-12)), is_open[np.ix_(own, goals)]
        )
        shares = np.bincount(truth, minlength=len(model.goals)) / len(truth)
        found[MAJORITY][own] = shares
        if game in PEER_TREES:
            settings = PEER_TREES[game]
            fewer = chosen[:: settings.thin]
            shown = TrainingRows(
                known.features[fewer],
                np.searchsorted(goals, truth[:: settings.thin]),
                known.groups[fewer].astype(str),
                known.pursuits[fewer],
                known.is_open[fewer][:, goals],
            )
            weights = pursuit_weights(known.pursuits[chosen], settings.tree_evenness)[:: settings.thin]
            trees = train_trees(shown, len(goals), weights, settings)
            beliefs = found.setdefault(TREES, np.zeros((size, len(model.goals))))
            beliefs[np.ix_(own, goals)] = softmax(trees.of_rows(features[own]), is_open[np.ix_(own, goals)])
    return found
