"""People read by planning: what a row means in a domain, how experts are weighed, and the study end to end."""

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

from studies.humans.kitchen_logs import COOK_COLUMNS, CRAFT_COLUMNS, crafting, kitchen, saved
from telos.core.errors import TelosError
from telos.core.event import Event
from telos.studies.humans.by_planning import GAMES, USES, run_planning, standings
from telos.studies.humans.experts import Said, accuracy, beliefs, calibration_error, fit
from telos.studies.humans.logs import LabelledEvent, LabelledPlay, read_plays


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    return saved(kitchen(rounds=6), COOK_COLUMNS, tmp_path / "hall")


@pytest.fixture
def woods(tmp_path: Path) -> Path:
    log = [{**row, "stone": 0, "sapling": 0} for row in crafting(episodes=4)]
    return saved(log, [*CRAFT_COLUMNS, "stone", "sapling"], tmp_path / "woods")


@pytest.mark.parametrize("name", GAMES)
def test_the_goals_of_each_domain_can_all_be_reached(name: str) -> None:
    reader = GAMES[name].reader()
    assert all(account.to_go is not None and account.to_go < 1000 for account in reader.why().accounts)


def test_every_use_in_the_kitchen_reaches_its_goal() -> None:
    for (_, held), (action, goal) in USES.items():
        game = GAMES["overcooked"]
        model = game.reader().model
        after = model.domain.action(action).result(model.domain.state({"held": held}))
        wants = model.domain.goal(goal).wants
        assert wants is not None
        assert wants.holds(after)


def cook(*rows: tuple[str, str]) -> LabelledPlay:
    """Return a play of keys, each with the tile in front, next to everything."""
    near = {f"d_{tile}": 1 for tile in ("onions", "dishes", "pot", "serving")}
    events = [
        Event(key, {**near, "facing_tile": tile, "last": "nothing_yet"}, time=time)
        for time, (key, tile) in enumerate(rows)
    ]
    return LabelledPlay("p", "s", "g", tuple(LabelledEvent(event, "pot_onion", True) for event in events))


def test_what_a_cook_holds_is_known_from_what_was_done() -> None:
    game = GAMES["overcooked"]
    goals = game.reader().goals
    *_, last = standings(game, [cook(("interact", "onions"), ("left", "floor"))])
    nearest = min(goals, key=lambda goal: last.to_go[goals.index(goal)])
    assert nearest == "pot_onion"
    *_, last = standings(game, [cook(("interact", "dishes"), ("interact", "pot"), ("left", "floor"))])
    assert min(goals, key=lambda goal: last.to_go[goals.index(goal)]) == "deliver_soup"


def test_an_interact_that_could_do_nothing_is_a_press_like_another() -> None:
    game = GAMES["overcooked"]
    one = list(standings(game, [cook(("interact", "serving"), ("left", "floor"))]))
    two = list(standings(game, [cook(("up", "serving"), ("left", "floor"))]))
    assert one == two


def test_what_was_achieved_in_a_life_is_no_longer_a_goal(woods: Path) -> None:
    game = GAMES["crafter"]
    plays = read_plays(woods, game.source)
    goals = game.reader().goals
    for play in plays[:4]:
        shown = [row for row in play.rows if row.is_scored]
        for row, standing in zip(shown, standings(game, [play]), strict=True):
            done = {goal for goal in goals if row.event.context[f"has_{goal}"]}
            assert {goal for goal, is_open in zip(goals, standing.is_open, strict=True) if not is_open} == done


def random_said(rng: Random, weights: tuple[float, ...], rows: int = 4000, goals: int = 4) -> Said:
    """Draw what experts say, and a truth that follows the product of them with these weights."""
    draw = np.random.default_rng(rng.randrange(10**6))
    scores = draw.normal(size=(len(weights), rows, goals))
    is_open = draw.random((rows, goals)) < 0.8
    is_open[:, 0] = True
    chances = beliefs(Said(scores, is_open, np.zeros(rows, dtype=np.int64)), np.array(weights))
    truth = np.array([draw.choice(goals, p=row) for row in chances])
    return Said(scores, is_open, truth)


def test_fitting_finds_the_weights_that_the_truth_was_drawn_with() -> None:
    said = random_said(Random(3), (1.5, 0.0, 0.4))
    assert fit(said) == pytest.approx([1.5, 0.0, 0.4], abs=0.12)


def test_a_prior_is_learned_where_it_is_allowed_to_look() -> None:
    is_open = np.array([[True, True], [True, True], [True, False], [True, True]])
    said = Said(np.zeros((1, 4, 2)), is_open, np.array([0, 1, 0, 1]))
    prior = np.exp(said.with_prior(np.array([True, True, True, False])).scores[1])
    assert prior[0] == pytest.approx([3 / 5, 2 / 4])
    assert (prior == prior[0]).all()


def test_fitted_weights_are_where_the_likelihood_is_highest() -> None:
    said = random_said(Random(5), (0.8, 0.3), rows=500)
    best = fit(said)

    def likelihood(weights: np.ndarray) -> float:
        return float(np.log(beliefs(said, weights)[np.arange(len(said.truth)), said.truth]).sum())

    for step in ([0.05, 0], [-0.05, 0], [0, 0.05], [0, -0.05]):
        assert likelihood(best) > likelihood(best + np.array(step))


def test_calibration_error_is_small_for_fair_beliefs_only() -> None:
    said = random_said(Random(7), (1.0,))
    fair, bold = (beliefs(said, np.array([weight])) for weight in (1.0, 4.0))
    assert calibration_error(fair, said.truth) < 0.03
    assert calibration_error(bold, said.truth) > 0.1
    assert accuracy(fair, said.truth) == accuracy(bold, said.truth)


def test_the_study_weighs_planning_and_training_in_a_kitchen(hall: Path) -> None:
    figures = run_planning("overcooked", hall).data
    methods = figures["methods"]
    assert next(iter(methods)) == "planning alone"
    assert methods["planning alone"]["accuracy"] > 0.9
    assert methods["product of both"]["accuracy"] > 0.9
    assert figures["calibration"]["fitted"]["product of both"]["log_loss"] < 0.5
    assert figures["experts"]["product of both"] == ["trained", "wasted", "to go", "prior"]
    assert all(len(each) == 4 for each in figures["weights"]["product of both"])
    json.dumps(figures, allow_nan=False)


def test_the_study_reads_lives_in_the_woods_whatever_the_jobs(woods: Path) -> None:
    once = run_planning("crafter", woods)
    assert once.data == run_planning("crafter", woods, jobs=2).data
    assert once.data["methods"]["planning alone"]["rows"] > 0


def test_a_game_without_a_domain_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TelosError, match="no domain for 'crafting'; did you mean 'crafter'"):
        run_planning("crafting", tmp_path)
