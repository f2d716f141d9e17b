"""Faults and notes of learning: bad training data and bad settings."""

import re
from typing import Any

import pytest

from telos.core.errors import TelosError
from telos.logic.learning import learn
from telos.logic.syntax import parse_db, parse_mln

TEXT = "action(time, act)\ngoal(time, aim!)\ngoal(t, +g)\naction(t, +a) => goal(t, +g)\n"
GOALS = parse_mln(TEXT)
TWO_STEPS = "action(0,Eat)\ngoal(0,Fed)\naction(1,Talk)\ngoal(1,Told)\n"
ORDERED = parse_mln(TEXT + "goal(t, Told) => !goal(t-1, Told).\n")


def refusal(words: str) -> Any:
    return pytest.raises(TelosError, match=re.escape(words))


def test_facts_that_break_a_hard_rule_are_rejected() -> None:
    database = parse_db(TWO_STEPS + "---\n" + TWO_STEPS.replace("Fed", "Told"), ORDERED)
    with pytest.raises(TelosError) as caught:
        learn(ORDERED, database, ["goal"])
    assert "world:2" in str(caught.value)
    assert "goal(t, Told) => !goal(t-1, Told)" in str(caught.value)


def test_hard_rules_kept_by_the_facts_stay_unchanged() -> None:
    learned = learn(ORDERED, parse_db(TWO_STEPS, ORDERED), ["goal"], by="likelihood")
    assert learned.epochs[-1].accuracy == 1.0
    assert learned.model.rules[-1] == ORDERED.rules[-1]


def test_step_without_a_known_goal_is_rejected() -> None:
    with refusal("goal(2,_)"):
        learn(GOALS, parse_db(TWO_STEPS + "action(2,Eat)\n", GOALS), ["goal"])


def test_empty_database_is_rejected() -> None:
    with refusal("nothing to learn from"):
        learn(GOALS, parse_db("", GOALS), ["goal"])


def test_only_world_cannot_be_held_out() -> None:
    with refusal("only world"):
        learn(GOALS, parse_db(TWO_STEPS, GOALS), ["goal"], held_out=["world"])


def test_all_worlds_cannot_be_held_out() -> None:
    with refusal("all 2 worlds"):
        learn(GOALS, parse_db(TWO_STEPS + "---\n" + TWO_STEPS, GOALS), ["goal"], held_out=["world:1", "world:2"])


def test_unknown_held_out_world_is_rejected() -> None:
    with refusal("'wold'"):
        learn(GOALS, parse_db(TWO_STEPS, GOALS), ["goal"], held_out=["wold"])


def test_unseen_goal_is_noted() -> None:
    model = parse_mln("aim = {Fed, Told, Healed}\n" + TEXT)
    learned = learn(model, parse_db(TWO_STEPS, model), ["goal"])
    assert any("goal Healed" in note for note in learned.notes)
    assert learned.epochs[-1].accuracy == 1.0


def test_predicates_without_facts_are_false_and_noted() -> None:
    model = parse_mln("mood(time, feeling)\n" + TEXT + "mood(t, +m) => goal(t, +g)\n")
    learned = learn(model, parse_db(TWO_STEPS, model), ["goal"])
    assert any("nothing of mood" in note for note in learned.notes)


def test_always_true_atom_is_noted() -> None:
    model = parse_mln("warm(day)\nwarm(d)\n")
    assert (
        "warm is always true in the training worlds"
        in learn(model, parse_db("warm(1)\nwarm(2)", model), ["warm"]).notes
    )


def test_prefix_learner_needs_sequences() -> None:
    model = parse_mln("Knows(who, who)\nWise(who)\nKnows(x, y) ^ Wise(x) => Wise(y)\n")
    database = parse_db("Knows(A,B)\nKnows(B,C)\nKnows(A,C)\nWise(A)\n", model)
    with refusal("by='mira'"):
        learn(model, database, ["Wise"], by="prefix")


def test_loss_augmented_learning_needs_sequences() -> None:
    model = parse_mln("Knows(who, who)\nWise(who)\nKnows(x, y) ^ Wise(x) => Wise(y)\n")
    database = parse_db("Knows(A,B)\nKnows(B,C)\nKnows(A,C)\nWise(A)\n", model)
    with refusal("loss_augmented"):
        learn(model, database, ["Wise"], loss_augmented=True)


def test_start_model_must_have_the_same_rules() -> None:
    other = parse_mln(TEXT + "goal(t-1, +g) => goal(t, +g)\n")
    with refusal("other rules"):
        learn(GOALS, parse_db(TWO_STEPS, GOALS), ["goal"], start=other)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"by": "mirra"}, "did you mean 'mira'?"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"patience": 0}, "patience must be at least 1"),
        ({"l2": -1.0}, "got -1.0"),
        ({"l2": float("nan")}, "got nan"),
        ({"warm_up": -1}, "warm_up must be at least 0"),
        ({"aggressiveness": 0.0}, "got 0.0"),
    ],
)
def test_learn_rejects_bad_settings(choices: dict[str, object], words: str) -> None:
    with refusal(words):
        learn(GOALS, parse_db(TWO_STEPS, GOALS), ["goal"], **choices)  # type: ignore[arg-type]


def test_learn_rejects_an_empty_query() -> None:
    with refusal("query is empty"):
        learn(GOALS, parse_db(TWO_STEPS, GOALS), [])


def test_wide_network_needs_a_mistake_driven_learner() -> None:
    model = parse_mln("Near(town, town)\nRich(town)\nRich(x)\nNear(x, y) => (Rich(x) <=> Rich(y))\n")
    towns = range(50)
    near = [f"Near(T{x},T{y})" for x in towns for y in towns if x < y and (x * y) % 5 != 1]
    database = parse_db("\n".join([*near, *(f"Rich(T{x})" for x in range(40))]), model)
    with refusal("too wide for exact inference"):
        learn(model, database, ["Rich"], by="likelihood")
    learned = learn(model, database, ["Rich"], by="mira", epochs=2)
    assert learned.epochs[-1].accuracy >= 0.8
