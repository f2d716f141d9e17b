"""Weight learning: known optima, mistakes, stopping and resuming."""

import json
import math
from random import Random
from typing import get_args

import numpy as np
import pytest

from telos.core import kernels
from telos.logic.database import Database
from telos.logic.exact import exact_map
from telos.logic.exact.chains import find_chain
from telos.logic.grounding import ground, read_truth
from telos.logic.learning import Epoch, LearningMethod, LearningResult, LearningStop, build_worlds, learn
from telos.logic.learning.snapshots import format_state, read_state
from telos.logic.learning.worlds import KERNEL, NetworkWorlds, SequenceWorlds
from telos.logic.model import MarkovLogic
from telos.logic.network import MostProbable
from telos.logic.syntax import format_mln, parse_db, parse_mln

COIN = parse_mln("heads(toss)\nheads(t)\n")
FOUR_TOSSES = parse_db("heads(1)\nheads(2)\nheads(3)\n!heads(4)\n", COIN)
GOALS = parse_mln(
    "action(time, act)\ngoal(time, aim!)\ngoal(t, +g)\naction(t, +a) => goal(t, +g)\ngoal(t-1, +g1) => goal(t, +g2)\n"
)
SMOKERS = parse_mln("Friends(person, person)\nSmokes(person)\nSmokes(x)\nFriends(x, y) => (Smokes(x) <=> Smokes(y))\n")
FOUR_FRIENDS = parse_db(
    "Friends(Ann,Bob)\nFriends(Bob,Cy)\nFriends(Cy,Ann)\nFriends(Cy,Dee)\nSmokes(Ann)\nSmokes(Bob)\nSmokes(Cy)\n",
    SMOKERS,
)
every_learner = pytest.mark.parametrize("by", get_args(LearningMethod))


def stories(count: int, *, length: int = 8, noise: float = 0.0, seed: int = 0) -> Database:
    """Return players who eat to be fed and talk to be told; with noise, some actions are random."""
    rng = Random(seed)
    worlds = []
    for _ in range(count):
        said, goal = [], "Fed"
        for t in range(length):
            goal = rng.choice(["Fed", "Told"]) if rng.random() < 0.3 else goal
            act = {"Fed": "Eat", "Told": "Talk"}[goal] if rng.random() >= noise else rng.choice(["Eat", "Talk"])
            said += [f"action({t},{act})", f"goal({t},{goal})"]
        worlds.append("\n".join(said))
    return parse_db("\n---\n".join(worlds), GOALS)


def weights_of(learned: LearningResult) -> list[dict[tuple[str, ...], float]]:
    return [dict(rule.weights) for rule in learned.model.rules]


def mistakes(model: MarkovLogic, database: Database, query: str) -> int:
    network = ground(model, database, [query], learning=True)
    found = exact_map(network)
    assert isinstance(found, MostProbable)
    return int((found.values != read_truth(network, database)).sum())


def test_coin_with_three_heads_of_four_has_weight_log_3() -> None:
    learned = learn(COIN, FOUR_TOSSES, ["heads"], by="likelihood", l2=0.0)
    assert weights_of(learned) == [{(): pytest.approx(math.log(3), abs=1e-5)}]
    assert learned.stopped is LearningStop.CONVERGED


def test_prior_pulls_weights_towards_zero() -> None:
    (weights,) = weights_of(learn(COIN, FOUR_TOSSES, ["heads"], by="likelihood", l2=2.0))
    w = weights[()]
    assert 4 * (0.75 - 1 / (1 + math.exp(-w))) == pytest.approx(2.0 * w, abs=1e-5)  # where pull and counts balance


@every_learner
def test_every_learner_separates_separable_data(by: LearningMethod) -> None:
    database = stories(6)
    learned = learn(GOALS, database, ["goal"], by=by, epochs=30)
    assert mistakes(learned.model, database, "goal") == 0
    assert learned.epochs[-1].accuracy == 1.0


@pytest.mark.parametrize("by", ["mira", "perceptron"])
def test_mistake_driven_learners_stop_without_mistakes(by: LearningMethod) -> None:
    learned = learn(GOALS, stories(6), ["goal"], by=by)
    assert learned.stopped is LearningStop.NO_MISTAKES
    assert learned.epochs[-1].loss == 0.0


@pytest.mark.parametrize("by", ["mira", "perceptron", "likelihood"])
def test_general_networks_are_learned(by: LearningMethod) -> None:
    learned = learn(SMOKERS, FOUR_FRIENDS, ["Smokes"], by=by, epochs=20)
    assert learned.epochs[-1].accuracy >= 0.75
    assert any(weights_of(learned))


def test_likelihood_of_a_general_network_increases_to_its_maximum() -> None:
    learned = learn(SMOKERS, FOUR_FRIENDS, ["Smokes"], by="likelihood", l2=0.1)
    losses = [epoch.loss for epoch in learned.epochs]
    assert learned.stopped is LearningStop.CONVERGED
    assert losses[-1] < losses[0] < math.log(2)


