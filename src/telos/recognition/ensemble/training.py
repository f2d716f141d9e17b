"""Training of ensembles: components on some players, weights and offsets on others, in inner folds by player.

Components are scikit-learn's logistic regression and gradient boosted trees. What combines them is fitted to their
scores on players that they were not trained on: one weight for each component, one offset for each goal (shrunk to
zero), and by how much rare goals are raised. Start with ``train_part``; scikit-learn is needed for training only.

Where goals become possible one after the other, as in a tech tree, the logistic regression may be trained to tell apart
only the goals that were open at each row (``open_only``), and paths of milestones may be a third component.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.recognition.ensemble.features import Array
from telos.recognition.ensemble.model import EnsemblePart, softmax
from telos.recognition.ensemble.paths import PathScores, PathSettings, train_paths
from telos.recognition.ensemble.scores import LinearScores, TreeScores

Ints = NDArray[np.int64]

STEPS, CLOSE = 100, 1e-8
RARE = (0.0, 0.1, 0.2)  # candidates: how far the offsets of rare goals are raised
LEAST_SD = 1e-6


@dataclass(frozen=True, slots=True)
class EnsembleSettings:
    """How an ensemble is trained.

    ``ridge`` is the C of the logistic regression. ``linear_evenness`` and ``tree_evenness``, from 0 to 1, weigh the
    pursuits of goals alike, however long they are, since neighbouring rows repeat one another. ``thin`` takes every so
    many rows for the trees, ``linear_thin`` for the linear scores; ``folds`` are the inner ones. Without ``rounds``
    there are no trees; with ``paths`` there is a third component.
    """

    ridge: float = 0.001
    linear_steps: int = 40
    rounds: int = 60
    rate: float = 0.1
    leaves: int = 8
    least: int = 40
    l2: float = 10.0
    cuts: int = 0  # bins for each feature, for the linear scores
    share: float = 0.2  # of features, looked at for each split
    bins: int = 32  # of the values of a feature, between which trees may split
    linear_evenness: float = 1.0
    tree_evenness: float = 1.0
    thin: int = 1
    folds: int = 3
    shrink: float = 0.02  # of the offsets towards 0, for each training row
    even: float = 1e-6  # the same of the weights of the components towards ``centre``
    centre: tuple[float, ...] = (0.5, 0.5)
    open_only: bool = False  # the linear scores tell apart only what is open at a row; their ridge is then a penalty
    linear_thin: int = 1
    paths: PathSettings | None = None
    common_temperature: bool = False  # one for all parts, as a part alone has too few groups of players
    rare: float | None = None  # None: chosen inside the folds
    seed: int = 1


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Labelled rows: features, goals as numbers from 0, the group of players, the pursuit, and the goals still open."""

    features: Array
    truth: Ints
    groups: NDArray[Any]
    pursuits: Ints
    is_open: NDArray[np.bool_]
    plain: int = 0  # how many features trees look at, from the first; 0: all. Bins would tell them nothing

    def take(self, chosen: Any) -> "TrainingRows":
        """Return some of the rows."""
        return TrainingRows(
            self.features[chosen],
            self.truth[chosen],
            self.groups[chosen],
            self.pursuits[chosen],
            self.is_open[chosen],
            self.plain,
        )


def deal_groups(groups: NDArray[Any], folds: int, seed: int) -> Ints:
    """Return the fold of each row: groups are dealt out, the largest first, each to the smallest fold."""
    names, counts = np.unique(groups, return_counts=True)
    if len(names) < 2:
        raise TelosError(f"{len(names)} group of players", "training needs at least two, to choose weights")
    order = np.random.default_rng(seed).permutation(len(names))
    order = order[np.argsort(-counts[order], kind="stable")]
    load, fold = np.zeros(min(folds, len(names))), np.zeros(len(names), np.int64)
    for each in order.tolist():
        fold[each] = int(load.argmin())
        load[fold[each]] += counts[each]
    return fold[np.searchsorted(names, groups)]


def train_part(
    rows: TrainingRows,
    goals: tuple[int, ...],
    settings: EnsembleSettings,
    value: str = "",
    names: Sequence[str] = (),
) -> EnsemblePart:
    """Train one part of an ensemble; ``truth`` counts within ``goals``. Paths need the ``names`` of the features."""
    return train_calibrated(rows, goals, settings, value, names)[0]


