"""Reading by planning: what an event means, what each goal has cost, and what is said about it."""

import math
from pathlib import Path

import pytest

import telos
from telos.checks import check_recognizer
from telos.recognition.by_planning.reader import PlanModel, PlanReader
from telos.recognition.recognizer import BeliefUpdated, EventIgnored

DOMAINS = Path(__file__).parents[2] / "examples" / "domains"


def street(**options: object) -> PlanReader:
    """Return a reader of somebody who stands in a street, with a shop to the left and a school to the right."""
    domain = telos.Domain(
        variables=[telos.Variable("x", "int"), telos.Variable("sings", "bool")],
        actions=[
            telos.Action("left", effects="x -= 1"),
            telos.Action("right", effects="x += 1"),
            telos.Action("sing", effects="sings = true", cost=0.5),
        ],
        goals=[telos.Goal("shop", wants="x == -3"), telos.Goal("school", wants="x == 3")],
    )
    return PlanReader(PlanModel(domain, **options))  # type: ignore[arg-type]


def errands(**options: object) -> PlanReader:
    return PlanReader(PlanModel(telos.load(DOMAINS / "errands.yaml"), **options))  # type: ignore[arg-type]


def soldier(**start: object) -> PlanReader:
    def distance(here: str, there: str) -> float:
        return 0.0 if here == there else 3.0

    domain = telos.load(DOMAINS / "soldier.yaml", functions={"distance": distance})
    return PlanReader(PlanModel(domain, start={"ammo": 3, "at": "gate", "cover_node": "rock", **start}))


def test_the_front_door_reads_with_a_domain() -> None:
    domain = telos.load(DOMAINS / "errands.yaml")
    reader = telos.recognizer(domain, goals=["make_key", "bake_bread"], temperature=2.0)
    assert reader.goals == ("make_key", "bake_bread")
    assert reader.observe(telos.Event("goto(mine)")).top == "make_key"


def test_belief_is_the_prior_times_e_to_what_was_wasted() -> None:
    reader = street(temperature=2.0, prior={"shop": 3, "school": 1})
    assert dict(reader.belief) == pytest.approx({"shop": 0.75, "school": 0.25})
    belief = reader.observe(telos.Event("right"))  # 1 and 4 to go; the shop was 3 away, so 2 were wasted
    assert belief["school"] / belief["shop"] == pytest.approx(math.exp(2 / 2.0) / 3)
    assert reader.wasted == {"shop": 2.0, "school": 0.0}


def test_irrelevant_action_is_wasted_for_every_goal() -> None:
    reader = street()
    before = reader.belief
    assert reader.observe(telos.Event("sing")) == before
    assert reader.wasted == {"shop": 0.5, "school": 0.5}


def test_following_a_plan_takes_no_search() -> None:
    reader = errands(goals=["make_key"])
    for step in telos.plan(reader.model.domain, None, "make_key").steps:
        reader.observe(telos.Event(str(step)))
    assert reader.wasted == {"make_key": 0.0}
    assert reader.searches == 1


def test_goals_that_can_no_longer_matter_are_not_planned_for() -> None:
    walks = [telos.Event(name) for name in ("left", "left", "right", "left", "left", "right", "left")]
    exact, quick = street(temperature=0.2, tolerance=0.0), street(temperature=0.2)
    for event in walks:
        exact.observe(event)
        quick.observe(event)
    assert dict(quick.belief) == pytest.approx(dict(exact.belief), abs=0.001)
    assert quick.searches < exact.searches
    assert "at least" in str(quick.why())


def test_steps_in_another_order_take_no_search() -> None:
    domain = telos.Domain(
        variables=[telos.Variable(name, "bool") for name in ("gold", "hammer", "key")],
        actions=[
            telos.Action("take-gold", effects="gold = true"),
            telos.Action("take-hammer", effects="hammer = true"),
            telos.Action("forge", preconditions="gold and hammer", effects="key = true"),
        ],
        goals=[telos.Goal("open", wants="key")],
    )
    steps = [step.name for step in telos.plan(domain, None, "open").steps]
    reader = PlanReader(PlanModel(domain))
    reader.observe(telos.Event(steps[1]))
    assert reader.searches == 1
    assert reader.why().accounts[0].steps == (steps[0], steps[2])