def test_prefix_learner_predicts_prefixes_better() -> None:
    database = stories(12, length=12, noise=0.5)
    whole = learn(GOALS, database, ["goal"], by="likelihood", l2=0.1, epochs=200)
    live = learn(GOALS, database, ["goal"], by="prefix", l2=0.1, epochs=200, start=whole)
    begun = learn(GOALS, database, ["goal"], by="prefix", l2=0.1, epochs=1, start=whole)
    assert {epoch.phase for epoch in live.epochs} == {"prefix"}
    assert live.epochs[-1].loss < begun.epochs[0].loss


def test_prefix_learner_starts_with_the_likelihood() -> None:
    learned = learn(GOALS, stories(4, noise=0.5), ["goal"], by="prefix", epochs=2, warm_up=3)
    assert [epoch.phase for epoch in learned.epochs] == ["likelihood"] * 3 + ["prefix"] * 2


@every_learner
def test_resumed_learning_equals_an_unbroken_run(by: LearningMethod) -> None:
    database = stories(6, noise=0.6)
    held_out = [database.worlds[0]]
    whole = learn(GOALS, database, ["goal"], by=by, epochs=7, warm_up=3, patience=99, held_out=held_out)
    first = learn(GOALS, database, ["goal"], by=by, epochs=2, warm_up=3, patience=99, held_out=held_out)
    kept = LearningResult(first.model, by, first.epochs, first.stopped, (), json.loads(json.dumps(first.state)))
    again = learn(GOALS, database, ["goal"], by=by, epochs=7, warm_up=3, patience=99, held_out=held_out, start=kept)
    assert again.epochs == whole.epochs
    assert weights_of(again) == weights_of(whole)


def test_finished_learning_does_not_change_when_resumed() -> None:
    done = learn(GOALS, stories(6), ["goal"])
    again = learn(GOALS, stories(6), ["goal"], start=done)
    assert (again.epochs, again.stopped, weights_of(again)) == (done.epochs, done.stopped, weights_of(done))


def test_new_facts_start_from_the_old_weights() -> None:
    old = learn(GOALS, stories(4), ["goal"], by="perceptron")
    new = learn(GOALS, stories(5, seed=1), ["goal"], by="perceptron", start=old, epochs=1)
    assert [epoch.number for epoch in new.epochs] == [1]
    assert new.epochs[0].loss == 0.0


def test_weights_without_data_keep_their_start_values() -> None:
    start = parse_mln(format_mln(GOALS) + "\n2.5 action(t, Sleep) => goal(t, Rested)\n")
    learned = learn(GOALS, stories(2), ["goal"], start=start)
    assert weights_of(learned)[1]["Sleep", "Rested"] == 2.5


