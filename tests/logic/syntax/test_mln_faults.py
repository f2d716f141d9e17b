"""Faults of models: each has its place, its code and a remedy, and all are reported together."""

import math
from pathlib import Path

import pytest

from telos.core.errors import DefinitionError, FaultCode, TelosError
from telos.logic.formulas import And, Atom, Constant, Equal, Variable
from telos.logic.model import MarkovLogic, Predicate, Rule
from telos.logic.syntax import check_model, load_mln, parse_mln

WORDS = "goal = {Cook, Nurse}\nact(time, action)\ngoal(time, goal!)\nRain\nfluent meet(goal, goal)\n"


@pytest.mark.parametrize(
    ("line", "column", "code", "word", "remedy"),
    [
        ("1 gaol(t, Cook)", 3, FaultCode.UNKNOWN_NAME, "'gaol'", "did you mean 'goal'?"),
        ("1 goal(t)", 3, FaultCode.WRONG_COUNT, "takes 2", "declared as goal(time, goal)"),
        ("1 goal(?, Cook) ^ act(?t, x)", 8, FaultCode.BAD_SYNTAX, "variable", "write ?t"),
        ("1 goal(t, Cok)", 11, FaultCode.UNKNOWN_NAME, "'Cok'", "did you mean 'Cook'?"),
        ("1 goal(t, 3)", 11, FaultCode.UNKNOWN_NAME, "'3'", "known: Cook, Nurse"),
        ("1 act(t, a) ^ goal(a, g)", 20, FaultCode.WRONG_TYPE, "'a'", "use another one"),
        ("1 goal(t, g) ^ g = t", 16, FaultCode.WRONG_TYPE, "never equal", "of one type"),
        ("1 Rain ^ x = y", 10, FaultCode.WRONG_TYPE, "'x'", "use it in a predicate as well"),
        ("nan Rain", 1, FaultCode.OUT_OF_RANGE, "NaN", "give a number"),
        ("NaN goal(t, Cook)", 1, FaultCode.OUT_OF_RANGE, "NaN", "give a number"),
        ("1/0 Rain", 2, FaultCode.OUT_OF_RANGE, "zero", "inf"),
        ("log(-1) Rain", 1, FaultCode.OUT_OF_RANGE, "negative", "such as -1"),
        ("0.5", 4, FaultCode.BAD_SYNTAX, "formula", ""),
        ("2 Rain.", 1, FaultCode.CONFLICT, "full stop", "leave out one of them"),
        ("EXIST z Rain.", 1, FaultCode.UNREACHABLE, "'z'", "leave it out"),
        ("1 EXIST g goal(t, +g)", 19, FaultCode.CONFLICT, "'+'", "leave out one of them"),
        ("1 goal(t, +Cook)", 11, FaultCode.BAD_SYNTAX, "'+'", ""),
        ("1 goal(t, g+1)", 11, FaultCode.WRONG_TYPE, "'g'", "whole numbers"),
        ("1 (Rain ^ Rain", 15, FaultCode.BAD_SYNTAX, "')'", ""),
        ("1 Rain ∧ Rain", 8, FaultCode.BAD_SYNTAX, "'∧'", "write '^'"),
        ("1 Rain Rain", 8, FaultCode.BAD_SYNTAX, "'Rain'", ""),
        ("1 meet(g, g)", 13, FaultCode.BAD_SYNTAX, "'='", ""),
        ("1 act(t, meet(g, g))", 10, FaultCode.WRONG_TYPE, "fluent", "use another one"),
        ("goal(time, aim)", 1, FaultCode.DUPLICATE, "bad.mln:3", "write 0 before it"),
        ("time = {0,...,Cook}", 11, FaultCode.BAD_SYNTAX, "'...'", "{0,...,13}"),
        ("P(Rain) = 0.1", 1, FaultCode.UNSUPPORTED, "constraints", "log(0.1/0.9)"),
        ("#fixweight", 1, FaultCode.UNSUPPORTED, "#fixweight", "learning"),
        ("#unique{+x,+y}", 1, FaultCode.UNSUPPORTED, "#unique", ""),
        ("#inklude", 1, FaultCode.UNKNOWN_NAME, "'#inklude'", "#include"),
        ("/* open", 1, FaultCode.BAD_SYNTAX, "comment", "*/"),
        ("1 " + "!" * 200 + "Rain", 104, FaultCode.TOO_LARGE, "100", "split"),
    ],
)
def test_fault_has_place_code_and_remedy(line: str, column: int, code: FaultCode, word: str, remedy: str) -> None:
    extra = "aim = {Fun}\n" if "aim" in line else "\n"
    with pytest.raises(DefinitionError) as caught:
        parse_mln(f"{WORDS}{extra}{line}", "bad.mln")
    fault = caught.value.faults[0]
    assert fault.code is code
    assert word in fault.message
    assert remedy in fault.suggestion
    assert (fault.file, fault.line, fault.column) == ("bad.mln", 7, column)


