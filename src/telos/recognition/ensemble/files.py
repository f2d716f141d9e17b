"""Ensembles as files: one JSON object, plain numbers and names, so that a file of somebody else runs no code.

Every fault is a ``TelosError`` with its place. Sizes, indices and tables are checked before a model is built: a row can
neither leave the arrays nor go round in circles.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from telos.core.errors import TelosError
from telos.files.reading import parse_json, read_text
from telos.files.snapshots import REMEDY as SNAPSHOT_REMEDY
from telos.files.snapshots import Count, Finite, Items, Row, SnapshotModel, SnapshotPart, read_snapshot
from telos.files.writing import write_text
from telos.recognition.ensemble.features import (
    ACHIEVED,
    MAX_FEATURES,
    CodedEntry,
    FeatureGroup,
    FeatureProgram,
    FilterTables,
    NumberEntry,
    no_tables,
)
from telos.recognition.ensemble.model import EnsembleModel, EnsemblePart
from telos.recognition.ensemble.paths import PathScores
from telos.recognition.ensemble.scores import LinearScores, TreeScores
from telos.recognition.recognizer import check_goals

SUFFIX = ".json"
DIGITS = 9  # significant digits of a weight
REMEDY = "train it anew, or use the file as it was written"
Name = Annotated[str, Field(max_length=1000)]
Place = Annotated[int, Field(ge=-1, le=10_000_000)]
# Trained weights are below 1e6; sums of these, and their products, stay finite for any row.
Weight = Annotated[float, Field(ge=-1e9, le=1e9)]
Mean = Annotated[float, Field(ge=-1e100, le=1e100)]
Share = Annotated[float, Field(ge=0, le=1 + 1e-6)]


class SavedNumber(SnapshotPart):
    """A number entry of a file."""

    name: Name
    missing: Finite | None = None
    optional: bool = False


class SavedCode(SnapshotPart):
    """A coded entry of a file."""

    name: Name
    levels: Items[Items[Name]]
    values: Items[Name]
    detail: dict[Name, Items[Name]] = Field(default_factory=dict)
    lag: Annotated[int, Field(ge=0, le=1)] = 0


class SavedGroup(SnapshotPart):
    """A feature group of a file."""

    kind: Name
    source: Name = ""
    half_life: Annotated[float, Field(gt=0, le=1e9)] = 1.0
    depth: Annotated[int, Field(ge=1, le=MAX_FEATURES)] = 1
    seen: Name = ""


class SavedFilter(SnapshotPart):
    """The tables of a filter in a file."""

    goals: Items[Name]
    prior: Items[Share]
    matrices: Items[Items[Items[Share]]]
    likelihoods: Items[Items[Share]]


class SavedFeatures(SnapshotPart):
    """The feature program of a file."""

    numbers: Items[SavedNumber]
    codes: Items[SavedCode]
    groups: Items[SavedGroup]
    idle: Items[Name] = Field(default_factory=list)
    filter: SavedFilter | None = None
    bins: Items[Row[tuple[Count, Finite]]] = Field(default_factory=list)


class SavedLinear(SnapshotPart):
    """The linear scores of a part."""

    means: Items[Mean]
    scales: Items[Weight]
    weights: Items[Items[Weight]]
    intercepts: Items[Weight]


class SavedTrees(SnapshotPart):
    """The decision trees of a part."""

    links: Items[Items[Place]]
    thresholds: Items[Finite]
    values: Items[Weight]
    roots: Items[Count]
    goals: Items[Count]
    baseline: Items[Weight]


class SavedPaths(SnapshotPart):
    """The paths of milestones of a part."""

    columns: Items[Count]
    costs: Items[Weight]
    cases: Items[Items[Weight]]
    starts: Items[Mean]
    lengths: Items[Mean]
    goals: Items[Count]
    prior: Items[Weight]
    time: Count
    age: Count
    spread: Weight
    patience: Weight


class SavedPart(SnapshotPart):
    """One part of an ensemble."""

    value: Name = ""
    goals: Items[Count]
    weights: Items[Weight]
    offsets: Items[Weight]
    linear: SavedLinear
    trees: SavedTrees
    paths: SavedPaths | None = None


class SavedEnsemble(SnapshotModel):
    """A whole file."""

    recognizer: Literal["ensemble"]
    goals: Items[Name]
    once: bool = False
    parted_by: Name = ""
    requires: dict[Name, Items[Name]] = Field(default_factory=dict)
    features: SavedFeatures
    parts: Items[SavedPart]
    about: dict[Name, Any] = Field(default_factory=dict)


def save_ensemble(
    model: EnsembleModel, path: str | os.PathLike[str], *, about: Mapping[str, object] | None = None
) -> None:
    """Write a model as a file, in one step; ``about`` says where it comes from, and is not read again.

    ``load_ensemble`` reads it back with weights of nine significant digits.
    """
    if not os.fspath(path).endswith(SUFFIX):
        raise TelosError(f"{os.fspath(path)}: an ensemble is a {SUFFIX} file", f"give a name that ends in {SUFFIX}")
    write_text(path, format_ensemble(model, about=about))


def format_ensemble(model: EnsembleModel, *, about: Mapping[str, object] | None = None) -> str:
    """Return the text of the file of a model."""
    import json

    return (
        json.dumps({**ensemble_data(model), "about": dict(about or {})}, separators=(",", ":"), allow_nan=False) + "\n"
    )


def ensemble_data(model: EnsembleModel) -> dict[str, Any]:
    """Return a model as plain data, as its file holds it."""
    program = model.program
    features: dict[str, Any] = {
        "numbers": [
            {"name": each.name, "missing": each.missing, "optional": each.optional} for each in program.numbers
        ],
        "codes": [
            {
                "name": each.name,
                "levels": [list(level) for level in each.levels],
                "values": list(each.values),
                "detail": {action: list(names) for action, names in each.detail.items()},
                "lag": each.lag,
            }
            for each in program.codes
        ],
        "groups": [
            {
                "kind": each.kind,
                "source": each.source,
                "half_life": each.half_life,
                "depth": each.depth,
                "seen": each.seen,
            }
            for each in program.groups
        ],
        "idle": list(program.idle),
        "filter": None,
        "bins": [list(each) for each in program.bins],
    }
    if len(program.tables.prior):
        tables = program.tables
        features["filter"] = {
            "goals": list(program.goals),
            "prior": _rounded(tables.prior),
            "matrices": _rounded(tables.matrices),
            "likelihoods": _rounded(tables.likelihoods),
        }
    return {
        "recognizer": "ensemble",
        "format": 1,
        "goals": list(model.goals),
        "once": model.once,
        "parted_by": model.parted_by,
        "requires": {goal: list(required) for goal, required in model.requires.items()},
        "features": features,
        "parts": [_part_data(part) for part in model.parts],
    }


def _part_data(part: EnsemblePart) -> dict[str, Any]:
    linear, trees = part.linear, part.trees
    found: dict[str, Any] = {
        "value": part.value,
        "goals": list(part.goals),
        "weights": _rounded(np.array(part.weights)),
        "offsets": _rounded(part.offsets),
        "linear": {
            "means": _rounded(linear.means),
            "scales": _rounded(linear.scales),
            "weights": _rounded(linear.weights),
            "intercepts": _rounded(linear.intercepts),
        },
        "trees": {
            "links": trees.links.tolist(),
            # to the last digit: a row may lie on a threshold
            "thresholds": trees.thresholds.tolist(),
            "values": _rounded(trees.values),
            "roots": trees.roots.tolist(),
            "goals": trees.tree_goals.tolist(),
            "baseline": _rounded(trees.baseline),
        },
    }
    if part.paths is not None:
        paths = part.paths
        found["paths"] = {
            "columns": paths.columns.tolist(),
            "costs": _rounded(paths.costs),
            "cases": _rounded(paths.cases),
            "starts": _rounded(paths.starts),
            "lengths": _rounded(paths.lengths),
            "goals": paths.case_goals.tolist(),
            "prior": _rounded(paths.prior),
            "time": paths.time,
            "age": paths.age,
            "spread": paths.spread,
            "patience": paths.patience,
        }
    return found


def _rounded(array: Any) -> Any:
    """Return an array as nested lists of numbers with nine significant digits."""
    if array.ndim > 1:
        return [_rounded(each) for each in array]
    return [float(f"{number:.{DIGITS}g}") for number in array.tolist()]


def load_ensemble(path: str | os.PathLike[str]) -> EnsembleModel:
    """Read the ensemble at ``path``."""
    return parse_ensemble(read_text(path), os.fspath(path))


def parse_ensemble(text: str, name: str) -> EnsembleModel:
    """Read an ensemble from the text of its file; ``name`` stands for the file in faults."""
    try:
        data = parse_json(text)
    except TelosError as error:
        raise error.at(name) from None
    if not isinstance(data, dict) or data.get("recognizer") != "ensemble":
        raise TelosError(f"{name}: not an ensemble", 'its file begins with {"recognizer":"ensemble"')
    try:
        saved = read_snapshot(SavedEnsemble, data, of="ensemble")
        return _build(saved, PurePath(name).stem)
    except TelosError as error:
        remedy = REMEDY if error.remedy == SNAPSHOT_REMEDY else error.remedy
        raise TelosError(error.message, remedy).at(name) from None


def _build(saved: SavedEnsemble, name: str) -> EnsembleModel:
    features = saved.features
    codes = tuple(
        CodedEntry(
            each.name,
            tuple(tuple(level) for level in each.levels),
            tuple(each.values),
            {action: tuple(names) for action, names in each.detail.items()},
            each.lag,
        )
        for each in features.codes
    )
    for code in codes:
        if not code.levels and code.name != ACHIEVED:
            raise TelosError(f"features: {code.name!r} reads nothing", REMEDY)
    tables, goals = no_tables(), tuple[str, ...]()
    if features.filter is not None:
        saved_tables = features.filter
        goals = tuple(saved_tables.goals)
        arrays = (
            _array("prior", saved_tables.prior, 1),
            _array("matrices", saved_tables.matrices, 3),
            _array("likelihoods", saved_tables.likelihoods, 2),
        )
        tables = FilterTables(*arrays)
    program = FeatureProgram(
        tuple(NumberEntry(each.name, each.missing, each.optional) for each in features.numbers),
        codes,
        tuple(FeatureGroup(each.kind, each.source, each.half_life, each.depth, each.seen) for each in features.groups),
        tuple(features.idle),
        tables,
        goals,
        tuple(features.bins),
    )
    parts = tuple(_build_part(each) for each in saved.parts)
    requires = {goal: tuple(required) for goal, required in saved.requires.items()}
    return EnsembleModel(check_goals(saved.goals), program, parts, saved.parted_by, saved.once, name, requires)


def _build_part(saved: SavedPart) -> EnsemblePart:
    linear = LinearScores(
        _array("means", saved.linear.means, 1),
        _array("scales", saved.linear.scales, 1),
        _array("weights", saved.linear.weights, 2),
        _array("intercepts", saved.linear.intercepts, 1),
    )
    trees = TreeScores(
        _array("links", saved.trees.links, 2, np.int64).reshape(-1, 4),
        _array("thresholds", saved.trees.thresholds, 1),
        _array("values", saved.trees.values, 1),
        _array("roots", saved.trees.roots, 1, np.int64),
        _array("goals", saved.trees.goals, 1, np.int64),
        _array("baseline", saved.trees.baseline, 1),
    )
    return EnsemblePart(
        saved.value,
        tuple(saved.goals),
        linear,
        trees,
        tuple(float(weight) for weight in saved.weights),
        _array("offsets", saved.offsets, 1),
        None if saved.paths is None else _build_paths(saved.paths),
    )


def _build_paths(saved: SavedPaths) -> PathScores:
    return PathScores(
        _array("columns", saved.columns, 1, np.int64),
        _array("costs", saved.costs, 1),
        _array("cases", saved.cases, 2),
        _array("starts", saved.starts, 1),
        _array("lengths", saved.lengths, 1),
        _array("goals", saved.goals, 1, np.int64),
        _array("prior", saved.prior, 1),
        saved.time,
        saved.age,
        float(saved.spread),
        float(saved.patience),
    )


def _array(name: str, given: Sequence[Any], dimensions: int, kind: type = np.float64) -> Any:
    """Return nested lists as an array; lists of different lengths are refused."""
    try:
        array: NDArray[Any] = np.array(given, kind)
    except ValueError:
        raise TelosError(f"{name}: lists of different lengths", REMEDY) from None
    if array.size == 0:
        return np.zeros((0,) * (dimensions - 1) + (0,), kind) if dimensions == 1 else np.zeros((0,) * dimensions, kind)
    if array.ndim != dimensions or (name == "links" and array.shape[1] != 4):
        raise TelosError(f"{name}: not a table of {dimensions} dimensions", REMEDY)
    return array
