"""PDDL in: reading, grounding and encoding, against an obvious grounder that tries everything."""

import heapq
import itertools
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telos.core.errors import DefinitionError, TelosError
from telos.core.expressions import Literal, bind
from telos.core.goal import Goal
from telos.core.plan import Plan
from telos.core.state import State
from telos.core.values import NUMBER
from telos.planning import plan
from telos.planning.pddl import PddlProblem, load_pddl, loads_pddl, syntax
from telos.planning.pddl.parser import ActionSchema, Atom, LiftedTask, Literals, format_atom
from telos.planning.pddl.syntax import MAX_BYTES

FILES = Path(__file__).parent / "pddl"
# The cheapest costs, worked out by hand.
PROBLEMS = {
    ("blocks", "blocks-sussman"): 6.0,
    ("delivery", "delivery-two-ways"): 9.5,
    ("lamps", "lamps-row"): 4.0,
    ("lamps", "lamps-dark"): math.inf,
}

Facts = frozenset[Atom]
Moves = list[tuple[str, float, Facts]]


def load(domain: str, problem: str) -> PddlProblem:
    return load_pddl(FILES / f"{domain}.pddl", FILES / f"{problem}.pddl")


def cheapest(
    start: object, is_goal: Callable[..., bool], moves: Callable[..., Iterator[tuple[object, float]]]
) -> float:
    """Return the cost of the cheapest way from ``start`` to a goal, by Dijkstra's algorithm."""
    best = {start: 0.0}
    queue = [(0.0, 0, start)]
    count = itertools.count(1)
    while queue:
        cost, _, state = heapq.heappop(queue)
        if is_goal(state):
            return cost
        for after, price in moves(state) if cost == best[state] else ():
            if cost + price < best.get(after, math.inf):
                best[after] = cost + price
                heapq.heappush(queue, (cost + price, next(count), after))
    return math.inf


def loaded_cost(problem: PddlProblem) -> float:
    def moves(state: State) -> Iterator[tuple[State, float]]:
        for action in problem.domain.possible(state):
            yield action.result(state), bind(action.cost, state.layout, NUMBER)(state.array)

    assert problem.goal.wants is not None
    return cheapest(problem.state, problem.goal.wants.holds, moves)


class Naive:
    """All combinations of objects for all parameters, and states as sets of facts: slow, and plainly right."""

    def __init__(self, task: LiftedTask) -> None:
        self.task = task
        self.instances = [
            (schema, dict(zip(schema.parameters, arguments, strict=True)))
            for schema in task.domain.schemas
            for arguments in itertools.product(*(task.objects_of(types) for types in schema.types))
        ]

    def filled(self, atoms: tuple[Atom, ...], said: Mapping[str, str]) -> Facts:
        return frozenset((atom[0], *(said.get(term, term) for term in atom[1:])) for atom in atoms)

    def holds(self, wanted: Literals, said: Mapping[str, str], facts: Facts) -> bool:
        return (
            self.filled(wanted.positive, said) <= facts
            and not self.filled(wanted.negative, said) & facts
            and all(said.get(left, left) == said.get(right, right) for left, right in wanted.same)
            and all(said.get(left, left) != said.get(right, right) for left, right in wanted.different)
        )

    def cost(self, schema: ActionSchema, said: Mapping[str, str]) -> float:
        if not self.task.counts_costs:
            return 1.0
        each = (
            cost if isinstance(cost, float) else self.task.values[(*self.filled((cost,), said),)[0]]
            for cost in schema.costs
        )
        return sum(each)

    def moves(self, facts: Facts) -> Moves:
        return [
            (
                format_atom((schema.name, *said.values())),
                self.cost(schema, said),
                (facts - self.filled(schema.deletes, said)) | self.filled(schema.adds, said),
            )
            for schema, said in self.instances
            if self.holds(schema.preconditions, said, facts)
        ]

    def best(self) -> float:
        return cheapest(
            self.task.init,
            lambda facts: self.holds(self.task.goal, {}, facts),
            lambda facts: ((after, cost) for _, cost, after in self.moves(facts)),
        )