@pytest.mark.parametrize(
    "event", [telos.Event("goto(rock)"), telos.Event("goto", {"place": "rock"}), telos.Event("goto( rock )")]
)
def test_arguments_stand_in_action_name_or_context(event: telos.Event) -> None:
    reader = soldier()
    assert reader.observe(event).top == "cover"
    assert reader.state["at"] == "rock"


def test_a_handle_that_is_no_text_is_found_by_how_it_is_written() -> None:
    domain = telos.Domain(
        variables=[telos.Variable("at", "node"), telos.Variable("home", "node")],
        actions=[telos.Action("goto", parameters={"place": "node"}, effects="at = place")],
        goals=[telos.Goal("rest", wants="at == home")],
    )
    reader = PlanReader(PlanModel(domain, start={"at": 1, "home": 7}))
    reader.observe(telos.Event("goto(7)"))
    assert reader.state["at"] == 7
    assert reader.why().accounts[0].to_go == 0.0


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("gotto(rock)", "'gotto'"),
        ("jump", "'jump'"),
        ("goto", "'place'"),
        ("goto(rock, wall)", "has 2 arguments; write goto\\(place\\)"),
        ("goto()", "has 0 arguments"),
    ],
)
def test_an_event_that_cannot_be_read_is_refused_and_changes_nothing(action: str, said: str) -> None:
    reader = soldier()
    before = reader.save()
    with pytest.raises(telos.TelosError, match=said):
        reader.observe(telos.Event(action, time=3.0))
    assert reader.save() == before


def test_unknown_handle_is_refused_in_action_name_but_not_in_context() -> None:
    reader = errands()
    with pytest.raises(telos.TelosError, match=r"'forset'.*'forest'"):
        reader.observe(telos.Event("goto(forset)"))
    with pytest.raises(telos.TelosError, match="'place'"):
        reader.observe(telos.Event("goto", {"place": ["forest"]}))
    reader.observe(telos.Event("goto", {"place": "ditch"}))
    assert reader.state["at"] == "ditch"


def test_stated_value_of_wrong_type_is_refused_and_changes_nothing() -> None:
    reader = soldier()
    before = reader.save()
    with pytest.raises(telos.TelosError, match=r"'ammo'.*'many'"):
        reader.observe(telos.Event("reload", {"ammo": "many"}))
    assert reader.save() == before


def test_impossible_action_implies_unseen_actions_before_it() -> None:
    reader = errands()
    belief = reader.observe(telos.Event("light-fire"))
    assert belief.top == "make_key"
    assert "not seen, but done before it: goto(forest), load-wood, goto(forge)" in belief.why()
    assert reader.spent == 3 + 2 + 3 + 1
    assert reader.state["fire"]


def test_game_functions_are_called_for_unseen_actions_too() -> None:
    def opens(who: str, door: str) -> bool:
        return (who, door) == ("ann", "gate")

    domain = telos.Domain(
        variables=[telos.Variable("me", "person"), telos.Variable("key", "bool"), telos.Variable("in_house", "bool")],
        actions=[
            telos.Action("take-key", effects="key = true"),
            telos.Action(
                "enter",
                parameters={"door": "door"},
                preconditions="key and opens(me, door)",
                effects="in_house = true",
            ),
        ],
        goals=[telos.Goal("home", wants="in_house"), telos.Goal("own", wants="key")],
        handles={"door": ["gate", "hatch"]},
        functions={"opens": opens},
    )
    reader = PlanReader(PlanModel(domain, start={"me": "ann"}))
    assert "not seen, but done before it: take-key" in reader.observe(telos.Event("enter(gate)")).why()
    reader.reset()
    assert "nothing explains enter(hatch)" in reader.observe(telos.Event("enter(hatch)")).why()


