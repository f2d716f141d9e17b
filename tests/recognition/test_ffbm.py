"""Models by rules: the numbers of the first paper, its two rules, and what is said about a model that breaks them."""

import math
from typing import Any

import pytest

from recognition.readings import flairs, play
from telos.core.errors import DefinitionError, TelosError
from telos.core.event import Event
from telos.recognition.ffbm import ConstantT
from telos.recognition.filtering import Clock, Reader
from telos.recognition.observations import FixedObservation, HeadingObservation, ObservationRules, Symbols
from telos.recognition.transitions import TransitionRules
from telos.recognition.vocabulary import DIRECTIONS, Vocabulary


def seen(action: str, **context: Any) -> Event:
    return Event(action, {"moving": "stop" if action in ("swing", "stop") else action, **context})


def test_a_swing_while_still_is_what_fighting_looks_like() -> None:
    level = flairs().distribution("level", seen("swing", monsters=2))
    assert level["swing_still"] == pytest.approx(0.8)
    assert all(level[name] == pytest.approx(0.02) for name in level if name != "swing_still")


def test_with_one_acceptable_edge_the_weights_are_those_of_the_paper() -> None:
    explore = flairs().distribution("explore", seen("up", unvisited_exits=("north",)))
    weights = {"up": 5, "up_left": 3, "up_right": 3}
    assert explore == pytest.approx({name: weights.get(name, 1) / 19 for name in explore})


def test_every_acceptable_edge_adds_its_own_weights() -> None:
    explore = flairs().distribution("explore", seen("up", unvisited_exits=("north", "east")))
    weights = {"up": 5, "up_left": 3, "up_right": 4, "right": 3, "down_right": 2}
    assert explore == pytest.approx({name: weights.get(name, 1) / 23 for name in explore})


def test_with_nowhere_to_go_every_outcome_is_equally_likely() -> None:
    assert list(flairs().distribution("town", seen("up")).values()) == pytest.approx([1 / 11] * 11)


def test_level_goal_without_monsters_heads_for_any_exit() -> None:
    model, event = flairs(), seen("left", monsters=0, exits=("west",))
    assert model.distribution("level", event)["left"] == pytest.approx(5 / 19)


def test_transitions_follow_what_the_game_knows() -> None:
    model = flairs()
    usual = model.evidence(seen("up"))
    chest = model.evidence(seen("up", chest_taken=True))
    town = model.evidence(seen("up", in_town=True))
    assert usual is not None
    assert chest is not None
    assert town is not None
    assert usual.transition[0] == pytest.approx((0.99, 0.005, 0.005))
    assert chest.transition == (usual.transition[0], pytest.approx((1 / 3, 1 / 3, 1 / 3)), usual.transition[2])
    assert town.transition == ((0.5, 0.5, 0.0),) * 3


def test_first_case_that_holds_applies() -> None:
    both = flairs().evidence(seen("up", chest_taken=True, in_town=True))
    assert both is not None
    assert both.transition[0] == pytest.approx((0.99, 0.005, 0.005))


def test_compared_word_is_a_label_even_if_an_entry_has_its_name() -> None:
    rules = TransitionRules(lasts=100, cases=[("cause == area", {"any": {"level": 1, "explore": 0, "town": 0}})])
    model = flairs(transitions=rules)
    entered = model.evidence(seen("up", cause="area", area="area"))
    pressed = model.evidence(seen("up", cause="input", area="input"))
    assert entered is not None
    assert pressed is not None
    assert entered.transition[2] == (1.0, 0.0, 0.0)
    assert pressed.transition[2] != (1.0, 0.0, 0.0)


def test_reaching_town_frees_the_belief_and_constant_transitions_do_not() -> None:
    free, bound = Reader(flairs()), Reader(ConstantT.of(flairs()))
    walk = [Event("left", {"moving": "left", "exits_nearer_town": ("west",), "monsters": 1}, time=t) for t in range(10)]
    arrive = Event("up", {"moving": "up", "in_town": True, "exits": ("north",), "monsters": 1}, time=11)
    for event in (*walk, arrive):
        free.observe(event)
        bound.observe(event)
    assert free.belief["town"] == 0.0
    assert bound.belief.top == "town"


def test_a_constant_model_is_the_same_model_without_cases() -> None:
    model = flairs()
    constant = ConstantT(model.goals, transitions=model.transitions, observations=model.observations, clock=model.clock)
    assert constant == flairs(transitions=TransitionRules(lasts=100))
    assert constant != model


