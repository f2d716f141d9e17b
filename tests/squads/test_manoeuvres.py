"""Manoeuvres: files, their faults, and squads that are planned by them."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.squads.soldiers import Soldier

from mutations import mutated
from telos.agents.memory import Fact
from telos.core.errors import DefinitionError, Fault
from telos.core.values import FrozenMap
from telos.files.schema import check_model
from telos.files.yaml import read_yaml
from telos.squads import Coordinator, Squad
from telos.squads.behaviours import BehaviourStatus, NotNow, order_behaviours
from telos.squads.manoeuvres import (
    FUNCTIONS,
    ORDER_FORMS,
    Manoeuvre,
    SquadFacts,
    load_built_in,
    load_manoeuvre,
    loads_manoeuvre,
    manoeuvre_names,
)
from telos.squads.manoeuvres.domain import make_squad_domain
from telos.squads.manoeuvres.files import ManoeuvreShape, manoeuvre_schema

PIN_AND_RUN = """
manoeuvre: pin-and-run
begin: members >= 2 and enemies >= 1
while: enemies >= 1
stages: [run-all]
tasks:
  run-all:
    methods:
      fire-first:
        choose: {who: member, foe: enemy}
        condition: loaded(who) and sees(who, foe) and in_cover(who)
        subtasks: [suppress(who, foe), runs]
  runs:
    methods:
      one-more:
        choose: {who: member, place: node}
        condition: can_take(who, place) and not in_cover(who)
        prefer: walk(who, place)
        subtasks: [cover(who, place), runs]
      no-more: {}
