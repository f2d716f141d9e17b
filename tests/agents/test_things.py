"""Things of one kind: templates in the file, things that appear and vanish, and minds that know different ones."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import telos
from telos.agents import (
    DONE,
    RUNNING,
    Attends,
    BodyState,
    Character,
    Fact,
    Goto,
    Mind,
    ThingAttention,
    UseSmartObject,
    WorkingMemory,
    characters_from,
    loads_performances,
    restore_mind,
    save_mind,
)
from telos.agents.body import Performed
from telos.agents.trace import Dropped
from telos.core.action import Action
from telos.core.errors import NoteCode, TelosError
from telos.core.template import ObjectTemplate
from telos.core.trace import Trace, silent
from telos.files.domain_notes import domain_notes
from telos.planning import Planner

WOOD = """
domain: wood
variables: {at: {type: node, start: home}, wood: int}
handles: {node: [home]}
actions:
  goto: {parameters: {place: node}, effects: at = place, cost: "distance(at, place)"}
objects:
  tree:
    parameters: {place: node}
    variables: {standing: {type: bool, start: true}}
    actions:
      chop: {preconditions: at == place and standing, effects: [wood += 1, standing = false], cost: 3}
    instances: {oak: hill, elm: grove}
    slots: 2
goals: {stock: {wants: wood >= 1, priority: 1}}
action_sets: {cutter: [goto, tree.chop]}
"""
PLACES = {"home": 0, "hill": 10, "grove": 20, "bay": 4, "moor": 6, "fen": 8}


def distance(one: str, other: str) -> float:
    return abs(PLACES[one] - PLACES[other])


DOMAIN = telos.loads(WOOD, functions={"distance": distance})
MOVES = loads_performances("performances: {goto: {goto: place}, tree.chop: {use: tree, how: chop}}", DOMAIN, focus=())


@dataclass
class Cutter:
    """A body that does at once what it is told, if its frame comes."""

    at: str = "home"
    wood: int = 0
    progress: object = DONE
    entered: list[BodyState] = field(default_factory=list)

    def enter(self, state: BodyState) -> None:
        self.entered.append(state)
        self.progress = RUNNING

    def finish(self) -> None:
        match self.entered[-1]:
            case Goto(place):
                self.at = place
            case UseSmartObject():
                self.wood += 1
        self.progress = DONE


def make_cutter(
    body: Cutter, *, domain: telos.Domain = DOMAIN, trace: Trace = silent, attention: tuple[Attends, ...] = ()
) -> Mind:
    kind = Character("cutter", domain.goals, domain.all_actions)
    return Mind(
        "ann",
        kind,
        domain,
        body=body,
        believe=lambda memory, now: {"at": body.at, "wood": body.wood},
        procedures={name: Performed(each) for name, each in MOVES.items()},
        trace=trace,
        attention=attention,
    )


def tree(name: str, now: float, place: str | None = None, **attributes: object) -> Fact:
    return Fact("tree", name, now, attributes={**({"place": place} if place else {}), **attributes})


# --- templates --------------------------------------------------------------------------------------------------------


def test_template_stands_for_its_instances_and_slots() -> None:
    assert [each.name for each in DOMAIN.objects] == ["oak", "elm", "tree_3", "tree_4"]
    assert DOMAIN.handles["node"] == ("home", "hill", "grove")
    assert [action.name for action in DOMAIN.actions_of("cutter")][1:3] == ["oak.chop", "elm.chop"]
    answer = telos.plan(DOMAIN, {})
    assert [str(step) for step in answer.steps] == ["goto(hill)", "oak.chop"]
    assert answer.cost == 13
    assert [str(step) for step in telos.plan(DOMAIN, {"oak.present": False}).steps] == ["goto(grove)", "elm.chop"]


def test_twelve_trees_are_one_entry_and_twelve_places() -> None:
    places = [f"p{number}" for number in range(12)]
    text = WOOD.replace("{oak: hill, elm: grove}", f"[{', '.join(places)}]").replace(
        chr(34) + "distance(at, place)" + chr(34), "1"
    )
    domain = telos.loads(text)
    assert [each.name for each in domain.objects][:12] == [f"tree_{number}" for number in range(1, 13)]
    assert domain.state()["tree_12.place"] == "p11"
    assert domain.handles["node"] == ("home", *places)


def test_written_out_objects_give_the_same_plans() -> None:
    shared = [DOMAIN.actions[0]]
    written = [
        telos.SmartObject(
            name,
            variables=[telos.Variable("standing", "bool", True)],
            actions=[
                Action(
                    "chop",
                    preconditions=f"at == {place} and standing",
                    effects="wood += 1, standing = false",
                    cost=3,
                )
            ],
        )
        for name, place in (("oak", "hill"), ("elm", "grove"))
    ]
    by_hand = telos.Domain(
        variables=DOMAIN.variables,
        handles={"node": ["home", "hill", "grove"]},
        actions=shared,
        objects=written,
        goals=[telos.Goal("stock", wants="wood >= 2")],
        functions={"distance": distance},
    )
    goal = telos.Goal("stock", wants="wood >= 2")
    assert telos.plan(DOMAIN, {}, goal).cost == telos.plan(by_hand, {}).cost == 26.0


@pytest.mark.parametrize(
    ("written", "instead", "line", "telling"),
    [
        ("at == place", "at == plac", 12, "plac"),
        ("at == place", "wood == place", 12, "compare"),
        ("standing = false]", "place = at]", 12, "parameter"),
        ("{oak: hill, elm: grove}", "{oak: {plac: hill}}", 13, "plac"),
        ("{oak: hill, elm: grove}", "{oak: {}}", 13, "place"),
        ("{oak: hill, elm: grove}", "{oak: 7}", 13, "handle"),
        ("{place: node}\n    var", "{plac: node}\n    var", 12, "place"),
        ("{oak: hill, elm: grove}", "hill", 13, "list"),
        ("{place: node}\n    var", "{place: node, by: node}\n    var", 13, "2 parameters"),
        ("{place: node}\n    var", "{place: int}\n    var", 8, "handles"),
        ("slots: 2", "slots: -1", 14, "whole number"),
        ("slots: 2", "slots: 9999", 14, "whole number"),
        ("    instances: {oak: hill, elm: grove}\n    slots: 2\n", "", 8, "instances"),
        ("standing: {", "present: {", 8, "present"),
        ("standing: {", "place: {", 8, "place"),
        ("tree.chop]", "tree.chp]", 16, "tree.chop"),
    ],
)
def test_faults_of_a_template_are_told_once(written: str, instead: str, line: int, telling: str) -> None:
    assert written in WOOD
    with pytest.raises(telos.DefinitionError, match=telling) as error:
        telos.loads(WOOD.replace(written, instead))
    assert [fault.line for fault in error.value.faults] == [line]


def test_notes_on_a_template_are_told_once() -> None:
    text = WOOD.replace("    variables: {standing", "    variables: {old: bool, standing")
    notes = list(domain_notes(telos.loads(text, functions={"distance": distance}), {}))
    assert [(note.path, note.code) for note in notes] == [
        (("objects", "tree", "variables", "old"), NoteCode.UNUSED_VARIABLE)
    ]


def test_character_and_performances_name_an_action_of_a_template_once() -> None:
    cutter = characters_from({"cutter": "character: cutter\ngoals: [stock]\nactions: [tree.chop]"}, DOMAIN)["cutter"]
    assert [action.name for action in cutter.actions] == ["oak.chop", "elm.chop", "tree_3.chop", "tree_4.chop"]
    with pytest.raises(telos.DefinitionError, match="plac"):
        loads_performances("performances: {tree.chop: {goto: plac}}", DOMAIN, focus=())


# --- minds ------------------------------------------------------------------------------------------------------------


def test_body_uses_the_thing_that_the_plan_is_about() -> None:
    body = Cutter()
    mind = make_cutter(body)
    mind.note(tree("pine", 0.0, "bay"))
    for second in range(3):
        mind.think(float(second))
        body.finish()
    assert body.entered[:2] == [Goto("bay"), UseSmartObject("pine", "chop")]
    assert body.wood == 1


def test_mind_notices_things_that_appear_and_vanish() -> None:
    body, said = Cutter(), list[object]()
    mind = make_cutter(body, trace=said.append)
    for name in ("oak", "elm"):
        mind.note(tree(name, 0.0, present=False))
    mind.think(0.0)
    assert mind.goal is None
    mind.note(tree("pine", 0.5, "moor"))
    mind.think(0.5)
    assert mind.steps == ("goto(moor)", "tree_3.chop")
    mind.note(tree("pine", 0.7, present=False))
    mind.think(0.7)
    assert mind.goal is None
    assert any(isinstance(each, Dropped) and "tree_3.present" in each.why for each in said)
    mind.note(tree("oak", 0.8, present=True))
    mind.think(0.8)
    assert mind.steps == ("goto(hill)", "oak.chop")


def test_thing_of_a_slot_is_forgotten_with_its_fact() -> None:
    body = Cutter()
    mind = make_cutter(body)
    mind.memory.fades["tree"] = 10.0
    mind.note(tree("pine", 0.0, "bay"))
    mind.think(0.0)
    assert mind.state["tree_3.present"]
    mind.think(9.9)
    assert not mind.state["tree_3.present"]
    assert mind.steps == ("goto(hill)", "oak.chop")


def test_plan_with_a_thing_is_dropped_before_its_slot_is_filled_again() -> None:
    said: list[object] = []
    mind = make_cutter(Cutter(), trace=said.append)
    for number, (name, place) in enumerate({"pine": "bay", "ash": "moor", "yew": "fen"}.items()):
        mind.note(tree(name, float(number), place))
    mind.think(2.0)
    assert (mind.memory.focus["tree_3"], mind.memory.focus["tree_4"]) == ("pine", "ash")
    mind.note(tree("pine", 3.0, present=False))
    mind.think(3.0)
    assert [each.why for each in said if isinstance(each, Dropped)] == ["tree_3.chop needs tree_3.present"]
    assert (mind.memory.focus["tree_3"], mind.state["tree_3.place"]) == ("yew", "fen")
    assert mind.steps == ("goto(moor)", "tree_4.chop")


def test_better_things_take_slots_by_a_margin() -> None:
    template = DOMAIN.templates[0]
    near = ThingAttention(template, lambda fact, memory, now: -float(PLACES[fact["place"]]), margin=1.0)
    memory = WorkingMemory()
    for name, place in (("a", "fen"), ("b", "moor"), ("c", "bay")):
        memory.note(tree(name, 0.0, place))
    near.choose(memory, 0.0)
    assert [memory.focus[slot] for slot in template.slots] == ["c", "b"]
    memory.note(tree("d", 1.0, "home"))
    near.choose(memory, 1.0)
    assert [memory.focus[slot] for slot in template.slots] == ["c", None]
    assert not near.is_settled(memory, 1.0)
    near.choose(memory, 1.1)
    assert [memory.focus[slot] for slot in template.slots] == ["c", "d"]
    assert near.is_settled(memory, 1.1)


def test_minds_know_different_things() -> None:
    one, other = make_cutter(Cutter()), make_cutter(Cutter())
    one.note(tree("pine", 0.0, "bay"))
    other.note(tree("ash", 0.0, "moor"))
    one.think(0.0)
    other.think(0.0)
    assert (one.steps[0], other.steps[0]) == ("goto(bay)", "goto(moor)")
    assert one.planner is other.planner


def test_thing_without_a_parameter_is_told() -> None:
    mind = make_cutter(Cutter())
    mind.note(tree("pine", 0.0))
    mind.think(0.0)
    assert mind.steps == ("goto(hill)", "oak.chop")
    with pytest.raises(TelosError, match="without 'place'"):
        ThingAttention(DOMAIN.templates[0]).choose(mind.memory, 0.0)


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["pine", "ash", "yew", "oak", "elm"]),
        st.sampled_from(["bay", "moor", "fen"]),
        st.booleans(),
        st.booleans(),
    ),
    max_size=14,
)


@settings(max_examples=40, deadline=None)
@given(EVENTS)
def test_plans_are_right_whatever_appears_and_vanishes(events: list[tuple[str, str, bool, bool]]) -> None:
    """The mind's plan, from a planner that remembers, costs as much as the nearest tree that it can know of."""
    mind, now = make_cutter(Cutter()), 0.0
    known = {"oak": ("hill", True), "elm": ("grove", True)}
    for name, place, present, standing in events:
        place = known[name][0] if name in ("oak", "elm") else place
        mind.note(tree(name, now, place, present=present, standing=standing))
        known.pop(name, None)
        if present or name in ("oak", "elm"):
            known[name] = (place, present and standing)
        for _ in range(3):
            now += 1.0
            mind.think(now)
        in_slots = {mind.memory.focus[slot] for slot in DOMAIN.templates[0].slots} - {None}
        others = known.keys() - {"oak", "elm"}
        assert in_slots <= others
        assert len(in_slots) == min(2, len(others))
        usable = [known[each][0] for each in in_slots | {"oak", "elm"} if known[each][1]]
        best = min((3 + distance("home", each) for each in usable), default=None)
        answer = mind.planner.plan(mind.state, "stock")
        assert answer.found == (best is not None)
        if best is not None:
            assert answer.cost == Planner(DOMAIN).plan(mind.state, "stock").cost == best
        assert (mind.goal is None) == (best is None)