def assert_same_world(problem: PddlProblem, most: int = 2000) -> None:
    """Walk both worlds side by side: the same actions are possible everywhere, and lead to the same facts."""
    naive = Naive(problem.task)
    waiting = [(problem.task.init, problem.state)]
    seen = {problem.task.init}
    while waiting and len(seen) < most:
        facts, state = waiting.pop()
        assert problem.facts(state) == {format_atom(fact) for fact in facts}
        assert problem.goal.wants is not None
        assert problem.goal.wants.holds(state) == naive.holds(problem.task.goal, {}, facts)
        ours = {
            (problem.pddl([action])[0], problem.facts(action.result(state))): action.result(state)
            for action in problem.domain.possible(state)
        }
        theirs = {
            (said, frozenset(format_atom(fact) for fact in after)): after for said, _, after in naive.moves(facts)
        }
        assert ours.keys() == theirs.keys()
        for key, after in theirs.items():
            if after not in seen:
                seen.add(after)
                waiting.append((after, ours[key]))


@pytest.mark.parametrize("files", PROBLEMS, ids=lambda files: files[1])
def test_cheapest_cost_equals_hand_computed_cost(files: tuple[str, str]) -> None:
    problem = load(*files)
    assert loaded_cost(problem) == PROBLEMS[files] == Naive(problem.task).best()


@pytest.mark.parametrize("files", PROBLEMS, ids=lambda files: files[1])
def test_grounding_preserves_all_transitions(files: tuple[str, str]) -> None:
    assert_same_world(load(*files))


LITERALS = ["(p ?x)", "(p ?y)", "(q ?x)", "(q ?y)", "(r ?x ?y)", "(r ?y ?x)", "(s)", "(p a)", "(r a ?x)", "(r ?x ?x)"]
FACTS = ["(p a)", "(p b)", "(q a)", "(q b)", "(r a a)", "(r a b)", "(r b a)", "(r b b)", "(s)"]


@st.composite
def actions(draw: st.DrawFn, name: str) -> str:
    needs = draw(st.lists(st.sampled_from(LITERALS), max_size=3))
    forbids = draw(st.lists(st.sampled_from([*LITERALS, "(= ?x ?y)", "(= ?x a)"]), max_size=1))
    # Mostly what is deleted was needed, as in real domains: only then are there invariants to find.
    deletes = draw(st.lists(st.sampled_from(needs or LITERALS) | st.sampled_from(LITERALS), max_size=2))
    adds = draw(st.lists(st.sampled_from(LITERALS), max_size=2))
    needed = " ".join([*needs, *(f"(not {each})" for each in forbids)])
    changed = " ".join([*adds, *(f"(not {each})" for each in deletes)])
    return f"(:action {name} :parameters (?x ?y) :precondition (and {needed}) :effect (and {changed}))"


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(FACTS), max_size=4), st.lists(st.sampled_from(FACTS), max_size=2), st.data())
def test_grounding_preserves_any_small_task(init: list[str], goal: list[str], data: st.DataObject) -> None:
    schemas = " ".join(data.draw(actions(f"act{i}")) for i in range(data.draw(st.integers(1, 3))))
    domain = f"(define (domain any) (:constants a b) (:predicates (p ?x) (q ?x) (r ?x ?y) (s)) {schemas})"
    assert_same_world(
        loads_pddl(domain, f"(define (problem any) (:init {' '.join(init)}) (:goal (and {' '.join(goal)})))")
    )


def test_static_facts_vanish_and_places_become_one_variable() -> None:
    domain = load("delivery", "delivery-two-ways").domain
    assert {variable.name: str(variable.type) for variable in domain.variables} == {
        "at.barge": "[island, quay]",
        "at.lorry": "[depot, island, mill, quay]",
        "at_in.box": "[at_depot, at_island, at_mill, at_quay, in_barge, in_lorry, none_of_these]",
        "paid": "bool",
    }
    drive = domain.action("drive.lorry.depot.mill")
    assert str(drive.preconditions) == "at.lorry == depot"
    assert [str(effect) for effect in drive.effects] == ["at.lorry = mill"]
    assert drive.cost == Literal(7.0)


