"""Texts and tables of the panels, without a browser."""

import xml.etree.ElementTree as ET
from collections import Counter
from itertools import pairwise
from urllib.parse import parse_qsl, urlsplit

import pytest

pytest.importorskip("nicegui", reason='the studio needs NiceGUI: pip install "telos[studio]"')

from hypothesis import given
from hypothesis import strategies as st

from studio.tiny import LINE
from telos.core.errors import Fault
from telos.studio.mind_view import FactLine, GoalLine
from telos.studio.page.controls import free_keys, studio_keys
from telos.studio.page.designer.comparison import comparison_svg, find_stretches, thin_points
from telos.studio.page.designer.editor import diff_class, format_fault
from telos.studio.page.game_menu import game_address
from telos.studio.page.help import format_keys, key_name
from telos.studio.page.mind_panel import fact_rows, goal_rows
from telos.studio.page.score_panel import accuracy_rows, confusion_table, example_conditions
from telos.studio.session import Session
from telos.studio.stage import world
from telos.worlds.registry import WORLDS

GOALS = ("level", "explore", "town")
words = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12)


@given(st.lists(words, min_size=1, max_size=4, unique=True), st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_curves_are_well_formed_for_any_goal_names(goals: list[str], chances: list[float]) -> None:
    times = [float(at) for at in range(len(chances))]
    drawn = comparison_svg(times, [goals[0]] * len(times), dict.fromkeys(goals, (chances, chances)))
    root = ET.fromstring(drawn)  # a goal called "<script>" would be an element of its own
    assert {each.tag.rpartition("}")[2] for each in root.iter()} <= {"svg", "rect", "polyline", "text"}
    assert len([each for each in root.iter() if each.tag.endswith("polyline")]) == 2 * len(goals)


def test_new_curve_is_solid_and_old_one_dashed() -> None:
    drawn = ET.fromstring(comparison_svg([0.0, 1.0], ["a", None], {"a": ((0.0, 0.0), (1.0, 1.0))}))
    old, new = (each for each in drawn.iter() if each.tag.endswith("polyline"))
    assert "stroke-dasharray" in old.attrib
    assert "stroke-dasharray" not in new.attrib
    assert float(old.attrib["points"].split(",")[-1]) > float(new.attrib["points"].split(",")[-1])  # lower is less sure


def test_compared_curves_are_steps_not_slopes() -> None:
    times, chances = [0.0, 4.0, 50.0], (0.9, 0.9, 0.1)  # nothing happened for 46 s, then the belief fell
    drawn = ET.fromstring(comparison_svg(times, [None] * 3, {"a": (chances, chances)}))
    for curve in (each for each in drawn.iter() if each.tag.endswith("polyline")):
        places = [tuple(map(float, each.split(","))) for each in curve.attrib["points"].split()]
        assert all(one[0] == two[0] or one[1] == two[1] for one, two in pairwise(places))
        assert places[-2][1] == places[0][1]  # held until the fall
        assert places[-1][1] > places[-2][1]


@given(st.lists(st.sampled_from(["a", "b", None]), max_size=40))
def test_stretches_cover_exactly_updates_with_goal(truths: list[str | None]) -> None:
    covered = [at for begin, end in find_stretches(truths, "a") for at in range(begin, end)]
    assert covered == [at for at, truth in enumerate(truths) if truth == "a"]


@given(st.integers(0, 5_000))
def test_thinned_curve_keeps_ends_and_order(count: int) -> None:
    chosen = thin_points(count)
    assert chosen == sorted(set(chosen))
    assert chosen[:1] + chosen[-1:] == ([0, count - 1] if count else [])
    assert len(chosen) <= 602


@given(st.dictionaries(st.tuples(st.sampled_from(GOALS), st.sampled_from(GOALS)), st.integers(1, 1000)))
def test_confusion_rows_sum_to_judged_updates(counts: dict[tuple[str, str], int]) -> None:
    columns, rows = confusion_table(counts, GOALS)
    assert [column["label"] for column in columns[1:]] == list(GOALS)
    for row, truth in zip(rows, GOALS, strict=True):
        total = sum(count for (true, _), count in counts.items() if true == truth)
        for believed in GOALS:
            said = row[f"goal {believed}"]
            assert said == (f"{100 * counts.get((truth, believed), 0) / total:.0f}" if total else "–")


def test_goal_called_truth_has_own_column() -> None:
    columns, rows = confusion_table(Counter({("truth", "truth"): 1}), ("truth", "key"))
    assert len({column["name"] for column in columns}) == 3
    assert rows[0]["truth"] == "truth"
    assert rows[0]["goal truth"] == "100"


@given(st.dictionaries(st.sampled_from(["rules", "wind", "at_ease"]), words), st.integers(0, 10**6), st.integers(0, 99))
def test_address_round_trips(settings: dict[str, str], seed: int, at: int) -> None:
    parts = urlsplit(game_address("arena", seed, settings, at=at))
    assert parts.path == "/arena"
    assert dict(parse_qsl(parts.query, keep_blank_values=True)) == {"seed": str(seed), **settings, "at": str(at)}


@given(st.lists(st.builds(FactLine, words, words, st.floats(0, 1e4), st.floats(0, 1), words), max_size=200))
def test_facts_have_unique_keys(facts: list[FactLine]) -> None:
    keys = [row["key"] for row in fact_rows(facts)]
    assert len(set(keys)) == len(keys) == min(len(facts), 120)


def test_heaviest_goal_fills_its_meter() -> None:
    rows = goal_rows(
        [GoalLine("a", -8, True, False, ""), GoalLine("b", 2, True, True, ""), GoalLine("c", 0, False, False, "")]
    )
    assert [row["share"] for row in rows] == [100, 25, 0]
    assert [row["state"] for row in rows] == ["relevant", "pursued", "idle"]


def test_world_without_weights_has_empty_meters() -> None:
    assert [row["share"] for row in goal_rows([GoalLine("a", 0, True, True, "")])] == [0]


def test_keys_of_world_are_neither_bound_nor_in_help() -> None:
    taken = {"Digit1", "KeyP"}
    assert free_keys(["p", "1", "2", "?"], taken) == ["2", "?"]
    told = dict(studio_keys(taken))
    assert "P" not in told
    assert "1 – 4" not in told
    assert "?" in told


def test_help_names_keys_as_printed() -> None:
    assert [key_name(code) for code in ("KeyQ", "Digit7", "Space", "ArrowDown", "ControlRight")] == [
        "Q", "7", "space", "↓", "Control",
    ]  # fmt: skip
    assert format_keys((("KeyX", "swing", "swing"), ("Space", "swing", "swing"))) == (("X space", "swing"),)


def test_fault_is_formatted_with_remedy() -> None:
    assert format_fault(Fault("no such goal", suggestion="write `explore`", line=9)) == "no such goal; write `explore`"
    assert format_fault(Fault("no such goal", line=9)) == "no such goal"


def test_removed_line_does_not_look_like_diff_header() -> None:
    assert [diff_class(line) for line in ("--- old", "-gone", "+new", " same", "", "@@ -1 +1 @@")] == [
        "ts-faint", "ts-removed", "ts-added", "", "", "ts-faint",
    ]  # fmt: skip


@pytest.mark.parametrize("name", list(WORLDS))
def test_example_conditions_can_be_set_and_do_not_hold_yet(name: str) -> None:
    session = Session(world(name), 7)
    for example in example_conditions(session):
        session.pause_when(example)
        assert session.watchpoint is not None
        assert not session.watchpoint.is_true(session._values(())), example


def test_accuracy_is_that_of_scoreboard() -> None:
    session = Session(LINE)
    assert accuracy_rows(session)[0]["accuracy"] == "–"
    session.hold("right")
    for _ in range(30):
        session.advance()
    (row,) = accuracy_rows(session)
    assert row["judged"] == 30
    assert row["accuracy"] == f"{100 * session.scoreboard.correct('last') / 30:.1f} %"
    assert 0 < row["share"] < 100
