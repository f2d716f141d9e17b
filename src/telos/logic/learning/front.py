"""Weight learning: from a model without weights and worlds whose hidden atoms are known to a model with weights."""

from collections.abc import Sequence

import numpy as np

from telos.core.errors import TelosError
from telos.logic.chain import chain_of
from telos.logic.database import Database
from telos.logic.grounding import ground, truth_of
from telos.logic.learning.calibration import sure_factor
from telos.logic.learning.examined import notes_on, refuse_contradictions, refuse_gaps, split
from telos.logic.learning.gradient import GradientLearner
from telos.logic.learning.learned import Epoch, Learned
from telos.logic.learning.margin import MarginLearner
from telos.logic.learning.sequences import SequenceWorlds
from telos.logic.learning.settings import WARM_UP, By, Settings
from telos.logic.learning.training import Learner, Progress, Training
from telos.logic.learning.weighted import fingerprint, weighted, weights_of
from telos.logic.learning.worlds import NetworkWorlds, Worlds
from telos.logic.model import MarkovLogic
from telos.logic.network import Floats, Ints, Network


def silent(epoch: Epoch) -> None:
    """Look away."""


def learn(
    model: MarkovLogic,
    database: Database,
    query: Sequence[str],
    *,
    by: By = "mira",
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
    start: Learned | MarkovLogic | None = None,
    progress: Progress = silent,
) -> Learned:
    """Learn the weights of a model from worlds in which the queried predicates are known.

    ``by`` one-best MIRA, the averaged perceptron, the likelihood of the truth given all evidence, or that of each value
    given the evidence up to its step (``prefix``, after ``warm_up`` steps of the likelihood). With worlds ``held_out``
    it stops when they got no better for ``patience`` epochs, and keeps the weights that served them best. ``start``
    from the weights of another model; from what an earlier call returned, the same data given again, it goes on as if
    it had not stopped, until ``epochs`` are made in all. ``calibrate`` scales the weights of MIRA or the perceptron so
    that beliefs are as sure as they are right; the most probable world stays the same.
    """
    settings = Settings(by, epochs, seed, patience, aggressiveness, l2, average, loss_augmented, warm_up)
    network, truth = _grounded(model, database, query)
    training, kept_back = split(database, network, held_out)
    worlds = worlds_of(network, truth, by)
    began = start.model if isinstance(start, Learned) else start
    weights = np.zeros(len(network.weights)) if began is None else weights_of(began, model, network)
    objective = (by, seed, aggressiveness, l2, average, loss_augmented)
    mark = fingerprint(network, truth, [database.worlds[world] for world in training], objective)
    saved = start.state if isinstance(start, Learned) and _fits(start, by, mark) else None
    first = _warm_up(settings, saved["warm_up"] if saved else None, is_fresh=start is None)
    run = Training(_learner(settings, worlds, training, weights, first), worlds, training, kept_back, by, patience)
    if saved:
        run.restore(saved)
    stopped = run.run(settings.total(first), progress)
    weights = run.weights
    if calibrate and settings.is_online:
        weights *= sure_factor(worlds, kept_back or training, weights, is_prefix=isinstance(worlds, SequenceWorlds))
    return Learned(
        weighted(model, network, weights, began),
        by,
        tuple(run.epochs),
        stopped,
        (*_silent(model, database, query), *notes_on(network, truth, training)),
        {"mark": mark, "warm_up": first, **run.save()},
    )


def worlds_of(network: Network, truth: Ints, by: str = "mira") -> Worlds:
    """Return the worlds of a network to learn from, the fast way if they are sequences."""
    chain = chain_of(network)
    if chain is not None:
        return SequenceWorlds(network, chain, truth)
    if by == "prefix":
        raise TelosError(
            "by='prefix' learns from beliefs along sequences, and this model's hidden atoms form none",
            "learn with by='likelihood' or by='mira'",
        )
    return NetworkWorlds(network, truth)


def _grounded(model: MarkovLogic, database: Database, query: Sequence[str]) -> tuple[Network, Ints]:
    """Return the network of all worlds, and the true values of its variables."""
    if not query:
        raise TelosError("query is empty", "name the predicates whose values shall be foreseen")
    others = [name for name in model.predicates if name not in query]  # what is not stated of them is false
    network = ground(model, database, query, closed=others, learning=True)
    truth = truth_of(network, database)
    refuse_gaps(database, network, truth)
    refuse_contradictions(model, database, network, truth)
    return network, truth


def _learner(settings: Settings, worlds: Worlds, training: Sequence[int], weights: Floats, warm_up: int) -> Learner:
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
        rival=1.0 if settings.loss_augmented else 0.0,
    )


def _fits(start: Learned, by: str, mark: str) -> bool:
    """Say whether learning may go on from there: the same learner, weights and worlds. Else only its weights serve."""
    return start.by == by and start.state.get("mark") == mark


def _warm_up(settings: Settings, saved: int | None, *, is_fresh: bool) -> int:
    """Return how many steps of the likelihood come first: none where somebody's weights are at hand already."""
    if saved is not None:
        return saved
    return settings.warm_up if settings.by == "prefix" and is_fresh else 0


def _silent(model: MarkovLogic, database: Database, query: Sequence[str]) -> tuple[str, ...]:
    said = {name for facts in (database.true, database.false) for name, rows in facts.items() if len(rows.world)}
    unsaid = [name for name in model.predicates if name not in said and name not in query]
    return (f"the database says nothing of {', '.join(unsaid)}: taken as false",) if unsaid else ()