def test_grounding_omits_actions_off_the_map() -> None:
    names = {action.name for action in load("delivery", "delivery-two-ways").domain.actions}
    assert {name for name in names if name.startswith("drive.")} == {
        "drive.lorry.depot.mill",
        "drive.lorry.mill.island",
        "drive.lorry.depot.quay",
    }
    assert "sail.lorry.quay.island" not in names


def test_costs_count_only_with_a_metric() -> None:
    text = (FILES / "delivery-two-ways.pddl").read_text().replace("(:metric minimize (total-cost))", "")
    assert loaded_cost(loads_pddl((FILES / "delivery.pddl").read_text(), text)) == 4.0


def test_unreachable_goal_keeps_its_condition() -> None:
    problem = load("lamps", "lamps-dark")
    assert problem.goal.name == "dark"
    assert str(problem.goal.wants) == "lit.middle and not broken.middle"
    assert not problem.state["lit.middle"]
    assert problem.state["broken.middle"]


def test_pddl_names_round_trip() -> None:
    problem = load("lamps", "lamps-row")
    both = problem.actions("(TOGGLE first)")
    assert [action.name for action in both] == ["toggle.first", "toggle.first.2"]
    assert problem.pddl(both) == ("(toggle first)", "(toggle first)")
    assert problem.pddl(["pass-on.first.middle"]) == ("(pass-on first middle)",)
    assert problem.actions("(toggle nobody)") == ()


def test_other_goals_of_a_problem_are_conditions() -> None:
    problem = load("blocks", "blocks-sussman")
    assert problem.wants("(ON C A), (CLEAR B)").holds(problem.state)
    assert not problem.wants("(and (on a b) (on b c))").holds(problem.state)
    assert not problem.wants("(on a a)").holds(problem.state)
    assert problem.wants("(not (on a a))").holds(problem.state)
    with pytest.raises(DefinitionError, match="unknown predicate 'onn'; did you mean 'on'"):
        problem.wants("(onn a b)")


def test_names_with_the_same_spelling_stay_distinct() -> None:
    domain = """(define (domain d) (:predicates (true ?x) (a-b) (a_b) (at ?x))
        (:action go :parameters (?x ?y) :precondition (and (at ?x)) :effect (and (not (at ?x)) (at ?y) (true ?y) (a-b)))
        (:action back :parameters () :precondition (a-b) :effect (and (a_b) (not (a-b)))))"""
    problem = loads_pddl(domain, "(define (problem p) (:objects a-b none) (:init (at none)) (:goal (a_b)))")
    assert_same_world(problem)
    assert [variable.name for variable in problem.domain.variables] == [
        "a_b",
        "a_b_2",
        "at",
        "true_.a_b",
        "true_.none_",
    ]


TINY = """(define (domain tiny) (:requirements :strips)
(:types room)
(:predicates (in ?r - room))
(:action go
 :parameters (?a ?b - room)
 :precondition (in ?a)
 :effect (and (in ?b) (not (in ?a)))))"""