def test_seed_determines_the_order_of_worlds() -> None:
    database = stories(8, noise=0.7)
    one, same, other = (
        weights_of(learn(GOALS, database, ["goal"], epochs=3, seed=seed, average=False)) for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


def test_held_out_worlds_stop_learning_at_their_best_weights() -> None:
    database = stories(10, noise=0.8, seed=3)
    held_out = database.worlds[:5]
    learned = learn(GOALS, database, ["goal"], epochs=200, held_out=held_out, patience=4)
    losses = [epoch.held_out_loss for epoch in learned.epochs]
    assert learned.stopped is LearningStop.HELD_OUT
    assert len(losses) - losses.index(min(losses)) == 5  # the best epoch, and four that were no better
    alone = learn(GOALS, database, ["goal"], epochs=losses.index(min(losses)) + 1, held_out=held_out, patience=99)
    assert weights_of(learned) == weights_of(alone)


def test_held_out_worlds_are_not_learned_from() -> None:
    odd = "\n".join(f"action({t},Sleep)\ngoal({t},Fed)" for t in range(4))
    database = parse_db("action(0,Eat)\ngoal(0,Fed)\naction(1,Talk)\ngoal(1,Told)\n---\n" + odd, GOALS)
    learned = learn(GOALS, database, ["goal"], held_out=["world:2"], patience=99, epochs=5)
    assert not any("Sleep" in key for table in weights_of(learned) for key in table)


def test_zero_weights_are_not_written() -> None:
    database = parse_db("action(0,Eat)\ngoal(0,Fed)\naction(1,Eat)\ngoal(1,Fed)\naction(2,Talk)\ngoal(2,Told)", GOALS)
    learned = learn(GOALS, database, ["goal"], average=False)
    assert weights_of(learned)
    assert all(weight for table in weights_of(learned) for weight in table.values())
    assert not [line for line in format_mln(learned.model).splitlines() if line.startswith(("0 ", "0.0 "))]


def test_progress_is_called_for_every_epoch() -> None:
    told: list[Epoch] = []
    learned = learn(GOALS, stories(3, noise=0.5), ["goal"], epochs=4, progress=told.append)
    assert tuple(told) == learned.epochs
    assert [epoch.number for epoch in told] == list(range(1, len(told) + 1))


def test_loss_augmented_learning_separates() -> None:
    database = stories(6)
    learned = learn(GOALS, database, ["goal"], loss_augmented=True, epochs=30)
    assert mistakes(learned.model, database, "goal") == 0


@pytest.mark.parametrize("by", ["mira", "perceptron"])
def test_calibration_keeps_worlds_and_adjusts_beliefs(by: LearningMethod) -> None:
    database = stories(10, noise=0.8, seed=5)
    raw = learn(GOALS, database, ["goal"], by=by, epochs=5)
    calibrated = learn(GOALS, database, ["goal"], by=by, epochs=5, calibrate=True)
    assert mistakes(raw.model, database, "goal") == mistakes(calibrated.model, database, "goal")
    (factor,) = {
        round(after / before, 6)
        for ours, theirs in zip(weights_of(calibrated), weights_of(raw), strict=True)
        for after, before in zip(ours.values(), theirs.values(), strict=True)
    }
    surprises = [surprise(raw.model, database, factor * way) for way in (0.9, 1.0, 1.1)]
    assert min(surprises) == surprises[1]


def surprise(model: MarkovLogic, database: Database, factor: float) -> float:
    """Return the mean negative log likelihood of the truth under weights times a factor."""
    network = ground(model, database, ["goal"], learning=True)
    worlds = build_worlds(network, read_truth(network, database))
    return -worlds.log_likelihood(range(len(database.worlds)), factor * network.weights, is_prefix=True)


def test_other_facts_or_objective_reuse_only_the_weights() -> None:
    one = parse_db("action(0,Eat)\ngoal(0,Fed)\naction(1,Talk)\ngoal(1,Told)", GOALS)
    other = parse_db("action(0,Eat)\ngoal(0,Told)\naction(1,Talk)\ngoal(1,Fed)", GOALS)
    learned = learn(GOALS, one, ["goal"], by="likelihood", l2=0.1)
    turned = learn(GOALS, other, ["goal"], by="likelihood", l2=0.1, start=learned)
    assert turned.model.rules[1].weights["Eat", "Told"] > 0 > turned.model.rules[1].weights["Eat", "Fed"]
    pulled = learn(GOALS, one, ["goal"], by="likelihood", l2=10.0, start=learned)
    afresh = learn(GOALS, one, ["goal"], by="likelihood", l2=10.0)
    assert weights_of(pulled)[1] == pytest.approx(weights_of(afresh)[1], abs=1e-4)


@every_learner
def test_without_scores_of_epochs_the_same_weights_are_learned(by: LearningMethod) -> None:
    known = stories(4, noise=0.2)
    scored = learn(GOALS, known, ["goal"], by=by, epochs=6, warm_up=2, seed=3)
    quick = learn(GOALS, known, ["goal"], by=by, epochs=6, warm_up=2, seed=3, score_epochs=False)
    assert weights_of(quick) == weights_of(scored)
    assert [each.loss for each in quick.epochs] == [each.loss for each in scored.epochs]
    assert all(each.accuracy is None for each in quick.epochs)
    assert all(each.accuracy is not None for each in scored.epochs)
    again = read_state(json.loads(json.dumps(format_state(quick))))
    assert weights_of(learn(GOALS, known, ["goal"], by=by, epochs=6, warm_up=2, seed=3, start=again)) == weights_of(
        quick
    )


def test_names_of_weights_are_the_same_one_by_one_and_all_at_once() -> None:
    network = ground(GOALS, stories(3), ["goal"], learning=True)
    assert list(network.names) == [network.names[number] for number in range(len(network.names))]
    assert len(set(network.names)) == len(network.weights)
    coin = ground(COIN, FOUR_TOSSES, ["heads"], learning=True)  # a rule without constants
    assert list(coin.names) == [coin.names[0]] == [(0, ())]


@pytest.mark.parametrize("form", ["plain", "compiled"])
def test_steps_without_neighbours_learn_like_worlds_of_any_shape(form: str) -> None:
    """Steps that share a table are decided once a world: the weights are those of the learner that knows no tables."""
    if form == "compiled" and not kernels.is_installed():
        pytest.skip("no Numba")
    alone = parse_mln("action(time, act)\ngoal(time, aim!)\naction(t, +a) => goal(t, +g)\n")
    known = stories(5, noise=0.4, seed=2)
    network = ground(alone, known, ["goal"], closed=["action"], learning=True)
    truth, chain = read_truth(network, known), find_chain(network)
    assert chain is not None
    assert len(chain.start) - 1 == len(truth) == 40  # every step is a sequence of its own
    start = np.random.default_rng(7).normal(size=len(network.weights))
    learned = []
    for worlds in (
        SequenceWorlds(network, chain, truth, kernel=getattr(kernels, form)(*KERNEL)),
        NetworkWorlds(network, truth),
    ):
        weights, sums = start.copy(), np.zeros_like(start)
        wrong = [worlds.learn([3, 0, 4, 1, 2], weights, sums, 1.0 + 5 * turn, 1.0, 0.0) for turn in range(4)]
        learned.append((wrong, weights, sums))
    assert learned[0][0] == learned[1][0]
    assert learned[0][0][0] > 0
    assert learned[0][1] == pytest.approx(learned[1][1])
    assert learned[0][2] == pytest.approx(learned[1][2])
