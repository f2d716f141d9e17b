"""Parsing of models: the forms of the language, and how lines become rules."""

import gzip
import math
from pathlib import Path

import pytest

from telos.logic.formulas import And, Apply, Atom, Constant, Equal, Exists, ForAll, Iff, Implies, Not, Or, Variable
from telos.logic.model import Function, MarkovLogic, Predicate, Rule
from telos.logic.syntax import format_mln, load_mln, parse_mln

WORDS = """
person = {Anna, Bob}
time = {0,...,3}
mood = {glad, sad}
Smokes(person)
Friends(person, person)
Feels(time, mood!)
Rain
fluent meet(person, person)
Holds(fluent, time)
"""
X, Y = Variable("x"), Variable("y")
SMOKES, FRIENDS, RAIN = Atom("Smokes", (X,)), Atom("Friends", (X, Y)), Atom("Rain", ())


def rule(line: str) -> Rule:
    (found,) = parse_mln(f"{WORDS}\n{line}").rules
    return found


def test_declarations_of_types_blocks_functions_and_constants() -> None:
    model = parse_mln(WORDS)
    assert model.predicates["Feels"] == Predicate("Feels", ("time", "mood"), frozenset({1}))
    assert model.predicates["Rain"] == Predicate("Rain", ())
    assert model.functions["meet"] == Function("meet", "fluent", ("person", "person"))
    assert model.constants == {"mood": ("glad", "sad"), "person": ("Anna", "Bob"), "time": ("0", "1", "2", "3")}
    assert model.closed == {"mood", "person", "time"}


def test_declarations_may_follow_the_formulas() -> None:
    model = parse_mln("1 Smokes(x) => Ill(x)\nSmokes(person)\nIll(person)\nperson = {Anna}")
    assert model.rules[0].weights == {(): 1.0}


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("Smokes(x) ^ Rain v Friends(x,y)", Or((And((SMOKES, RAIN)), FRIENDS))),
        ("Smokes(x) | Rain", Or((SMOKES, RAIN))),
        ("Smokes(x) => Rain => Friends(x,y)", Implies(SMOKES, Implies(RAIN, FRIENDS))),
        ("Rain :- Smokes(x) ^ Friends(x,y)", Implies(And((SMOKES, FRIENDS)), RAIN)),
        ("Rain <=> Smokes(x) => Rain", Iff(RAIN, Implies(SMOKES, RAIN))),
        ("!Smokes(x) v !(Rain ^ Rain)", Or((Not(SMOKES), Not(And((RAIN, RAIN)))))),
        ("EXIST y Friends(x,y) ^ Rain", Exists(("y",), And((FRIENDS, RAIN)))),
        ("Rain v Exists y (Friends(x,y))", Or((RAIN, Exists(("y",), FRIENDS)))),
        ("(EXIST y Friends(x,y)) => Rain", Implies(Exists(("y",), FRIENDS), RAIN)),
        ("Forall x, y Friends(x,y)", ForAll(("x", "y"), FRIENDS)),
        ("Friends(x,y) ^ x != y", And((FRIENDS, Not(Equal(X, Y))))),
        ("Friends(x,y) ^ x =/= y", And((FRIENDS, Not(Equal(X, Y))))),
        ("Friends(x,y) ^ !(x = y)", And((FRIENDS, Not(Equal(X, Y))))),
        ("Rain()", RAIN),
        ("Feels(t++, glad)", Atom("Feels", (Variable("t", 1), Constant("glad")))),
        ("Feels(t--, glad)", Atom("Feels", (Variable("t", -1), Constant("glad")))),
        ("Feels(t - 2, m)", Atom("Feels", (Variable("t", -2), Variable("m")))),
        ("Feels(succ(t), m)", Atom("Feels", (Variable("t", 1), Variable("m")))),
        ("Holds(meet(x, Bob), 3)", Atom("Holds", (Apply("meet", (X, Constant("Bob"))), Constant("3")))),
        ("Holds(f, t) ^ f = meet(x, y)", None),
        ("Smokes('Anna')", Atom("Smokes", (Constant("Anna"),))),
    ],
)
def test_connectives_have_the_precedence_of_alchemy(text: str, formula: object) -> None:
    found = rule(f"1 {text}").formula
    assert formula is None or found == formula


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("-1.5", -1.5),
        (".5", 0.5),
        ("1e-3", 0.001),
        ("log(0.15/0.85)", math.log(0.15 / 0.85)),
        ("logx(0)", -100.0),
        ("2 * (1 + 3) / 4", 2.0),
        ("-log(0.5)", math.log(2)),
    ],
)
def test_weights_may_be_arithmetic(text: str, weight: float) -> None:
    assert rule(f"{text} Rain").weights == {(): pytest.approx(weight)}


def test_weight_may_follow_two_colons() -> None:
    assert rule("(Smokes(x) | Rain) ::0.5").weights == {(): 0.5}


def test_full_stop_or_infinite_weight_makes_a_formula_hard() -> None:
    assert rule("Rain.") == Rule(RAIN, hard=True)
    assert rule("inf Rain") == Rule(RAIN, hard=True)
    assert rule("inf Smokes(x)") == Rule(SMOKES, hard=True)
    assert rule("-inf Rain") == rule("log(0) Rain") == Rule(Not(RAIN), hard=True)


def test_formula_without_weight_is_to_be_learned() -> None:
    assert rule("Smokes(x) => Rain").weights == {}
    assert rule("0 Rain").weights == {(): 0.0}
    assert rule("Smokes(x)") == Rule(SMOKES), "a lone atom whose arguments are no types is a formula"