TINY_PROBLEM = "(define (problem p) (:domain tiny)\n(:objects x y - room)\n(:init (in x))\n(:goal (in y)))"
BAD_DOMAINS = {
    "(:types room)": {
        "(:types room": "<domain>:2:1: unclosed (",
        "(:types room - room2 room2 - room)": "<domain>:2:9: type 'room' is its own supertype",
        "(:tpyes room)": "<domain>:2:1: (:tpyes …) is not a section",
        "(:types room) then": "<domain>:2:15: text between two sections; is there a ) too many?",
        "(:types 3)": "<domain>:2:9: unexpected '3'; expected",
        "(:types room))": "<domain>:3:1: text after the end of the definition; is there a ) too many?",
        "(:types room) (:durative-action x)": "<domain>:2:15: durative actions are not supported",
    },
    ":strips": {
        ":strips :durative-actions": "<domain>:1:46: durative actions are not supported",
        ":derived-predicates)(:derived (in ?r) (in ?r)": "<domain>:1:58: derived predicates are not supported",
        ":stripes": "<domain>:1:38: unexpected ':stripes'; did you mean ':strips'?",
    },
    "(in ?r - room)": {
        "(in ?r - rom)": "<domain>:3:23: unknown type 'rom'; did you mean 'room'?",
        "(in ?r ?s - room)": "<domain>:6:17: predicate 'in' takes 2 arguments, not 1",
        "(in ?r) (in ?r ?s)": "<domain>:3:23: 'in' is declared with 1 and 2 arguments",
    },
    "(in ?a)\n": {
        "(inn ?a)\n": "<domain>:6:17: unknown predicate 'inn'; did you mean 'in'?",
        "(in ?c)\n": "<domain>:6:20: ?c is not a parameter; known: ?a, ?b",
        "(in hall)\n": "<domain>:6:20: unknown object 'hall'",
        "(or (in ?a) (in ?b))\n": "<domain>:6:17: disjunctions (or) are not supported",
        "(forall (?r - room) (in ?r))\n": "<domain>:6:17: quantifiers (forall) are not supported",
        "(not (and (in ?a) (in ?b)))\n": "<domain>:6:22: negations of a whole (and …) are not supported",
        "(> 3 2)\n": "<domain>:6:17: numeric conditions are not supported",
    },
    "(in ?b) (not": {
        "(when (in ?b) (in ?b)) (not": "<domain>:7:16: conditional effects (when) are not supported",
        "(assign (fuel) 3) (not": "<domain>:7:16: numeric effects other than (increase (total-cost) …) are",
        "(increase (total-cost) (+ 1 2)) (not": "<domain>:7:16: calculated costs are not supported",
        "(increase (total-cost) 1.2.3) (not": "<domain>:7:38: '1.2.3' is not a number",
        "(increase (total-cost) (far ?a)) (not": "<domain>:7:39: unknown function 'far'",
    },
    "?a ?b - room": {"?a ?a - room": "<domain>:5:19: parameter ?a of 'go' is declared twice"},
}
BAD_PROBLEMS = {
    "(:domain tiny)": {"(:constraints x)": "<problem>:1:21: constraints on the whole plan are not supported"},
    "x y - room": {"x y - rom": "<problem>:2:17: unknown type 'rom'"},
    "(in x)": {
        "(in z)": "<problem>:3:12: unknown object 'z'; known: x, y",
        "(inn x)": "<problem>:3:9: unknown predicate 'inn'",
        "(= (far x) 3)": "<problem>:3:12: unknown function 'far'",
    },
    "(:goal (in y))": {
        "": "<problem>:1:1: the problem has no goal",
        "(:goal (exists (?r) (in ?r)))": "<problem>:4:9: quantifiers (exists) are not supported",
        "(:goal (in y)) (:metric maximize (total-cost))": "<problem>:4:25: metrics other than minimize (total-cost)",
    },
}


def spoilt(text: str, cases: Mapping[str, Mapping[str, str]]) -> list[tuple[str, str]]:
    return [(text.replace(right, wrong, 1), said) for right, each in cases.items() for wrong, said in each.items()]