def test_all_faults_are_reported_in_line_order() -> None:
    with pytest.raises(DefinitionError) as caught:
        parse_mln(f"{WORDS}1 gaol(t)\nRain\n2 goal(t, g) ^ goal(g, t)\n3 Rain\nnan Rain")
    assert [fault.line for fault in caught.value.faults] == [6, 7, 8, 8, 10]


def test_open_parenthesis_ends_at_an_empty_line() -> None:
    with pytest.raises(DefinitionError) as caught:
        parse_mln(f"{WORDS}1 (Rain\n\n2 gaol(t)")
    assert [fault.line for fault in caught.value.faults] == [6, 8]


def test_circular_include_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "one.mln").write_text('#include "two.mln"\n', encoding="utf-8")
    (tmp_path / "two.mln").write_text('#include "one.mln"\n', encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"two\.mln:1:10: .*includes itself"):
        load_mln(tmp_path / "one.mln")


def test_unreadable_files_are_reported(tmp_path: Path) -> None:
    (tmp_path / "one.mln").write_text('#include "none.mln"\n', encoding="utf-8")
    (tmp_path / "two.mln").write_bytes(b"\xff\xfe")
    with pytest.raises(DefinitionError, match=r"one\.mln:1:10: .*none\.mln: no such file"):
        load_mln(tmp_path / "one.mln")
    with pytest.raises(TelosError, match="UTF-16"):
        load_mln(tmp_path / "two.mln")
    (tmp_path / "three.mln.gz").write_bytes(b"plain")
    with pytest.raises(TelosError, match=r"three\.mln\.gz: .*gzip"):
        load_mln(tmp_path / "three.mln.gz")
    with pytest.raises(TelosError, match="folder"):
        load_mln(tmp_path)


GOAL = {"goal": Predicate("goal", ("time", "goal"))}
T, G = Variable("t"), Variable("g")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Rule(Atom("gaol", (T, G))), "unknown predicate 'gaol'"),
        (Rule(Atom("goal", (T,))), "takes 2 arguments, not 1"),
        (Rule(Atom("goal", (T, T))), "'t' has type time"),
        (Rule(Atom("goal", (T, G)), plus=("z",)), r"'\+z'"),
        (Rule(Atom("goal", (T, G)), plus=("g",), weights={("A", "B"): 1.0}), "names 2 constants, but 1"),
        (Rule(Atom("goal", (T, G)), weights={(): math.nan}), "the weight of .* is nan"),
        (Rule(Atom("goal", (T, G)), weights={(): 1.0}, hard=True), "a hard formula has no weights"),
        (Rule(And(())), "has no parts"),
        (Rule(Equal(T, G)), "'t' has no type"),
    ],
)
def test_check_model_finds_the_same_faults(rule: Rule, message: str) -> None:
    with pytest.raises(DefinitionError, match=message):
        check_model(MarkovLogic(GOAL, (rule,)))


def test_check_model_collects_the_constants_of_rules() -> None:
    rule = Rule(Atom("goal", (Constant("3"), G)), plus=("g",), weights={("Nurse",): 1.0, ("Cook",): 2.0})
    assert check_model(MarkovLogic(GOAL, (rule,))).constants == {"goal": ("Cook", "Nurse"), "time": ("3",)}