@pytest.mark.parametrize("at", ["attic", "cellar", "garden", "shed"])
def test_unseen_actions_are_inferred_with_any_handles(at: str) -> None:
    domain = telos.Domain(
        variables=[telos.Variable(name, "node") for name in ("at", "bed", "desk")] + [telos.Variable("light", "bool")],
        actions=[
            telos.Action("goto", parameters={"place": "node"}, preconditions="at != place", effects="at = place"),
            telos.Action("lamp", parameters={"place": "node"}, preconditions="at == place", effects="light = true"),
        ],
        goals=[telos.Goal("read", wants="light"), telos.Goal("sleep", wants="at == bed and not light")],
    )
    for bed, desk in (("shed", "desk"), ("cellar", "attic"), ("garden", "shed")):
        for place in ("porch", bed, desk, at):
            reader = PlanReader(PlanModel(domain, start={"at": at, "bed": bed, "desk": desk}))
            belief = reader.observe(telos.Event(f"lamp({place})"))
            assert reader.state["at"] == place
            assert reader.spent == (1 if place == at else 2), belief.why()


def test_impossible_action_is_a_failure_with_sees_all() -> None:
    reader = errands(sees_all=True)
    before = reader.belief
    belief = reader.observe(telos.Event("light-fire"))
    assert dict(belief) == pytest.approx(dict(before))
    assert "tried in vain: at == forge and cart == wood did not hold" in belief.why()
    assert set(reader.wasted.values()) == {1.0}


def test_unexplained_action_is_noise_and_keeps_the_belief() -> None:
    reader = soldier(ammo=0)
    reader.observe(telos.Event("goto(rock)"))
    before = reader.belief
    belief = reader.observe(telos.Event("attack"))  # no weapon, and nothing to load it with
    assert belief == before
    assert reader.ignored == 1
    assert "nothing explains attack: weapon_loaded and target == alive does not hold; it was ignored" in belief.why()


def test_stated_values_hold_before_the_action() -> None:
    reader = soldier(ammo=0)
    assert reader.belief["kill_enemy"] == 0.0
    assert "cannot be reached from here: kill_enemy" in reader.belief.why()
    belief = reader.observe(telos.Event("reload", {"ammo": 2, "weather": "rain"}))
    assert reader.state["ammo"] == 1
    assert belief.top == "kill_enemy"


def test_luck_is_no_evidence_unless_it_is_said_to_be_the_players_doing() -> None:
    helped = {"fire": True}
    lucky, doing = errands(), errands(luck=False)
    for reader in (lucky, doing):
        reader.observe(telos.Event("goto(forest)"))
    before = lucky.belief
    after = lucky.observe(telos.Event("load-wood", helped))
    assert after["make_key"] < before["make_key"]  # somebody lit the fire, and she loads wood all the same
    assert lucky.wasted["make_key"] > 0
    assert doing.observe(telos.Event("load-wood", helped))["make_key"] > before["make_key"]


def test_a_goal_that_holds_already_loses_belief_with_every_step() -> None:
    reader = errands(start={"bread": True})
    chances = [reader.belief["bake_bread"]]
    chances += [
        reader.observe(telos.Event(name))["bake_bread"] for name in ("goto(forest)", "load-wood", "goto(forge)")
    ]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] == pytest.approx(1 / 3)
    assert chances[-1] < 0.001


def test_when_a_goal_was_achieved_what_came_before_says_no_more() -> None:
    reader = street()
    for _ in range(2):
        reader.observe(telos.Event("right"))
    belief = reader.observe(telos.Event("right", goal="school"))
    assert "school was achieved" in belief.why()
    assert dict(belief) == pytest.approx({"shop": 0.5, "school": 0.5})
    assert reader.observe(telos.Event("left")).top == "shop"


def test_waste_decays_by_a_tenth_if_goals_last_ten_updates() -> None:
    reader = street(lasts=10)
    reader.observe(telos.Event("right"))
    reader.observe(telos.Event("sing"))
    assert reader.wasted == pytest.approx({"shop": 2.0 * 0.9 + 0.5, "school": 0.5})


