"""Every worked example of the lecture on goal-oriented behaviour, through the front door, to the digit."""

from pathlib import Path

import pytest

import telos

EAT = telos.Goal("eat", insistence=4)
BATHROOM = telos.Goal("bathroom", insistence=3)
SODA = telos.Action("drink-soda", changes={"eat": -2, "bathroom": +2})
VISIT = telos.Action("visit-bathroom", changes={"bathroom": -4})


def test_simple_selection_serves_the_most_insistent_goal() -> None:
    actions = [
        telos.Action("get-raw-food", changes={"eat": -3}),
        telos.Action("get-snack", changes={"eat": -2}),
        telos.Action("sleep-in-bed", changes={"sleep": -4}),
        telos.Action("sleep-on-sofa", changes={"sleep": -2}),
    ]
    choice = telos.choose(actions, [EAT, telos.Goal("sleep", insistence=3)], by="simple")
    assert (choice.action.name, choice.value) == ("get-raw-food", 3.0)
    assert "eat is the most insistent goal (4)" in choice.why()


def test_simple_selection_ignores_side_effects() -> None:
    assert telos.choose([SODA, VISIT], [EAT, BATHROOM], by="simple").action is SODA


def test_discontentment_counts_side_effects() -> None:
    choice = telos.choose([SODA, VISIT], [EAT, BATHROOM])
    assert (choice.action.name, choice.value) == ("visit-bathroom", 16.0)
    assert [(row.action.name, row.value, dict(row.levels)) for row in choice.table] == [
        ("drink-soda", 29.0, {"eat": 2.0, "bathroom": 5.0}),
        ("visit-bathroom", 16.0, {"eat": 4.0, "bathroom": 0.0}),
    ]


def test_goals_drift_unless_an_action_changes_them() -> None:
    goals = [telos.Goal("eat", 4, drift=4), telos.Goal("bathroom", 3, drift=2)]  # per hour
    actions = [
        telos.Action("eat-snack", changes={"eat": -2}, duration=0.25),
        telos.Action("main-meal", changes={"eat": -4}, duration=1),
        telos.Action("visit-bathroom", changes={"bathroom": -5}, duration=0.25),
    ]
    choice = telos.choose(actions, goals)
    assert choice.action.name == "eat-snack"
    assert [(row.value, dict(row.levels)) for row in choice.table] == [
        (16.25, {"eat": 2.0, "bathroom": 3.5}),
        (25.0, {"eat": 0.0, "bathroom": 5.0}),
        (25.0, {"eat": 5.0, "bathroom": 0.0}),
    ]


def test_learned_rate_is_a_recency_weighted_average() -> None:
    hurt = telos.LearnedRate(rate=1.0, weight=0.05)
    hurt.observe(10, now=0)
    assert hurt.observe(16, now=2) == pytest.approx(0.95 * 1.0 + 0.05 * 6 / 2)
    assert hurt.observe(16, now=2.5) == pytest.approx(0.95 * 1.1 + 0.05 * 0)


def mage() -> telos.WorldModel:
    def spell(name: str, crystals: int, **changes: int) -> telos.Action:
        return telos.Action(
            name,
            preconditions=f"crystals >= {crystals}",
            effects=f"crystals -= {crystals}",
            changes={goal.replace("_", "-"): by for goal, by in changes.items()},
        )

    spells = [
        spell("fireball", 3, kill_ogre=-2),
        spell("lesser-healing", 2, heal=-2),
        spell("greater-healing", 3, heal=-4),
    ]
    return telos.WorldModel(spells, [telos.Goal("heal", 4), telos.Goal("kill-ogre", 3)], state={"crystals": 5})


def test_mage_without_look_ahead_takes_greater_healing() -> None:
    model = mage()
    assert telos.choose(model.possible, model.goals).action.name == "greater-healing"


@pytest.mark.parametrize("method", ["bounded", "depth-first"])
@pytest.mark.parametrize("depth", [2, 3, 4])
def test_mage_with_look_ahead_heals_less_and_casts_a_fireball(method: str, depth: int) -> None:
    outlook = telos.look_ahead(mage(), depth, method=method)
    assert [action.name for action in outlook.actions] == ["lesser-healing", "fireball"]
    assert outlook.value == 5.0  # heal 2, ogre 1, and no crystal left


def test_mage_of_the_domain_file_casts_as_in_the_lecture() -> None:
    domain = telos.load(Path(__file__).parents[2] / "examples" / "domains" / "mage.yaml")
    outlook = telos.look_ahead(domain, depth=2)
    assert [action.name for action in outlook.actions] == ["lesser-healing", "fireball"]
    assert outlook.table[-1].levels == {"heal": 2.0, "kill-ogre": 1.0}


def test_curves_and_weights_rank_goals() -> None:
    alive = telos.Goal("stay-alive", 3, curve="cube")
    tidy = telos.Goal("tidy", 4, weight=0.1)
    flee, sweep = telos.Action("flee", changes={"stay-alive": -3}), telos.Action("sweep", changes={"tidy": -4})
    choice = telos.choose([sweep, flee], [alive, tidy])
    assert choice.action is flee
    assert [row.value for row in choice.table] == [27.0, pytest.approx(1.6)]