@pytest.mark.parametrize(("domain", "said"), spoilt(TINY, BAD_DOMAINS))
def test_bad_pddl_domain_has_line_and_column(domain: str, said: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        loads_pddl(domain, TINY_PROBLEM)
    assert said in str(caught.value)


@pytest.mark.parametrize(("problem", "said"), spoilt(TINY_PROBLEM, BAD_PROBLEMS))
def test_bad_pddl_problem_has_line_and_column(problem: str, said: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        loads_pddl(TINY, problem)
    assert said in str(caught.value)


def test_pddl_file_reports_all_faults_at_once() -> None:
    domain = TINY.replace("(in ?a)\n", "(inn ?a)\n").replace("(in ?b)", "(in ?c)").replace("- room))", "- rom))")
    with pytest.raises(DefinitionError) as caught:
        loads_pddl(domain, TINY_PROBLEM)
    assert [fault.line for fault in caught.value.faults] == [3, 6, 7]


def test_pddl_faults_are_limited_in_number() -> None:
    with pytest.raises(DefinitionError) as caught:
        loads_pddl(TINY, TINY_PROBLEM.replace("(in x)", "(inn z)" * 5000))
    assert len(caught.value.faults) == 200


def test_files_of_different_domains_are_reported() -> None:
    problem = TINY_PROBLEM.replace("tiny", "other").replace("(in x)", "(inside x)")
    with pytest.raises(DefinitionError, match="'other', but the domain file defines 'tiny'"):
        loads_pddl(TINY, problem)
    with pytest.raises(DefinitionError, match="this is not a PDDL domain; are the two files swapped"):
        loads_pddl(TINY_PROBLEM, TINY)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no PDDL"),
        ("; only a comment", "no PDDL"),
        ("domain: soldier\nvariables: {}", "no PDDL"),
        (")", "unmatched )"),
        ("Here it is: (define (domain d))", "PDDL begins with (define"),
        ("(print 1)", "PDDL begins with (define; is this a PDDL file?"),
        ("(define)", "this is not a PDDL domain; a PDDL domain begins with (define (domain name)"),
        ("(define " + "(" * 100_000, "brackets are nested more than 60 deep"),
        ("\0\0\0", "no PDDL"),
        ("x" * (MAX_BYTES + 1), "4 MB"),
    ],
)
def test_text_that_is_not_pddl_has_one_fault(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "domain.pddl"
    path.write_text(text)
    with pytest.raises(DefinitionError) as caught:
        load_pddl(path, FILES / "lamps-row.pddl")
    assert said in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_missing_pddl_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"nowhere\.pddl: no such file"):
        load_pddl(FILES / "lamps.pddl", tmp_path / "nowhere.pddl")
    with pytest.raises(DefinitionError, match="folder"):
        load_pddl(tmp_path, tmp_path)


def test_cost_without_a_value_names_the_action() -> None:
    problem = (FILES / "delivery-two-ways.pddl").read_text().replace("(= (length depot mill) 7)", "")
    with pytest.raises(TelosError, match=r"\(drive lorry depot mill\) is \(length depot mill\), which has no value"):
        loads_pddl((FILES / "delivery.pddl").read_text(), problem)


def test_task_with_too_many_actions_raises() -> None:
    parameters = " ".join(f"?p{i}" for i in range(12))
    domain = f"(define (domain d) (:predicates (p)) (:action a :parameters ({parameters}) :effect (p)))"
    problem = f"(define (problem p) (:objects {' '.join(f'o{i}' for i in range(50))}) (:init) (:goal (p)))"
    with pytest.raises(TelosError, match=r"more than 500 ground actions \(seen at 'a', with 12 parameters"):
        loads_pddl(domain, problem, most=500)
    blind = domain.replace(":effect", ":precondition (and (not (= ?p11 ?p11))) :effect")
    with pytest.raises(TelosError, match="too many combinations of objects"):
        loads_pddl(blind, problem, most=500)


def test_missing_pddl_library_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lark", None)
    syntax._parser.cache_clear()
    with pytest.raises(TelosError, match=r'pip install "telos\[planning\]"'):
        load("lamps", "lamps-row")


def test_explanations_speak_of_facts_and_actions_in_pddl() -> None:
    problem = load("blocks", "blocks-sussman")
    said = plan(problem.domain, problem.state, problem.goal).why()
    assert "3. (pick-up b) (cost 1): (holding b) for (stack b c)" in said
    assert "==" not in said
    assert "_" not in said
    done = plan(problem.domain, problem.state, Goal("start", wants=problem.wants("(on c a), (clear b)")))
    assert "(on c a) and (clear b) holds already" in done.why()


def test_missing_facts_are_told_in_pddl() -> None:
    problem = load("lamps", "lamps-dark")
    assert "needs (not (broken middle))" in plan(problem.domain, problem.state, problem.goal).why()


def test_plan_file_lists_the_actions_and_the_cost() -> None:
    problem = load("blocks", "blocks-sussman")
    answer = plan(problem.domain, problem.state, problem.goal)
    assert isinstance(answer, Plan)
    *steps, cost = problem.plan_file(answer).splitlines()
    assert steps == list(problem.pddl(answer.steps))
    assert cost == "; cost = 6 (unit cost)"
