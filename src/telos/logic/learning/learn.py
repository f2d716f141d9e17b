"""Weight learning: ``learn`` returns a model with weights, from worlds in which the hidden atoms are known."""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from telos.core.errors import TelosError, name_hint
from telos.logic.database import Database, find_unstated
from telos.logic.exact.chains import find_chain
from telos.logic.grounding import ground, read_truth
from telos.logic.learning.snapshots import check_state
from telos.logic.learning.training import (
    WARM_UP,
    Epoch,
    GradientLearner,
    LearningMethod,
    LearningResult,
    LearningSettings,
    MarginLearner,
    Progress,
    Training,
    WeightLearner,
)
from telos.logic.learning.worlds import NetworkWorlds, SequenceWorlds, TrainingWorlds
from telos.logic.model import Key, MarkovLogic, Rule
from telos.logic.network import Floats, Ints, Network, find_holding, forbidden_cells, locate_cells
from telos.logic.syntax import check_model

MIN_LOG_FACTOR, MAX_LOG_FACTOR = -12.0, 8.0  # bounds of the search for the factor
GOLDEN = (math.sqrt(5) - 1) / 2
SEARCH_STEPS = 18  # of golden-section search, for a factor exact to 0.25 percent


def ignore_progress(epoch: Epoch) -> None:
    """Do nothing: the default of ``learn(progress=…)``."""


def learn(
    model: MarkovLogic,
    database: Database,
    query: Sequence[str],
    *,
    by: LearningMethod = "mira",
    epochs: int | None = None,
    seed: int = 0,
    held_out: Sequence[str] = (),
    patience: int = 10,
    aggressiveness: float = 1.0,
    l2: float = 1.0,
    average: bool = True,
    loss_augmented: bool = False,
    warm_up: int = WARM_UP,
    calibrate: bool = False,
    score_epochs: bool = True,
    start: LearningResult | MarkovLogic | None = None,
    progress: Progress = ignore_progress,
) -> LearningResult:
    """Learn the weights of a model from worlds in which the queried predicates are known.

    ``by``: one-best MIRA, the averaged perceptron, the likelihood of the truth given all evidence, or that of each
    value given the evidence up to its step (``prefix``, after ``warm_up`` steps of the likelihood). With worlds
    ``held_out``, learning stops when their loss has not improved for ``patience`` epochs, and the best weights on them
    are kept. ``start`` takes the weights of another model; given the result of an earlier call with the same data,
    learning continues as if it had not stopped, until ``epochs`` in total. ``calibrate`` scales the weights of MIRA or
    the perceptron so that beliefs are calibrated; the most probable world does not change. Without ``score_epochs`` the
    accuracy of each epoch is not worked out: that takes about as long as the epoch itself, and changes no weight.
    Predicates that are not queried are closed: their unstated atoms are false, also if the model declares them open.
    """
    settings = LearningSettings(by, epochs, seed, patience, aggressiveness, l2, average, loss_augmented, warm_up)
    network, truth = _ground_truth(model, database, query)
    training, kept_back = split_held_out(database, network, held_out)
    worlds = build_worlds(network, truth, by)
    began = start.model if isinstance(start, LearningResult) else start
    weights = np.zeros(len(network.weights)) if began is None else read_weights(began, model, network)
    objective = (by, seed, aggressiveness, l2, average, loss_augmented)
    mark = fingerprint_training(network, truth, [database.worlds[world] for world in training], objective)
    saved = start.state if isinstance(start, LearningResult) and _can_resume(start, by, mark) else None
    if saved is not None:
        saved = check_state(saved, by, len(network.weights))
    first = _warm_up_steps(settings, saved["warm_up"] if saved else None, is_fresh=start is None)
    run = Training(
        _create_learner(settings, worlds, training, weights, first),
        worlds,
        training,
        kept_back,
        by,
        patience,
        score_epochs,
    )
    if saved:
        run.restore(saved)
    stopped = run.run(settings.total(first), progress)
    weights = run.weights
    if calibrate and settings.is_online:
        weights *= find_calibration(
            worlds, kept_back or training, weights, is_prefix=isinstance(worlds, SequenceWorlds)
        )
    unstated = tuple(name for name in find_unstated(model, database) if name not in query)
    return LearningResult(
        with_weights(model, network, weights, began),
        by,
        tuple(run.epochs),
        stopped,
        (*_note_closed(model, unstated, query), *note_unseen_values(network, truth, training)),
        {"mark": mark, "warm_up": first, **run.save()},
        unstated,
    )


def build_worlds(network: Network, truth: Ints, by: str = "mira") -> TrainingWorlds:
    """Return the training worlds of a network; sequences have a faster form."""
    chain = find_chain(network)
    if chain is not None:
        return SequenceWorlds(network, chain, truth)
    if by == "prefix":
        raise TelosError(
            "by='prefix' learns from beliefs along sequences, and this model's hidden atoms form none",
            "learn with by='likelihood' or by='mira'",
        )
    return NetworkWorlds(network, truth)


