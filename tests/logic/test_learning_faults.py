"""What cannot be learned from, and what is odd about training data, is said in words."""

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


def refusal(said: str) -> Any:
    return pytest.raises(TelosError, match=re.escape(said))


def test_facts_that_break_a_hard_rule_are_refused_with_the_rule_and_the_world() -> None:
    database = parse_db(TWO_STEPS + "---\n" + TWO_STEPS.replace("Fed", "Told"), ORDERED)
    with pytest.raises(TelosError) as caught:
        learn(ORDERED, database, ["goal"])
    assert "world:2" in str(caught.value)
    assert "goal(t, Told) => !goal(t-1, Told)" in str(caught.value)


def test_hard_rules_that_the_facts_keep_are_learned_around() -> None:
    learned = learn(ORDERED, parse_db(TWO_STEPS, ORDERED), ["goal"], by="likelihood")
    assert learned.epochs[-1].accuracy == 1.0
    assert learned.model.rules[-1] == ORDERED.rules[-1]


def test_a_step_without_a_known_goal_is_refused_by_name() -> None:
    with refusal("says of no value that goal(2,_) is true"):
        learn(GOALS, parse_db(TWO_STEPS + "action(2,Eat)\n", GOALS), ["goal"])


def test_an_empty_database_is_refused() -> None:
    with refusal("there is nothing to learn from"):
        learn(GOALS, parse_db("", GOALS), ["goal"])


def test_the_only_world_cannot_be_held_out() -> None:
    with refusal("the only world is held out"):
        learn(GOALS, parse_db(TWO_STEPS, GOALS), ["goal"], held_out=["world"])


def test_not_all_worlds_can_be_held_out() -> None:
    with refusal("all 2 worlds are held out"):
        learn(GOALS, parse_db(TWO_STEPS + "---\n" + TWO_STEPS, GOALS), ["goal"], held_out=["world:1", "world:2"])


def test_a_world_that_is_not_there_cannot_be_held_out() -> None:
    with refusal("there is no world 'wold' to hold out; did you mean 'world'?"):
        learn(GOALS, parse_db(TWO_STEPS, GOALS), ["goal"], held_out=["wold"])


def test_a_goal_that_was_never_seen_is_learned_around_and_said() -> None:
    model = parse_mln("aim = {Fed, Told, Healed}\n" + TEXT)
    learned = learn(model, parse_db(TWO_STEPS, model), ["goal"])
    assert any("goal Healed" in note for note in learned.notes)
    assert learned.epochs[-1].accuracy == 1.0


def test_predicates_of_which_nothing_is_said_are_taken_as_false_and_said() -> None:
    model = parse_mln("mood(time, feeling)\n" + TEXT + "mood(t, +m) => goal(t, +g)\n")
    learned = learn(model, parse_db(TWO_STEPS, model), ["goal"])
    assert any("nothing of mood" in note for note in learned.notes)


def test_an_atom_that_is_always_true_is_said() -> None:
    model = parse_mln("warm(day)\nwarm(d)\n")
    assert (
        "warm is always true in the training worlds"
        in learn(model, parse_db("warm(1)\nwarm(2)", model), ["warm"]).notes
    )


def test_prefixes_need_sequences() -> None:
    model = parse_mln("Knows(who, who)\nWise(who)\nKnows(x, y) ^ Wise(x) => Wise(y)\n")
    database = parse_db("Knows(A,B)\nKnows(B,C)\nKnows(A,C)\nWise(A)\n", model)
    with refusal("learn with by='likelihood' or by='mira'"):
        learn(model, database, ["Wise"], by="prefix")


def test_the_worst_rival_is_looked_for_along_sequences_only() -> None:
    model = parse_mln("Knows(who, who)\nWise(who)\nKnows(x, y) ^ Wise(x) => Wise(y)\n")
    database = parse_db("Knows(A,B)\nKnows(B,C)\nKnows(A,C)\nWise(A)\n", model)
    with refusal("loss_augmented works on sequences only"):
        learn(model, database, ["Wise"], loss_augmented=True)


def test_a_model_with_other_rules_is_nothing_to_start_from() -> None:
    other = parse_mln(TEXT + "goal(t-1, +g) => goal(t, +g)\n")
    with refusal("has other rules"):
        learn(GOALS, parse_db(TWO_STEPS, GOALS), ["goal"], start=other)


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"by": "mirra"}, "there is no learner 'mirra'; did you mean 'mira'?"),
        ({"epochs": 0}, "epochs must be at least 1, got 0"),
        ({"patience": 0}, "patience must be at least 1, got 0"),
        ({"l2": -1.0}, "l2 must be at least 0, got -1.0"),
        ({"l2": float("nan")}, "l2 must be at least 0, got nan"),
        ({"warm_up": -1}, "warm_up must be at least 0, got -1"),
        ({"aggressiveness": 0.0}, "aggressiveness must be more than 0, got 0.0"),
    ],
)
def test_choices_that_make_no_sense_are_refused(choices: dict[str, object], said: str) -> None:
    with refusal(said):
        learn(GOALS, parse_db(TWO_STEPS, GOALS), ["goal"], **choices)  # type: ignore[arg-type]


def test_somebody_has_to_ask_for_something() -> None:
    with refusal("query is empty"):
        learn(GOALS, parse_db(TWO_STEPS, GOALS), [])


def test_a_network_too_entangled_for_exact_inference_is_left_to_learners_from_mistakes() -> None:
    model = parse_mln("Near(town, town)\nRich(town)\nRich(x)\nNear(x, y) => (Rich(x) <=> Rich(y))\n")
    towns = range(50)
    near = [f"Near(T{x},T{y})" for x in towns for y in towns if x < y and (x * y) % 5 != 1]
    database = parse_db("\n".join([*near, *(f"Rich(T{x})" for x in range(40))]), model)
    with refusal("too entangled for exact inference; learn with by='mira' or by='perceptron'"):
        learn(model, database, ["Rich"], by="likelihood")
    learned = learn(model, database, ["Rich"], by="mira", epochs=2)
    assert learned.epochs[-1].accuracy >= 0.8
