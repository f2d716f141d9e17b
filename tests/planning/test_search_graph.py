"""The graph of a search holds the plan, tells what was expanded, and is drawn as SVG that can be read."""

import math
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import telos
from telos.core.errors import TelosError
from telos.planning.search_graph import SearchGraph, draw_graph, record_search, save_graph

SVG = "{http://www.w3.org/2000/svg}"
YARD = telos.loads("""
domain: yard
variables: {x: int, y: int, key: bool, lamp: bool, open: bool}
actions:
  east: {preconditions: x < 6, effects: x += 1}
  west: {preconditions: x > 0, effects: x -= 1}
  north: {preconditions: y < 6, effects: y += 1}
  south: {preconditions: y > 0, effects: y -= 1}
  light: {preconditions: y == 2, effects: lamp = true, cost: 1 + x}
  take-key: {preconditions: x == 2 and y == 3 and lamp, effects: key = true}
  unlock: {preconditions: key and x == 4 and y == 1, effects: open = true}
goals:
  leave: {wants: open}
  stuck: {wants: open and not open}
""")
TOWN = telos.loads(
    """
domain: town
variables: {at: place, fed: bool}
handles: {place: [inn, mill]}
actions:
  goto: {parameters: {where: place}, preconditions: at != where, effects: at = where, cost: "far(at, where)"}
  eat: {preconditions: at == inn, effects: fed = true}
goals: {eat: {wants: fed}}
""",
    functions={"far": lambda here, there: 2.5 if there == "inn" else 9.0},
)


def drawn(graph: SearchGraph) -> ET.Element:
    return ET.fromstring(draw_graph(graph))


def boxes(picture: ET.Element) -> list[ET.Element]:
    return [each for each in picture.iter(f"{SVG}g") if each.find(f"{SVG}title") is not None]


def test_graph_way_is_the_plan() -> None:
    graph, plan = record_search(YARD, {}, "leave"), telos.plan(YARD, {}, "leave")
    assert graph.answer == plan
    assert [graph.nodes[place].action for place in graph.way[1:]] == [step.name for step in plan.steps]
    assert math.isclose(sum(graph.nodes[place].cost for place in graph.way), plan.cost)
    assert "open" in graph.nodes[graph.way[-1]].changes


def test_graph_marks_expanded_states() -> None:
    graph = record_search(YARD, {}, "leave")
    assert sum(node.is_expanded for node in graph.nodes) == graph.answer.expanded
    assert not graph.nodes[graph.way[-1]].is_expanded
    assert any(not node.is_expanded for node in graph.nodes)


def test_graph_states_follow_from_their_parents() -> None:
    graph = record_search(YARD, {}, "leave")
    assert graph.nodes[0].parent is None
    for place, node in enumerate(graph.nodes[1:], start=1):
        assert node.parent is not None
        assert node.parent < place
        before = graph.nodes[node.parent]
        assert set(node.changes) == set(node.state) - set(before.state)
        assert math.isclose(node.g, before.g + node.cost)


def test_graph_shows_handles_and_game_costs() -> None:
    graph = record_search(TOWN, {}, "eat")
    steps = [graph.nodes[at] for at in graph.way[1:]]
    assert [(step.action, step.cost) for step in steps] == [("goto(inn)", 2.5), ("eat", 1.0)]
    assert steps[0].changes == ("at = inn",)


def test_graph_of_spent_budget_leads_to_closest_state() -> None:
    graph = record_search(YARD, {}, "leave", budget=5)
    assert isinstance(graph.answer, telos.NoPlan)
    assert [graph.nodes[at].action for at in graph.way[1:]] == [step.name for step in graph.answer.partial]
    assert sum(node.is_expanded for node in graph.nodes) == graph.answer.expanded == 5
    assert "in blue, what came closest" in "".join(drawn(graph).itertext())


def test_graph_of_unreachable_goal_has_no_way() -> None:
    graph = record_search(YARD, {}, "stuck")
    assert graph.way == ()
    assert "yard › stuck: no plan" in "".join(drawn(graph).itertext())


def test_graph_of_goal_that_holds_is_one_state() -> None:
    picture = drawn(record_search(YARD, {"open": True}, "leave"))
    assert [each.get("class") for each in boxes(picture)] == ["generated way start goal"]


@pytest.mark.parametrize("most", [1, 30, 60, 10_000])
def test_large_graph_is_cut_but_keeps_the_plan(most: int) -> None:
    whole, graph = record_search(YARD, {}, "leave", most=10_000), record_search(YARD, {}, "leave", most=most)
    assert len(graph.nodes) + graph.left_out == len(whole.nodes)
    assert [graph.nodes[at].action for at in graph.way] == [whole.nodes[at].action for at in whole.way]
    picture = drawn(graph)
    assert len(boxes(picture)) == len(graph.nodes)
    said = f"{graph.left_out:,} more left out of the picture"
    assert (said in "".join(picture.itertext())) is bool(graph.left_out)


def test_drawing_names_every_step_with_its_cost() -> None:
    graph = record_search(YARD, {}, "leave")
    bold = [each.text for each in drawn(graph).iter(f"{SVG}text") if each.get("class") == "by way"]
    assert bold == [f"{graph.nodes[at].action}  {graph.nodes[at].cost:g}" for at in graph.way[1:]]


@pytest.mark.parametrize("most", [40, 10_000])
def test_drawing_has_no_overlapping_boxes(most: int) -> None:
    rects = [each.find(f"{SVG}rect") for each in boxes(drawn(record_search(YARD, {}, "leave", most=most)))]
    keys = ("x", "y", "width", "height")
    places = [tuple(float(each.get(key, "")) for key in keys) for each in rects if each is not None]
    for i, (x, y, width, height) in enumerate(places):
        for x2, y2, width2, height2 in places[:i]:
            assert x + width <= x2 or x2 + width2 <= x or y + height <= y2 or y2 + height2 <= y


def test_drawing_of_same_search_is_the_same() -> None:
    assert draw_graph(record_search(YARD, {}, "leave")) == draw_graph(record_search(YARD, {}, "leave"))


def test_drawing_is_xml_for_any_name_of_a_handle() -> None:
    picture = drawn(record_search(TOWN, {"at": "<b>&\x00\x1b'\""}, "eat"))
    assert "at = <b>&\ufffd\ufffd'\"" in "".join(picture.itertext())


def test_drawing_replaces_an_existing_file(tmp_path: Path) -> None:
    path = tmp_path / "out.svg"
    path.write_text("old")
    save_graph(record_search(TOWN, {}, "eat"), path)
    assert path.read_text(encoding="utf-8") == draw_graph(record_search(TOWN, {}, "eat"))
    with pytest.raises(TelosError, match=r"end the name with \.svg"):
        save_graph(record_search(TOWN, {}, "eat"), tmp_path / "out.pdf")
    assert [each.name for each in tmp_path.iterdir()] == ["out.svg"]


def test_graph_reads_compiled_searches_too() -> None:
    corridor = telos.Domain(
        variables=[telos.Variable(name, "int") for name in "abc"],
        actions=[
            telos.Action(f"more-{name}", preconditions=f"{name} < 9", effects=f"{name} += 1")
            for name in ("a", "b", "c")
        ],
        goals=[telos.Goal("even", wants="a * b * c == 729")],
    )
    graph = record_search(corridor, {}, "even", most=50)
    assert graph.answer.expanded > 300
    assert len(graph.way) == 28
    assert graph.left_out + len(graph.nodes) == 1000
