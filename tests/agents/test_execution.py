"""A plan under way is a row of predictions, and knows when one of them has failed."""

import telos
from agents.yard import DOMAIN
from telos.agents.body import Animate, Performance, Performed
from telos.agents.memory import WorkingMemory
from telos.agents.mind import Execution
from telos.core.state import State

GOAL = DOMAIN.goal("kill_enemy")


def under_way() -> Execution:
    answer = telos.plan(DOMAIN, {}, "kill_enemy")
    assert isinstance(answer, telos.Plan)
    return Execution(answer, GOAL)


def test_steps_follow_one_another_to_the_end() -> None:
    execution = under_way()
    assert execution.left == ("open-door", "walk-in", "shoot")
    assert execution.advance()
    assert (execution.step.name, execution.left) == ("walk-in", ("walk-in", "shoot"))
    assert execution.advance()
    assert not execution.advance()
    assert execution.left == ()


def test_execution_ignores_changes_of_irrelevant_variables() -> None:
    execution = under_way()
    assert execution.flaw(DOMAIN.state()) is None
    assert execution.flaw(DOMAIN.state({"kick_failed": True})) is None


def test_the_first_prediction_that_fails_is_named() -> None:
    execution = under_way()
    assert execution.flaw(DOMAIN.state({"door": "open"})) == "open-door needs door == closed"
    assert execution.flaw(DOMAIN.state({"weapon_loaded": False})) == "shoot needs weapon_loaded"
    execution.advance()
    assert execution.flaw(DOMAIN.state()) == "walk-in needs door == open"


def test_a_plan_at_its_end_is_judged_by_what_its_goal_wants() -> None:
    execution = under_way()
    while execution.advance():
        pass
    assert execution.flaw(DOMAIN.state()) == "it would not bring about target == dead"
    assert execution.flaw(DOMAIN.state({"target": "dead"})) is None


def test_a_step_has_kept_its_promise_if_its_own_effects_came_true() -> None:
    execution = under_way()
    execution.begin(DOMAIN.state(), Animate("open"), 0.0)
    assert not execution.has_expected_effects(DOMAIN.state())
    assert execution.has_expected_effects(DOMAIN.state({"door": "open", "weapon_loaded": False}))


class Somebody:
    name = "ann"

    def __init__(self) -> None:
        self.memory, self.state = WorkingMemory(), State.of({"post": 4})


def test_a_performance_is_meant_for_what_attention_rested_on_when_it_began() -> None:
    ann, attack = Somebody(), Performed(Performance(Animate("fire", at="target")))
    ann.memory.focus["target"] = "bert"
    entered = attack.activate(ann, telos.Action("attack"))
    assert entered == Animate("fire", "bert")
    assert attack.is_valid(ann, telos.Action("attack"), entered)
    ann.memory.focus["target"] = "carl"
    assert not attack.is_valid(ann, telos.Action("attack"), entered)


def test_performance_resolves_names_in_step_then_focus_then_state() -> None:
    ann, go = Somebody(), Performed(Performance(Animate("wave", at="post")))
    assert go.activate(ann, telos.Action("wave")) == Animate("wave", 4)
    ann.memory.focus["post"] = "gate"
    assert go.activate(ann, telos.Action("wave")) == Animate("wave", "gate")
    assert go.activate(ann, telos.Action("wave", arguments={"post": "roof"})) == Animate("wave", "roof")