def test_things_that_come_and_go_compile_nothing_anew() -> None:
    domain = telos.loads(WOOD, functions={"distance": distance})
    mind = make_cutter(Cutter(), domain=domain)
    mind.note(tree("pine", 0.0, "bay"))
    mind.think(0.0)
    before = len(mind.planner._prepared)
    for number in range(1, 30):
        mind.note(tree("pine", float(number), "bay", present=number % 2 == 0))
        mind.note(tree("oak", float(number), present=number % 3 == 0))
        mind.think(float(number))
    assert len(mind.planner._prepared) <= before + 1  # one more place is unnamed, or none


# --- saving -----------------------------------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(EVENTS, st.integers(0, 13))
def test_saved_mind_goes_on_exactly(events: list[tuple[str, str, bool, bool]], cut: int) -> None:
    body = Cutter()
    mind = make_cutter(body)
    for number, (name, place, present, standing) in enumerate(events):
        if number == cut:
            saved = json.loads(json.dumps(save_mind(mind)))
            mind = make_cutter(body)
            assert restore_mind(mind, saved) == ()
            assert save_mind(mind) == saved
        mind.note(tree(name, float(number), place, present=present, standing=standing))
        mind.think(float(number))
    straight = make_cutter(Cutter())
    for number, (name, place, present, standing) in enumerate(events):
        straight.note(tree(name, float(number), place, present=present, standing=standing))
        straight.think(float(number))
    assert save_mind(mind) == save_mind(straight)


