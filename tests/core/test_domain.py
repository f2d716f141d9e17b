"""States, smart objects, domains, events and beliefs."""

import pytest

import telos


def test_state_is_immutable() -> None:
    one = telos.State.of({"ammo": 3, "loaded": True})
    two = one.replace(ammo=2)
    assert (one["ammo"], two["ammo"]) == (3, 2)
    assert two.replace(ammo=3) == one
    assert hash(two.replace(ammo=3)) == hash(one)
    assert one == {"ammo": 3, "loaded": True}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"amo": 1}, "unknown variable 'amo'; did you mean 'ammo'?"),
        ({"ammo": 1.5}, "variable 'ammo' holds int, not 1.5"),
        ({"ammo": True}, "variable 'ammo' holds int, not True"),
        ({"health": float("nan")}, "variable 'health' holds number, not nan"),
        ({"health": float("inf")}, "variable 'health' holds number, not inf"),
        ({"target": "asleep"}, "variable 'target' holds [alive, dead], not 'asleep'"),
        ({"at": ["no", "list"]}, "variable 'at' holds node, not ['no', 'list']"),
    ],
)
def test_state_refuses_values_of_the_wrong_type(values: dict[str, object], said: str) -> None:
    domain = telos.Domain(
        variables=[
            telos.Variable("ammo", int),
            telos.Variable("health", float),
            telos.Variable("target", ["alive", "dead"]),
            telos.Variable("at", "node"),
        ]
    )
    with pytest.raises(telos.TelosError) as caught:
        domain.state(values)
    assert said in str(caught.value)


def test_variables_have_default_start_values() -> None:
    domain = telos.Domain(
        variables=[telos.Variable(name, of) for name, of in {"a": "bool", "b": ["x", "y"], "c": "node"}.items()]
    )
    assert dict(domain.state()) == {"a": False, "b": "x", "c": None}


def door() -> telos.Domain:
    return telos.Domain(
        variables=[telos.Variable("has_key", "bool")],
        actions=[telos.Action("take-key", preconditions="not has_key", effects="has_key = true")],
        objects=[
            telos.SmartObject(
                "door",
                variables=[
                    telos.Variable("lock", ["locked", "key_in", "unlocked"]),
                    telos.Variable("wide_open", "bool"),
                ],
                actions=[
                    telos.Action("insert-key", preconditions="lock == locked and has_key", effects="lock = key_in"),
                    telos.Action("unlock", preconditions="lock == key_in", effects="lock = unlocked"),
                    telos.Action(
                        "open", preconditions="lock == unlocked and not wide_open", effects="wide_open = true"
                    ),
                ],
            )
        ],
    )


def test_smart_object_posts_the_actions_that_its_state_allows() -> None:
    domain = door()
    state, offered = domain.state(), []
    while possible := domain.possible(state):
        offered.append([action.name for action in possible])
        state = possible[0].result(state)
    assert offered == [["take-key"], ["door.insert-key"], ["door.unlock"], ["door.open"]]
    assert state["door.wide_open"] is True


def test_smart_objects_of_one_kind_have_separate_states() -> None:
    def kettle(name: str) -> telos.SmartObject:
        boil = telos.Action("boil", preconditions="not hot", effects="hot = true")
        return telos.SmartObject(name, variables=[telos.Variable("hot", "bool")], actions=[boil])

    domain = telos.Domain(objects=[kettle("kettle"), kettle("samovar")])
    after = domain.object("kettle").action("boil").result(domain.state())
    assert [action.name for action in domain.possible(after)] == ["samovar.boil"]
    assert dict(after) == {"kettle.hot": True, "samovar.hot": False}