def test_goals_that_want_the_same_share_what_is_believed_and_say_so() -> None:
    domain = telos.Domain(
        variables=[telos.Variable("rich", "bool"), telos.Variable("tired", "bool")],
        actions=[telos.Action("steal", effects="rich = true"), telos.Action("dance", effects="tired = true")],
        goals=[telos.Goal(name, wants="rich") for name in ("rob", "loot")] + [telos.Goal("party", wants="tired")],
    )
    reader = PlanReader(PlanModel(domain, prior={"rob": 3, "loot": 1, "party": 4}))
    belief = reader.observe(telos.Event("steal"))
    assert belief["rob"] == pytest.approx(3 * belief["loot"])
    assert "rob and loot want the same, and only the prior tells them apart" in belief.why()
    assert reader.searches == 2


def test_when_no_goal_can_be_reached_any_more_the_belief_says_so_and_stays() -> None:
    domain = telos.Domain(
        variables=[telos.Variable("alive", "bool", True), telos.Variable("a", "bool"), telos.Variable("b", "bool")],
        actions=[
            telos.Action("do-a", preconditions="alive", effects="a = true"),
            telos.Action("do-b", preconditions="alive", effects="b = true", cost=2),
            telos.Action("die", effects="alive = false"),
        ],
        goals=[telos.Goal("a", wants="a and b"), telos.Goal("b", wants="b and not a")],
    )
    reader = PlanReader(PlanModel(domain))
    belief = reader.observe(telos.Event("die"))
    assert dict(belief) == {"a": 0.5, "b": 0.5}
    assert "that goes for every goal" in belief.why()
    assert reader.observe(telos.Event("do-a", {"alive": True})).top == "a"


def test_actions_that_cost_nothing_and_lead_nowhere_are_no_trouble() -> None:
    domain = telos.Domain(
        variables=[telos.Variable("lamp", "bool"), telos.Variable("x", "int")],
        actions=[
            telos.Action("on", preconditions="not lamp", effects="lamp = true", cost=0),
            telos.Action("off", preconditions="lamp", effects="lamp = false", cost=0),
            telos.Action("walk", preconditions="lamp", effects="x += 1"),
        ],
        goals=[telos.Goal("there", wants="x == 2"), telos.Goal("dark", wants="x == 1 and not lamp")],
    )
    reader = PlanReader(PlanModel(domain))
    for _ in range(20):
        reader.observe(telos.Event("on"))
        belief = reader.observe(telos.Event("off"))
    assert dict(belief) == {"there": 0.5, "dark": 0.5}


def test_only_relevant_goals_are_believed_in_if_that_is_asked_for() -> None:
    domain = telos.load(DOMAINS / "soldier.yaml", functions={"distance": lambda here, there: 3.0})
    start = {"ammo": 3, "at": "gate", "cover_node": "rock"}
    reader = PlanReader(PlanModel(domain, start=start, relevance=True))
    assert reader.belief["cover"] == 0.0
    belief = reader.observe(telos.Event("goto(rock)", {"under_fire": True}))
    assert belief.top == "cover"


def test_ignored_actions_say_nothing_but_their_context_is_heard() -> None:
    reader = soldier()
    reader = PlanReader(PlanModel(reader.model.domain, start=reader.state, ignores=["idle"]))
    belief = reader.observe(telos.Event("idle", {"ammo": 0}))
    assert belief["kill_enemy"] == 0.0
    assert reader.updates == 0


def test_a_search_that_runs_out_of_budget_is_told_and_made_up_for() -> None:
    reader = errands(budget=1)
    assert "bake_bread: so far; its search ran out of budget" in reader.belief.why()
    assert dict(reader.belief) == pytest.approx(dict.fromkeys(reader.goals, 1 / 3))
    assert str(reader.why()).count("not worked out from here") == 3


def test_a_deadline_that_has_passed_leaves_what_was_known() -> None:
    reader = errands(microseconds=1e-3)
    belief = reader.observe(telos.Event("goto(mine)"))
    assert "so far" in belief.why()
    assert math.fsum(belief.values()) == pytest.approx(1.0)