def test_lenient_restore_drops_plans_with_things_that_are_gone() -> None:
    mind = make_cutter(Cutter())
    mind.think(0.0)
    assert mind.steps == ("goto(hill)", "oak.chop")
    fewer = telos.loads(WOOD.replace("oak: hill, ", ""), functions={"distance": distance})
    other = make_cutter(Cutter(), domain=fewer)
    with pytest.raises(TelosError, match=r"oak\.present"):
        restore_mind(other, save_mind(mind))
    left_out = [each.what for each in restore_mind(other, save_mind(mind), lenient=True)]
    assert "the plan for 'stock'" in left_out
    other.think(0.0)
    assert other.steps == ("goto(grove)", "elm.chop")


class Lumberjack(telos.Body):
    """A body of the front door: it sees the trees within its reach, and chops the one that it is told to."""

    def __init__(self, trees: dict[str, str]) -> None:
        self.at, self.wood, self.trees, self.chopped = "home", 0, trees, list[str]()

    def sense(self, now: float) -> dict[str, object]:
        return {"at": self.at, "wood": self.wood}

    @telos.sensor(every=0.0)
    def look(self, now: float) -> list[Fact]:
        gone = [tree(name, now, present=False) for name in ("oak", "elm", *self.chopped)]
        return [*gone, *(tree(name, now, place) for name, place in self.trees.items())]

    def goto(self, place: str) -> None:
        self.at = place

    def chop(self, thing: str) -> None:
        if thing not in self.trees:
            raise telos.Failed("gone", thing=thing)
        del self.trees[thing]
        self.chopped.append(thing)
        self.wood += 1


