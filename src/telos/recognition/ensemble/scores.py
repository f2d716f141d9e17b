"""The two components of an ensemble, as plain arrays: a linear score and a sum of decision trees for each goal.

Both are trained elsewhere (training.py) and evaluated by the kernel alone, so nothing but NumPy is needed to use them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.recognition.ensemble import kernel
from telos.recognition.ensemble.features import Array, Ints, loops

LARGEST = float(
    np.finfo(np.float64).max
)  # stands for an infinite threshold: any value goes left, a missing one may not


@dataclass(frozen=True, eq=False)
class LinearScores:
    """A score for each goal: the weighted sum of standardised features; a missing feature counts as its mean."""

    means: Array  # (features,)
    scales: Array  # (features,): one by the standard deviation; 0 leaves a feature out
    weights: Array  # (features, goals)
    intercepts: Array  # (goals,)

    @property
    def features(self) -> int:
        return len(self.means)

    @property
    def goals(self) -> int:
        return len(self.intercepts)

    def check(self) -> None:
        """Refuse arrays that do not fit one another."""
        if self.scales.shape != self.means.shape or self.weights.shape != (self.features, self.goals):
            raise TelosError("linear scores: means, scales, weights and intercepts have different lengths")

    def add_to(self, row: Array, scores: Array) -> None:
        """Add the scores of one row."""
        scores += self.intercepts
        loops().add_linear(self.weights, self.means, self.scales, row, scores)

    def of_rows(self, rows: Array) -> Array:
        """Return the scores of many rows."""
        scores = np.tile(self.intercepts, (len(rows), 1))
        loops().add_linear_to_rows(self.weights, self.means, self.scales, rows, scores)
        return scores

    def parts(self, row: Array) -> Array:
        """Return what each feature adds to the score of each goal: (goals, features)."""
        scaled = np.clip((row - self.means) * self.scales, -kernel.CLIP, kernel.CLIP)
        found: Array = (np.nan_to_num(scaled)[:, None] * self.weights).T
        return found


@dataclass(frozen=True, eq=False)
class TreeScores:
    """A score for each goal: the sum of the leaves that a row reaches in the goal's decision trees.

    Nodes of all trees are in one table; a child stands below its parent. ``links`` has four columns: the feature that
    is compared (-1 in a leaf), the left and the right child, and 1 if a missing value goes left. A row goes left if its
    feature is at most the threshold. The value of an inner node is the mean of its leaves, for explanations.
    """

    links: Ints  # (nodes, 4)
    thresholds: Array  # (nodes,)
    values: Array  # (nodes,)
    roots: Ints  # (trees,)
    tree_goals: Ints  # (trees,)
    baseline: Array  # (goals,)

    @property
    def goals(self) -> int:
        return len(self.baseline)

    def check(self, features: int) -> None:
        """Refuse tables by which a row could leave the arrays or go round in circles."""
        nodes, trees = len(self.links), len(self.roots)
        if self.links.shape != (nodes, 4) or self.thresholds.shape != (nodes,) or self.values.shape != (nodes,):
            raise TelosError("trees: links, thresholds and values have different lengths")
        if self.tree_goals.shape != (trees,):
            raise TelosError("trees: roots and goals have different lengths")
        if trees and not (_within(self.roots, nodes) and _within(self.tree_goals, self.goals)):
            raise TelosError("trees: a root or a goal is outside the tables")
        inner = np.flatnonzero(self.links[:, 0] >= 0)
        if (self.links[:, 0] < -1).any() or (self.links[inner, 0] >= features).any():
            raise TelosError(f"trees: a node compares a feature that is none of the {features}")
        children = self.links[inner, 1:3]
        if inner.size and not ((children > inner[:, None]).all() and (children < nodes).all()):
            raise TelosError("trees: a child does not stand below its parent")

    def add_to(self, row: Array, scores: Array) -> None:
        """Add the scores of one row."""
        scores += self.baseline
        loops().add_trees(self.links, self.thresholds, self.values, self.roots, self.tree_goals, row, scores)

    def of_rows(self, rows: Array) -> Array:
        """Return the scores of many rows."""
        scores = np.tile(self.baseline, (len(rows), 1))
        loops().add_trees_to_rows(self.links, self.thresholds, self.values, self.roots, self.tree_goals, rows, scores)
        return scores

    def parts(self, row: Array) -> Array:
        """Return by how much the splits on each feature have moved the score of each goal: (goals, features)."""
        found = np.zeros((self.goals, len(row)))
        loops().explain_trees(self.links, self.thresholds, self.values, self.roots, self.tree_goals, row, found)
        return found

    @classmethod
    def from_boosting(cls, trained: Any) -> "TreeScores":
        """Return the trees of a trained ``HistGradientBoostingClassifier`` of scikit-learn, without categories.

        Of two classes, scikit-learn has trees for the second only; the first has a score of 0.
        """
        links, thresholds, values, roots, goals = [], [], [], [], []
        is_binary, size = len(trained.classes_) == 2, 0
        for iteration in trained._predictors:
            for goal, tree in enumerate(iteration):
                nodes = tree.nodes
                if nodes["is_categorical"].any():
                    raise TelosError("trees: features with categories are not supported", "encode them as 0 and 1")
                is_leaf = nodes["is_leaf"].astype(bool)
                children = np.stack([nodes["left"], nodes["right"]], axis=1).astype(np.int64) + size
                children[is_leaf] = 0
                feature = np.where(is_leaf, -1, nodes["feature_idx"].astype(np.int64))
                links.append(np.column_stack([feature, children, nodes["missing_go_to_left"].astype(np.int64)]))
                thresholds.append(np.where(is_leaf, 0.0, np.minimum(nodes["num_threshold"], LARGEST)))
                values.append(_mean_values(nodes))
                roots.append(size)
                goals.append(1 if is_binary else goal)
                size += len(nodes)
        baseline = np.asarray(trained._baseline_prediction, np.float64).ravel()
        return cls(
            np.concatenate(links),
            np.concatenate(thresholds),
            np.concatenate(values),
            np.array(roots, np.int64),
            np.array(goals, np.int64),
            np.array([0.0, *baseline]) if is_binary else baseline,
        )


def _mean_values(nodes: Any) -> Array:
    """Return the values of all nodes: of an inner node the mean of its leaves, weighted by their training rows."""
    values = nodes["value"].astype(np.float64)
    for at in range(len(nodes) - 1, -1, -1):  # children stand below their parents
        if not nodes["is_leaf"][at]:
            left, right = int(nodes["left"][at]), int(nodes["right"][at])
            counts = float(nodes["count"][left]), float(nodes["count"][right])
            values[at] = (counts[0] * values[left] + counts[1] * values[right]) / max(1.0, sum(counts))
    found: Array = values
    return found


def _within(numbers: NDArray[np.int64], size: int) -> bool:
    return bool((numbers >= 0).all() and (numbers < size).all())