"""


def squad_of(*members: Soldier) -> Squad:
    return Squad("red-1", members)


def orders_of(manoeuvre: Manoeuvre, squad: Squad, now: float = 0.0) -> dict[str, str] | str:
    answer = manoeuvre.propose(squad, now)
    return answer.why if isinstance(answer, NotNow) else {name: str(each) for name, each in answer.orders.items()}


def three() -> list[Soldier]:
    """Return Ann, who fires from cover, and Bob and Cal in the open, who both know two nodes."""
    ann = Soldier("Ann", rank=1).stands_at("c9").sees()
    bob = Soldier("Bob", (2.0, 0.0)).feels().knows("c1", 3.0).knows("c2", 9.0)
    cal = Soldier("Cal", (3.0, 0.0)).feels().knows("c1", 5.0).knows("c2", 6.0)
    return [ann, bob, cal]


# --- planning ---


def test_worked_example() -> None:
    """Bob is 3 m from c1: he takes it, and Cal takes what is left, although c1 is nearer to him as well."""
    manoeuvre = loads_manoeuvre(PIN_AND_RUN)
    assert orders_of(manoeuvre, squad_of(*three())) == {
        "Ann": "suppress bert",
        "Bob": "take cover at c1",
        "Cal": "take cover at c2",
    }
    assert manoeuvre.why(squad_of(*three()), 0.0).splitlines() == [
        "pin-and-run: run-all: suppress(Ann, bert), then cover(Bob, c1), then cover(Cal, c2) (cost 3)",
        "run-all by fire-first with who = Ann, foe = bert",
        "  1. suppress(Ann, bert)",
        "  runs by one-more with who = Bob, place = c1",
        "    2. cover(Bob, c1)",
        "    runs by one-more with who = Cal, place = c2",
        "      3. cover(Cal, c2)",
        "      runs by no-more",
    ]


def test_reasons_why_it_cannot_begin() -> None:
    manoeuvre = loads_manoeuvre(PIN_AND_RUN)
    ann, bob, cal = three()
    assert orders_of(manoeuvre, squad_of(ann)) == "it needs `members >= 2` (members is 1)"
    assert orders_of(manoeuvre, squad_of(bob, cal)) == "it needs `enemies >= 1` (enemies is 0)"
    ann.feels(loaded=False)
    assert orders_of(manoeuvre, squad_of(ann, bob)) == (
        "run-all: fire-first with who = Ann, foe = bert: it needs `loaded(who)` (who is Ann)"
    )
    assert "fire-first with who = Ann, foe = bert: it needs `loaded(who)`" in manoeuvre.why(squad_of(ann, bob), 0.0)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("members >= 2 and enemies >= 1\nwhile", "members / (seen - 1) > 1\nwhile",
         "it needs `members / (seen - 1) > 1`, which has no value: division by zero in `members / (seen - 1)`"),
        ("members >= 2 and enemies >= 1\nwhile", "seen > 1 and members / (seen - 1) > 1\nwhile",
         "it needs `seen > 1` (seen is 1)"),
        ("loaded(who) and sees", "1 / (ordered - ordered) > 1 and sees",
         "run-all: division by zero in `1 / (ordered - ordered)`"),
    ],
)  # fmt: skip
def test_a_condition_without_a_value_stops_the_manoeuvre_only(old: str, new: str, expected: str) -> None:
    manoeuvre, squad = loads_manoeuvre(broken(old, new)), squad_of(*three())
    assert orders_of(manoeuvre, squad) == expected
    assert expected.removeprefix("it needs ") in manoeuvre.why(squad, 0.0)


def test_too_many_combinations_stop_the_manoeuvre_only() -> None:
    text = broken("choose: {who: member, place: node}", "choose: {who: member, place: node, other: node, next: node}")
    squad = squad_of(*three())
    for node in range(12):
        squad.members[1].memory.note(Fact("cover", f"n{node}", 0.0, attributes=FrozenMap({"valid": True})))
    assert orders_of(loads_manoeuvre(text), squad) == (
        "run-all: one-more has 8232 combinations of who, place, other, next to choose from, and may have 5000; "
        "let its subtasks choose some of them"
    )


@pytest.mark.parametrize("order", ["follow(who, who)", "guard_rear(who, who)"])
def test_nobody_follows_himself(order: str) -> None:
    manoeuvre = loads_manoeuvre(broken("suppress(who, foe)", order))
    assert "it needs `who != comrade`" in str(orders_of(manoeuvre, squad_of(*three())))


def test_order_to_watch_an_unknown_room_names_none() -> None:
    text = broken("[suppress(who, foe), runs]", "watch(other, place, who)").replace(
        "stages: [run-all]", "stages: [{task: run-all, lasts: 3 s}]"
    )
    text = text.replace("{who: member, foe: enemy}", "{who: member, foe: enemy, other: member, place: node}")
    squad = squad_of(*three())
    assert orders_of(loads_manoeuvre(text), squad) == {"Bob": "watch the room from c1"}


def test_taken_nodes_are_left_out() -> None:
    squad = squad_of(*three())
    squad.taken = frozenset({"c1"})
    assert orders_of(loads_manoeuvre(PIN_AND_RUN), squad) == {"Ann": "suppress bert", "Cal": "take cover at c2"}


@given(ways=st.lists(st.lists(st.integers(1, 30), min_size=4, max_size=4), min_size=1, max_size=4))
def test_nobody_gets_two_orders_and_no_node_two_members(ways: list[list[int]]) -> None:
    """The plan takes the shortest way that is left, again and again: a slow loop says which."""
    runners = []
    for number, row in enumerate(ways):
        runner = Soldier(f"R{number}", (number, 1.0)).feels()
        for place, way in enumerate(row):
            runner.knows(f"c{place}", float(way))
        runners.append(runner)
    left = sorted((way, f"R{n}", f"c{place}") for n, row in enumerate(ways) for place, way in enumerate(row))
    expected: dict[str, str] = {}
    for _, name, node in left:
        if name not in expected and node not in expected.values():
            expected[name] = node
    assignment = loads_manoeuvre(PIN_AND_RUN).propose(squad_of(three()[0], *runners), 0.0)
    assert not isinstance(assignment, NotNow)
    assert {name: order.node for name, order in assignment.orders.items() if order.node} == expected


# --- going on ---


def begin(manoeuvre: Manoeuvre, members: list[Soldier]) -> Coordinator:
    red = Coordinator("red", behaviours=[manoeuvre], practices=())
    red.tick(members, 0.0)
    assert red.squads[0].behaviour == manoeuvre.name, red.squads[0].why()
    return red


def test_it_is_fulfilled_when_all_have_arrived() -> None:
    ann, bob, cal = three()
    red = begin(loads_manoeuvre(PIN_AND_RUN), [ann, bob, cal])
    bob.stands_at("c1")
    red.tick([ann, bob, cal], 1.0)
    assert red.squads[0].engaged
    cal.stands_at("c2")
    red.tick([ann, bob, cal], 2.0)
    assert red.squads[0].passed_over["pin-and-run"] == "it has just succeeded: run-all is done"
    assert ann.order is None


def test_after_a_death_the_stage_is_planned_again_and_who_has_arrived_stays() -> None:
    ann, bob, cal = three()
    dee = Soldier("Dee").stands_at("c8").sees()
    red = begin(loads_manoeuvre(PIN_AND_RUN), [ann, bob, cal, dee])
    bob.stands_at("c1")
    ann.alive = False
    red.tick([ann, bob, cal, dee], 1.0)
    assignment = red.squads[0].assignment
    assert assignment is not None
    assert assignment.why.startswith("Ann is dead; run-all by fire-first with who = Dee")
    assert {name: str(order) for name, order in assignment.orders.items()} == {
        "Bob": "take cover at c1",
        "Cal": "take cover at c2",
        "Dee": "suppress bert",
    }


def test_who_refuses_gets_no_other_order() -> None:
    ann, bob, cal = three()
    red = begin(loads_manoeuvre(PIN_AND_RUN), [ann, bob, cal])
    assert bob.order is not None
    bob.note("order_refused", "current", 1.0, serial=bob.order["serial"], why="escape comes first")
    red.tick([ann, bob, cal], 1.0)
    assignment = red.squads[0].assignment
    assert assignment is not None
    assert assignment.why.startswith("Bob refuses: escape comes first; ")
    assert {name: str(order) for name, order in assignment.orders.items()} == {
        "Ann": "suppress bert",
        "Cal": "take cover at c1",
    }


def test_it_fails_when_the_stage_would_repeat_the_order_that_failed() -> None:
    """Without `can_take`, the file would send Bob to a node that does not protect him, again and again."""
    ann, bob, _ = three()
    red = begin(loads_manoeuvre(broken("can_take(who, place) and not", "not")), [ann, bob])
    bob.knows("c1", 3.0, valid=False)
    red.tick([ann, bob], 1.0)
    assert red.squads[0].passed_over["pin-and-run"] == (
        "it has just failed: c1 no longer protects Bob, and run-all has no other plan"
    )


def test_it_fails_when_its_condition_breaks_or_no_plan_is_left() -> None:
    ann, bob, cal = three()
    red = begin(loads_manoeuvre(PIN_AND_RUN), [ann, bob, cal])
    ann.memory.forget("enemy", "bert")
    red.tick([ann, bob, cal], 1.0)
    assert red.squads[0].passed_over["pin-and-run"] == (
        "it has just failed: it goes on while `enemies >= 1` (enemies is 0)"
    )
    ann, bob, cal = three()
    bob.sees()
    red = begin(loads_manoeuvre(PIN_AND_RUN), [ann, bob, cal])
    ann.alive = False
    red.tick([ann, bob, cal], 1.0)
    assert red.squads[0].passed_over["pin-and-run"] == (
        "it has just failed: Ann is dead, and run-all: fire-first with who = Bob, foe = bert: "
        "it needs `in_cover(who)` (who is Bob)"
    )


TWO_STAGES = """
manoeuvre: pin-then-run
stages: [{task: pin, lasts: 2 s}, run]
until: enemies == 0
tasks:
  pin:
    methods:
      one: {choose: {who: member, foe: enemy}, condition: "sees(who, foe)", subtasks: "suppress(who, foe)"}
  run:
    methods:
      one: {choose: {who: member, place: node}, condition: "can_take(who, place)", subtasks: "advance(who, place)"}
