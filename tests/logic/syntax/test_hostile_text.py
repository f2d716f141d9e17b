"""Hostile ``.mln`` and ``.db`` texts: linear time, limits of size, depth and digits, and cut files."""

import gzip
import os
from pathlib import Path

import pytest

from telos.core.errors import DefinitionError, FaultCode, TelosError
from telos.files import add_end_mark
from telos.logic.syntax import format_mln, load_db, load_mln, parse_db, parse_mln
from telos.logic.syntax.parser import MAX_FAULTS

HEAD = "P(person)\nQ(person,person)\nperson f(person)\ngoal(time,goal!)\n"
MODEL = parse_mln(HEAD)
LENGTH = 100_000


def codes(error: pytest.ExceptionInfo[TelosError]) -> set[FaultCode]:
    assert isinstance(error.value, DefinitionError)
    return {fault.code for fault in error.value.faults}


# Texts that took seconds to hours in quadratic or cubic time; the suite's own time limit is the measure.
SLOW_DB = {
    "blanks in a fact": "p(" + " " * LENGTH + "=",
    "blanks before it": " " * LENGTH + "=",
    "blanks after it": "P" + " " * LENGTH + "=",
    "commas": "P(" + "," * LENGTH + ")",
    "parentheses": "P" + "(" * LENGTH,
    "quotes": "P(" + "\"'" * LENGTH + ")",
    "digits": "P(" + "1" * LENGTH + "a)",
    "dots": "1." * LENGTH,
    "comments": "/* " * LENGTH,
    "faults": "X(A)\n" * LENGTH,
    "dashes": "-" * LENGTH + "x",
}


@pytest.mark.parametrize("text", SLOW_DB.values(), ids=SLOW_DB.keys())
def test_database_is_read_in_linear_time(text: str) -> None:
    with pytest.raises(TelosError):
        parse_db(text, MODEL)


SLOW_MLN = {
    "declarations": "".join(f"P{number}(t{number})\n" for number in range(20_000)),
    "numbers": "num = {0,...,20000}\nP(num)\n" + "".join(f"1 P({number})\n" for number in range(20_001, 40_000)),
    "templates": "P(t)\nQ(t,t)\n" + "".join(f"Q(C{number},+x) => P(x)\n" for number in range(5_000)),
    "weights": "Q(t,t)\n" + "".join(f"0.5 Q(C{number},D{number})\n" for number in range(10_000)),
    "equations": HEAD + "1 P(x0)" + "".join(f" ^ x{at + 1}=x{at}" for at in reversed(range(2_000))),
    "quantifiers": HEAD + "1 P(y)" + " v (EXIST x P(x))" * 2_000,
}


@pytest.mark.parametrize("text", SLOW_MLN.values(), ids=SLOW_MLN.keys())
def test_model_is_read_in_linear_time(text: str) -> None:
    assert parse_mln(text).predicates


@pytest.mark.parametrize(
    "formula",
    [
        "(" * LENGTH,
        "!" * LENGTH + "P(x)",
        "P(x)" + " <=> P(x)" * 1_000,
        "P(x)" + " => P(x)" * 1_000,
        "goal(" + "succ(" * 1_000 + "t" + ")" * 1_000 + ",g)",
        "P(" + "f(" * 1_000 + "x" + ")" * 1_000 + ")",
        "EXIST x " * 1_000 + "P(x)",
        "P(x)" + " v P(x)" * LENGTH,
    ],
)
def test_deep_and_long_formulas_are_refused(formula: str) -> None:
    with pytest.raises(DefinitionError) as error:
        parse_mln(f"{HEAD}1 {formula}")
    assert codes(error) == {FaultCode.TOO_LARGE}


@pytest.mark.parametrize("weight", ["- " * LENGTH + "1", "(" * LENGTH + "1", "log(" * LENGTH])
def test_deep_weights_are_refused(weight: str) -> None:
    with pytest.raises(DefinitionError) as error:
        parse_mln(f"{HEAD}{weight} P(x)")
    assert codes(error) == {FaultCode.TOO_LARGE}


@pytest.mark.parametrize("weight", ["1e308", "-1e16", "exp(600)", "1" * 300])
def test_absurd_weights_are_refused(weight: str) -> None:
    with pytest.raises(DefinitionError) as error:
        parse_mln(f"{HEAD}{weight} P(x)")
    assert codes(error) == {FaultCode.OUT_OF_RANGE}


@pytest.mark.parametrize("text", [f"P({'1' * 5000})", f"P({'x' * 5000})", f'P("{"x" * 5000}")'])
def test_over_long_names_are_refused(text: str) -> None:
    for parse in (lambda: parse_db(text, MODEL), lambda: parse_mln(f"{HEAD}1 {text}")):
        with pytest.raises(DefinitionError) as error:
            parse()
        assert codes(error) == {FaultCode.TOO_LARGE}


