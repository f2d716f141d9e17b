"""Bad models: each fault is said with its place and a remedy, all of them at once."""

import math
from pathlib import Path

import pytest

from telos.core.errors import DefinitionError, TelosError
from telos.logic.formulas import And, Atom, Constant, Equal, Variable
from telos.logic.model import MarkovLogic, Predicate, Rule
from telos.logic.syntax import check_model, load_mln, parse_mln

WORDS = "goal = {Cook, Nurse}\nact(time, action)\ngoal(time, goal!)\nRain\nfluent meet(goal, goal)\n"


@pytest.mark.parametrize(
    ("line", "column", "message", "remedy"),
    [
        ("1 gaol(t, Cook)", 3, "unknown predicate 'gaol'", "did you mean 'goal'?"),
        ("1 goal(t)", 3, "goal takes 2 arguments, not 1", "declared as goal(time, goal)"),
        ("1 goal(?, Cook) ^ act(?t, x)", 8, "a variable needs a name", "write ?t"),
        ("1 goal(t, Cok)", 11, "'Cok' is no goal", "did you mean 'Cook'?"),
        ("1 goal(t, 3)", 11, "'3' is no goal", "known: Cook, Nurse"),
        (
            "1 act(t, a) ^ goal(a, g)",
            20,
            "variable 'a' is of type action, but type time belongs here",
            "use another one",
        ),
        ("1 goal(t, g) ^ g = t", 16, "things of types goal and time are never equal", "of one type"),
        ("1 Rain ^ x = y", 10, "variable 'x' has no type", "use it in a predicate as well"),
        ("nan Rain", 1, "the weight is not a number (NaN)", "give a number"),
        ("NaN goal(t, Cook)", 1, "the weight is not a number (NaN)", "give a number"),
        ("1/0 Rain", 2, "the weight divides by zero", "inf"),
        ("log(-1) Rain", 1, "log(-1) is the logarithm of a negative number", "such as -1"),
        ("0.5", 4, "a weight without a formula", ""),
        ("2 Rain.", 1, "a formula has a weight or a full stop, not both", "leave out one of them"),
        ("EXIST z Rain.", 1, "the quantified variable 'z' is not used", "leave it out"),
        ("1 EXIST g goal(t, +g)", 19, "'+' marks 'g', which a quantifier binds", "leave out one of them"),
        ("1 goal(t, +Cook)", 11, "'+' marks a variable, and 'Cook' is a constant", ""),
        ("1 goal(t, g+1)", 11, "'g' is moved by a number, but goal is not a type of numbers", "whole numbers"),
        ("1 (Rain ^ Rain", 15, "expected ')', found nothing", ""),
        ("1 Rain ∧ Rain", 8, "'∧' is no sign of this language", "write '^'"),
        ("1 Rain Rain", 8, "expected the end of the formula, found 'Rain'", ""),
        ("1 meet(g, g)", 13, "expected '=' or '!=', found nothing", ""),
        ("1 act(t, meet(g, g))", 10, "meet gives type fluent, but type action belongs here", "use another one"),
        ("goal(time, aim)", 1, "goal is declared twice", "write 0 before it"),
        ("time = {0,...,Cook}", 11, "'...' stands between two whole numbers", "{0,...,13}"),
        ("P(Rain) = 0.1", 1, "constraints such as P(x) = 0.1 are not known here", "log(0.1/0.9)"),
        ("#fixweight", 1, "#fixweight is pracmln's", "learning"),
        ("#unique{+x,+y}", 1, "#unique is pracmln's", ""),
        ("#inklude", 1, "unknown directive '#inklude'", "#include"),
        ("/* open", 1, "a comment is not closed", "*/"),
        ("1 " + "!" * 200 + "Rain", 104, "nested more than 100 deep", "split"),
    ],
)
def test_a_fault_names_its_place_and_its_remedy(line: str, column: int, message: str, remedy: str) -> None:
    extra = "aim = {Fun}\n" if "aim" in line else "\n"
    with pytest.raises(DefinitionError) as caught:
        parse_mln(f"{WORDS}{extra}{line}", "bad.mln")
    fault = caught.value.faults[0]
    assert message in fault.message
    assert remedy in fault.suggestion
    assert (fault.file, fault.line, fault.column) == ("bad.mln", 7, column)


def test_all_faults_are_said_at_once_in_the_order_of_the_lines() -> None:
    with pytest.raises(DefinitionError) as caught:
        parse_mln(f"{WORDS}1 gaol(t)\nRain\n2 goal(t, g) ^ goal(g, t)\n3 Rain\nnan Rain")
    assert [fault.line for fault in caught.value.faults] == [6, 7, 8, 8, 10]


def test_an_open_parenthesis_ends_at_the_next_empty_line() -> None:
    with pytest.raises(DefinitionError) as caught:
        parse_mln(f"{WORDS}1 (Rain\n\n2 gaol(t)")
    assert [fault.line for fault in caught.value.faults] == [6, 8]


def test_including_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.mln").write_text('#include "two.mln"\n', encoding="utf-8")
    (tmp_path / "two.mln").write_text('#include "one.mln"\n', encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"two\.mln:1:10: .*includes itself"):
        load_mln(tmp_path / "one.mln")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "one.mln").write_text('#include "none.mln"\n', encoding="utf-8")
    (tmp_path / "two.mln").write_bytes(b"\xff\xfe")
    with pytest.raises(DefinitionError, match=r"one\.mln:1:10: cannot read .*none\.mln"):
        load_mln(tmp_path / "one.mln")
    with pytest.raises(TelosError, match="not a text in UTF-8"):
        load_mln(tmp_path / "two.mln")
    (tmp_path / "three.mln.gz").write_bytes(b"plain")
    with pytest.raises(TelosError, match=r"three\.mln\.gz: it is not packed by gzip, or broken; pack it again"):
        load_mln(tmp_path / "three.mln.gz")
    with pytest.raises(TelosError, match="it is a folder; name a file in it"):
        load_mln(tmp_path)


GOAL = {"goal": Predicate("goal", ("time", "goal"))}
T, G = Variable("t"), Variable("g")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Rule(Atom("gaol", (T, G))), "unknown predicate 'gaol'"),
        (Rule(Atom("goal", (T,))), "takes 2 arguments, not 1"),
        (Rule(Atom("goal", (T, T))), "'t' is of type time, but type goal"),
        (Rule(Atom("goal", (T, G)), plus=("z",)), r"'\+z' marks a variable that is not in the formula"),
        (Rule(Atom("goal", (T, G)), plus=("g",), weights={("A", "B"): 1.0}), "names 2 constants, but 1"),
        (Rule(Atom("goal", (T, G)), weights={(): math.nan}), "the weight of .* is nan"),
        (Rule(Atom("goal", (T, G)), weights={(): 1.0}, hard=True), "a hard formula has no weights"),
        (Rule(And(())), "has no parts"),
        (Rule(Equal(T, G)), "'t' has no type"),
    ],
)
def test_models_built_in_python_are_checked_alike(rule: Rule, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        check_model(MarkovLogic(GOAL, (rule,)))


def test_checking_a_model_collects_the_constants_of_its_rules() -> None:
    rule = Rule(Atom("goal", (Constant("3"), G)), plus=("g",), weights={("Nurse",): 1.0, ("Cook",): 2.0})
    assert check_model(MarkovLogic(GOAL, (rule,))).constants == {"goal": ("Cook", "Nurse"), "time": ("3",)}