def _ground_truth(model: MarkovLogic, database: Database, query: Sequence[str]) -> tuple[Network, Ints]:
    """Return the network of all worlds, and the true values of its variables."""
    if not query:
        raise TelosError("query is empty", "name the predicates to predict")
    others = [name for name in model.predicates if name not in query]  # their unstated atoms are false
    network = ground(model, database, query, closed=others, learning=True)
    truth = read_truth(network, database)
    reject_gaps(database, network, truth)
    reject_contradictions(model, database, network, truth)
    return network, truth


def _create_learner(
    settings: LearningSettings, worlds: TrainingWorlds, training: Sequence[int], weights: Floats, warm_up: int
) -> WeightLearner:
    if not settings.is_online:
        return GradientLearner(worlds, training, weights, phase=settings.by, l2=settings.l2, warm_up=warm_up)
    return MarginLearner(
        worlds,
        training,
        weights,
        phase=settings.by,
        seed=settings.seed,
        aggressiveness=settings.aggressiveness,
        average=settings.average,
        augmentation=1.0 if settings.loss_augmented else 0.0,
    )


def _can_resume(start: LearningResult, by: str, mark: str) -> bool:
    """Return whether learning can continue: same method, weights and worlds. Otherwise only the weights are used."""
    return start.by == by and start.state.get("mark") == mark


def _warm_up_steps(settings: LearningSettings, saved: int | None, *, is_fresh: bool) -> int:
    """Return the number of likelihood steps that come first: none if there are weights to start from."""
    if saved is not None:
        return saved
    return settings.warm_up if settings.by == "prefix" and is_fresh else 0


def _note_closed(model: MarkovLogic, unstated: Sequence[str], query: Sequence[str]) -> tuple[str, ...]:
    """Return notes about the predicates that were taken to be closed although nothing says so."""
    opened = [name for name in model.predicates if name in model.opened and name not in query]
    notes = [f"the database says nothing of {', '.join(unstated)}: taken as false"] if unstated else []
    if opened:
        notes.append(f"learning needs every atom: the unstated ones of {', '.join(opened)} are taken as false")
    return tuple(notes)


# --- checks of the training data --------------------------------------------------------------------------------------


