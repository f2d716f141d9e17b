"""HDDL that is cut short or nested wrongly is refused with its line."""

import pytest

from telos.core.errors import DefinitionError
from telos.recognition.grammar.hddl import MAX_CHARACTERS, read_hddl_domain, read_hddl_problem

DOMAIN = "(define (domain d) (:task t :parameters ()) (:action a :parameters () :effect (p))\n{})"
METHOD = "(:method m :task (t) :subtasks (and (x (a)) (y (a))) {})"


@pytest.mark.parametrize(
    "part",
    [
        METHOD.format(":ordering (and (< x))"),
        METHOD.format(":ordering (and (<))"),
        METHOD.format(":ordering (x <)"),
        METHOD.format(":ordering (and (x y))"),
        METHOD.format(":ordering (and (< x y y))"),
        METHOD.format(":ordering (and (< (x) y))"),
        METHOD.format(":ordering (and (< x z))"),
        METHOD.format(":precondition (not)"),
        METHOD.format(":precondition (not (p) (q))"),
        METHOD.format(":precondition (exists (?x))"),
        METHOD.format(":precondition (forall)"),
        METHOD.format(":precondition ((p) (q) ((r)))"),
        "(:method)",
        "(:method :task (t))",
        "(:method m)",
        "(:method m :task ())",
        "(:method m :task (t) :subtasks (and (x (a) (a))))",
        "(:method m :task (t) :subtasks (and ((a))))",
        "(:task)",
        "(:task :parameters ())",
        "(:action)",
        "(:action (b))",
        "(:types " + " ".join(f"t{i} - t{i + 1}" for i in range(200)) + ")",
        "(" * 200,
    ],
)
def test_damaged_domain_is_a_fault(part: str) -> None:
    with pytest.raises(DefinitionError):
        read_hddl_domain(DOMAIN.format(part))


@pytest.mark.parametrize("text", ["", "(", ")", "x", "(define)", "(define (problem p))", "(define (problem p) (:htn))"])
def test_damaged_problem_is_a_fault(text: str) -> None:
    with pytest.raises(DefinitionError):
        read_hddl_problem(text)


def test_file_that_is_too_long_is_a_fault() -> None:
    with pytest.raises(DefinitionError, match="characters"):
        read_hddl_domain(" " * (MAX_CHARACTERS + 1))


def test_both_ways_to_write_an_order_are_read() -> None:
    for order in ("(< y x)", "(y < x)", "(and (< y x))"):
        domain = read_hddl_domain(DOMAIN.format(METHOD.format(f":ordering {order}")))
        assert domain.methods["t"][0].before == (frozenset({1}), frozenset())