def test_crowd_of_bodies_uses_things_of_the_running_game() -> None:
    domain = telos.loads(WOOD.replace("wood >= 1", "wood >= 2"), functions={"distance": distance})
    crowd = telos.Crowd(domain)
    body = Lumberjack({"pine": "bay", "ash": "moor", "yew": "fen"})
    crowd.add("ann", body)
    for frame in range(20):
        crowd.tick(frame / 4)
    assert body.chopped == ["pine", "ash"]
    saved = json.loads(json.dumps(crowd.save()))
    again = telos.Crowd(domain)
    again.add("ann", Lumberjack({}))
    again.restore(saved)
    assert json.loads(json.dumps(again.save())) == saved


class Clumsy(telos.Body):
    def sense(self, now: float) -> dict[str, object]:
        return {"at": "home", "wood": 0}

    def goto(self, place: str) -> None: ...


def test_a_method_that_all_things_lack_is_one_fault() -> None:
    with pytest.raises(TelosError) as raised:
        telos.Crowd(telos.loads(WOOD, functions={"distance": distance})).add("ann", Clumsy())
    assert str(raised.value).count("def chop(self, thing)") == 1
    assert "no method for the action 'tree.chop'" in str(raised.value)


def test_a_slip_in_a_fact_about_a_thing_is_told() -> None:
    crowd = telos.Crowd(telos.loads(WOOD, functions={"distance": distance}))
    crowd.add("ann", Lumberjack({}))
    with pytest.raises(TelosError, match="about the tree 'pine' has 'plase'; did you mean 'place'"):
        crowd.stimulate("ann", Fact("tree", "pine", 0.0, attributes={"plase": "bay"}))
    with pytest.raises(TelosError, match="kind 'tre'; did you mean 'tree'"):
        crowd.stimulate("ann", Fact("tre", "pine", 0.0))
    crowd.stimulate("ann", Fact("tree", "pine", 0.0, attributes={"place": "bay", "height": 9}))  # for a score


