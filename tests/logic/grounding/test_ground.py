"""Grounding by example: variables, tables, clauses, and rejected rules."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from telos.core.errors import TelosError
from telos.logic.database import Database
from telos.logic.grounding import ground, read_truth, to_clauses
from telos.logic.network import Ints, Network, cell_scores, score
from telos.logic.syntax import parse_db, parse_mln

SMOKERS = """
Smokes(person)
Cancer(person)
Friends(person, person)
1.5 Smokes(x) => Cancer(x)
1.1 Friends(x,y) => (Smokes(x) <=> Smokes(y))
"""
ROME = """
Hate(person,person)
People(person)
Ruler(person)
Pompeian(person)
Assassinate(person,person)
Loyal(person,person)
Roman(person)
Pompeian(x) => Roman(x).
Roman(x) => Loyal(x, Caesar) v Hate(x, Caesar).
1 EXIST y Loyal(x,y)
2 People(x) ^ Ruler(y) ^ Assassinate(x,y) => !Loyal(x, y)
1 !Hate(x, x)
"""
GOALS = """
action(time, act)
goal(time, goal!)
goal = {Eat, Cook, Nurse}
goal(t, +g)
action(t, +a) => goal(t, +g)
action(t-1, +a) ^ goal(t-1, +g1) => goal(t, +g2)
"""
PLAYED = "action(0, Talk)\naction(1, Walk)\naction(2, Talk)\ngoal(0, Eat)\ngoal(1, Eat)\ngoal(2, Nurse)"


def network_of(model: str, facts: str, *query: str, **options: object) -> Network:
    logic = parse_mln(model)
    return ground(logic, parse_db(facts, logic), query, **options)  # type: ignore[arg-type]


def scores(network: Network) -> dict[tuple[int, ...], float]:
    """Return the score of every world that the known facts allow."""
    ranges = [range(size) if known < 0 else (known,) for size, known in zip(network.sizes, network.given, strict=True)]
    return {values: score(network, np.asarray(values, np.int32)) for values in itertools.product(*ranges)}


def log_z(network: Network) -> float:
    return math.log(math.fsum(math.exp(score) for score in scores(network).values()))


def names(network: Network) -> list[str]:
    return [network.atoms.name(variable) for variable in range(len(network.sizes))]


def test_two_smokers_score_as_computed_by_hand() -> None:
    network = network_of(SMOKERS, "Smokes(A)\nFriends(A,B)", "Smokes", "Cancer", "Friends")
    assert log_z(network) == pytest.approx(10.191763081339278)
    assert max(scores(network).values()) == pytest.approx(7.4)


def test_marcus_hates_caesar_as_computed_by_hand() -> None:
    facts = "People(Marcus)\nPompeian(Marcus)\nRuler(Caesar)\nAssassinate(Marcus, Caesar)"
    network = network_of(ROME, facts, "Hate", opened=["Loyal", "Roman"])
    assert sorted(network.atoms.predicates) == ["Hate", "Loyal", "Roman"]
    assert log_z(network) == pytest.approx(9.71308570455108)
    assert max(scores(network).values()) == pytest.approx(6.0)


def test_step_of_goals_is_one_table() -> None:
    network = network_of(GOALS, PLAYED, "goal", learning=True)
    assert network.sizes.tolist() == [3, 3, 3]
    assert [group.scope.tolist() for group in network.factors] == [
        [[0], [1], [2]],
        [[0], [1], [2]],
        [[0, 1], [1, 2]],
    ]
    assert [group.holds.shape for group in network.factors] == [(3, 3), (3, 3), (9, 9)]
    assert network.factors[2].weights.shape == (2, 9)
    assert (network.given == -1).all()


def test_weights_are_named_by_rule_and_constants() -> None:
    network = network_of(GOALS, PLAYED, "goal", learning=True)
    assert len(network.names) == len(network.weights) == 3 + 2 * 3 + 2 * 9
    assert network.names[1] == (0, ("Cook",))
    assert network.names[-1] == (2, ("Walk", "Nurse", "Nurse"))
    assert list(network.names)[3:5] == [(1, ("Talk", "Eat")), (1, ("Talk", "Cook"))]
    with pytest.raises(IndexError):
        network.names[27]


def test_only_stated_weights_are_numbered() -> None:
    model = "action(time, act)\ngoal(time, goal!)\ngoal = {Eat, Cook}\n0.5 action(t, Talk) => goal(t, Cook)\n"
    network = network_of(model, "action(0, Talk)\naction(1, Walk)", "goal")
    assert network.weights.tolist() == [0.5]
    assert sum(len(group.scope) for group in network.factors) == 1
    assert score(network, np.asarray([1, 0], np.int32)) == 0.5


def test_rule_without_weights_adds_nothing() -> None:
    network = network_of(GOALS, PLAYED, "goal")
    assert network.factors == ()
    assert score(network, np.zeros(3, np.int32)) == 0.0


def test_learning_keeps_the_truth_out_of_the_network() -> None:
    logic = parse_mln(GOALS)
    database = parse_db(PLAYED, logic)
    network = ground(logic, database, ["goal"], learning=True)
    assert read_truth(network, database).tolist() == [0, 0, 2]
    assert ground(logic, database, ["goal"]).given.tolist() == [0, 0, 2]


def test_block_without_stated_value_has_no_truth() -> None:
    logic = parse_mln(GOALS)
    database = parse_db("action(0, Talk)\naction(1, Talk)\ngoal(1, Cook)", logic)
    assert read_truth(ground(logic, database, ["goal"], learning=True), database).tolist() == [-1, 1]


def test_false_value_of_a_block_is_forbidden() -> None:
    network = network_of(GOALS, "action(0, Talk)\n!goal(0, Eat)", "goal")
    allowed = {values for values, score in scores(network).items() if score > -math.inf}
    assert allowed == {(1,), (2,)}


def test_stated_hidden_atom_is_given() -> None:
    network = network_of(SMOKERS, "Smokes(A)\n!Smokes(B)\nFriends(A,B)", "Smokes", opened=["Cancer"])
    known = dict(zip(names(network), network.given.tolist(), strict=True))
    assert known == {"Smokes(A)": 1, "Smokes(B)": 0, "Cancer(A)": -1, "Cancer(B)": -1}


def test_formulas_decided_by_evidence_are_not_counted() -> None:
    model = "Sunny(day)\nHappy(day)\n2 Sunny(x) => Happy(x)\n3 Sunny(x) v Sunny(x)\n"
    network = network_of(model, "Sunny(Mon)\n!Sunny(Tue)", "Happy")
    assert max(scores(network).values()) == 2.0


def test_missing_time_has_no_ground_formula() -> None:
    network = network_of("S(time)\nE(time)\n1 S(t-1) => S(t)\n", "E(1)\nE(2)\nE(5)", "S")
    (group,) = network.factors
    assert [[network.atoms.name(v) for v in row] for row in group.scope] == [["S(1)", "S(2)"]]


def test_coinciding_atoms_are_one_variable_of_the_factor() -> None:
    network = network_of("S(p)\nF(p,p)\n1 F(x,y) => (S(x) => S(y))\n", "F(A,A)\nF(A,B)", "S")
    assert sorted(group.scope.tolist() for group in network.factors) == [[[0]], [[0, 1]]]
    assert score(network, np.asarray([1, 0], np.int32)) == 1.0


def test_evidence_may_bind_the_value_of_a_block() -> None:
    model = "seen(time, goal)\ngoal(time, goal!)\ngoal = {Eat, Cook}\n2 seen(t, g) => goal(t, g)\n"
    network = network_of(model, "seen(0, Eat)\nseen(1, Cook)\nseen(2, Cook)", "goal")
    assert max(scores(network), key=lambda values: scores(network)[values]) == (0, 1, 1)


def test_ground_formulas_stay_within_a_world() -> None:
    logic = parse_mln("S(p)\nF(p,p)\n1 F(x,y) => (S(x) <=> S(y))\n1 S(x) v S(y)\n")
    one = parse_db("F(A,B)", logic)
    facts = replace(one.true["F"], world=np.asarray([0, 1], np.int32), arguments=np.asarray([[0, 1], [1, 0]], np.int32))
    both = Database(("one", "two"), one.constants, {"F": facts}, present={})
    network = ground(logic, both, ["S"])
    assert network.world.tolist() == [0, 0, 1, 1]
    for group in network.factors:
        assert (network.world[group.scope] == network.world[group.scope[:, :1]]).all()


def test_hard_rules_can_define_a_block() -> None:
    model = """
    At(time, place)
    place = {Hall, Lab, Camp}
    Seen(time, place)
    EXIST p At(t,p).
    At(t,p) ^ !(p = q) => !At(t,q).
    2 Seen(t,p) => At(t,p)
    """
    network = network_of(model, "Seen(0, Lab)\nSeen(1, Camp)", "At")
    assert network.sizes.tolist() == [3, 3]
    assert network.atoms.name(0, 1) == "At(0,Lab)"
    assert log_z(network) == pytest.approx(2 * math.log(2 + math.exp(2)))
    assert not any(group.hard for group in network.factors)


def test_block_of_two_arguments_has_a_value_per_pair() -> None:
    network = network_of("move(a!, b!)\na = {A, B}\nb = {C, D}\n1 move(B, x)\n", "", "move")
    assert network.sizes.tolist() == [4]
    assert [network.atoms.name(0, value) for value in range(4)] == ["move(A,C)", "move(A,D)", "move(B,C)", "move(B,D)"]
    assert [scores(network)[(value,)] for value in range(4)] == [0, 0, 1, 1]


def test_long_disjunctions_are_clauses() -> None:
    people = " ".join(f"P({name})\n" for name in "ABCDEFGHIJKLMNOP")
    network = network_of("P(p)\nL(p,p)\n1.5 EXIST y L(x,y)\nEXIST y L(y,y).\n", people, "L")
    soft, hard = network.clauses
    assert (len(soft.weight), len(hard.weight), hard.hard) == (16, 1, True)
    nobody: Ints = np.zeros(256, np.int32)
    assert score(network, nobody) == -math.inf
    nobody[0] = 1  # A likes A
    assert score(network, nobody) == 1.5


def test_long_conjunctions_are_negated_clauses() -> None:
    people = " ".join(f"P({name})\n" for name in "ABCDEFGHIJKLMNOP")
    network = network_of("P(p)\nS(p)\n1.5 FORALL y S(y)\n", people, "S")
    assert score(network, np.ones(16, np.int32)) == 1.5
    assert score(network, np.asarray([0] + [1] * 15, np.int32)) == 0.0


def test_wide_formula_that_is_not_a_clause_is_rejected() -> None:
    people = " ".join(f"P({name})\n" for name in "ABCDEFGHIJKLMNOP")
    with pytest.raises(TelosError, match="32 hidden atoms"):
        network_of("P(p)\nS(p)\nT(p)\n1 EXIST y (S(y) ^ T(y))\n", people, "S", "T")


def test_long_disjunction_with_other_atoms_is_counted_once() -> None:
    people = " ".join(f"P({name})\n" for name in "ABCDEFGHIJKLMNOP")
    for formula in ("1.5 (EXIST y S(y)) => T(A)", "1.5 T(A) <=> (EXIST y S(y))", "(EXIST y S(y)) => T(A)."):
        network = network_of(f"P(p)\nS(p)\nT(p)\n{formula}\n", people, "S", "T")
        whole, broken = (0.0, -math.inf) if formula.endswith(".") else (1.5, 0.0)
        for smokes, claim in itertools.product(([0] * 16, [0] * 7 + [1] + [0] * 8), (0, 1)):
            values = np.asarray([*smokes, claim, *[0] * 15], np.int32)
            holds = claim == any(smokes) or (claim == 1 and "<=>" not in formula)
            assert score(network, values) == (whole if holds else broken)


def test_too_many_quantifier_instances_are_rejected() -> None:
    people = "\n".join(f"P(N{number})" for number in range(100))
    with pytest.raises(TelosError, match=r"rule `.*`.*x, y .* 1\.0e\+04 instances"):
        network_of("P(p)\nS(p)\n1 EXIST x,y (S(x) ^ S(y))\n", people, "S")


def test_shifted_variable_needs_whole_numbers() -> None:
    with pytest.raises(TelosError, match="whole number"):
        network_of("S(day)\nE(day)\n1 S(d-1) => S(d)\n", "E(Mon)\nE(Tue)", "S")


def test_quantified_evidence_is_looked_up() -> None:
    model = "L(p,p)\nS(p)\n1 (EXIST y L(x,y)) => S(x)\n2 (FORALL y L(x,y)) => S(x)\n"
    network = network_of(model, "L(A,A)\nL(A,B)\nL(B,A)", "S")
    assert scores(network)[(1, 1)] == 4.0
    assert scores(network)[(1, 0)] == 3.0


def test_quantified_time_needs_the_time_before_it() -> None:
    text = "time = {0, 1}\nDoes(time, person)\nBusy(person)\n1 (EXIST t FORALL x Does(t-1, x)) => Busy(y)"
    model = parse_mln(text)
    network = ground(model, parse_db("Does(1, A)", model), ["Busy"])
    assert network.factors == ()  # time 0 has no time before it, and there is no fact of time 0


def test_undefined_function_values_drop_the_formula() -> None:
    model = "Happens(event, time)\nHolds(fluent, time)\nfluent meet(id, id)\nevent walk(id)\nid = {A, B, C}\n"
    model += "1 Happens(walk(x), t) => Holds(meet(x, y), t)\n"
    facts = "Meet_AB = meet(A, B)\nMeet_BA = meet(B, A)\nWalk_A = walk(A)\nHappens(Walk_A, 3)"
    network = network_of(model, facts, "Holds")
    (group,) = network.factors
    assert [network.atoms.name(int(v)) for v in group.scope[:, 0]] == ["Holds(Meet_AB,3)"]


def test_too_many_ground_formulas_are_rejected_in_advance() -> None:
    model = "P(p)\nS(p)\n1 S(a) ^ S(b) ^ S(c) => S(d)\n"
    people = "\n".join(f"P(N{number})" for number in range(1000))
    with pytest.raises(TelosError, match=r"rule `.*S\(a\).*` .* 1\.0e\+12 ground formulas"):
        network_of(model, people, "S")


def test_too_many_queried_atoms_are_rejected() -> None:
    people = "\n".join(f"P(N{number})" for number in range(1000))
    with pytest.raises(TelosError, match=r"predicate Q .* 1\.0e\+09 atoms"):
        network_of("P(p)\nQ(p,p,p)\n1 P(x)\n", people, "Q")


def test_selective_joins_are_not_rejected() -> None:
    model = "L(p,p)\nS(p)\n1 L(a,b) ^ L(b,c) ^ L(c,d) => S(d)\n"
    ring = "\n".join(f"L(N{number},N{(number + 1) % 1000})" for number in range(1000))
    (group,) = network_of(model, ring, "S").factors
    assert len(group.scope) == 1000


def test_unknown_query_gets_a_suggestion() -> None:
    with pytest.raises(TelosError, match="did you mean 'goal'"):
        network_of(GOALS, PLAYED, "gaol")


def test_empty_database_leaves_nothing_open() -> None:
    network = network_of("goal(time, goal!)\naction(time, act)\n1 action(t,a) => goal(t,g)\n", "", "goal")
    assert len(network.sizes) == 0
    assert score(network, np.zeros(0, np.int32)) == 0.0


def test_block_without_values_is_rejected() -> None:
    with pytest.raises(TelosError, match="goal has no constants"):
        network_of("goal(time, goal!)\naction(time, act)\n", "action(0, Talk)", "goal")


def test_opened_predicates_are_hidden_closed_ones_false() -> None:
    network = network_of(SMOKERS, "Smokes(A)\nFriends(A,B)", "Cancer", opened=["Smokes"])
    assert set(network.atoms.predicates) == {"Cancer", "Smokes"}
    assert network_of(SMOKERS, "Smokes(A)", "Cancer", closed=["Friends"]).atoms.predicates == ("Cancer",)


def test_to_clauses_turns_tables_into_clauses() -> None:
    network = network_of("A(x)\nB(x)\n1.5 A(x) => B(x)\nA(x) v B(x).\n", "", "A", "B")
    assert network.factors == ()  # there is no x
    network = network_of("A(x)\nB(x)\nE(x)\n1.5 A(x) => B(x)\nA(x) v B(x).\n", "E(One)", "A", "B")
    soft, hard = (cell_scores(group, network.weights).tolist() for group in network.factors)
    assert soft == [[1.5, 1.5, 0.0, 1.5]]
    assert hard == [[-math.inf, 0.0, 0.0, 0.0]]


def test_equal_clauses_are_one_with_summed_weights() -> None:
    model = "A(x)\nE(x)\n1.5 E(x) => A(x)\n0.5 A(x)\n2 !A(x)\n0 A(x)\n"
    network = network_of(model, "E(One)", "A")
    clauses = to_clauses(network)
    assert sorted(clauses.text(network)) == ["2 !A(One)", "2 A(One)"]
    assert (len(clauses), clauses.atoms) == (2, 1)


def test_soft_clause_equal_to_a_hard_one_is_a_constant() -> None:
    network = network_of("A(x)\nE(x)\nA(x).\n2 A(x)\n0.5 !A(x) v A(x)\n", "E(One)", "A")
    clauses = to_clauses(network)
    assert list(clauses.text(network)) == ["A(One)."]
    assert clauses.constant == score(network, np.ones(1, np.int32)) == 2.5


def test_formula_that_is_not_a_clause_becomes_several() -> None:
    network = network_of("A(x)\nB(x)\nE(x)\n1.5 A(x) <=> B(x)\nA(x) ^ B(x).\n", "E(One)", "A", "B")
    said = sorted(to_clauses(network).text(network))
    assert said == ["1.5 !A(One) v B(One)", "1.5 A(One) v !B(One)", "A(One).", "B(One)."]


@pytest.mark.parametrize(
    ("formula", "query"),
    [
        ("EXIST x (Q(x) v " * 49 + "Q(x)" + ")" * 49, "Q"),
        (
            "P(y) v EXIST x ("
            + " ^ ".join(["(Q(x) v R(x,y))"] * 3 + [f"(R(x,C{at}) v Q(C{at}))" for at in range(30)])
            + ")",
            "P",
        ),
    ],
)
def test_formula_that_multiplies_is_rejected(formula: str, query: str) -> None:
    with pytest.raises(TelosError, match="quantified"):
        network_of(f"P(t)\nQ(t)\nR(t,t)\n1 {formula}\n", "Q(A)\nQ(B)\nR(A,B)", query)