def test_formulas_continue_over_lines_while_open() -> None:
    text = """
    1 Smokes(x) ^
       // who smokes
       Rain
      => Friends(
           x, y)
    2 Rain
    """
    first, second = parse_mln(WORDS + text).rules
    assert first.formula == Implies(And((SMOKES, RAIN)), FRIENDS)
    assert second.weights == {(): 2.0}
    assert first.source.endswith(":12")
    assert first.text == "Smokes(x) ^ Rain => Friends( x, y)"


def test_comments_of_both_kinds_are_removed() -> None:
    assert len(parse_mln(f"{WORDS}/* 1 Rain\n2 Rain */ 3 Rain // 4 Rain").rules) == 1


def test_marked_variables_make_other_names_constants() -> None:
    model = parse_mln("shape(thing, shape)\n0.5 shape(?c, box)\n0.7 shape(?c, round)\n-1 shape(?c, +?s)")
    table, template = model.rules
    assert table.weights == {("box",): 0.5, ("round",): 0.7}
    assert template.plus == ("s",)
    assert template.otherwise == -1.0
    assert model.constants == {"shape": ("box", "round")}


def test_lowercase_name_is_a_constant_only_if_listed() -> None:
    found = rule("1 Feels(t, glad) => Smokes(glad)").formula
    assert found == Implies(Atom("Feels", (Variable("t"), Constant("glad"))), Atom("Smokes", (Variable("glad"),)))


def test_lines_that_differ_in_constants_are_one_rule() -> None:
    lines = (
        "0.4 Feels(t, glad) => Smokes(Anna)\n1 Rain\n0.1 Feels(t, sad) => Smokes(Bob)\n0.2 Feels(t,sad)=>Smokes(Bob)"
    )
    table, rain = parse_mln(f"{WORDS}{lines}").rules
    assert table.plus == ("m", "p")
    assert table.weights == {("glad", "Anna"): 0.4, ("sad", "Bob"): pytest.approx(0.3)}
    assert rain.formula == RAIN


def test_constants_that_never_differ_stay_in_the_formula() -> None:
    (table,) = parse_mln(f"{WORDS}1 Friends(Anna, Bob)\n2 Friends(Anna, Anna)").rules
    assert table.formula == Atom("Friends", (Constant("Anna"), Variable("p")))
    assert table.weights == {("Bob",): 1.0, ("Anna",): 2.0}


def test_template_collects_lines_with_other_variable_names() -> None:
    lines = "0.5 Smokes(Anna) ^ Feels(a1, sad)\nSmokes(+who) ^ Feels(t, +how)\n2 Feels(a2, glad) ^ Smokes(Bob)"
    table, other = parse_mln(f"{WORDS}{lines}").rules
    assert (table.plus, table.weights) == (("who", "how"), {("Anna", "sad"): 0.5})
    assert other.plus == (), "the same atoms in another order are another formula"


def test_template_with_repeated_variable_needs_equal_constants() -> None:
    lines = "Friends(x, +y) => Smokes(+y)\n1 Friends(x, Bob) => Smokes(Bob)\n2 Friends(x, Bob) => Smokes(Anna)"
    table, other = parse_mln(f"{WORDS}{lines}").rules
    assert table.weights == {("Bob",): 1.0}
    assert other.weights == {(): 2.0}


def test_template_with_shifted_variable_recovers_the_key() -> None:
    table = rule("Feels(+t, m) => Feels(+t+1, m)\n0.5 Feels(1, m) => Feels(2, m)\n0.7 Feels(0, m) => Feels(1, m)")
    assert table.weights == {("1",): 0.5, ("0",): 0.7}


def test_weighted_template_is_a_rule_of_its_own() -> None:
    every, one = parse_mln(f"{WORDS}0.8 Friends(x, +y)\n0.3 Friends(x, Bob)").rules
    assert (every.otherwise, every.weights) == (0.8, {})
    assert one.weights == {(): 0.3}


def test_hard_lines_are_not_grouped() -> None:
    assert [each.hard for each in parse_mln(f"{WORDS}Smokes(Anna).\nSmokes(Bob).").rules] == [True, True]


def test_learned_model_of_many_lines_is_one_rule() -> None:
    lines = "".join(f"{n / 8} act(t,A{n % 50}) ^ act(t-1,B{n // 50}) => goal(t,G{n % 7})\n" for n in range(2_000))
    model = parse_mln("act(time, act)\ngoal(time, goal!)\n" + lines)
    assert len(model.rules) == 1
    assert len(model.rules[0].weights) == 2_000
    assert model.rules[0].weights["A9", "B2", "G4"] == 109 / 8
    assert parse_mln(format_mln(model)) == model


def test_file_includes_others_and_may_be_gzipped(tmp_path: Path) -> None:
    (tmp_path / "words.mln").write_text("Smokes(person)\n", encoding="utf-8")
    (tmp_path / "rules.mln.gz").write_bytes(gzip.compress(b'#include "words.mln"\n2 Smokes(Anna)\n'))
    model = load_mln(tmp_path / "rules.mln.gz")
    assert model.constants == {"person": ("Anna",)}
    assert model.rules[0].source.endswith("rules.mln.gz:2")


def test_headings_of_alchemy_2_are_ignored() -> None:
    model = parse_mln("#domains\nd={0,1}\n\n#predicates\nR(d)\n#formulas\n(R(x) | R(y)) ::0.5\n")
    assert isinstance(model, MarkovLogic)
    assert len(model.rules) == 1
