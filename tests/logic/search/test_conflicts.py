"""Minimal conflicts of hard formulas, as text."""

import itertools

import pytest

from telos.logic.grounding import ground
from telos.logic.network import Unsatisfiable
from telos.logic.search import cutting_planes, find_conflict
from telos.logic.search.conflicts import prime_clauses
from telos.logic.syntax import parse_db, parse_mln


def conflict(model_text: str, facts: str, *query: str) -> Unsatisfiable:
    model = parse_mln(model_text, "rules.mln")
    network = ground(model, parse_db(facts, model), query)
    assert isinstance(cutting_planes(network), Unsatisfiable)
    return find_conflict(network, model)


def words(found: Unsatisfiable) -> set[str]:
    return {each.split("  [")[0] for each in found.conflict}


def test_conflict_has_only_contradicting_formulas() -> None:
    found = conflict(
        """
        Tall(person)
        Dark(person)
        Tall(x) => Dark(x).
        Tall(Ann).
        !Dark(Ann).
        Tall(x) v Dark(x).
        1.0 Dark(x)
        """,
        "",
        "Tall",
        "Dark",
    )
    assert words(found) == {"!Tall(Ann) v Dark(Ann)", "Tall(Ann)", "!Dark(Ann)"}
    assert sorted(found.rules) == [0, 1, 2]


def test_conflict_names_the_line_of_each_formula() -> None:
    found = conflict("Tall(person)\nTall(Ann).\n!Tall(Ann).", "", "Tall")
    assert [each.split("  [")[1].split(":")[:2] for each in found.conflict] == [["rules.mln", "2"], ["rules.mln", "3"]]


def test_conflict_may_contain_given_values() -> None:
    found = conflict("Tall(person)\nDark(person)\nTall(x) => Dark(x).\n!Dark(x).", "Tall(Ann)", "Tall", "Dark")
    assert "Tall(Ann)" in words(found)
    assert any(each.endswith("[given]") for each in found.conflict)
    assert -1 in found.rules


def test_conflict_mentions_a_block_where_needed() -> None:
    model = parse_mln("goal = {Eat, Talk}\ntime = {1}\ngoal(time, goal!)\n!goal(t, Eat).\n!goal(t, Talk).")
    found = find_conflict(ground(model, parse_db("", model), ["goal"]))
    assert words(found) == {"!goal(1,Eat)", "!goal(1,Talk)", "exactly one of goal(1,Eat), goal(1,Talk)"}


def test_conflict_omits_irrelevant_blocks() -> None:
    model = parse_mln("goal = {Eat, Talk, Walk}\ntime = {1}\ngoal(time, goal!)\ngoal(t, Eat).\n!goal(t, Eat).")
    found = find_conflict(ground(model, parse_db("", model), ["goal"]))
    assert words(found) == {"goal(1,Eat)", "!goal(1,Eat)"}


def test_pigeonhole_conflict_has_all_pigeons_and_holes() -> None:
    text = "hole = {A, B}\npigeon = {P, Q, R}\nin(pigeon, hole)\nother(pigeon)\nother(x) v !other(x).\n"
    text += "EXIST h in(p, h).\n!(p1 = p2) ^ in(p1, h) => !in(p2, h).\n"
    found = conflict(text, "", "in")
    assert len(found.conflict) == 9  # three pigeons sit somewhere, and no two of them in either hole


@pytest.mark.parametrize("sizes", [(2, 2), (3, 2), (2, 2, 2), (3, 3), (4,)])
def test_prime_clauses_forbid_exactly_the_barred_cells(sizes: tuple[int, ...]) -> None:
    cells = list(itertools.product(*map(range, sizes)))
    for pattern in range(0, 1 << len(cells), max(1, (1 << len(cells)) // 500)):
        barred = [bool(pattern >> place & 1) for place in range(len(cells))]
        clauses = prime_clauses(sizes, barred)
        for cell, is_barred in zip(cells, barred, strict=True):
            kept = all(any((cell[place] == value) != negated for place, value, negated in clause) for clause in clauses)
            assert kept != is_barred