def test_domain_finds_parts_by_name_and_set_with_suggestions() -> None:
    actions = [telos.Action("attack"), telos.Action("goto")]
    goals = [telos.Goal("patrol"), telos.Goal("kill-enemy")]
    sets = {"soldier": ["attack", "goto"], "rat": ["goto"]}
    domain = telos.Domain(actions=actions, goals=goals, action_sets=sets, goal_sets={"gdc06": ["patrol", "kill-enemy"]})
    assert domain.actions_of("rat") == (actions[1],)
    assert domain.goals_of("gdc06") == tuple(goals)
    for ask, said in [
        (lambda: domain.action("atack"), "unknown action 'atack'; did you mean 'attack'?"),
        (lambda: domain.goal("patroll"), "unknown goal 'patroll'; did you mean 'patrol'?"),
        (lambda: domain.actions_of("solder"), "unknown action set 'solder'; did you mean 'soldier'?"),
    ]:
        with pytest.raises(telos.TelosError) as caught:
            ask()  # type: ignore[no-untyped-call]
        assert said in str(caught.value)


def test_domain_reports_all_faults_at_once() -> None:
    with pytest.raises(telos.DefinitionError) as caught:
        telos.Domain(
            variables=[
                telos.Variable("ammo", "int"),
                telos.Variable("ammo", "bool"),
                telos.Variable("mode", ["ammo", "b"]),
            ],
            actions=[
                telos.Action("shoot", preconditions="amo >= 1", effects="ammo -= 1, ammo = 0", changes={"kil": -1}),
                telos.Action("goto", parameters={"ammo": "node"}, effects="place = ammo"),
            ],
            goals=[telos.Goal("kill", wants="mode == c")],
            action_sets={"all": ["shoot", "goo"]},
            handles={"node": ["yard", "yard"]},
        )
    said = [str(fault) for fault in caught.value.faults]
    for part in (
        "'ammo' is defined twice",
        "label 'ammo' of 'mode' is also a variable",
        "unknown variable 'amo'",
        "'ammo' is set twice by one action",
        "unknown goal 'kil'; did you mean 'kill'?",
        "parameter 'ammo' is also a variable",
        "unknown variable 'place'",
        "'c' is not one of [ammo, b]",
        "unknown action 'goo'",
        "handle 'yard' is in the list already",
    ):
        assert any(part in line for line in said), part


def test_domain_lists_the_functions_that_the_game_must_register() -> None:
    goto = telos.Action("goto", parameters={"place": "node"}, effects="at = place", cost="max(1, distance(at, place))")
    domain = telos.Domain(variables=[telos.Variable("at", "node")], actions=[goto])
    assert domain.functions_needed == ("distance",)


@pytest.mark.parametrize("chances", [{"a": 0.5, "b": 0.52}, {"a": 1.1, "b": -0.1}, {"a": float("nan"), "b": 1}, {}])
def test_belief_must_be_a_distribution(chances: dict[str, float]) -> None:
    with pytest.raises(telos.TelosError):
        telos.Belief(chances)


def test_belief_has_top_entropy_and_reasons() -> None:
    belief = telos.Belief({"level": 0.25, "explore": 0.5, "town": 0.25}, because=["walked away from town"])
    assert (belief.top, belief["town"], belief.entropy) == ("explore", 0.25, 1.5)
    assert belief.why() == "explore: explore 50%, level 25%, town 25% (1.50 bits of doubt)\nwalked away from town"
    assert telos.Belief({"sure": 1.0}).entropy == 0
    with pytest.raises(KeyError, match="'town'"):
        belief["twon"]


def test_event_is_immutable_and_hashable() -> None:
    one = telos.Event("swing", {"monsters": 2}, player="ann", time=1.5)
    assert one == telos.Event("swing", {"monsters": 2}, player="ann", time=1.5)
    assert len({one, telos.Event("swing", {"monsters": 3})}) == 2
    with pytest.raises(telos.TelosError, match="'s action is a name, got '"):
        telos.Event("")
    with pytest.raises(telos.TelosError, match="an event's time must be a finite number, got nan"):
        telos.Event("swing", time=float("nan"))
