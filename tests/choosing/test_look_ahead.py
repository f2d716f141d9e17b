"""Looking ahead: what ends a sequence, what pruning costs, budgets, and what is refused."""

import pytest

import telos

METHODS = ["bounded", "depth-first"]


def oven() -> telos.WorldModel:
    """Raw food that is only eaten after four further actions: insert, cook, remove, eat."""
    carrying = telos.Variable("carrying", ["nothing", "raw", "cooked"])
    stove = telos.SmartObject(
        "oven",
        variables=[telos.Variable("contents", ["empty", "raw", "cooked"])],
        actions=[
            telos.Action(
                "insert",
                preconditions="carrying == raw",
                effects="contents = raw, carrying = nothing",
                changes={"fun": 1},
            ),
            telos.Action("cook", preconditions="contents == raw", effects="contents = cooked"),
            telos.Action(
                "remove",
                preconditions="contents == cooked and carrying == nothing",
                effects="contents = empty, carrying = cooked",
            ),
        ],
    )
    actions = [
        telos.Action("take-raw-food", preconditions="carrying == nothing", effects="carrying = raw"),
        telos.Action("eat", preconditions="carrying == cooked", effects="carrying = nothing", changes={"eat": -6}),
        telos.Action("snack", changes={"eat": -1}),
    ]
    goals = [telos.Goal("eat", 8), telos.Goal("fun", 1)]
    return telos.WorldModel.of(telos.Domain(variables=[carrying], actions=actions, goals=goals, objects=[stove]))


@pytest.mark.parametrize("method", METHODS)
def test_look_ahead_at_depth_five_cooks_a_meal(method: str) -> None:
    names = [action.name for action in telos.look_ahead(oven(), 5, method=method).actions]
    assert names == ["take-raw-food", "oven.insert", "oven.cook", "oven.remove", "eat"]
    assert "eat" not in [action.name for action in telos.look_ahead(oven(), 4, method=method).actions]


@pytest.mark.parametrize("method", METHODS)
def test_improving_look_ahead_misses_the_meal(method: str) -> None:
    # Inserting the food is dull (fun + 1) before the meal pays: worse before better.
    free, pruned = (telos.look_ahead(oven(), 5, method=method, improving=each) for each in (False, True))
    assert (free.value, pruned.value) == (8.0, 10.0)
    assert pruned.tried < free.tried or method == "bounded"


@pytest.mark.parametrize("method", METHODS)
def test_look_ahead_prefers_sooner_relief_in_ties(method: str) -> None:
    goals = [telos.Goal("itch", 3), telos.Goal("pain", 5)]
    scratch, bandage = telos.Action("scratch", changes={"itch": -3}), telos.Action("bandage", changes={"pain": -3})
    for actions in ([scratch, bandage], [bandage, scratch]):
        outlook = telos.look_ahead(telos.WorldModel(actions, goals), 2, method=method)
        assert outlook.actions == (bandage, scratch)
    twice = [telos.Action(name, changes={"pain": -1}) for name in ("first", "second")]
    names = [action.name for action in telos.look_ahead(telos.WorldModel(twice, goals), 2, method=method).actions]
    assert names == ["first", "first"]


@pytest.mark.parametrize("method", METHODS)
def test_sequence_without_successors_ends_early(method: str) -> None:
    snack = telos.Action("snack", preconditions="food >= 1", effects="food -= 1", changes={"eat": -2})
    outlook = telos.look_ahead(telos.WorldModel([snack], [telos.Goal("eat", 5)], {"food": 2}), 9, method=method)
    assert [action.name for action in outlook.actions] == ["snack", "snack"]
    assert "Nothing can follow, though 9 were asked for" in outlook.why()


@pytest.mark.parametrize("method", METHODS)
def test_outlook_is_empty_if_no_action_is_possible(method: str) -> None:
    fly = telos.Action("fly", preconditions="has_wings")
    outlook = telos.look_ahead(telos.WorldModel([fly], [telos.Goal("go", 3)], {"has_wings": False}), 2, method=method)
    assert (outlook.actions, outlook.action, outlook.value) == ((), None, 9.0)
    assert outlook.why() == "Nothing can be done: no action is possible in State(has_wings=False)."


@pytest.mark.parametrize("method", METHODS)
def test_improving_look_ahead_does_nothing_if_all_gets_worse(method: str) -> None:
    hit = telos.Action("hit-thumb", changes={"pain": +2})
    model = telos.WorldModel([hit], [telos.Goal("pain", 1)])
    outlook = telos.look_ahead(model, 2, method=method, improving=True)
    assert outlook.why() == "Nothing is worth doing: every possible action raises discontentment above 1."
    assert telos.look_ahead(model, 2, method=method).value == 25


@pytest.mark.parametrize("method", METHODS)
def test_outlook_within_budget_is_the_best_so_far(method: str) -> None:
    outlook = telos.look_ahead(oven(), 5, method=method, budget=7)
    assert not outlook.complete
    assert outlook.tried == 7
    assert "The budget ran out after 7 actions" in outlook.why()
    assert telos.look_ahead(oven(), 5, method=method).complete


def test_depth_is_not_limited_by_recursion() -> None:
    wait = telos.Action("wait", preconditions="left >= 1", effects="left -= 1", changes={"bored": -1})
    model = telos.WorldModel([wait], [telos.Goal("bored", 2000)], {"left": 1500})
    for method in METHODS:
        assert len(telos.look_ahead(model, 1500, method=method).actions) == 1500


def test_unchanged_goals_drift_in_look_ahead() -> None:
    goals = [telos.Goal("eat", 4, drift=4), telos.Goal("bathroom", 3, drift=2)]
    snack = telos.Action("snack", changes={"eat": -2}, duration=0.25)
    visit = telos.Action("visit", changes={"bathroom": -5}, duration=0.25)
    outlook = telos.look_ahead(telos.WorldModel([snack, visit], goals), 2)
    assert [(row.action.name, dict(row.levels)) for row in outlook.table] == [
        ("snack", {"eat": 2.0, "bathroom": 3.5}),
        ("visit", {"eat": 3.0, "bathroom": 0.0}),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"depth": 0}, "depth must be a whole number of actions, at least 1, got 0"),
        ({"depth": 1.5}, "got 1.5"),
        ({"depth": 2, "budget": 0}, "budget must be at least 1, got 0"),
        ({"depth": 2, "method": "depthfirst"}, "did you mean 'depth-first'?"),
    ],
)
def test_misuse_names_the_value_and_the_remedy(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(telos.TelosError) as caught:
        telos.look_ahead(oven(), **arguments)  # type: ignore[arg-type]
    assert said in str(caught.value)


def test_world_model_refuses_open_parameters() -> None:
    goto = telos.Action("goto", parameters={"place": "node"})
    with pytest.raises(telos.TelosError, match="action 'goto' leaves open place"):
        telos.WorldModel([goto], [telos.Goal("go", 1)])


def test_look_ahead_names_unknown_variables() -> None:
    shoot = telos.Action("shoot", preconditions="amo >= 1")
    model = telos.WorldModel([shoot], [telos.Goal("kill", 1)], {"ammo": 1})
    for method in METHODS:
        with pytest.raises(telos.TelosError, match="unknown variable 'amo'; did you mean 'ammo'"):
            telos.look_ahead(model, 1, method=method)