def train_calibrated(
    rows: TrainingRows,
    goals: tuple[int, ...],
    settings: EnsembleSettings,
    value: str = "",
    names: Sequence[str] = (),
) -> tuple[EnsemblePart, Array]:
    """Return a trained part, and its combined scores of all rows, each read by components of other players."""
    size = len(goals)
    fold = deal_groups(rows.groups, settings.folds, settings.seed)
    scores = np.zeros((2 if settings.paths is None else 3, len(rows.truth), size))
    for held_out in np.unique(fold).tolist():
        components = train_components(rows.take(fold != held_out), size, settings, names)
        unseen = fold == held_out
        for number, component in enumerate(components):
            scores[number, unseen] = component.of_rows(rows.features[unseen])
    weights, offsets = combine(scores, rows, settings)
    linear, trees, *paths = train_components(rows, size, settings, names)
    assert isinstance(linear, LinearScores)
    assert isinstance(trees, TreeScores)
    path = next((each for each in paths if isinstance(each, PathScores)), None)
    part = EnsemblePart(value, goals, linear, trees, weights, offsets, path)
    return part, np.tensordot(np.array(weights), scores, 1) + offsets


def scale_part(part: EnsemblePart, scale: float) -> EnsemblePart:
    """Return a part whose scores are multiplied: a temperature."""
    return replace(part, weights=tuple(weight * scale for weight in part.weights), offsets=part.offsets * scale)


# --- components -------------------------------------------------------------------------------------------------------


def train_components(
    rows: TrainingRows, goals: int, settings: EnsembleSettings, names: Sequence[str] = ()
) -> tuple[LinearScores | TreeScores | PathScores, ...]:
    """Train all components on the same rows."""
    fewer = np.arange(len(rows.truth)) % settings.linear_thin == 0
    weights = pursuit_weights(rows.pursuits, settings.linear_evenness)[fewer]
    linear = train_linear(rows.take(fewer), goals, weights, settings)
    fewer = np.arange(len(rows.truth)) % settings.thin == 0
    weights = pursuit_weights(rows.pursuits, settings.tree_evenness)[fewer]
    trees = train_trees(rows.take(fewer), goals, weights, settings)
    if settings.paths is None:
        return linear, trees
    return linear, trees, train_paths(rows.features, rows.truth, rows.pursuits, rows.is_open, names, settings.paths)


def pursuit_weights(pursuits: Ints, evenness: float) -> Array:
    """Return a weight for each row, with mean 1: the length of its pursuit to the power of ``-evenness``."""
    _, place, counts = np.unique(pursuits, return_inverse=True, return_counts=True)
    found: Array = counts[place].astype(np.float64) ** -evenness
    found /= found.mean()
    return found