def test_explanations_say_which_thing_a_slot_is() -> None:
    crowd = telos.Crowd(telos.loads(WOOD, functions={"distance": distance}))
    body = Lumberjack({})
    ann = crowd.add("ann", body)
    crowd.tick(0.0)
    assert ann.why_not("tree.chop") == "tree.chop: no tree is known."
    body.trees["pine"] = "bay"
    crowd.tick(0.5)
    assert ann.plan[-1] == "tree_3.chop"
    assert ann.why().splitlines()[-1] == "tree_3 is pine."
    assert ann.why_not("tree.chop") == "tree_3.chop: it is part of the plan."


def test_template_in_python_rejects_misuse() -> None:
    for wrong in (
        {"slots": 0},
        {"slots": True},
        {"slots": 1, "parameters": {"place": "int"}},
        {"instances": {"1": {}}},
        {"slots": 1, "variables": [telos.Variable("present", "bool")]},
    ):
        with pytest.raises(TelosError):
            ObjectTemplate("tree", **wrong)  # type: ignore[arg-type]


def test_committed_example_of_a_template_is_fine(tmp_path: Path) -> None:
    (tmp_path / "wood.yaml").write_text(WOOD)
    assert telos.load(tmp_path / "wood.yaml").functions_needed == ("distance",)