def test_models_that_are_made_alike_are_equal() -> None:
    assert flairs() == flairs()
    assert flairs() != flairs(clock=Clock(every=0.5))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"observations": {"level": FixedObservation({"swing_still": 1.02})}}, "1.02 is not a probability"),
        (
            {"observations": {"level": FixedObservation({"swing_still": 0.8, "stop": 0.22})}},
            "goal 'level', rule 1: sums to 1.02, not 1",
        ),
        ({"observations": {"level": FixedObservation({"stop": 1.0}, others=None)}}, "1 of the 11 outcomes"),
        ({"observations": {"level": FixedObservation({"stop": math.nan})}}, "nan is not a probability"),
        ({"observations": {"level": FixedObservation({"stop": -0.1})}}, "-0.1 is not a probability"),
        ({"observations": {"level": FixedObservation({"stopp": 0.1})}}, "unknown outcome 'stopp'; did you mean 'stop'"),
        ({"observations": {"level": HeadingObservation("exit")}}, "unknown entry 'exit'; did you mean 'exits'"),
        ({"observations": {"level": HeadingObservation("monsters")}}, "name an entry that lists edges"),
        ({"observations": {"levle": HeadingObservation("exits")}}, "unknown goal 'levle'; did you mean 'level'"),
        (
            {"observations": {"level": ObservationRules([("monsters > 0", HeadingObservation())])}},
            "none of its conditions",
        ),
        ({"transitions": TransitionRules(lasts=0.5)}, "lasts 0.5 updates"),
        ({"transitions": TransitionRules(lasts={"level": 9, "explore": 9, "twon": 9})}, "did you mean 'town'"),
        (
            {"transitions": TransitionRules(lasts=9, cases=[("in_town", {"any": {"level": 0.5, "explore": 0.4}})])},
            "if in_town: from any: sums to 0.9, not 1",
        ),
        ({"transitions": TransitionRules(lasts=9, cases=[("in_twon", {})])}, "did you mean 'in_town'"),
        ({"transitions": TransitionRules(lasts=9, cases=[("cause == aera", {})])}, "did you mean 'area'"),
        ({"transitions": TransitionRules(rows={"level": {"level": 1}})}, "no row for goal 'explore'"),
        ({"prior": {"level": 0.5, "explore": 0.4}}, "sums to 0.9, not 1"),
    ],
)
def test_a_model_that_breaks_the_rules_is_refused(changed: dict[str, Any], said: str) -> None:
    if "observations" in changed:
        changed = {"observations": {**flairs().observations, **changed["observations"]}}
    with pytest.raises(DefinitionError) as refused:
        flairs(**changed)
    assert said in str(refused.value)


def test_all_faults_of_a_model_are_reported_at_once() -> None:
    looks = {"level": FixedObservation({"stop": 1.5}), "explore": FixedObservation({"stop": 0.9, "up": 0.9})}
    with pytest.raises(DefinitionError) as refused:
        flairs(observations=looks, transitions=TransitionRules(lasts=0))
    assert len(refused.value.faults) == 6  # how long each of three goals lasts, two tables, and town looks like nothing


def test_a_row_can_share_what_it_does_not_name() -> None:
    rules = TransitionRules(rows={"any": {"town": 0.9, "others": "shared"}})
    assert rules.matrices(("level", "explore", "town"))[0][1] == pytest.approx((0.05, 0.05, 0.9))


def test_a_goal_named_in_a_case_goes_before_any() -> None:
    rules = TransitionRules(lasts=9, cases=[("in_town", {"any": {"a": 1, "b": 0}, "b": {"a": 0, "b": 1}})])
    assert rules.matrices(("a", "b"))[1] == ((1.0, 0.0), (0.0, 1.0))


def test_another_game_brings_its_own_words() -> None:
    words = Vocabulary(["chop", "serve"], {"pot": ["empty", "full"]})
    model = flairs(
        observations={goal: FixedObservation({"chop": 0.5}) for goal in ("level", "explore", "town")},
        transitions=TransitionRules(lasts=5, cases=[("pot == full", {"any": {"town": 1}})]),
        outcomes=Symbols([("chop", "action == chop"), ("serve", "action == serve")]),
        vocabulary=words,
    )
    found = model.evidence(Event("serve", {"pot": "full"}))
    assert found is not None
    assert found.seen == "serve"
    assert found.transition[0] == (0.0, 0.0, 1.0)
    with pytest.raises(TelosError, match="'swing'"):
        model.evidence(Event("swing"))


def test_cached_evidence_equals_computed_evidence() -> None:
    model = flairs()
    events = play(300, seed=4)
    first = [model.evidence(event) for event in events]
    assert [model.evidence(event) for event in events] == first
    assert [flairs().evidence(event) for event in events[:50]] == first[:50]


def test_memory_of_looks_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("telos.recognition.observations.MAX_CACHED", 20)
    model, fresh = flairs(), flairs()
    for event in play(200, seed=1):
        assert model.evidence(event) == fresh.evidence(event)
        assert len(model._features._cache) <= 20


def test_directions_are_in_a_circle() -> None:
    look = HeadingObservation()
    assert look.weights(["up"], DIRECTIONS) == [5, 3, 1, 1, 1, 1, 1, 3]