"""


def test_stages_follow_each_other_by_the_clock_and_by_their_orders() -> None:
    ann, bob, _ = three()
    manoeuvre = loads_manoeuvre(TWO_STAGES)
    red = begin(manoeuvre, [ann, bob])
    for now, expected in ((1.5, {"Ann": "suppress bert"}), (2.0, {"Bob": "advance to c1"})):
        red.tick([ann, bob], now)
        assignment = red.squads[0].assignment
        assert assignment is not None
        assert {name: str(order) for name, order in assignment.orders.items()} == expected
    assert assignment is not None
    assert assignment.why == "pin is done; run by one with who = Bob, place = c1"
    assert (assignment.places, assignment.since) == (("run",), 2.0)
    ann.memory.forget("enemy", "bert")
    assert manoeuvre.watch(assignment, red.squads[0], 2.5).status is BehaviourStatus.FULFILLED


def test_lasting_orders_need_a_time() -> None:
    manoeuvre = loads_manoeuvre(TWO_STAGES.replace("{task: pin, lasts: 2 s}", "pin"))
    assert orders_of(manoeuvre, squad_of(*three())) == "pin has lasting orders only, and no time: add `lasts: 4 s`"


def test_save_and_restore_in_mid_manoeuvre() -> None:
    ann, bob, cal = three()
    manoeuvre = loads_manoeuvre(TWO_STAGES)
    red = begin(manoeuvre, [ann, bob, cal])
    saved = json.loads(json.dumps(red.save()))
    again = Coordinator("red", behaviours=[manoeuvre], practices=())
    again.restore(saved, [ann, bob, cal])
    assert again.save() == red.save()
    again.tick([ann, bob, cal], 2.0)
    assert again.squads[0].assignment is not None
    assert again.squads[0].assignment.places == ("run",)
    saved["squads"][0]["assignment"]["places"] = ["elsewhere"]
    with pytest.raises(Exception, match="do not make a 'pin-then-run': its stages are pin, run"):
        Coordinator("red", behaviours=[manoeuvre], practices=()).restore(saved, [ann, bob, cal])


def test_a_manoeuvre_is_tried_right_before_what_follows_it_in_the_list() -> None:
    manoeuvre = loads_manoeuvre(PIN_AND_RUN)
    names = ["get-to-cover", "pin-and-run", "search", "share-targets"]
    found = [each.name for each in order_behaviours(names, [manoeuvre])]
    assert found == ["get-to-cover", "pin-and-run", "search"]
    assert order_behaviours(["search"], [manoeuvre]) == order_behaviours(["search"])


# --- functions ---


def test_functions_answer_from_memories() -> None:
    ann, bob, cal = three()
    ann.note("cover", "c5", 0.0, x=30.0, y=-10.0, valid=True, distance=20.0, threat_distance=10.0, in_view=4.0,
             exposes=True, sees=True)  # fmt: skip
    ann.note("node", "hall.0", 0.0, x=1.0, y=1.0, room="hall", kind="search", distance=2.0)
    facts = SquadFacts(squad_of(ann, bob, cal), 0.0)
    assert facts.counts == {"members": 3, "enemies": 1, "seen": 1, "exposed": 2}
    assert facts.handles == {"member": ("Ann", "Bob", "Cal"), "enemy": ("bert",), "node": ("c1", "c2", "c5", "hall.0")}
    assert (facts.range("Ann", "bert"), facts.range("Bob", "bert")) == (30.0, 1e6)
    assert (facts.walk("Ann", "c5"), facts.in_view("Ann", "c5"), facts.gain("Ann", "c5")) == (20.0, 4.0, 20.0)
    assert (facts.in_view("Bob", "c1"), facts.gain("Bob", "c1")) == (3.0, -1e6)  # nobody can tell
    assert facts.turn("Ann", "c5", "bert") == pytest.approx(90.0)
    flags = [facts.exposes("Ann", "c5"), facts.has_view("Ann", "c5"), facts.sees("Ann", "bert"), facts.leads("Ann")]
    assert flags == [True] * 4
    assert not any([facts.exposes("Bob", "c1"), facts.knows("Bob", "bert"), facts.leads("Cal")])
    assert facts.can_search("Ann", "hall.0")
    assert not facts.can_search("Ann", "c5")


def test_every_function_can_be_called_as_it_is_listed() -> None:
    facts = SquadFacts(squad_of(*three()), 0.0)
    handles = {"member": "Ann", "enemy": "bert", "node": "c1"}
    for function in FUNCTIONS.values():
        with facts.in_use():
            answer = function.call(*(handles[kind] for kind in function.kinds))
        assert isinstance(answer, bool) == function.is_flag, function.name
        assert function.about


# --- files ---


def faults(text: str) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        loads_manoeuvre(text, name="m.yaml")
    return [str(fault) for fault in caught.value.faults]


def broken(old: str, new: str) -> str:
    assert old in PIN_AND_RUN
    return PIN_AND_RUN.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("stages: [run-all]", "stages: [run-al]", "5:10: unknown task 'run-al'; did you mean 'run-all'?"),
        ("stages: [run-all]", "stages: []", "5:9: stages must be a list of at least one task, got an empty list; "),
        ("begin: members", "begin: member", "3:8: unknown variable 'member' in `member >= 2"),
        ("while: enemies >= 1", "while: enemies", "4:8: 'enemies' is an integer, where a condition"),
        ("loaded(who)", "lodaed(who)", "11:20: unknown function 'lodaed' in `lodaed(who)"),
        ("sees(who, foe)", "sees(who)", "11:36: 'sees' takes 2 arguments, not 1 in"),
        ("in_cover(who)", "in_cover(foe)",
         "11:64: 'foe' is enemy, where a member is wanted in"),
        ("suppress(who, foe)", "supress(who, foe)", "12:20: unknown task 'supress' in `supress(who`"),
        ("suppress(who, foe)", "suppress(foe, who)",
         "12:20: 'foe' is enemy, where 'suppress' wants member"),
        ("{who: member, place: node}", "{who: member, place: nod}", "16:31: unknown kind 'nod' in `place`; did"),
        ("prefer: walk(who, place)", "prefer: walk(who, plaec)", "18:27: unknown variable 'plaec'"),
        ("prefer: walk(who, place)", "prefer: walk(who, 3)", "18:27: '3', where a node is wanted in"),
        ("can_take(who, place)", "given == none and can_take(who, place)", "17:20: unknown variable 'given'"),
        ("while:", "whlie:", "4:1: unknown key 'whlie'; did you mean 'while'?"),
        ("manoeuvre: pin-and-run", "manoeuvre: search", "2:12: 'search' is the name of a squad behaviour or practice"),
        ("manoeuvre: pin-and-run", "manoeuvre: keep-down", "2:12: 'keep-down' is the name of a squad behaviour"),
        ("stages: [run-all]", "limit: 9 s\nstages: [{task: run-all, lasts: 9.5 s}]",
         "6:33: this stage lasts 9.5 s, and after 9 s the manoeuvre has failed; write `limit: 14.5 s`"),
        ("stages: [run-all]", "stages: [{task: run-all, lasts: 16 s}]",
         "5:33: this stage lasts 16 s, and after 15 s the manoeuvre has failed; write `limit: 21 s`"),
        ("{who: member, foe: enemy}", "{who: member, foe: enemy, a: node, b: node, c: node}",
         "10:9: a method chooses at most 4 handles, and this one 5; choose the others in its subtasks"),
        ("      no-more: {}\n", "", "13:3: task 'runs' can never be finished: each of its methods is circular"),
    ],
)  # fmt: skip
def test_faults_have_line_and_remedy(old: str, new: str, expected: str) -> None:
    found = faults(broken(old, new))
    assert any(each.startswith(f"m.yaml:{expected}") for each in found), found


def test_all_faults_are_told_at_once() -> None:
    text = broken("stages: [run-all]", "stages: [run-al]").replace("loaded(who)", "lodaed(who)")
    assert len(faults(text)) == 2
    assert faults("stages: [x]\n") == [
        "m.yaml:1:1: 'manoeuvre' is missing; as in `manoeuvre: flank-and-hold`",
        "m.yaml:1:1: 'tasks' is missing; add `tasks:` with their methods",
    ]


def test_a_file_must_have_the_name_that_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text("# what it is for\n" + PIN_AND_RUN)
    with pytest.raises(DefinitionError) as caught:
        load_manoeuvre(file, called="run")
    said = "the manoeuvre is called 'pin-and-run', and its file run.yaml; rename one of them"
    assert str(caught.value) == f"{file}:3:12: {said}"
    assert load_manoeuvre(file).name == load_manoeuvre(file, called="pin-and-run").name


def test_a_stage_may_last_as_long_as_the_limit() -> None:
    ann, bob, _ = three()
    text = TWO_STAGES.replace("lasts: 2 s}", "lasts: 6 s}").replace("until", "limit: 6 s\nuntil")
    red = begin(loads_manoeuvre(text), [ann, bob])
    for half_seconds in range(1, 13):
        red.tick([ann, bob], half_seconds / 2)
    assert red.squads[0].assignment is not None
    assert red.squads[0].assignment.places == ("run",)


def test_a_stage_has_no_parameters() -> None:
    text = "manoeuvre: x\nstages: [hit]\ntasks:\n  hit:\n    parameters: {foe: enemy}\n    methods: {no: {}}\n"
    assert faults(text) == [
        "m.yaml:2:10: a stage cannot have parameters, and 'hit' has; let its methods choose what it needs"
    ]


def test_package_manoeuvres_load_and_are_named_like_their_files(tmp_path: Path) -> None:
    assert manoeuvre_names() == ("bounding", "flank-and-hold")
    assert [load_built_in(name).name for name in manoeuvre_names()] == list(manoeuvre_names())
    (tmp_path / "mine.yaml").write_text(PIN_AND_RUN)
    assert load_manoeuvre(tmp_path / "mine.yaml").name == "pin-and-run"


def test_committed_schema_is_the_generated_one() -> None:
    import telos.squads.manoeuvres as package

    committed = Path(str(package.__file__)).parent / "manoeuvre.schema.json"
    assert committed.read_text(encoding="utf-8") == manoeuvre_schema() + "\n"


SHAPES = [read_yaml(PIN_AND_RUN).data, read_yaml(TWO_STAGES).data]
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, "", "a b", "3 s", "0 s", "pin", "members > 1"])
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=2), st.dictionaries(st.sampled_from("aB"), SCALARS, max_size=2))
KEYS = st.sampled_from(["stages", "tasks", "lasts", "task", "while", "methods", "choose", "two words", "x"])


@settings(max_examples=300, deadline=None)
@given(mutated(st.sampled_from(SHAPES), values=VALUES, keys=KEYS))
def test_schema_and_loader_agree(data: Any) -> None:
    if isinstance(data, dict) and isinstance(data.get("tasks"), dict):
        data["tasks"] = {}  # what is in tasks is parsed, and not only checked for its shape
    validator = jsonschema.Draft202012Validator(json.loads(manoeuvre_schema()))
    assert validator.is_valid(data) == (not check_model(ManoeuvreShape, data, "a manoeuvre file"))


TEXTS = st.sampled_from(
    ["who", "place", "foe", "suppress(who, foe)", "cover(who, place)", "runs", "members / seen > 1", "walk(who, place)",
     "in_cover(who)", "node", "member", "given", "1 / 0", "none", "run-all"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(mutated(st.sampled_from(SHAPES), values=VALUES | TEXTS | st.lists(TEXTS, max_size=2), keys=KEYS | TEXTS))
def test_random_file_is_a_manoeuvre_that_can_be_tried_or_has_located_faults(data: Any) -> None:
    text, faults_found = json.dumps(data, indent=1), tuple[Fault, ...]()
    try:
        manoeuvre = loads_manoeuvre(text)
    except DefinitionError as error:
        faults_found = error.faults
    if faults_found:
        assert all(1 <= fault.line <= text.count("\n") + 1 for fault in faults_found)
        return
    squad = squad_of(*three())
    answer = manoeuvre.propose(squad, 0.0)
    assert answer.why
    assert manoeuvre.why(squad, 0.0)
    if not isinstance(answer, NotNow):
        squad.assignment = answer
        assert manoeuvre.watch(answer, squad, 0.5).status in BehaviourStatus


def test_all_orders_of_squads_can_be_given() -> None:
    from typing import get_args

    from telos.squads.squad import OrderTask

    assert set(ORDER_FORMS) == set(get_args(OrderTask))
    assert {action.name for action in make_squad_domain().actions} == set(ORDER_FORMS)
