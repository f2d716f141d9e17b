"""Ensembles on logs of people: nested folds, training on a whole log, and scoring of a saved model.

Outer folds by player give the figures. All that is fitted is fitted on the other players: components, the weights that
combine them, offsets and temperature, these in inner folds. The peers (logistic regression, boosted trees, naive Bayes)
have the same features, rows and outer folds. Start with ``run_nested``, ``train_model`` and ``score_model``.
"""

import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from telos.core.errors import TelosError
from telos.parallel import parallel_map
from telos.recognition.ensemble.features import Array, Encoded, FeatureProgram
from telos.recognition.ensemble.files import load_ensemble, save_ensemble
from telos.recognition.ensemble.model import EnsembleModel, EnsemblePart, EnsembleReader, find_open
from telos.recognition.ensemble.paths import PathSettings
from telos.recognition.ensemble.training import (
    EnsembleSettings,
    TrainingRows,
    deal_groups,
    fit_temperature,
    macro_f1,
    pursuits_of,
    scale_part,
    train_calibrated,
)
from telos.studies.humans.ensembles import GAMES, EnsembleGame, LabelledSequence, read_sequences
from telos.studies.humans.experts import calibration_error
from telos.studies.humans.peers import (
    BAYES,
    HMM,
    LINEAR,
    MAJORITY,
    OURS,
    PATHS,
    TREES,
    GameRows,
    component_beliefs,
    peer_beliefs,
)
from telos.studies.results import Progress, StudyResult, Table, no_progress, round_figure
from telos.studies.statistics import CONFIDENCE, quantile

FOLDS, QUICK_FOLDS = {"crafter": 3, "starcraft": 10, "overcooked": 3}, 2  # StarCraft II: as its formulas are scored
# Chosen by folds over the players of the open logs, from few candidates; the docs list them.
SETTINGS = {
    "crafter": EnsembleSettings(ridge=0.0005, rate=0.12, rounds=30, leaves=8, l2=20.0, share=0.15, thin=4),
    "starcraft": EnsembleSettings(
        ridge=0.1,
        open_only=True,
        linear_steps=30,
        linear_thin=6,
        rounds=0,
        folds=10,  # there are no trees to train, so more of them cost little, and components see more of the players
        paths=PathSettings(
            costs=(
                ("total: achieved ", 1.0 / math.log(2.0)),  # the logarithm of one more than the times: 1 a milestone
                ("latest 1: achieved ", 0.46),
                ("now: opponent ", 0.35),
            )
        ),
        shrink=10.0,  # a race has too few groups of players to fit weights and offsets freely
        even=100.0,
        centre=(0.5, 0.0, 0.3),
        common_temperature=True,
    ),
    "overcooked": EnsembleSettings(
        ridge=0.02, linear_evenness=0.0, tree_evenness=0.0, rate=0.15, rounds=30, leaves=12, share=0.3, thin=3
    ),
}
RESAMPLES = 1000
TIMED = 2000  # events by which the live cost is measured


# --- rows -------------------------------------------------------------------------------------------------------------


def game_rows(
    game: EnsembleGame, program: FeatureProgram, sequences: Sequence[LabelledSequence], goals: Sequence[str]
) -> GameRows:
    """Return the rows of some sequences, and which goals are open at each."""
    events = [sequence.events for sequence in sequences]
    encoded: Encoded = program.encode(events)
    lengths = [len(each) for each in events]
    truth = np.array([each or "" for sequence in sequences for each in sequence.truth], dtype=object)
    part = game.parts
    return GameRows(
        program.extract(encoded),
        truth != "",
        truth,
        np.repeat(np.array([sequence.group for sequence in sequences], dtype=object), lengths),
        np.array([str(event.context[part]) if part else "" for each in events for event in each], dtype=object),
        pursuits_of(encoded.is_new, encoded.starts),
        find_open(events, goals, game.once, requirements(game, goals)),
    )