def test_with_time_enough_a_budget_changes_nothing() -> None:
    hurried, leisurely = errands(microseconds=10e6), errands()
    for name in ("goto(forest)", "load-wood", "goto(inn)", "tip-out", "goto(mine)"):
        assert hurried.observe(telos.Event(name)) == leisurely.observe(telos.Event(name))


def test_why_says_what_was_wasted_and_what_is_still_to_do() -> None:
    reader = errands()
    reader.observe(telos.Event("goto(mine)"))
    said = str(reader.why())
    assert said.startswith("make_key over bake_bread: 3 less wasted\n  make_key 91%: 0 wasted; 17 to go: load-iron, ")
    assert reader.why("open_market").goal == "open_market"
    with pytest.raises(telos.TelosError, match=r"'make_kay'.*'make_key'"):
        reader.why("make_kay")


def test_a_trace_is_told_of_what_was_weighed_and_what_was_ignored() -> None:
    told: list[object] = []
    model = soldier(ammo=0).model
    reader = PlanReader(model, trace=told.append)
    reader.observe(telos.Event("goto(rock)"))
    reader.observe(telos.Event("attack"))
    assert [type(each) for each in told] == [BeliefUpdated, EventIgnored]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"goals": []}, "no goals"),
        ({"goals": ["bake_braed"]}, "did you mean 'bake_bread'"),
        ({"goals": ["make_key", "make_key"]}, "named twice"),
        ({"goals": [telos.Goal("rest")]}, "condition"),
        ({"temperature": 0.0}, "temperature must be more than 0"),
        ({"temperature": math.nan}, "temperature"),
        ({"prior": {"make_key": 1.0}}, "'bake_bread'"),
        ({"prior": {"make_keys": 1.0}}, "'make_key'"),
        ({"prior": {"make_key": 1, "bake_bread": 0, "open_market": 1}}, "more than 0"),
        ({"microseconds": -1}, "microseconds must be more than 0"),
        ({"lasts": 0.5}, "at least 1"),
        ({"tolerance": 1.0}, "share of the belief"),
        ({"start": {"att": "mill"}}, "unknown variable 'att'"),
        ({"start": 3}, "dictionary of variables"),
        ({"actions": "carters"}, "unknown action set"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(telos.TelosError, match=said):
        errands(**options)


def test_options_of_a_domain_are_refused_for_a_file() -> None:
    with pytest.raises(telos.TelosError, match="Domain"):
        telos.recognizer("flairs", goals=["town"])


def test_a_domain_whose_goals_want_nothing_is_refused() -> None:
    with pytest.raises(telos.TelosError, match="'mage'"):
        telos.recognizer(telos.load(DOMAINS / "mage.yaml"))


def test_a_saved_reader_is_refused_by_a_model_of_other_goals() -> None:
    with pytest.raises(telos.TelosError, match="resume it with the model"):
        PlanReader.resume(street().model, errands().save())


@pytest.mark.parametrize("lasts", [None, 5.0])
def test_reader_passes_the_recognizer_contract(lasts: float | None) -> None:
    names = ("goto(mill)", "load-flour", "light-fire", "goto(inn)", "bake", "tip-out", "build-stall")
    told: list[dict[str, object]] = [{}, {}, {"oven": "hot"}, {}, {"dough": True, "cart": "wood"}, {}, {}]
    events = [
        telos.Event(name, context, time=time) for time, (name, context) in enumerate(zip(names, told, strict=True))
    ]
    check_recognizer(lambda: errands(lasts=lasts), events)
    check_recognizer(lambda: errands(lasts=lasts), [])
    walk = [telos.Event(name, time=time) for time, name in enumerate(("reload", "goto(rock)", "attack", "patrol"))]
    check_recognizer(soldier, walk)


def test_action_without_explanation_in_budget_is_ignored_with_reason() -> None:
    reader = errands(budget=1)
    assert "there was no time to explain light-fire" in reader.observe(telos.Event("light-fire")).why()
    assert reader.ignored == 1
