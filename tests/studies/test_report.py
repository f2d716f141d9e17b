"""The page of a study is one file that needs no network, and its figures are pictures that can be read."""

import json
import platform
import re
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import telos
from telos.core.errors import TelosError
from telos.studies.comparisons import Experiment, Grid, experiment_result
from telos.studies.report import draw, page, result_json, save_report
from telos.studies.results import BarChart, Curve, LineChart, Point, StudyResult
from telos.studies.scoring import Condition, Published, compared, scored, tally
from telos.svg import Scale, standalone_figure, ticks

pytest.importorskip("scipy")
GOALS = ("level", "town")
LABELS = {"a": "method A", "b": "B <& co>"}


def tiny_result() -> StudyResult:
    truths = ["level"] * 6 + ["town"] * 6
    rng = Random(4)
    runs = [{name: tally(truths, [rng.choice(GOALS) for _ in truths]) for name in LABELS} for _ in range(4)]
    scores = {
        name: scored(name, [run[name] for run in runs], goals=GOALS, rng=Random(1), published=published)
        for name, published in (("a", 90.0), ("b", None))
    }
    pairs = [(run["a"], run["b"]) for run in runs]
    test = compared("new", "a", "b", pairs, goals=GOALS, rng=Random(1), published=Published(90, None, 0.18, "p = 0.18"))
    chart = LineChart(
        "lag", "Lag & co", "updates", "accuracy", (Curve("new", (Point(0, 0.5), Point(3, 0.7))),), marked=1
    )
    grid = Grid("did", "What they did", ("swing", "stop"), (("new, level", (0.25, 0.75)),))
    return experiment_result(Experiment(
        "tiny", "A tiny study", "Somebody (2010)", 7, {"players": 4}, LABELS, (Condition("new", "4 players", scores),),
        (test,), ((chart,),), ("It <works>.",), ("Simulated.",), (grid,),
    ))  # fmt: skip


def test_the_page_needs_no_network_and_no_script() -> None:
    said = page(tiny_result())
    assert not re.search(r"(src|href)=|url\(|@import|<script", said)
    assert "prefers-color-scheme: dark" in said
    assert said.startswith("<!doctype html>")


def test_the_page_says_that_it_is_simulated_and_has_the_published_figures() -> None:
    said = page(tiny_result())
    for text in ("simulated players", "90%", "p = 0.18", "A tiny study", "Somebody (2010)", "seed 7", "25%"):
        assert text in said


def test_page_and_json_say_with_which_version_where_and_with_which_seed_they_were_made() -> None:
    result = tiny_result()
    made = json.loads(result_json(result))["made_with"]
    assert (made["study"], made["seed"], made["telos"]) == ("tiny", 7, telos.__version__)
    assert made["python"] == platform.python_version()
    assert made["platform"]
    for text in ("study tiny, seed 7", f"Telos {telos.__version__}", made["platform"], made["machine"]):
        assert text in page(result)


def test_what_looks_like_markup_is_written_as_text() -> None:
    said = page(tiny_result())
    assert "It &lt;works&gt;." in said
    assert "B &lt;&amp; co&gt;" in said
    assert "<works>" not in said


def test_figures_are_well_formed_and_say_what_they_are() -> None:
    charts = tiny_result().charts
    assert len(charts) == 2
    for picture in map(draw, charts):
        tree = ElementTree.fromstring(picture)
        assert tree.get("aria-label")
        assert ElementTree.fromstring(standalone_figure(picture)).find("{http://www.w3.org/2000/svg}style") is not None


def test_bar_shows_accuracy_and_diamond_the_published_figure() -> None:
    chart = tiny_result().charts[0]
    assert isinstance(chart, BarChart)
    tree = ElementTree.fromstring(draw(chart))
    space = "{http://www.w3.org/2000/svg}"
    boxes = [each for each in tree.iter(f"{space}rect") if each.find(f"{space}title") is not None]
    for box, bar in zip(boxes, chart.groups[0][2], strict=True):
        assert float(box.get("height", "0")) == pytest.approx(300 * bar.value, abs=0.2)
    (diamond,) = tree.iter(f"{space}polygon")
    top, _, bottom, _ = (float(pair.split(",")[1]) for pair in diamond.get("points", "").split())
    foot = float(boxes[0].get("y", "0")) + float(boxes[0].get("height", "0"))
    assert foot - (top + bottom) / 2 == pytest.approx(300 * 0.9, abs=0.2)


@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3), st.integers(6, 12))
def test_ticks_are_few_in_order_and_within_the_range(low: float, span: float, most: int) -> None:
    found = ticks(low, low + span, most)
    assert 2 <= len(found) <= most + 1
    assert found == sorted(set(found))
    assert all(low - span * 1e-6 <= each <= low + span * (1 + 1e-6) for each in found)


def test_a_scale_by_logarithm_has_even_steps_for_even_ratios() -> None:
    across = Scale(0.5, 2, 0, 100, log=True)
    assert [across(value) for value in (0.5, 1, 2)] == pytest.approx([0, 50, 100])


def test_a_report_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    save_report(tiny_result(), tmp_path / "page.html")
    assert "A tiny study" in (tmp_path / "page.html").read_text(encoding="utf-8")
    with pytest.raises(TelosError, match="there is no folder"):
        save_report(tiny_result(), tmp_path / "nowhere" / "page.html")