def requirements(game: EnsembleGame, goals: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return what each of the goals requires, as far as that is among them."""
    found = {goal: tuple(each for each in game.requires.get(goal, ()) if each in goals) for goal in goals}
    return {goal: required for goal, required in found.items() if required}


def goals_of(sequences: Sequence[LabelledSequence]) -> tuple[str, ...]:
    """Return every goal that was pursued, sorted by name."""
    return tuple(sorted({goal for sequence in sequences for goal in sequence.truth if goal is not None}))


def train_model(
    game: EnsembleGame,
    sequences: Sequence[LabelledSequence],
    settings: EnsembleSettings,
    *,
    progress: Progress = no_progress,
) -> EnsembleModel:
    """Train an ensemble on labelled sequences."""
    goals = goals_of(sequences)
    if len(goals) < 2:
        raise TelosError(f"{game.name}: {len(goals)} goals in the log", "training needs at least two")
    program = game.program(sequences)
    if game.with_filter is None:
        rows = game_rows(game, program, sequences, goals)
    else:
        rows = _unseen_rows(game, program, sequences, goals, settings)
        program = game.with_filter(program, sequences, goals)
    return train_on_rows(game, program, rows, goals, settings, progress=progress)


def train_on_rows(
    game: EnsembleGame,
    program: FeatureProgram,
    rows: GameRows,
    goals: tuple[str, ...],
    settings: EnsembleSettings,
    *,
    progress: Progress = no_progress,
) -> EnsembleModel:
    """Train an ensemble on rows whose features are known."""
    program = program.with_bins(rows.features[rows.is_scored], settings.cuts)
    parts, scores, chosen_rows = list[EnsemblePart](), list[Array](), list[NDArray[np.int64]]()
    values = sorted(set(rows.parts[rows.is_scored].tolist()))
    for value in progress(values, len(values)):
        chosen = np.flatnonzero(rows.is_scored & (rows.parts == value))
        own = tuple(sorted({goals.index(goal) for goal in rows.truth[chosen].tolist()}))
        place = {goals[goal]: at for at, goal in enumerate(own)}
        training = TrainingRows(
            program.add_bins(rows.features[chosen]),
            np.array([place[goal] for goal in rows.truth[chosen].tolist()], np.int64),
            rows.groups[chosen].astype(str),
            rows.pursuits[chosen],
            rows.is_open[chosen][:, list(own)],
            program.plain_size,
        )
        part, unseen = train_calibrated(training, own, settings, value, program.names)
        parts.append(part)
        wide = np.full((len(chosen), len(goals)), -np.inf)
        wide[:, list(own)] = np.where(training.is_open, unseen, -np.inf)
        scores.append(wide)
        chosen_rows.append(chosen)
    if settings.common_temperature:
        chosen = np.concatenate(chosen_rows)
        truth = np.array([goals.index(goal) for goal in rows.truth[chosen].tolist()], np.int64)
        together = np.concatenate(scores)
        scale = fit_temperature(together, truth, np.isfinite(together))
        parts = [scale_part(part, scale) for part in parts]
    requires = requirements(game, goals)
    return EnsembleModel(goals, program, tuple(parts), game.parts, game.once, game.name, requires)


def _unseen_rows(
    game: EnsembleGame,
    program: FeatureProgram,
    sequences: Sequence[LabelledSequence],
    goals: Sequence[str],
    settings: EnsembleSettings,
) -> GameRows:
    """Return the rows of sequences, each with a filter that was counted on other players, or it would be too sure."""
    assert game.with_filter is not None
    fold = deal_sequences(sequences, settings.folds, settings.seed)
    found: list[GameRows | None] = [None] * len(sequences)
    for held_out in sorted(set(fold)):
        others = [each for each, at in zip(sequences, fold, strict=True) if at != held_out]
        counted = game.with_filter(program, others, goals)
        for at, each in enumerate(sequences):
            if fold[at] == held_out:
                found[at] = game_rows(game, counted, [each], goals)
    parts = [each for each in found if each is not None]
    shifts = np.cumsum([0, *(int(each.pursuits[-1]) if len(each.pursuits) else 0 for each in parts)])
    pursuits = np.concatenate([each.pursuits + shift for each, shift in zip(parts, shifts, strict=False)])
    return GameRows(*map(np.concatenate, zip(*parts, strict=True)))._replace(pursuits=pursuits)


def deal_sequences(sequences: Sequence[LabelledSequence], folds: int, seed: int) -> list[int]:
    """Return the fold of each sequence; those of a group are in one fold."""
    lengths = np.array([len(each.events) for each in sequences])
    names = np.array([each.group for each in sequences])
    found: list[int] = deal_groups(np.repeat(names, lengths), folds, seed)[np.cumsum(lengths) - lengths].tolist()
    return found


# --- nested folds -----------------------------------------------------------------------------------------------------


class NestedTask(NamedTuple):
    """One outer fold, small enough to be sent to another process."""

    name: str
    folder: str
    fold: int
    folds: int
    quick: bool
    seed: int


class FoldBeliefs(NamedTuple):
    """The scored rows of one outer fold: truth, group, and the belief of each method over ``goals``."""

    goals: tuple[str, ...]
    truth: list[str]
    groups: list[str]
    beliefs: dict[str, Array]
    microseconds: float


@dataclass(frozen=True, slots=True)
class MethodQuality:
    """One method on all rows: each figure with its interval over groups."""

    method: str
    accuracy: tuple[float, float, float]
    macro_f1: tuple[float, float, float]
    ece: tuple[float, float, float]
    log_loss: float

    def data(self) -> dict[str, Any]:
        """Return it for JSON: the figures as shares."""
        found: dict[str, Any] = {"log_loss": round_figure(self.log_loss)}
        for name, values in (("accuracy", self.accuracy), ("macro_f1", self.macro_f1), ("ece", self.ece)):
            found[name] = round_figure(values[0])
            found[f"{name}_ci"] = [round_figure(bound) for bound in values[1:]]
        return found

    def cells(self) -> tuple[str, ...]:
        """Return the cells of a table."""
        return (
            self.method,
            f"{100 * self.accuracy[0]:.1f} [{100 * self.accuracy[1]:.1f}, {100 * self.accuracy[2]:.1f}]",
            *(f"{value[0]:.3f} [{value[1]:.2f}, {value[2]:.2f}]" for value in (self.macro_f1, self.ece)),
        )


COLUMNS = ("method", "right, % [95%]", "macro-F1", "ECE")


def settings_of(name: str, *, quick: bool, seed: int) -> EnsembleSettings:
    """Return the settings of a game's ensemble; a quick one has fewer trees on fewer rows."""
    settings = replace(SETTINGS[name], seed=seed)
    return replace(settings, rounds=min(10, settings.rounds), thin=4, folds=2, linear_steps=30) if quick else settings


def run_nested(
    name: str,
    folder: str | os.PathLike[str],
    *,
    quick: bool = False,
    jobs: int = 1,
    seed: int = 1,
    progress: Progress = no_progress,
) -> StudyResult:
    """Train and test the ensemble of a game, and its peers, in nested folds by player on the log in ``folder``."""
    place = str(Path(folder))
    groups = np.array([each.group for each in _sequences(place, name)])
    count = min(QUICK_FOLDS if quick else FOLDS[name], len(set(groups.tolist())))
    if len(set(groups.tolist())) < 4:
        raise TelosError(f"{place}: {len(set(groups.tolist()))} groups of players", "nested folds need at least four")
    tasks = [NestedTask(name, place, fold, count, quick, seed) for fold in range(count)]
    done = list(progress(parallel_map(run_fold, tasks, jobs=jobs), count))
    goals = tuple(sorted({goal for each in done for goal in each.goals}))
    truth = np.array([goals.index(goal) for each in done for goal in each.truth])
    rng = Random(seed)
    group = np.array([group for each in done for group in each.groups])
    found = [
        measure(method, np.concatenate([_spread(each, method, goals) for each in done]), truth, group, rng)
        for method in (OURS, LINEAR, TREES, PATHS, HMM, BAYES, MAJORITY)
        if method in done[0].beliefs
    ]
    cost = median(each.microseconds for each in done)
    return _result(name, f"nested folds by player, {count} outer", found, group, truth, cost, seed, quick)


def run_fold(task: NestedTask) -> FoldBeliefs:
    """Train everything on the other outer folds, and read the players of this one."""
    game, sequences = GAMES[task.name], _sequences(task.folder, task.name)
    fold = deal_sequences(sequences, task.folds, task.seed)
    training = [each for each, at in zip(sequences, fold, strict=True) if at != task.fold]
    test = [each for each, at in zip(sequences, fold, strict=True) if at == task.fold]
    settings = settings_of(task.name, quick=task.quick, seed=task.seed)
    model = train_model(game, training, settings)
    goals = tuple(sorted({*model.goals, *goals_of(test)}))
    rows = game_rows(game, model.program, test, model.goals)
    beliefs = {OURS: model.read_rows(rows.features, [each.events for each in test])[rows.is_scored]}
    known = game_rows(game, model.program, training, model.goals)
    beliefs |= component_beliefs(model, rows)
    beliefs |= peer_beliefs(game.name, model, known, rows)
    scored = FoldBeliefs(
        model.goals,
        rows.truth[rows.is_scored].tolist(),
        [str(each) for each in rows.groups[rows.is_scored].tolist()],
        beliefs,
        live_cost(model, test),
    )
    return scored._replace(
        goals=goals, beliefs={name: _widen(each, model.goals, goals) for name, each in beliefs.items()}
    )


def _widen(beliefs: Array, goals: Sequence[str], wanted: Sequence[str]) -> Array:
    """Return beliefs over more goals; those that the model does not know have no chance."""
    found = np.zeros((len(beliefs), len(wanted)))
    found[:, [list(wanted).index(goal) for goal in goals]] = beliefs
    return found


def _spread(done: FoldBeliefs, method: str, goals: Sequence[str]) -> Array:
    return _widen(done.beliefs[method], done.goals, goals)


@lru_cache(maxsize=1)  # one process runs several folds, and reading is slow
def _sequences(folder: str, name: str) -> list[LabelledSequence]:
    return read_sequences(folder, GAMES[name])


# --- measures ---------------------------------------------------------------------------------------------------------


def measure(
    method: str, beliefs: Array, truth: NDArray[Any], groups: NDArray[Any], rng: Random, resamples: int = RESAMPLES
) -> MethodQuality:
    """Return accuracy, macro-F1 and calibration error of the likeliest goal; intervals are bootstraps over groups."""
    found = beliefs.argmax(axis=1)
    names, place = np.unique(groups, return_inverse=True)
    rows = [np.flatnonzero(place == each) for each in range(len(names))]
    draws = []
    believed, right = beliefs.max(axis=1), found == truth
    for _ in range(resamples):
        drawn = np.concatenate([rows[each] for each in rng.choices(range(len(names)), k=len(names))])
        draws.append((right[drawn].mean(), macro_f1(found[drawn], truth[drawn]), _ece(believed[drawn], right[drawn])))
    figures = (float(right.mean()), macro_f1(found, truth), calibration_error(beliefs, truth))
    tail = (1 - CONFIDENCE) / 2
    bounds = [[quantile(sorted(each), share) for share in (tail, 1 - tail)] for each in zip(*draws, strict=True)]
    with_bounds = [(value, float(low), float(high)) for value, (low, high) in zip(figures, bounds, strict=True)]
    logs = -np.log(np.maximum(beliefs[np.arange(len(truth)), truth], 1e-6))
    return MethodQuality(method, with_bounds[0], with_bounds[1], with_bounds[2], float(logs.mean()))


def _ece(believed: Array, right: NDArray[np.bool_], bins: int = 15) -> float:
    place = np.minimum((believed * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(place, believed - right, minlength=bins)
    return float(np.abs(gaps).sum() / len(right))


def live_cost(model: EnsembleModel, sequences: Sequence[LabelledSequence]) -> float:
    """Return the median time of ``observe`` in microseconds, over the first events of some sequences."""
    reader, times = EnsembleReader(model), list[float]()
    for sequence in sequences:
        reader.reset()
        for event in sequence.events:
            begin = time.perf_counter()
            reader.observe(event)
            times.append(time.perf_counter() - begin)
            if len(times) == TIMED:
                return 1e6 * median(times)
    return 1e6 * median(times)


# --- saved models -----------------------------------------------------------------------------------------------------


def save_trained(
    name: str,
    folder: str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    quick: bool = False,
    seed: int = 1,
    progress: Progress = no_progress,
) -> StudyResult:
    """Train the ensemble of a game on all players of the log in ``folder``, and write it to ``path``."""
    game, sequences = GAMES[name], read_sequences(folder, GAMES[name])
    settings = settings_of(name, quick=quick, seed=seed)
    model = train_model(game, sequences, settings, progress=progress)
    scored = sum(each is not None for sequence in sequences for each in sequence.truth)
    about = {"study": name, "groups": len({each.group for each in sequences}), "rows": scored, "seed": seed}
    save_ensemble(model, path, about={**about, "quick": quick})
    weights = {part.value or "all": [round(weight, 3) for weight in part.weights] for part in model.parts}
    data = {"study": name, "saved": os.fspath(path), **about, "goals": list(model.goals), "weights": weights}
    components = ("linear", "trees", "paths")[: max(map(len, weights.values()))]
    lines = tuple((part, *(f"{weight:.2f}" for weight in each)) for part, each in weights.items())
    return StudyResult(
        name,
        name,
        f"{name}: an ensemble trained on all {about['groups']} groups of human players, {scored:,} rows",
        seed,
        data,
        (Table(("weight of", *components), lines),),
        players="human players",
        findings=(f"Written to {os.fspath(path)}; read a log with it: telos study {name} FOLDER --model FILE.",),
    )


def score_model(
    name: str, folder: str | os.PathLike[str], path: str | os.PathLike[str], *, seed: int = 1
) -> StudyResult:
    """Score a saved model on the log in ``folder``, online only: nothing is trained, and the file stays as it is."""
    model = load_ensemble(path)
    sequences = read_sequences(folder, GAMES[name])
    wanted = goals_of(sequences)
    if not set(wanted) & set(model.goals):
        raise TelosError(
            f"{os.fspath(path)}: a model of other goals than those of {name}", "name the model of this game"
        )
    goals = tuple(sorted({*model.goals, *wanted}))
    beliefs = _widen(model.read([each.events for each in sequences]), model.goals, goals)
    labels = [each for sequence in sequences for each in sequence.truth]
    is_scored = np.array([each is not None for each in labels])
    truth = np.array([goals.index(each) for each in labels if each is not None])
    group = np.repeat(np.array([each.group for each in sequences]), [len(each.events) for each in sequences])[is_scored]
    found = measure(model.name, beliefs[is_scored], truth, group, Random(seed))
    return _result(
        name, f"scored with {Path(path).name}", [found], group, truth, live_cost(model, sequences), seed, False
    )


def _result(
    name: str,
    setting: str,
    found: Sequence[MethodQuality],
    groups: NDArray[Any],
    truth: NDArray[Any],
    cost: float,
    seed: int,
    quick: bool,
) -> StudyResult:
    players = len(np.unique(groups))
    data = {
        "study": name,
        "setting": setting,
        "seed": seed,
        "quick": quick,
        "simulated": False,
        "players": "human",
        "groups": players,
        "rows": len(truth),
        "methods": {each.method: each.data() for each in found},
        "microseconds_an_event": round(cost, 1),
    }
    heading = f"{name}: human players, {setting}; {players} groups of players, {len(truth):,} rows (seed {seed})"
    return StudyResult(
        name,
        name,
        heading,
        seed,
        data,
        (Table(COLUMNS, tuple(each.cells() for each in found)),),
        players="human players",
        findings=(f"A live reader takes {cost:.0f} microseconds an event (median).",),
    )
