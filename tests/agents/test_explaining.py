"""Every decision has a why: why this goal and not that one, why this plan, why it was dropped."""

from typing import Any

import pytest

from agents.yard import Camp, Yard, camp_crowd, live, pass_frames, soldier
from telos.agents.explain import why, why_not
from telos.agents.memory import Fact
from telos.agents.trace import Chose, Dropped, Idle
from telos.core.errors import TelosError
from telos.core.trace import as_json


def test_why_names_the_goal_its_reason_the_plan_and_the_step() -> None:
    yard = Yard()
    mind = soldier(yard)
    live(mind, yard, 0.7)
    assert why(mind).splitlines() == [
        "ann pursues kill_enemy (priority 0).",
        "kill_enemy is reached in 3 steps at a cost of 4:",
        "  1. open-door (cost 1): door == open for walk-in",
        "  2. walk-in (cost 1): place == room for shoot",
        "  3. shoot (cost 2): target == dead for the goal",
        "Now at step 2: walk-in.",
    ]


def test_why_says_of_goals_that_came_first_why_they_were_passed_over() -> None:
    camp = Camp(1, seed=1)
    crowd = camp_crowd(camp)
    mind = crowd.minds["camper-0"]
    camp.campers["camper-0"].hidden = True
    crowd.stimulate("camper-0", Fact("bell", "tower", 0.0))
    crowd.tick(0.0)
    assert "Not shelter: it holds already." in why(mind)
    assert why(mind).startswith("camper-0 pursues warmth (priority 2).")


def test_a_relevant_goal_says_because() -> None:
    camp = Camp(1, seed=1)
    crowd = camp_crowd(camp)
    crowd.stimulate("camper-0", Fact("bell", "tower", 0.0))
    crowd.tick(0.0)
    assert why(crowd.minds["camper-0"]).startswith("camper-0 pursues shelter (priority 5), because bell.")


def test_why_of_waiting_or_idle_mind_says_so() -> None:
    camp = Camp(1, seed=1)
    crowd = camp_crowd(camp, expansions=1)
    crowd.tick(0.0)
    assert why(crowd.minds["camper-0"]) == "camper-0 is waiting for a plan."
    yard = Yard(target="dead")
    mind = soldier(yard)
    mind.think(0.0)
    assert why(mind) == "ann has nothing to do.\nNot kill_enemy: it holds already."


def test_why_not_a_goal() -> None:
    camp = Camp(1, seed=1)
    crowd = camp_crowd(camp)
    mind = crowd.minds["camper-0"]
    crowd.tick(0.0)
    assert why_not(mind, "warmth") == "warmth: it is what camper-0 pursues."
    assert why_not(mind, "shelter") == "shelter: it is not relevant, since bell does not hold."
    assert why_not(mind, "sleep") == "sleep: its priority is 1, and warmth has priority 2."


def test_why_not_a_goal_that_holds_has_no_plan_or_failed() -> None:
    yard = Yard(loaded=False, held=True)
    mind = soldier(yard)
    live(mind, yard, 0.1)
    for step in ("open-door", "kick-door", "dive-through-window"):
        mind.note(Fact("failure", step, 0.1, attributes={"reason": "jammed"}))
    mind.think(0.1)
    said = why_not(mind, "kill_enemy")
    assert said.startswith("kill_enemy: no sequence of actions reaches the goal.")
    assert "needs" in said
    yard.target = "dead"
    mind.think(0.2)
    assert why_not(mind, "kill_enemy") == "kill_enemy: it holds already."


def test_why_not_an_action() -> None:
    yard = Yard()
    mind = soldier(yard)
    mind.think(0.0)
    assert why_not(mind, "open-door") == "open-door: it is part of the plan."
    assert why_not(mind, "melee") == "melee: it needs next_to_enemy."
    assert why_not(mind, "kick-door") == "kick-door: it is possible, but no part of the cheapest plan for kill_enemy."
    with pytest.raises(TelosError, match="'mele' is neither a goal nor an action of ann; did you mean 'melee'"):
        why_not(mind, "mele")


def test_the_trace_tells_why_each_goal_was_taken_and_each_plan_dropped() -> None:
    trace: list[Any] = []
    camp = Camp(6, seed=8, fog=0.05)
    pass_frames(camp, camp_crowd(camp, trace=trace.append), 300)
    chosen = [record for record in trace if isinstance(record, Chose)]
    dropped = [record for record in trace if isinstance(record, Dropped)]
    assert {record.why for record in chosen} == {
        "priority 5, bell",
        "priority 2, always wanted",
        "priority 1, always wanted",
    }
    assert all(record.why for record in dropped)
    assert any(record.why == "shelter matters more now" for record in dropped)
    assert any("sleep" in record.why for record in trace if isinstance(record, Idle))
    assert any("warmth" in record.passed_over for record in chosen if record.goal == "sleep")


def test_asking_why_and_why_not_changes_nothing() -> None:
    lines: tuple[list[str], list[str]] = ([], [])
    for number, is_asked in enumerate((True, False)):
        camp = Camp(4, seed=6)
        crowd = camp_crowd(camp, expansions=3, trace=lambda record, to=lines[number]: to.append(as_json(record)))
        for _ in range(80):
            pass_frames(camp, crowd, 1)
            for mind in crowd.minds.values() if is_asked else ():
                for asked in ("shelter", "warmth", "sleep", "chop"):
                    assert why(mind)
                    assert why_not(mind, asked)
    assert lines[0] == lines[1]