def split_held_out(database: Database, network: Network, held_out: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the indices of the training worlds and of the held-out worlds."""
    number = {name: i for i, name in enumerate(database.worlds)}
    for name in held_out:
        if name not in number:
            raise TelosError(f"unknown world {name!r} in held_out", name_hint(name, number))
    present = np.unique(network.world).tolist()
    kept_back = {number[name] for name in held_out}
    training = [world for world in present if world not in kept_back]
    if not present:
        raise TelosError("there is nothing to learn from: the database has no constants for the queried predicates")
    if not training:
        held = "the only world is" if len(number) == 1 else f"all {len(number)} worlds are"
        raise TelosError(f"{held} held out", "leave some to learn from, or stop by epochs alone")
    return training, [world for world in present if world in kept_back]


def reject_gaps(database: Database, network: Network, truth: Ints) -> None:
    """Raise an error if the database does not state the true value of a block."""
    (missing,) = np.nonzero(truth < 0)
    if len(missing):
        block = _block_name(network, int(missing[0]))
        more = f" (and {len(missing) - 1} more like it)" if len(missing) > 1 else ""
        raise TelosError(
            f"world {database.worlds[network.world[missing[0]]]!r} states no true value of {block}{more}, and "
            "exactly one must be true",
            "state it, or leave that step out",
        )


def reject_contradictions(model: MarkovLogic, database: Database, network: Network, truth: Ints) -> None:
    """Raise an error if the truth breaks a hard rule, with the rule and the world."""
    for rule, variables in _find_broken(network, truth):
        world = database.worlds[network.world[variables[0]]]
        atoms = ", ".join(network.atoms.name(v, max(1, int(truth[v]))) for v in variables[:3].tolist())
        broken = _format_rule(model.rules[rule]) if rule >= 0 else "`!`"
        raise TelosError(
            f"the facts of world {world!r} break the hard rule {broken} near {atoms}",
            "correct them, or give the rule a weight",
        )


def note_unseen_values(network: Network, truth: Ints, training: Sequence[int]) -> tuple[str, ...]:
    """Return notes about values that are never true in the training worlds: nothing is learned about them."""
    is_trained = np.isin(network.world, training)
    found = []
    names = network.atoms
    for run, predicate in enumerate(names.predicates):
        seen = truth[names.start[run] : names.start[run + 1]][is_trained[names.start[run] : names.start[run + 1]]]
        if not names.values[run]:
            if len(seen) and (seen == seen[0]).all():
                found.append(f"{predicate} is {'always' if seen[0] else 'never'} true in the training worlds")
            continue
        never = [name for value, name in enumerate(names.values[run]) if not (seen == value).any()]
        if never:
            found.append(
                f"never true in the training worlds: {predicate} {', '.join(never)}; "
                "nothing speaks for a value that was never seen"
            )
    return tuple(found)


def _find_broken(network: Network, truth: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield the hard rules that the truth breaks, with the variables of one such ground formula."""
    for factors in network.factors:
        if factors.hard:
            bad = np.flatnonzero(forbidden_cells(factors)[locate_cells(factors, network.sizes, truth)])
            if len(bad):
                yield factors.rule, factors.scope[bad[0]]
    for clauses in network.clauses:
        if clauses.hard:
            bad = np.flatnonzero(~find_holding(clauses, truth))
            if len(bad):
                yield clauses.rule, clauses.variable[clauses.start[bad[0]] : clauses.start[bad[0] + 1]]


def _block_name(network: Network, variable: int) -> str:
    names = network.atoms
    run = next(i for i in range(len(names.predicates)) if variable < names.start[i + 1])
    row = names.arguments[run][variable - names.start[run]]
    words = ["_" if code < 0 else names.constants[run][place][code] for place, code in enumerate(row.tolist())]
    return f"{names.predicates[run]}({','.join(words)})"


def _format_rule(rule: Rule) -> str:
    return f"`{rule.text or rule.formula}`{f' ({rule.source})' if rule.source else ''}"


# --- weights in and out of a model ------------------------------------------------------------------------------------


def read_weights(start: MarkovLogic, model: MarkovLogic, network: Network) -> Floats:
    """Return the weights of another model with the same rules, in the order of the network."""
    same = len(start.rules) == len(model.rules) and all(
        mine.formula == yours.formula and mine.plus == yours.plus
        for mine, yours in zip(model.rules, start.rules, strict=True)
    )
    if not same:
        raise TelosError("the model to start from has other rules", "start from one that was learned with these")
    return np.array([start.rules[rule].weights.get(tuple(key), 0.0) for rule, key in network.names], np.float64)


def with_weights(model: MarkovLogic, network: Network, weights: Floats, start: MarkovLogic | None) -> MarkovLogic:
    """Return the model with these weights, without zeros; weights that did not occur keep their start values."""
    tables: list[dict[Key, float]] = [
        dict(start.rules[number].weights) if start is not None and not rule.hard else {}
        for number, rule in enumerate(model.rules)
    ]
    for (rule, key), weight in zip(network.names, weights.tolist(), strict=True):
        if weight:
            tables[rule][tuple(key)] = weight
        else:
            tables[rule].pop(tuple(key), None)
    rules = (
        rule if rule.hard else replace(rule, weights=table) for rule, table in zip(model.rules, tables, strict=True)
    )
    return check_model(replace(model, rules=tuple(rules)))  # adds the constants that have weights now


def fingerprint_training(network: Network, truth: Ints, worlds: Sequence[str], objective: tuple[object, ...]) -> str:
    """Return a hash of a training problem: weights, worlds, facts and objective."""
    digest = hashlib.sha256("\n".join([*(f"{rule} {key}" for rule, key in network.names), *worlds]).encode())
    digest.update(repr(objective).encode())
    digest.update(truth.tobytes())
    for group in network.factors:
        digest.update(group.scope.tobytes() + group.key.tobytes())
    for clauses in network.clauses:
        digest.update(clauses.start.tobytes() + clauses.variable.tobytes() + clauses.negated.tobytes())
    return digest.hexdigest()[:16]


# --- calibration ------------------------------------------------------------------------------------------------------
# Mistake-driven learners find weights up to a common factor. The most probable world does not depend on that factor,
# but beliefs do: too small a factor keeps them near the uniform distribution, too large a one makes them all near 0 or
# 1.


def find_calibration(worlds: TrainingWorlds, chosen: Sequence[int], weights: Floats, *, is_prefix: bool) -> float:
    """Return the factor of the weights that maximises the likelihood of the truth in these worlds.

    Golden-section search: for whole worlds the likelihood has one maximum; for prefixes, one of several is found.
    """
    if not weights.any():
        return 1.0

    def loss(log_factor: float) -> float:
        return -worlds.log_likelihood(chosen, weights * math.exp(log_factor), is_prefix=is_prefix)

    low, high = MIN_LOG_FACTOR, MAX_LOG_FACTOR
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = loss(left), loss(right)
    for _ in range(SEARCH_STEPS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = loss(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = loss(right)
    return math.exp((low + high) / 2)