@pytest.mark.parametrize("last", ["1000000000", "99999999999999999999"])
def test_far_numbers_of_a_type_are_written_one_by_one(last: str) -> None:
    model = parse_mln(f"num = {{0,1,2,{last}}}\nq(num)\n1 q(x)\n")
    assert f"num = {{0,1,2,{last}}}" in format_mln(model)
    assert parse_mln(format_mln(model)) == model


@pytest.mark.parametrize(
    "text",
    [
        "n = {0,...,9999999}\np(n)",
        "n = {0,...,99999999999999999999}\np(n)",
        "n = {0,...,600000}\nm = {0,...,600000}\np(n)",
    ],
)
def test_ranges_have_a_limit(text: str) -> None:
    with pytest.raises(DefinitionError) as error:
        parse_mln(text)
    assert codes(error) <= {FaultCode.OUT_OF_RANGE, FaultCode.TOO_LARGE}


def test_ranges_of_a_database_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("telos.logic.syntax.db.MAX_LISTED", 1_000)
    with pytest.raises(DefinitionError) as error:
        parse_db("n = {1,...,300}\n---\n" * 6, parse_mln("p(n)"))
    assert codes(error) == {FaultCode.TOO_LARGE}


def test_range_outside_a_closed_type_is_refused() -> None:
    with pytest.raises(DefinitionError) as error:
        parse_db("n = {1,...,3}", parse_mln("n = {A}\np(n)"))
    assert codes(error) == {FaultCode.UNKNOWN_NAME}


def test_faults_of_a_model_have_a_limit() -> None:
    with pytest.raises(DefinitionError) as error:
        parse_mln(HEAD + "1 Z(x)\n" * 1_000)
    assert len(error.value.faults) == MAX_FAULTS


def test_endless_files_are_refused() -> None:
    if not os.path.exists("/dev/zero"):
        pytest.skip("there is no /dev/zero")
    with pytest.raises(DefinitionError) as error:
        load_mln("/dev/zero")
    assert codes(error) == {FaultCode.TOO_LARGE}


def test_gzip_bombs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bomb.db.gz").write_bytes(gzip.compress(b"P(A)\n" * 20_000_000))
    with pytest.raises(DefinitionError) as error:
        load_db(tmp_path / "bomb.db.gz", MODEL)
    assert codes(error) == {FaultCode.TOO_LARGE}


def test_includes_do_not_multiply(tmp_path: Path) -> None:
    for number in range(20):
        text = f'#include "{number + 1}.mln"\n' * 2
        (tmp_path / f"{number}.mln").write_text(text, encoding="utf-8")
    (tmp_path / "20.mln").write_text("1 P(x)\n", encoding="utf-8")
    with pytest.raises(DefinitionError) as error:
        load_mln(tmp_path / "0.mln")
    assert FaultCode.TOO_LARGE in codes(error)


@pytest.mark.parametrize("name", ["x" * 1000, ".", "none.mln", "/dev/zero"])
def test_bad_includes_are_faults(tmp_path: Path, name: str) -> None:
    (tmp_path / "one.mln").write_text(f'#include "{name}"\n{HEAD}', encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"one\.mln:1:10"):
        load_mln(tmp_path / "one.mln")


def test_line_ends_do_not_matter(tmp_path: Path) -> None:
    for number, end in enumerate(("\n", "\r", "\r\n")):
        (tmp_path / f"{number}.mln").write_bytes(f"{HEAD}1 P(x)\n".replace("\n", end).encode("utf-8-sig"))
        (tmp_path / f"{number}.db").write_bytes("P(A)\nP(B)\n".replace("\n", end).encode())
        model = load_mln(tmp_path / f"{number}.mln")
        assert len(model.rules) == 1
        assert len(load_db(tmp_path / f"{number}.db", model).true["P"].world) == 2


def test_every_prefix_of_a_written_model_is_refused(tmp_path: Path) -> None:
    text = add_end_mark(
        format_mln(parse_mln(f"n = {{0,...,9}}\n#open P\n{HEAD}0.5 P(A)\n-1 P(B)\nP(x) => Q(x,x).")), "//"
    )
    whole, file = text.encode(), tmp_path / "cut.mln"
    file.write_bytes(whole)
    assert load_mln(file).opened == {"P"}
    for length in range(len(whole) - 1):  # the last byte is the line end of the mark
        file.write_bytes(whole[:length])
        with pytest.raises(DefinitionError):
            load_mln(file)


def test_open_predicates_are_declared_in_the_file() -> None:
    model = parse_mln(f"#open P, Q\n{HEAD}")
    assert model.opened == {"P", "Q"}
    assert parse_mln(format_mln(model)) == model
    for wrong in ("#open", "#open P Q", "#open P,", "#open Z"):
        with pytest.raises(DefinitionError):
            parse_mln(f"{wrong}\n{HEAD}")
