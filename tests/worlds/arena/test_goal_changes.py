"""How steady goals are: the measure itself, and that fighters are steady."""

import math
from dataclasses import replace

import pytest

from telos.agents.trace import Chose, Finished
from telos.core.errors import TelosError
from telos.core.values import FrozenMap
from telos.worlds.arena import load_scene, measure_goal_changes, summarize_goal_changes
from telos.worlds.arena.goal_changes import GoalChanges, GoalWatch


def measure(goals: list[str], finished: tuple[int, ...] = ()) -> GoalChanges:
    """Return the measure of a fighter with one goal in each step; plans are finished in the steps ``finished``."""
    watch = GoalWatch()
    for step, goal in enumerate(goals):
        if step in finished:
            watch.note(Finished(step / 10, "Ann", "a step"))
        if step == 0 or goals[step - 1] != goal:
            watch.note(Chose(step / 10, "Ann", goal, None, "why"))
        watch.look({"Ann"})
    return watch.result()


def test_changes_and_flips_are_counted() -> None:
    calm = measure(["attack"] * 5 + ["cover"] * 15 + ["attack"] * 5)
    assert (calm.seconds, calm.changes, calm.returns) == (2.5, 2, 0)
    hasty = measure(["attack"] * 5 + ["cover"] * 5 + ["attack"] * 5 + ["cover"] * 5)
    assert (hasty.changes, hasty.returns, hasty.flips, dict(hasty.pairs)) == (3, 2, 2, {"attack ↔ cover": 2})
    assert hasty.thrashing == 0.0
    assert measure(["attack", "cover"] * 10).thrashing == 1.6  # from the fourth change on


def test_what_was_carried_out_is_no_flip() -> None:
    dodged = measure(["attack"] * 5 + ["dodge"] * 5 + ["attack"] * 5, finished=(10,))
    assert (dodged.changes, dodged.returns, dodged.flips) == (2, 1, 0)
    earlier = measure(["attack"] * 5 + ["dodge"] * 5 + ["attack"] * 5, finished=(4,))
    assert earlier.flips == 1


def test_means_are_ratios_of_sums() -> None:
    fights = [GoalChanges(10.0, 5, 2, 1, 0.5, FrozenMap({"a ↔ b": 1})), GoalChanges(30.0, 3, 2, 1, 0.0)]
    found = summarize_goal_changes(fights)
    assert (found.changes, found.returns, found.flips) == (0.2, 0.1, 0.05)
    assert found.thrashing == pytest.approx(0.0125)
    # residuals 5 - 2 and 3 - 6, over a mean of 20 seconds
    assert found.changes_margin == pytest.approx(1.96 * math.sqrt(18 / 20**2) / math.sqrt(2))
    assert found.to_dict()["pairs"] == {"a ↔ b": 1}
    assert summarize_goal_changes(fights[:1]).to_dict()["margins"]["changes"] is None


def test_fights_without_contact_and_without_time_are_refused() -> None:
    with pytest.raises(TelosError, match="nobody has met an enemy"):
        summarize_goal_changes([GoalChanges(0.0, 0, 0, 0, 0.0)])
    with pytest.raises(TelosError, match=r"more than 0 seconds, got 0\.0"):
        measure_goal_changes(load_scene("flank"), [1], seconds=0.0)


def test_fighters_hardly_flip_back() -> None:
    """They used to leave cover, step back and leave it again, several times a second."""
    scene = replace(load_scene("skirmish"), talk=False)
    found = summarize_goal_changes(measure_goal_changes(scene, range(3), seconds=40.0))
    assert found.seconds > 300
    assert found.flips < 0.06
    assert found.thrashing < 0.01
    again = summarize_goal_changes(measure_goal_changes(scene, range(3), seconds=40.0))
    assert again == found