def train_linear(rows: TrainingRows, goals: int, weights: Array, settings: EnsembleSettings) -> LinearScores:
    """Train a logistic regression on standardised features."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a column without values, and few steps, are fine
        means, deviations = np.nanmean(rows.features, axis=0), np.nanstd(rows.features, axis=0)
    is_used = np.isfinite(means) & (deviations > LEAST_SD)
    means = np.where(is_used, means, 0.0)
    scales = np.where(is_used, 1.0 / np.where(is_used, deviations, 1.0), 0.0)
    found = LinearScores(means, scales, np.zeros((len(means), goals)), np.zeros(goals))
    present = np.unique(rows.truth)
    if len(present) < 2:
        return replace(found, intercepts=np.where(np.isin(np.arange(goals), present), 0.0, UNSEEN))
    scaled = np.nan_to_num(np.clip((rows.features - means) * scales, -4.0, 4.0)).astype(np.float32)
    if settings.open_only:
        found.weights[:], found.intercepts[:] = fit_open(scaled, rows.truth, rows.is_open, weights, settings)
        found.intercepts[~np.isin(np.arange(goals), present)] = UNSEEN
        return found
    learner = _sklearn("linear_model").LogisticRegression(C=settings.ridge, max_iter=settings.linear_steps, tol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.fit(scaled, rows.truth, sample_weight=weights)
    coefficients, intercepts = np.asarray(learner.coef_, np.float64), np.asarray(learner.intercept_, np.float64)
    if len(present) == 2:  # scikit-learn has the scores of the second class only
        coefficients = np.concatenate([np.zeros_like(coefficients), coefficients])
        intercepts = np.concatenate([np.zeros_like(intercepts), intercepts])
    found.weights[:, present] = coefficients.T
    found.intercepts[:] = UNSEEN
    found.intercepts[present] = intercepts
    return found


def fit_open(
    scaled: NDArray[np.float32],
    truth: Ints,
    is_open: NDArray[np.bool_],
    weights: Array,
    settings: EnsembleSettings,
) -> tuple[Array, Array]:
    """Return the weights and intercepts of a logistic regression among the goals that are open at each row.

    The mean logarithm of the belief in the true goal, less half the ``ridge`` times the squared weights, is made
    largest. Rows whose truth is not open tell nothing.
    """
    usable = np.flatnonzero(is_open[np.arange(len(truth)), truth])
    scaled, truth, is_open = scaled[usable], truth[usable], is_open[usable]
    shares = (weights[usable] / weights[usable].sum()).astype(np.float32)
    size, goals, at = scaled.shape[1], is_open.shape[1], np.arange(len(usable))
    closed = np.where(is_open, 0.0, CLOSED).astype(np.float32)

    def loss(values: Array) -> tuple[float, Array]:
        table = values.reshape(size + 1, goals)
        scores = scaled @ table[:size].astype(np.float32) + table[size].astype(np.float32) + closed
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        totals = chances.sum(axis=1)
        logs = scores[at, truth] - np.log(totals)
        chances /= totals[:, None]
        chances[at, truth] -= 1.0
        chances *= shares[:, None]
        slope = np.concatenate([scaled.T @ chances, chances.sum(axis=0)[None]]).astype(np.float64)
        slope += penalty * table
        return float(0.5 * (penalty * table**2).sum() - shares @ logs), slope.ravel()

    penalty = np.full((size + 1, 1), settings.ridge)
    penalty[size] = FREE
    found = _optimizer().minimize(
        loss, np.zeros((size + 1) * goals), jac=True, method="L-BFGS-B", options={"maxiter": settings.linear_steps}
    )
    table = np.asarray(found.x, np.float64).reshape(size + 1, goals)
    return table[:size], table[size]


CLOSED, FREE = -1e9, 1e-4  # the score of a closed goal; the penalty of an intercept


def _optimizer() -> Any:
    from importlib import import_module

    _sklearn("linear_model")  # it brings SciPy along, and says how to install both
    return import_module("scipy.optimize")


UNSEEN = -8.0  # the score of a goal without training rows


def train_trees(rows: TrainingRows, goals: int, weights: Array, settings: EnsembleSettings) -> TreeScores:
    """Train gradient boosted trees."""
    present, place = np.unique(rows.truth, return_inverse=True)
    if len(present) < 2 or not settings.rounds:
        none = np.zeros((0, 4), np.int64), np.zeros(0), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64)
        return TreeScores(*none, np.where(np.isin(np.arange(goals), present), 0.0, UNSEEN))
    learner = _sklearn("ensemble").HistGradientBoostingClassifier(
        learning_rate=settings.rate,
        max_iter=settings.rounds,
        max_leaf_nodes=settings.leaves,
        min_samples_leaf=settings.least,
        l2_regularization=settings.l2,
        max_features=settings.share,
        max_bins=settings.bins,
        early_stopping=False,
        random_state=settings.seed,
    )
    shown = rows.features[:, : rows.plain or None]
    is_empty = np.isnan(shown).all(axis=0)  # scikit-learn cannot bin a feature without values
    if is_empty.any():
        shown = np.where(is_empty, 0.0, shown)
    learner.fit(shown, place, sample_weight=weights)
    found = TreeScores.from_boosting(learner)
    baseline = np.full(goals, UNSEEN)
    baseline[present] = found.baseline
    return replace(found, tree_goals=present[found.tree_goals].astype(np.int64), baseline=baseline)


def _sklearn(part: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"sklearn.{part}")
    except ImportError:
        raise TelosError("training an ensemble needs scikit-learn", "pip install 'telos[studies]'") from None


# --- combination ------------------------------------------------------------------------------------------------------


def combine(scores: Array, rows: TrainingRows, settings: EnsembleSettings) -> tuple[tuple[float, ...], Array]:
    """Return the weights of the components and the offsets of the goals, fitted to scores on unseen players.

    First, the weights and offsets that make the true goals likeliest. Then rare goals are raised by a share of the
    logarithm of how rare they are, which costs some accuracy and gains macro-F1; the share with the highest sum of
    accuracy and half the macro-F1 is taken. At last the temperature is fitted, with these offsets held, unless it is
    one for all parts.
    """
    weights, offsets = fit_weights(scores, rows, settings.shrink, settings.even, settings.centre)
    shares = np.bincount(rows.truth, minlength=scores.shape[2]) + 1.0
    rarity = -np.log(shares / shares.sum())
    rarity -= rarity.mean()
    candidates = RARE if settings.rare is None else (settings.rare,)
    best, chosen = -1.0, candidates[0]
    for share in candidates:
        chances = softmax(np.tensordot(weights, scores, 1) + offsets + share * rarity, rows.is_open)
        found = chances.argmax(axis=1)
        worth = float((found == rows.truth).mean()) + macro_f1(found, rows.truth) / 2
        if worth > best + 1e-9:
            best, chosen = worth, share
    offsets = offsets + chosen * rarity
    if settings.common_temperature:  # which is fitted when all parts are known
        return tuple(weights.tolist()), offsets
    scale = fit_temperature(np.tensordot(weights, scores, 1) + offsets, rows.truth, rows.is_open)
    return tuple(float(weight * scale) for weight in weights), offsets * scale


def fit_weights(
    scores: Array, rows: TrainingRows, shrink: float, even: float = 1e-6, centre: Sequence[float] = (0.5, 0.5)
) -> tuple[Array, Array]:
    """Return one weight for each component and one offset for each goal by Newton's method.

    The likelihood has a single peak. Offsets are drawn towards 0 by ``shrink``, weights towards ``centre`` by ``even``.
    """
    components, count, size = scores.shape
    if len(centre) != components:
        raise TelosError(f"settings: the centre has {len(centre)} weights for {components} components")
    usable = rows.is_open[np.arange(count), rows.truth]  # where the truth was ruled out no weight can help
    scores, truth, is_open = scores[:, usable], rows.truth[usable], rows.is_open[usable]
    middle = np.concatenate([np.array(centre), np.zeros(size)])
    at, values = np.arange(len(truth)), middle.copy()
    penalty = np.concatenate([np.full(components, even), np.full(size, shrink)])
    for _ in range(STEPS):
        chances = softmax(np.tensordot(values[:components], scores, 1) + values[components:], is_open)
        expected = (scores * chances).sum(axis=2)
        errors = -chances
        errors[at, truth] += 1.0
        slope = np.concatenate([(scores[:, at, truth] - expected).mean(axis=1), errors.mean(axis=0)])
        slope -= penalty * (values - middle)
        spread = scores - expected[:, :, None]
        bend = np.zeros((size + components, size + components))
        bend[:components, :components] = np.einsum("irg,jrg,rg->ij", spread, spread, chances) / len(truth)
        bend[:components, components:] = np.einsum("irg,rg->ig", spread, chances) / len(truth)
        bend[components:, :components] = bend[:components, components:].T
        bend[components:, components:] = np.diag(chances.mean(axis=0)) - chances.T @ chances / len(truth)
        step = np.linalg.solve(bend + np.diag(penalty), slope)
        values += step * min(1.0, 1.0 / max(1e-12, float(np.abs(step).max())))  # no leaps while it is far off
        if np.abs(step).max() < CLOSE:
            break
    return np.maximum(values[:components], 0.0), values[components:]


def fit_temperature(scores: Array, truth: Ints, is_open: NDArray[np.bool_]) -> float:
    """Return the factor for the scores by which the belief in the likeliest goal is right as often as it says.

    The factor is the one at which the mean belief in the likeliest goal equals the share of rows at which it is right.
    """
    right = float((softmax(scores, is_open).argmax(axis=1) == truth).mean())
    low, high = 0.05, 20.0
    for _ in range(60):
        middle = (low * high) ** 0.5
        if float(softmax(scores * middle, is_open).max(axis=1).mean()) < right:
            low = middle
        else:
            high = middle
    return float((low * high) ** 0.5)


def macro_f1(found: NDArray[Any], truth: NDArray[Any]) -> float:
    """Return the mean over the goals that were pursued of the F1 of each.

    >>> round(macro_f1(np.array([0, 0, 1]), np.array([0, 1, 1])), 3)
    0.667
    """
    size = int(max(found.max(), truth.max())) + 1
    both = np.bincount(truth[found == truth], minlength=size)
    of_truth, of_found = np.bincount(truth, minlength=size), np.bincount(found, minlength=size)
    pursued = of_truth > 0
    return float((2.0 * both[pursued] / (of_truth + of_found)[pursued]).mean())


def pursuits_of(is_new: Sequence[int] | NDArray[Any], starts: Sequence[int] | NDArray[Any]) -> Ints:
    """Return the number of the pursuit of each row: one begins with a sequence and after each achieved goal."""
    found: Ints = np.cumsum(np.asarray(is_new, np.bool_) | np.asarray(starts, np.bool_)).astype(np.int64)
    return found
